"""Assumptions checked inside the run: a tensor that is there only if they hold."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf._ops import kernels

# With it the message of every failed check begins, those of _numbers.py's ops included.
CHECK_FAILED = "recursive_tf: check failed"
# What `any_nonzero` takes.
OF_NONZERO = (tf.bfloat16, tf.half, tf.float32, tf.float64, tf.complex64, tf.complex128)
# An attribute of arguments that a loss or metric of Keras has in a graph: it means something else
# by a last axis of 1, and does not see one that is open.
OF_USUAL_SIZES = "_recursive_tf_of_usual_sizes"


def check(value: object, ok: object, message: str) -> tf.Tensor:
  """Returns `value` as it is; the run fails where it is used and `ok` is not all true.

  It costs one op in a frame, one in a step of the batched scheduler. It does not run where its
  result is not used, nor in a branch that is not taken, and is differentiated as the identity.

  Args:
    value: a tensor of any type, or what can be one.
    ok: bool, of any shape.
    message: what did not hold.

  Raises:
    tf.errors.InvalidArgumentError: In eager execution, if `ok` is not all true.
  """
  if ok is True:
    return tf.convert_to_tensor(value)
  return kernels.recursive_tf_check(value, ok, message=message)


def check_nest(values: object, ok: object, message: str) -> object:
  """Returns nested `values`, the first tensor in them checked as by `check`.

  What uses only others of them does not wait for the check.

  Raises:
    ValueError: If there is no tensor in them.
  """
  flat = tf.nest.flatten(values, expand_composites=True)
  for i, value in enumerate(flat):
    if tf.is_tensor(value):
      flat[i] = check(value, ok, message)
      return tf.nest.pack_sequence_as(values, flat, expand_composites=True)
  raise ValueError(f"recursive_tf: no tensor to check in {values!r}; check one that is used.")


def any_nonzero(value: tf.Tensor) -> tf.Tensor:
  """Tells whether any element is not zero; it looks no further than the first.

  There is no such op for rows of frames: outside of bodies only.

  Args:
    value: a tensor of one of `OF_NONZERO`.
  """
  return kernels.recursive_tf_any_nonzero(value)


def is_check_failure(error: BaseException) -> bool:
  """Tells whether an error is that of a failed check, also among others' text."""
  return isinstance(error, tf.errors.InvalidArgumentError) and CHECK_FAILED in error.message


def is_ragged(error: tf.errors.OpError) -> bool:
  """Tells whether a run failed because elements of one list have different shapes."""
  texts = (
    "all rows must have the same shape",  # Of a map.
    "Dimensions of inputs should match",  # Of ConcatV2; batched as follows.
    "ConcatOp : Dimension",
    "ConcatOp : Ranks of all input tensors should match",
    "Shapes of all inputs must match",  # Of Pack.
  )
  return any(text in error.message for text in texts)


tf.no_gradient("RecursiveTf>AnyNonzero")


@tf.RegisterGradient("RecursiveTf>Check")
def _gradient(op: object, dy: tf.Tensor) -> list[object]:
  return [dy, None]
