"""Converters that do not convert: a faithful one, and ones that are wrong in one way each.

They test the harness: the faithful one has to pass every program, each wrong one has to fail where
it matters.
"""

import contextlib
import copy
import io
import types

import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused
from tests.convert.compare import stacked


class Faithful:
  """The plain function behind `rtf.recursive`'s API; counts what it is told to count.

  Args:
    function: the user's function.
    program: its entry in the suite.
    strict: whether to refuse what is expected to fall back.
    shared: what all bindings of one decorated method share.
    bound: the object it is bound to, in a tuple, or none.
  """

  def __init__(self, function, program, strict, shared=None, bound=()):
    self.python, self._program, self._strict, self._bound = function, program, strict, bound
    self._shared = shared or types.SimpleNamespace(is_running=False, frozen={}, stats=new_stats())

  def __get__(self, instance, owner=None):
    """Binds it as a method."""
    if instance is None:
      return self
    return type(self)(self.python, self._program, self._strict, self._shared, (instance,))

  @property
  def stats(self):
    """The counters."""
    return self._shared.stats

  def __call__(self, *args, **kwargs):
    """Calls the function; inner calls of the recursion are the function's alone."""
    function, args = self.python, (*self._bound, *args)
    if self._shared.is_running:
      return function(*args, **kwargs)
    self._count()
    self._shared.is_running = True
    try:
      return self.run(function, args, kwargs)
    finally:
      self._shared.is_running = False

  def map(self, *columns):
    """Calls it for each row and stacks the results."""
    return stacked([self(*row) for row in zip(*columns, strict=True)])

  def run(self, function, args, kwargs):
    """What one outermost call does; wrong converters override it."""
    return function(*args, **kwargs)

  def _count(self):
    reason = self._program.expect
    if self._program.is_converted:
      self.stats.num_converted_runs += 1
    elif self._strict:
      raise ConversionRefused.of(reason, "as the suite says")
    else:
      self.stats.num_fallback_runs += 1
      self.stats.fallbacks[reason] = self.stats.fallbacks.get(reason, 0) + 1


def new_stats():
  """Returns counters as `rtf.recursive` has them after its first conversion."""
  return types.SimpleNamespace(
    num_converted_runs=0, num_fallback_runs=0, num_conversions=1, num_graphs=1, fallbacks={}
  )


class DropsLastAppend(Faithful):
  """Loses the last element of each list that grew among its arguments and closed-over lists."""

  def run(self, function, args, kwargs):
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    lists = [value for value in (*args, *cells) if isinstance(value, list)]
    lengths = [len(value) for value in lists]
    result = function(*args, **kwargs)
    for value, length in zip(lists, lengths, strict=True):
      if len(value) > length:
        value.pop()
    return result


class WritesToCopies(Faithful):
  """Works on copies of the arguments: what is written is lost."""

  def run(self, function, args, kwargs):
    return function(*self._bound, *copy.deepcopy(args[len(self._bound) :]), **kwargs)


class StacksBackwards(Faithful):
  """Maps over the inputs in the right order and stacks the results in the wrong one."""

  def map(self, *columns):
    return stacked([self(*row) for row in zip(*columns, strict=True)][::-1])


class FreezesFirstResult(Faithful):
  """Answers for an object what it answered first, as a trace with its attributes frozen does."""

  def run(self, function, args, kwargs):
    key = tuple(map(id, args))
    if key not in self._shared.frozen:
      self._shared.frozen[key] = args, function(*args, **kwargs)
    return self._shared.frozen[key][1]


class FloatForInt(Faithful):
  """Gives Python ints back as floats."""

  def run(self, function, args, kwargs):
    return change(function(*args, **kwargs), lambda x: float(x) if type(x) is int else x)


class TensorForNumber(Faithful):
  """Gives Python numbers back as tensors."""

  def run(self, function, args, kwargs):
    numbers = (int, float)
    return change(function(*args, **kwargs), lambda x: tf.constant(x) if type(x) in numbers else x)


class PrintsBackwards(Faithful):
  """Prints the right lines in the wrong order."""

  def run(self, function, args, kwargs):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
      result = function(*args, **kwargs)
    print("".join(reversed(printed.getvalue().splitlines(keepends=True))), end="")
    return result


class PrintsNothing(Faithful):
  """Swallows output."""

  def run(self, function, args, kwargs):
    with contextlib.redirect_stdout(io.StringIO()):
      return function(*args, **kwargs)


class LosesGradients(Faithful):
  """Returns tensors that depend on nothing."""

  def run(self, function, args, kwargs):
    stop = lambda x: tf.stop_gradient(x) if tf.is_tensor(x) else x  # noqa: E731
    return change(function(*args, **kwargs), stop)


class RunsTwice(Faithful):
  """Commits every write twice."""

  def run(self, function, args, kwargs):
    with contextlib.redirect_stdout(io.StringIO()):
      function(*args, **kwargs)
    return function(*args, **kwargs)


class OtherMessage(Faithful):
  """Raises the right type with another message."""

  def run(self, function, args, kwargs):
    try:
      return function(*args, **kwargs)
    except Exception as error:
      raise type(error)("the graph failed").with_traceback(error.__traceback__) from None


class OtherLine(Faithful):
  """Raises the right error, from here and not from the user's line."""

  def run(self, function, args, kwargs):
    try:
      return function(*args, **kwargs)
    except Exception as error:
      raise error.with_traceback(None) from None


class RollsBackNothing(Faithful):
  """Swallows exceptions."""

  def run(self, function, args, kwargs):
    with contextlib.suppress(Exception):
      return function(*args, **kwargs)


class FallsBack(Faithful):
  """Says that it converts and runs plain Python."""

  def _count(self):
    self.stats.num_fallback_runs += 1


class ConvertsEachTime(Faithful):
  """Converts again for each call."""

  def _count(self):
    super()._count()
    self.stats.num_conversions += 1


class CastsToFloat32(Faithful):
  """Computes doubles in single precision."""

  def run(self, function, args, kwargs):
    cast = lambda x: tf.cast(x, tf.float32) if tf.is_tensor(x) else x  # noqa: E731
    return change(function(*args, **kwargs), cast)


def change(value, rule):
  """Returns a result with `rule` applied to what is in its tuples, lists and dicts."""
  if isinstance(value, dict):
    return {key: change(item, rule) for key, item in value.items()}
  if type(value) in (tuple, list):
    return type(value)(change(item, rule) for item in value)
  return rule(value)


def converter(program, kind=Faithful):
  """Returns `converter(strict) -> decorator` for a class of this file."""
  return lambda strict: lambda function: kind(function, program, strict)
