"""Cancelling a call that runs: it returns soon, and nothing is left behind.

Soon is a matter of processor time: the machine may be busy with other things.
"""

import threading
import time
from unittest import mock

import pytest
import tensorflow as tf
from tensorflow.python.eager import cancellation

import recursive_tf as rtf
from tests.live_runs import alive

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
  """Cancels run(*args) when it has run for some seconds.

  Returns:
    The processor seconds, of all threads, until it was back.
  """
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
  assert alive((1, mock.ANY))[0] == 1, outcome
  time.sleep(seconds)
  assert thread.is_alive(), "finished before it could be cancelled"
  start = time.process_time()
  manager.start_cancel()
  thread.join(120)
  assert not thread.is_alive()
  assert isinstance(outcome[0], tf.errors.CancelledError), outcome
  return time.process_time() - start


@pytest.mark.parametrize("define", [define_endless, define_wide])
def test_a_call_that_is_cancelled_returns_soon(define):
  f = define()
  seconds = cancel_after(lambda n, x: f(n, x), 0.3, tf.constant(40), tf.constant(1.0))
  assert seconds < 2
  assert alive() == (0, 0)
  assert f(3, 1.0) is not None


def test_cancelling_while_residuals_are_kept_frees_them():
  f = define_wide()

  def step(n, x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = f(n, x)
    return tape.gradient(y, x)

  seconds = cancel_after(step, 0.3, tf.constant(40), tf.constant(1.0))
  assert seconds < 2
  assert alive() == (0, 0)
  assert tf.function(step)(tf.constant(3), tf.constant(1.0)).numpy() == 0


def test_cancelling_before_the_call_starts_is_an_error_at_once():
  f = define_wide()
  manager = cancellation.CancellationManager()
  concrete = tf.function(lambda n: f(n, 1.0)).get_concrete_function(tf.constant(3))
  cancelable = manager.get_cancelable_function(concrete)
  manager.start_cancel()
  with pytest.raises(tf.errors.CancelledError):
    cancelable(tf.constant(3))
  assert alive() == (0, 0)
