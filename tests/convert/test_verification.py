"""When runs are compared with plain Python, and that comparing changes nothing."""

import io
import threading

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf._config import config
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.program._stats import Stats
from recursive_tf.convert.validation._held_output import HeldOutput
from recursive_tf.convert.validation._state import Snapshot
from recursive_tf.convert.validation._verification import Schedule
from tests.convert.agreement import Node, root


def count_nodes(node):
  return 1 + sum([count_nodes_converted(kid) for kid in node.kids])


count_nodes_converted = rtf.recursive(count_nodes, verify=True, strict=True)


def test_the_first_run_of_each_graph_is_due_and_then_powers_of_two_as_time_allows():
  stats = Stats()
  schedule = Schedule(None, stats)
  due = []
  for number in range(1, 40):
    stats.total_seconds = float(number)
    if schedule.is_due("graph"):
      due.append(number)
      schedule.note("graph", 0.06)  # 2% of three seconds.
  assert due == [1, 8, 16, 32]
  assert schedule.is_due("other")
  assert stats.num_verified_runs == 4


def test_a_schedule_forgets_graphs_that_came_long_ago():
  schedule = Schedule(None, Stats())
  for graph in range(5_000):
    assert schedule.is_due(graph)
    schedule.note(graph, 0.0)
  assert len(schedule._num_runs) <= 1_000
  assert len(schedule._last_seconds) <= 1_000
  schedule.failed(0)  # It is forgotten: its next run is its first.
  assert schedule.is_due(0)
  schedule.is_due(4_999), schedule.is_due(4_999)
  assert schedule._num_runs[4_999] == 3


@pytest.mark.parametrize(("verify", "expected"), [(True, 5), (False, 0)])
def test_all_runs_are_compared_or_none(verify, expected):
  @rtf.recursive(verify=verify)
  def f(node):
    return node.v

  assert [f(root()) for _ in range(5)] == [1] * 5
  assert (f.stats.num_verified_runs, f.stats.num_converted_runs) == (expected, 5)


def test_a_process_says_by_its_environment_what_is_compared(monkeypatch):
  monkeypatch.setenv("RECURSIVE_TF_VERIFY", "never")
  config.cache_clear()
  try:
    f = rtf.recursive(count_nodes)
  finally:
    monkeypatch.undo()
    config.cache_clear()
  f(root())
  assert f.stats.num_verified_runs == 0


def test_effects_of_a_compared_run_happen_once(capsys):
  seen, box = [], Node(0, True, "box")

  @rtf.recursive(verify=True, strict=True)
  def f(node):
    seen.append(node.name)
    box.v = box.v + node.v
    print(node.name, end=" ")
    for kid in node.kids:
      f(kid)
    return box.v

  assert f(root()) == 6
  assert (seen, box.v, capsys.readouterr().out) == (["r", "a", "b"], 6, "r a b ")
  assert f.stats.num_verified_runs == 1


def test_python_that_is_not_deep_enough_leaves_nothing_behind():
  seen = []

  @rtf.recursive(verify=True, strict=True)
  def f(node):
    seen.append(node.v)
    if not node.kids:
      return 0
    return 1 + f(node.kids[0])

  chain = Node(0, True, "end")
  for number in range(1, 3_000):
    chain = Node(number, True, "link", chain)
  assert f(chain) == 2_999
  assert seen == list(range(2_999, -1, -1))
  assert "too deep for plain Python" in str(f.explain())


def test_python_that_is_not_deep_enough_is_not_run_again(monkeypatch):
  monkeypatch.setattr("recursive_tf.convert.validation._state._MAX_OBJECTS", 50)
  seen = []

  @rtf.recursive(verify=True)
  def f(node):
    seen.append(node.v)
    if not node.kids:
      return 0
    return 1 + f(node.kids[0])

  chain = Node(0, True, "end")
  for number in range(1, 3_000):
    chain = Node(number, True, "link", chain)
  with pytest.raises(RecursionError):
    f(chain)
  assert seen.count(2_999) == 1


