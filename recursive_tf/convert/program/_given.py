"""What a program that reads no objects is fed: arguments, and what is read anew in each call."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert.program._arguments import (
  NEST,
  NUMBER,
  TENSOR,
  Argument,
  tensors_of,
)
from recursive_tf.convert.values import _encode
from recursive_tf.convert.values._forms import dtype_of_number


class Given:
  """The arguments of one program, none of which is an object of the run or holds one."""

  def __init__(self, arguments: dict[str, Argument]):
    self._arguments = arguments
    self._nests = any(argument.kind == NEST for argument in arguments.values())
    self._tensors = [name for name, a in arguments.items() if a.kind == TENSOR]
    self._fed = [
      (name, dtype_of_number(a.value) if a.kind == NUMBER else None)
      for name, a in arguments.items()
      if a.kind in (TENSOR, NUMBER)
    ]

  def leaves(self, values: dict[str, object]) -> list[object]:
    """Returns what the arguments of a call are fed as.

    Raises:
      ConversionRefused: If a number is beyond what a tensor holds.
    """
    if self._nests:
      nobody = iter(())
      return [t for name, a in self._arguments.items() for t in tensors_of(a, values[name], nobody)]
    return [
      values[name] if dtype is None else number_as_tensor(values[name], dtype, "An argument")
      for name, dtype in self._fed
    ]

  def tensors(self, values: dict[str, object]) -> list[object]:
    """Returns the tensors and arrays among the arguments of a call."""
    if self._nests:
      return [t for name, a in self._arguments.items() for t in a.tensors(values[name])]
    return [values[name] for name in self._tensors]


def number_as_tensor(value: object, dtype: tf.DType, what: str) -> object:
  """Returns a Python number as a tensor to feed, as `_encode.as_array` returns it as an array."""
  if type(value) is float and dtype == tf.float64:
    return tfi.scalar(value, dtype)
  if type(value) is int and dtype == tf.int64 and -(2**63) <= value < 2**63:
    return tfi.scalar(value, dtype)
  return _encode.as_array(value, dtype, what)
