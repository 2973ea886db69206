"""Which arguments of which bodies have a gradient at all: those a trainable path leads from.

A missing gradient (None) and a zero gradient differ to users, and the backward body of a caller is
built before that of its callee. So it is decided beforehand, by reachability over the graphs, as
the least fixed point over mutually recursive bodies: an argument that only feeds the recursion is
not connected.
"""

from __future__ import annotations

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.subgraph._body import INVOKE_OPS, Body


def connected_args(bodies: list[Body]) -> dict[str, list[int]]:
  """Returns, for each body key, the positions of trainable arguments that reach its results."""
  connected: dict[str, list[int]] = {body.key: [] for body in bodies}
  changed = True
  while changed:
    changed = False
    for body in bodies:
      found = [
        position
        for position, arg in enumerate(body.args)
        if position in connected[body.key] or _reached(arg, body.results, connected)
      ]
      changed |= found != connected[body.key]
      connected[body.key] = found
  return connected


def _reached(
  start: tf.Tensor, targets: list[tf.Tensor], connected: dict[str, list[int]]
) -> set[int]:
  """Returns the positions of the trainable `targets` to which a trainable path leads."""
  if not tfi.is_trainable(start):
    return set()
  seen, agenda = {id(start)}, [start]
  while agenda:
    tensor = agenda.pop()
    for op in tensor.consumers():
      for output in _differentiable_outputs(op, tensor, connected):
        if id(output) not in seen:
          seen.add(id(output))
          agenda.append(output)
  return {i for i, target in enumerate(targets) if id(target) in seen and tfi.is_trainable(target)}


def _differentiable_outputs(
  op: tfi.Operation, tensor: tf.Tensor, connected: dict[str, list[int]]
) -> list[tf.Tensor]:
  """Returns the outputs of `op` that have a gradient with respect to its input `tensor`."""
  inputs = {i for i, value in enumerate(op.inputs) if value is tensor}
  outputs: set[int] = set(range(len(op.outputs)))
  graphs = tfi.nested_graphs(op)
  if op.type in INVOKE_OPS:
    callee = connected.get(op.get_attr("body_key").decode(), [])
    if not {i - 1 for i in inputs} & set(callee):
      return []
  elif op.type in tfi.LOOPS and graphs:
    outputs = _reached_in_loop(op._body_graph, inputs, connected)
  elif graphs:
    first = 0 if op.type in tfi.FUNCTION_CALLS else 1
    parts = [_reached_in(graph, {i - first for i in inputs}, connected) for graph in graphs]
    outputs = set().union(*parts)
  else:
    try:
      if tfi.get_gradient_function(op) is None:
        return []
    except LookupError:
      return []
  return [
    output for i, output in enumerate(op.outputs) if i in outputs and tfi.is_trainable(output)
  ]


def _reached_in(graph: tfi.Graph, inputs: set[int], connected: dict[str, list[int]]) -> set[int]:
  """Returns the outputs of a branch or function that are reached from some of its inputs."""
  starts = [graph.inputs[i] for i in inputs if 0 <= i < len(graph.inputs)]
  return set().union(*(_reached(start, graph.outputs, connected) for start in starts))


def _reached_in_loop(
  body: tfi.Graph, inputs: set[int], connected: dict[str, list[int]]
) -> set[int]:
  """Returns the loop variables that are reached from some of them in any number of turns."""
  reached: set[int] = set()
  agenda = set(inputs)
  while agenda:
    reached |= agenda
    agenda = _reached_in(body, agenda, connected) - reached
  return reached
