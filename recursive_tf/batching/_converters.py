"""How each op serves many frames at once.

A value of n frames is stacked: [n, ...]. Where a frame's value is itself a row of one, [1, D], the
rows are not stacked but put below one another, [n, D]: merged. Most bodies are written for rows of
one, as a Python function over one example of a batch would be; merged, their ops are what a
hand-batched program would run, with no reshapes in between. Converters for merged and stacked
values are here; what they leave is done by TensorFlow's own converters, those of
`tf.vectorized_map`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._ir import Node, Value

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


# (op, its inputs) -> its outputs, or None if the inputs are not of the form it is for.
Converter = Callable[[tfi.Operation, list[Batch]], "list[Batch] | None"]
_converters: dict[str, Converter] = {}


# What TensorFlow would vectorise to something that is not what each frame computes.
_NOT_THE_SAME = ("Assert", "Multinomial", "Print", "PrintV2", "StringFormat")


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
  converter = _converters.get(op.type)
  found = converter(op, inputs) if converter is not None else None
  if found is not None:
    return found
  if op.type in _NOT_THE_SAME or op.type.startswith("Stateless"):
    raise NoConverterError("for many frames at once it would give something else")
  if any(batch.shape.rank is None for batch in inputs):
    raise NoConverterError("the rank of an input is not known")
  wrapped = [(_unmerged(batch), batch.form != SHARED) for batch in inputs]
  try:
    with tf.name_scope(op.name + "/batched"):
      outputs = tfi.pfor_convert(pfor(), op, wrapped)
  except tfi.PFOR_ERRORS as error:
    raise NoConverterError(str(error).splitlines()[0]) from error
  if outputs is None:
    raise NoConverterError("TensorFlow has no vectorised form of it")
  batches = []
  for (tensor, is_stacked), value in zip(outputs, node.outputs, strict=True):
    if is_stacked:
      tensor.set_shape(tf.TensorShape([None]).concatenate(value.shape))
    if is_stacked and value.is_merged and value.shape.is_fully_defined():
      batches.append(_batch_of(tensor, value.shape))
    else:
      batches.append(Batch(tensor, STACKED if is_stacked else SHARED, value.shape))
  return batches


def to_border(batch: Batch, value: Value) -> tf.Tensor:
  """Returns a batch as it leaves a block: one row for each frame; shared ones as they are."""
  if batch.form == SHARED:
    return tf.squeeze(batch.tensor, 0) if value.is_merged else batch.tensor
  if batch.form == MERGED:
    return batch.tensor
  if value.is_merged:
    return _with_row_shape(batch.tensor, value.row_shape)
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
    wanted = [-1 if size is None else size for size in shape.as_list()]
    return Batch(tf.reshape(batch.tensor, wanted), SHARED, shape)
  if shape.is_fully_defined():
    tensor = batch.tensor
    if not batch.shape.is_fully_defined() and batch.rank == shape.rank:
      tensor = tf.ensure_shape(tensor, [None, *shape])
    return _batch_of(tensor, shape)
  tensor = _unmerged(batch)
  if shape.rank is None or batch.rank is None:
    raise NoConverterError("the rank of a value that a call passes on is not known")
  if batch.rank != shape.rank:
    if not shape[1:].is_fully_defined():
      raise NoConverterError("the shape of a value that a call passes on is not known")
    tensor = tf.reshape(tensor, tf.concat([tf.shape(tensor)[:2], shape[1:].as_list()], 0))
  return Batch(tensor, STACKED, shape)


def _batch_of(tensor: tf.Tensor, shape: tf.TensorShape) -> Batch:
  """Returns frames' values of a defined static shape from a tensor with the same elements."""
  form = MERGED if shape.rank and shape[0] == 1 else STACKED
  row_shape = shape[1:] if form == MERGED else shape
  return Batch(_with_row_shape(tensor, row_shape), form, shape)


