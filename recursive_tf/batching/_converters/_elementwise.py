"""Ops on each element: the number of rows does not matter, only what is broadcast."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._converters._batch import (
  MERGED,
  SHARED,
  STACKED,
  Batch,
  NoConverterError,
  aligned,
  emit,
  own,
  register,
)
from recursive_tf.batching._converters._gradients import own_gradient
from recursive_tf.batching._ir import begins_with_one

_UNARY = """
  Abs Acos Acosh Angle Asin Asinh Atan Atanh BesselI0e BesselI1e Bitcast Cast Ceil CheckNumerics
  ComplexAbs Conj Cos Cosh Digamma Elu Erf Erfc Erfinv Exp Expm1 Floor Identity Imag Inv Invert
  IsFinite IsInf IsNan LeakyRelu Lgamma Log Log1p LogicalNot Ndtri Neg PreventGradient Real
  Reciprocal Relu Relu6 Rint Round Rsqrt Selu Sigmoid Sign Sin Sinh Snapshot Softplus Softsign Sqrt
  Square StopGradient Tan Tanh
""".split()
_BROADCASTING = """
  Add AddV2 Atan2 BitwiseAnd BitwiseOr BitwiseXor Complex Div DivNoNan Equal FloorDiv FloorMod
  Greater GreaterEqual LeftShift Less LessEqual LogicalAnd LogicalOr Maximum Minimum Mod Mul
  MulNoNan NotEqual Pow RealDiv RightShift SelectV2 SquaredDifference Sub TruncateDiv TruncateMod
  Xdivy Xlog1py Xlogy
""".split()
_SAME_SHAPE = """
  EluGrad InvGrad LeakyReluGrad ReciprocalGrad Relu6Grad ReluGrad RsqrtGrad SeluGrad SigmoidGrad
  SoftplusGrad SoftsignGrad SqrtGrad TanhGrad
""".split()
# Of these the gradient is ours; see _gradients.py.
_OWN = """
  Add AddV2 Div Maximum Minimum Mul Pow RealDiv SelectV2 SquaredDifference Sub
