"""What a program does to variables: all of it or nothing, in Python's order.

The entry function of such a program runs in the graph itself, and its writes of variables are ops
of that graph. Every other op may fail after one of them. So no variable of the outside is written
before all that the run needs is there:

- A variable that is only written, and not used after that, is written in place. Its writes wait for
  the *barrier*: all results of the run, and all that any write takes. Rows, too, whose indices are
  checked before.
- One that is used again, but by plain reads and assignments alone, is *held*: what it would hold is
  a tensor of the graph, which reads give; the last one is put into it behind the barrier.
- Every other variable that is written is *copied*: the program has an anonymous variable in its
  place, which begins with what the variable holds. Behind the barrier its last content is put back.

`docs/design/0013-steps.md` says why these, and what is refused.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.program._ops import ALLOWED, RANDOM

_READS = frozenset(
  """ReadVariableOp ResourceGather ResourceGatherNd VariableShape VarIsInitializedOp
  LookupTableFindV2 LookupTableFind LookupTableSizeV2""".split()
)
# Writes that give nothing back, and cannot fail where all shapes are known.
_PLAIN_WRITES = frozenset(
  """AssignVariableOp AssignAddVariableOp AssignSubVariableOp ResourceApplyGradientDescent
  ResourceApplyMomentum ResourceApplyKerasMomentum ResourceApplyAdam ResourceApplyAdagrad
  ResourceApplyAdagradV2 ResourceApplyRMSProp ResourceApplyFtrl ResourceApplyAdadelta""".split()
)
# Writes of rows (variable, indices, rows), which fail only where indices and rows do not fit.
_ROW_WRITES = frozenset(
  """ResourceScatterUpdate ResourceScatterAdd ResourceScatterSub ResourceScatterMul
  ResourceScatterMin ResourceScatterMax""".split()
)
# Writes that give something back, or that fail for what is in their inputs.
_OTHER_WRITES = _ROW_WRITES | frozenset(
  """ResourceScatterDiv ResourceScatterNdUpdate
  ResourceScatterNdAdd ResourceScatterNdSub ResourceScatterNdMin ResourceScatterNdMax
  ResourceStridedSliceAssign ResourceSparseApplyAdagrad ResourceSparseApplyAdagradV2
  ResourceSparseApplyMomentum ResourceSparseApplyKerasMomentum RngReadAndSkip RngSkip
  StatefulUniform StatefulUniformInt StatefulUniformFullInt StatefulStandardNormalV2
  StatefulTruncatedNormal StatefulRandomBinomial""".split()
)
# Of a generator the state is a variable, so that plain Python draws the same numbers.
_RANDOM = RANDOM - _OTHER_WRITES
# What a variable is used by that is held.
_ASSIGNMENTS: dict[str, Callable[[Callable[[], tf.Tensor], tf.Tensor], tf.Tensor]] = {
  "AssignVariableOp": lambda now, new: new,
  "AssignAddVariableOp": lambda now, new: now() + new,
  "AssignSubVariableOp": lambda now, new: now() - new,
}
_READ = "ReadVariableOp"
# What has no resource, and is to happen once the run is sure to succeed.
_PRINTS = frozenset(["PrintV2"])
_CHECKS = frozenset(["Assert", "CheckNumerics", "CheckNumericsV2"])


@dataclasses.dataclass
class _Use:
  """What one op does to the variables that it is given.

  Attributes:
    op: it.
    reads, writes: the handles, as the graph has them.
    is_plain: whether it only writes, cannot fail, and gives nothing back.
  """

  op: tfi.Operation
  reads: list[tf.Tensor] = dataclasses.field(default_factory=list)
  writes: list[tf.Tensor] = dataclasses.field(default_factory=list)
  is_plain: bool = True


@dataclasses.dataclass
class Kept:
  """What a graph keeps from variables until it is done.

  Attributes:
    held: by id of the handle, what the variable is to hold.
    copies: handles, their copies, and what the variables are.
    reads: what stands for reads of variables that are held.
  """

  held: dict[int, tf.Tensor]
  copies: list[tuple[tf.Tensor, tf.Tensor, tf.TensorSpec]]
  reads: list[tf.Tensor] = dataclasses.field(default_factory=list)


class Step:
  """The variables of one program whose entry function runs in the graph itself.

  Attributes:
    written: the handles of the variables that it writes, by id.
    held: the ids of those that are tensors of the graph meanwhile.
    copied: the ids of those that it has copies of.
    is_random: whether it draws random numbers.
    has_prints: whether it prints from within the graph.
    as_values: variables of which what they hold goes on in their place, by id of the handle: where
      branches and loops join.
    is_seen_by_tapes: whether results depend on variables that it reads after it has written them,
      which a tape outside would take for what was written to them.
  """

  def __init__(self, name: str):
    self._name = name
    self.written: dict[int, tf.Tensor] = {}
    self.held: frozenset[int] = frozenset()
    self.copied: frozenset[int] = frozenset()
    self._again: frozenset[int] = frozenset()  # Written, and then used again.
    self._by_others: frozenset[int] = frozenset()  # Used in a way that only a variable can be.
    self._taped: set[object] = set()  # Reads of the trial that a tape has seen.
    self.is_random = False
    self.has_prints = False
    self.is_seen_by_tapes = False
    self.as_values: dict[int, tf.Variable] = {}

  def note_copied(self, variable: tf.Variable) -> None:
    """Notes that what a variable holds goes on in its place: where branches and loops join."""
    self.as_values[id(variable.handle)] = variable

  # --- Trials

  @contextlib.contextmanager
  def watching(self, graph: tfi.Graph) -> Iterator[None]:
    """Notes the reads that tapes of the program see, while a trial is made."""
    self._taped.clear()

    def make(op_type: str, inputs: list[tf.Tensor], create: Callable[[], object]) -> object:
      op = create()
      if op_type == _READ and tfi.is_recording():
        self._taped.add(op)
      return op

    with tfi.making_ops(graph, make):
      yield

  def learn(self, graph: tfi.Graph) -> bool:
    """Reads from a trial what the program writes; tells whether anything is new.

    Raises:
      ConversionRefused: If it does to the outside what is not known.
    """
    outer = {id(inner): handle for handle, inner in tfi.captured(graph)}
    written: dict[int, tf.Tensor] = {}
    again: set[int] = set()
    by_others: set[int] = set()
    for use in self._uses(graph):
      for handle in use.writes:
        owner = outer.get(id(handle))
        if owner is None:
          if handle.op.type == "VarHandleOp":
            raise self._refusal(f"{use.op.type} of a variable that is made in the call.")
          raise self._refusal(f"{use.op.type} of a variable that only the run knows.")
        if id(owner) in written or not use.is_plain or not _is_known(handle):
          again.add(id(owner))
        if use.op.type not in _ASSIGNMENTS or not use.is_plain or not _is_known(handle):
          by_others.add(id(owner))
        written[id(owner)] = owner
      for handle in use.reads:
        owner = outer.get(id(handle))
        if owner is not None and id(owner) in written:
          again.add(id(owner))
        if owner is not None and (use.op.type != _READ or use.op in self._taped):
          by_others.add(id(owner))
    both = [v for key, v in self.as_values.items() if key in written]
    if both:
      raise self._refusal(
        f"Variable {both[0].name!r} is written, and handed on by a branch, a loop or a list."
      )
    before = len(self.written), self.held, self.copied
    self.written = {**self.written, **written}
    self._again |= again
    self._by_others |= by_others
    self.held = self._again - self._by_others
    self.copied = self._again & self._by_others
    return before != (len(self.written), self.held, self.copied)

  def _uses(self, graph: tfi.Graph) -> Iterator[_Use]:
    """Yields what the ops of a graph do to variables, in their order."""
    for op in graph.get_operations():
      use = self._use(op)
      if use.reads or use.writes:
        yield use

  def _use(self, op: tfi.Operation) -> _Use:
    use = _Use(op)
    resources = [tensor for tensor in op.inputs if tensor.dtype == tf.resource]
    self.is_random |= op.type in _RANDOM
    nested = tfi.nested_graphs(op)
    if nested:
      # A loop's or a branch's own inputs stand for those of the op; all are seen as one.
      written = {index for inner in nested for index in self._written_inputs(op, inner)}
      inputs = _inputs_of_nested(op)
      use.writes = [inputs[index] for index in sorted(written)]
      use.reads = [tensor for tensor in resources if all(tensor is not w for w in use.writes)]
      use.is_plain = False
    elif op.type in _PLAIN_WRITES or op.type in _OTHER_WRITES:
      use.writes = resources
      known = all(_is_known(t) for t in op.inputs if t.dtype != tf.resource)
      use.is_plain = (op.type in _PLAIN_WRITES and known) or _has_fitting_rows(op)
    elif op.type in _READS or "RecursiveTf>" in op.type:
      use.reads = resources
    elif op.type in _PRINTS:
      self.has_prints = True
    elif resources or (tfi.is_stateful(op) and op.type not in ALLOWED | _CHECKS):
      raise self._refusal(f"{op.type} acts on what is outside of the graph.")
    return use

  def _written_inputs(self, op: tfi.Operation, graph: tfi.Graph) -> Iterator[int]:
    """Yields which inputs of an op with graphs inside one of these writes."""
    places = {id(tensor): index for index, tensor in enumerate(graph.inputs)}
    for inner in graph.get_operations():
      use = self._use(inner)
      if inner.type in _PRINTS:
        raise self._refusal(f"tf.print in a branch or loop that the run decides on ({op.type}).")
      for handle in use.writes:
        if id(handle) not in places:
          raise self._refusal(f"{inner.type} of a variable that only the run knows.")
        yield places[id(handle)]

  def _refusal(self, text: str) -> ConversionRefused:
    return ConversionRefused.of(Reason.STATEFUL_OP, f"{self._name}: {text}")

  # --- The graph itself

  @contextlib.contextmanager
  def kept(self, graph: tfi.Graph) -> Iterator[Kept]:
    """Has a graph keep from variables what it writes to them, while this is entered."""
    found = Kept({}, [])
    handles = {key: self.written[key] for key in self.written if key in self.held}
    first: dict[int, tf.Tensor] = {}  # Reads of what is in variables until the run is done.
    keys = {id(graph.capture(handle)): key for key, handle in handles.items()}

    def make(op_type: str, inputs: list[tf.Tensor], create: Callable[[], tfi.Operation]) -> object:
      if op_type not in _ASSIGNMENTS and op_type != _READ:
        return create()
      key = keys.get(id(graph.capture(inputs[0])))
      if key is None:
        return create()
      if op_type == _READ and key not in found.held:
        op = create()
        first[key] = op.outputs[0]
        return op
      if op_type == _READ:
        found.reads.append(tf.identity(found.held[key]))
        return found.reads[-1].op

      def now() -> tf.Tensor:
        if key in found.held or key in first:
          return found.held.get(key, first.get(key))
        spec = tfi.spec_of_variable(handles[key])
        return tf.raw_ops.ReadVariableOp(resource=handles[key], dtype=spec.dtype)

      found.held[key] = _ASSIGNMENTS[op_type](now, inputs[1])
      return tf.no_op()

    with tfi.making_ops(graph, make), self._copies(graph) as found.copies:
      yield found

  @contextlib.contextmanager
  def _copies(self, graph: tfi.Graph) -> Iterator[list[tuple[tf.Tensor, tf.Tensor, tf.TensorSpec]]]:
    """Has a graph use copies of the variables of which it needs some, while this is entered.

    Gives the copies: handle, copy, and what the variable is.
    """
    made: list[tuple[tf.Tensor, tf.Tensor, tf.TensorSpec]] = []
    for key in sorted(self.copied, key=list(self.written).index):
      handle = self.written[key]
      spec = tfi.spec_of_variable(handle)
      if spec is None:
        raise self._refusal("a variable of unknown type is written.")
      inner = graph.capture(handle)
      copy = tfi.anonymous_variable(spec)
      tfi.copy_handle_data(handle, copy)
      value = tf.raw_ops.ReadVariableOp(resource=inner, dtype=spec.dtype)
      tf.raw_ops.AssignVariableOp(resource=copy, value=value)
      made.append((handle, copy, spec))
    with tfi.standing_in(graph, [(handle, copy) for handle, copy, _ in made]):
      yield made

  def awaited(self, graph: tfi.Graph, kept: Kept) -> list[tf.Tensor]:
    """Returns what the writes of a graph wait for, so that a run computes it in any case."""
    found = list(kept.held.values())
    for use in self._uses(graph):
      if use.writes:
        found += [tensor for tensor in use.op.inputs if tensor.dtype != tf.resource]
    return found

  def writes(self, graph: tfi.Graph) -> set[tfi.Operation]:
    """Returns the ops of a graph that write variables."""
    return {use.op for use in self._uses(graph) if use.writes}

  def finish(
    self,
    graph: tfi.Graph,
    outputs: list[tf.Tensor],
    kept: Kept,
    folded: dict[tfi.Operation, tfi.Operation],
  ) -> None:
    """Puts what was kept into the variables, and lets all writes wait until nothing can fail.

    Args:
      graph: the graph.
      outputs: all that it gives.
      kept: what it has kept.
      folded: ops that were made late, with those in whose place they are.

    Raises:
      ConversionRefused: If the program writes other variables than its trial did.
    """
    sources = [copy for _, copy, spec in kept.copies if spec.dtype.is_floating]
    sources += [read for read in kept.reads if read.dtype.is_floating]
    self.is_seen_by_tapes = _reach(sources, outputs)
    uses = list(self._uses(graph))
    _wait_for_users(graph, uses, folded)
    writes = self._writes_in_place(graph, uses, kept)
    last = self._last_contents(kept)
    prints = [op for op in graph.get_operations() if op.type in _PRINTS]
    if not writes and not last and not prints:
      return
    barrier = _barrier(graph, [*outputs, *(value for _, value in last)], writes, prints)
    with tf.control_dependencies([barrier]):
      for handle, value in last:
        tf.raw_ops.AssignVariableOp(resource=graph.capture(handle), value=value)
    before = barrier
    for op in prints:  # TensorFlow would have those that come after wait for them.
      tfi.acd_run_independently(op)
      tfi.add_control_input(op, before)
      before = op
    for op in writes:
      tfi.add_control_input(op, barrier)

  def _writes_in_place(self, graph: tfi.Graph, uses: list[_Use], kept: Kept) -> list[tfi.Operation]:
    """Returns the ops that write variables of the outside themselves.

    Raises:
      ConversionRefused: If the program writes other variables than its trial did.
    """
    own = {id(copy) for _, copy, _ in kept.copies}
    outer = {id(inner): handle for handle, inner in tfi.captured(graph)}
    writes = []
    for use in uses:
      outside = [handle for handle in use.writes if id(handle) not in own]
      owners = {id(outer.get(id(handle))) for handle in outside}
      is_as_tried = owners <= self.written.keys() - self._again
      if use.op.type != _READ:  # What is held is not in the variable.
        is_as_tried &= {id(outer.get(id(handle))) for handle in use.reads}.isdisjoint(self.held)
      if not is_as_tried:
        raise ConversionRefused.of(Reason.NOT_SETTLED, "The program differs from its trial.")
      if outside:
        writes.append(use.op)
        if use.op.type in _ROW_WRITES:
          _check_rows(use.op)
    return writes

  def _last_contents(self, kept: Kept) -> list[tuple[tf.Tensor, tf.Tensor]]:
    """Returns what was kept, with the handles of the variables that it is put into."""
    last = [(self.written[key], tf.identity(value)) for key, value in kept.held.items()]
    last += [
      (handle, tf.raw_ops.ReadVariableOp(resource=copy, dtype=spec.dtype))
      for handle, copy, spec in kept.copies
    ]
    return last


def _barrier(
  graph: tfi.Graph,
  values: list[tf.Tensor],
  writes: list[tfi.Operation],
  prints: list[tfi.Operation],
) -> tfi.Operation:
  """Returns the op after which nothing can fail: behind these values, and all that must run."""
  needed = {tensor.op for tensor in values if tensor.graph is graph}
  needed |= {t.op for op in [*writes, *prints] for t in op.inputs if t.dtype != tf.resource}
  needed |= {op for op in graph.get_operations() if _must_run(op)} - {*writes}
  with tf.control_dependencies(list(needed - {*writes, *prints})):
    return tf.no_op("barrier")


class Variables:
  """The variables that a run may write, in the order in which they are known."""

  def __init__(self, handles: Iterable[object]):
    found = {id(handle): (handle, tfi.spec_of_variable(handle)) for handle in handles}
    self._known = {key: pair for key, pair in found.items() if pair[1] is not None}

  def __contains__(self, variable: object) -> bool:
    """Tells whether a variable is one of them."""
    return id(getattr(variable, "handle", None)) in self._known

  def read(self) -> list[tf.Tensor]:
    """Returns what they hold, which no tape sees; None of one that holds nothing yet."""
    with tfi.stop_recording():
      return [
        tf.raw_ops.ReadVariableOp(resource=handle, dtype=spec.dtype)
        if tf.raw_ops.VarIsInitializedOp(resource=handle)
        else None
        for handle, spec in self._known.values()
      ]

  def put(self, values: Iterable[object]) -> None:
    """Has them hold what `read` has returned."""
    for (handle, _), value in zip(self._known.values(), values, strict=True):
      if value is not None:
        tf.raw_ops.AssignVariableOp(resource=handle, value=value)

  def describe(self, index: int) -> str:
    """Returns what messages call one of them."""
    spec = list(self._known.values())[index][1]
    return f"a variable of shape {spec.shape} ({spec.dtype.name})"


def _reach(sources: list[tf.Tensor], results: list[tf.Tensor]) -> bool:
  """Tells whether floats are computed of some tensors."""
  wanted = {tensor.op for tensor in results if tensor.dtype.is_floating}
  seen: set[tfi.Operation] = set()
  agenda = list(sources)
  while agenda:
    for op in agenda.pop().consumers():
      if op in wanted:
        return True
      if op not in seen:
        seen.add(op)
        agenda += op.outputs
  return any(tensor.op in wanted for tensor in sources)


def _inputs_of_nested(op: tfi.Operation) -> list[tf.Tensor]:
  """Returns the inputs of an op as the graphs inside it are given them."""
  return list(op.inputs[1:] if op.type in tfi.CONDITIONALS else op.inputs)


def _must_run(op: tfi.Operation) -> bool:
  """Tells whether an op runs though nothing needs what it gives, and may fail."""
  return (op.type in _CHECKS and not op.outputs) or (
    tfi.is_stateful(op) and bool(tfi.nested_graphs(op))
  )


def _is_known(tensor: tf.Tensor) -> bool:
  if tensor.dtype != tf.resource:
    return tensor.shape.is_fully_defined()
  spec = tfi.spec_of_variable(tensor)
  return spec is not None and spec.shape.is_fully_defined()


def _has_fitting_rows(op: tfi.Operation) -> bool:
  """Tells whether an op writes rows, and these are as wide as the variable's."""
  if op.type not in _ROW_WRITES:
    return False
  variable, indices, rows = op.inputs
  spec = tfi.spec_of_variable(variable)
  if spec is None or not spec.shape.is_fully_defined() or not spec.shape.rank:
    return False
  rank, width = indices.shape.rank, spec.shape[1:]
  # The number of rows is compared in the run.
  return rank is not None and rows.shape.rank == rank + width.rank and rows.shape[rank:] == width


