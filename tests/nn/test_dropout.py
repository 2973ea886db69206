import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf._ops import kernels

SEED = tf.constant([7, 1 << 20], tf.int64)


def drawn_by_tensorflow(num_rows, width, rate, dtype):
  keep = tf.random.stateless_uniform([num_rows, width], SEED) >= rate
  return (tf.cast(keep, dtype) / (1.0 - rate)).numpy()


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("rate", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("width", [1, 3, 4, 150])
def test_a_row_is_tensorflows_whichever_rows_are_drawn(width, rate, dtype):
  whole = drawn_by_tensorflow(41, width, rate, dtype)
  if width > 1:
    assert (whole == 0).any() == (rate > 0) and (whole > 0).any()
  rows = tf.constant([5, 40, 0, 5, 17, 18])
  mask = rtf.nn.dropout_mask(rows, width, rate, SEED, dtype)
  assert mask.dtype == dtype and mask.shape == (6, width)
  np.testing.assert_array_equal(mask, whole[rows])


def test_many_rows_for_threads_are_the_same():
  mask = rtf.nn.dropout_mask(tf.range(3000), 150, 0.5, SEED, tf.float32)
  np.testing.assert_array_equal(mask, drawn_by_tensorflow(3000, 150, 0.5, tf.float32))


def test_places_past_what_32_bits_number():
  last = (1 << 31) - 1  # Its first element has a number of more than 32 bits.
  rows = tf.constant([last, last - 1])
  both = rtf.nn.dropout_mask(rows, 8, 0.5, SEED, tf.float32).numpy()
  key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=SEED)
  counter = counter + tf.constant([(last - 1) * 2, 0], tf.uint64)
  found = tf.raw_ops.StatelessRandomUniformV2(shape=[2, 8], key=key, counter=counter, alg=1)
  np.testing.assert_array_equal(both[::-1], tf.cast(found >= 0.5, tf.float32) * 2)


def test_no_rows():
  assert rtf.nn.dropout_mask(tf.zeros([0], tf.int32), 3, 0.5, SEED, tf.float32).shape == (0, 3)


def test_in_a_graph_rows_are_of_any_number():
  @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
  def draw(rows):
    mask = rtf.nn.dropout_mask(rows, 3, 0.5, SEED, tf.float32)
    assert mask.shape.as_list() == [None, 3]
    return mask

  np.testing.assert_array_equal(draw(tf.range(5)), drawn_by_tensorflow(5, 3, 0.5, tf.float32))


KEY, COUNTER, ROWS = tf.zeros([1], tf.uint64), tf.zeros([2], tf.uint64), tf.zeros([4], tf.int32)


@pytest.mark.parametrize(
  "arguments, message",
  [
    ({"key": COUNTER}, "key.*expected"),
    ({"counter": KEY}, "counter.*expected"),
    ({"counter": KEY[0]}, "rank 1|expected"),
    ({"rows": ROWS[0]}, "rank 1|expected"),
    ({"rows": -1 - ROWS}, "row -1 is negative"),
    ({"kept": tf.zeros([1])}, "rank 0|expected"),
    ({"rate": 1.0}, "rate 1 is not"),
    ({"rate": -0.1}, "rate -0.1 is not"),
    ({"rate": float("nan")}, "is not at least 0"),
    ({"width": 0}, "at least minimum 1"),
    ({"rows": tf.zeros([1 << 20], tf.int32), "width": 1 << 62}, "overflow|too many|too large"),
  ],
)
def test_arguments_that_do_not_fit_are_errors(arguments, message):
  given = {"key": KEY, "counter": COUNTER, "rows": ROWS, "kept": tf.constant(2.0)}
  given |= {"width": 3, "rate": 0.5}
  assert kernels.recursive_tf_dropout_mask(**given).shape == (4, 3)
  with pytest.raises(tf.errors.InvalidArgumentError, match=message):
    kernels.recursive_tf_dropout_mask(**given | arguments)
