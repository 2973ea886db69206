"""Conversion of one op, and of values where they enter and leave a block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._converters._batch import (
  MERGED,
  SHARED,
  STACKED,
  Batch,
  NoConverterError,
  batch_of,
  constant,
  converters,
  settled,
  with_row_shape,
)
from recursive_tf.batching._converters._reshapes import check_reshapes
from recursive_tf.batching._ir import Node, Value

# What TensorFlow would vectorise to something that is not what each frame computes. Of PadV2 its
# converter leaves out what is padded with.
_NOT_THE_SAME = ("Assert", "Multinomial", "PadV2", "Print", "PrintV2", "StringFormat")


def convert(node: Node, inputs: list[Batch], pfor: Callable[[], Any]) -> list[Batch]:
  """Emits, in the current graph, what computes an op for all frames of a step.

  Args:
    node: the op.
    inputs: its inputs, at least one of them not shared.
    pfor: makes what TensorFlow's converters need.

  Raises:
    NoConverterError: If it cannot be done.
  """
  op = node.op
  converter = converters.get(op.type)
  found = converter(op, inputs) if converter is not None else None
  if found is not None:
    return [settled(batch) for batch in found]
  if op.type in _NOT_THE_SAME or op.type.startswith("Stateless"):
    raise NoConverterError("for many frames at once it would give something else")
  if any(batch.shape.rank is None for batch in inputs):
    raise NoConverterError("the rank of an input is not known")
  wrapped = [(_unmerged(batch), batch.form != SHARED) for batch in inputs]
  graph = tf.compat.v1.get_default_graph()
  num_before = len(graph.get_operations())
  try:
    with tf.name_scope(op.name + "/batched"):
      outputs = tfi.pfor_convert(pfor(), op, wrapped)
  except tfi.PFOR_ERRORS as error:
    raise NoConverterError(str(error).splitlines()[0]) from error
  if outputs is None:
    raise NoConverterError("TensorFlow has no vectorised form of it")
  if op.type != "Reshape":  # There a -1 is the body's own.
    stacked = [tensor for tensor, is_stacked in wrapped if is_stacked]
    check_reshapes(graph.get_operations()[num_before:], stacked, pfor().loop_len_vector)
  batches = []
  for (tensor, is_stacked), value in zip(outputs, node.outputs, strict=True):
    if is_stacked:
      try:
        tensor.set_shape(tf.TensorShape([None]).concatenate(value.shape))
      except ValueError as error:  # As of top_k with a number for each frame.
        raise NoConverterError("TensorFlow's vectorised form of it is another") from error
    batches.append(settled(Batch(tensor, STACKED if is_stacked else SHARED, value.shape)))
  return batches


def to_border(batch: Batch, value: Value) -> tf.Tensor:
  """Returns a batch as it leaves a block: one row for each frame; shared ones as they are."""
  if batch.form == SHARED:
    known = constant(batch) if value.is_merged else None
    if known is not None:
      return tf.constant(known[0], batch.tensor.dtype)
    return tf.squeeze(batch.tensor, 0) if value.is_merged else batch.tensor
  if batch.form == STACKED and value.is_merged:
    return with_row_shape(batch.tensor, value.row_shape)
  return batch.tensor


def from_border(tensor: tf.Tensor, value: Value) -> Batch:
  """Returns a block's input [n, ...] as a batch of `value`s."""
  return Batch(tensor, MERGED if value.is_merged else STACKED, value.shape)


def reshape_batch(batch: Batch, shape: tf.TensorShape) -> Batch:
  """Returns a batch whose values have another static shape.

  Raises:
    NoConverterError: If too little is known of the shapes.
  """
  if batch.form == SHARED:
    if shape.rank is None:
      return Batch(batch.tensor, SHARED, shape)
    wanted = [-1 if size is None else size for size in shape.as_list()]
    return Batch(tf.reshape(batch.tensor, wanted), SHARED, shape)
  if shape.is_fully_defined():
    tensor = batch.tensor
    if not batch.shape.is_fully_defined() and batch.rank == shape.rank:
      tensor = tf.ensure_shape(_unmerged(batch), [None, *shape])
    return batch_of(tensor, shape)
  tensor = _unmerged(batch)
  if shape.rank is None or batch.rank is None:
    raise NoConverterError("the rank of a value that a call passes on is not known")
  if batch.rank != shape.rank:
    if not shape[1:].is_fully_defined():
      raise NoConverterError("the shape of a value that a call passes on is not known")
    tensor = tf.reshape(tensor, tf.concat([tf.shape(tensor)[:2], shape[1:].as_list()], 0))
  return Batch(tensor, STACKED, shape)


def _unmerged(batch: Batch) -> tf.Tensor:
  return tf.expand_dims(batch.tensor, 1) if batch.form == MERGED else batch.tensor
