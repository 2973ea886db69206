"""Lists of rows: zero, sums, and what becomes of them."""

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf._ops import kernels


def listed(rows, row_shape=(2,), dtype=tf.float32):
  found = kernels.recursive_tf_listed_rows(rows, T=dtype, row_shape=row_shape)
  return [tensor.numpy().tolist() for tensor in found]


def part(first, *indices, dtype=tf.int32):
  values = [[float(first + i), 0.5] for i in range(len(indices))]
  return kernels.recursive_tf_list_rows(
    tf.reshape(tf.constant(values, tf.float32), [len(indices), 2]), tf.constant(indices, dtype)
  )


def test_the_sum_of_lists_is_one_after_the_other():
  total = tf.raw_ops.AddN(inputs=[part(1, 4, 4), part(3, 0, dtype=tf.int64), part(4), part(5, 2)])
  assert listed(total) == [[[1.0, 0.5], [2.0, 0.5], [3.0, 0.5], [5.0, 0.5]], [4, 4, 0, 2]]


def test_the_empty_list_is_zero():
  token = kernels.recursive_tf_row_token()
  zeros = tf.zeros_like(part(1, 3))
  assert listed(token) == listed(zeros) == [[], []]
  assert listed(tf.raw_ops.AddN(inputs=[zeros, part(1, 3), token])) == [[[1.0, 0.5]], [3]]
  found = kernels.recursive_tf_listed_rows(token, T=tf.float64, row_shape=[3, 2])
  assert found.values.shape == [0, 3, 2]


def test_parts_are_of_any_rank():
  rows = kernels.recursive_tf_list_rows(tf.reshape(tf.range(6.0), [1, 3, 2]), [[7, 8, 9]])
  one = kernels.recursive_tf_list_rows(tf.constant([0.5, 1.5]), tf.constant(3))
  values, indices = listed(tf.raw_ops.AddN(inputs=[rows, one]))
  assert values == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [0.5, 1.5]]
  assert indices == [7, 8, 9, 3]


def test_a_long_sum_is_read_and_let_go_of():
  @tf.function
  def added(count):
    total = kernels.recursive_tf_row_token()
    for i in tf.range(count):
      row = kernels.recursive_tf_list_rows(tf.cast([[i, 0]], tf.float32), [i])
      total = tf.raw_ops.AddN(inputs=[total, row])
    return kernels.recursive_tf_listed_rows(total, T=tf.float32, row_shape=[2])

  _, indices = added(100_000)
  np.testing.assert_array_equal(indices, np.arange(100_000))


@pytest.mark.parametrize(
  "rows, options",
  [
    (lambda: part(1, 3), {"row_shape": [3]}),
    (lambda: part(1, 3), {"dtype": tf.float64}),
    (lambda: tf.raw_ops.EmptyTensorList(
      element_shape=[2], max_num_elements=3, element_dtype=tf.float32), {}),
  ],
)  # fmt: skip
def test_what_does_not_fit_is_an_error(rows, options):
  with pytest.raises(tf.errors.InvalidArgumentError, match="recursive_tf: "):
    listed(rows(), **options)
