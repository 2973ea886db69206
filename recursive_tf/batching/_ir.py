"""What the batched scheduler knows of a body: values, ops and regions, free of TensorFlow's graphs.

A body is a tree of graphs: its own, and those of the branches and loops in it, which take what
they use from outside through placeholders. Here each value has one identity however many
placeholders it passes, calls of tf.functions are part of the region they are in, and what is the
same for all frames of a run (constants, outer references, and what is computed from nothing else)
is known as such.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.subgraph._accesses import READS as READS
from recursive_tf.subgraph._body import INVOKE_OPS, Body, all_ops
from recursive_tf.subgraph._signature import location_of

_WITH_GRAPHS = frozenset([*tfi.CONDITIONALS, *tfi.LOOPS, *tfi.FUNCTION_CALLS])
# Ops that are there to fail where Python would raise: they must not run before it is known that the
# frame comes to them, though they are the same for all frames.
MAY_FAIL = frozenset(
  [
    *("RecursiveTf>Check", "RecursiveTf>PythonBinary", "RecursiveTf>PythonMultiplyMod"),
    *("RecursiveTf>PythonUnary", "RecursiveTf>PythonScalarUnary", "RecursiveTf>PythonScalarBinary"),
  ]
)


class UnbatchableError(Exception):
  """Why a body cannot be cut into blocks; the message says what and where."""


def begins_with_one(shape: tf.TensorShape) -> bool:
  """Tells whether frames' values of a shape are rows of one."""
  return shape.rank is not None and shape.rank >= 1 and shape[0] == 1


@dataclasses.dataclass(eq=False)
class Value:
  """A value of a frame, or one that all frames of a run share.

  Attributes:
    kind: "arg", "capture", "frame", "variable" (of a loop) or "node".
    dtype, shape: of one frame's value.
    node: the node that computes it.
    index: position among the arguments, the captures of all bodies, or the node's outputs.
    source: the tensor of the body's graph.
  """

  kind: str
  dtype: tf.DType
  shape: tf.TensorShape
  node: Node | None = None
  index: int = 0
  source: tf.Tensor | None = None

  @functools.cached_property
  def is_invariant(self) -> bool:
    """Whether all frames of a run share it."""
    return self.kind == "capture" or (self.node is not None and self.node.is_invariant)

  @functools.cached_property
  def is_constant(self) -> bool:
    """Whether it is computed from constants alone."""
    node = self.node
    return node is not None and node.is_invariant and all(v.is_constant for v in node.inputs)

  @property
  def is_merged(self) -> bool:
    """Whether it is a row of one: then the rows of many frames are simply a longer value."""
    return begins_with_one(self.shape)

  @property
  def row_shape(self) -> tf.TensorShape:
    """The shape of a frame's row where values of many frames are stacked."""
    return self.shape[1:] if self.is_merged else self.shape


@dataclasses.dataclass(eq=False)
class Region:
  """A body, a branch, or a part of a loop: what runs or does not run as one.

  Attributes:
    owner: the conditional or loop it belongs to, None for a body.
    nodes: in an order in which they can run.
    results: what it returns.
  """

  owner: Node | None = None
  nodes: list[Node] = dataclasses.field(default_factory=list)
  results: list[Value] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(eq=False)
