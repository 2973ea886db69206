"""Sums of the outer products of rows: gradients of weights."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from recursive_tf._ops import kernels


def row_product(left: tf.Tensor, right: tf.Tensor, rounds_to_bfloat16: bool = False) -> tf.Tensor:
  """Computes left^T right, for any number of rows, with nothing kept for each number.

  `tf.matmul` takes the slower product of batches where the ranks are not known while tracing.

  Args:
    left: [N, K]; float32 and float64 have the fast kernel, other types take `tf.matmul`.
    right: [N, M], of the same type.
    rounds_to_bfloat16: whether to round both, float32, before they are multiplied; needs
      AVX512-BF16.

  Returns:
    [K, M], zeros where N is 0.
  """
  if left.dtype in (tf.float32, tf.float64):
    return kernels.recursive_tf_row_product(left, right, rounds_to_bfloat16=rounds_to_bfloat16)
  return tf.matmul(left, right, transpose_a=True)


@tf.RegisterGradient("RecursiveTf>RowProduct")
def _gradient(op: Any, dy: tf.Tensor) -> list[tf.Tensor]:
  left, right = op.inputs
  return [tf.matmul(right, dy, transpose_b=True), tf.matmul(left, dy)]
