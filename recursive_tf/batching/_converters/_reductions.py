"""Sums and the like over the dimensions of each frame's value."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._converters._batch import (
  MERGED,
  SHARED,
  STACKED,
  Batch,
  axis_of,
  constant,
  emit,
  own,
  register,
)
from recursive_tf.batching._ir import begins_with_one

_OWN = ("Sum", "Mean", "Max", "Min")  # Of these the gradient is ours; see _gradients.py.


@register("Sum", "Mean", "Prod", "Max", "Min", "All", "Any", "EuclideanNorm")
def _reduce(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, axes = inputs
  found = constant(axes)
  if value.form == SHARED or value.rank is None or found is None:
    return None
  shape, keeps = op.outputs[0].shape, op.get_attr("keep_dims")
  positions = sorted({int(axis) % value.rank for axis in found.reshape(-1)})
  if not positions and op.type != "EuclideanNorm":
    return [Batch(value.tensor, value.form, shape)]
  tensor = value.tensor
  if value.form == MERGED:
    inner = [axis for axis in positions if axis]
    form = MERGED if keeps or 0 not in positions else STACKED
  else:
    inner = [axis + 1 for axis in positions]
    form = STACKED
    if keeps and positions == [0]:
      keeps, form = False, MERGED
  if inner or op.type == "EuclideanNorm":
    is_known = op.type in _OWN and op.outputs[0].dtype.is_floating
    gradient = own(op.type, tensor) if is_known else None
    copied = _copy_reduction(op, tensor, inner, keeps, axes.tensor.dtype, gradient)
    return [Batch(copied, form, shape)]
  return [Batch(tensor, form, shape)]


def _copy_reduction(
  op: tfi.Operation,
  tensor: tf.Tensor,
  axes: list[int],
  keeps: bool,
  dtype: tf.DType,
  gradient: str | None,
) -> tf.Tensor:
  copy = tfi.copy_op(op, [tensor, tf.constant(axes, dtype)], gradient)
  if keeps == op.get_attr("keep_dims"):
    return copy.outputs[0]
  return tf.squeeze(copy.outputs[0], axes)


@register("ArgMax", "ArgMin")
def _argmax(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, axis = inputs
  position = axis_of(axis, value.rank)
  if value.form == SHARED or position is None:
    return None
  if value.form == STACKED:
    return emit(op, [value.tensor, tf.constant(position + 1, axis.tensor.dtype)], STACKED)
  if position == 0:  # Of one row.
    shape, dtype = op.outputs[0].shape, op.outputs[0].dtype
    if value.shape.is_fully_defined():
      return [Batch(tf.zeros(shape, dtype), SHARED, shape)]
    return [Batch(tf.zeros(tf.shape(value.tensor), dtype), STACKED, shape)]
  return emit(op, [value.tensor, tf.constant(position, axis.tensor.dtype)], MERGED)


@register("Cumsum", "Cumprod", "CumulativeLogsumexp")
def _cumulate(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, axis = inputs
  position = axis_of(axis, value.rank)
  if value.form == SHARED or position is None or (value.form == MERGED and position == 0):
    return None
  position += value.form == STACKED
  return emit(op, [value.tensor, tf.constant(position, axis.tensor.dtype)], value.form)


@register("OneHot")
def _one_hot(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  indices, *rest = inputs
  axis = op.get_attr("axis")
  if indices.form == SHARED or any(batch.form != SHARED for batch in rest):
    return None
  if axis == -1 or axis == indices.rank:
    axis = -1
  elif indices.form == STACKED:
    axis += 1
  elif axis == 0:
    return None
  depth, on, off = (batch.tensor for batch in rest)
  tensor = tf.one_hot(indices.tensor, depth, on, off, axis)
  shape = op.outputs[0].shape
  return [Batch(tensor, indices.form if begins_with_one(shape) else STACKED, shape)]