def _with_row_shape(tensor: tf.Tensor, row_shape: tf.TensorShape) -> tf.Tensor:
  if tensor.shape.rank is not None and tensor.shape[1:].as_list() == row_shape.as_list():
    return tensor
  if row_shape.is_fully_defined() and row_shape.num_elements():
    return tf.reshape(tensor, [-1, *row_shape])
  rows = tf.shape(tensor)[:1]
  return tf.reshape(tensor, tf.concat([rows, tf.shape(tensor)[2:]], 0))


def _unmerged(batch: Batch) -> tf.Tensor:
  return tf.expand_dims(batch.tensor, 1) if batch.form == MERGED else batch.tensor


# --- Converters


def _register(*types: str) -> Callable[[Converter], Converter]:
  def register(converter: Converter) -> Converter:
    for name in types:
      assert name not in _converters, name
      _converters[name] = converter
    return converter

  return register


def _emit(
  op: tfi.Operation, inputs: list[tf.Tensor], forms: str, gradient: str | None = None
) -> list[Batch]:
  outputs = tfi.copy_op(op, inputs, gradient).outputs
  return [Batch(t, forms, old.shape) for t, old in zip(outputs, op.outputs, strict=True)]


def _static_rows(inputs: list[Batch]) -> str | None:
  """Returns the form in which an op that is elementwise over rows can take its inputs as they are.

  Merged: all are merged and of one rank, or shared and broadcast along the rows. Stacked: all are
  stacked and of one rank, or shared and of no larger one.
  """
  forms = {batch.form for batch in inputs if batch.form != SHARED}
  ranks = {batch.rank for batch in inputs if batch.form != SHARED}
  if len(forms) != 1 or len(ranks) != 1 or None in ranks:
    return None
  (form,), (rank,) = forms, ranks
  assert rank is not None
  for batch in inputs:
    if batch.form != SHARED:
      continue
    if batch.rank is None or batch.rank > rank:
      return None
    if form == MERGED and batch.rank == rank and batch.shape[0] != 1:
      return None
  return form


_ELEMENTWISE = """
  Abs Acos Acosh Add AddN AddV2 Asin Asinh Atan Atan2 Atanh BitwiseAnd BitwiseOr BitwiseXor Cast
  Ceil ClipByValue Cos Cosh Digamma Div DivNoNan Elu Equal Erf Erfc Exp Expm1 Floor FloorDiv
  FloorMod Greater GreaterEqual Inv IsFinite IsInf IsNan LeakyRelu LeftShift Less LessEqual Lgamma
  Log Log1p LogicalAnd LogicalNot LogicalOr Maximum Minimum Mod Mul MulNoNan Neg NotEqual OnesLike
  Pow Real RealDiv Reciprocal Relu Relu6 RightShift Rint Round Rsqrt SelectV2 Selu Sigmoid Sign Sin
  Sinh Softplus Softsign Sqrt Square SquaredDifference StopGradient Sub Tan Tanh TruncateDiv
  TruncateMod Xdivy Xlogy Xlog1py ZerosLike Identity PreventGradient Snapshot
""".split()
# Their gradients look for dimensions that were broadcast; in rows of equal shape there are none.
_SAME_SHAPE_GRADIENTS = ("Add", "AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum")
SAME_SHAPE = "RecursiveTf>SameShape"


