"""`explain()` lists what graphs rely on, how often that did not hold, and what became of it."""

import gc

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert.heap._guards import Guards


class _Model:
  def __init__(self):
    self.w, self.rate, self.mode = tf.Variable([1.0, 2.0]), 0.5, "sum"


def _step(model, x):
  y = x * model.w * model.rate
  if model.mode == "sum":
    y = tf.reduce_sum(y, axis=0)
  if tf.reduce_sum(y) > 1000:
    open("/dev/null", "w").close()
  return y


def _of(f, what):
  (found,) = [one for one in f.explain().assumptions if one.what == what]
  return found


def test_assumptions_and_what_became_of_them():
  f, model = rtf.function(_step, verify=False), _Model()
  for size in (2, 3, 4):
    f(model, tf.ones([size, 2]))
  assert _of(f, "the shape of argument 'x'").num_breaks == 1
  rate = _of(f, "attribute 'rate' of _Model")
  assert (rate.seen, rate.num_breaks, rate.relaxed) == ("0.5", 0, "")
  assert rate.origin.text == "y = x * model.w * model.rate"
  assert _of(f, "attribute 'mode' of _Model").origin.text == 'if model.mode == "sum":'
  for model.rate in (0.25, 0.125, 2.0):
    f(model, tf.ones([4, 2]))
  rate = _of(f, "attribute 'rate' of _Model")
  assert (rate.num_breaks, rate.relaxed) == (1, "an input of the graph")
  model.mode = "none"
  f(model, tf.ones([4, 2]))
  mode = _of(f, "attribute 'mode' of _Model")
  assert (mode.seen, mode.num_breaks, mode.relaxed) == ("'sum'", 1, "another graph")
  f(model, tf.fill([4, 2], 1000.0))
  (branch,) = [one for one in f.explain().assumptions if "left out" in one.what]
  assert (branch.num_breaks, branch.relaxed) == (1, "plain Python")
  report = f.explain()
  assert report.num_kept == report.counters["num_graphs"] == 4
  numbers = [one.number for one in report.assumptions]
  assert numbers == sorted(set(numbers))
  text = str(report)
  assert f"assumptions: {len(numbers)}, of which 4 did not hold:" in text
  assert f"#{rate.number} test_assumptions.py:" in text
  assert "the shape of argument 'x' ((2, 2)): did not hold once; now (None, 2)" in text


def test_graphs_of_models_that_are_gone_are_not_kept():
  f = rtf.function(_step, verify=False)
  for _ in range(2):
    f(_Model(), tf.ones([2, 2]))
  model = _Model()
  f(model, tf.ones([2, 2]))
  gc.collect()
  report = f.explain()
  assert (report.counters["num_graphs"], report.num_kept) == (3, 1)
  # What is read of all models is one assumption.
  assert len([one for one in report.assumptions if "'rate'" in one.what]) == 1


def test_objects_that_are_read_and_a_run_that_fails():
  class Leaf:
    def __init__(self, x):
      self.x = x

  f = rtf.function(lambda leaf, x: tf.linalg.inv(x) * leaf.x, verify=False)
  f(Leaf(1.0), tf.eye(2))
  f(Leaf(2), tf.eye(2))  # An int where there were floats.
  broken = [one.what for one in f.explain().assumptions if one.num_breaks]
  assert broken == ["what object.x is: type, range, shape"]
  try:
    f(Leaf(1.0), tf.zeros([2, 2]))
  except tf.errors.InvalidArgumentError:
    pass
  assert _of(f, "nothing fails in the run").relaxed == "plain Python, for such calls"


def test_a_graph_for_another_value_is_no_strike_against_the_first():
  f, model = rtf.function(_step, verify=False), _Model()
  for model.mode in ("sum", "sum", "mean", "mean", "sum", "mean", "sum"):
    f(model, tf.ones([2, 2]))
  mode = _of(f, "attribute 'mode' of _Model")
  assert (mode.seen, mode.num_breaks, mode.relaxed) == ("'sum'", 2, "another graph")
  assert f.explain().num_kept == f.stats.num_graphs == 2


def test_graphs_of_a_number_that_is_an_input_by_now_are_not_kept():
  f, model = rtf.function(lambda model, x: model.w * x * model.rate, verify=False), _Model()
  x = tf.ones([2])
  for model.rate in (0.5, 0.25, 0.5, 2, 0.5, 3, 0.125):  # An int has a graph of its own.
    assert f(model, x).numpy().tolist() == [model.rate, 2.0 * model.rate]
  assert (f.stats.num_graphs, f.explain().num_kept) == (3, 2)
  assert f.stats.num_fallback_runs == 0


def _saves(x):
  if tf.reduce_sum(x) > 0:
    open("/dev/null", "w").close()
  return x * 2.0


