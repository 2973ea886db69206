"""The shipped classifiers with products in bfloat16: near float32, and not the same."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.models.test_models import TREES, every_model, make_batch, make_model

pytestmark = pytest.mark.skipif(
  not rtf.nn.has_bfloat16_products(), reason="the processor has no AVX512-BF16"
)


def loss_and_gradients(name, precision):
  model = make_model(name, dtype=tf.float32)
  model.precision = precision

  @tf.function
  def run():
    with tf.GradientTape() as tape:
      loss, _ = model.loss_and_metrics(make_batch(TREES["mixed"]))
    return loss, tape.gradient(loss, model.trainable_variables)

  loss, gradients = run()
  return float(loss), {
    variable.name: tf.convert_to_tensor(gradient)
    for variable, gradient in zip(model.trainable_variables, gradients, strict=True)
  }


@every_model
def test_losses_and_gradients_are_near_those_of_float32(name):
  expected, expected_gradients = loss_and_gradients(name, None)
  found, gradients = loss_and_gradients(name, "bfloat16")
  assert found == pytest.approx(expected, rel=1e-2)
  assert found != expected  # Something is rounded.
  for variable, gradient in gradients.items():
    assert gradient.dtype == tf.float32
    scale = np.abs(expected_gradients[variable]).max()
    assert scale > 1e-3
    np.testing.assert_allclose(gradient, expected_gradients[variable], atol=3e-2 * scale)
    # Of rounded rows, but no bfloat16 itself.
    again = tf.cast(tf.cast(gradient, tf.bfloat16), tf.float32)
    assert not np.array_equal(gradient, again)