@_register(*_ELEMENTWISE)
def _elementwise(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  form = _static_rows(inputs)
  if form is None or any(output.dtype == tf.variant for output in op.outputs):
    return None
  if op.type == "AddN" and any(batch.form == SHARED for batch in inputs):
    return None  # It does not broadcast.
  gradient = None
  if op.type in _SAME_SHAPE_GRADIENTS and op.outputs[0].dtype.is_floating:
    first, second = inputs
    is_same = first.form == second.form and first.shape.is_fully_defined()
    if is_same and first.shape == second.shape:
      gradient = SAME_SHAPE + op.type
  return _emit(op, [batch.tensor for batch in inputs], form, gradient)


@_register("RecursiveTf>LstmGates")
def _lstm_gates(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  form = _static_rows(inputs)
  return None if form is None else _emit(op, [batch.tensor for batch in inputs], form)


def _is_rows(batch: Batch, rank: int | None = None) -> bool:
  return batch.form == MERGED and batch.rank is not None and (rank is None or batch.rank == rank)


@_register("MatMul", "BatchMatMulV2")
def _matmul(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  left, right = inputs
  transposes = op.get_attr("transpose_a" if op.type == "MatMul" else "adj_x")
  if not _is_rows(left, 2) or right.form != SHARED or right.rank != 2 or transposes:
    return None
  return _emit(op, [left.tensor, right.tensor], MERGED)


@_register("RecursiveTf>WeightMatMul")
def _weight_matmul(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  if inputs[0].form == SHARED or any(batch.form != SHARED for batch in inputs[1:]):
    return None
  return _emit(op, [batch.tensor for batch in inputs], inputs[0].form)


@_register("BiasAdd")
def _bias_add(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, bias = inputs
  if not _is_rows(value) or bias.form != SHARED or op.get_attr("data_format") != b"NHWC":
    return None
  return _emit(op, [value.tensor, bias.tensor], MERGED)


@_register(
  "Softmax", "LogSoftmax", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"
)
def _softmax(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  if not all(_is_rows(batch) for batch in inputs) or inputs[0].rank != 2:
    return None
  return _emit(op, [batch.tensor for batch in inputs], MERGED)


@_register("ConcatV2")
def _concat(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  *values, axis = inputs
  position = _axis(axis, values[0].rank)
  if position is None or position == 0 or not all(_is_rows(value) for value in values):
    return None
  return _emit(op, [value.tensor for value in values] + [axis.tensor], MERGED)


@_register("Split")
def _split(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  axis, value = inputs
  if not _is_rows(value) or _axis(axis, value.rank) in (None, 0):
    return None
  return _emit(op, [axis.tensor, value.tensor], MERGED)


@_register("SplitV")
def _split_v(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, sizes, axis = inputs
  if not _is_rows(value) or sizes.form != SHARED or _axis(axis, value.rank) in (None, 0):
    return None
  return _emit(op, [value.tensor, sizes.tensor, axis.tensor], MERGED)


@_register("Unpack")
def _unpack(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  (value,) = inputs
  axis = op.get_attr("axis")
  if not _is_rows(value):
    return None
  assert value.rank is not None
  if axis % value.rank:
    return _emit(op, [value.tensor], MERGED)
  return [Batch(value.tensor, STACKED, op.outputs[0].shape)]  # The only row there is.


@_register("Pack")
def _pack(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  shape, axis = op.outputs[0].shape, op.get_attr("axis")
  if len(inputs) == 1 and inputs[0].form == STACKED and shape.rank == 1:
    return [Batch(inputs[0].tensor, MERGED, shape)]
  if shape.rank is None or axis % shape.rank == 0 or not all(_is_rows(b) for b in inputs):
    return None
  return _emit(op, [batch.tensor for batch in inputs], MERGED)


@_register("Reshape", "Squeeze", "ExpandDims")
def _reshape(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, shape = inputs[0], op.outputs[0].shape
  is_static = shape.is_fully_defined() and value.shape.is_fully_defined()
  if value.form == SHARED or not is_static or shape.num_elements() == 0:
    return None
  if any(batch.form != SHARED for batch in inputs[1:]):
    return None
  return [_batch_of(value.tensor, shape)]


@_register("Tile")
def _tile(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, multiples = inputs
  times = _constant(multiples)
  if value.form == SHARED or times is None or value.rank != len(times):
    return None
  shape = op.outputs[0].shape
  if value.form == MERGED and times[0] == 1:
    return [Batch(tf.tile(value.tensor, [1, *times[1:]]), MERGED, shape)]
  return [Batch(tf.tile(_unmerged(value), [1, *times]), STACKED, shape)]


@_register("Sum", "Mean", "Prod", "Max", "Min", "All", "Any")
def _reduce(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, axes = inputs
  found = _constant(axes)
  if not _is_rows(value) or found is None:
    return None
  assert value.rank is not None
  positions = sorted({int(axis) % value.rank for axis in found.reshape(-1)})
  keeps = op.get_attr("keep_dims")
  inner = [axis for axis in positions if axis]
  tensor = value.tensor
  if inner:
    tensor = tfi.copy_op(op, [tensor, tf.constant(inner, axes.tensor.dtype)]).outputs[0]
  return [Batch(tensor, MERGED if keeps or 0 not in positions else STACKED, op.outputs[0].shape)]


@_register("ArgMax", "ArgMin")
def _argmax(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, axis = inputs
  if not _is_rows(value) or _axis(axis, value.rank) in (None, 0):
    return None
  return _emit(op, [value.tensor, axis.tensor], MERGED)


@_register("GatherV2")
def _gather(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  params, indices, axis = inputs
  is_plain = params.form == SHARED and indices.form != SHARED and not op.get_attr("batch_dims")
  if not is_plain or _axis(axis, params.rank) != 0:
    return None
  return _emit(op, [params.tensor, indices.tensor, axis.tensor], indices.form)


@_register("ResourceGather")
def _resource_gather(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  handle, indices = inputs
  if handle.form != SHARED or indices.form == SHARED or op.get_attr("batch_dims"):
    raise NoConverterError("it reads another variable in each frame")
  return _emit(op, [handle.tensor, indices.tensor], indices.form)


@_register("LookupTableFindV2")
def _lookup(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  table, keys, default = inputs
  if table.form != SHARED or default.form != SHARED or keys.form == SHARED:
    raise NoConverterError("it reads another table in each frame")
  return _emit(op, [table.tensor, keys.tensor, default.tensor], keys.form)


@_register("StridedSlice")
def _strided_slice(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  """Converts `table[i]`; other slices are left to TensorFlow."""
  table, begin, end, strides = inputs
  masks = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask")
  steps = _constant(strides)
  is_row = (
    table.form == SHARED
    and begin.form != SHARED
    and begin.shape.as_list() == [1]
    and steps is not None
    and steps.tolist() == [1]
    and op.get_attr("shrink_axis_mask") == 1
    and not any(op.get_attr(mask) for mask in masks)
  )
  if not is_row:
    return None
  index = tf.reshape(begin.tensor, [-1])
  size = tf.shape(table.tensor, out_type=index.dtype)[0]
  index = tf.where(index < 0, index + size, index)  # As in Python; tf.gather takes no negative.
  return [Batch(tf.gather(table.tensor, index), STACKED, op.outputs[0].shape)]


def _constant(batch: Batch) -> Any:
  return tf.get_static_value(batch.tensor) if batch.form == SHARED else None


def _axis(batch: Batch, rank: int | None) -> int | None:
  """Returns a constant axis counted from the front, None if it is not known."""
  axis = _constant(batch)
  return None if axis is None or not rank else int(axis) % rank


# --- Gradients of elementwise ops whose operands have one shape


def _same_shape(name: str, gradient: Callable[[Any, tf.Tensor], tuple[Any, Any]]) -> None:
  def registered(op: Any, dy: Any) -> tuple[Any, Any]:
    # tf.saved_model.save traces the gradients of ops that have their own: for nobody.
    return (None, None) if op is None else gradient(op, dy)

  tf.RegisterGradient(SAME_SHAPE + name)(registered)


def _masked(op: Any, dy: tf.Tensor, is_first: tf.Tensor) -> tuple[Any, Any]:
  zeros = tf.zeros_like(dy)
  return tf.where(is_first, dy, zeros), tf.where(is_first, zeros, dy)


_same_shape("Add", lambda op, dy: (dy, dy))
_same_shape("AddV2", lambda op, dy: (dy, dy))
_same_shape("Sub", lambda op, dy: (dy, -dy))
_same_shape("Mul", lambda op, dy: (dy * op.inputs[1], dy * op.inputs[0]))
_same_shape(
  "RealDiv",
  lambda op, dy: (dy / op.inputs[1], -dy * op.inputs[0] / op.inputs[1] / op.inputs[1]),
)
_same_shape("Maximum", lambda op, dy: _masked(op, dy, op.inputs[0] >= op.inputs[1]))
_same_shape("Minimum", lambda op, dy: _masked(op, dy, op.inputs[0] <= op.inputs[1]))
