"""The net: a converter that is wrong is noticed in the first call that shows it, whatever is wrong.

Converters are broken on purpose here, a class of faults at a time, behind the back of the net.
"""

import copy
import dataclasses
import logging

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.program._program import Program
from recursive_tf.convert.validation import _verification
from recursive_tf.convert.values import _checks
from tests.convert.agreement import Node, root
from tests.convert.compare import Comparison
from tests.convert.harness import compare_outcomes, observe
from tests.convert.programs.registry import Call


@dataclasses.dataclass
class Pair:
  """Two values."""

  first: int
  second: int


class Box:
  """Something that can be written."""

  def __init__(self):
    self.value, self.kids = 0, []


def _objects(recursive):
  @recursive
  def f(node):
    return node if not node.kids else f(node.kids[-1])

  return f, []


def _lists(recursive):
  @recursive
  def f(node):
    return [node.v, 1], [node.v, 1]

  return f, []


def _pairs(recursive):
  @recursive
  def f(node):
    return [(kid.v, kid.v * 2) for kid in node.kids]

  return f, []


def _records(recursive):
  @recursive
  def f(node):
    return Pair(node.v, 2) if not node.kids else f(node.kids[0])

  return f, []


def _writes(recursive):
  box = Box()

  @recursive
  def f(node):
    node.seen = node.v
    box.value = box.value + node.v
    for kid in node.kids:
      f(kid)
    return node.v

  return f, [box]


def _appends(recursive):
  seen = []

  @recursive
  def f(node):
    seen.append(node.v)
    for kid in node.kids:
      f(kid)
    return 0

  return f, [seen]


def _prints(recursive):
  @recursive
  def f(node):
    print("at", node.v)
    for kid in node.kids:
      f(kid)
    return node.v

  return f, []


def _tensors(recursive):
  weight = tf.Variable([2.0, 3.0])

  @recursive
  def f(node):
    total = weight * float(1)
    for kid in node.kids:
      total = total + f(kid) * weight
    return total

  return f, [weight]


def _raises(recursive):
  @recursive
  def f(node):
    if node.v == 3:
      raise ValueError("three")
    return sum([f(kid) for kid in node.kids]) + node.v

  return f, []


def _optional(recursive):
  @recursive
  def f(node):
    if node.flag:
      return None if not node.kids else f(node.kids[1])
    return 2.5

  return f, []


def _numbers(recursive):
  @recursive
  def f(node):
    return node.v + sum([f(kid) for kid in node.kids])

  return f, []


def _change(outcome, rule):
  """Returns an outcome with a rule applied to the parts of its result."""

  def walk(value):
    if type(value) in (tuple, list):
      value = type(value)(walk(part) for part in value)
    return rule(value)

  return dataclasses.replace(outcome, result=walk(outcome.result))


def _by_type(kind, rule):
  return lambda outcome: _change(outcome, lambda v: rule(v) if isinstance(v, kind) else v)


def _shared(outcome):
  first, _ = outcome.result
  return dataclasses.replace(outcome, result=(first, first))


def _drop(field, position):
  def fault(outcome):
    rows = list(getattr(outcome, field))
    del rows[position]
    return dataclasses.replace(outcome, **{field: rows})

  return fault


def _reorder(outcome):
  return dataclasses.replace(outcome, prints=[*outcome.prints][::-1])


def _write_elsewhere(outcome):
  writes = [dataclasses.replace(w, value=copy.copy(w.value)) for w in outcome.writes]
  writes[-1] = dataclasses.replace(writes[-1], owner=Box(), slot=("attr", "value"))
  return dataclasses.replace(outcome, writes=writes)


def _write_more(outcome):
  box = next(w.owner for w in outcome.writes if isinstance(w.owner, Box))
  extra = dataclasses.replace(outcome.writes[0], owner=box, slot=("attr", "more"))
  return dataclasses.replace(outcome, writes=[*outcome.writes, extra])


def _write_others(outcome):
  writes = [dataclasses.replace(w, value=_other(w.value)) for w in outcome.writes]
  return dataclasses.replace(outcome, writes=writes)


def _other(value):
  return value[:-1] if isinstance(value, list) else value + 1


