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
        if position in connected[body.key] or _reaches(arg, body.results, connected)
      ]
      changed |= found != connected[body.key]
      connected[body.key] = found
  return connected


def _reaches(start: tf.Tensor, targets: list[tf.Tensor], connected) -> bool:
  if not tfi.is_trainable(start):
    return False
  wanted = {id(tensor) for tensor in targets if tfi.is_trainable(tensor)}
  seen, agenda = {id(start)}, [start]
  while agenda:
    tensor = agenda.pop()
    if id(tensor) in wanted:
      return True
    for op in tensor.consumers():
      for output in _differentiable_outputs(op, tensor, connected):
        if id(output) not in seen:
          seen.add(id(output))
          agenda.append(output)
  return False


def _differentiable_outputs(op, tensor, connected) -> list[tf.Tensor]:
  """Returns the outputs of `op` that have a gradient with respect to its input `tensor`."""
  if op.type in INVOKE_OPS:
    callee = connected.get(op.get_attr("body_key").decode(), [])
    inputs = [i - 1 for i, value in enumerate(op.inputs) if value is tensor]
    if not set(inputs) & set(callee):
      return []
  elif not tfi.nested_graphs(op):
    try:
      if tfi.get_gradient_function(op) is None:
        return []
    except LookupError:
      return []
  return [output for output in op.outputs if tfi.is_trainable(output)]
