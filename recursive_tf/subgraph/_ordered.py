"""Whether the ops of a graph may run one after the other, on the thread that calls it.

TensorFlow hands each call to a thread of its pool, and its end to another one: half of the time of
a small call. What is lost is that two ops of the graph may run at the same time.
"""

from __future__ import annotations

import os

import tensorflow as tf

from recursive_tf import _tf_internals as tfi

# Of more, some are likely to take long and to be independent.
_MAX_OPS = 128
_RUNS = frozenset(
  [
    "RecursiveTf>Launch",
    "RecursiveTf>LaunchBackward",
    "RecursiveTf>LaunchBatched",
    "RecursiveTf>LaunchBatchedBackward",
  ]
)
_TAKE_NO_TIME = frozenset(["Const", "Identity", "NoOp", "Placeholder", "ReadVariableOp"])
# Ops with a state that is not their kernels' own: other executors have kernels of their own, and so
# other random numbers.
_STATEFUL = frozenset(
  ["Assert", "Case", "If", "PrintV2", "ReadVariableOp", "StatefulPartitionedCall", "While"]
)
_STATEFUL_PREFIXES = ("Assign", "RecursiveTf>", "Resource")
# Python that is called on the thread that calls would be told of Ctrl-C in place of the caller.
_PYTHON = "PyFuncStateless"


def may_run_in_order(graph: tfi.Graph) -> bool:
  """Tells whether a graph loses nothing if its ops run in order on the thread that calls.

  With one thread for ops none does. With more: where there are few, and of the recursions in it
  each waits for the one before. Large products, and a recursion by itself, are divided between
  threads all the same.
  """
  types = tfi.op_types(graph)
  if _PYTHON in types or any(has_state and not _is_safe(name) for name, has_state in types.items()):
    return False
  return _has_one_thread() or (_has_few_ops(graph) and _has_runs_in_a_row(graph))


def _is_safe(stateful: str) -> bool:
  return stateful in _STATEFUL or stateful.startswith(_STATEFUL_PREFIXES)


def _has_one_thread() -> bool:
  wanted = tf.config.threading.get_inter_op_parallelism_threads()
  return (wanted or len(os.sched_getaffinity(0))) == 1


def _has_few_ops(graph: tfi.Graph) -> bool:
  return sum(op.type not in _TAKE_NO_TIME for op in graph.get_operations()) <= _MAX_OPS


def _has_runs_in_a_row(graph: tfi.Graph) -> bool:
  """Tells whether each recursion, forward or backward, needs all those before it."""
  needs: dict[str, frozenset[str]] = {}  # By op, the recursions that it needs, itself too.
  num_runs = 0
  for op in graph.get_operations():  # In an order in which they may run.
    before = [*(tensor.op for tensor in op.inputs), *op.control_inputs]
    found = frozenset[str]().union(*(needs.get(other.name, ()) for other in before))
    if op.type in _RUNS:
      if len(found) != num_runs:
        return False
      num_runs += 1
      found |= {op.name}
    needs[op.name] = found
  return True
