"""Values of many frames, the forms they can have, and how to go from one to another."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._converters._gradients import ROWS, may_be_empty, own_gradient
from recursive_tf.batching._ir import begins_with_one

SHARED, STACKED, MERGED = "shared", "stacked", "merged"


class NoConverterError(Exception):
  """An op cannot serve many frames; the message says why."""


@dataclasses.dataclass(frozen=True)
class Batch:
  """A value of all frames of a step.

  Attributes:
    tensor: [...] if shared, [n, ...] if stacked, [n, ...] for frames' [1, ...] if merged.
    form: SHARED, STACKED or MERGED.
    shape: of one frame's value.
  """

  tensor: tf.Tensor
  form: str
  shape: tf.TensorShape

  @property
  def rank(self) -> int | None:
    """Rank of one frame's value."""
    return self.shape.rank

  @property
  def is_static(self) -> bool:
    """Whether the shape of one frame's value is known, and it has elements."""
    return self.shape.is_fully_defined() and bool(self.shape.num_elements())


# (op, its inputs) -> its outputs, or None if the inputs are not of the form it is for.
Converter = Callable[[tfi.Operation, list[Batch]], "list[Batch] | None"]
converters: dict[str, Converter] = {}


def register(*types: str) -> Callable[[Converter], Converter]:
  """Makes a function the converter of ops of some types."""

  def add(converter: Converter) -> Converter:
    for name in types:
      assert name not in converters, name
      converters[name] = converter
    return converter

  return add


def emit(
  op: tfi.Operation, inputs: list[tf.Tensor], form: str, gradient: str | None = None
) -> list[Batch]:
  """Emits an op again; its outputs have one form."""
  outputs = tfi.copy_op(op, inputs, gradient).outputs
  return [Batch(t, form, old.shape) for t, old in zip(outputs, op.outputs, strict=True)]


def constant(batch: Batch) -> Any:
  """Returns the value of a batch as an array if it is known and shared, else None.

  Strings are not looked at: `get_static_value` fails on `tf.zeros([0], tf.string)`.
  """
  is_read = batch.form == SHARED and batch.tensor.dtype != tf.string
  return tf.get_static_value(batch.tensor) if is_read else None


def axis_of(batch: Batch, rank: int | None) -> int | None:
  """Returns a constant axis counted from the front, None if it is not known."""
  axis = constant(batch)
  return None if axis is None or not rank else int(axis) % rank


def is_rows(batch: Batch, rank: int | None = None) -> bool:
  """Whether a batch is merged, and its values are of a rank, if one is given."""
  return batch.form == MERGED and batch.rank is not None and rank in (None, batch.rank)


# --- From form to form


def batch_of(tensor: tf.Tensor, shape: tf.TensorShape) -> Batch:
  """Returns frames' values of a defined static shape from a tensor with the same elements."""
  form = MERGED if begins_with_one(shape) else STACKED
  row_shape = shape[1:] if form == MERGED else shape
  return Batch(with_row_shape(tensor, row_shape), form, shape)


def with_row_shape(tensor: tf.Tensor, row_shape: tf.TensorShape) -> tf.Tensor:
  """Returns [n, ...] with the same elements and other rows.

  Where the shape of a row is not known, rows have some leading dimensions of one more or less.
  """
  if _has_row_shape(tensor, row_shape):
    return tensor
  if row_shape.is_fully_defined() and row_shape.num_elements():
    if not tensor.shape[1:].is_fully_defined():
      return tf.reshape(tensor, [-1, *row_shape])
    while tensor.op.type == "Reshape" and tensor.op.inputs[0].shape[1:].is_fully_defined():
      tensor = tensor.op.inputs[0]  # Of two reshapes, one after the other, the second is enough.
      if _has_row_shape(tensor, row_shape):
        return tensor
    for op in tensor.consumers():
      if op.type == "Reshape" and _has_row_shape(op.outputs[0], row_shape):
        return op.outputs[0]
    with own_gradient("Reshape"):
      return tf.reshape(tensor, [-1, *row_shape])
  if row_shape.is_fully_defined():
    return tf.reshape(tensor, tf.concat([tf.shape(tensor)[:1], row_shape.as_list()], 0))
  assert row_shape.rank is not None
  assert tensor.shape.rank is not None
  surplus = tensor.shape.rank - 1 - row_shape.rank
  if surplus > 0:
    return tf.squeeze(tensor, list(range(1, 1 + surplus)))
  for _ in range(-surplus):
    tensor = tf.expand_dims(tensor, 1)
  return tensor


