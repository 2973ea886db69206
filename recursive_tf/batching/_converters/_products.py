"""Matrix products and what goes with them.

A product with weights that all frames share is one product of all rows; so is its gradient with
respect to the weights, which the backward pass sums up over all steps if it is a plain MatMul.
"""

from __future__ import annotations

import string

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._converters._batch import (
  MERGED,
  SHARED,
  STACKED,
  Batch,
  NoConverterError,
  aligned,
  batch_of,
  emit,
  is_rows,
  own,
  register,
  rows_of,
  stacked,
  with_row_shape,
)
from recursive_tf.batching._converters._gradients import own_gradient


@register("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def _matmul(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  left, right = inputs
  shape = op.outputs[0].shape
  is_plain = op.type == "MatMul"
  is_left = op.get_attr("transpose_a" if is_plain else "adj_x")
  is_right = op.get_attr("transpose_b" if is_plain else "adj_y")
  if is_rows(left, 2) and right.form == SHARED and right.rank == 2 and not is_left:
    if is_plain:
      return emit(op, [left.tensor, right.tensor], MERGED)
    if not op.outputs[0].dtype.is_complex and op.outputs[0].dtype == left.tensor.dtype:
      product = tf.matmul(left.tensor, right.tensor, transpose_b=is_right)
      return [Batch(product, MERGED, shape)]
  dtype = op.outputs[0].dtype
  is_static = left.is_static and right.is_static and shape.is_fully_defined()
  if any(b.rank is None or b.tensor.dtype != dtype for b in inputs):
    return None
  if not is_static or not dtype.is_floating:
    return [_product_of_any(op, left, right)]
  assert left.rank is not None
  assert right.rank is not None
  if right.form == SHARED and right.rank == 2 and not is_left:
    rows = with_row_shape(left.tensor, left.shape[-1:])  # [n * ..., K]
    return [batch_of(tf.matmul(rows, right.tensor, transpose_b=is_right), shape)]
  columns = right.shape[-2 if is_right else -1]
  if left.form == SHARED and left.rank == 2 and right.rank == 2 and columns == 1:
    rows = with_row_shape(right.tensor, tf.TensorShape([right.shape.num_elements()]))
    return [batch_of(tf.matmul(rows, left.tensor, transpose_b=not is_left), shape)]
  if left.form != SHARED and right.form != SHARED and shape.as_list() == [1, 1]:
    return [_dot_products(left, right)]
  rank = max(left.rank, right.rank)
  tensors = [
    batch.tensor
    if batch.form == SHARED
    else with_row_shape(
      batch.tensor, tf.TensorShape([1] * (rank - (batch.rank or 0))).concatenate(batch.shape)
    )
    for batch in inputs
  ]
  with own_gradient("BatchMatMulV2"):
    product = tf.raw_ops.BatchMatMulV2(x=tensors[0], y=tensors[1], adj_x=is_left, adj_y=is_right)
  return [batch_of(product, shape)]


def _product_of_any(op: tfi.Operation, left: Batch, right: Batch) -> Batch:
  """Multiplies matrices of which the run may know the sizes alone: any may be 0."""
  shape = op.outputs[0].shape
  if op.type == "MatMul":
    options = {name: op.get_attr(name) for name in ("transpose_a", "transpose_b")}
    is_left = options["transpose_a"]
  else:
    is_left = op.get_attr("adj_x")
    options = {"adjoint_a": is_left, "adjoint_b": op.get_attr("adj_y")}
  if right.form != SHARED or right.rank != 2 or is_left:
    rank = max(left.rank or 0, right.rank or 0)
    operands = [aligned(batch, rank, is_merged=False) for batch in (left, right)]
    return Batch(tf.matmul(*operands, **options), STACKED, shape)
  sizes = tf.shape(left.tensor)  # A -1 in their place would be wrong where there are no elements.
  width = left.tensor.shape[-1]
  count = -1 if width else tf.reduce_prod(sizes[:-1])
  rows = tf.reshape(left.tensor, [count, width or sizes[-1]])
  product = tf.matmul(rows, right.tensor, **options)
  last = product.shape[-1:] if product.shape[-1] is not None else tf.shape(product)[-1:]
  found = tf.reshape(product, tf.concat([sizes[:-1], last], 0))
  found.set_shape(left.tensor.shape[:-1].concatenate(product.shape[-1]))
  return Batch(found, left.form, shape)


def _dot_products(left: Batch, right: Batch) -> Batch:
  """Multiplies rows [1, K] with columns [K, 1]."""
  row_shape = tf.TensorShape([left.shape.num_elements()])
  rows = [with_row_shape(batch.tensor, row_shape) for batch in (left, right)]
  with own_gradient("Mul"):
    terms = rows[0] * rows[1]
  with own_gradient("Sum"):
    return Batch(tf.reduce_sum(terms, 1, keepdims=True), MERGED, tf.TensorShape([1, 1]))


@register("Einsum")
def _einsum(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  equation = op.get_attr("equation").decode().replace(" ", "")
  if "." in equation:
    return None
  operands, result = equation.split("->")
  labels = operands.split(",")
  shape = op.outputs[0].shape
  firsts = {label[:1] for label, batch in zip(labels, inputs, strict=True) if is_rows(batch)}
  is_merged = (
    all(batch.form != STACKED for batch in inputs)
    and len(firsts) == 1
    and result[:1] in firsts
    and all(
      (label[:1] in firsts and label.count(label[0]) == 1)
      if batch.form == MERGED
      else not firsts & set(label)
      for label, batch in zip(labels, inputs, strict=True)
    )
  )
  if is_merged:
    if _is_product(labels, result) and [b.form for b in inputs] == [MERGED, SHARED]:
      is_transposed = labels[1][1] == labels[0][1]
      product = tf.matmul(inputs[0].tensor, inputs[1].tensor, transpose_b=is_transposed)
      return [Batch(product, MERGED, shape)]
    return emit(op, [batch.tensor for batch in inputs], MERGED)
  if not all(b.form != MERGED or b.is_static for b in inputs):
    return None
  row = next(letter for letter in string.ascii_letters if letter not in equation)
  parts = [
    label if batch.form == SHARED else row + label
    for label, batch in zip(labels, inputs, strict=True)
  ]
  tensors = [b.tensor if b.form == SHARED else stacked(b) for b in inputs]
  product = tf.raw_ops.Einsum(inputs=tensors, equation=f"{','.join(parts)}->{row}{result}")
  return [Batch(product, STACKED, shape)]


def _is_product(labels: list[str], result: str) -> bool:
  """Whether an equation is ab,bc->ac or ab,cb->ac."""
  if len(labels) != 2 or any(len(part) != 2 or len(set(part)) != 2 for part in (*labels, result)):
    return False
  first, second = labels
  return first[1] in second and result == first[0] + second.replace(first[1], "")


@register("RecursiveTf>WeightMatMul", "RecursiveTf>Bfloat16MatMul")
def _weight_matmul(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  if inputs[0].form == SHARED or any(batch.form != SHARED for batch in inputs[1:]):
    return None
  return emit(op, [batch.tensor for batch in inputs], inputs[0].form)


@register("BiasAdd")
def _bias_add(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, bias = inputs
  if value.form == SHARED or bias.form != SHARED or op.get_attr("data_format") != b"NHWC":
    return None
  return emit(op, [value.tensor, bias.tensor], value.form)


@register("Softmax", "LogSoftmax", "TopK", "TopKV2")
def _along_rows(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  """Of the last dimension, which must not be that of the rows."""
  value, *rest = inputs
  if value.form == SHARED or value.rank is None or value.rank < (2 if is_rows(value) else 1):
    return None
  if any(batch.form != SHARED for batch in rest):
    raise NoConverterError("it takes another number in each frame")
  return emit(op, [value.tensor, *(batch.tensor for batch in rest)], value.form)


@register(
  "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", "InTopK", "InTopKV2"
)
def _by_row(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  """Of [B, C] and [B, C] or [B]; B rows of each of n frames are n * B rows."""
  values, rest = inputs[:2], inputs[2:]
  if any(batch.form == SHARED for batch in values) or any(b.form != SHARED for b in rest):
    return None
  others = [batch.tensor for batch in rest]
  rows = [rows_of(batch) for batch in values]
  if all(row is not None for row in rows):
    return emit(op, [row for row in rows if row is not None] + others, MERGED)
  if not all(batch.is_static for batch in values):
    return None
  rows = [with_row_shape(batch.tensor, batch.shape[1:]) for batch in values]
  outputs = tfi.copy_op(op, rows + others).outputs
  return [batch_of(t, old.shape) for t, old in zip(outputs, op.outputs, strict=True)]


@register("L2Loss")
def _l2_loss(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  (value,) = inputs
  if not value.is_static or own("Sum", value.tensor) is None:
    return None
  axes = list(range(1, value.tensor.shape.rank))
  squares = tf.square(value.tensor)
  with own_gradient("Sum"):
    total = tf.reduce_sum(squares, axes) if axes else squares
  return [Batch(total * tf.constant(0.5, total.dtype), STACKED, op.outputs[0].shape)]
