"""From the bodies of a run to what the batched scheduler needs: the plan."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator

import tensorflow as tf

from recursive_tf import _collection
from recursive_tf import _tf_internals as tfi
from recursive_tf._graph_lock import graph_lock
from recursive_tf.autodiff import Slot, connected_args
from recursive_tf.batching import _exclusive, _program, _work
from recursive_tf.batching._active import active_values, is_active
from recursive_tf.batching._alike import Made
from recursive_tf.batching._cut import Block, Cut, cut_bodies
from recursive_tf.batching._functions import HAS_EFFECT, BlockFunction, SerialNodeError, emit_from
from recursive_tf.batching._gradients import BlockGradient
from recursive_tf.batching._ir import (
  BodyIR,
  Node,
  Region,
  UnbatchableError,
  Value,
  begins_with_one,
  build,
  regions_of,
  reshaped,
  walk,
)
from recursive_tf.subgraph._body import Body, name_of

_PLAN = "_recursive_tf_plan"


@dataclasses.dataclass(frozen=True)
class SerialOp:
  """An op that runs frame by frame.

  Attributes:
    body: key of its body.
    type: its type.
    location: where the user wrote it.
    reason: why.
  """

  body: str
  type: str
  location: str
  reason: str


class Plan:
  """How the batched scheduler runs some bodies.

  Attributes:
    bodies: all bodies of the run; the first is called from outside.
    cuts: the bodies in blocks.
    functions: what runs each block.
    program: what the runtime does with them.
    hoisted: values that are computed before the run and captured like outer references.
    serial_ops: the ops that run frame by frame.
    is_exclusive: whether only one thread may run them, because frames read and write a variable.
    frame_work, frames_per_row: what a call of many rows is divided between threads by.
  """

  def __init__(self, bodies: list[Body]):
    self.bodies = bodies
    self.irs = _build_all(bodies)
    self._capture_values = [
      value
      for ir in self.irs
      for node in walk(ir.root)
      for value in node.inputs
      if value.kind == "capture"
    ]
    self._num_captures = sum(len(body.captures) for body in bodies)
    nodes = [node for ir in self.irs for node in walk(ir.root)]
    # By id of node: why it runs frame by frame.
    self._reasons = {id(node): _exclusive.reason_of(node) for node in nodes if node.group}
    self.is_exclusive = bool(self._reasons)
    self.functions = self._make_functions()
    num_captures = self._num_captures + len(self.hoisted)
    self.program = _program.encode(0, self.cuts, self.functions, num_captures)
    self.frame_work = _work.frame_work(self.functions.values(), len(bodies))
    self.frames_per_row = _work.frames_per_row(any(next(_calls(ir), None) for ir in self.irs))
    self.runtime_functions = [f.emitted.function() for f in self.functions.values()]
    self.serial_ops = [
      SerialOp(block.body, node.op.type, node.location, self._reasons[id(node)])
      for block in self.functions
      for node in block.nodes
      if id(node) in self._reasons
    ]
    self._gradients: list[BlockGradient | None] | None = None
    self._training_functions: list[tfi.Function] = []

  def _make_functions(self) -> dict[Block, BlockFunction]:
    """Cuts the bodies until each block either serves many frames or is known not to."""
    nodes = [node for ir in self.irs for node in walk(ir.root)]
    effects = {id(node): HAS_EFFECT for node in nodes if node.has_effect}
    self._reasons = effects | self._reasons
    made: Made = {}
    while True:
      self.hoisted: list[Value] = []
      self.cuts: list[Cut] = cut_bodies(self.irs, lambda node: id(node) in self._reasons)
      blocks = [block for cut in self.cuts for block in cut.blocks]
      _check_borders(blocks)
      functions: dict[Block, BlockFunction] = {}
      errors: list[SerialNodeError] = []
      for block in blocks:
        try:
          functions[block] = BlockFunction(block, self._hoist, made)
        except SerialNodeError as error:
          errors.append(error)
      if not errors:
        return functions
      for found in errors:
        if id(found.node) in self._reasons or found.node.kind != "op":
          raise UnbatchableError(f"{found} ({found.node.location})") from found
        self._reasons[id(found.node)] = str(found)

  def _hoist(self, value: Value) -> int:
    """Has a shared value computed before the run; returns its position among the captures."""
    for i, other in enumerate(self.hoisted):
      if other is value:
        return self._num_captures + i
    self.hoisted.append(value)
    return self._num_captures + len(self.hoisted) - 1

  def emit_captures(self) -> list[tf.Tensor]:
    """Returns the captures in the current graph: outer references, and hoisted values of them."""
    outer = [tensor for body in self.bodies for tensor, _ in body.captures]
    known = dict[int, tf.Tensor]()
    for value in self._capture_values:
      known[id(value)] = outer[value.index]
    return outer + [emit_from(value, known) for value in self.hoisted]

  @functools.cached_property
  def connected(self) -> list[int]:
    """Positions of the arguments that have a gradient."""
    return connected_args(self.bodies)[self.bodies[0].key]

  @property
  def block_names(self) -> list[str]:
    """A name for each block, for schedules that people read."""
    names, seen = [], dict[str, int]()
    for block in self.functions:
      body = name_of(block.body)
      where = _region_name(block.region)
      name = f"{body}.{where}" if where else body
      seen[name] = seen.get(name, 0) + 1
      names.append(f"{name}:{seen[name]}" if seen[name] > 1 else name)
    return names

  def gradients(self) -> list[BlockGradient | None]:
    """Returns the gradient of each block; thread-safe."""
    with graph_lock, tfi.building(), _collection.paused():
      if self._gradients is None:
        active = active_values(self.irs, self.connected)
        self._gradients = [
          function.emitted.gradient(
            [i for i, value in enumerate(block.inputs) if is_active(value, active)],
            [i for i, value in enumerate(block.outputs) if is_active(value, active)],
            function.capture_indices,
          )
          for block, function in self.functions.items()
        ]
        self._training_functions = [
          function.emitted.function(gradient.residuals if gradient else ())
          for function, gradient in zip(self.functions.values(), self._gradients, strict=True)
        ]
      return self._gradients

  def training_functions(self) -> list[tfi.Function]:
    """Returns the functions of the blocks that also return the residuals."""
    self.gradients()
    return self._training_functions

  def num_vectorised(self) -> int:
    """Returns how many blocks serve many frames and do more than hand on shared values."""
    return sum(not block.is_serial and bool(block.nodes) for block in self.functions)


def plan_for(bodies: list[Body]) -> Plan:
  """Returns the plan of a run that starts with the first of `bodies`, making it once.

  Raises:
    UnbatchableError: If they have to run under the concurrent scheduler.
  """
  with graph_lock:
    known = getattr(bodies[0], _PLAN, None)
    if known is None:
      try:
        with tfi.building(), _collection.paused():
          known = Plan(bodies)
      except UnbatchableError as error:
        known = str(error)  # The error's traceback would keep what is on the stack: tapes.
      setattr(bodies[0], _PLAN, known)
  if isinstance(known, str):
    raise UnbatchableError(known)
  return known


def _region_name(region: Region) -> str:
  names: list[str] = []
  while region.owner is not None:
    owner = region.owner
    position = owner.regions.index(region)
    if owner.kind == "loop":
      names.append(("while", "do")[position])
    elif len(owner.regions) == 2 and owner.op.type in ("If", "StatelessIf"):
      names.append(("true", "false")[position])
    else:
      names.append(f"case{position}")
    region = owner.region
  return ".".join(reversed(names))


def encode_backward(gradients: list[BlockGradient | None]) -> tuple[list[int], list[Slot]]:
  """Returns the backward program and the accumulators it adds to.

  Functions are numbered in the order of the blocks that have a gradient.
  """
  slots: dict[Slot, int] = {}
  program = [_program.VERSION, len(gradients)]
  num_functions = 0
  for gradient in gradients:
    if gradient is None:
      program += [-1, 0, 0, 0, 0]
      continue
    program.append(num_functions)
    num_functions += 1
    for numbers in (gradient.outputs, gradient.captures, gradient.inputs):
      program += [len(numbers), *numbers]
    program += [len(gradient.slots), *(slots.setdefault(s, len(slots)) for s in gradient.slots)]
  return program, list(slots)


# --- What calls hand on has the form that the other side expects


def _build_all(bodies: list[Body]) -> list[BodyIR]:
  irs, first = [], 0
  for body in bodies:
    irs.append(build(body, first))
    first += len(body.captures)
  outer = [tensor for body in bodies for tensor, _ in body.captures]
  for ir in irs:
    _exclusive.keep_together(
      ir, lambda value: id(outer[value.index]) if value.kind == "capture" else id(value)
    )
  by_key = {ir.key: ir for ir in irs}
  nodes = [node for ir in irs for node in walk(ir.root)]
  if not any(node.has_effect for node in nodes):
    for node in nodes:
      node.is_read_once = node.kind == "op" and node.op.type == "ReadVariableOp"
  for ir in irs:
    _check_dtypes(ir)
    for node in _calls(ir):
      callee = by_key[node.callee]
      shapes = [arg.shape for arg in callee.args]
      if node.kind == "map":
        shapes = [tf.TensorShape([None]).concatenate(arg.row_shape) for arg in callee.args]
      node.inputs = [
        _conform(value, shape, node.region, node)
        for value, shape in zip(node.inputs, shapes, strict=True)
      ]
    for region in list(regions_of(ir.root)):
      owner = region.owner
      if owner is None or (owner.kind == "loop" and region is owner.regions[0]):
        continue
      wanted = owner.outputs if owner.kind == "switch" else owner.variables
      region.results = [
        _conform(value, other.shape, region)
        for value, other in zip(region.results, wanted, strict=True)
      ]
    for node in list(walk(ir.root)):
      if node.kind == "loop":
        node.inputs = [
          _conform(value, variable.shape, node.region, node)
          for value, variable in zip(node.inputs, node.variables, strict=True)
        ]
  for ir in irs:  # Results as the callers were told.
    told = _told(ir.key, irs)
    ir.root.results = [
      _conform(value, shape if shape is not None else value.shape, ir.root)
      for value, shape in zip(ir.root.results, told, strict=True)
    ]
    for node in _calls(ir):
      if node.kind == "map":
        _check_map(node, by_key[node.callee])
        _stack_rows(node, by_key[node.callee])
  return irs


def _calls(ir: BodyIR) -> Iterator[Node]:
  return (node for node in list(walk(ir.root)) if node.kind in ("call", "map"))


def _told(key: str, irs: list[BodyIR]) -> list[tf.TensorShape | None]:
  """Returns the shapes of a body's results as its call sites know them."""
  count = next(len(ir.root.results) for ir in irs if ir.key == key)
  told: list[tf.TensorShape | None] = [None] * count
  for ir in irs:
    for node in _calls(ir):
      if node.callee == key and node.kind == "call":
        for value in node.outputs:
          told[value.index] = value.shape
  return told


