"""Operators of what is a number of Python's on some paths, and a scalar of NumPy's on others.

The number that comes of it is the same either way, or the run fails: where Python raises, NumPy
warns. Only its class has to be carried on.
"""

from __future__ import annotations

import ast

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values import _forms, _numbers
from recursive_tf.convert.values._abstract import Array
from recursive_tf.convert.values._either import PythonOrNumpy
from recursive_tf.convert.values._numbers import Number

_OF_MIXED = (ast.Add, ast.Sub, ast.Mult, ast.Div)


def _refusal(ip: Host, name: str) -> ConversionRefused:
  text = f"{name} of a number that may be Python's or NumPy's."
  return ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)


def is_one(left: object, right: object) -> bool:
  """Tells whether one of two operands is such a number."""
  return isinstance(left, PythonOrNumpy) or isinstance(right, PythonOrNumpy)


def _as_numpy(ip: Host, value: object, other: object, name: str) -> object:
  """Returns such a number as NumPy's, beside an array for which that makes no difference."""
  if not isinstance(value, PythonOrNumpy):
    return value
  assert isinstance(other, (Array, np.ndarray, np.generic))
  dtype = np.dtype(other.tensor.dtype.as_numpy_dtype if isinstance(other, Array) else other.dtype)
  if np.result_type(dtype, value.python(0)) != np.result_type(dtype, value.scalar):
    raise _refusal(ip, name)
  return value.as_numpy()


def beside(ip: Host, name: str, left: object, right: object) -> tuple[object, object] | None:
  """Returns both operands, where one says what the other may be taken for; None of two numbers."""
  for one, other in ((left, right), (right, left)):
    if isinstance(one, PythonOrNumpy) and isinstance(other, (Array, np.ndarray, np.generic)):
      return _as_numpy(ip, left, other, name), _as_numpy(ip, right, other, name)
    if isinstance(one, PythonOrNumpy) and isinstance(other, (tf.Tensor, tf.Variable)):
      if not other.dtype.is_floating or one.number.type is bool:
        raise _refusal(ip, name)
      return (one.number, other) if one is left else (other, one.number)
  return None


def binary(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  """Returns `left op right`, of which one is such a number."""
  found = beside(ip, op.__name__, left, right)
  if found is not None:
    return ip.binary(op, *found)
  first, second = _operands(ip, op.__name__, left, right)
  python = _result(ip, op, first, second)
  ip.frame.partial()
  number = _numbers.binary(op, first.number, second.number)
  if number is None:
    raise _refusal(ip, op.__name__)
  is_python = tf.logical_and(first.is_python, second.is_python)
  if python is int and number.type is float:
    number = Number(_whole(number.tensor, is_python), float)
  return PythonOrNumpy(number, is_python, python)


def _whole(tensor: tf.Tensor, is_int: tf.Tensor) -> tf.Tensor:
  """Returns floats of which one that is an int is exact, and has no sign where it is zero."""
  tensor = _forms.checked_ints(tensor, is_int)
  is_zero = tf.logical_and(is_int, tf.equal(tensor, 0.0))
  return tf.where(is_zero, tf.zeros_like(tensor), tensor)


def _result(ip: Host, op: type[ast.operator], first: PythonOrNumpy, second: PythonOrNumpy) -> type:
  """Returns the type of Python's result, where both are Python's."""
  kinds = {first.python, second.python}
  are_mixed = first.is_mixed or second.is_mixed
  if are_mixed and (op not in _OF_MIXED or bool in kinds):
    raise _refusal(ip, op.__name__)
  if float in kinds or op is ast.Div:
    return float
  return int


def _operands(
  ip: Host, name: str, left: object, right: object
) -> tuple[PythonOrNumpy, PythonOrNumpy]:
  """Returns both as such numbers.

  Raises:
    ConversionRefused: If one is something else, or a truth, with which NumPy computes otherwise.
  """
  found = []
  for value in (left, right):
    number = None if isinstance(value, PythonOrNumpy) else _forms.number_of(value)
    if number is not None:
      value = PythonOrNumpy(number, tf.constant(True), number.type)
    if not isinstance(value, PythonOrNumpy) or value.number.type is bool:
      raise _refusal(ip, name)
    found.append(value)
  return found[0], found[1]


def compare(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Returns `left op right`, of which one is such a number: a bool, or NumPy's."""
  found = beside(ip, op.__name__, left, right)
  if found is not None:
    return ip.compare(op, *found)
  first, second = _operands(ip, op.__name__, left, right)
  ip.frame.partial()
  truth = _numbers.compare(op, first.number, second.number)
  if truth is None:
    raise _refusal(ip, op.__name__)
  return PythonOrNumpy(truth, tf.logical_and(first.is_python, second.is_python), bool)


def unary(ip: Host, op: type[ast.unaryop], value: PythonOrNumpy) -> object:
  """Returns `op value` of -, + or ~."""
  if value.number.type is bool or (value.is_mixed and op is not ast.UAdd):
    raise _refusal(ip, op.__name__)
  ip.frame.partial()
  number = _numbers.unary(op, value.number)
  if number is None:
    raise _refusal(ip, op.__name__)
  return PythonOrNumpy(number, value.is_python, value.python)


def absolute(ip: Host, value: PythonOrNumpy) -> object:
  """Returns `abs(value)`."""
  if value.number.type is bool:
    raise _refusal(ip, "abs()")
  ip.frame.partial()
  return PythonOrNumpy(_numbers.absolute(value.number), value.is_python, value.python)