def test_exceptions_of_a_compared_run_are_the_user_s():
  @rtf.recursive(verify=True)
  def f(node):
    if node.v == 3:
      raise KeyError(node.name)
    return node.v + sum([f(kid) for kid in node.kids])

  with pytest.raises(KeyError, match="b"):
    f(root())
  assert Reason.VERIFICATION_FAILED not in f.stats.fallbacks


def test_random_values_are_compared_by_shape_and_this_is_said():
  @rtf.recursive(verify=True, strict=True)
  def f(node):
    noise = tf.random.uniform([2])
    for kid in node.kids:
      noise = noise + f(kid)
    return noise

  assert f(root()).shape == [2]
  assert "random values are compared by type and shape alone" in str(f.explain())


def test_functions_that_a_compared_one_calls_are_plain_meanwhile():
  assert count_nodes_converted(root()) == 3
  before = count_nodes_converted.stats.num_converted_runs

  @rtf.recursive(verify=True)
  def f(node):
    return count_nodes_converted(node)

  assert f(root()) == 3
  assert count_nodes_converted.stats.num_converted_runs == before


@pytest.mark.parametrize("is_mapped", [False, True])
def test_the_user_s_tape_sees_right_gradients(is_mapped):
  weight = tf.Variable([0.5, 2.0])
  x = tf.constant([1.0, -1.0])

  def plain(node, x):
    total = x * weight
    for kid in node.kids:
      total = total + f(kid, x * 2.0)
    return total

  f = rtf.recursive(plain, verify=True, strict=True)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(f.map([root(), root()], tf.stack([x, x])) if is_mapped else f(root(), x))
  found = tape.gradient(y, [weight, x])
  factor = 2.0 if is_mapped else 1.0
  np.testing.assert_allclose(found[0], factor * 5.0 * x.numpy())
  np.testing.assert_allclose(found[1], factor * 5.0 * weight.numpy())
  assert f.stats.num_verified_runs == 1


def test_packing_compares_the_trees_it_is_given():
  weight = tf.Variable([0.5, 2.0])

  @rtf.recursive(strict=True)
  def f(node):
    total = weight * float(1)
    for kid in node.kids:
      total = total + tf.tanh(f(kid))
    return total

  f.pack([root(), root()])
  assert f.stats.num_verified_runs == 1


def test_output_is_held_back_of_one_thread_only():
  shown = io.StringIO()

  with pytest.MonkeyPatch.context() as patch:
    patch.setattr("sys.stdout", shown)
    with HeldOutput() as held:
      print("own")
      thread = threading.Thread(target=print, args=("other",))
      thread.start()
      thread.join()
      assert (held.text, shown.getvalue()) == ("own\n", "other\n")
  assert shown.getvalue() == "other\nown\n"


def changes(snapshot):
  return list(snapshot.compared({}))


def test_a_snapshot_puts_back_what_changed():
  node, table, array = root(), {"a": [1]}, np.zeros(2)
  snapshot = Snapshot([("node", node), ("table", table), ("array", array)])
  first = node.kids[0]
  node.kids.pop()
  node.extra, first.v = 1, 7
  del first.name
  table["a"].append(2)
  table["b"] = 3
  array += 1
  assert changes(snapshot)
  snapshot.restore()
  assert not changes(snapshot)
  assert (len(node.kids), first.v, first.name, hasattr(node, "extra")) == (2, 2, "a", False)
  assert table == {"a": [1]} and array.tolist() == [0, 0]


def test_a_snapshot_finds_what_a_function_can_reach():
  table = {"a": 1}

  class Model:
    """A class with state."""

    total = 0

    def step(self):
      return table

  model = Model()

  def f(node, seen=[]):  # noqa: B006 - the default is what is looked for.
    return model.step(), COUNTERS, seen

  snapshot = Snapshot([("f", f)])
  for change in (
    lambda: table.update(a=2),
    lambda: setattr(Model, "total", 1),
    lambda: COUNTERS.append(1),
    lambda: f.__defaults__[0].append(1),
    lambda: setattr(model, "new", 1),
    lambda: setattr(f, "calls", 1),
  ):
    change()
    assert changes(snapshot)
    snapshot.restore()
    assert not changes(snapshot)


COUNTERS: list[int] = []
