"""How much work a frame is: what a call is divided between threads by.

Counted, not measured: the same call is divided the same way each time, so that its sums are rounded
the same way. kernels/core/shards.h has the rule.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._functions import BlockFunction
from recursive_tf.batching._ir import Region

# In multiplications that take as long. What the runtime does for a frame: registers, events, the
# gathering of rows; what a kernel costs by itself where it runs for each frame.
_FRAME = 10_000
_SERIAL_OP = 50_000
# Sizes and turns that only the run knows.
_USUAL_SIZE = 32
_USUAL_TURNS = 4
# Nodes of a parsed sentence, about.
_USUAL_FRAMES = 32
# An element of their results takes about as many multiplications as their input has in a row.
_WEIGHT_PRODUCTS = ("RecursiveTf>Bfloat16MatMul", "RecursiveTf>WeightMatMul")
_PRODUCTS = ("MatMul", "BatchMatMulV2", "BatchMatMulV3", "Einsum", *_WEIGHT_PRODUCTS)
_SOLVERS = (
  "Cholesky",
  "MatrixDeterminant",
  "MatrixExponential",
  "MatrixInverse",
  "MatrixSolve",
  "MatrixTriangularSolve",
  "Qr",
  "SelfAdjointEigV2",
  "Svd",
)


def frame_work(functions: Iterable[BlockFunction], num_bodies: int) -> int:
  """Returns the multiplications of one frame, on average over branches and bodies.

  Args:
    functions: of all blocks.
    num_bodies: how many bodies they are of.
  """
  work = sum(_share(function.block.region) * _work_of(function) for function in functions)
  return _FRAME + math.ceil(work / num_bodies)


def frames_per_row(makes_frames: bool) -> int:
  """Returns how many frames a call usually has, if any of them calls others."""
  return _USUAL_FRAMES if makes_frames else 1


def _share(region: Region) -> float:
  """Returns how often a region runs in a frame, if all branches are as likely."""
  share = 1.0
  while region.owner is not None:
    owner = region.owner
    share *= _USUAL_TURNS if owner.kind == "loop" else 1 / len(owner.regions)
    region = owner.region
  return share


def _work_of(function: BlockFunction) -> int:
  """Returns the multiplications of a block for one frame."""
  ops = function.graph.get_operations()
  if function.block.is_serial:
    return sum(_SERIAL_OP + _elements_of(op, 0) for op in ops if op.inputs)
  return sum(_elements_of(op, 1) for op in ops if op.inputs)


def _elements_of(op: tfi.Operation, first: int) -> int:
  """Returns the elements that an op computes, each as often as it has terms."""
  shapes = [output.shape for output in op.outputs]
  if first:  # Of what all frames share, as weights are, there is one for all.
    shapes = [shape for shape in shapes if shape.rank is None or shape[:1].as_list() == [None]]
  return sum(_size(shape[first:]) for shape in shapes) * _terms(op)


def _terms(op: tfi.Operation) -> int:
  """Returns how many terms an element of an op's result is a sum of."""
  if op.type in ("Conv2D", "Conv3D"):
    return _size(op.inputs[1].shape[:-1])
  if op.type not in _PRODUCTS + _SOLVERS:
    return 1
  if op.type in _WEIGHT_PRODUCTS:  # Known where the operand's columns may not be.
    rows, columns = op.inputs[1].shape[:1], op.inputs[1].shape[1:]
    return _size(columns if op.get_attr("transpose_weights") else rows)
  shape = op.inputs[0].shape
  return _size(shape[-2:-1] if _is_transposed(op) else shape[-1:])


def _is_transposed(op: tfi.Operation) -> bool:
  """Tells whether a product sums over the columns of its first operand."""
  names = {"MatMul": "transpose_a", "BatchMatMulV2": "adj_x", "BatchMatMulV3": "adj_x"}
  return op.type in names and op.get_attr(names[op.type])


def _size(shape: tf.TensorShape) -> int:
  if shape.rank is None:
    return _USUAL_SIZE
  return math.prod(_USUAL_SIZE if size is None else size for size in shape.as_list())
