"""One SubGraph called from many Python threads at once."""

import threading

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.autodiff.vjp import normal
from tests.live_runs import alive
from tests.reference import as_subgraph

pytestmark = pytest.mark.usefixtures("scheduler")

NUM_THREADS, NUM_CALLS = 8, 1000


def run_in_threads(work):
  """Calls work(i) for i < NUM_CALLS from NUM_THREADS threads that start together."""
  errors, results = [], [None] * NUM_CALLS
  barrier = threading.Barrier(NUM_THREADS)

  def loop(thread):
    try:
      barrier.wait()
      for i in range(thread, NUM_CALLS, NUM_THREADS):
        results[i] = work(i)
    except BaseException as error:
      errors.append(error)

  threads = [threading.Thread(target=loop, args=(t,)) for t in range(NUM_THREADS)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  if errors:
    raise errors[0]
  return results


@pytest.fixture(scope="module")
def weight():
  return tf.Variable(0.5 * normal(3, 3))


@pytest.fixture
def tree(weight, scheduler):
  def body(f, n, x):
    return tf.cond(
      n == 0, lambda: x, lambda: tf.tanh((f(n - 1, x + 0.1) + f(n - 1, -x)) @ weight) + x
    )

  return as_subgraph(body, [tf.TensorSpec([], tf.int32), tf.TensorSpec([1, 3], tf.float64)])


def argument(i):
  return tf.constant(i % 4), tf.constant([[i / NUM_CALLS, 0.5, -0.5]], tf.float64)


def oracle(n, x, w):
  if n == 0:
    return x
  return np.tanh((oracle(n - 1, x + 0.1, w) + oracle(n - 1, -x, w)) @ w) + x


def test_results_are_those_of_one_thread(tree, weight, mode):
  call = mode(lambda n, x: tree(n, x))
  results = run_in_threads(lambda i: call(*argument(i)).numpy())
  for i in range(NUM_CALLS):
    n, x = argument(i)
    np.testing.assert_allclose(results[i], oracle(int(n), x.numpy(), weight.numpy()), rtol=1e-12)


def test_gradients_are_those_of_one_thread(tree, weight, mode):
  @mode
  def step(n, x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = tf.reduce_sum(tree(n, x))
    return tape.gradient(y, [x, weight])

  expected = [[g.numpy() for g in step(*argument(i))] for i in range(0, NUM_CALLS, 50)]
  results = run_in_threads(lambda i: [g.numpy() for g in step(*argument(i))])
  for i, gradients in zip(range(0, NUM_CALLS, 50), expected, strict=True):
    for a, e in zip(results[i], gradients, strict=True):
      np.testing.assert_allclose(a, e, rtol=1e-9, atol=1e-12)
  assert alive() == (0, 0)


def test_threads_may_define_their_own_subgraphs_at_once():
  def work(i):
    if i % 25:  # Tracing is slow; 40 of them will do.
      return None
    with rtf.SubGraph("own") as f:
      n = f.input(tf.int32)
      f.output(tf.cond(n == 0, lambda: i, lambda: 1 + f(n - 1)))
    return f(5).numpy()

  results = run_in_threads(work)
  assert results[::25] == [i + 5 for i in range(0, NUM_CALLS, 25)]


def test_the_first_call_may_come_from_all_threads_at_once():
  @rtf.subgraph
  def countdown(n):
    return tf.cond(n == 0, lambda: 0, lambda: 1 + countdown(n - 1))

  results = run_in_threads(lambda i: countdown(tf.constant(i % 7)).numpy())
  assert results == [i % 7 for i in range(NUM_CALLS)]


def test_the_first_gradient_may_come_from_all_threads_at_once():
  w = tf.Variable(2.0)
  f = as_subgraph(
    lambda f, n, x: tf.cond(n == 0, lambda: x, lambda: w * f(n - 1, x)),
    [tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)],
  )

  def work(i):
    if i >= 200:
      return None
    with tf.GradientTape() as tape:
      y = f(i % 5, 3.0)
    gradient = tape.gradient(y, w)
    return None if gradient is None else float(gradient)

  for i, result in enumerate(run_in_threads(work)[:200]):
    n = i % 5
    assert result == pytest.approx(3.0 * n * 2.0 ** (n - 1) if n else 0.0)


def test_an_error_in_one_thread_leaves_the_others_alone():
  with rtf.SubGraph("checked") as f:
    n = f.input(tf.int32)

    def leaf():
      return tf.gather([10, 20], n + 1)

    f.output(tf.cond(n <= 0, leaf, lambda: f(n - 2)))
  f(-1)  # Index 0 is fine.
  with pytest.raises(tf.errors.InvalidArgumentError):
    f(-5)

  def mixed(i):
    try:
      return int(f(-5 if i % 10 == 0 else 4).numpy())
    except tf.errors.InvalidArgumentError:
      return "failed"

  results = run_in_threads(mixed)
  assert results == ["failed" if i % 10 == 0 else 20 for i in range(NUM_CALLS)]
