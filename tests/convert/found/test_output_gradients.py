"""`output_gradients` of other shapes than the targets': eager execution raises, or broadcasts.

The graph did otherwise, and its optimizer dropped a check of the shapes.
"""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.compare import Comparison


def square(x, given):
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
  return tape.gradient(y, x, output_gradients=given)


def exponential(x, given):
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.exp(x)
  return tape.gradient(y, x, output_gradients=given)


def two_targets(x, given):
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.exp(x)
    z = tf.reduce_sum(y)
  return tape.gradient([y, z], x, [given, 2.0])


def targets_by_name(x, given):
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.exp(x)
    z = tf.reduce_sum(y)
  return tape.gradient({"y": y, "z": z}, x, {"y": given, "z": tf.constant(3.0)})


def a_number(x, given):
  with tf.GradientTape() as tape:
    tape.watch(x)
    z = tf.reduce_sum(x * x)
  return tape.gradient(z, x, given)


STEPS = [square, exponential, two_targets, targets_by_name, a_number]
GIVEN = [tf.ones(shape) for shape in ([2], [2, 2], [1], [], [3], [0])] + [2.0]


def outcome(step, x, given):
  try:
    return "returns", step(x, given)
  except Exception as error:
    return "raises", type(error).__name__


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_output_gradients_of_other_shapes(step):
  converted = rtf.function(step, verify=False)
  for number, given in enumerate([*GIVEN, *GIVEN[::-1]]):
    for x in (tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])):
      expected, got = outcome(step, x, given), outcome(converted, x, given)
      Comparison().check(expected, got, f"call {number}")
  faults = {Reason.INTERNAL_ERROR, Reason.GRAPH_ERROR, Reason.VERIFICATION_FAILED}
  assert not faults & converted.stats.fallbacks.keys(), converted.explain()


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_output_gradients_of_the_targets_shapes_are_in_the_graph(step):
  given = tf.constant(3.0) if step is a_number else tf.constant([3.0, 4.0])
  converted = rtf.function(step, verify=False, strict=True)
  for x in (tf.constant([1.0, 2.0]), tf.constant([0.5, 0.1])):
    Comparison().check(step(x, given), converted(x, given), step.__name__)


@pytest.mark.parametrize("method", ["jacobian", "batch_jacobian"])
def test_a_jacobians_third_argument_is_another(method):
  def step(x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = x * x
    return getattr(tape, method)(y, x, tf.UnconnectedGradients.ZERO)

  x = tf.constant([[1.0, 2.0]])
  Comparison().check(step(x), rtf.function(step, verify=False, strict=True)(x), method)
