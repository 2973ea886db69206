"""One of several functions or classes, as the run finds: every pair of levels."""

import math

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, bushy, lopsided, of_one
from tests.convert.chosen.source import DIMENSIONS, generate
from tests.convert.fuzz import runner
from tests.convert.fuzz.report import BAD, INVALID
from tests.convert.matrix.covering import all_pairs, covering_rows, pairs_of

_ROWS = covering_rows(DIMENSIONS)
# Of the rows so many run as no graph: functions that are made where they are chosen, methods that
# are compared, and numbers of which some are tensors.
_NUM_REFUSED = 45


def _run(number, folder):
  text = generate(*_ROWS[number])
  return runner.run_text(text, folder / f"chosen_{number}.py", verify=False)


def test_every_pair_of_levels_occurs():
  assert set().union(*(pairs_of(row) for row in _ROWS)) == all_pairs(DIMENSIONS)


@pytest.mark.parametrize("number", range(len(_ROWS)))
def test_a_program_of_the_matrix_does_what_python_does(number, tmp_path):
  report = _run(number, tmp_path)
  assert report.status not in (*BAD, INVALID), report.detail


@pytest.mark.slow
def test_most_programs_of_the_matrix_are_converted(tmp_path):
  reports = [_run(number, tmp_path) for number in range(len(_ROWS))]
  refused = [row for row, report in zip(_ROWS, reports, strict=True) if not report.num_converted]
  assert len(refused) <= _NUM_REFUSED, refused


def _minimax(f, n):
  pick = max if n.flag else min
  return n.v if not n.kids else pick(f(kid) for kid in n.kids)


def _negation_normal_form(f, n, cls=None):
  cls = tuple if cls is list else list
  return cls([n.v, *(f(kid, cls) for kid in n.kids)])


def _validated(f, n):
  kind = int if n.flag else (float, str)[n.v % 2]
  return [isinstance(n.v, kind), kind.__name__, [f(kid) for kid in n.kids]]


def _kept(f, n):
  n.act = math.sqrt if n.flag else math.exp
  return n.act(n.v) + sum(f(kid) for kid in n.kids)


def _returned(f, n):
  for kid in n.kids:
    if f(kid) is min:
      return max
  return min if n.v > 4 else max


@pytest.mark.parametrize("program", [_minimax, _validated, _kept, _returned])
def test_what_is_chosen_is_used_as_python_does(program):
  agrees(of_one(program), lambda: [(bushy(),), (lopsided(),)], expect=CONVERTED)


def test_a_class_is_handed_on_in_a_recursion():
  def build(recursive):
    @recursive
    def f(n, cls=None):
      return _negation_normal_form(f, n, cls)

    return f

  agrees(build, lambda: [(bushy(),), (lopsided(),)])


# Four classes in another order than the converter's own.
_KINDS = [str, float, int, bool]


def test_which_of_four_classes_was_chosen_is_asked():
  def build(recursive):
    @recursive
    def f(n):
      kind = _KINDS[n.v % 4]
      return [kind is int, kind is bool, kind is float, kind is str, [f(kid) for kid in n.kids]]

    return f

  agrees(build, lambda: [(bushy(),), (lopsided(),)], expect=CONVERTED)


def test_a_function_that_changes_a_list_is_chosen_while_python_goes_over_it():
  def build(recursive):
    def shrink(x):
      return x

    def grow(x):
      rest.append(x)
      return x

    rest = []

    @recursive
    def f(n):
      act = grow if n.flag else shrink
      return sum(map(act, [n.v, 2])) + sum(f(kid) for kid in n.kids) + len(rest)

    return f, [rest]

  agrees(build, lambda: [(bushy(),), (lopsided(),)])


@pytest.mark.parametrize("ask", ["==", "!=", "in"])
def test_a_number_beside_a_complex_constant_is_refused(ask):
  def equal(f, n):
    return [n.v == 1 + 0j, [f(kid) for kid in n.kids]]

  def different(f, n):
    return [n.v != 0j, [f(kid) for kid in n.kids]]

  def within(f, n):
    return [n.v in (0j, 2 + 0j), [f(kid) for kid in n.kids]]

  program = {"==": equal, "!=": different, "in": within}[ask]
  agrees(of_one(program), expect=Reason.UNSUPPORTED_OPERATION)


# By what is asked of a node, one class or several.
_CLASSES = {"a": int, "b": (float, str), "r": (int, str), "c": str}


def test_classes_of_a_table_are_asked_and_handed_on():
  def build(recursive):
    @recursive
    def f(n, kinds=None):
      mine = _CLASSES.get(n.name)
      found = isinstance(n.v, mine) if mine else False
      before = kinds is not None and isinstance(n.name, kinds)
      return [found, before, [f(kid, mine) for kid in n.kids]]

    return f

  agrees(build, lambda: [(bushy(),), (lopsided(),)], expect=CONVERTED)


def _two(f, n):
  a = math.sqrt if n.flag else math.exp
  b = math.exp if n.v > 2 else math.sqrt
  c = None if n.kids else a
  return [a is b, a == b, a is not b, c is b, c is None, [f(kid) for kid in n.kids]]


def _default_of_a_table(f, n):
  act = {"a": math.sqrt, "b": math.exp}.get(n.name, math.cos if n.flag else math.sin)
  return act(n.v) + sum(f(kid) for kid in n.kids)


@pytest.mark.parametrize("program", [_two, _default_of_a_table])
def test_choices_meet(program):
  agrees(of_one(program), lambda: [(bushy(),), (lopsided(),)], expect=CONVERTED)
