"""All passes together: the prepared function does what the user's does, line by line."""

import ast
import contextlib

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from recursive_tf.convert.syntax.annotations import Annotation, annotation
from recursive_tf.convert.syntax.pipeline import PASSES, prepare
from recursive_tf.convert.syntax.source import source_of
from tests.convert.syntax.lowering import defined, lowered, outcome
from tests.convert.syntax.program_strategies import programs


def observed(function, a, b):
  """Returns the outcome of a call and what was noted on the way."""
  notes, ticks = [], []

  def note(key, value):
    notes.append((key, value))
    return value

  @contextlib.contextmanager
  def held(key):
    notes.append(("enter", key))
    try:
      yield key
    finally:
      notes.append(("leave", key))

  note.held = held

  def tick():
    ticks.append(None)
    if len(ticks) > 30:
      raise OverflowError("too many passes")

  return outcome(function, a, b, note, tick), notes


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(text=programs(), a=st.integers(0, 5), b=st.integers(0, 5))
def test_prepared_programs_do_the_same_and_raise_at_the_same_lines(text, a, b):
  function = defined(text)
  twin = lowered(function)
  for inputs in ((a, b), (b, a), (a + 1, 3)):
    expected = observed(function, *inputs)
    event(expected[0][0] if expected[0][0] == "returned" else expected[0][1].__name__)
    assert observed(twin, *inputs) == expected, text


def test_dump_shows_the_code_after_every_pass():
  shown = []
  source = source_of(defined("def f(x):\n  if 0 < x < 3: return 1\n"))
  prepare(source, dump=lambda name, code: shown.append((name, code)))
  assert [name for name, _ in shown] == [name for name, _ in PASSES]
  shown = dict(shown)
  assert "0 < x < 3" in shown["fence"] and "0 < x and x < 3" in shown["desugar"]
  assert "else" not in shown["loop_exits"] and "return None" in shown["single_exit"]


def test_prepare_leaves_the_source_as_it_was():
  source = source_of(defined("def f(x):\n  for y in x:\n    if y: return y\n"))
  before = ast.dump(source.node, include_attributes=True)
  core = prepare(source)
  assert ast.dump(source.node, include_attributes=True) == before
  assert source.local_names == {"x", "y"}
  assert core.local_names == {"x", "y", "_rtf_returned", "_rtf_result"}


def test_fresh_names_do_not_meet_the_users():
  text = "def f(x, _rtf_value):\n  a = b = x\n  return a, b, _rtf_value, _rtf_value_2\n"
  function = defined(text, _rtf_value_2=7)
  assert "_rtf_value_3 = x" in ast.unparse(prepare(source_of(function)).node)
  assert lowered(function)(1, 2) == (1, 1, 2, 7)


def test_closures_defaults_and_super_survive():
  class Base:
    def rank(self):
      return 1

  offset = 10

  class Derived(Base):
    def rank(self, extra=3, *, more=5):
      if extra > 3:
        return offset
      return super().rank() + extra + more + offset

  rank = lowered(Derived.rank)
  assert rank(Derived()) == Derived().rank() == 19
  assert rank(Derived(), 4) == 10


def test_annotations_of_copied_blocks_are_their_own():
  text = """
def f(x, y):
  if x:
    if y:
      return 0
    z = 1
  else:
    z = 2
  for k in range(z):
    if k == y:
      break
  return k
"""
  function = defined(text)
  loops = [n for n in ast.walk(prepare(source_of(function)).node) if isinstance(n, ast.For)]
  assert len(loops) == 2 and all(annotation(loop, Annotation.UNTIL) for loop in loops)
  inputs = [(x, y) for x in (0, 1) for y in (0, 1, 2)]
  assert [lowered(function)(*i) for i in inputs] == [function(*i) for i in inputs]
