"""Gradients of objects that a run makes: from whoever reads one back to whoever made it.

What an object is made of lies in a table, and bodies hand on numbers. These are floats, so that
gradients go back along them as they do along any tensor, through branches, lists and calls; their
values are zero. Reading adds the gradients of what is read to sums of the backward run, one for
each object, and gives the number's gradient. Making takes the sums out once the gradient of the
number has come: by then all that has read the object has added its share.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import UnsupportedGradientError
from recursive_tf._ops import kernels
from recursive_tf.autodiff._backward_graph import BACKWARD_GRAPH, BackwardGraph
from recursive_tf.subgraph._body import all_ops

_GRADIENTS = {
  "RecursiveTf>Make": "RecursiveTf>TracedMake",
  "RecursiveTf>MakeRows": "RecursiveTf>TracedMakeRows",
  "RecursiveTf>MadeParts": "RecursiveTf>TracedMadeParts",
}


def trace_made(op: tfi.Operation) -> None:
  """Lets gradients go back through an op that makes or reads an object; they do not otherwise."""
  name = _GRADIENTS[op.type]
  tfi.set_attr(op, "_gradient_op_type", tf.compat.v1.AttrValue(s=name.encode()))


def reads_made(graphs: Iterable[tfi.Graph]) -> bool:
  """Tells whether gradients of objects are added up where these bodies are differentiated."""
  return any(op.type == "RecursiveTf>MadeParts" for graph in graphs for op in all_ops(graph))


class BlockGradientGraph(tfi.FuncGraph):
  """The graph of the gradient of a block, which runs in a backward run."""


def _check_within() -> None:
  """Refuses gradients that are not those of a backward run, where the sums would be."""
  graph = tf.compat.v1.get_default_graph()
  while graph is not None:
    is_backward = isinstance(graph, (BackwardGraph, BlockGradientGraph))
    if is_backward or hasattr(graph, BACKWARD_GRAPH):
      return
    graph = getattr(graph, "outer_graph", None)
  raise UnsupportedGradientError("Objects that a run makes are differentiated inside it.")


@tf.RegisterGradient("RecursiveTf>TracedMadeParts")
def _parts_gradient(op: tfi.Operation, *gradients: Any) -> list[Any]:
  """Adds the gradients of what was read, and gives that of the number."""
  _check_within()
  _, handle = op.inputs
  wanted = [
    tf.zeros_like(part) if gradient is None else tf.convert_to_tensor(gradient)
    for part, gradient in zip(op.outputs, gradients, strict=True)
    if part.dtype.is_floating
  ]
  return [None, kernels.recursive_tf_add_made_gradients(handle, wanted)]


@tf.RegisterGradient("RecursiveTf>TracedMake")
def _make_gradient(op: tfi.Operation, token: Any) -> list[Any]:
  table, *parts = op.inputs
  return [None, *_taken(op, parts, token)]


@tf.RegisterGradient("RecursiveTf>TracedMakeRows")
def _make_rows_gradient(op: tfi.Operation, token: Any) -> list[Any]:
  table, length, *parts = op.inputs
  return [None, None, *_taken(op, parts, token)]


def _taken(op: tfi.Operation, parts: list[tf.Tensor], token: Any) -> list[Any]:
  """Returns the gradients of what an object, or one for each row, was made of."""
  _check_within()
  floats = [part for part in parts if part.dtype.is_floating]
  found = kernels.recursive_tf_take_made_gradients(
    handles=op.outputs[0],
    token=tf.convert_to_tensor(token),
    shapes=[_shape_of(part) for part in floats],
    Tparts=[part.dtype for part in floats],
  )
  for gradient, part in zip(found, floats, strict=True):
    gradient.set_shape(part.shape)
  gradients = iter(found)
  return [next(gradients) if part.dtype.is_floating else None for part in parts]


def _shape_of(part: tf.Tensor) -> tf.Tensor:
  if part.shape.is_fully_defined():
    return tf.constant(part.shape.as_list(), tf.int32)
  return tf.shape(part)


for _name in _GRADIENTS:
  tf.no_gradient(_name)
tf.no_gradient("RecursiveTf>MadeSite")