class Node:
  """An op of one region.

  Attributes:
    kind: "op", "reshape" (gives the input the output's static shape), "call", "map", "switch" or
      "loop".
    op: the op of the body's graph; the input's for "reshape".
    inputs: for a call its arguments, for a switch its predicate, for a loop the initial values of
      its variables.
    outputs: what it computes.
    region: where it is.
    controls: nodes that have to run before it.
    callee: key of the called body.
    regions: a switch's branches; a loop's condition and body.
    variables: a loop's, one for each output.
    is_read_once: whether it reads a variable that nothing in the run writes.
    group: the ops, itself among them, that a frame has to run in one go.
    described: what `_alike.py` has found of the op, once it has.
  """

  kind: str
  op: tfi.Operation
  inputs: list[Value]
  region: Region
  outputs: list[Value] = dataclasses.field(default_factory=list)
  controls: list[Node] = dataclasses.field(default_factory=list)
  callee: str = ""
  regions: list[Region] = dataclasses.field(default_factory=list)
  variables: list[Value] = dataclasses.field(default_factory=list)
  is_read_once: bool = False
  group: list[Node] | None = None
  described: tuple[object, ...] = ()

  @property
  def is_stateful(self) -> bool:
    """Whether it does more than compute its outputs."""
    return self.kind == "op" and tfi.is_stateful(self.op)

  @functools.cached_property
  def is_fixed(self) -> bool:
    """Whether it is computed from constants alone, without an effect."""
    nodes = [value.node for value in self.inputs]
    are_fixed = all(node is not None and node.is_fixed for node in nodes)
    return self.kind == "op" and are_fixed and not self.is_stateful

  @functools.cached_property
  def is_invariant(self) -> bool:
    """Whether all frames of a run share what it computes."""
    if self.kind != "op" or self.op.type in MAY_FAIL:
      return False
    is_pure = self.is_read_once or not self.is_stateful
    return is_pure and all(value.is_invariant for value in self.inputs)

  @property
  def has_effect(self) -> bool:
    """Whether it must run even if nobody needs its outputs."""
    return self.is_stateful and self.op.type not in READS

  @property
  def location(self) -> str:
    """Where the user wrote it."""
    return location_of(self.op)


@dataclasses.dataclass(eq=False)
class BodyIR:
  """One body.

  Attributes:
    key: its body key.
    args: its arguments.
    root: its region; the results are the region's.
  """

  key: str
  args: list[Value]
  root: Region


def build(body: Body, first_capture: int) -> BodyIR:
  """Returns the values and nodes of a body.

  Args:
    body: the body.
    first_capture: position of its captures among those of all bodies of the run.

  Raises:
    UnbatchableError: If it has parts that only a whole frame can run.
  """
  root = Region()
  args = [
    Value("arg", arg.dtype, arg.shape, index=i, source=arg) for i, arg in enumerate(body.args)
  ]
  scope = {id(body.frame): Value("frame", tf.variant, tf.TensorShape([]), source=body.frame)}
  scope.update((id(arg), value) for arg, value in zip(body.args, args, strict=True))
  for i, (_, internal) in enumerate(body.captures):
    scope[id(internal)] = Value(
      "capture", internal.dtype, internal.shape, index=first_capture + i, source=internal
    )
  _Builder(body.graph, root, scope).run()
  root.results = [scope[id(result)] for result in body.results]
  ir = BodyIR(body.key, args, root)
  _remove_unused(ir)
  return ir


