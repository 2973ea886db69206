"""A SubGraph's body: the graph of one frame, and the functions made of it.

Jeong et al., EuroSys 2018, section 3.1. A body takes (frame, arguments, captures) and returns its
results; `frame` is a Variant that names the run and is handed on to the calls in the body, captures
are its outer references. Callers pass the arguments only: the run supplies the rest.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi

INVOKE_OPS = ("RecursiveTf>Invoke", "RecursiveTf>InvokeMap")

# Stateful ops whose order among others does not matter: calls, reads, and containers of ops.
_HARMLESS_STATEFUL_OPS = frozenset(
  [*INVOKE_OPS, "RecursiveTf>Launch", "ReadVariableOp", "ResourceGather", "VariableShape"]
  + ["If", "While", "Case", "StatefulPartitionedCall", "Placeholder", "RecursiveTf>Make"]
  + ["RecursiveTf>MakeRows"]
)

_uids = itertools.count()  # Makes names unique; says nothing else.


def unique_key(name: str) -> str:
  """Returns a body key: `name` made safe for function names, and unique in this process."""
  safe = re.sub(r"[^A-Za-z0-9_]", "_", name).lstrip("_") or "subgraph"
  return f"{safe}_{next(_uids)}"


def name_of(key: str) -> str:
  """Returns what the user calls the SubGraph with a body key."""
  return key.rpartition("_")[0]


def function_name(key: str, suffix: str) -> str:
  """Returns a new name for a function of body `key`.

  Functions of all graphs share one name space, and keys of bodies that come from a saved model may
  be taken already.
  """
  return f"__recursive_tf_{key}_{suffix}_{next(_uids)}"


class BodyGraph(tfi.OwnGraph):
  """The FuncGraph of a body while it is traced and differentiated.

  Attributes:
    key: the body key.
    frame: the frame tensor, the body's first input.
    subgraph: the SubGraph that it is the body of.
    called: the SubGraphs that it calls, by key.
    is_probing: guards forward declaration against probing its own probe.
  """

  outer_graph: tfi.Graph  # Declared by TensorFlow, which has no types.

  def __init__(self, key: str, subgraph: Any):
    is_eager = tf.executing_eagerly()
    super().__init__(key)
    # In `tf.init_scope` TensorFlow still takes the graph that was left for the one around.
    while is_eager and isinstance(self.outer_graph, tfi.FuncGraph):
      self.outer_graph = self.outer_graph.outer_graph
    self.key = key
    self.subgraph = subgraph
    self.called: dict[str, Any] = {}
    self.is_probing = False
    with self.as_default():
      self.frame = tfi.placeholder(tf.variant, (), "frame")


class Body:
  """A complete body.

  Attributes:
    key: names the body in ops, messages and saved models.
    graph: its live graph, which differentiation extends.
    frame: the frame tensor.
    args: the argument placeholders.
    results: the result tensors.
    captures: pairs (outer tensor, placeholder in `graph`); the outer tensors of a body that came
      from a saved model are None.
    callees: keys of the bodies that it calls.
    read_only_captures: positions of captured resources that it only reads.
    has_effects: whether it does something that program order must respect.
  """

  def __init__(
    self,
    key: str,
    graph: tfi.Graph,
    frame: tf.Tensor,
    args: Iterable[tf.Tensor],
    results: Iterable[tf.Tensor],
    captures: Iterable[tuple[tf.Tensor | None, tf.Tensor]],
  ):
    self.key = key
    self.graph = graph
    self.frame = frame
    self.args = list(args)
    self.results = list(results)
    self.captures = list(captures)
    self.callees = sorted(
      {op.get_attr("body_key").decode() for op in all_ops(graph) if op.type in INVOKE_OPS}
    )
    graph.inputs = [frame, *self.args, *(internal for _, internal in self.captures)]
    first = 1 + len(self.args)
    self.read_only_captures = [
      position - first for position in tfi.read_only_resource_inputs(graph) if position >= first
    ]
    self.has_effects = any(
      tfi.is_stateful(op) and op.type not in _HARMLESS_STATEFUL_OPS for op in all_ops(graph)
    )

  def make_function(self, suffix: str, extra_outputs: Iterable[tf.Tensor] = ()) -> tfi.Function:
    """Returns the body as a runtime function that also returns `extra_outputs`."""
    graph = self.graph
    graph.outputs = [*self.results, *extra_outputs]
    return tfi.from_func_graph(function_name(self.key, suffix), graph, {})


def all_ops(graph: tfi.Graph) -> Iterator[tf.Operation]:
  """Yields the ops of `graph` and of all control flow bodies in it, outer ones first."""
  agenda = [graph]
  while agenda:
    current = agenda.pop()
    for op in current.get_operations():
      yield op
      agenda.extend(tfi.nested_graphs(op))
