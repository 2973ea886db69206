"""Cuts bodies into blocks: the most that can run at once for many frames.

Ops that need the same arrivals (results of calls, of branches, of loops) belong to one block; a
block runs for a frame as soon as all of them are there. So what a caller needs first is not held up
by what it needs later: where a body returns a state and a loss, the states go up the tree while the
losses of all frames wait to be computed at once. For this the results of a body are divided into
groups that arrive together, found as the coarsest division that is consistent over all bodies and
tells results of different rank apart (`_ranks.py`); ops that only later ranks need are blocks of
their own.

An op that cannot serve many frames at once is put into a serial block, which runs frame by frame.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Sequence

from recursive_tf.batching._ir import BodyIR, Node, Region, UnbatchableError, Value, walk
from recursive_tf.batching._ranks import Ranks

Demand = frozenset[Hashable]
Groups = dict[str, list[int]]  # By body key: the group of each result.
Arrival = Hashable


@dataclasses.dataclass(eq=False)
class Block:
  """Straight-line ops that run at once for many frames, or, if serial, frame by frame.

  Attributes:
    body: key of its body.
    region: where its ops are.
    is_serial: whether it runs frame by frame.
    nodes: its ops in order; what all frames share is not among them.
    inputs: values of the frame that it takes.
    outputs: values that others need; shared ones among them are wanted as values of the frame.
    rank: the lowest rank of what needs its ops; above 0 they wait for as many frames as there are.
  """

  body: str
  region: Region
  is_serial: bool
  rank: int = 0
  nodes: list[Node] = dataclasses.field(default_factory=list)
  inputs: list[Value] = dataclasses.field(default_factory=list)
  outputs: list[Value] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(eq=False)
class Cut:
  """A body in blocks.

  Attributes:
    ir: the body.
    blocks: in an order in which they can run.
    groups: the group of each result.
    switch_groups: the same of each switch's outputs, by id of node.
    block_of: the block of each op, by id of node.
    home: the block that makes values of the frame of shared ones; None if none is needed.
  """

  ir: BodyIR
  blocks: list[Block]
  groups: list[int]
  switch_groups: dict[int, list[int]]
  block_of: dict[int, Block]
  home: Block | None


def cut_bodies(bodies: list[BodyIR], is_serial: Callable[[Node], bool]) -> list[Cut]:
  """Cuts all bodies of a run.

  Args:
    bodies: closed under calls.
    is_serial: tells which ops run frame by frame.

  Raises:
    UnbatchableError: If a loop contains what cannot be repeated.
  """
  ranks = Ranks(bodies)
  groups: Groups = {key: _number(found) for key, found in ranks.results.items()}
  while True:
    cuts = [_Cutter(ir, groups, is_serial, ranks).cut() for ir in bodies]
    found = {
      cut.ir.key: _number(list(zip(groups[cut.ir.key], cut.groups, strict=True))) for cut in cuts
    }
    if found == groups:
      for cut in cuts:
        cut.groups = groups[cut.ir.key]
      return cuts
    groups = found


class _Cutter:
  """Cuts one body, given how the results of all bodies are grouped."""

  def __init__(self, ir: BodyIR, groups: Groups, is_serial: Callable[[Node], bool], ranks: Ranks):
    self._ir = ir
    self._ranks = ranks
    self._groups = groups
    self._is_serial = is_serial
    self._blocks: dict[Hashable, Block] = {}
    self._block_of: dict[int, Block] = {}
    self._demands: dict[int, Demand] = {}  # By id of value: what has to arrive for it.
    self._done: dict[int, Demand] = {}  # By id of node: what has to arrive until it has run.
    self._before_serial: dict[int, Demand] = {}  # By id of node: what its block waits for.
    self._base: dict[int, Demand] = {}  # By id of region: what has arrived when it starts.
    self._home: Block | None = None
    self._switch_groups: dict[int, list[int]] = {}

  def cut(self) -> Cut:
    self._visit(self._ir.root, frozenset())
    groups = _number([self._arrival(value) for value in self._ir.root.results])
    _Sinker(self._ir, list(self._blocks.values()), self._block_of).sink()
    self._connect()
    return Cut(
      self._ir,
      [block for block in self._blocks.values() if block.nodes or block.outputs],
      groups,
      self._switch_groups,
      self._block_of,
      self._home,
    )

  # --- What each op waits for

  def _visit(self, region: Region, base: Demand) -> None:
    self._base[id(region)] = base
    for node in region.nodes:
      if node.is_invariant:
        continue
      demand = base.union(*(self._demand(value) for value in node.inputs))
      demand = demand.union(*(self._done.get(id(control), base) for control in node.controls))
      if node.kind in ("op", "reshape"):
        self._place(node, region, demand)
      elif node.kind in ("call", "map"):
        self._visit_call(node, region, demand)
      elif node.kind == "switch":
        self._visit_switch(node, demand)
      else:
        self._visit_loop(node, demand)

  def _demand(self, value: Value) -> Demand:
    return self._demands.get(id(value), frozenset())

  def _place(self, node: Node, region: Region, demand: Demand) -> None:
    done = demand
    if self._is_serial(node):
      of_group = self._group_demand(node.group, region) if node.group else None
      demand = self._serial_demand(node, region) if of_group is None else of_group
      self._before_serial[id(node)] = demand
      done = demand | {("serial", id(region), demand)}
    rank = self._ranks.of(node) if demand and not self._is_serial(node) else 0
    block = self._block(region, self._is_serial(node), demand, rank)
    block.nodes.append(node)
    self._block_of[id(node)] = block
    self._finish(node, done)

  def _group_demand(self, group: list[Node], region: Region) -> Demand:
    """Returns what has to arrive for ops that run in one go: all that any of them needs."""
    known = self._before_serial.get(id(group[0]))
    if known is not None:
      return known
    demand = self._base[id(region)]
    for node in group:
      demand = demand.union(*(self._demand(v) for v in node.inputs if v.node not in group))
      others = [control for control in node.controls if control not in group]
      demand = demand.union(*(self._done.get(id(control), frozenset()) for control in others))
    return demand

  def _serial_demand(self, node: Node, region: Region) -> Demand:
    """Returns what has to arrive for a serial op.

    One that directly needs another serial op's results can run in the same block; not so if there
    are ops between them that serve many frames.
    """
    makers = [value.node for value in node.inputs if value.node is not None] + node.controls
    serial = [maker for maker in makers if id(maker) in self._before_serial]
    demand = self._base[id(region)]
    for value in node.inputs:
      if value.node not in serial:
        demand |= self._demand(value)
    for control in node.controls:
      if control not in serial:
        demand |= self._done.get(id(control), frozenset())
    joined = demand.union(*(self._before_serial[id(maker)] for maker in serial))
    while True:
      apart = [maker for maker in serial if self._before_serial[id(maker)] != joined]
      wider = joined.union(*(self._done[id(maker)] for maker in apart))
      if wider == joined:
        return joined
      joined = wider

  def _block(self, region: Region, is_serial: bool, demand: Demand, rank: int = 0) -> Block:
    key = (id(region), is_serial, demand, rank)
    if key not in self._blocks:
      self._blocks[key] = Block(self._ir.key, region, is_serial, rank)
    return self._blocks[key]

  def _finish(self, node: Node, demand: Demand) -> None:
    self._done[id(node)] = demand
    for value in node.outputs:
      self._demands[id(value)] = demand

  def _visit_call(self, node: Node, region: Region, demand: Demand) -> None:
    # Calls of one body with arguments that are ready at the same time are taken to return at the
    # same time: the ops on the left and on the right child's result are one block.
    call = (node.kind, id(region), node.callee, demand)
    groups = self._groups[node.callee]
    ranks = self._ranks.results[node.callee]
    for value in node.outputs:
      arrivals = {(call, groups[value.index])}
      if node.kind == "map":
        arrivals = {(call, 0)}
      else:  # What has a lower rank is there by then: what needs both is no block of its own.
        pairs = zip(groups, ranks, strict=True)
        arrivals |= {(call, group) for group, rank in pairs if rank < ranks[value.index]}
      self._demands[id(value)] = demand | arrivals
    self._done[id(node)] = demand | {(call, group) for group in groups}

  def _visit_switch(self, node: Node, demand: Demand) -> None:
    for region in node.regions:
      self._visit(region, demand)
    arrivals = [
      tuple(self._arrival(region.results[i]) for region in node.regions)
      for i in range(len(node.outputs))
    ]
    groups = self._switch_groups[id(node)] = _number(arrivals)
    for value, group in zip(node.outputs, groups, strict=True):
      self._demands[id(value)] = demand | {("switch", id(node), group)}
    # One without results is waited for, too: an assertion in a branch.
    self._done[id(node)] = demand | {("switch", id(node), group) for group in groups or [0]}

  def _visit_loop(self, node: Node, demand: Demand) -> None:
    outer = demand.union(*(self._demand(value) for value in outer_values(node)))
    _check_repeatable(node)
    for value in node.variables:
      self._demands[id(value)] = outer | {("turn", id(node))}
    for region in node.regions:
      self._visit(region, outer | {("turn", id(node))})
    self._finish(node, outer | {("loop", id(node))})

  # --- What arrives together

  def _arrival(self, value: Value) -> Arrival:
    """Returns what makes `value` available."""
    if value.is_invariant:
      return id(self._make_home())
    node = value.node
    if node is None:
      return "entry"
    if value.kind == "variable":
      return ("turn", id(node))
    if node.kind == "call":
      return (id(node), self._groups[node.callee][value.index])
    if node.kind == "switch":
      return (id(node), self._switch_groups[id(node)][node.outputs.index(value)])
    if node.kind in ("map", "loop"):
      return id(node)
    return id(self._block_of[id(node)])

  def _make_home(self) -> Block:
    """Returns the block that makes values of the frame of shared ones.

    It is one that runs in any case, so that a branch that returns nothing but constants is no step
    of its own.
    """
    if self._home is None:
      self._home = self._block(self._ir.root, False, frozenset())
    return self._home

  # --- What blocks take and give

  def _connect(self) -> None:
    for block in self._blocks.values():
      for node in block.nodes:
        for value in node.inputs:
          if not value.is_invariant and value.kind != "frame":
            self._use_in_block(value, block)
    self._use_all(self._ir.root.results)
    for node in walk(self._ir.root):
      if node.kind in ("call", "map", "switch", "loop"):
        self._use_all(node.inputs)
      for region in node.regions:
        self._use_all(region.results)

  def _use_in_block(self, value: Value, block: Block) -> None:
    maker = self._maker(value)
    if maker is block:
      return
    _add(block.inputs, value)
    if maker is not None:
      _add(maker.outputs, value)

  def _use_all(self, values: Iterable[Value]) -> None:
    for value in values:
      maker = self._make_home() if value.is_invariant else self._maker(value)
      if maker is not None:
        _add(maker.outputs, value)

  def _maker(self, value: Value) -> Block | None:
    return None if value.node is None else self._block_of.get(id(value.node))


class _Sinker:
  """Moves ops to the block that uses what they compute, where that makes less leave a block.

  What a body reads of its tree is often needed only by a later block: then the row's number is
  handed over in place of the row.
  """

  def __init__(self, ir: BodyIR, blocks: list[Block], block_of: dict[int, Block]):
    self._blocks = [block for block in blocks if not block.is_serial]
    self._block_of = block_of
    self._users: dict[int, list[Block | None]] = {}  # By id of value; None: not a block.
    for block in blocks:
      for node in block.nodes:
        for value in node.inputs:
          self._users.setdefault(id(value), []).append(block)
    others = list(ir.root.results)
    for node in walk(ir.root):
      if id(node) not in block_of and not node.is_invariant:
        others += node.inputs
      others += [value for region in node.regions for value in region.results]
    for value in others:
      self._users.setdefault(id(value), []).append(None)

  def sink(self) -> None:
    for block in self._blocks:
      if block.rank:
        continue  # Its ops serve more frames at once where they are.
      for node in list(reversed(block.nodes)):
        user = self._only_user(node, block)
        if user is not None and self._gains(node, user):
          self._move(node, block, user)

  def _only_user(self, node: Node, block: Block) -> Block | None:
    """Returns the block that alone uses the outputs of `node`, if it is another one."""
    if node.is_stateful or node.controls:
      return None
    users = {user for value in node.outputs for user in self._users.get(id(value), [])}
    if len(users) != 1:
      return None
    (user,) = users
    if user is None or user is block or user.is_serial or user.region is not block.region:
      return None
    return user

  def _gains(self, node: Node, user: Block) -> bool:
    needed = {
      id(value): _row_bytes(value)
      for value in node.inputs
      if not value.is_invariant and user not in self._users[id(value)]
    }
    return sum(needed.values()) <= sum(_row_bytes(value) for value in node.outputs)

  def _move(self, node: Node, block: Block, user: Block) -> None:
    block.nodes.remove(node)
    user.nodes.insert(0, node)
    self._block_of[id(node)] = user
    for value in node.inputs:
      users = self._users[id(value)]
      users[users.index(block)] = user


def _row_bytes(value: Value) -> float:
  count = value.shape.num_elements()
  return float("inf") if count is None else float(count * value.dtype.size)


def outer_values(loop: Node) -> list[Value]:
  """Returns the frame's values that a loop uses beside its variables."""
  inside: set[int] = {id(value) for value in loop.variables}
  used: list[Value] = []
  for region in loop.regions:
    for node in walk(region):
      inside.update(id(value) for value in [*node.outputs, *node.variables])
      used += node.inputs
      used += [value for inner in node.regions for value in inner.results]
    used += region.results
  return [
    value
    for value in used
    if id(value) not in inside and not value.is_invariant and value.kind != "frame"
  ]


def _check_repeatable(loop: Node) -> None:
  """Checks that a turn of a loop is over when the values of the next one are there."""
  for region in loop.regions:
    for node in walk(region):
      if node.region is not region and node.has_effect:
        raise UnbatchableError(
          f"an op with an effect, {node.op.type}, in a tf.cond in a tf.while_loop ({node.location})"
        )


def _add(values: list[Value], value: Value) -> None:
  if all(value is not other for other in values):
    values.append(value)


def _number(arrivals: Sequence[Arrival]) -> list[int]:
  """Numbers arrivals by first appearance; equal ones have equal numbers."""
  numbers: dict[Arrival, int] = {}
  return [numbers.setdefault(arrival, len(numbers)) for arrival in arrivals]
