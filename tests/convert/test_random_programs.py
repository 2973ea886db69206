"""Random programs behave, converted, as plain Python does."""

import collections
import importlib.util
import os
import tempfile
import traceback

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert import harness, random_programs, random_trees
from tests.convert.compare import Comparison, stacked
from tests.convert.programs.registry import Call

SIZES = (1, 4, 3)
MIN_CONVERTED = 0.7


class Side:
  """One world: a program's module, its trees, and what it shows.

  Args:
    program: the program.
    path: the file with its text.
    seed: of the trees.
    decorate: the decorator.
  """

  def __init__(self, program, path, seed, decorate):
    spec = importlib.util.spec_from_file_location("random_program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.make(decorate)
    self.function, self.state = made["function"], made["state"]
    self._variables, self._path = made["variables"], path
    self._rng = np.random.default_rng(seed)
    self.trees = [random_trees.tree(self._rng, program.is_binary, n) for n in SIZES]
    self._more = (random_trees.vector(),) if program.has_vector else ()

  def call(self, index, with_tape):
    """Calls the function on one tree; returns the `Outcome` and the line that raised."""
    call = Call((self.trees[index], *self._more))
    return self._observe(self.function, call, with_tape)

  def map(self, is_plain):
    """Calls the function on all trees, one by one or by `map`."""
    columns = [self.trees, *([value] * len(self.trees) for value in self._more)]

    def each():
      if is_plain:
        return stacked([self.function(*row) for row in zip(*columns, strict=True)])
      return self.function.map(*columns)

    return self._observe(each, Call(()), True)

  def _observe(self, function, call, with_tape):
    outcome = harness.observe(function, call, self._variables if with_tape else None)
    return outcome, self._line(outcome.error)

  def _line(self, error):
    frames = [] if error is None else traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == self._path]
    return lines[-1] if lines else None

  def mutate(self):
    """Changes all trees."""
    for tree in self.trees:
      random_trees.mutate(self._rng, tree)

  def visible(self):
    """Returns all objects whose state is compared."""
    return {"state": self.state(), "trees": self.trees}


class Tally:
  """How many programs were converted, and why others were not."""

  def __init__(self):
    self.num_programs = self.num_converted = self.num_raised = 0
    self.reasons = collections.Counter()

  def add(self, function, num_raised):
    """Counts one program: it is converted if most of its runs that could be are."""
    stats = function.stats
    assert not stats.fallbacks.get(Reason.VERIFICATION_FAILED), function.explain()
    assert not stats.fallbacks.get(Reason.INTERNAL_ERROR), function.explain()
    self.num_programs += 1
    self.num_raised += num_raised > 0
    num_fallback = max(0, stats.num_fallback_runs - num_raised)
    is_converted = num_fallback <= stats.num_converted_runs / 4
    self.num_converted += is_converted
    if not is_converted:
      self.reasons.update([reason.name for reason, count in stats.fallbacks.items() if count])
      self.last = str(function.explain())
    return is_converted


def compare(plain, other, where):
  """Raises AssertionError where what two sides showed differs."""
  (expected, line), (got, other_line) = plain, other
  harness.compare_outcomes(expected, got, where)
  assert line == other_line, f"{where}: raised in line {line}, converted in line {other_line}"


def check(program, seed, tally):
  """Runs a program in both worlds, on trees that change between the calls."""
  with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "random_program.py")
    with open(path, "w") as file:
      file.write(program.text)
    plain = Side(program, path, seed, lambda function: function)
    other = Side(program, path, seed, lambda function: rtf.recursive(function, verify=False))
    num_raised = 0
    for turn in ("first", "changed", "again"):
      harness.set_verify(other.function, turn == "again")
      for index in range(len(SIZES)):
        where = f"{turn}, tree {index}"
        expected, got = (side.call(index, turn != "changed") for side in (plain, other))
        num_raised += expected[0].error is not None
        same(plain, other, expected, got, where)
      if turn == "first":
        plain.mutate()
        other.mutate()
    if num_raised == 0 and program.result not in ("bool", "list", "maybe"):
      same(plain, other, plain.map(True), other.map(False), "map")
    return tally.add(other.function, num_raised)


def same(plain, other, expected, got, where):
  """Raises AssertionError where results, or the worlds afterwards, differ."""
  compare(expected, got, where)
  both = ((expected[0].result, plain.visible()), (got[0].result, other.visible()))
  Comparison().check(*both, where)


@pytest.fixture(scope="module")
def tally():
  return Tally()


@pytest.mark.long
@hypothesis.given(st.randoms(use_true_random=False), st.integers(0, 1000))
@hypothesis.settings(
  suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large]
)
def test_random_programs_behave_as_plain_python(tally, random, seed):
  program = random_programs.program(random)
  hypothesis.note(program.text)
  is_converted = check(program, seed, tally)
  hypothesis.event("converted" if is_converted else "plain")


def test_most_random_programs_are_converted(tally):
  if tally.num_programs == 0:
    pytest.skip("the random programs did not run")
  share = tally.num_converted / tally.num_programs
  assert share >= MIN_CONVERTED, f"{share:.0%} converted; else {tally.reasons}"
