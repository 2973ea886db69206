"""RECURSIVE_TF_OPTIMIZATIONS turns off what it says, and results stay."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf import _config

FACTOR = {"value": 0.5}


@pytest.fixture
def optimizations(monkeypatch):
  def choose(names):
    monkeypatch.setenv("RECURSIVE_TF_OPTIMIZATIONS", names)
    _config.config.cache_clear()

  yield choose
  monkeypatch.undo()
  _config.config.cache_clear()


def doubled_three_times(x):
  for turn in range(3):
    x = 2 * x + tf.cast(turn, tf.float32)
  return x


def scaled(x):
  return x * FACTOR["value"]


def types_of_ops(function):
  (program,) = function._programs
  (graph,) = program.graphs().values()
  return [op.type for op in graph.function.graph.get_operations()]


@pytest.mark.parametrize(("names", "num_loops"), [("none", 1), ("unroll", 0), ("parallel", 1)])
def test_loops_over_ranges_are_unrolled_only_if_wanted(optimizations, names, num_loops):
  optimizations(names)
  function = rtf.function(doubled_three_times, strict=True)
  assert function(tf.ones([2])).numpy().tolist() == [12.0, 12.0]
  found = types_of_ops(function)
  assert sum(each in ("While", "StatelessWhile") for each in found) == num_loops


@pytest.mark.parametrize(("names", "num_graphs"), [("unroll,parallel", 1), ("specialize", 2)])
def test_shapes_are_constants_only_if_wanted(optimizations, names, num_graphs):
  optimizations(names)
  function = rtf.function(scaled, strict=True)
  for size in (2, 3):
    assert function(tf.ones([size])).shape == [size]
  assert function.stats.num_graphs == num_graphs


@pytest.mark.parametrize(("names", "num_graphs"), [("none", 1), ("specialize", 2)])
def test_numbers_are_constants_only_if_wanted(optimizations, names, num_graphs, monkeypatch):
  optimizations(names)
  function = rtf.function(scaled, strict=True)
  for factor in (0.5, 0.25):
    monkeypatch.setitem(FACTOR, "value", factor)
    assert function(tf.ones([2])).numpy().tolist() == [factor, factor]
  assert function.stats.num_graphs == num_graphs


def test_without_parallel_ops_the_single_threaded_executor_runs(optimizations, monkeypatch):
  asked = []
  known = tf.experimental.function_executor_type
  monkeypatch.setattr(
    tf.experimental, "function_executor_type", lambda name: asked.append(name) or known(name)
  )
  optimizations("unroll,specialize,parallel")
  rtf.function(scaled, strict=True)(tf.ones([2]))
  assert not asked
  optimizations("unroll,specialize")
  rtf.function(scaled, strict=True)(tf.ones([2]))
  assert set(asked) == {"SINGLE_THREADED_EXECUTOR"}


def test_all_names_are_on_and_others_are_refused():
  assert _config.read_config({}).optimizations == set(_config.OPTIMIZATIONS)
  with pytest.raises(rtf.RecursiveTFError, match="unroll, specialize, parallel"):
    _config.read_config({"RECURSIVE_TF_OPTIMIZATIONS": "unrol"})


def mean_of_positives(x):
  y = tf.boolean_mask(x, x > 0)
  if y.shape[0] == 0:
    return tf.constant(-1.0)
  if y.shape[0] == 1:
    return y[0]
  return tf.reduce_mean(y)


@pytest.mark.parametrize("names", ["none", "unroll,specialize"])
def test_branches_in_branches_wait_for_no_thread(optimizations, names):
  optimizations(names)
  function = rtf.function(mean_of_positives, strict=True)
  for x in ([1.0, 3.0], [-1.0, 3.0], [-1.0, -1.0]):
    assert float(function(tf.constant(x))) == float(mean_of_positives(tf.constant(x)))
