"""The depth limit: exact, named in the error, and reached in bounded time and memory."""

import resource
import time

import pytest
import tensorflow as tf

import recursive_tf as rtf

pytestmark = pytest.mark.usefixtures("scheduler")

CHAIN_DEPTH = 100_000


def define_chain(name="chain", **options):
  """A frame at n has n frames below it, so calling it with n is n + 1 frames deep."""
  with rtf.SubGraph(name, **options) as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n == 0, lambda: 0, lambda: 1 + f(n - 1)))
  return f


@pytest.mark.parametrize("limit", [1, 2, 10, 1000])
def test_a_recursion_as_deep_as_the_limit_runs_and_one_deeper_does_not(limit, mode):
  f = define_chain(max_depth=limit)
  run = mode(lambda n: f(n))
  assert run(tf.constant(limit - 1)).numpy() == limit - 1
  with pytest.raises(tf.errors.InvalidArgumentError):
    run(tf.constant(limit))
  assert run(tf.constant(limit - 1)).numpy() == limit - 1


def test_the_error_names_subgraph_limit_and_how_to_raise_it(mode):
  f = define_chain("tower", max_depth=10)
  with pytest.raises(tf.errors.InvalidArgumentError) as error:
    mode(lambda n: f(n))(tf.constant(100))
  message = str(error.value)
  assert "SubGraph 'tower" in message
  assert "deeper than max_depth=10 frames" in message
  assert "max_depth=N" in message
  assert "base case" in message


def test_rows_of_a_map_count_from_the_same_depth(mode):
  f = define_chain(max_depth=5)
  run = mode(lambda ns: f.map(ns))
  assert run(tf.constant([4, 4])).numpy().tolist() == [4, 4]
  with pytest.raises(tf.errors.InvalidArgumentError):
    run(tf.constant([4, 5]))


def test_the_default_limit_is_100_000_frames():
  f = define_chain()
  assert f.max_depth == CHAIN_DEPTH
  assert f(CHAIN_DEPTH - 1).numpy() == CHAIN_DEPTH - 1
  assert rtf.last_run_stats().max_depth == CHAIN_DEPTH


def test_no_base_case_for_this_input_ends_in_bounded_time_and_memory():
  f = define_chain("downwards")
  f(10)
  before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
  start = time.process_time()
  with pytest.raises(tf.errors.InvalidArgumentError, match="downwards"):
    f(-1)  # Never meets 0.
  seconds = time.process_time() - start
  grown_mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
  assert seconds < 60
  assert grown_mib < 2048
  assert f(10).numpy() == 10


def test_a_wide_recursion_without_base_case_ends_in_bounded_time_and_memory():
  with rtf.SubGraph("explosion", max_depth=50_000) as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n == 0, lambda: 0, lambda: f(n - 1) + f(n - 2)))
  start = time.process_time()
  with pytest.raises(tf.errors.InvalidArgumentError, match="explosion"):
    f(-1)
  assert time.process_time() - start < 60
  assert rtf.last_run_stats().frames < 1_000_000


def test_recursion_deeper_than_pythons_own_limit_leaves_python_alone():
  f = define_chain()
  assert f(5000).numpy() == 5000


def test_the_limit_comes_from_the_subgraph_that_is_called_first():
  inner = rtf.SubGraph("inner", outputs=tf.TensorSpec([], tf.int32), max_depth=3)
  with inner:
    n = inner.input(tf.int32)
    inner.output(tf.cond(n == 0, lambda: 0, lambda: 1 + inner(n - 1)))
  with rtf.SubGraph("outer", max_depth=50) as outer:
    m = outer.input(tf.int32)
    outer.output(inner(m))
  assert outer(20).numpy() == 20
  with pytest.raises(tf.errors.InvalidArgumentError, match="max_depth=3 frames"):
    inner(20)
