"""Gradients of blocks: TensorFlow's own, taken of the ops that already serve many frames.

The gradient of a block with respect to its inputs goes back to the frames that they came from. Its
gradient with respect to outer references is summed over all steps of a run: see `Slot`.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator
from typing import Protocol

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.autodiff import BlockGradientGraph, Slot, product_kind, terms_of
from recursive_tf.subgraph._accesses import check_gradient
from recursive_tf.subgraph._body import function_name, name_of


class Forward(Protocol):
  """A block's graph; see `BlockFunction`."""

  body: str
  graph: tfi.Graph
  inputs: list[tf.Tensor]
  captures: list[tf.Tensor]
  outputs: list[tf.Tensor]
  capture_indices: list[int]


@dataclasses.dataclass(eq=False)
class BlockGradient:
  """The backward function of one block.

  Attributes:
    function: (gradients of some outputs, residuals, captures) -> (gradients of some inputs, and the
      tensors of each slot).
    outputs: positions of the outputs whose gradients it takes.
    residuals: what it takes of the forward pass; tensors of the block's graph.
    captures: positions of the captures it takes, among those of all bodies.
    inputs: positions of the inputs whose gradients it returns.
    slots: where it adds the gradients of outer references.
  """

  function: tfi.Function
  outputs: list[int]
  residuals: list[tf.Tensor]
  captures: list[int]
  inputs: list[int]
  slots: list[Slot]


def make_function(forward: Forward, extra_outputs: Iterable[tf.Tensor] = ()) -> tfi.Function:
  """Returns the runtime function of a block, which also returns `extra_outputs`."""
  forward.graph.outputs = [*forward.outputs, *extra_outputs]
  return tfi.from_func_graph(function_name(forward.body, "block"), forward.graph, {})


def make_training_functions(
  forwards: Iterable[Forward], gradients: Iterable[BlockGradient | None]
) -> list[tfi.Function]:
  """Returns the functions of blocks that also return what their gradients take of them."""
  return [
    make_function(forward, gradient.residuals if gradient else ())
    for forward, gradient in zip(forwards, gradients, strict=True)
  ]


def differentiate(
  forward: Forward, inputs: list[int] | None = None, outputs: list[int] | None = None
) -> BlockGradient | None:
  """Returns the gradient of a block, None if nothing has one.

  Args:
    forward: the block.
    inputs: positions of the inputs that have a gradient; None for all of a type that can.
    outputs: the same of the outputs.
  """
  if inputs is None:
    inputs = [i for i, tensor in enumerate(forward.inputs) if tfi.is_trainable(tensor)]
  if outputs is None:
    outputs = [i for i, tensor in enumerate(forward.outputs) if tfi.is_trainable(tensor)]
  captures = [i for i, tensor in enumerate(forward.captures) if tfi.is_trainable(tensor)]
  if not outputs or not (inputs or captures):
    return None
  graph = _GradientGraph(forward)
  with graph.as_default():
    output_gradients = [
      tfi.placeholder(t.dtype, t.shape, "output_gradient")
      for t in (forward.outputs[i] for i in outputs)
    ]
    sources = [forward.inputs[i] for i in inputs] + [forward.captures[i] for i in captures]
    with tfi.plain_residuals(), _own_gradients(forward.graph):
      found = tfi.gradients(
        [forward.outputs[i] for i in outputs],
        sources,
        grad_ys=output_gradients,
        src_graph=forward.graph,
      )
    check_gradient(graph, name_of(forward.body))
    results: list[tf.Tensor] = []
    with_gradient = []
    for i, gradient in zip(inputs, found, strict=False):
      if gradient is not None:
        with_gradient.append(i)
        results.append(tf.convert_to_tensor(gradient))
    slots: list[Slot] = []
    for i, gradient in zip(captures, found[len(inputs) :], strict=True):
      for slot, tensors in _shares(forward.capture_indices[i], gradient):
        slots.append(slot)
        results += tensors
  if not results:
    return None
  residuals = [outer for outer, _ in graph.residuals]
  graph.inputs = [
    *output_gradients,
    *(internal for _, internal in graph.residuals),
    *(internal for _, internal in graph.used_captures),
  ]
  graph.outputs = results
  name = function_name(forward.body, "block_backward")
  return BlockGradient(
    tfi.from_func_graph(name, graph, {}),
    outputs,
    residuals,
    [index for index, _ in graph.used_captures],
    with_gradient,
    slots,
  )


