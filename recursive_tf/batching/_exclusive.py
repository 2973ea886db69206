"""Which ops a frame runs in one go: its uses of a variable that it writes, and what is between.

Ops of many frames that run as one share a read. Where a frame writes what it has read, each frame
has to read what the one before it has written. So all uses of such a variable in one region, and
the ops on paths between them, are one group: serial ops that run in one block, one frame after the
other. A single op may be one: a loop that is not taken apart, or the user's Python. See
recursive_tf/subgraph/_accesses.py for what the concurrent scheduler does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

import tensorflow as tf

from recursive_tf.batching._ir import BodyIR, Node, Region, UnbatchableError, Value, walk
from recursive_tf.subgraph._accesses import are_exclusive, runs_python, uses_by

AMONG = "it lies between a frame's uses of a variable that the frame writes"
_PYTHON = "Python"  # Stands for what the user's Python uses, among the resources.
ALONE = "its effect is one that other frames must not disturb: it reads and writes, or runs Python"


def keep_together(ir: BodyIR, identity: Callable[[Value], Hashable]) -> None:
  """Sets `Node.group` where ops have to run in one go, and makes them neighbours.

  Args:
    ir: the body.
    identity: tells resources apart.

  Raises:
    UnbatchableError: If there is a call, a conditional or a loop between two uses of a variable,
      or if a loop that is taken apart has one turn's use depend on another's.
  """
  agenda = [ir.root]
  while agenda:
    region = agenda.pop()
    _group(region, identity)
    agenda += [inner for node in region.nodes for inner in node.regions]


def reason_of(node: Node) -> str:
  """Returns why a node that has a group runs frame by frame."""
  return ALONE if node.group == [node] else AMONG


def _group(region: Region, identity: Callable[[Value], Hashable]) -> None:
  users: dict[Hashable, dict[int, Node]] = {}
  types: dict[Hashable, list[str]] = {}
  for node in region.nodes:
    for key, use in _uses(node, identity):
      users.setdefault(key, {})[id(node)] = node
      types.setdefault(key, []).append(use)
  if _PYTHON in users:  # It may read and write each variable.
    for key in users:
      users[key] = users[key] | users[_PYTHON]
      types[key] = types[key] + types[_PYTHON]
  groups: list[list[Node]] = []
  for key, found in users.items():
    if not are_exclusive(types[key]):
      continue
    nodes = list(found.values())
    for node in nodes:
      if node.kind == "loop":
        inner = [op for part in node.regions for op in part.nodes]
        _check_turns(node, {id(op) for op in inner if key in dict(_uses(op, identity))})
    if len(nodes) > 1 or nodes[0].kind == "op":
      groups.append(nodes)
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


def _uses(node: Node, identity: Callable[[Value], Hashable]) -> Iterator[tuple[Hashable, str]]:
  """Yields the resources that a node, or what is inside it, uses, and the type of op that does."""
  for op in [node, *(inner for part in node.regions for inner in walk(part))]:
    if op.kind != "op":
      continue
    for position, value in enumerate(op.inputs):
      if value.dtype == tf.resource:
        _check_known(value)
        for use in uses_by(op.op, position):
          yield identity(value), use
    if runs_python(op.op):
      yield from [(_PYTHON, op.op.type)] * 2


def _check_known(resource: Value) -> None:
  """Refuses a variable of which an op says which one it is, as a loop or an identity may."""
  maker = resource.node
  if maker is not None and any(value.dtype == tf.resource for value in maker.inputs):
    raise UnbatchableError(f"a variable's handle that an op gives ({maker.location})")


def _check_turns(loop: Node, uses: set[int]) -> None:
  """Checks that other frames may come between the turns of a loop that is taken apart.

  Args:
    loop: the loop.
    uses: ids of the nodes of its regions that use a variable which it writes.

  Raises:
    UnbatchableError: If whether or how the variable is used depends on its use in another turn.
  """
  test, turn = loop.regions
  inner = [node for node in turn.nodes if id(node) in uses]
  carried = _needed_of([*test.results, *(v for node in inner for v in _inputs(node))], loop)[1]
  before: set[int] = set()
  while carried:  # The variables of the loop that these need, and those that they need.
    before |= carried
    nodes, found = _needed_of([turn.results[i] for i in carried], loop)
    if nodes & uses:
      break
    carried = found - before
  if carried or any(id(node) in uses for node in test.nodes):
    raise UnbatchableError(
      f"a tf.while_loop among uses of a variable that the frame writes ({loop.location})"
    )


def _needed_of(values: Iterable[Value], loop: Node) -> tuple[set[int], set[int]]:
  """Returns ids of the nodes, and positions of the variables of `loop`, that `values` need."""
  positions = {id(variable): i for i, variable in enumerate(loop.variables)}
  nodes: set[int] = set()
  variables: set[int] = set()
  agenda = list(values)
  while agenda:
    value = agenda.pop()
    if id(value) in positions:
      variables.add(positions[id(value)])
    elif value.node is not None and id(value.node) not in nodes:
      nodes.add(id(value.node))
      agenda += _inputs(value.node)
  return nodes, variables


def _inputs(node: Node) -> list[Value]:
  """Returns the values that `node`, or what is inside it, needs."""
  ops = [node, *(inner for part in node.regions for inner in walk(part))]
  found = [value for op in ops for value in op.inputs]
  return found + [value for op in ops for part in op.regions for value in part.results]


def _before(node: Node, region: Region) -> list[Node]:
  """Returns the nodes of `region` that `node`, or what is inside it, needs to have run."""
  ops = [node, *(inner for part in node.regions for inner in walk(part))]
  found = [value.node for value in _inputs(node) if value.node is not None]
  found += [control for op in ops for control in op.controls]
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
