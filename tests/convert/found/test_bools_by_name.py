"""A bool of Python's beside a tensor of bytes is an error in eager execution, also by name."""

import pytest
import tensorflow as tf

import recursive_tf as rtf

_BYTES = tf.constant([1, 2], tf.uint8)


@pytest.mark.parametrize(
  "function",
  [
    lambda u: tf.add(x=u, y=True),
    lambda u: tf.maximum(u, y=True),
    lambda u: tf.where(condition=u > 1, x=u, y=True),
    lambda u: tf.equal(x=u, y=True),
    lambda u: tf.clip_by_value(t=u, clip_value_min=True, clip_value_max=u),
  ],
)
def test_it_is_pythons_error(function):
  with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
    function(_BYTES)
  with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
    rtf.function(function, verify=False)(_BYTES)


def test_a_switch_is_no_operand():
  largest = rtf.function(lambda u: tf.reduce_max(u, keepdims=True), strict=True, verify=False)
  assert largest(_BYTES).numpy().tolist() == [2]
