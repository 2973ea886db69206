"""Cancelling a call that runs: it returns within a second, and nothing is left behind."""

import gc
import threading
import time

import pytest
import tensorflow as tf
from tensorflow.python.eager import cancellation

import recursive_tf as rtf

pytestmark = pytest.mark.usefixtures("scheduler")


def define_endless():
  """Makes 2^n frames, one after the other."""
  with rtf.SubGraph("endless", outputs=tf.TensorSpec([], tf.float32)) as f:
    n, x = f.input(tf.int32), f.input(tf.float32)

    def twice():
      return f(n - 1, f(n - 1, x) + 1)

    f.output(tf.cond(n == 0, lambda: tf.sin(x), twice))
  return f


def define_wide():
  with rtf.SubGraph("wide") as f:
    n, x = f.input(tf.int32), f.input(tf.float32)
    f.output(tf.cond(n == 0, lambda: x, lambda: f(n - 1, x) + f(n - 1, -x)))
  return f


def cancel_after(run, seconds, *args):
  """Cancels run(*args) after some seconds; returns how long it then took to return."""
  concrete = tf.function(run).get_concrete_function(*args)
  manager = cancellation.CancellationManager()
  cancelable = manager.get_cancelable_function(concrete)
  outcome = []

  def call():
    try:
      outcome.append(cancelable(*args))
    except tf.errors.CancelledError as error:
      outcome.append(error)

  thread = threading.Thread(target=call)
  thread.start()
  time.sleep(seconds)
  assert thread.is_alive(), "finished before it could be cancelled"
  start = time.monotonic()
  manager.start_cancel()
  thread.join(30)
  assert not thread.is_alive()
  assert isinstance(outcome[0], tf.errors.CancelledError), outcome
  return time.monotonic() - start


def assert_nothing_left():
  gc.collect()
  for _ in range(100):
    stats = rtf.last_run_stats()
    if (stats.live_runs, stats.live_stash_entries) == (0, 0):
      return
    time.sleep(0.01)
  pytest.fail(f"left behind: {stats}")


@pytest.mark.parametrize("define", [define_endless, define_wide])
def test_a_call_that_is_cancelled_returns_within_a_second(define):
  f = define()
  seconds = cancel_after(lambda n, x: f(n, x), 0.3, tf.constant(40), tf.constant(1.0))
  assert seconds < 1
  assert_nothing_left()
  assert f(3, 1.0) is not None


def test_cancelling_while_residuals_are_kept_frees_them():
  f = define_wide()

  def step(n, x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = f(n, x)
    return tape.gradient(y, x)

  seconds = cancel_after(step, 0.3, tf.constant(40), tf.constant(1.0))
  assert seconds < 1
  assert_nothing_left()
  assert tf.function(step)(tf.constant(3), tf.constant(1.0)).numpy() == 0


def test_cancelling_before_the_call_starts_is_an_error_at_once():
  f = define_wide()
  manager = cancellation.CancellationManager()
  concrete = tf.function(lambda n: f(n, 1.0)).get_concrete_function(tf.constant(3))
  cancelable = manager.get_cancelable_function(concrete)
  manager.start_cancel()
  with pytest.raises(tf.errors.CancelledError):
    cancelable(tf.constant(3))
  assert_nothing_left()
