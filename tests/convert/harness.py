"""Runs a program in two worlds, plain and converted, and compares all that a user could see.

A converter is `converter(strict) -> decorator`; the decorated function has `rtf.recursive`'s API.
"""

import contextlib
import dataclasses
import io
import pathlib
import traceback
import types
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from tests.convert.compare import Comparison, check_text, stacked, tensors_of
from tests.convert.programs.registry import Call, World

_HERE = pathlib.Path(__file__).parent


@dataclasses.dataclass(frozen=True)
class Outcome:
  """What one call showed.

  Attributes:
    result: what it returned.
    error: what it raised, or None.
    line: the user's line that raised, as "file:line function", or None.
    printed: what it printed.
    gradients: per variable an array or None; None without a tape.
  """

  result: Any
  error: Exception | None
  line: str | None
  printed: str
  gradients: list | None


class Side:
  """One world with one program in it.

  Attributes:
    case: the program, built.
    variables: what gradients are taken of: the case's, or else all that its factory made.
    function: what to call.
    rng: changes the inputs between calls; equal on both sides.
  """

  def __init__(self, program, seed, decorate):
    world = World(seed, decorate)
    self.case = program.factory(world)
    self.variables = world.variables if self.case.variables is None else self.case.variables
    function = self.case.function
    is_plain = decorate is _identity
    self.function = function if is_plain or hasattr(function, "stats") else decorate(function)
    self.calls, self.raising = self.case.calls(), self.case.raising_calls()
    self.rng = np.random.default_rng(seed + 1)

  def run(self, call, with_tape):
    """Calls the function, under a GradientTape or not, and returns the `Outcome`."""
    variables = self.variables if with_tape else None

    def prepared(*args, **kwargs):
      if self.case.prepare:
        self.case.prepare(*args)
      return self.function(*args, **kwargs)

    return observe(prepared, call, variables, self.case.loss)

  def run_map(self, calls, with_tape, plain):
    """Runs calls by `map`, or, where `plain`, one by one; returns the `Outcome`."""

    def each(*columns):
      rows = list(zip(*columns, strict=True))
      if self.case.prepare:
        for row in rows:
          self.case.prepare(*row)
      if plain:
        return stacked([self.function(*row) for row in rows])
      return self.function.map(*columns)

    columns = tuple(list(column) for column in zip(*(call.args for call in calls), strict=True))
    return observe(each, Call(columns), self.variables if with_tape else None)

  def mutate(self):
    """Changes all inputs in place."""
    for call in self.calls:
      self.case.mutate(self.rng, *call.args)

  def visible(self):
    """Returns all objects whose state is compared."""
    values = [v() if isinstance(v, types.FunctionType) else v for v in self.case.state]
    calls = [(call.args, call.kwargs) for call in [*self.calls, *self.raising]]
    return {"state": values, "inputs": calls}


def _identity(function):
  return function


def observe(function, call, variables=None, loss=None):
  """Calls a function and returns the `Outcome`; `variables` is None for no tape."""
  loss = loss or weighted_sum
  printed, result, value = io.StringIO(), None, None
  error, line, gradients = None, None, None
  with contextlib.ExitStack() as stack:
    tape = None if variables is None else stack.enter_context(tf.GradientTape())
    for tensor in variables or []:
      if tf.is_tensor(tensor):
        tape.watch(tensor)
    with contextlib.redirect_stdout(printed):
      try:
        result = function(*call.args, **call.kwargs)
      except ConversionRefused:
        raise
      except Exception as raised:  # Whatever the program raises is compared.
        error, line = raised, user_line(raised)
    if tape is not None and error is None:
      try:
        value = loss(result, *call.args)
      except (AttributeError, LookupError, TypeError) as missing:
        raise AssertionError("the loss cannot be read from the result and its state") from missing
  if value is not None:
    gradients = [_dense(g) for g in tape.gradient(value, variables)]
  return Outcome(result, error, line, printed.getvalue(), gradients)


def weighted_sum(result, *_):
  """Returns a sum of the result's float tensors, each element with its own weight; or None."""
  parts = []
  for i, tensor in enumerate(tensors_of(result)):
    weights = np.cos(np.arange(np.prod(tensor.shape, dtype=int)) + 2 * i + 1)
    weights = tf.constant(weights.reshape(tensor.shape), tensor.dtype)
    parts.append(tf.cast(tf.reduce_sum(tensor * weights), tf.float64))
  return tf.add_n(parts) if parts else None


def _dense(gradient):
  return None if gradient is None else tf.convert_to_tensor(gradient).numpy()


def user_line(error):
  """Returns the last line of the traceback that is in a program or its trees."""
  for frame in reversed(traceback.extract_tb(error.__traceback__)):
    path = pathlib.Path(frame.filename)
    if path.parent == _HERE / "programs" or path == _HERE / "trees.py":
      return f"{path.name}:{frame.lineno} {frame.name}"
  return None


def compare_outcomes(plain, other, where):
  """Raises AssertionError where two outcomes differ in errors, output or gradients."""
  if plain.error is not None or other.error is not None:
    shown = f"{where}: plain Python raised {plain.error!r}, converted {other.error!r}"
    names = [type(o.error).__qualname__ for o in (plain, other)]
    if plain.error is None and other.error is not None:
      raise AssertionError(shown) from other.error
    assert names[0] == names[1] and str(plain.error) == str(other.error), shown
    assert plain.line == other.line, f"{shown}, at {plain.line} and at {other.line}"
  check_text(plain.printed, other.printed, f"output of {where}")
  assert (plain.gradients is None) == (other.gradients is None), f"{where}: gradients or none"
  for i, (a, b) in enumerate(zip(plain.gradients or [], other.gradients or [], strict=True)):
    if a is None and b is None:
      continue
    # None says "does not depend on it"; a graph may compute the zeros.
    a = np.zeros_like(b) if a is None else a
    b = np.zeros_like(a) if b is None else b
    Comparison().check(a, b, f"gradient {i} of {where}")


