"""Taps: where the gradient of an outer reference leaves the graph for its accumulator.

Inside a body, and inside each branch of its conditionals, every use of an outer reference is led
through one Identity op, the tap. The tap's gradient adds to the run's accumulator and passes
nothing on. So gradients of weights are added where they arise, in the branch that ran: no zeros for
the other branch, no sums travelling up the recursion.

The gradient of `x @ w` is the product `x^T dy`. Where the tap sees such a product, it hands over
the operands: the sum of the products of n frames of one row each is one product of n rows.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._ops import kernels
from recursive_tf.autodiff._backward_graph import enclosing_backward_graph
from recursive_tf.subgraph._body import Body

TAP_GRADIENT = "RecursiveTf>Tap"
_TAP_CAPTURE = "_recursive_tf_capture"


@dataclasses.dataclass(frozen=True)
class Slot:
  """One accumulator of a body.

  Attributes:
    capture: which of the body's captures it is the gradient of.
    kind: "dense", "slices", "product" or "rounded_product"; see kernels/runtime/accumulator.h.
    dtypes: types of what it emits.
  """

  capture: int
  kind: str
  dtypes: tuple[tf.DType, ...]


def insert_taps(body: Body) -> None:
  """Leads every use of a trainable capture of `body` through a tap.

  Uses as input of a conditional are left alone, and tapped in its branches instead. Call once per
  body, before it is differentiated.
  """
  agenda = [
    (body.graph, internal, index)
    for index, (_, internal) in enumerate(body.captures)
    if tfi.is_trainable(internal)
  ]
  while agenda:
    graph, placeholder, index = agenda.pop()
    uses: list[tuple[tfi.Operation, int]] = []
    for op in placeholder.consumers():
      inputs = [i for i, tensor in enumerate(op.inputs) if tensor is placeholder]
      if op.type in tfi.CONDITIONALS:
        branches = tfi.load_branches(op)
        agenda.extend((branch, branch.inputs[i - 1], index) for branch in branches for i in inputs)
      else:
        uses.extend((op, i) for i in inputs)
    is_output = any(tensor is placeholder for tensor in graph.outputs)
    if graph is body.graph:
      is_output = any(tensor is placeholder for tensor in body.results)
    if uses or is_output:
      tap = _make_tap(graph, placeholder, index)
      for op, i in uses:
        tfi.update_input(op, i, tap)
      outputs = body.results if graph is body.graph else graph.outputs
      outputs[:] = [tap if tensor is placeholder else tensor for tensor in outputs]


def untap(tensor: tf.Tensor) -> tf.Tensor:
  """Returns the placeholder behind a tap, any other tensor as it is."""
  is_tap = tensor.op.type == "Identity" and _has_attr(tensor.op, _TAP_CAPTURE)
  return tensor.op.inputs[0] if is_tap else tensor


def _has_attr(op: tfi.Operation, name: str) -> bool:
  return name in op.node_def.attr


def _make_tap(graph: tfi.Graph, placeholder: tf.Tensor, index: int) -> tf.Tensor:
  with graph.as_default(), tf.control_dependencies(None):
    tap = tf.raw_ops.Identity(input=placeholder, name="tap")
  tfi.copy_handle_data(placeholder, tap)
  tfi.set_attr(tap.op, "_gradient_op_type", tf.compat.v1.AttrValue(s=TAP_GRADIENT.encode()))
  tfi.set_attr(tap.op, _TAP_CAPTURE, tf.compat.v1.AttrValue(i=index))
  return tap


@tf.RegisterGradient(TAP_GRADIENT)
def _tap_gradient(op: tfi.Operation | None, gradient: Any) -> None:
  """Adds the gradient to the run's accumulators; nothing flows on."""
  if op is None:  # tf.saved_model.save traces the gradients of ops that have their own: for nobody.
    return None
  if not tfi.is_trainable(gradient):  # A loop has one of a variable of counts, of zeros.
    return None
  backward = enclosing_backward_graph()
  capture = op.get_attr(_TAP_CAPTURE)
  if isinstance(gradient, tf.IndexedSlices):
    slot = Slot(capture, "slices", (gradient.values.dtype, gradient.indices.dtype))
    kernels.recursive_tf_accumulate_slices(
      backward.frame_here(), gradient.values, gradient.indices, slot=backward.slot(slot)
    )
    return None
  for term in terms_of(gradient):
    kind = product_kind(term)
    if kind:
      slot = Slot(capture, kind, (term.dtype, term.dtype))
      left, right = term.op.inputs
      kernels.recursive_tf_accumulate_product(
        backward.frame_here(), left, right, slot=backward.slot(slot)
      )
    else:
      slot = Slot(capture, "dense", (term.dtype,))
      kernels.recursive_tf_accumulate_dense(backward.frame_here(), term, slot=backward.slot(slot))
  return None


def terms_of(gradient: tf.Tensor) -> list[tf.Tensor]:
  """Returns the summands of a gradient; they are sums of uses in one graph."""
  is_here = gradient.graph is tf.compat.v1.get_default_graph()
  return list(gradient.op.inputs) if is_here and gradient.op.type == "AddN" else [gradient]


def product_kind(term: tf.Tensor) -> str | None:
  """Returns the kind of slot of a gradient that is x^T dy, computed here; None of any other."""
  op = term.op
  if term.graph is not tf.compat.v1.get_default_graph():
    return None
  if op.type == "RecursiveTf>RowProduct":
    return "rounded_product" if op.get_attr("rounds_to_bfloat16") else "product"
  is_product = op.type == "MatMul" and op.get_attr("transpose_a") and not op.get_attr("transpose_b")
  return "product" if is_product else None
