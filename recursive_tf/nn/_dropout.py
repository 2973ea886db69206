"""Dropout whose numbers depend on the place of a row, not on which rows are drawn."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf._ops import kernels


def dropout_mask(
  rows: tf.Tensor, width: int, rate: float, seed: tf.Tensor, dtype: tf.DType
) -> tf.Tensor:
  """Draws rows of what is multiplied with in dropout, and no others.

  Row k is the same whatever else is drawn: so several workers draw, each its own rows, what one
  draws.

  Args:
    rows: int32 [N], not negative.
    width: D, elements of a row.
    rate: share of the elements that are 0, at least 0 and below 1.
    seed: int [2].
    dtype: float32 or float64.

  Returns:
    [N, D]: 0 where `tf.random.stateless_uniform([R, D], seed)`, with R rows in all, is below `rate`
    in the same row, else 1 / (1 - rate).
  """
  key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=seed)
  kept = 1.0 / tf.constant(1.0 - rate, dtype)
  return kernels.recursive_tf_dropout_mask(key, counter, rows, kept, width=width, rate=rate)


tf.no_gradient("RecursiveTf>DropoutMask")