class _Builder:
  """Turns the ops of one graph into nodes of a region."""

  def __init__(self, graph: tfi.Graph, region: Region, scope: dict[int, Value]):
    self._graph = graph
    self._region = region
    self._scope = scope  # By id of tensor.
    self._nodes: dict[int, list[Node]] = {}  # By id of op; several for an inlined function.

  def run(self) -> None:
    for op in _topological(self._graph):
      self._add(op)

  def _add(self, op: tfi.Operation) -> None:
    if op.type == "Const" and id(op.outputs[0]) in self._scope:
      # How TensorFlow captures small eager tensors. Numbers may have a gradient; the rest is better
      # known as constant.
      if op.outputs[0].dtype.is_floating:
        return
    if op.type == "Placeholder":
      if id(op.outputs[0]) not in self._scope:
        raise UnbatchableError(f"a tf.compat.v1.placeholder in the body ({location_of(op)})")
      return
    first = len(self._region.nodes)
    if self._is_alias(op):
      value = self._scope[id(op.outputs[0])] = self._scope[id(op.inputs[0])]
      maker = value.node
      is_here = maker is not None and maker.region is self._region
      self._nodes[id(op)] = self._controls(op) + ([maker] if maker and is_here else [])
      return
    if op.type in INVOKE_OPS:
      self._add_call(op)
    elif op.type in tfi.CONDITIONALS:
      self._add_switch(op)
    elif op.type in tfi.LOOPS and (_calls_inside(op) or _only_reads(op)):
      self._add_loop(op)
    elif op.type in tfi.FUNCTION_CALLS and tfi.called_graph(op) is not None:
      self._inline(op)
    elif op.node_def.attr["_gradient_op_type"].s:
      # Its gradient function holds on to tensors of this graph.
      raise UnbatchableError(f"a tf.custom_gradient ({location_of(op)})")
    else:
      self._make_node("op", op, self._inputs(op), op.outputs)
    self._nodes[id(op)] = self._region.nodes[first:]

  def _is_alias(self, op: tfi.Operation) -> bool:
    """Tells whether an op only names its input again, as the ends of a tf.cond do.

    So are the taps that differentiation under the other scheduler has put into the graph. An op
    that waits for an effect, such as an assertion, or for a call, is none.
    """
    if op.type != "Identity":
      return False
    if op.node_def.attr["_gradient_op_type"].s and "_recursive_tf_capture" not in op.node_def.attr:
      return False
    # What a body returns waits for the effects in it: only another op has to wait for its calls.
    is_used = bool(op.outputs[0].consumers())
    return not any(_follows_effect(node, is_used) for node in self._controls(op))

  def _controls(self, op: tfi.Operation) -> list[Node]:
    """Returns the nodes that have to run before `op`, and those before them.

    What is between may be dropped: the op of a tf.group, a constant.
    """
    direct = [node for control in op.control_inputs for node in self._nodes.get(id(control), [])]
    return _unique(direct + [node for other in direct for node in other.controls])

  def _inputs(self, op: tfi.Operation) -> list[Value]:
    return [self._scope[id(tensor)] for tensor in op.inputs]

  def _make_node(
    self, kind: str, op: tfi.Operation, inputs: list[Value], outputs: Iterable[tf.Tensor]
  ) -> Node:
    node = Node(kind, op, inputs, self._region)
    node.controls = self._controls(op)
    for value in inputs:  # TensorFlow has a constant wait for an effect in its user's place.
      if value.node is not None and value.node.is_fixed:
        node.controls += value.node.controls
    for tensor in outputs:
      value = Value("node", tensor.dtype, tensor.shape, node, len(node.outputs), tensor)
      node.outputs.append(value)
      self._scope[id(tensor)] = value
    self._region.nodes.append(node)
    return node

  def _add_call(self, op: tfi.Operation) -> None:
    kind = "call" if op.type == INVOKE_OPS[0] else "map"
    node = self._make_node(kind, op, self._inputs(op)[1:], list(op.outputs)[:-1])
    node.callee = op.get_attr("body_key").decode()
    self._add_frame(op.outputs[-1])

  def _add_frame(self, frame: tf.Tensor) -> None:
    """Adds the frame of a call: what the other scheduler has differentiated uses it."""
    self._scope[id(frame)] = Value("frame", frame.dtype, frame.shape, source=frame)

  def _add_switch(self, op: tfi.Operation) -> None:
    predicate, *inputs = self._inputs(op)
    if op.type in ("If", "StatelessIf"):
      predicate = _as_bool(predicate, self._region, op)
    graphs = tfi.nested_graphs(op) or tfi.load_branches(op)
    regions = []
    for graph in graphs:
      region = Region()
      scope = {id(p): value for p, value in zip(graph.inputs, inputs, strict=True)}
      _Builder(graph, region, scope).run()
      region.results = [scope[id(tensor)] for tensor in graph.outputs]
      regions.append(region)
    outputs = []
    for i, tensor in enumerate(op.outputs):
      if any(region.results[i].kind == "frame" for region in regions):
        self._add_frame(tensor)
      else:
        outputs.append(i)
    for region in regions:
      region.results = [region.results[i] for i in outputs]
    node = self._make_node("switch", op, [predicate], [op.outputs[i] for i in outputs])
    node.regions = regions
    for region in regions:
      region.owner = node
    for i, value in enumerate(node.outputs):
      shapes = [region.results[i].shape for region in regions]
      if all(shape.is_fully_defined() and shape == shapes[0] for shape in shapes):
        value.shape = shapes[0]

  def _add_loop(self, op: tfi.Operation) -> None:
    graphs = tfi.nested_graphs(op)
    if len(graphs) != 2:
      raise UnbatchableError(f"a tf.while_loop whose body is not at hand ({location_of(op)})")
    inputs = self._inputs(op)
    cond, body = graphs
    variables: list[Value] = []
    for i, (value, before, after) in enumerate(zip(inputs, body.inputs, body.outputs, strict=True)):
      if before is after:  # The loop does not change it.
        variables.append(value)
      else:
        shape = before.shape if before.shape == after.shape else tf.TensorShape(None)
        variables.append(Value("variable", value.dtype, shape, index=i, source=before))
    regions = []
    for graph in (cond, body):
      region = Region()
      scope = {id(p): value for p, value in zip(graph.inputs, variables, strict=True)}
      _Builder(graph, region, scope).run()
      region.results = [scope[id(tensor)] for tensor in graph.outputs]
      regions.append(region)
    regions[0].results = [_as_bool(regions[0].results[0], regions[0], op)]
    changing = [i for i, value in enumerate(variables) if value is not inputs[i]]
    if any(inputs[i].dtype in (tf.variant, tf.resource) for i in changing):
      raise UnbatchableError(
        f"a tf.while_loop around a call that carries a TensorArray or a list ({location_of(op)})"
      )
    node = self._make_node(
      "loop", op, [inputs[i] for i in changing], [op.outputs[i] for i in changing]
    )
    node.variables = [variables[i] for i in changing]
    regions[1].results = [regions[1].results[i] for i in changing]
    node.regions = regions
    for variable in node.variables:
      variable.node = node
    for value, variable in zip(node.outputs, node.variables, strict=True):
      value.shape = variable.shape
    for region in regions:
      region.owner = node
    for i, tensor in enumerate(op.outputs):
      if i not in changing:
        self._scope[id(tensor)] = inputs[i]

  def _inline(self, op: tfi.Operation) -> None:
    graph = tfi.called_graph(op)
    assert graph is not None  # _add.
    scope = {id(p): value for p, value in zip(graph.inputs, self._inputs(op), strict=True)}
    first = len(self._region.nodes)
    _Builder(graph, self._region, scope).run()
    for node in self._region.nodes[first:]:
      node.controls += self._controls(op)
    # A tape that came by has added its residuals to what the function's graph returns.
    for tensor, result in zip(op.outputs, graph.outputs[: len(op.outputs)], strict=True):
      self._scope[id(tensor)] = scope[id(result)]