class Check:
  """The comparison of one program.

  Args:
    program: the program.
    converter: `converter(strict) -> decorator`.
    seed: of both worlds.
  """

  def __init__(self, program, converter, seed=0):
    self.program, self.converter, self.seed = program, converter, seed
    self.has_gradient = False

  def sides(self):
    """Returns the plain side and the converted side, both new."""
    plain = Side(self.program, self.seed, _identity)
    # Under `strict` a run that has to be repeated in plain Python raises the reason.
    strict = self.program.is_converted and not plain.case.may_fall_back
    return plain, Side(self.program, self.seed, self.converter(strict=strict))

  def run(self):
    """Compares single calls, calls after changes, and `map`."""
    self.check_calls()
    self.check_map()
    if not self.program.is_converted:
      self.check_strict_refuses()

  def check_calls(self):
    """Compares call by call: as built, again after changes, and once more without changes."""
    plain, other = self.sides()
    tape = self.program.gradients
    self._pass(plain, other, "first", tape)
    self._raising(plain, other)
    for side in (plain, other):
      side.mutate()
    self._same_state(plain, other, "changes between calls")
    self._pass(plain, other, "after changes", with_tape=False)
    before = _growth(other.function.stats)
    set_verify(other.function, True)  # So far our own comparison; now the converter's beside it.
    self._pass(plain, other, "again", tape)
    assert before == _growth(other.function.stats), (
      f"{self.program.name} was converted again for inputs of the same kinds: "
      f"{before} became {_growth(other.function.stats)}"
    )
    if tape:
      assert self.has_gradient, f"{self.program.name}: all gradients of plain Python are zero"
    self._check_stats(other.function.stats, other.case)

  def _pass(self, plain, other, name, with_tape):
    for i, (a, b) in enumerate(zip(plain.calls, other.calls, strict=True)):
      self._call(plain, other, a, b, f"{self.program.name}, {name}, input {i}", with_tape)

  def _raising(self, plain, other):
    for i, (a, b) in enumerate(zip(plain.raising, other.raising, strict=True)):
      where = f"{self.program.name}, raising input {i}"
      self._call(plain, other, a, b, where, with_tape=False, raises=True)

  def _call(self, plain, other, a, b, where, with_tape, raises=False):
    expected = plain.run(a, with_tape)
    if (expected.error is not None) != raises:
      raise AssertionError(f"{where}: plain Python raised {expected.error!r}") from expected.error
    assert not raises or expected.line, f"{where}: the error is not raised in the program"
    got = other.run(b, with_tape)
    compare_outcomes(expected, got, where)
    self._same_state(plain, other, where, expected.result, got.result)
    self._note(expected)

  def _note(self, outcome):
    self.has_gradient |= any(g is not None and np.any(g) for g in outcome.gradients or [])

  def _same_state(self, plain, other, where, expected=None, got=None):
    comparison = Comparison()
    comparison.check(plain.visible(), other.visible(), f"{where}: state")
    comparison.check(expected, got, f"{where}: result")

  def check_map(self):
    """Compares `map` of all inputs with the calls one by one, stacked; also where one raises."""
    plain, other = self.sides()
    if not plain.case.is_mapped():
      return
    self._map(plain, other, f"{self.program.name}, map", lambda side: side.calls)
    if plain.raising:
      where = f"{self.program.name}, map with an input that raises"
      self._map(plain, other, where, lambda side: [side.calls[0], side.raising[0], side.calls[1]])

  def _map(self, plain, other, where, pick):
    expected = plain.run_map(pick(plain), self.program.gradients, plain=True)
    got = other.run_map(pick(other), self.program.gradients, plain=False)
    compare_outcomes(expected, got, where)
    self._same_state(plain, other, where, expected.result, got.result)

  def _check_stats(self, stats, case):
    name = self.program.name
    if not self.program.is_converted:
      reasons = {reason for reason, count in stats.fallbacks.items() if count}
      assert reasons == {self.program.expect}, f"{name} fell back for {reasons}"
      assert stats.num_fallback_runs > 0, f"{name}: no fallback was counted"
      return
    assert stats.num_converted_runs > 0, f"{name} never ran converted"
    if not case.may_fall_back:
      # A run that raises is repeated in plain Python, which is counted.
      others = {r: n for r, n in stats.fallbacks.items() if n and r != Reason.CHECK_FAILED}
      assert not others, f"{name} fell back: {others}"
      assert stats.num_fallback_runs <= len(case.raising), f"{name} fell back: {stats.fallbacks}"
    assert 1 <= stats.num_conversions <= case.max_conversions, (
      f"{name} was converted {stats.num_conversions} times"
    )

  def check_strict_refuses(self):
    """Checks that `strict=True` raises the refusal, with the reason."""
    with pytest.raises(ConversionRefused) as refusal:
      side = Side(self.program, self.seed, self.converter(strict=True))
      for call in side.calls:
        with contextlib.redirect_stdout(io.StringIO()):
          side.function(*call.args, **call.kwargs)
    assert refusal.value.reason == self.program.expect, f"refused for {refusal.value.reason}"


def set_verify(function, verify):
  """Says which runs of a converted function are compared with plain Python by itself."""
  schedule = getattr(getattr(function, "__func__", function), "_schedule", None)
  if schedule is not None:  # The fakes have none.
    schedule.verify = verify


def _growth(stats):
  return stats.num_conversions, stats.num_graphs


def check(program, converter, seed=0):
  """Compares a program in plain Python with the converter's; raises AssertionError."""
  Check(program, converter, seed).run()
