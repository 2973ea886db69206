"""Ops on strings, each on each element."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._converters._batch import SHARED, STACKED, Batch, emit, register

_UNARY = """
  AsString RegexFullMatch StaticRegexFullMatch StaticRegexReplace StringLength StringLower
  StringStrip StringToNumber StringUpper RecursiveTf>FloatText
""".split()


@register(*_UNARY)
def _unary(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, *rest = inputs
  if any(batch.form != SHARED for batch in rest):
    return None  # A pattern of each frame.
  return emit(op, [batch.tensor for batch in inputs], value.form)


@register("StringJoin")
def _join(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  """Strings of which all are one, or which are one for all frames."""
  if any(batch.rank != 0 for batch in inputs):
    return None
  return emit(op, [batch.tensor for batch in inputs], STACKED)


@register("Substr")
def _substr(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  """One string for each frame: where all have not the same places, each has its own."""
  if any(batch.rank != 0 for batch in inputs):
    return None
  text, *places = inputs
  if text.form == SHARED or any(batch.form != SHARED for batch in places):
    rows = next(batch for batch in inputs if batch.form != SHARED)
    shape = tf.shape(rows.tensor)
    tensors = [b.tensor if b.form != SHARED else tf.broadcast_to(b.tensor, shape) for b in inputs]
  else:
    tensors = [batch.tensor for batch in inputs]
  return emit(op, tensors, STACKED)
