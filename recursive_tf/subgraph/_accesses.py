"""Which variables a body both reads and writes, so that nothing may come in between.

A frame that adds one to a counter by `v.assign(v + 1)`, or draws from a generator of random
numbers, must not see another frame's read between its own read and write. The batched scheduler
runs such ops frame by frame (recursive_tf/batching/_exclusive.py). Under the concurrent one, frames
of the whole run take turns at their calls, and each does everything in program order, calls
included: as plain Python would.
"""

from __future__ import annotations

from collections.abc import Iterator

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.subgraph._body import INVOKE_OPS, all_ops

# Stateful ops that only read the resource that they take.
READS = frozenset(
  ["ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "LookupTableFindV2"]
)


def reads_and_writes(graph: tfi.Graph) -> bool:
  """Tells whether a body writes a variable, or another resource, that it also uses elsewhere.

  Args:
    graph: the body's; what its conditionals, loops and functions do counts, too.
  """
  for tensor in graph.inputs:
    if tensor.dtype != tf.resource:
      continue
    ops = [op.type for op in _accesses(tensor)]
    if len(ops) > 1 and not READS.issuperset(ops):
      return True
  return False


def _accesses(tensor: tf.Tensor) -> Iterator[tfi.Operation]:
  """Yields the ops that use a resource, also those inside other ops."""
  agenda = [tensor]
  while agenda:
    tensor = agenda.pop()
    for op in tensor.consumers():
      positions = [i for i, value in enumerate(op.inputs) if value is tensor]
      graphs = tfi.nested_graphs(op)
      if op.type == "Identity":
        agenda.append(op.outputs[0])
      elif graphs:
        first = 1 if op.type in tfi.CONDITIONALS else 0
        agenda += [graph.inputs[i - first] for graph in graphs for i in positions]
      else:
        yield op


def keep_program_order(graph: tfi.Graph) -> bool:
  """Orders the calls and stateful ops of a body, and of each branch and loop in it, as written.

  Program order as TensorFlow has it leaves calls out, and knows no order between different
  variables. Call before functions are made of the graph; again does no harm.

  Returns:
    Whether there are such ops.
  """
  last = None
  for op in list(graph.get_operations()):
    if not _is_ordered(op):
      continue
    if last is not None and last not in op.control_inputs:
      tfi.add_control_input(op, last)
    last = op
  return last is not None


def _is_ordered(op: tfi.Operation) -> bool:
  graphs = tfi.nested_graphs(op)
  if op.type in tfi.FUNCTION_CALLS:
    return any(_is_ordered(inner) for graph in graphs for inner in all_ops(graph))
  if graphs:
    are_ordered = [keep_program_order(graph) for graph in graphs]
    if any(are_ordered):
      tfi.renew_functions(op)
    return any(are_ordered)
  is_stateful = op.op_def is not None and op.op_def.is_stateful
  return op.type in INVOKE_OPS or (is_stateful and op.type not in _WITHOUT_EFFECT)


_WITHOUT_EFFECT = ("Placeholder", "VarHandleOp")