FAULTS = {
  # Identity and aliasing.
  "an object is copied": (_objects, _by_type(Node, copy.copy)),
  "two lists become one": (_lists, _shared),
  # Elements lose their parts.
  "pairs lose a part": (_pairs, _by_type(tuple, lambda pair: pair[0])),
  "an element is lost": (_pairs, _by_type(list, lambda rows: rows[:-1])),
  "a record loses a field": (_records, _by_type(Pair, lambda p: Pair(p.first, 9))),
  "a record is another type": (_records, _by_type(Pair, lambda p: (p.first, p.second))),
  # Short-circuit, order, state.
  "a write is dropped": (_writes, _drop("writes", 0)),
  "the last write is dropped": (_writes, _drop("writes", -1)),
  "another value is written": (_writes, _write_others),
  "too much is written": (_writes, _write_more),
  "another object is written": (_writes, _write_elsewhere),
  "an element is not appended": (_appends, _write_others),
  "a line is not printed": (_prints, _drop("prints", 1)),
  "lines are printed in another order": (_prints, _reorder),
  # Numbers, types, shapes.
  "a number is another": (_numbers, _by_type(int, lambda n: n + 1)),
  "an int is a float": (_numbers, _by_type(int, float)),
  "a number is a tensor": (_numbers, _by_type(int, tf.constant)),
  "None is a number": (_optional, lambda o: dataclasses.replace(o, result=0.0)),
  "a tensor has another value": (_tensors, _by_type(tf.Tensor, lambda x: x * 1.01)),
  "a tensor has another shape": (_tensors, _by_type(tf.Tensor, lambda x: x[tf.newaxis])),
  "a tensor has another type": (_tensors, _by_type(tf.Tensor, lambda x: tf.cast(x, tf.float64))),
  "a tensor is an array": (_tensors, _by_type(tf.Tensor, lambda x: x.numpy())),
}


def _sides(build, **options):
  plain, plain_state = build(lambda function: function)
  other, other_state = build(lambda function: rtf.recursive(function, verify=True, **options))
  return (plain, plain_state), (other, other_state)


def _check_caught(build, with_tape=False):
  """Calls a program whose converter is wrong: Python's outcome stands, one report is kept."""
  (plain, plain_state), (other, other_state) = _sides(build)
  for number in range(2):
    a, b = root(), root()
    expected = observe(plain, Call((a,)), plain_state if with_tape else None)
    got = observe(other, Call((b,)), other_state if with_tape else None)
    compare_outcomes(expected, got, f"call {number}")
    comparison = Comparison()
    comparison.check([a, plain_state], [b, other_state], "state")
    comparison.check(expected.result, got.result, "result")
  assert other.stats.num_converted_runs == 0
  assert other.stats.fallbacks == {Reason.VERIFICATION_FAILED: 2}
  assert other.stats.num_verified_runs == 1
  (refusal,) = other.explain().fallbacks
  return refusal


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_caught_in_the_first_call_that_shows_it(name, monkeypatch):
  monkeypatch.setattr(_verification, "_SHRINK_SECONDS", 60.0)
  build, fault = FAULTS[name]
  right = Program.outcome
  monkeypatch.setattr(Program, "outcome", lambda self, *args: fault(right(self, *args)))
  refusal = _check_caught(build)
  assert "The smallest arguments found that show it: node=Node(" in str(refusal)


@pytest.mark.parametrize("name", FAULTS)
def test_without_a_fault_the_same_program_is_not_suspected(name):
  build, _ = FAULTS[name]
  (plain, _), (other, _) = _sides(build, strict=True)
  for _ in range(2):
    Comparison().check(plain(root()), other(root()), "result")
  assert other.stats.num_verified_runs == other.stats.num_converted_runs == 2


def test_wrong_gradients_are_caught_under_a_tape(monkeypatch):
  right = Program.outcome
  stop = _by_type(tf.Tensor, tf.stop_gradient)
  monkeypatch.setattr(Program, "outcome", lambda self, *args: stop(right(self, *args)))
  refusal = _check_caught(_tensors, with_tape=True)
  assert "the gradient of Variable" in str(refusal)


