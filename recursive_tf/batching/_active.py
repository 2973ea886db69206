"""Which values of frames have a gradient at all: those that depend on an argument or a weight.

Without this, gradients would be computed, and handed from step to step, of everything of a
floating-point type, what a body reads of its data included.
"""

from __future__ import annotations

from collections.abc import Iterable

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._ir import BodyIR, Node, Value, walk


def active_values(bodies: list[BodyIR], entry_args: Iterable[int]) -> set[int]:
  """Returns the ids of the values that have a gradient, as the least fixed point over all bodies.

  Args:
    bodies: all bodies; the first is called from outside.
    entry_args: positions of the first one's arguments that the outside wants gradients of.
  """
  by_key = {ir.key: ir for ir in bodies}
  active = {id(bodies[0].args[i]) for i in entry_args}
  size = -1
  while size != len(active):
    size = len(active)
    for ir in bodies:
      for node in walk(ir.root):
        _visit(node, by_key, active)
  return active & _reaching_values(bodies)


def _reaching_values(bodies: list[BodyIR]) -> set[int]:
  """Returns the ids of the values by which the results of some body have a gradient."""
  reaching: set[int] = set()
  agenda = [value for ir in bodies for value in ir.root.results]
  while agenda:
    value = agenda.pop()
    if id(value) in reaching or not _is_trainable(value):
      continue
    reaching.add(id(value))
    node = value.node
    if node is None:
      continue
    if node.kind == "switch":
      agenda += [region.results[node.outputs.index(value)] for region in node.regions]
    elif node.kind == "loop":
      agenda += [*node.inputs, *node.variables, *node.regions[1].results]
    elif node.kind in ("call", "map") or _has_gradient(node):
      agenda += node.inputs
  return reaching


def _visit(node: Node, bodies: dict[str, BodyIR], active: set[int]) -> None:
  if node.kind in ("op", "reshape"):
    if any(is_active(value, active) for value in node.inputs) and _has_gradient(node):
      active.update(id(value) for value in node.outputs if _is_trainable(value))
  elif node.kind in ("call", "map"):
    callee = bodies[node.callee]
    _pass(node.inputs, callee.args, active)
    for value in node.outputs:
      _pass([callee.root.results[value.index]], [value], active)
  elif node.kind == "switch":
    for region in node.regions:
      _pass(region.results, node.outputs, active)
  else:
    _pass(node.inputs, node.variables, active)
    _pass(node.regions[1].results, node.variables, active)
    _pass(node.variables, node.outputs, active)


def _pass(sources: list[Value], targets: list[Value], active: set[int]) -> None:
  for source, target in zip(sources, targets, strict=True):
    if is_active(source, active) and _is_trainable(target):
      active.add(id(target))


def is_active(value: Value, active: set[int]) -> bool:
  """Tells whether a value has a gradient, given the ids from `active_values`."""
  return id(value) in active or (value.kind == "capture" and _is_trainable(value))


def _is_trainable(value: Value) -> bool:
  return value.source is not None and tfi.is_trainable(value.source)


def _has_gradient(node: Node) -> bool:
  if node.kind == "reshape":
    return True
  try:
    return tfi.get_gradient_function(node.op) is not None
  except LookupError:
    return False
