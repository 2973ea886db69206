"""The program that the batched scheduler's runtime executes, encoded as integers.

A body becomes *units* that wait for *events* and fire events: blocks, calls, conditionals, loops,
returns. Values that leave a block live in *registers* of the frame. kernels/core/batched_program.h
describes the encoding and what each unit does.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow as tf

from recursive_tf.batching._cut import Block, Cut, outer_values
from recursive_tf.batching._functions import BlockFunction
from recursive_tf.batching._ir import Node, Region, Value, effects_in, regions_of

VERSION = 1
BLOCK, CALL, MAP, SWITCH, COPY, RETURN, LOOP_START, LOOP_TEST, LOOP_NEXT = range(9)
VECTORISED, SERIAL = 0, 1
_ENTRY = 0  # The event that a frame begins with.
_NOBODY = -1  # The register of a value that nobody needs.


@dataclasses.dataclass(eq=False)
class _Unit:
  kind: int
  region: Region
  waits: set[int]
  payload: list[int]
  fires: list[int]


def encode(
  entry: int, cuts: list[Cut], functions: dict[Block, BlockFunction], num_captures: int
) -> list[int]:
  """Returns the program of a run.

  Args:
    entry: position of the body that is called first.
    cuts: all bodies.
    functions: of all their blocks, in the order in which the op names them.
    num_captures: of all bodies together, hoisted values included.
  """
  positions = {cut.ir.key: i for i, cut in enumerate(cuts)}
  block_ids = {block: i for i, block in enumerate(functions)}
  bodies = [_BodyEncoder(cut, cuts, positions, block_ids) for cut in cuts]
  program = [VERSION, entry, len(cuts), len(functions), num_captures]
  for body in bodies:
    program += body.encode()
  for block, function in functions.items():
    program += bodies[positions[block.body]].encode_block(block, function, block_ids[block])
  return program


@dataclasses.dataclass(frozen=True)
class BlockArity:
  """What a block's function takes and returns.

  Attributes:
    num_inputs, num_outputs: how many values of frames; residuals do not count.
    captures: positions of the captures that it takes after its inputs.
  """

  num_inputs: int
  num_outputs: int
  captures: list[int]


def block_arities(program: list[int]) -> list[BlockArity]:
  """Reads back from a program what its blocks take and return, in order of their functions."""
  reader = iter(program)

  def read(count: int = 1) -> list[int]:
    return [next(reader) for _ in range(count)]

  _, _, num_bodies, num_blocks, _ = read(5)
  for _ in range(num_bodies):
    _, _, num_events, _, _, num_units = read(6)
    for _ in range(num_units):
      kind, _ = read(2)
      _READERS[kind](read)
    for _ in range(num_events):
      read(read()[0])
  arities = []
  for _ in range(num_blocks):
    _, _, _, num_inputs = read(4)
    read(2 * num_inputs)
    captures = read(read()[0])
    (num_outputs,) = read()
    read(2 * num_outputs)
    arities.append(BlockArity(num_inputs, num_outputs, captures))
  return arities


_Read = Callable[..., list[int]]


def _read_call(read: _Read) -> None:
  read()
  read(read()[0])
  read(read()[0])
  read(read()[0])


def _read_map(read: _Read) -> None:
  read()
  read(read()[0])
  (num_results,) = read()
  read(num_results + 1)
  for _ in range(num_results):
    _, rank = read(2)
    read(rank)


def _read_switch(read: _Read) -> None:
  read(2)
  read(read()[0])


def _read_pairs(read: _Read) -> None:
  read(2 * read()[0])


def _read_return(read: _Read) -> None:
  read()
  _read_pairs(read)


def _read_copy(read: _Read) -> None:
  _read_pairs(read)
  read()


def _read_turn(read: _Read) -> None:
  _read_pairs(read)
  read(read()[0])
  read()


def _read_test(read: _Read) -> None:
  read()
  read(read()[0])
  read()
  _read_copy(read)


_READERS: dict[int, Callable[[_Read], Any]] = {
  BLOCK: lambda read: read(2),
  CALL: _read_call,
  MAP: _read_map,
  SWITCH: _read_switch,
  COPY: _read_copy,
  RETURN: _read_return,
  LOOP_START: _read_turn,
  LOOP_TEST: _read_test,
  LOOP_NEXT: _read_turn,
}


class _BodyEncoder:
  """Numbers the registers and events of one body and makes its units."""

  def __init__(
    self, cut: Cut, cuts: list[Cut], positions: dict[str, int], block_ids: dict[Block, int]
  ):
    self._cut = cut
    self._cuts = cuts
    self._positions = positions
    self._block_ids = block_ids
    self._registers: dict[int, int] = {}  # By id of value.
    self._num_registers = 0
    self._num_events = 1
    self._units: list[_Unit] = []
    self._loops: list[tuple[_Unit, _Unit, _Unit, Node, list[int]]] = []
    self._start: dict[int, int] = {id(cut.ir.root): _ENTRY}  # By id of region.
    self._block_events = {block: self._event() for block in cut.blocks}
    self._node_events: dict[int, list[int]] = {}  # By id of node; one for each group.
    self._num_reads = _count_reads(cut)
    self._same_as = _made_for_switches(cut, self._num_reads)
    for value in cut.ir.args:
      self._register(value)
    for block in cut.blocks:
      for value in block.outputs:
        self._register(value)
    for region in regions_of(cut.ir.root):
      for node in region.nodes:
        self._prepare(node)

  def encode(self) -> list[int]:
    for block in self._cut.blocks:
      self._add_block(block)
    for region in regions_of(self._cut.ir.root):
      for node in region.nodes:
        if node.kind in ("call", "map"):
          self._add_call(node)
        elif node.kind == "switch":
          self._add_switch(node)
        elif node.kind == "loop":
          self._add_loop(node)
    self._add_returns()
    self._drop_implied_waits()
    self._drop_empty_copies()
    self._reset_lists()

    dependents: list[list[int]] = [[] for _ in range(self._num_events)]
    encoded: list[int] = []
    for i, unit in enumerate(self._units):
      encoded += [unit.kind, len(unit.waits), *unit.payload]
      for event in sorted(unit.waits):
        dependents[event].append(i)
    groups = self._cut.groups
    head = [
      len(self._cut.ir.args),
      self._num_registers,
      self._num_events,
      max(groups, default=0) + 1,
      len(groups),
      len(self._units),
    ]
    tail = [number for units in dependents for number in (len(units), *units)]
    return head + encoded + tail

  def encode_block(self, block: Block, function: BlockFunction, index: int) -> list[int]:
    kind = SERIAL if block.is_serial else VECTORISED
    encoded = [kind, index, self._positions[block.body], len(block.inputs)]
    for value in block.inputs:
      encoded += [self._use(value), int(not value.row_shape.is_fully_defined())]
    encoded += [len(function.capture_indices), *function.capture_indices]
    encoded.append(len(block.outputs))
    for value, is_shared in zip(block.outputs, function.is_shared, strict=True):
      encoded += [self._use(value), int(not is_shared)]
    return encoded

  # --- Registers and events

  def _event(self) -> int:
    self._num_events += 1
    return self._num_events - 1

  def _register(self, value: Value) -> int:
    if id(value) not in self._registers:
      if (target := self._same_as.get(id(value))) is not None:
        self._registers[id(value)] = self._register(target)
      else:
        self._registers[id(value)] = self._num_registers
        self._num_registers += 1
    return self._registers[id(value)]

  def _use(self, value: Value) -> int:
    return self._registers[id(value)]

  def _prepare(self, node: Node) -> None:
    """Gives registers to what a node puts into them, and numbers its events."""
    if node.kind in ("call", "map", "switch", "loop"):
      for value in [*node.outputs, *node.variables]:
        if not self._is_for_nobody(value):
          self._register(value)
    if node.kind == "call":
      groups = self._groups_of(node.callee)
      self._node_events[id(node)] = [self._event() for _ in range(max(groups, default=0) + 1)]
    elif node.kind == "switch":
      for region in node.regions:
        self._start[id(region)] = self._event()
      switch_groups = self._cut.switch_groups[id(node)]
      is_awaited = _is_in_loop(node) or any(effects_in(region) for region in node.regions)
      count = max(max(switch_groups, default=-1) + 1, int(is_awaited))
      self._node_events[id(node)] = [self._event() for _ in range(count)]
    elif node.kind == "loop":
      for region in node.regions:
        self._start[id(region)] = self._event()
      self._node_events[id(node)] = [self._event()]
    elif node.kind == "map":
      self._node_events[id(node)] = [self._event()]

  def _is_for_nobody(self, value: Value) -> bool:
    """Tells whether a call's result needs no register."""
    assert value.node is not None
    return value.node.kind == "call" and not self._num_reads[id(value)]

  def _groups_of(self, key: str) -> list[int]:
    return self._cuts[self._positions[key]].groups

  def _event_of(self, value: Value, region: Region) -> int:
    """Returns the event that makes `value` available to something in `region`."""
    if value.is_invariant:
      assert self._cut.home is not None  # Made when it was cut.
      return self._block_events[self._cut.home]
    node = value.node
    if node is None:
      return _ENTRY
    if value.kind == "variable":
      return self._turn_of(region, node)
    events = self._node_events.get(id(node))
    if events is None:
      return self._block_events[self._cut.block_of[id(node)]]
    if node.kind == "call":
      return events[self._groups_of(node.callee)[value.index]]
    if node.kind == "switch":
      return events[self._cut.switch_groups[id(node)][node.outputs.index(value)]]
    return events[0]

  def _turn_of(self, region: Region, loop: Node) -> int:
    """Returns the event that starts the part of `loop` that `region` is in."""
    while region.owner is not loop:
      assert region.owner is not None  # A loop's variables are used in the loop.
      region = region.owner.region
    return self._start[id(region)]

  def _events_of(self, values: Iterable[Value], region: Region) -> set[int]:
    return {self._event_of(value, region) for value in values if value.kind != "frame"}

  def _events_after(self, nodes: Iterable[Node]) -> set[int]:
    """Returns the events that tell that nodes have run."""
    events: set[int] = set()
    for node in nodes:
      if id(node) in self._node_events:
        events.update(self._node_events[id(node)])
      elif id(node) in self._cut.block_of:
        events.add(self._block_events[self._cut.block_of[id(node)]])
    return events

  # --- Units

  def _add(
    self, kind: int, region: Region, waits: set[int], payload: list[int], fires: list[int]
  ) -> _Unit:
    unit = _Unit(kind, region, waits | {self._start[id(region)]}, payload, fires)
    self._units.append(unit)
    return unit

  def _add_block(self, block: Block) -> None:
    event = self._block_events[block]
    waits = self._events_of(block.inputs, block.region)
    waits |= self._events_after(control for node in block.nodes for control in node.controls)
    waits.discard(event)
    self._add(BLOCK, block.region, waits, [self._block_ids[block], event], [event])

  def _add_call(self, node: Node) -> None:
    events = self._node_events[id(node)]
    callee = self._cuts[self._positions[node.callee]]
    results = [_NOBODY] * len(callee.groups)
    for value in node.outputs:
      if not self._is_for_nobody(value):
        results[value.index] = self._use(value)
    payload = [self._positions[node.callee]]
    payload += [len(node.inputs), *(self._use(value) for value in node.inputs)]
    payload += [len(results), *results]
    waits = self._events_of(node.inputs, node.region) | self._events_after(node.controls)
    if node.kind == "call":
      payload += [len(events), *events]
      self._add(CALL, node.region, waits, payload, events)
      return
    payload += events
    for value in callee.ir.root.results:
      dimensions = value.row_shape.as_list()
      payload += [value.dtype.as_datatype_enum, len(dimensions), *dimensions]
    self._add(MAP, node.region, waits, payload, events)

  def _add_switch(self, node: Node) -> None:
    (predicate,) = node.inputs
    starts = [self._start[id(region)] for region in node.regions]
    is_index = int(predicate.dtype != tf.bool)
    payload = [is_index, self._use(predicate), len(starts), *starts]
    waits = self._events_of(node.inputs, node.region) | self._events_after(node.controls)
    self._add(SWITCH, node.region, waits, payload, starts)
    groups = self._cut.switch_groups[id(node)]
    for region in node.regions:
      for group, event in enumerate(self._node_events[id(node)]):
        members = [i for i, other in enumerate(groups) if other == group]
        sources = [region.results[i] for i in members]
        registers = [self._use(value) for value in sources]
        targets = [self._use(node.outputs[i]) for i in members]
        moved = [pair for pair in zip(registers, targets, strict=True) if pair[0] != pair[1]]
        payload = [len(moved), *(register for pair in moved for register in pair)]
        waits = self._events_of(sources, region) | self._events_after(effects_in(region))
        if _is_in_loop(node):  # A turn is over when all is that runs in it: the next starts anew.
          waits |= self._events_in(region)
        self._add(COPY, region, waits, [*payload, event], [event])

  def _add_loop(self, node: Node) -> None:
    cond, body = node.regions
    (done,) = self._node_events[id(node)]
    start_cond, start_body = self._start[id(cond)], self._start[id(body)]
    variables = [self._use(value) for value in node.variables]
    outputs = [self._use(value) for value in node.outputs]

    initial = _pairs([self._use(value) for value in node.inputs], variables)
    waits = self._events_of([*node.inputs, *outer_values(node)], node.region)
    waits |= self._events_after(node.controls)
    if self._cut.home is not None:  # What a turn needs of it has to be there before the first.
      waits.add(self._block_events[self._cut.home])
    start = self._add(LOOP_START, node.region, waits, initial, [start_cond])
    waits = self._events_of(cond.results, cond) | self._events_in(cond)
    (predicate,) = cond.results
    test = self._add(LOOP_TEST, cond, waits, [self._use(predicate)], [start_body, done])
    waits = self._events_of(body.results, body) | self._events_in(body)
    following = _pairs([self._use(value) for value in body.results], variables)
    turn = self._add(LOOP_NEXT, body, waits, following, [start_cond])
    self._loops.append((start, test, turn, node, _pairs(variables, outputs)))

  def _events_in(self, region: Region) -> set[int]:
    """Returns the events of what runs in each turn of a loop."""
    events = {event for block, event in self._block_events.items() if block.region is region}
    return events | self._events_after(node for node in region.nodes)

  def _reset_lists(self) -> None:
    """Completes the units of loops: each part starts again with all its units waiting."""
    for start, test, turn, node, results in self._loops:
      cond, body = (self._units_in(region) for region in node.regions)
      start_cond, start_body = (self._start[id(region)] for region in node.regions)
      start.payload += [*cond, start_cond]
      turn.payload += [*cond, start_cond]
      (done,) = self._node_events[id(node)]
      test.payload += [*body, start_body, *results, done]

  def _units_in(self, region: Region) -> list[int]:
    inside = {id(inner) for inner in regions_of(region)}
    units = [i for i, unit in enumerate(self._units) if id(unit.region) in inside]
    return [len(units), *units]

  def _add_returns(self) -> None:
    root = self._cut.ir.root
    for group in range(max(self._cut.groups, default=0) + 1):
      members = [i for i, other in enumerate(self._cut.groups) if other == group]
      values = [root.results[i] for i in members]
      payload = [group, *_pairs([self._use(value) for value in values], members)]
      waits = self._events_of(values, root) | self._events_after(effects_in(root))
      self._add(RETURN, root, waits, payload, [])

  def _drop_implied_waits(self) -> None:
    """Removes waits for events that must have happened before another one that is waited for.

    In a loop only what happens in each turn can be waited for; what comes from outside was there
    before the loop started.
    """
    firing: dict[int, list[_Unit]] = {}
    for unit in self._units:
      for event in unit.fires:
        firing.setdefault(event, []).append(unit)
    known: dict[int, set[int]] = {}

    def before(event: int) -> set[int]:
      if event not in known:
        known[event] = set()  # A loop's next turn implies no more than its first.
        sets = []
        for unit in firing.get(event, []):
          if unit.kind == LOOP_NEXT:
            continue
          sets.append(set(unit.waits).union(*(before(wait) for wait in unit.waits)))
        known[event] = set.intersection(*sets) if sets else set()
      return known[event]

    for event in range(self._num_events):
      before(event)
    for unit in self._units:
      implied = set().union(*(known[event] for event in unit.waits))
      unit.waits -= implied

  def _drop_empty_copies(self) -> None:
    """Removes copies of nothing: the block that each would come after fires its event itself."""
    waiting = collections.Counter(event for unit in self._units for event in unit.waits)
    blocks = {unit.fires[0]: unit for unit in self._units if unit.kind == BLOCK}
    for copy in [unit for unit in self._units if unit.kind == COPY and unit.payload[0] == 0]:
      if len(copy.waits) > 1:
        continue
      (event,) = copy.waits
      if event in blocks and waiting[event] == 1:
        block = blocks[event]
        block.fires = copy.fires
        block.payload = [block.payload[0], *copy.fires]
        self._units.remove(copy)