def test_an_exception_that_the_graph_does_not_raise_is_caught(monkeypatch):
  monkeypatch.setattr(_checks, "check", lambda value, ok, message: tf.convert_to_tensor(value))
  refusal = _check_caught(_raises)
  assert "plain Python raises ValueError: three; the graph does not" in str(refusal)


def test_an_assumption_that_is_not_guarded_is_caught(monkeypatch):
  monkeypatch.setattr(Program, "check_guards", lambda self, values: [])
  table = {"scale": 2.0}

  @rtf.recursive(verify=True)
  def f(node):
    return tf.constant(1.0) * table["scale"] + sum([f(kid) for kid in node.kids])

  assert f(root().kids[0]) == 2.0
  table["scale"] = 5.0
  assert f(root().kids[0]) == 5.0
  assert f.stats.fallbacks == {Reason.VERIFICATION_FAILED: 1}


@pytest.mark.parametrize("step", ["feed", "graphs", "outcome", "check_guards"])
def test_errors_of_the_converter_do_not_leave_a_call(step, monkeypatch, caplog):
  def broken(self, *args):
    raise RuntimeError("broken on purpose")

  @rtf.recursive
  def f(node):
    return node.v + sum([f(kid) for kid in node.kids])

  assert f(root()) == 6
  monkeypatch.setattr(Program, step, broken)
  with caplog.at_level(logging.WARNING):
    assert [f(root()), f(root()), f(root())] == [6, 6, 6]
  assert f.stats.fallbacks[Reason.INTERNAL_ERROR] == 3
  report = str(f.explain())
  assert "RuntimeError at" in report and "broken on purpose" in report and "report it" in report
  assert len([r for r in caplog.records if "internal-error" in r.getMessage()]) == 1


def test_errors_of_the_converter_are_seen_under_strict(monkeypatch):
  @rtf.recursive(strict=True)
  def f(node):
    return node.v

  f(root())
  monkeypatch.setattr(Program, "feed", lambda self, *args: {}["missing"])
  with pytest.raises(rtf.ConversionRefused, match="internal-error") as caught:
    f(root())
  assert isinstance(caught.value.__cause__, KeyError)


def test_a_failed_verification_is_an_error_under_strict(monkeypatch):
  build, fault = FAULTS["a number is another"]
  right = Program.outcome
  monkeypatch.setattr(Program, "outcome", lambda self, *args: fault(right(self, *args)))
  f, _ = build(lambda function: rtf.recursive(function, strict=True, verify=True))
  with pytest.raises(rtf.ConversionRefused, match="verification-failed"):
    f(root())


def test_the_report_shows_the_smallest_part_that_differs(monkeypatch):
  monkeypatch.setattr(_verification, "_SHRINK_SECONDS", 60.0)
  right = Program.outcome

  def fault(self, *args):
    found = right(self, *args)
    return dataclasses.replace(found, result=found.result + (found.result % 10 == 3))

  monkeypatch.setattr(Program, "outcome", fault)

  @rtf.recursive(verify=True)
  def f(node):
    return node.v + sum([f(kid) for kid in node.kids])

  tree = Node(5, True, "r", Node(5, True, "a", Node(3, False, "leaf")), Node(70, False, "b"))
  assert f(tree) == 83
  assert "node=Node(v=3, flag=False, name='leaf', kids=[])" in str(f.explain())


def test_mapped_and_packed_runs_are_compared_row_by_row(monkeypatch):
  right = Program.outcome
  wrong = _by_type(tf.Tensor, lambda x: x + 0.5)
  monkeypatch.setattr(Program, "outcome", lambda self, *args: wrong(right(self, *args)))
  forest = [root(), root().kids[0], root()]
  f, _ = _tensors(lambda function: rtf.recursive(function, verify=True))
  plain, _ = _tensors(lambda function: function)
  np.testing.assert_allclose(f.map(forest), tf.stack([plain(tree) for tree in forest]))
  assert f.stats.fallbacks == {Reason.VERIFICATION_FAILED: 1}
  g, _ = _tensors(lambda function: rtf.recursive(function, verify=True))
  with pytest.raises(rtf.ConversionRefused, match="verification-failed"):
    g.pack(forest)
