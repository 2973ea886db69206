"""Blocks of a plan that are alike: what they compute is emitted once.

A program that unrolls its loops, or reads one thing in many places, has hundreds of blocks of which
most are equal but for the values that they take. Making the graph of a block, its function and its
gradient is most of what a first call of such a program takes. And a plan is cut again for each op
that turns out to serve one frame at a time only: all other blocks stay as they were.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Hashable, Sequence

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._cut import Block
from recursive_tf.batching._gradients import BlockGradient, differentiate, make_function
from recursive_tf.batching._ir import Node, Value
from recursive_tf.subgraph._body import name_of

# What has an identity beside its value, or holds others.
_NOT_ALIKE = (tf.resource, tf.variant)
_MOST_BYTES = 4096  # Of an op, which a large constant has more of.
_UNLIKE = (None,)  # Describes an op that makes a block unlike all others.
_MOST_DEEP = 100  # Constants computed from constants.


class _NotAlikeError(Exception):
  """A block that is like no other."""


class Emitted:
  """The graph of a block, for all blocks that are like it.

  Attributes:
    body: key of the body of the block that was first.
    graph: the graph.
    inputs, captures, outputs: its placeholders and results.
    capture_indices: the captures' positions among themselves; each block has others outside.
    captured: which values are captured, by their numbers in the description of a block.
    is_shared: for each output, whether it is one value for all frames.
  """

  def __init__(
    self,
    body: str,
    graph: tfi.Graph,
    inputs: list[tf.Tensor],
    captures: list[tf.Tensor],
    outputs: list[tf.Tensor],
    is_shared: list[bool],
  ):
    self.body = body
    self.graph = graph
    self.inputs = inputs
    self.captures = captures
    self.outputs = outputs
    self.is_shared = is_shared
    self.capture_indices = list(range(len(captures)))
    self.captured: list[int] = []
    self._functions: dict[tuple[int, ...], tfi.Function] = {}  # By ids of what they give beside.
    self._gradients: dict[Hashable, BlockGradient | None] = {}

  def function(self, extra_outputs: Sequence[tf.Tensor] = ()) -> tfi.Function:
    """Returns the runtime function, which also returns `extra_outputs`, tensors of the graph."""
    key = tuple(map(id, extra_outputs))
    if key not in self._functions:
      self._functions[key] = make_function(self, extra_outputs)
    return self._functions[key]

  def gradient(
    self, inputs: list[int], outputs: list[int], capture_indices: Sequence[int]
  ) -> BlockGradient | None:
    """Returns the gradient of a block; see `differentiate`.

    Args:
      inputs: positions of the inputs that have a gradient.
      outputs: the same of the outputs.
      capture_indices: where the block's captures are among those of all bodies.
    """
    key = tuple(inputs), tuple(outputs)
    if key not in self._gradients:
      self._gradients[key] = differentiate(self, inputs, outputs)
    found = self._gradients[key]
    if found is None:
      return None
    captures = [capture_indices[i] for i in found.captures]
    slots = [dataclasses.replace(s, capture=capture_indices[s.capture]) for s in found.slots]
    return dataclasses.replace(found, captures=captures, slots=slots)


Failure = tuple[int, str]  # Which node of a block cannot serve many frames, and why.
# What became of the blocks of a plan so far, by what describes them.
Made = dict[Hashable, Emitted | Failure]


class Description:
  """All that the graph of a block depends on, but for what it is called with.

  Attributes:
    key: equal for blocks that are alike; None for one that is like no other.
    values: all values that the block uses, by number.
  """

  def __init__(self, block: Block):
    self.values: list[Value] = []
    self._numbers: dict[int, int] = {}  # By id of value.
    self._nodes: dict[int, int] = {}  # By id of node.
    try:
      self.key: Hashable | None = self._of_block(block)
    except _NotAlikeError:
      self.key = None

  def number(self, value: Value) -> int:
    """Returns the number of a value that the block uses."""
    return self._numbers[id(value)]

  def _of_block(self, block: Block) -> Hashable:
    inputs = tuple(self._new(value) for value in block.inputs)
    nodes = tuple(self._of_node(node) for node in block.nodes)
    outputs = tuple(self._use(value) for value in block.outputs)
    # Messages of TensorFlow's name the function of a block, which has the name of the body.
    return name_of(block.body), block.is_serial, inputs, nodes, outputs

  def _of_node(self, node: Node) -> Hashable:
    used = tuple(self._use(value) for value in node.inputs)
    controls = tuple(self._nodes[id(c)] for c in node.controls if id(c) in self._nodes)
    self._nodes[id(node)] = len(self._nodes)
    return _of_op(node), used, controls, tuple(self._new(value) for value in node.outputs)

  def _new(self, value: Value) -> Hashable:
    if value.dtype in _NOT_ALIKE:
      raise _NotAlikeError
    self._numbers[id(value)] = len(self.values)
    self.values.append(value)
    return value.dtype.as_datatype_enum, _of_shape(value.shape), value.is_invariant

  def _use(self, value: Value, depth: int = 0) -> Hashable:
    known = self._numbers.get(id(value))
    if known is not None:
      return known
    if not value.is_constant:  # All frames share it, and it comes from outside.
      return self._new(value)
    if depth > _MOST_DEEP:
      raise _NotAlikeError
    node = value.node
    assert node is not None  # It is computed from constants.
    inputs = tuple(self._use(other, depth + 1) for other in node.inputs)
    outputs = tuple(self._new(other) for other in node.outputs)
    return _of_op(node), inputs, outputs, value.index


def _of_shape(shape: tf.TensorShape) -> Hashable:
  return None if shape.rank is None else tuple(shape.as_list())


def _of_op(node: Node) -> Hashable:
  if not node.described:
    node.described = _describe(node)
  if node.described == _UNLIKE:
    raise _NotAlikeError
  return node.described


def _describe(node: Node) -> tuple[object, ...]:
  if node.kind != "op":
    return (node.kind,)
  op = node.op
  definition = op.node_def
  has_functions = any(a.HasField("func") or a.list.func for a in definition.attr.values())
  if node.is_stateful or has_functions or definition.ByteSize() > _MOST_BYTES:
    return _UNLIKE
  # The number at its end tells apart ops of one graph. What the user calls it is told by errors.
  name = "" if op.type == "Const" else re.sub(r"_\d+$", "", op.name)
  definition.name = ""
  definition.ClearField("input")
  definition.ClearField("experimental_debug_info")
  shapes = tuple(_of_shape(tensor.shape) for tensor in (*op.inputs, *op.outputs))
  return name, definition.SerializeToString(deterministic=True), shapes