def _has_row_shape(tensor: tf.Tensor, row_shape: tf.TensorShape) -> bool:
  known = tensor.shape
  return bool(known.rank) and known[0] is None and list(known[1:]) == list(row_shape)


def stacked(batch: Batch) -> tf.Tensor:
  """Returns [n, ...], frames' whole values, of a batch that is not shared."""
  if batch.form != MERGED:
    return batch.tensor
  return with_row_shape(batch.tensor, batch.shape)


def rows_of(batch: Batch) -> tf.Tensor | None:
  """Returns [n, ...] for frames' [1, ...]; None if they are not, or are shared."""
  if batch.form == SHARED or not begins_with_one(batch.shape):
    return None
  return batch.tensor if batch.form == MERGED else with_row_shape(batch.tensor, batch.shape[1:])


def aligned(batch: Batch, rank: int, is_merged: bool) -> tf.Tensor:
  """Returns what broadcasts against frames' values of a rank, in merged or in stacked form."""
  assert batch.rank is not None
  if batch.form == SHARED:
    return batch.tensor
  shape = tf.TensorShape([1] * (rank - batch.rank)).concatenate(batch.shape)
  return with_row_shape(batch.tensor, shape[1:] if is_merged else shape)


def settled(batch: Batch) -> Batch:
  """Returns a batch merged where its values are rows of one, and only there."""
  if batch.form == MERGED and not begins_with_one(batch.shape):
    return Batch(tf.expand_dims(batch.tensor, 1), STACKED, batch.shape)
  if batch.form == STACKED and begins_with_one(batch.shape) and batch.is_static:
    return batch_of(batch.tensor, batch.shape)
  return batch


def spread(batch: Batch, like: tf.Tensor, is_merged: bool) -> tf.Tensor:
  """Returns a value that all frames share once for each row of `like`, [n, ...]."""
  shape = batch.shape[1:] if is_merged else batch.shape
  if list(like.shape[1:]) == list(shape):
    wanted = tf.shape(like)
  else:
    wanted = tf.concat([tf.shape(like)[:1], shape.as_list()], 0)
  with own_gradient("BroadcastTo"):
    return tf.broadcast_to(batch.tensor, wanted)


def unified(inputs: list[Batch]) -> tuple[list[tf.Tensor], str] | None:
  """Returns the tensors of several values in one form, shared ones once for each frame.

  None if too little is known of the shapes.
  """
  if any(batch.rank is None for batch in inputs):
    return None
  is_merged = all(begins_with_one(batch.shape) for batch in inputs)
  if any(b.form == SHARED and not b.shape.is_fully_defined() for b in inputs):
    return None
  if not is_merged and any(b.form == MERGED and not b.is_static for b in inputs):
    return None
  tensors = {
    i: aligned(batch, batch.rank or 0, is_merged)
    for i, batch in enumerate(inputs)
    if batch.form != SHARED
  }
  like = next(iter(tensors.values()))
  for i, batch in enumerate(inputs):
    if batch.form == SHARED:
      tensors[i] = spread(batch, like, is_merged)
  found = [tensors[i] for i in range(len(inputs))]
  return found, MERGED if is_merged else STACKED


def own(type_: str, *tensors: tf.Tensor) -> str | None:
  """Returns the name of our gradient of ops of a type, None if shapes are not known enough.

  Args:
    type_: the type.
    tensors: what goes in and comes out: [n, ...], or shared.
  """
  return None if may_be_empty(*tensors) else ROWS + type_
