"""Ops that move elements: shapes, slices, what is put together and taken apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._converters._batch import (
  MERGED,
  SHARED,
  STACKED,
  Batch,
  NoConverterError,
  aligned,
  axis_of,
  batch_of,
  constant,
  emit,
  own,
  register,
  stacked,
  unified,
  with_row_shape,
)
from recursive_tf.batching._converters._gradients import ROWS, own_gradient
from recursive_tf.batching._converters._slices import (
  MASKS,
  Item,
  is_whole,
  num_indices,
  parse_slices,
)
from recursive_tf.batching._ir import begins_with_one


@register("Reshape", "Squeeze", "ExpandDims")
def _reshape(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, shape = inputs[0], op.outputs[0].shape
  if value.form == SHARED or value.rank is None or any(b.form != SHARED for b in inputs[1:]):
    return None
  if value.is_static and shape.is_fully_defined():
    return [batch_of(value.tensor, shape)]
  if op.type == "ExpandDims":
    return _expand(value, axis_of(inputs[1], value.rank + 1), shape)
  if op.type == "Squeeze":
    axes = sorted(axis % value.rank for axis in op.get_attr("squeeze_dims"))
    if not axes and not value.shape.is_fully_defined():
      raise NoConverterError("which dimensions are 1 is not known")
    axes = axes or [axis for axis, size in enumerate(value.shape) if size == 1]
    return _squeeze(value, axes, shape)
  return _reshape_unknown(value, constant(inputs[1]), shape)


def _expand(value: Batch, axis: int | None, shape: tf.TensorShape) -> list[Batch] | None:
  if axis is None:
    return None
  if value.form == STACKED and axis == 0:
    return [Batch(value.tensor, MERGED, shape)]
  position = axis + 1 if value.form == STACKED else max(axis, 1)
  return [Batch(tf.expand_dims(value.tensor, position), value.form, shape)]


def _squeeze(value: Batch, axes: list[int], shape: tf.TensorShape) -> list[Batch]:
  if not axes:
    return [value]
  if value.form == STACKED:
    return [Batch(tf.squeeze(value.tensor, [axis + 1 for axis in axes]), STACKED, shape)]
  form = STACKED if 0 in axes else MERGED
  inner = [axis for axis in axes if axis]
  return [Batch(tf.squeeze(value.tensor, inner) if inner else value.tensor, form, shape)]


def _reshape_unknown(value: Batch, wanted: Any, shape: tf.TensorShape) -> list[Batch] | None:
  """Reshapes values of which the size is not known; a wrong size must not change the rows."""
  if wanted is None:
    return None
  sizes = [int(size) for size in wanted]
  if value.form == MERGED and value.rank == 2 and sizes == [-1]:
    return [Batch(value.tensor, STACKED, shape)]
  is_merged = begins_with_one(shape) and sizes[0] == 1
  rows = sizes[1:] if is_merged else sizes
  tensor = tf.reshape(value.tensor, tf.concat([tf.shape(value.tensor)[:1], rows], 0))
  return [Batch(tensor, MERGED if is_merged else STACKED, shape)]


# --- Slices


@register("StridedSlice")
def _strided_slice(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, begin, end, strides = inputs
  masks = {mask: op.get_attr(mask) for mask in MASKS}
  if value.rank is None:
    return None
  if value.form == SHARED or begin.form != SHARED:
    count = begin.shape.num_elements() if begin.shape.rank == 1 else None
    known = constant(strides)
    is_plain = begin.form != SHARED and count and known is not None and all(known == 1)
    num_taken = num_indices(count, masks) if count and is_plain else None
    if num_taken is None or 0 in value.shape.as_list():
      return None  # Gathers do not look at the indices of rows without elements.
    if count == 1:
      return _row(value, begin, op.outputs[0].shape)
    return _entry(value, begin, num_taken, op.outputs[0].shape)
  constants = [constant(batch) for batch in (begin, end, strides)]
  items = parse_slices(constants, masks, value.rank)
  return None if items is None else _sliced(value, items, op.outputs[0].shape)


@register("Slice")
def _slice(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, begins, sizes = inputs
  first, count = constant(begins), constant(sizes)
  if value.form == SHARED or value.rank is None or first is None or count is None:
    return None
  items: list[Item] = [
    slice(int(b), None if size < 0 else int(b + size)) for b, size in zip(first, count, strict=True)
  ]
  return _sliced(value, items, op.outputs[0].shape)


def _row(value: Batch, begin: Batch, shape: tf.TensorShape) -> list[Batch] | None:
  """Converts `table[i]`, where each frame has its own i, and maybe its own table."""
  index = with_row_shape(begin.tensor, tf.TensorShape([]))
  size = tf.constant(value.shape[0], index.dtype) if value.shape[0] is not None else None
  if size is None:
    if value.form != SHARED:
      return None
    size = tf.shape(value.tensor, out_type=index.dtype)[0]
  index = tf.where(index < 0, index + size, index)  # As in Python; tf.gather takes no negative.
  if value.form == SHARED:
    return [Batch(tf.gather(value.tensor, index), STACKED, shape)]
  if not value.is_static:
    return None
  with own_gradient("GatherV2"):
    return [Batch(tf.gather(stacked(value), index, batch_dims=1, axis=1), STACKED, shape)]


def _entry(value: Batch, begin: Batch, num_taken: int, shape: tf.TensorShape) -> list[Batch] | None:
  """Converts `table[i, j]` and `table[i, :]` of one table, where each frame has its own i and j."""
  if value.form != SHARED:
    return None
  indices = stacked(begin)[:, :num_taken]
  sizes = tf.shape(value.tensor, out_type=indices.dtype)[:num_taken]
  indices = tf.where(indices < 0, indices + sizes, indices)  # As in Python.
  if num_taken == 1:  # The gradient of a gather is sparse.
    return [Batch(tf.gather(value.tensor, indices[:, 0]), STACKED, shape)]
  return [Batch(tf.gather_nd(value.tensor, indices), STACKED, shape)]


def _sliced(value: Batch, items: list[Item], shape: tf.TensorShape) -> list[Batch] | None:
  is_forward = all(not isinstance(i, slice) or i.step is None or i.step > 0 for i in items)
  is_known = value.is_static and shape.is_fully_defined()
  if is_known and is_forward and value.shape.num_elements() == shape.num_elements():
    return [batch_of(value.tensor, shape)]  # It only comes in another shape.
  sizes = value.shape.as_list()
  if value.form == MERGED:
    num_new = next(i for i, item in enumerate(items) if item is not None)
    own_row = items[num_new]
    if isinstance(own_row, int):
      rest = _sliced(Batch(value.tensor, STACKED, value.shape[1:]), items[num_new + 1 :], shape)
      if num_new == 0 or rest is None:
        return rest
      return None
    if list(range(1)[own_row or slice(None)]) == [0]:
      spec = [None] * num_new + items[num_new + 1 :]
      return [Batch(_cut(value.tensor, spec, sizes[1:]), MERGED, shape)]
    return [Batch(_cut(stacked(value), items, sizes), STACKED, shape)]
  form = STACKED
  if items and items[0] is None:
    form, items = MERGED, items[1:]
  elif items and isinstance(items[0], slice) and sizes[0] is not None:
    taken = range(sizes[0])[items[0]]
    if len(taken) == 1:
      form, items = MERGED, [taken[0], *items[1:]]
  return [Batch(_cut(value.tensor, items, sizes), form, shape)]


def _cut(tensor: tf.Tensor, items: list[Item], sizes: list[int | None]) -> tf.Tensor:
  """Takes a slice of each row of [n, ...]; `sizes` are those of a row, as far as known."""
  spec: list[Item] = [slice(None)]
  dimensions = iter(sizes)
  for item in items:
    size = None if item is None else next(dimensions)
    spec.append(slice(None) if is_whole(item, size) else item)
  while isinstance(spec[-1], slice) and spec[-1] == slice(None) and len(spec) > 1:
    spec.pop()
  if len(spec) == 1:
    return tensor
  if tensor.shape.rank is None:
    return tensor[tuple(spec)]
  with own_gradient("StridedSlice"):
    return tensor[tuple(spec)]


# --- Put together


@register("ConcatV2")
def _concat(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  *values, axis = inputs
  position = axis_of(axis, values[0].rank)
  found = unified(values) if position is not None else None
  if found is None or position is None:
    return None
  tensors, form = found
  shape = op.outputs[0].shape
  if form == MERGED and position == 0:  # Rows of one below one another.
    with_ones = tf.stack(tensors, 1)
    return [Batch(with_ones, STACKED, shape)]
  position += form == STACKED
  sizes = [tensor.shape[position] for tensor in tensors]
  if None in sizes:
    return [Batch(tf.concat(tensors, position), form, shape)]
  with own_gradient("ConcatV2"):
    return [Batch(tf.concat(tensors, position), form, shape)]


@register("Pack")
def _pack(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  shape = op.outputs[0].shape
  if shape.rank is None:
    return None
  axis = op.get_attr("axis") % shape.rank
  if len(inputs) == 1 and axis == 0:
    return [Batch(stacked(inputs[0]), MERGED, shape)]
  found = unified(inputs)
  if found is None:
    return None
  tensors, form = found
  if form == STACKED:
    return [Batch(tf.stack(tensors, axis + 1), STACKED, shape)]
  if axis:
    return [Batch(tf.stack(tensors, axis), MERGED, shape)]
  if not shape.is_fully_defined():
    return None
  return [batch_of(tf.stack(tensors, 1), shape)]


# --- Taken apart


@register("Split")
def _split(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  axis, value = inputs
  return _parts(op, value, axis_of(axis, value.rank), op.get_attr("num_split"))


@register("SplitV")
def _split_v(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, sizes, axis = inputs
  known = constant(sizes)
  if known is None:
    return None
  return _parts(op, value, axis_of(axis, value.rank), [int(size) for size in known])


def _parts(
  op: tfi.Operation, value: Batch, axis: int | None, sizes: int | list[int]
) -> list[Batch] | None:
  if value.form == SHARED or axis is None:
    return None
  shapes = [output.shape for output in op.outputs]
  if value.form == MERGED and axis:
    parts, form = tf.split(value.tensor, sizes, axis), MERGED
  elif axis == 0 and value.form == STACKED and all(begins_with_one(shape) for shape in shapes):
    parts, form = tf.unstack(value.tensor, len(shapes), axis=1), MERGED
  else:
    parts, form = tf.split(stacked(value), sizes, axis + 1), STACKED
  return [Batch(part, form, shape) for part, shape in zip(parts, shapes, strict=True)]


@register("Unpack")
def _unpack(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  (value,) = inputs
  if value.form == SHARED or value.rank is None:
    return None
  axis, num = op.get_attr("axis") % value.rank, op.get_attr("num")
  shapes = [output.shape for output in op.outputs]
  if value.form == MERGED and axis == 0:
    return [Batch(value.tensor, STACKED, shapes[0])]  # The only row there is.
  parts = tf.unstack(value.tensor, num, axis=axis if value.form == MERGED else axis + 1)
  return [Batch(part, value.form, shape) for part, shape in zip(parts, shapes, strict=True)]


# --- Repeated, filled, turned


@register("Tile")
def _tile(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, multiples = inputs
  times = constant(multiples)
  if value.form == SHARED or times is None or value.rank != len(times):
    return None
  is_merged = value.form == MERGED and times[0] == 1
  tensor = value.tensor if is_merged else stacked(value)
  inner = [1, *(times[1:] if is_merged else times)]
  return [Batch(_tiled(tensor, inner), MERGED if is_merged else STACKED, op.outputs[0].shape)]


def _tiled(tensor: tf.Tensor, times: list[int]) -> tf.Tensor:
  if all(count == 1 for count in times):
    return tensor
  if own("Tile", tensor) is None:
    return tf.tile(tensor, times)
  with own_gradient("Tile"):
    return tf.tile(tensor, times)


@register("BroadcastTo", "Fill")
def _broadcast_to(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, wanted = inputs if op.type == "BroadcastTo" else reversed(inputs)
  shape = op.outputs[0].shape
  if value.form == SHARED or wanted.form != SHARED or not value.is_static:
    return None
  if not shape.is_fully_defined() or not shape.num_elements():
    return None
  assert shape.rank is not None
  is_merged = begins_with_one(shape)
  tensor = aligned(value, shape.rank, is_merged)
  rows = shape[1:] if is_merged else shape
  times = [
    1 if old == new else new for old, new in zip(tensor.shape[1:], rows.as_list(), strict=True)
  ]
  return [Batch(_tiled(tensor, [1, *times]), MERGED if is_merged else STACKED, shape)]


@register("Transpose")
def _transpose(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, permutation = inputs
  found = constant(permutation)
  if value.form == SHARED or found is None or value.rank is None:
    return None
  shape, order = op.outputs[0].shape, [int(axis) for axis in found]
  if value.form == STACKED:
    return [Batch(_turned(value.tensor, [0, *(axis + 1 for axis in order)]), STACKED, shape)]
  inner = [0, *(axis for axis in order if axis)]  # One row has no place of its own.
  if order[0] == 0:
    return [Batch(_turned(value.tensor, inner), MERGED, shape)]
  if not value.is_static or not shape.is_fully_defined():
    return None
  return [batch_of(_turned(value.tensor, inner), shape)]


def _turned(tensor: tf.Tensor, order: list[int]) -> tf.Tensor:
  if order == sorted(order):
    return tensor
  with own_gradient("Transpose"):
    return tf.transpose(tensor, order)


@register("Pad", "PadV2", "MirrorPad")
def _pad(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, paddings, *fill = inputs
  known = constant(paddings)
  if value.form == SHARED or known is None or value.rank is None:
    return None
  is_merged = value.form == MERGED and not np.any(known[0])
  form = MERGED if is_merged else STACKED
  tensor = value.tensor if is_merged else stacked(value)
  inner = np.concatenate([[[0, 0]], known[1:] if is_merged else known])
  if fill and fill[0].form != SHARED:
    return [Batch(_filled(tensor, inner, stacked(fill[0])), form, op.outputs[0].shape)]
  gradient = None if op.type == "MirrorPad" else ROWS + op.type
  operands = [tensor, tf.constant(inner, paddings.tensor.dtype), *(b.tensor for b in fill)]
  return emit(op, operands, form, gradient)


def _filled(tensor: tf.Tensor, paddings: Any, fill: tf.Tensor) -> tf.Tensor:
  """Pads each row of [n, ...] with a number of its own, [n], which has no gradient, as in TF."""
  with own_gradient("Pad"):
    padded = tf.pad(tensor, paddings)
  is_value = tf.pad(tf.ones_like(tensor, tf.bool), paddings)
  fill = tf.reshape(fill, [-1, *[1] * (len(paddings) - 1)])
  return tf.where(is_value, padded, tf.stop_gradient(fill))


@register("Reverse", "ReverseV2")
def _reverse(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, axes = inputs
  found = constant(axes)
  if op.type == "Reverse" or value.form == SHARED or found is None or value.rank is None:
    return None
  shift = int(value.form == STACKED)
  inner = [int(axis) % value.rank + shift for axis in found]
  inner = [axis for axis in inner if axis]
  tensor = tf.reverse(value.tensor, inner) if inner else value.tensor
  return [Batch(tensor, value.form, op.outputs[0].shape)]


@register("Roll")
def _roll(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, shifts, axes = inputs
  found, counts = constant(axes), constant(shifts)
  if counts is None and (found is None or np.any(found < 0)):
    # TensorFlow's counts a negative axis from behind the frames.
    raise NoConverterError("by a shift of each frame's own along an axis counted from the last")
  if value.form == SHARED or found is None or counts is None or value.rank is None:
    return None
  offset = int(value.form == STACKED)
  pairs = [
    (int(count), int(axis) % value.rank + offset)
    for count, axis in zip(np.reshape(counts, -1), np.reshape(found, -1), strict=True)
  ]
  pairs = [pair for pair in pairs if pair[1]]
  tensor = value.tensor
  if pairs:
    tensor = tf.roll(tensor, [count for count, _ in pairs], [axis for _, axis in pairs])
  return [Batch(tensor, value.form, op.outputs[0].shape)]
