"""Which variables a body both reads and writes, so that nothing may come in between.

A frame that adds one to a counter by `v.assign(v + 1)`, or draws from a generator of random
numbers, must not see another frame's read between its own read and write. The batched scheduler
runs such ops frame by frame (recursive_tf/batching/_exclusive.py). Under the concurrent one, frames
of the whole run take turns at their calls, and each does everything in program order, calls
included: as plain Python would.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import UnsupportedGradientError
from recursive_tf.subgraph._body import INVOKE_OPS, all_ops

# Stateful ops that only read the resource that they take.
READS = frozenset(
  ["ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "LookupTableFindV2"]
)
_WITH_FUNCTIONS = frozenset([*tfi.CONDITIONALS, *tfi.LOOPS, *tfi.FUNCTION_CALLS])


def reads_and_writes(graph: tfi.Graph) -> bool:
  """Tells whether a body writes a variable, or another resource, that it also uses elsewhere.

  Args:
    graph: the body's; what its conditionals, loops and functions do counts, too.
  """
  if any(runs_python(op) for op in graph.get_operations()):
    return True
  resources = [tensor for tensor in graph.inputs if tensor.dtype == tf.resource]
  return any(are_exclusive(list(_accesses(tensor))) for tensor in resources)


def are_exclusive(types: Collection[str]) -> bool:
  """Tells whether nothing may come in between uses of one resource, by the types of the ops."""
  return len(types) > 1 and not READS.issuperset(types)


def runs_python(op: tfi.Operation) -> bool:
  """Tells whether `op`, or what is inside it, runs Python, which may read and write anything.

  What the user has said to be stateless (`PyFuncStateless`) does neither.
  """
  inner = (other for graph in tfi.nested_graphs(op) for other in all_ops(graph))
  return any(other.type in ("EagerPyFunc", "PyFunc") for other in [op, *inner])


def check_gradient(graph: tfi.Graph, name: str) -> None:
  """Refuses gradients of the user's Python.

  TensorFlow keeps one tape for all runs of a `tf.py_function`: those of other frames, or of another
  call, would take each other's.

  Args:
    graph: that of a backward function.
    name: what the SubGraph is called.

  Raises:
    UnsupportedGradientError: If there is one.
  """
  if any(tfi.is_gradient_of_python(op) for op in all_ops(graph)):
    raise UnsupportedGradientError(
      f"SubGraph '{name}': the gradient of a tf.py_function in the body, of which TensorFlow keeps"
      " one tape for all frames. Give it one with tf.custom_gradient and tf.numpy_function, or stop"
      " it with tf.stop_gradient."
    )


def uses_by(op: tfi.Operation, position: int) -> list[str]:
  """Returns the types of the ops by which `op`, or what is inside it, uses its input.

  Args:
    op: the op.
    position: of the input, a resource.
  """
  if op.type not in _WITH_FUNCTIONS:
    has_function = any(attr.type in ("func", "list(func)") for attr in op.op_def.attr)
    return [op.type] * (2 if has_function else 1)
  first = 1 if op.type in tfi.CONDITIONALS else 0
  inputs = [graph.inputs[position - first] for graph in tfi.nested_graphs(op)]
  # What cannot be looked into may both read and write.
  return [use for tensor in inputs for use in _accesses(tensor)] if inputs else [op.type, op.type]


def _accesses(tensor: tf.Tensor) -> Iterator[str]:
  """Yields the types of the ops that use a resource, also of those inside other ops."""
  for op in tensor.consumers():
    for output in op.outputs:
      if output.dtype == tf.resource:  # It may be the same one.
        yield from _accesses(output)
    if op.type == "Identity":
      continue
    for i, value in enumerate(op.inputs):
      if value is tensor:
        yield from uses_by(op, i)


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
