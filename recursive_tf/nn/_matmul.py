"""Products with a matrix of weights, fast for few rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from recursive_tf._errors import SignatureError
from recursive_tf._ops import kernels
from recursive_tf.nn._precision import check_precision


def matmul(
  x: tf.Tensor,
  weights: tf.Tensor,
  transpose_weights: bool = False,
  precision: str | None = None,
  num_rows: int | tf.Tensor | None = None,
) -> tf.Tensor:
  """Multiplies the rows of `x` with a matrix of weights, fast where there are few rows.

  `tf.matmul` copies the weights into another order in every call, which pays off for hundreds of
  rows. This product reads them where they lie. So does its gradient with respect to `x`; that with
  respect to the weights is an ordinary `tf.matmul`. All gradients have gradients.

  With `precision="bfloat16"`, both operands are rounded to bfloat16 (8 bits of 24, to nearest, ties
  to even), in this product and in those of its gradients; products and their sums are float32, and
  so are the weights that are trained, the result and all gradients. A result differs from
  float32's by up to 1/128 of the sum of the absolute products, in practice by much less. NaN and
  infinities stay what they are; from about 3.39e38 on, numbers become infinite, below 1e-38 zero.
  The batched scheduler rounds weights once a run, others at each call. In the gradient of a
  gradient, the products of what is summed over rows are float32's.

  With `num_rows`, the weights are `weights[:num_rows]`, a number that only the run may know,
  without a copy of these rows or of their gradient: for a cell whose inputs are some of those that
  it may have, such as a node with fewer children than others.

  Args:
    x: float32 or float64 [..., K], with any leading shape.
    weights: [K, M]; with `transpose_weights`, [M, K].
    transpose_weights: whether to multiply with the transposed weights.
    precision: None for the type of the operands; "bfloat16", for float32 operands and processors
      with AVX512-BF16 (`rtf.nn.has_bfloat16_products()`); "float32", of float32 operands, as None.
    num_rows: int32 scalar, at most the rows that there are: how many of them are used. None for
      all. Not with `precision="bfloat16"`.

  Returns:
    [..., M].

  Raises:
    ValueError: If a shape known while tracing does not fit; in eager execution, and where it is
      known only when the graph runs, `tf.errors.InvalidArgumentError`.
    ConfigError: If there is no such precision.
    ProcessorError: If this processor has no products of that precision. A graph that was saved
      elsewhere raises `tf.errors.UnimplementedError` where it runs.
    SignatureError: If a precision is given for operands of another type than float32, or
      `num_rows` with bfloat16.
  """
  counts = [] if num_rows is None else [num_rows]
  if precision is None:
    return _product(x, weights, counts, transpose_weights)
  check_precision(precision)
  x, weights = tf.convert_to_tensor(x), tf.convert_to_tensor(weights)
  if (x.dtype, weights.dtype) != (tf.float32, tf.float32):
    raise SignatureError(
      f"matmul with precision={precision!r}: x is {x.dtype.name}, weights are"
      f" {weights.dtype.name}; expected float32. Leave `precision` out, or cast them."
    )
  if precision == "float32":
    return _product(x, weights, counts, transpose_weights)
  if counts:
    raise SignatureError(
      "matmul with num_rows and precision='bfloat16': there is no such product. Multiply with"
      " `weights[:num_rows]`, or leave `precision` out."
    )
  # Of weights alone: the batched scheduler computes that once a run.
  rounded = tf.cast(weights, tf.bfloat16)
  return _bfloat16(x, weights, rounded, transpose_weights)


def _product(
  x: tf.Tensor,
  weights: tf.Tensor,
  counts: Sequence[int | tf.Tensor],
  transpose_weights: bool,
) -> tf.Tensor:
  return kernels.recursive_tf_weight_mat_mul(
    x, weights, counts, transpose_weights=transpose_weights
  )


def _bfloat16(
  x: tf.Tensor, weights: tf.Tensor, rounded: tf.Tensor, transpose_weights: bool
) -> tf.Tensor:
  return kernels.recursive_tf_bfloat16_mat_mul(
    x, weights, rounded, transpose_weights=transpose_weights
  )


@tf.RegisterGradient("RecursiveTf>WeightMatMul")
def _gradient(op: Any, dy: tf.Tensor) -> list[tf.Tensor | None]:
  x, weights, *counts = op.inputs
  is_transposed = op.get_attr("transpose_weights")
  dx = _product(dy, weights, counts, not is_transposed)
  left, right = (dy, x) if is_transposed else (x, dy)
  left, right = _as_rows(left), _as_rows(right)
  if counts:  # The gradient of rows that are not used is zero.
    num_missing = tf.shape(weights)[0] - counts[0]
    left = tf.pad(left, [[0, 0], [0, num_missing]])
    left = tf.ensure_shape(left, [None, weights.shape[0]])
  # A product of this form is what the backward pass recognises, and sums up over all frames.
  return [dx, tf.matmul(left, right, transpose_a=True), *(None for _ in counts)]


@tf.RegisterGradient("RecursiveTf>Bfloat16MatMul")
def _bfloat16_gradient(op: Any, dy: tf.Tensor) -> list[tf.Tensor | None]:
  """That of the weights is theirs as float32: `rounded` passes none on."""
  x, weights, rounded = op.inputs
  is_transposed = op.get_attr("transpose_weights")
  dx = _bfloat16(dy, weights, rounded, not is_transposed)
  left, right = (dy, x) if is_transposed else (x, dy)
  product = kernels.recursive_tf_row_product(
    _as_rows(left), _as_rows(right), rounds_to_bfloat16=True
  )
  return [dx, product, None]


def _as_rows(tensor: tf.Tensor) -> tf.Tensor:
  if tensor.shape.rank == 2:
    return tensor
  if tensor.shape.rank is not None and tensor.shape[-1]:  # Not 0: the rows can be told from it.
    return tf.reshape(tensor, [-1, tensor.shape[-1]])
  shape = tf.shape(tensor)
  return tf.reshape(tensor, tf.stack([tf.reduce_prod(shape[:-1]), shape[-1]]))
