"""Makes the functions that run blocks: for many frames at once, or for one frame."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._alike import Description, Emitted, Made
from recursive_tf.batching._converters import (
  SHARED,
  Batch,
  NoConverterError,
  convert,
  from_border,
  reshape_batch,
  to_border,
)
from recursive_tf.batching._cut import Block
from recursive_tf.batching._gradients import hide_own_gradients
from recursive_tf.batching._ir import Node, Value

HAS_EFFECT = "it has an effect, or is random, in each frame"


class SerialNodeError(Exception):
  """A node of a block cannot serve many frames; `node` says which, the message why."""

  def __init__(self, node: Node, reason: str):
    super().__init__(reason)
    self.node = node


class BlockFunction:
  """The graph of a block and what it takes and gives.

  Attributes:
    block: the block.
    emitted: the graph, which other blocks may have as well.
    graph: takes the block's inputs, [n, ...] each (or one frame's row if serial), then captures.
    inputs, captures, outputs: the graph's placeholders and results.
    capture_indices: positions of the captures among those of all bodies and the hoisted values.
    is_shared: for each output, whether it is one value for all frames.
  """

  def __init__(self, block: Block, hoist: Callable[[Value], int], made: Made):
    """Emits the ops, if those of no other block will do.

    Args:
      block: the block.
      hoist: takes a value that is computed outside, once a run, and returns its capture's position.
      made: what became of other blocks; this one is added.

    Raises:
      SerialNodeError: If an op cannot serve many frames.
    """
    self.block = block
    emitted, captured = _emit(block, made)
    self.emitted = emitted
    # What is computed from captures is computed outside, once a run, and captured.
    self.capture_indices = [
      value.index if value.kind == "capture" else hoist(value) for value in captured
    ]
    self.graph, self.inputs, self.captures = emitted.graph, emitted.inputs, emitted.captures
    self.outputs, self.is_shared = emitted.outputs, emitted.is_shared


def _emit(block: Block, made: Made) -> tuple[Emitted, list[Value]]:
  """Returns the graph of a block, and the values of it that are captured."""
  description = Description(block)
  known = None if description.key is None else made.get(description.key)
  if isinstance(known, Emitted):
    return known, [description.values[number] for number in known.captured]
  if known is not None:
    position, reason = known
    raise SerialNodeError(block.nodes[position], reason)
  try:
    emission = _Emission(block)
  except SerialNodeError as error:
    if description.key is not None:
      made[description.key] = block.nodes.index(error.node), str(error)
    raise
  if description.key is not None:
    emission.emitted.captured = [description.number(value) for value in emission.captured]
    made[description.key] = emission.emitted
  return emission.emitted, emission.captured


class _Emission:
  """The graph of a block while it is made.

  Attributes:
    emitted: the graph, and what it takes and gives.
    captured: the values that it captures.
  """

  def __init__(self, block: Block):
    self._block = block
    self.captured: list[Value] = []
    self._captures: list[tf.Tensor] = []
    self._shared: dict[int, tf.Tensor] = {}  # By id of value.
    graph = tfi.OwnGraph("block")
    tfi.share_stack(graph)
    with graph.as_default():
      self._inputs = [_placeholder(value, block.is_serial) for value in block.inputs]
      outputs, is_shared = self._emit_serial() if block.is_serial else self._emit_batched()
    graph.inputs = [*self._inputs, *self._captures]
    graph.outputs = list(outputs)
    hide_own_gradients(graph)
    self.emitted = Emitted(block.body, graph, self._inputs, self._captures, outputs, is_shared)

  # --- Many frames at once

  def _emit_batched(self) -> tuple[list[tf.Tensor], list[bool]]:
    batches: dict[int, Batch] = {}  # By id of value.
    for value, tensor in zip(self._block.inputs, self._inputs, strict=True):
      batches[id(value)] = from_border(tensor, value)

    def batch_of(value: Value) -> Batch:
      if value.is_invariant:
        return Batch(self._emit_shared(value), SHARED, value.shape)
      return batches[id(value)]

    for node in self._block.nodes:
      inputs = [batch_of(value) for value in node.inputs]
      if node.kind == "reshape":
        outputs = [self._reshape(node, inputs[0])]
      elif all(batch.form == SHARED for batch in inputs):
        outputs = self._emit_once(node, inputs)
      else:
        outputs = self._convert(node, inputs)
      for value, batch in zip(node.outputs, outputs, strict=True):
        batches[id(value)] = batch
    found = [batch_of(value) for value in self._block.outputs]
    outputs = [
      to_border(batch, value) for batch, value in zip(found, self._block.outputs, strict=True)
    ]
    return outputs, [batch.form == SHARED for batch in found]

  def _reshape(self, node: Node, batch: Batch) -> Batch:
    try:
      return reshape_batch(batch, node.outputs[0].shape)
    except NoConverterError as error:
      raise SerialNodeError(node, str(error)) from error

  def _emit_once(self, node: Node, inputs: list[Batch]) -> list[Batch]:
    """Emits an op that needs nothing of the frames; it may read a variable."""
    if node.has_effect:
      raise SerialNodeError(node, HAS_EFFECT)
    outputs = tfi.copy_op(node.op, [batch.tensor for batch in inputs]).outputs
    return [Batch(t, SHARED, v.shape) for t, v in zip(outputs, node.outputs, strict=True)]

  def _convert(self, node: Node, inputs: list[Batch]) -> list[Batch]:
    if node.has_effect:
      raise SerialNodeError(node, HAS_EFFECT)
    if any(value.dtype in (tf.variant, tf.resource) for value in node.outputs):
      raise SerialNodeError(node, f"its result is of type {node.outputs[0].dtype.name}")
    try:
      return convert(node, inputs, self._pfor)
    except NoConverterError as error:
      raise SerialNodeError(node, str(error)) from error

  @functools.cached_property
  def _pfor_object(self) -> Any:
    return tfi.make_pfor(tf.shape(self._inputs[0])[0])

  def _pfor(self) -> Any:
    return self._pfor_object

  # --- Frame by frame

  def _emit_serial(self) -> tuple[list[tf.Tensor], list[bool]]:
    tensors: dict[int, tf.Tensor] = {}
    for value, tensor in zip(self._block.inputs, self._inputs, strict=True):
      tensors[id(value)] = tf.expand_dims(tensor, 0) if value.is_merged else tensor
    emitted: dict[int, tfi.Operation] = {}
    last: list[tfi.Operation] = []  # With what TensorFlow does not order: Python beside variables.
    for node in self._block.nodes:
      inputs = [self._emit_shared(v) if v.is_invariant else tensors[id(v)] for v in node.inputs]
      controls = [emitted[id(c)] for c in node.controls if id(c) in emitted]
      controls += last if node.is_stateful else []
      with tf.control_dependencies(controls):
        if node.kind == "reshape":
          wanted = [-1 if size is None else size for size in node.outputs[0].shape.as_list()]
          outputs = [tf.reshape(inputs[0], wanted)]
        else:
          op = tfi.copy_op(node.op, inputs)
          emitted[id(node)] = op
          last = [op] if node.is_stateful else last
          outputs = op.outputs
      for value, tensor in zip(node.outputs, outputs, strict=True):
        tensors[id(value)] = tensor
    found = [
      self._emit_shared(v) if v.is_invariant else tensors[id(v)] for v in self._block.outputs
    ]
    outputs = [
      tf.squeeze(tensor, 0) if value.is_merged else tf.identity(tensor)
      for tensor, value in zip(found, self._block.outputs, strict=True)
    ]
    return outputs, [True] * len(found)

  # --- What all frames share

  def _emit_shared(self, value: Value) -> tf.Tensor:
    """Returns a value that all frames share: a capture, or, of constants, emitted here."""
    if id(value) not in self._shared:
      if value.is_constant:
        emit_from(value, self._shared)
      else:
        self._shared[id(value)] = self._capture(value)
    return self._shared[id(value)]

  def _capture(self, value: Value) -> tf.Tensor:
    placeholder = tfi.placeholder(value.dtype, value.shape, "capture")
    if value.source is not None:
      tfi.copy_handle_data(value.source, placeholder)
    self.captured.append(value)
    self._captures.append(placeholder)
    return placeholder


def emit_from(value: Value, known: dict[int, tf.Tensor]) -> tf.Tensor:
  """Emits, in the current graph, a value that all frames share, from values that are known there.

  Args:
    value: the value.
    known: tensors by id of value; grows by all that is emitted.
  """
  agenda = [value]
  while agenda:
    current = agenda[-1]
    node = current.node
    if id(current) in known:
      agenda.pop()
      continue
    assert node is not None  # Captures are known.
    missing = [v for v in node.inputs if id(v) not in known]
    if missing:
      agenda += missing
      continue
    outputs = tfi.copy_op(node.op, [known[id(v)] for v in node.inputs]).outputs
    for output, tensor in zip(node.outputs, outputs, strict=True):
      known[id(output)] = tensor
  return known[id(value)]


def _placeholder(value: Value, is_serial: bool) -> tf.Tensor:
  shape = value.row_shape
  if not is_serial:
    shape = tf.TensorShape([None]).concatenate(shape)
  return tfi.placeholder(value.dtype, shape, "input")
