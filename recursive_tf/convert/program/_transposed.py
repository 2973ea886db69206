"""Products with transposed matrices, of the matrices as they are.

`h @ tf.transpose(w)` copies the matrix first, though a product takes its operands transposed. Of a
step's own graph, that is, outside of loops, branches and calls.
TensorFlow's arithmetic optimizer sees to that, but converted programs run without it
(`tfi.call_exactly`).
"""

from __future__ import annotations

from collections.abc import Collection

import tensorflow as tf

from recursive_tf import _tf_internals as tfi


def fold_transposes(
  graph: tfi.Graph, writes: Collection[tfi.Operation]
) -> dict[tfi.Operation, tfi.Operation]:
  """Has products in the place of those of transposed matrices, for all that computes with them.

  Args:
    graph: an unfinished one.
    writes: its ops that write variables. What is read of a variable is its own memory: no product
      is moved over a write.

  Returns:
    The new products, each with the one that it stands for.
  """
  order = {op: i for i, op in enumerate(graph.get_operations())}
  places = sorted(order[op] for op in writes)
  found: dict[tfi.Operation, tfi.Operation] = {}
  for op, place in order.items():
    if op.type != "MatMul" or op.control_inputs:
      continue
    operands = [_untransposed(tensor) for tensor in op.inputs]
    first = min(
      [place, *(order[t.op] for t, own in zip(op.inputs, operands, strict=True) if own is not None)]
    )
    is_over_write = any(first <= write <= place for write in places)
    if not any(own is not None for own in operands) or is_over_write:
      continue
    flags = [op.get_attr(name) for name in ("transpose_a", "transpose_b")]
    a, b = (t if own is None else own for t, own in zip(op.inputs, operands, strict=True))
    of_a, of_b = (flag != (own is not None) for flag, own in zip(flags, operands, strict=True))
    with tf.control_dependencies(None), tf.device(op.device):
      new = tf.raw_ops.MatMul(a=a, b=b, transpose_a=of_a, transpose_b=of_b).op
    for consumer in op.outputs[0].consumers():
      for index, tensor in enumerate(consumer.inputs):
        if tensor is op.outputs[0]:
          tfi.update_input(consumer, index, new.outputs[0])
    found[new] = op
  return found


def _untransposed(tensor: tf.Tensor) -> tf.Tensor | None:
  """Returns the matrix of which this is the transposed one; None if it is none."""
  op = tensor.op
  return op.inputs[0] if op.type == "Transpose" and _is_swap(op.inputs[1]) else None


def _is_swap(permutation: tf.Tensor) -> bool:
  """Tells whether this swaps two axes."""
  if permutation.op.type == "InvertPermutation":  # Of two axes it is the same.
    permutation = permutation.op.inputs[0]
  value = tf.get_static_value(permutation)
  return value is not None and value.tolist() == [1, 0]