""".split()


@register(*_UNARY)
def _unary(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  (value,) = inputs
  if op.outputs[0].dtype == tf.variant or op.outputs[0].shape.rank != value.rank:
    return None
  return emit(op, [value.tensor], value.form)


def broadcast(inputs: list[Batch]) -> tuple[list[tf.Tensor], str] | None:
  """Returns operands that broadcast against one another as those of each frame do, and the form."""
  ranks = [batch.rank for batch in inputs if batch.rank is not None]
  if len(ranks) < len(inputs):
    return None
  rank = max(ranks)
  is_merged = rank > 0 and all(b.rank != rank or begins_with_one(b.shape) for b in inputs)
  return [aligned(b, rank, is_merged) for b in inputs], MERGED if is_merged else STACKED


@register(*_BROADCASTING)
def _broadcasting(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  found = broadcast(inputs)
  if found is None:
    return None
  tensors, form = found
  gradient = None
  if op.type in _OWN and op.outputs[0].dtype.is_floating and op.outputs[0].shape.rank is not None:
    row_shape = op.outputs[0].shape[1:] if form == MERGED else op.outputs[0].shape
    is_known = row_shape.is_fully_defined() and (op.type != "Pow" or tensors[1].op.type == "Const")
    is_known = is_known and all(
      batch.form != SHARED or batch.shape.is_fully_defined() for batch in inputs
    )
    gradient = own(op.type, *tensors) if is_known else None
  return emit(op, tensors, form, gradient)


@register(*_SAME_SHAPE)
def _same_shape(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  if any(batch.form != inputs[0].form for batch in inputs):
    return None
  return emit(op, [batch.tensor for batch in inputs], inputs[0].form)


@register("AddN")
def _add_n(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  """Shared operands, which AddN would not broadcast, are added up first."""
  rows = [batch for batch in inputs if batch.form != SHARED]
  if any(batch.form != rows[0].form for batch in rows):
    return None
  if len(rows) == len(inputs):
    return emit(op, [batch.tensor for batch in rows], rows[0].form)
  total = tf.add_n([batch.tensor for batch in rows]) if len(rows) > 1 else rows[0].tensor
  shared = [batch.tensor for batch in inputs if batch.form == SHARED]
  constant = tf.add_n(shared) if len(shared) > 1 else shared[0]
  if own("AddV2", total, constant) is None or not constant.shape.is_fully_defined():
    return None
  with own_gradient("AddV2"):
    total = total + constant
  return [Batch(total, rows[0].form, op.outputs[0].shape)]


@register("Select")
def _select(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  """The older `where`, whose condition may be one for each row or one for all elements."""
  condition, first, second = inputs
  if condition.rank not in (0, first.rank) or first.rank != second.rank:
    return None
  found = broadcast([condition, first, second])
  if found is None:
    return None
  tensors, form = found
  if own("SelectV2", *tensors) is None or not op.outputs[0].shape.is_fully_defined():
    return [Batch(tf.where(*tensors), form, op.outputs[0].shape)]
  with own_gradient("SelectV2"):
    return [Batch(tf.where(*tensors), form, op.outputs[0].shape)]


@register("ClipByValue")
def _clip(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  value, *bounds = inputs
  if value.form == SHARED or any(b.form != SHARED or b.rank != 0 for b in bounds):
    return None
  return emit(op, [batch.tensor for batch in inputs], value.form)


@register("ZerosLike", "OnesLike")
def _filled_like(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  (value,) = inputs
  shape, dtype = value.shape, op.outputs[0].dtype
  if dtype == tf.variant:
    return None
  if not shape.is_fully_defined():
    return emit(op, [value.tensor], value.form)
  filled = tf.zeros(shape, dtype) if op.type == "ZerosLike" else tf.ones(shape, dtype)
  return [Batch(filled, SHARED, shape)]


@register("Shape", "Size", "Rank", "ShapeN")
def _shape(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  """What is known of the shapes is a constant."""
  if op.type == "Rank":
    found = [batch.rank for batch in inputs]
    if None in found:
      return None
  elif not all(batch.shape.is_fully_defined() for batch in inputs):
    return None
  elif op.type == "Size":
    found = [batch.shape.num_elements() for batch in inputs]
  else:
    found = [batch.shape.as_list() for batch in inputs]
  return [
    Batch(tf.constant(known, output.dtype), SHARED, output.shape)
    for known, output in zip(found, op.outputs, strict=True)
  ]


@register("EnsureShape")
def _ensure_shape(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  (value,) = inputs
  shape = op.outputs[0].shape
  if value.rank is None or (value.form == STACKED and begins_with_one(shape)):
    return None
  if value.shape.is_fully_defined():
    return [Batch(value.tensor, value.form, shape)]
  row_shape = shape[1:] if value.form == MERGED else shape
  name = op.name.rpartition("/")[2]  # Errors say it.
  return [Batch(tf.ensure_shape(value.tensor, [None, *row_shape], name), value.form, shape)]


@register("RecursiveTf>LstmGates")
def _lstm_gates(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  """Gates and memories of one leading shape, and biases that all frames share."""
  num_rows = 1 + op.get_attr("N")
  rows, biases = inputs[:num_rows], inputs[num_rows:]
  if any(b.form == SHARED or b.rank != rows[0].rank for b in rows):
    return None
  if any(b.form != SHARED for b in biases):
    raise NoConverterError("its bias is another in each frame")
  found = broadcast(inputs)
  return None if found is None else emit(op, *found)


@register("RecursiveTf>Check")
def _check(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  """A value that all frames share stays one: if one frame's check fails, the step does."""
  value, ok = inputs
  return emit(op, [value.tensor, ok.tensor], value.form)


@register(
  *("RecursiveTf>PythonUnary", "RecursiveTf>PythonBinary", "RecursiveTf>PythonMultiplyMod"),
  *("RecursiveTf>PythonScalarUnary", "RecursiveTf>PythonScalarBinary"),
)
def _python_numbers(op: tfi.Operation, inputs: list[Batch]) -> list[Batch] | None:
  if any(batch.rank != 0 for batch in inputs):
    return None
  return emit(op, [batch.tensor for batch in inputs], STACKED)
