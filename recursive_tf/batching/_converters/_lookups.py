"""Rows of tables, by position or key."""

from __future__ import annotations

import contextlib

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._converters._batch import (
  MERGED,
  SHARED,
  STACKED,
  Batch,
  NoConverterError,
  axis_of,
  constant,
  emit,
  own,
  register,
  stacked,
)
from recursive_tf.batching._converters._gradients import may_be_empty, own_gradient


@register("GatherV2")
def _gather(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  params, indices, axis_input = inputs
  axis, batch_dims = axis_of(axis_input, params.rank), op.get_attr("batch_dims")
  if axis is None or indices.rank is None:
    return None
  batch_dims += indices.rank if batch_dims < 0 else 0
  shape = op.outputs[0].shape
  if params.form == SHARED or indices.form == SHARED:
    if batch_dims and not (params.is_static and indices.is_static):
      raise NoConverterError("it takes entries of batches of unknown sizes")
    if batch_dims:
      return None
    if params.form == SHARED:
      return _from_shared(op, params, indices, axis)
    return _columns(params, indices, axis, shape)
  if batch_dims and params.form == indices.form == MERGED:
    tensors, form, batch_dims = (params.tensor, indices.tensor), MERGED, batch_dims - 1
    axis -= 1
  else:
    tensors, form = (stacked(params), stacked(indices)), STACKED
  table, entries = tensors
  count = entries.shape[1:].num_elements()
  # The gradient of reading one entry of each row is simple; of more, TensorFlow's is better.
  is_one = axis == batch_dims == 0 and count == 1
  if is_one and table.dtype.is_floating and own("GatherV2", table, entries):
    with own_gradient("GatherV2"):
      found = tf.gather(table, entries, axis=1, batch_dims=1)
  elif may_be_empty(table, entries):
    with own_gradient("GatherV2"):
      found = tf.gather(table, entries, axis=axis + 1, batch_dims=batch_dims + 1)
  else:
    found = tf.gather(table, entries, axis=axis + 1, batch_dims=batch_dims + 1)
  return [Batch(found, form, shape)]


def _from_shared(op: tfi.Operation, params: Batch, indices: Batch, axis: int) -> list[Batch] | None:
  if axis == 0:
    operands = [params.tensor, indices.tensor, tf.constant(0)]
    return emit(op, operands, indices.form)
  if indices.form != STACKED:
    return None
  assert params.rank is not None
  assert indices.rank is not None
  with own_gradient("GatherV2") if may_be_empty(indices.tensor) else contextlib.nullcontext():
    found = tf.gather(params.tensor, indices.tensor, axis=axis)
  rest = [*range(axis), *range(axis + 1, params.rank + indices.rank)]
  with own_gradient("Transpose"):
    return [Batch(tf.transpose(found, [axis, *rest]), STACKED, op.outputs[0].shape)]


def _columns(params: Batch, indices: Batch, axis: int, shape: tf.TensorShape) -> list[Batch] | None:
  """Takes the same entries of each frame's value."""
  is_merged = params.form == MERGED and axis > 0
  table = params.tensor if is_merged else stacked(params)
  axis += not is_merged
  form = MERGED if is_merged else STACKED
  known = constant(indices)
  is_known = known is not None and known.ndim == 1 and len(np.unique(known)) == len(known)
  is_simple = is_known and not np.any(np.less(known, 0))
  if not is_simple and not may_be_empty(table) and indices.is_static:
    return [Batch(tf.gather(table, indices.tensor, axis=axis), form, shape)]
  with own_gradient("GatherV2"):
    return [Batch(tf.gather(table, indices.tensor, axis=axis), form, shape)]


@register("GatherNd")
def _gather_nd(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  params, indices = inputs
  if params.form != SHARED or indices.form == SHARED or (indices.rank or 0) < 1:
    return None
  if indices.form == MERGED and indices.rank == 1:  # [1] is a position, not a row.
    return emit(op, [params.tensor, tf.expand_dims(indices.tensor, 1)], STACKED)
  return emit(op, [params.tensor, indices.tensor], indices.form)


@register("ResourceGather")
def _resource_gather(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  handle, indices = inputs
  if handle.form != SHARED or indices.form == SHARED or op.get_attr("batch_dims"):
    raise NoConverterError("it reads another variable in each frame")
  return emit(op, [handle.tensor, indices.tensor], indices.form)


@register("LookupTableFindV2")
def _lookup(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  table, keys, default = inputs
  if table.form != SHARED or default.form != SHARED or keys.form == SHARED:
    raise NoConverterError("it reads another table in each frame")
  return emit(op, [table.tensor, keys.tensor, default.tensor], keys.form)
