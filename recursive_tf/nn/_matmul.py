"""Products with a matrix of weights, fast for few rows."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from recursive_tf._ops import kernels


def matmul(x: tf.Tensor, weights: tf.Tensor, transpose_weights: bool = False) -> tf.Tensor:
  """Multiplies the rows of `x` with a matrix of weights, fast where there are few rows.

  `tf.matmul` copies the weights into another order in every call, which pays off for hundreds of
  rows. This product reads them where they lie. So does its gradient with respect to `x`; that with
  respect to the weights is an ordinary `tf.matmul`. All gradients have gradients.

  Args:
    x: float32 or float64 [..., K], with any leading shape.
    weights: [K, M]; with `transpose_weights`, [M, K].
    transpose_weights: whether to multiply with the transposed weights.

  Returns:
    [..., M].

  Raises:
    ValueError: If a shape known while tracing does not fit; in eager execution, and where it is
      known only when the graph runs, `tf.errors.InvalidArgumentError`.
  """
  return kernels.recursive_tf_weight_mat_mul(x, weights, transpose_weights=transpose_weights)


@tf.RegisterGradient("RecursiveTf>WeightMatMul")
def _gradient(op: Any, dy: tf.Tensor) -> list[tf.Tensor]:
  x, weights = op.inputs
  is_transposed = op.get_attr("transpose_weights")
  dx = kernels.recursive_tf_weight_mat_mul(dy, weights, transpose_weights=not is_transposed)
  left, right = (dy, x) if is_transposed else (x, dy)
  # A product of this form is what the backward pass recognises, and sums up over all frames.
  return [dx, tf.matmul(_as_rows(left), _as_rows(right), transpose_a=True)]


def _as_rows(tensor: tf.Tensor) -> tf.Tensor:
  if tensor.shape.rank == 2:
    return tensor
  shape = tf.shape(tensor)
  return tf.reshape(tensor, tf.stack([tf.reduce_prod(shape[:-1]), shape[-1]]))