def reshaped(
  value: Value, shape: tf.TensorShape, region: Region, before: Node | None = None
) -> Value:
  """Returns `value` with another static shape, through a new node.

  Args:
    value: the value.
    shape: the other shape.
    region: where the node goes.
    before: the node of `region` that needs it, None to put it at the end.
  """
  op = value.source.op if value.source is not None else None
  node = Node("reshape", op, [value], region)
  node.outputs = [Value("node", value.dtype, shape, node, 0, value.source)]
  region.nodes.insert(region.nodes.index(before) if before else len(region.nodes), node)
  return node.outputs[0]


def _as_bool(value: Value, region: Region, op: tfi.Operation) -> Value:
  """Returns whether a number is other than zero, as conditionals and loops take it, by a new node.

  Raises:
    UnbatchableError: If it is not a number.
  """
  if value.dtype == tf.bool:
    return value
  if not (value.dtype.is_integer or value.dtype.is_floating):
    raise UnbatchableError(f"a condition of type {value.dtype.name} ({location_of(op)})")
  with tfi.FuncGraph("predicate").as_default():
    number = tf.compat.v1.placeholder(value.dtype, value.shape)
    source = tf.cast(number, tf.bool)
  node = Node("op", source.op, [value], region)
  node.outputs = [Value("node", tf.bool, value.shape, node, 0, source)]
  region.nodes.append(node)
  return node.outputs[0]


def walk(region: Region) -> Iterator[Node]:
  """Yields the nodes of a region and of all regions in it, in an order in which they can run."""
  for node in region.nodes:
    for inner in node.regions:
      yield from walk(inner)
    yield node


def effects_in(region: Region) -> list[Node]:
  """Returns the nodes of a region that have effects, or have such nodes in their regions."""
  return [
    node
    for node in region.nodes
    if node.has_effect or any(effects_in(inner) for inner in node.regions)
  ]


