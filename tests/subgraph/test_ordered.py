"""Calls whose ops run in order on the thread that calls: which do so, and what they give."""

import dataclasses
import threading

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf import _tf_internals as tfi
from recursive_tf.subgraph import _ordered
from recursive_tf.subgraph._ordered import may_run_in_order

NUMBER = tf.TensorSpec([], tf.int32)


def powers(weight, **options):
  """A SubGraph of weight ** n."""
  with rtf.SubGraph("powers", **options) as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n <= 0, lambda: 1.0, lambda: weight * f(n - 1)))
  return f


F = powers(tf.constant(2.0))


def counted_by_python(n):
  with rtf.SubGraph("counted") as f:
    m = f.input(tf.int32)
    one = tf.ensure_shape(tf.numpy_function(lambda m: np.int32(1), [m], tf.int32), [])
    f.output(tf.cond(m <= 0, lambda: 0, lambda: one + f(m - 1)))
  return f(n)


def trained(n):
  weight = tf.ones([])
  with tf.GradientTape() as tape:
    tape.watch(weight)
    result = powers(weight)(n)
  return tape.gradient(result, weight)


def many_ops(n):
  for _ in range(130):
    n = n + 1
  return F(n - 130)


CASES = {
  "one recursion": (lambda n: F(n), 8.0, True, True),
  "by rows": (lambda n: tf.reduce_sum(F.map(tf.range(n))), 7.0, True, True),
  "each needs the one before": (lambda n: F(tf.cast(F(n), tf.int32)), 256.0, True, True),
  "and its gradient": (trained, 3.0, True, True),
  "in a branch": (lambda n: tf.cond(n > 2, lambda: F(n), lambda: F(n + 1)), 8.0, True, True),
  "two at a time": (lambda n: F(n) + F(n + 1), 24.0, False, True),
  "many ops": (many_ops, 8.0, False, True),
  "random numbers": (lambda n: F(n) + 0.0 * tf.random.uniform([]), 8.0, False, False),
  "Python": (lambda n: tf.numpy_function(lambda n: n, [n], tf.int32), 3, False, False),
  "stateless Python": (
    lambda n: tf.numpy_function(lambda n: n, [n], tf.int32, stateful=False),
    3,
    False,
    False,
  ),
  "Python in a body": (counted_by_python, 3, False, False),
}


@pytest.mark.parametrize("case", CASES)
def test_what_runs_in_order_loses_nothing_by_it(case, monkeypatch):
  function, expected, with_two, with_one = CASES[case]
  graph = tf.function(function, [NUMBER], autograph=False).get_concrete_function().graph
  for is_one, is_ordered in ((False, with_two), (True, with_one)):
    monkeypatch.setattr(_ordered, "_has_one_thread", lambda is_one=is_one: is_one)
    assert may_run_in_order(graph) is is_ordered
    assert rtf.prepare(function, NUMBER)(3).numpy() == expected


@pytest.mark.parametrize("scheduler", ["batched", "concurrent"])
def test_errors_say_the_same_in_order(scheduler):
  shallow = powers(tf.constant(2.0), max_depth=3, scheduler=scheduler)

  def failing(n):
    return shallow(n) + 1.0

  messages = []
  concrete = tf.function(failing, [NUMBER]).get_concrete_function()
  for is_ordered in (False, True):
    with pytest.raises(tf.errors.InvalidArgumentError, match="deeper than max_depth=3") as error:
      tfi.call_flat(concrete, [tf.constant(9)], concrete.captured_inputs, is_ordered)
    messages.append(str(error.value))
  assert messages[0] == messages[1]
  assert "in failing" in messages[1]
  result = tfi.call_flat(concrete, [tf.constant(2)], concrete.captured_inputs, True)
  assert float(result) == 5.0  # After an error, too.


def test_no_other_thread_is_asked():
  # The concurrent scheduler has its frames run by other threads.
  f = powers(tf.constant(2.0), scheduler="batched")
  assert rtf.prepare(f, NUMBER)._graph.is_ordered
  threads = set()

  def note():
    threads.add(threading.get_ident())
    return np.float32(0.0)

  # A function of Python tells who calls it; for its sake a graph would not be run in order.
  call = rtf.prepare(lambda n: f(n) + tf.numpy_function(note, [], tf.float32), NUMBER)
  n = tf.constant(3)
  for is_ordered in (True, False, True):
    threads.clear()
    call._graph = dataclasses.replace(call._graph, is_ordered=is_ordered)
    for _ in range(20):
      call(n)
    assert (threading.get_ident() in threads) is is_ordered
    assert not is_ordered or len(threads) == 1


def test_threads_do_not_share_what_a_run_works_in():
  call = rtf.prepare(F, NUMBER)
  found = {}

  def run(k):
    found[k] = {float(call(tf.constant(k))) for _ in range(100)}

  threads = [threading.Thread(target=run, args=(k,)) for k in range(6)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert found == {k: {2.0**k} for k in range(6)}


def test_results_stay_as_they_were():
  count = tf.Variable([1.0, 2.0])
  constant = tf.constant([5.0, 6.0])

  def run(x):
    before = count.read_value()
    count.assign_add(x)
    return x, before, constant + 0.0, tf.nn.relu(constant), count.read_value(), x + before

  call = rtf.prepare(run, tf.TensorSpec([2]))
  assert call._graph.is_ordered
  kept = call(tf.constant([10.0, 10.0]))
  first = [value.numpy().copy() for value in kept]
  second = call(tf.constant([20.0, 20.0]))
  assert [value.numpy().tolist() for value in kept] == [value.tolist() for value in first]
  assert [value.numpy().tolist() for value in second[:3]] == [[20, 20], [11, 12], [5, 6]]
  assert second[4].numpy().tolist() == [31, 32] == count.numpy().tolist()


def test_random_numbers_go_on_from_one_call_to_the_next():
  tf.random.set_seed(7)
  draw = tf.function(lambda n: tf.random.uniform([], seed=3) + 0.0 * F(n), [NUMBER])
  call = rtf.prepare(draw, NUMBER)
  n = tf.constant(1)
  assert len({float(value) for value in (draw(n), call(n), draw(n), call(n))}) == 4


def test_another_executor_that_is_asked_for_is_taken():
  call = rtf.prepare(F, NUMBER)
  call(3)
  with tf.experimental.function_executor_type("NO_SUCH_EXECUTOR"):
    with pytest.raises(tf.errors.NotFoundError, match="NO_SUCH_EXECUTOR"):
      call(3)
  assert float(call(3)) == 8.0


def test_nothing_and_handles_are_returned():
  count = tf.Variable(0)

  @tf.function(input_signature=[NUMBER])
  def add(n):
    count.assign_add(n)

  assert rtf.prepare(add, NUMBER)(3) is None
  assert int(count) == 3
  handle = rtf.prepare(lambda n: count.handle, NUMBER)(1)
  assert tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.int32).numpy() == 3


def test_a_function_that_was_loaded_is_prepared_too(tmp_path):
  module = tf.Module()
  module.weight = tf.Variable(2.0)
  module.call = tf.function(lambda n: powers(module.weight)(n), [NUMBER])
  tf.saved_model.save(module, str(tmp_path))
  loaded = tf.saved_model.load(str(tmp_path))
  call = rtf.prepare(loaded.call, NUMBER)
  assert float(call(3)) == 8.0
  loaded.weight.assign(3.0)
  assert float(call(3)) == 27.0
