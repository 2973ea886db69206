"""Functions of tf.custom_gradient that use variables, in bodies."""

import pytest
import tensorflow as tf

import recursive_tf as rtf

SCHEDULERS = ["auto", "concurrent"]


def scaled(weight, reads_first):
  """Multiplies by `weight`, with a gradient function of its own."""

  @tf.custom_gradient
  def function(x):
    value = weight.read_value() if reads_first else weight

    def gradient(dy, variables):
      return dy * value, [dy * x for _ in variables]

    return weight * x, gradient

  return function


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("reads_first", [False, True])
def test_variables_of_custom_gradients_have_gradients(scheduler, reads_first):
  weight = tf.Variable(3.0)
  with rtf.SubGraph("power", scheduler=scheduler) as f:
    n, x = f.input(tf.int32), f.input(tf.float32)
    f.output(scaled(weight, reads_first)(tf.cond(n <= 1, lambda: x, lambda: f(n - 1, x))))
  x = tf.constant(2.0)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(2, x)
  assert [g.numpy() for g in tape.gradient(y, [x, weight])] == [9.0, 12.0]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_so_they_have_in_branches_if_read_beforehand(scheduler):
  weight = tf.Variable(3.0)
  with rtf.SubGraph("power", scheduler=scheduler) as f:
    n, x = f.input(tf.int32), f.input(tf.float32)
    f.output(tf.cond(n <= 0, lambda: x, lambda: scaled(weight, True)(f(n - 1, x))))
  x = tf.constant(2.0)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(2, x)
  assert [g.numpy() for g in tape.gradient(y, [x, weight])] == [9.0, 12.0]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_else_the_error_says_so(scheduler):
  weight = tf.Variable(3.0)
  with rtf.SubGraph("power", scheduler=scheduler) as f:
    n, x = f.input(tf.int32), f.input(tf.float32)
    f.output(tf.cond(n <= 0, lambda: x, lambda: scaled(weight, False)(f(n - 1, x))))
  x = tf.constant(2.0)
  with pytest.raises(rtf.UnsupportedGradientError, match=r"'power'.*read_value\(\)"):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = f(2, x)
    tape.gradient(y, [x, weight])