def _conform(
  value: Value, shape: tf.TensorShape, region: Region, before: Node | None = None
) -> Value:
  """Returns `value` in the form of a value of static `shape`, by a reshape if it has another."""
  is_merged = begins_with_one(shape)
  same_rank = value.row_shape.rank == (shape[1:] if is_merged else shape).rank
  if value.is_merged == is_merged and (same_rank or shape.rank is None):
    return value
  if value.is_merged and not is_merged and shape.rank == value.shape.rank:
    shape = tf.TensorShape([None]).concatenate(value.shape[1:])
  return reshaped(value, shape, region, before)


def _check_dtypes(ir: BodyIR) -> None:
  """Checks that only values that have rows leave blocks."""
  for node in walk(ir.root):
    passed = list(node.inputs) if node.kind != "op" else []
    passed += [value for region in node.regions for value in region.results]
    for value in passed:
      if value.dtype in (tf.variant, tf.resource):
        raise UnbatchableError(
          f"a {value.dtype.name} is handed to a call or through control flow ({node.location})"
        )


def _check_borders(blocks: list[Block]) -> None:
  """Checks that only values that have rows go from block to block."""
  for block in blocks:
    for value in block.inputs:
      if value.dtype in (tf.variant, tf.resource):
        where = value.node.location if value.node is not None else "unknown"
        raise UnbatchableError(f"a {value.dtype.name}, such as a TensorArray's list ({where})")


def _stack_rows(node: Node, callee: BodyIR) -> None:
  """Makes a mapped call return rows of rows, and reshapes them to what the body expects."""
  after = node.region.nodes.index(node) + 1
  for i, (value, result) in enumerate(zip(node.outputs, callee.root.results, strict=True)):
    shape = tf.TensorShape([None]).concatenate(result.row_shape)
    if value.shape.rank == shape.rank:
      continue
    rows = Value("node", value.dtype, shape, node, i, value.source)
    node.outputs[i] = rows
    reshape = Node("reshape", node.op, [rows], node.region, [value])
    value.node, value.index = reshape, 0
    node.region.nodes.insert(after, reshape)


def _check_map(node: Node, callee: BodyIR) -> None:
  for value in callee.root.results:
    if not value.shape.is_fully_defined():
      raise UnbatchableError(
        f"{name_of(node.callee)}.map in a body, where a result has no static shape,"
        f" {value.shape} ({node.location})"
      )
