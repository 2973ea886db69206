"""Gradients of bodies that run Python: exact, or refused."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf

pytestmark = pytest.mark.parametrize("scheduler", ["auto", "batched", "concurrent"])


def square(x):
  return tf.ensure_shape(tf.py_function(lambda t: t * t, [x], tf.float32), [])


def powers(scheduler, function):
  with rtf.SubGraph("f", scheduler=scheduler) as f:
    n, x = f.input(tf.int32), f.input(tf.float32)
    f.output(tf.cond(n <= 0, lambda: x, lambda: f(n - 1, function(x))))
  return f


@pytest.mark.parametrize("depth", [0, 2])
def test_the_gradient_of_a_py_function_is_refused(scheduler, depth):
  f = powers(scheduler, square)
  x = tf.constant(3.0)
  assert f(depth, x).numpy() == 3.0 ** (2**depth)
  refusal = "'f': the gradient of a tf.py_function"
  with tf.GradientTape() as tape, pytest.raises(rtf.UnsupportedGradientError, match=refusal):
    tape.watch(x)
    f(depth, x)
  with pytest.raises(rtf.UnsupportedGradientError, match=refusal):
    tf.function(lambda: tf.gradients(f(depth, x), x))()


def test_a_stopped_py_function_has_none(scheduler):
  f = powers(scheduler, lambda x: x * tf.stop_gradient(square(x)))
  x = tf.constant(2.0)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(2, x)
  assert y.numpy() == 2.0**9 and tape.gradient(y, x).numpy() == 2.0**8


def test_a_py_function_without_results_has_none(scheduler):
  seen = []

  def noted(x):
    tf.py_function(lambda t: seen.append(float(t)), [x], [])
    return x * x

  f = powers(scheduler, noted)
  x = tf.constant(2.0)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(2, x)
  assert tape.gradient(y, x).numpy() == 32.0 and seen == [2.0, 4.0]


def test_python_with_a_gradient_of_its_own(scheduler):
  @tf.custom_gradient
  def cube(x):
    def gradient(dy):
      return dy * tf.ensure_shape(tf.numpy_function(lambda t: 3 * t * t, [x], tf.float32), [])

    return tf.ensure_shape(tf.numpy_function(lambda t: t**3, [x], tf.float32), []), gradient

  if scheduler == "batched":
    pytest.skip("tf.custom_gradient runs under the concurrent scheduler")
  f = powers(scheduler, lambda x: cube(tf.identity(x)))
  x = tf.constant([1.0, 1.25, 1.5])
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f.map([2, 2, 1], x)
  np.testing.assert_allclose(tape.gradient(y, x), [9.0, 9 * 1.25**8, 3 * 1.5**2], rtol=1e-5)
