"""The sum of outer products of rows equals NumPy's: values, gradients, shapes, errors."""

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf._ops import kernels
from recursive_tf.nn._row_product import row_product

# Relative to the sums of absolute products.
TOLERANCE = {tf.float32: 1e-6, tf.float64: 2e-15}
DTYPES = pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: dtype.name)


def make_inputs(num_rows, height, width, dtype):
  rng = np.random.default_rng(num_rows)
  return tuple(
    tf.constant(rng.standard_normal([num_rows, columns]), dtype) for columns in (height, width)
  )


def assert_equals_numpy(actual, left, right):
  left, right = (np.asarray(x, np.float64) for x in (left, right))
  assert actual.shape == (left.shape[1], right.shape[1])
  error = np.abs(actual.numpy() - left.T @ right).max(initial=0.0)
  assert error <= TOLERANCE[actual.dtype] * (np.abs(left).T @ np.abs(right)).max(initial=0.0)


@DTYPES
@pytest.mark.parametrize(
  "height, width", [(1, 1), (7, 5), (37, 61), (300, 750), (301, 3), (2, 501)]
)
@pytest.mark.parametrize("num_rows", [0, 1, 17, 64, 257, 1000])
def test_equals_numpy(num_rows, height, width, dtype):
  left, right = make_inputs(num_rows, height, width, dtype)
  assert_equals_numpy(row_product(left, right), left, right)


@pytest.mark.parametrize("height, width", [(0, 3), (3, 0)])
def test_no_columns_make_an_empty_product(height, width):
  left, right = make_inputs(5, height, width, tf.float32)
  assert row_product(left, right).shape == (height, width)


@DTYPES
def test_nan_reaches_only_its_row_and_column(dtype):
  left, right = (np.ones([5, columns], dtype.as_numpy_dtype) for columns in (13, 17))
  left[2, 3] = right[4, 16] = np.nan
  expected = np.full([13, 17], 5.0)
  expected[3] = expected[:, 16] = np.nan
  np.testing.assert_array_equal(row_product(tf.constant(left), tf.constant(right)), expected)


@pytest.mark.parametrize("dtype", [tf.bfloat16, tf.complex64], ids=lambda dtype: dtype.name)
def test_other_types_take_matmul(dtype):
  left, right = (tf.cast(x, dtype) for x in make_inputs(9, 4, 3, tf.float32))
  np.testing.assert_array_equal(row_product(left, right), tf.matmul(left, right, transpose_a=True))


def test_gradients_of_both_orders(mode):
  left, right = make_inputs(6, 3, 5, tf.float64)

  def run(product):
    with tf.GradientTape() as outer:
      outer.watch([left, right])
      with tf.GradientTape() as tape:
        tape.watch([left, right])
        loss = tf.reduce_sum(tf.sin(product(left, right)))
      first = tape.gradient(loss, [left, right])
      norm = tf.add_n([tf.reduce_sum(g**2) for g in first])
    return first, outer.gradient(norm, [left, right])

  actual = mode(lambda: run(row_product))()
  expected = run(lambda left, right: tf.matmul(left, right, transpose_a=True))
  for a, e in zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True):
    assert np.abs(e).max() > 0.1
    np.testing.assert_allclose(a, e, rtol=1e-12, atol=1e-12)


def test_static_shape_knows_the_columns():
  def check(left, right):
    product = row_product(left, right)
    assert product.shape.as_list() == [3, 5]
    return product

  tf.function(check).get_concrete_function(
    tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None, 5], tf.float32)
  )


def test_different_numbers_of_rows_are_refused():
  left, right = tf.ones([4, 3]), tf.ones([5, 2])
  with pytest.raises(tf.errors.InvalidArgumentError, match=r"left \[4,3\] and right \[5,2\]"):
    kernels.recursive_tf_row_product(left, right)
  with pytest.raises(ValueError, match="different numbers of rows"):
    tf.function(lambda: kernels.recursive_tf_row_product(left, right))()