def test_what_breaks_more_often_than_not_is_dropped_for_good():
  f, taken, other = rtf.function(_saves, verify=False), tf.ones([2]), -tf.ones([2])
  for _ in range(16):  # Never eight of them one after the other.
    for x in (taken, taken, other):
      assert f(x).numpy().tolist() == (x * 2.0).numpy().tolist()
  counts = f.stats.num_converted_runs, f.stats.num_fallback_runs
  for x in (other, other, other):
    f(x)
  # Two conversions: the second of the calls that take the branch is tried with it again.
  assert f.stats.num_converted_runs == counts[0] < 16
  assert f.stats.num_fallback_runs == counts[1] + 3
  assert f.explain().num_kept == 0
  assert "is left out" in str(f.explain())


def test_what_breaks_often_but_less_than_it_holds_is_kept():
  f, taken, other = rtf.function(_saves, verify=False), tf.ones([2]), -tf.ones([2])
  for _ in range(40):
    for x in (taken, other, other):
      assert f(x).numpy().tolist() == (x * 2.0).numpy().tolist()
  assert f.stats.num_converted_runs >= 2 * 39
  assert f.stats.num_fallback_runs <= 41


def test_a_failing_run_every_second_call_is_dropped_for_good():
  def f(x):
    try:
      return tf.linalg.inv(x)
    except tf.errors.InvalidArgumentError:
      return -x

  ours = rtf.function(f, verify=False)
  for i in range(60):
    x = tf.eye(2) * float(i % 3 == 0)
    assert ours(x).numpy().tolist() == f(x).numpy().tolist()
  assert ours.explain().num_kept == 0


def _in_turns(num_turns, marked):
  def f(x):
    for i in range(num_turns):
      if tf.reduce_sum(x) > 1000.0 * (i + 1):
        marked.append(i)
        open("/dev/null", "w").close()
      elif tf.reduce_sum(x) < -1000.0 * (i + 1):
        x = x + 1.0
      x = x * 1.5
    return x

  return f


@pytest.mark.parametrize("num_turns", [2, 4, 5, 12])
def test_a_branch_is_left_out_in_all_turns_of_a_loop(num_turns):
  plain_turns, turns = [], []
  plain, f = (
    _in_turns(num_turns, plain_turns),
    rtf.function(_in_turns(num_turns, turns), verify=False),
  )
  values = [1.0, 2.0, -3.0, 700.0, 1.0, -900.0, 1e6, 1.0, 400.0, 5.0]
  for value in values:
    x = tf.fill([2], value)
    assert f(x).numpy().tolist() == plain(x).numpy().tolist()
    assert turns == plain_turns
  num_plain = f.stats.num_fallback_runs
  assert f.stats.num_converted_runs == len(values) - num_plain and 0 < num_plain <= 5
  assert f.stats.num_conversions <= 4
  assert str(f.explain()).count("where the other branch is left out") <= 2


def test_a_loop_whose_turns_have_branches_that_fit_no_graph_together():
  def f(x, states):
    found = states
    for i in range(6):
      if tf.reduce_sum(x) > 10.0 * (i + 1):
        found = [*found, x]
      x = x * 1.5
    return found[-1] * 1.0

  ours = rtf.function(f, verify=False)
  for value in (1.0, 1.0, 30.0, 1.0, 1.0):
    x = tf.fill([2], value)
    assert ours(x, [x + 1.0]).numpy().tolist() == f(x, [x + 1.0]).numpy().tolist()


def test_a_flag_that_goes_to_and_fro_costs_one_comparison_of_all_that_is_relied_on(monkeypatch):
  class Net:
    def __init__(self):
      self.is_training, self.rate, self.name = True, 0.5, "net"

  net, weight = Net(), tf.Variable(1.0)

  @rtf.function(strict=True, verify=False)
  def step(x):
    if net.is_training:
      weight.assign_sub(net.rate * x)
      return weight * x
    return weight + x if net.name == "net" else weight - x

  def plain(x, value):
    if net.is_training:
      value -= net.rate * x
      return value * x, value
    return value + x if net.name == "net" else value - x, value

  num_compared, changed = 0, Guards.changed

  def counted(self):
    nonlocal num_compared
    num_compared += 1
    return changed(self)

  monkeypatch.setattr(Guards, "changed", counted)
  value = 1.0
  for turn in range(24):
    net.is_training = turn % 4 < 2
    # What else changes meanwhile is seen: another number, another string.
    net.rate = 0.25 if turn >= 12 else 0.5
    net.name = "other" if turn >= 16 else "net"
    if turn in (8, 12):
      assert num_compared <= (8 * 3 if turn == 8 else 4)
    if turn == 8:
      num_compared = 0
    expected, value = plain(2.0, value)
    assert float(step(tf.constant(2.0))) == expected
  assert step.stats.num_fallback_runs == 0