def _is_in_loop(node: Node) -> bool:
  owner = node.region.owner
  return owner is not None and (owner.kind == "loop" or _is_in_loop(owner))


def _count_reads(cut: Cut) -> collections.Counter[int]:
  """Counts how often units read each value, by its id."""
  reads = collections.Counter(id(value) for block in cut.blocks for value in block.inputs)
  for region in regions_of(cut.ir.root):
    reads.update(id(value) for value in region.results)
    for node in region.nodes:
      if node.kind in ("call", "map", "switch", "loop"):
        reads.update(id(value) for value in node.inputs)
  return reads


def _made_for_switches(cut: Cut, reads: collections.Counter[int]) -> dict[int, Value]:
  """Returns the outputs of switches by the id of what a region makes for them, and for nobody else.

  Both can be in one register, since only one region runs.
  """
  outputs = {}
  for region in regions_of(cut.ir.root):
    for node in region.nodes:
      if node.kind != "switch":
        continue
      for inner in node.regions:
        for value, output in zip(inner.results, node.outputs, strict=True):
          is_own = value.node is not None and value.node.region is inner
          if is_own and not value.is_invariant and reads[id(value)] == 1:
            outputs[id(value)] = output
  return outputs


def _pairs(first: list[int], second: list[int]) -> list[int]:
  """Returns the encoded list of pairs of registers."""
  pairs = zip(first, second, strict=True)
  return [len(first), *(number for pair in pairs for number in pair)]
