"""How graphs read variables: by rows, or all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from tensorflow.python.framework import dtypes, ops, tensor_util
from tensorflow.python.framework.tensor import TensorSpec

from recursive_tf._tf_internals._graphs import Graph, Operation, nested_graphs, outermost


@dataclasses.dataclass
class Reads:
  """How a graph computes with what a variable holds.

  Attributes:
    has_rows: whether it takes rows of it, which have a gradient of rows in eager execution.
    has_whole: whether it computes with all of it.
    is_inside: whether a graph inside does either.
  """

  has_rows: bool = False
  has_whole: bool = False
  is_inside: bool = False

  def add(self, other: Reads, is_inside: bool = False) -> None:
    """Adds how another graph, or one inside, reads the variable."""
    self.has_rows |= other.has_rows
    self.has_whole |= other.has_whole
    self.is_inside |= other.is_inside or is_inside


# Ops whose gradient is rows where that of what they give is.
_SAME = frozenset(
  """Cast EnsureShape Identity Neg ReadVariableOp RecursiveTf>Check RecursiveTf>TapTable""".split()
)
# With those that may make it a tensor.
_PASSING = _SAME | {"Add", "AddN", "AddV2", "Concat", "ConcatV2", "Sub"}
_CALLS = ("RecursiveTf>Launch", "RecursiveTf>Invoke")

# A variable by the number of its handle; what any argument may be, by its spec.
Source = int | Any  # A TensorSpec, which has no types.
_NOTHING: tuple[frozenset[Source], bool] = frozenset(), True


def reads_of_variables(graph: Graph, is_inside: bool = False) -> dict[Source, Reads]:
  """Returns how a graph, and those inside, read variables.

  Args:
    graph: the graph.
    is_inside: whether it is that of a function or of a loop, whose arguments may be what a variable
      holds: how it reads these is given, too.
  """
  found: dict[Source, Reads] = {}
  # What each tensor may be the content of, and whether it is nothing else.
  behind: dict[int, tuple[frozenset[Source], bool]] = {}
  all_ops = graph.get_operations()
  # A body that is being made has no list of its inputs yet.
  for op in (op for op in all_ops if is_inside and op.type == "Placeholder"):
    behind[id(op.outputs[0])] = frozenset([_spec(op.outputs[0])]), True
  for outer, inner in graph.captures:
    handle = _variable_behind(outer)
    behind[id(inner)] = frozenset([_spec(inner) if handle is None else id(handle)]), True
  for op in all_ops:
    inside = nested_graphs(op)
    for one in inside:
      for key, reads in reads_of_variables(one, is_inside=True).items():
        found.setdefault(key, Reads()).add(reads, is_inside=True)
    if inside or op.type.startswith(_CALLS):
      continue
    for index, tensor in enumerate(op.inputs):
      keys, is_only = behind.get(id(tensor), _NOTHING)
      if keys and op.type in _PASSING:
        known, _ = behind.get(id(op.outputs[0]), _NOTHING)
        behind[id(op.outputs[0])] = known | keys, is_only and op.type in _SAME
      elif keys:
        rows, whole = _kinds_of_read(op, index)
        for key in keys:
          found.setdefault(key, Reads()).add(Reads(rows, whole or (rows and not is_only)))
  return found


_ONLY_READING = frozenset(
  """ReadVariableOp ResourceGather ResourceGatherNd VariableShape VarIsInitializedOp Identity
  LookupTableFindV2 LookupTableSizeV2""".split()
)


def resources_used(all_ops: Iterable[Operation]) -> tuple[frozenset[int], frozenset[int]]:
  """Returns the numbers of the handles that ops read, and of those that they may write.

  What else an op changes, as output, is one handle, by the number 0.
  """
  read: set[int] = set()
  written: set[int] = set()
  for op in all_ops:
    handles = {id(outermost(t)) for t in op.inputs if t.dtype == dtypes.resource}
    if op.type in _ONLY_READING or op.type.startswith(_CALLS):
      read |= handles
      continue
    inside = nested_graphs(op)
    for one in inside:
      read_there, written_there = resources_used(one.get_operations())
      read |= read_there
      written |= written_there
    if not inside and op.op_def is not None and op.op_def.is_stateful:
      written |= handles
      if not handles and op.type not in _WITHOUT_ORDER and "RecursiveTf>" not in op.type:
        written.add(0)
  return frozenset(read), frozenset(written)


# Random numbers have another order in graphs.
_WITHOUT_ORDER = frozenset(
  """Placeholder VarHandleOp HashTableV2 RandomUniform RandomStandardNormal RandomUniformInt
  TruncatedNormal RandomShuffle Multinomial RandomGamma""".split()
)


def _spec(tensor: Any) -> TensorSpec:
  return TensorSpec(tensor.shape, tensor.dtype)


def _kinds_of_read(op: Operation, index: int) -> tuple[bool, bool]:
  """Tells whether the gradient of an input is rows, and whether it is a tensor; both: unknown."""
  if index == 0 and op.type in ("ResourceGather", "Gather", "GatherV2"):
    if op.get_attr("batch_dims") if op.type != "Gather" else 0:
      return False, True
    axis = tensor_util.constant_value(op.inputs[2]) if op.type == "GatherV2" else 0
    return axis is None or int(axis) == 0, axis is None or int(axis) != 0
  if index == 0 and op.type in ("ResourceGatherNd", "GatherNd"):
    return True, True
  return False, op.inputs[index].dtype != dtypes.resource


def _variable_behind(tensor: Any) -> Any:
  """Returns the handle of the variable of which a tensor is the content, or the handle; or None."""
  while True:
    tensor = outermost(tensor)
    if tensor.dtype == dtypes.resource:
      return tensor
    if isinstance(tensor, ops.EagerTensor) or tensor.op.type not in _SAME:
      return None
    tensor = tensor.op.inputs[0]
