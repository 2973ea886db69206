"""Ops in the bodies of a program: which may be there, and what they surely read."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason

# Stateful ops that do no harm in any order; all others are refused.
ALLOWED = frozenset(
  """ReadVariableOp ResourceGather VariableShape If While Case StatefulPartitionedCall Placeholder
  LookupTableFindV2 LookupTableFind LookupTableSizeV2 RandomUniform RandomStandardNormal
  RandomUniformInt TruncatedNormal RandomShuffle Multinomial RandomGamma
  StatelessIf ResourceGatherNd VarHandleOp HashTableV2 RngReadAndSkip""".split()
)


RANDOM = frozenset(
  """RandomUniform RandomStandardNormal RandomUniformInt TruncatedNormal RandomShuffle Multinomial
  RandomGamma RngReadAndSkip""".split()
)


# By op that reads an object: which input is the object's handle. The last one does so in trials.
_HANDLE_OF_READ = {"GatherV2": 1, "EnsureShape": 0}


def check_stateful(graph: tfi.Graph, name: str, origin: object) -> bool:
  """Refuses what changes something outside of the graph.

  Returns:
    Whether there are random numbers.

  Raises:
    ConversionRefused: If there is any such op.
  """
  is_random = False
  agenda = [graph]
  while agenda:
    current = agenda.pop()
    for op in current.get_operations():
      agenda += tfi.nested_graphs(op)
      is_random |= op.type in RANDOM
      if tfi.is_stateful(op) and op.type not in ALLOWED and "RecursiveTf>" not in op.type:
        raise ConversionRefused.of(
          Reason.STATEFUL_OP, f"{op.type} in {name}: calls of the graph have no order.", origin
        )
  return is_random


def has_nested_control(graph: tfi.Graph) -> bool:
  """Tells whether a graph has loops, branches or calls in loops, branches or calls."""
  inner = [each for op in graph.get_operations() for each in tfi.nested_graphs(op)]
  return any(tfi.nested_graphs(op) for each in inner for op in each.get_operations())


def gathered(outputs: list[tf.Tensor]) -> set[int]:
  """Returns the ids of the handles by which objects are read on the way to all these outputs."""
  found: set[int] = set()
  seen = {id(tensor.op) for tensor in outputs}
  agenda = [tensor.op for tensor in outputs]
  while agenda:
    op = agenda.pop()
    if op.type in _HANDLE_OF_READ:
      found.add(id(op.inputs[_HANDLE_OF_READ[op.type]]))
    for tensor in op.inputs:
      if id(tensor.op) not in seen:
        seen.add(id(tensor.op))
        agenda.append(tensor.op)
  return found


def has_equal_stacks(graph: object) -> bool:
  """Tells whether a graph stacks one tensor several times that TensorFlow may take for another.

  The arithmetic optimizer of 2.21 takes an op's first result where all inputs of a stack are a
  later one, also of ops that it has found to be equal or that come to be there where branches are
  put in place. Calls of functions go without that optimizer, programs elsewhere do not.
  """
  agenda: list[tuple[tfi.Graph, dict[int, tf.Tensor]]] = [(graph, {})]
  while agenda:
    current, outer = agenda.pop()
    for op in current.get_operations():
      if op.type == "Pack" and len(op.inputs) > 1:
        sources = {_source(tensor, outer) for tensor in op.inputs}
        if len(sources) == 1 and next(iter(sources))[0] != "first":
          return True
      for inner in tfi.nested_graphs(op):
        inputs = list(op.inputs)[-len(inner.inputs) :] if inner.inputs else []
        pairs = zip(inner.inputs, inputs, strict=False)
        agenda.append((inner, {id(a): ("outside", _source(b, outer)) for a, b in pairs}))
  return False


def _source(tensor: tf.Tensor, outer: dict[int, object]) -> tuple[object, ...]:
  """Returns what tells a tensor from those that an optimizer may find to be others."""
  while tensor.op.type == "Identity":
    tensor = tensor.op.inputs[0]
  if id(tensor) in outer:
    return ("outside", outer[id(tensor)])
  if tensor.value_index > 0:
    return ("later", tensor.op.type, tensor.value_index)
  return ("first", id(tensor.op))