def _follows_effect(node: Node, counts_calls: bool) -> bool:
  """Tells whether a node has an effect, or can only run after one of its region."""
  inside = (inner for region in node.regions for inner in walk(region))
  for other in [node, *inside]:
    if other.has_effect or (counts_calls and other.kind in ("call", "map")):
      return True
  return any(_follows_effect(control, counts_calls) for control in node.controls)


def _unique(nodes: list[Node]) -> list[Node]:
  return list({id(node): node for node in nodes}.values())


def regions_of(root: Region) -> Iterator[Region]:
  """Yields a region and all regions in it, outer ones first."""
  agenda = [root]
  while agenda:
    region = agenda.pop()
    yield region
    agenda += [inner for node in region.nodes for inner in node.regions]


def _calls_inside(op: tfi.Operation) -> bool:
  return any(
    inner.type in INVOKE_OPS for graph in tfi.nested_graphs(op) for inner in all_ops(graph)
  )


def _only_reads(op: tfi.Operation) -> bool:
  """Tells whether a loop reads variables and has no effect, nor lists that grow.

  TensorFlow does not vectorise such a loop; cut up like one with a call, its ops can be.
  """
  graphs = tfi.nested_graphs(op)
  if op.type != "While" or len(graphs) != 2:
    return False
  changing = zip(graphs[1].inputs, graphs[1].outputs, strict=True)
  if any(before.dtype == tf.variant for before, after in changing if before is not after):
    return False
  inner = [other for graph in graphs for other in all_ops(graph)]
  return not any(
    other.op_def.is_stateful and other.type not in READS | _WITH_GRAPHS for other in inner
  )


def _topological(graph: tfi.Graph) -> list[tfi.Operation]:
  """Returns the ops so that each comes after its inputs; taps are younger than their users."""
  order: list[tfi.Operation] = []
  done: set[int] = set()
  for start in graph.get_operations():
    agenda = [start]
    while agenda:
      op = agenda[-1]
      missing = [] if id(op) in done else [o for o in _before(op) if id(o) not in done]
      if missing:
        agenda += missing
        continue
      agenda.pop()
      if id(op) not in done:
        done.add(id(op))
        order.append(op)
  return order


def _before(op: tfi.Operation) -> list[tfi.Operation]:
  return [tensor.op for tensor in op.inputs] + list(op.control_inputs)


def _remove_unused(ir: BodyIR) -> None:
  """Drops what neither a result nor an effect needs."""
  used: set[int] = {id(value) for value in ir.root.results}
  kept: set[int] = set()

  def use(values: Iterable[Value]) -> None:
    used.update(id(value) for value in values)

  def visit(region: Region) -> bool:
    """Marks what `region` needs, last nodes first; returns whether it has effects."""
    has_effects = False
    for node in reversed(region.nodes):
      if node.kind == "switch" and id(node) in kept:
        use(node.outputs)  # What comes after it waits for all of it, as in TensorFlow.
      wanted = [i for i, value in enumerate(node.outputs) if id(value) in used]
      if node.kind == "switch":
        for inner in node.regions:
          use(inner.results[i] for i in wanted)
        effects = [visit(inner) for inner in node.regions]
        is_needed = bool(wanted) or any(effects)
      elif node.kind == "loop":
        use(value for inner in node.regions for value in inner.results)
        for inner in reversed(node.regions):
          visit(inner)
        is_needed = True
      else:
        is_needed = bool(wanted) or node.has_effect or id(node) in kept
        is_needed = is_needed or node.kind in ("call", "map")
      if is_needed:
        kept.add(id(node))
        kept.update(id(control) for control in node.controls)
        use(node.inputs)
        has_effects = has_effects or node.kind != "op" or node.has_effect
    region.nodes = [node for node in region.nodes if id(node) in kept]
    return has_effects

  visit(ir.root)
  for node in walk(ir.root):
    node.controls = [control for control in node.controls if id(control) in kept]
    if node.kind == "switch":
      wanted = [i for i, value in enumerate(node.outputs) if id(value) in used]
      node.outputs = [node.outputs[i] for i in wanted]
      for region in node.regions:
        region.results = [region.results[i] for i in wanted]