def _check_rows(op: tfi.Operation) -> None:
  """Lets the run fail where an op that `_has_fitting_rows` would."""
  variable, indices, rows = op.inputs
  spec = tfi.spec_of_variable(variable)
  if spec is None or not _has_fitting_rows(op):
    raise ConversionRefused.of(Reason.NOT_SETTLED, "The program differs from its trial.")
  counts = tf.shape(rows)[: indices.shape.rank]
  ok = tf.reduce_all(tf.equal(counts, tf.shape(indices)))
  # Of no indices at all these are the largest and the least number.
  ok &= (tf.reduce_min(indices) >= 0) & (tf.reduce_max(indices) < spec.shape[0])
  check = tf.raw_ops.Assert(
    condition=ok, data=["Indices of rows are out of bounds, or not as many."]
  )
  tfi.acd_run_independently(check)  # The write waits for it, not it for the write.


def _wait_for_users(
  graph: tfi.Graph, uses: list[_Use], folded: dict[tfi.Operation, tfi.Operation]
) -> None:
  """Lets each write wait for what was computed of earlier reads of the same variable.

  A read gives the variable's own memory. TensorFlow orders reads and writes, but not a write and
  those that still work with what was read.
  """
  users: dict[int, list[tfi.Operation]] = {}
  order = {op: i for i, op in enumerate(graph.get_operations())}
  order |= {new: order[op] for new, op in folded.items()}
  for use in uses:
    for handle in use.writes:
      for op in users.get(id(handle), []):
        if order[op] < order[use.op]:
          tfi.add_control_input(use.op, op)
    for handle in use.reads:
      if use.op.type == _READ:
        users.setdefault(id(handle), []).extend(_users(use.op.outputs[0]))


# What hands on the memory that it is given.
_HANDED_ON = frozenset(
  """Identity IdentityN Reshape ExpandDims Squeeze StopGradient PreventGradient Bitcast EnsureShape
  PlaceholderWithDefault Slice StridedSlice Split SplitV Unpack Snapshot
  RecursiveTf>TapTable""".split()
)


def _users(tensor: tf.Tensor) -> Iterator[tfi.Operation]:
  agenda, seen = [tensor], set()
  while agenda:
    for op in agenda.pop().consumers():
      if op not in seen:
        seen.add(op)
        yield op
        if op.type in _HANDED_ON or tfi.nested_graphs(op):
          agenda += op.outputs