# Which gradient an op has that is not TensorFlow's. Not under TensorFlow's own name for it, as a
# SavedModel would replace the gradient by a trace of its own.
_OWN_GRADIENT = "_recursive_tf_gradient"
_GRADIENT = "_gradient_op_type"


def hide_own_gradients(graph: tfi.Graph) -> None:
  """Makes the functions of a block's graph free of gradients that are not TensorFlow's."""
  for op in graph.get_operations():
    _rename(op, _GRADIENT, _OWN_GRADIENT)


@contextlib.contextmanager
def _own_gradients(graph: tfi.Graph) -> Iterator[None]:
  found = [op for op in graph.get_operations() if _rename(op, _OWN_GRADIENT, _GRADIENT)]
  try:
    yield
  finally:
    for op in found:
      _rename(op, _GRADIENT, _OWN_GRADIENT)


def _rename(op: tfi.Operation, before: str, after: str) -> bool:
  name = op.node_def.attr[before].s
  if name:
    tfi.clear_attr(op, before)
    tfi.set_attr(op, after, tf.compat.v1.AttrValue(s=name))
  return bool(name)


class _GradientGraph(BlockGradientGraph):
  """The graph of a block's backward function: takes residuals and captures as it needs them.

  Attributes:
    residuals: pairs (tensor of the block, placeholder).
    used_captures: pairs (position of the capture, placeholder).
  """

  def __init__(self, forward: Forward):
    super().__init__("block_backward")
    tfi.share_stack(self)
    self._forward = forward
    self._internal: dict[int, tf.Tensor] = {}  # By id of the block's tensor.
    self.residuals: list[tuple[tf.Tensor, tf.Tensor]] = []
    self.used_captures: list[tuple[int, tf.Tensor]] = []

  def capture(self, tensor: tf.Tensor, name: str | None = None, shape: object = None) -> tf.Tensor:
    if getattr(tensor, "graph", None) is not self._forward.graph:
      return super().capture(tensor, name, shape)
    if id(tensor) not in self._internal:
      self._internal[id(tensor)] = self._take(tensor)
    return self._internal[id(tensor)]

  def _take(self, tensor: tf.Tensor) -> tf.Tensor:
    with self.as_default(), tf.control_dependencies(None):
      if tensor.op.type == "Const":  # Cheaper made again than kept.
        return tfi.copy_op(tensor.op, []).outputs[0]
      placeholder = tfi.placeholder(tensor.dtype, tensor.shape, "residual")
    tfi.copy_handle_data(tensor, placeholder)
    captures = zip(self._forward.capture_indices, self._forward.captures, strict=True)
    for index, capture in captures:
      if tensor is capture:
        self.used_captures.append((index, placeholder))
        return placeholder
    self.residuals.append((tensor, placeholder))
    return placeholder


def _shares(
  capture: int, gradient: tf.Tensor | tf.IndexedSlices | None
) -> list[tuple[Slot, list[tf.Tensor]]]:
  """Returns what a step adds to the gradient of an outer reference, by slot."""
  if gradient is None or not tfi.is_trainable(gradient):  # A loop has one of a variable of counts.
    return []
  if isinstance(gradient, tf.IndexedSlices):
    tensors = [gradient.values, gradient.indices]
    return [(Slot(capture, "slices", _dtypes(tensors)), tensors)]
  shares = []
  for term in terms_of(gradient):
    kind = product_kind(term)
    # The sum over all steps is one product of all rows: the operands are kept, not the product.
    tensors = list(term.op.inputs) if kind else [term]
    shares.append((Slot(capture, kind or "dense", _dtypes(tensors)), tensors))
  return shares


def _dtypes(tensors: list[tf.Tensor]) -> tuple[tf.DType, ...]:
  return tuple(tensor.dtype for tensor in tensors)
