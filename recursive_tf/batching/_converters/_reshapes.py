"""Whether reshapes that leave one size to be found out are right where there are no elements.

TensorFlow's converters put dimensions together and take them apart with a -1 for one of them. Of a
value without elements that size cannot be told: tf.reshape takes what the other sizes would give if
none of them were 0.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching._converters._batch import NoConverterError
from recursive_tf.batching._converters._gradients import may_be_empty


def check_reshapes(
  ops: Iterable[tfi.Operation], stacked: list[tf.Tensor], num_rows: tf.Tensor
) -> None:
  """Checks the reshapes among ops.

  Args:
    ops: the ops.
    stacked: what came in of shape [n, ...]; n is at least 1.
    num_rows: int [1], n.

  Raises:
    NoConverterError: If one may be wrong.
  """
  for op in ops:
    if op.type == "Reshape" and not _is_right(op, stacked, num_rows):
      raise NoConverterError("a value without elements may change its shape")


def _is_right(op: tfi.Operation, stacked: list[tf.Tensor], num_rows: tf.Tensor) -> bool:
  """Tells whether all sizes are given, or all but one and these are not 0."""
  tensor, wanted = op.inputs
  parts = _parts(wanted)
  is_given = all(np.all(np.not_equal(tf.get_static_value(part), -1)) for part in parts)
  if is_given or (any(tensor is other for other in stacked) and not may_be_empty(tensor)):
    return True
  sizes = op.outputs[0].shape
  if sizes.rank is None or 0 in sizes.as_list():
    return False
  num_unknown = sum(size is None for size in sizes)
  return num_unknown <= 1 + sum(part is num_rows for part in parts)


def _parts(sizes: tf.Tensor) -> list[tf.Tensor]:
  """Returns what a shape is put together of."""
  op = sizes.op
  if op.type == "Cast":
    return _parts(op.inputs[0])
  if op.type in ("ConcatV2", "Pack"):
    inputs = op.inputs[:-1] if op.type == "ConcatV2" else op.inputs
    return [part for tensor in inputs for part in _parts(tensor)]
  return [sizes]
