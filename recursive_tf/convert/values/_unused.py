"""What a body computes and does not use: where Python would raise there, the run has to fail.

A graph does not run what nothing needs. In Python an expression is evaluated all the same, and so
is a call whose result is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert.values._text import Format
from recursive_tf.convert.values._value import Ours

# These do not fail, whatever they are given, if all shapes are known.
_SAFE = frozenset(
  """Abs AddV2 AsString Cast ConcatV2 Const Equal Exp ExpandDims Fill Greater GreaterEqual
  Identity IdentityN Less LessEqual LogicalAnd LogicalNot LogicalOr MatMul Max Maximum Mean Min
  Minimum Mul Neg NoOp NotEqual Pack Placeholder ReadVariableOp RealDiv Relu Reshape Select
  SelectV2 Shape Sigmoid Softmax Sqrt Square Squeeze StopGradient StringJoin StringLength Sub Sum
  Tanh Tile Transpose Unpack ZerosLike RecursiveTf>Make RecursiveTf>MakeRows
  RecursiveTf>MadeParts RecursiveTf>MadeSite""".split()
)

# Of these one input says by its values what is done with the shapes, and may say what does not fit:
# the shape of a result is known all the same where TensorFlow infers it.
_BY_VALUES = {
  "ConcatV2": -1,
  "ExpandDims": 1,
  "Fill": 0,
  "Max": 1,
  "Mean": 1,
  "Min": 1,
  "Reshape": 1,
  "Sum": 1,
  "Tile": 1,
  "Transpose": 1,
}

# These look at shapes alone, which may be known: whether what they are given fails, is not asked.
_OF_SHAPES = ("OnesLike", "Rank", "Shape", "ShapeN", "Size", "ZerosLike")

_CONDITIONALS = ("If", "StatelessIf")
_LOOPS = ("While", "StatelessWhile")


def tensors_in(value: object) -> Iterator[tf.Tensor]:
  """Yields the tensors of a value of the program."""
  if isinstance(value, tf.Tensor):
    yield value
  elif isinstance(value, Format):
    yield from tensors_in(value.value)
  elif isinstance(value, (Ours, tuple)):
    for part in value.within() if isinstance(value, Ours) else value:
      yield from tensors_in(part)


class Unused:
  """Finds what a body computes and does not use."""

  def __init__(self) -> None:
    self._known: dict[tuple[object, int], bool] = {}  # Whether a result of a conditional may fail.
    self._inputs: dict[tuple[object, int], list[tf.Tensor]] = {}  # What it needs in any case.

  def of(self, computed: Iterable[tf.Tensor], outputs: Iterable[tf.Tensor]) -> list[tf.Tensor]:
    """Returns those of the tensors that may fail and that no output of the current graph needs."""
    graph = tf.compat.v1.get_default_graph()
    needed: set[object] = set()
    self._need((tensor for tensor in outputs if _is_in(graph, tensor)), needed)
    found = []
    for tensor in computed:
      if _is_in(graph, tensor) and tensor.dtype not in (tf.resource, tf.variant):
        if any(self._may_fail(new) for new in self._need([tensor], needed)):
          found.append(tensor)
    return found

  def _may_fail(self, tensor: tf.Tensor) -> bool:
    op = tensor.op
    if op.type not in _CONDITIONALS:
      return not _is_safe(op)
    key = op, tensor.value_index
    if key not in self._known:
      results = [graph.outputs[tensor.value_index] for graph in tfi.nested_graphs(op)]
      self._known[key] = any(
        self._may_fail(inner) for result in results for inner in self._need([result], set())
      )
    return self._known[key]

  def _need(self, tensors: Iterable[tf.Tensor], needed: set[object]) -> list[tf.Tensor]:
    """Adds to `needed` what the tensors are computed of, and returns what was not there before.

    An op is needed as a whole, but of a conditional or a loop each result by itself: others are
    left out.
    """
    new = []
    agenda = list(tensors)
    while agenda:
      tensor = agenda.pop()
      op = tensor.op
      is_conditional = op.type in _CONDITIONALS
      key = (op, tensor.value_index) if is_conditional or op.type in _LOOPS else op
      if key not in needed:
        needed.add(key)
        new.append(tensor)
        if op.type not in _OF_SHAPES:
          agenda += self._inputs_of(tensor) if is_conditional else op.inputs
        agenda += [other.outputs[0] for other in op.control_inputs if other.outputs]
    return new

  def _inputs_of(self, tensor: tf.Tensor) -> list[tf.Tensor]:
    """Returns what a conditional needs for a result whichever branch it takes.

    What one branch alone uses is computed in that branch: TensorFlow moves it there.
    """
    op, index = tensor.op, tensor.value_index
    key = op, index
    if key not in self._inputs:
      always = set(range(1, len(op.inputs)))
      for graph in tfi.nested_graphs(op):
        needed: set[object] = set()
        self._need([graph.outputs[index]], needed)
        always &= {i for i, given in enumerate(graph.inputs, 1) if given.op in needed}
      self._inputs[key] = [op.inputs[0], *(op.inputs[i] for i in sorted(always))]
    return self._inputs[key]


def is_done(tensor: tf.Tensor) -> tf.Tensor:
  """Returns true, bool [], computed of the tensor so that the graph cannot leave that out."""
  if tensor.shape.rank and tensor.shape.num_elements():  # One of its elements will do.
    tensor = tf.reshape(tensor, [-1])[0]
  dtype = tensor.dtype
  if dtype == tf.string:
    return _all(tf.strings.length(tensor) >= 0)
  if dtype.is_complex:
    tensor = tf.math.real(tensor)
  if not dtype.is_integer:  # Whatever becomes of NaN and the like, it is an int.
    tensor = tf.cast(tensor, tf.int32)
  return _all(tensor >= tfi.constant(tensor.dtype.min, tensor.dtype))


def _is_safe(op: tfi.Operation) -> bool:
  """Tells whether an op does not fail, whatever the values are that it is given."""
  if op.type not in _SAFE:
    return False
  if not all(tensor.shape.is_fully_defined() for tensor in (*op.inputs, *op.outputs)):
    return False
  position = _BY_VALUES.get(op.type)
  return position is None or tf.get_static_value(op.inputs[position]) is not None


def _all(oks: tf.Tensor) -> tf.Tensor:
  return oks if oks.shape.rank == 0 else tf.reduce_all(oks)


def _is_in(graph: object, tensor: object) -> bool:
  return isinstance(tensor, tf.Tensor) and getattr(tensor, "graph", None) is graph
