"""Which ops a frame runs in one go: its uses of a variable that it writes, and what is between.

Ops of many frames that run as one share a read. Where a frame writes what it has read, each frame
has to read what the one before it has written. So all uses of such a variable in one region, and
the ops on paths between them, are one group: serial ops that run in one block, one frame after the
other. See recursive_tf/subgraph/_accesses.py for what the concurrent scheduler does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import tensorflow as tf

from recursive_tf.batching._ir import READS, BodyIR, Node, Region, UnbatchableError, Value, walk

REASON = "it lies between a frame's uses of a variable that the frame writes"


def keep_together(ir: BodyIR, identity: Callable[[Value], Hashable]) -> None:
  """Sets `Node.group` where ops have to run in one go, and makes them neighbours.

  Args:
    ir: the body.
    identity: tells resources apart.

  Raises:
    UnbatchableError: If there is a call, a conditional or a loop between two uses of a variable.
  """
  agenda = [ir.root]
  while agenda:
    region = agenda.pop()
    _group(region, identity)
    agenda += [inner for node in region.nodes for inner in node.regions]


def _group(region: Region, identity: Callable[[Value], Hashable]) -> None:
  users: dict[Hashable, list[Node]] = {}
  written: set[Hashable] = set()
  for node in region.nodes:
    for op in [node, *(inner for part in node.regions for inner in walk(part))]:
      for value in op.inputs if op.kind == "op" else []:
        if value.dtype == tf.resource:
          users.setdefault(identity(value), [])
          if node not in users[identity(value)]:
            users[identity(value)].append(node)
          if op.op.type not in READS:
            written.add(identity(value))
  groups = [found for key, found in users.items() if key in written and len(found) > 1]
  if not groups:
    return
  before = {id(node): _before(node, region) for node in region.nodes}
  for group in _disjoint(groups, region, before):
    for node in group:
      if node.kind not in ("op", "reshape"):
        what = {"switch": "a tf.cond", "loop": "a tf.while_loop"}.get(node.kind, "a call")
        raise UnbatchableError(
          f"{what} among uses of a variable that the frame writes ({node.location})"
        )
      node.group = group
  region.nodes = _ordered(region.nodes, before)


def _before(node: Node, region: Region) -> list[Node]:
  """Returns the nodes of `region` that `node`, or what is inside it, needs to have run."""
  inner = [op for part in node.regions for op in walk(part)]
  values = [value for op in [node, *inner] for value in op.inputs]
  values += [v for op in [node, *inner] for part in op.regions for v in part.results]
  found = [value.node for value in values if value.node is not None]
  found += [control for op in [node, *inner] for control in op.controls]
  unique = {id(other): other for other in found if other.region is region and other is not node}
  return list(unique.values())


def _disjoint(
  groups: list[list[Node]], region: Region, before: dict[int, list[Node]]
) -> list[list[Node]]:
  """Returns the groups with all that lies on paths inside them, overlapping ones as one."""
  after: dict[int, list[Node]] = {}
  for node in region.nodes:
    for other in before[id(node)]:
      after.setdefault(id(other), []).append(node)
  closed: list[list[Node]] = []
  agenda = list(groups)
  while agenda:
    group = agenda.pop()
    inside = _reached(group, before) & _reached(group, after)
    joined = [other for other in closed if any(id(node) in inside for node in other)]
    if joined:  # Also two groups each of which needs something of the other.
      closed = [other for other in closed if other not in joined]
      agenda.append(_unique([*group, *(node for other in joined for node in other)]))
    else:
      closed.append([node for node in region.nodes if id(node) in inside])
  return closed


def _reached(start: Iterable[Node], following: dict[int, list[Node]]) -> set[int]:
  agenda = list(start)
  seen = {id(node) for node in agenda}
  while agenda:
    for node in following.get(id(agenda.pop()), []):
      if id(node) not in seen:
        seen.add(id(node))
        agenda.append(node)
  return seen


def _ordered(nodes: list[Node], before: dict[int, list[Node]]) -> list[Node]:
  """Returns the nodes in an order in which they can run, the nodes of a group side by side."""
  order: list[Node] = []
  done: set[int] = set()
  for start in nodes:
    agenda = [start]
    while agenda:
      node = agenda[-1]
      group = node.group or [node]
      if id(node) in done:
        agenda.pop()
        continue
      members = {id(member) for member in group}
      missing = [
        other
        for member in group
        for other in before[id(member)]
        if id(other) not in done and id(other) not in members
      ]
      if missing:
        agenda += missing
        continue
      agenda.pop()
      order += group  # In the order of `nodes`, which is one in which they can run.
      done |= members
  return order


def _unique(nodes: list[Node]) -> list[Node]:
  return list({id(node): node for node in nodes}.values())
