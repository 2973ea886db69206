"""Numbers of which the run decides whether they are ints or floats.

They are computed with as floats, which is the same as long as the ints among them have no more than
53 bits; the run fails beyond.
"""

from __future__ import annotations

import ast

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values import _forms, _numbers
from recursive_tf.convert.values._abstract import IntOrFloat, Rows
from recursive_tf.convert.values._numbers import Number


def is_number(value: object) -> bool:
  """Tells whether a value is an int or a float, known, or which of the two the run decides."""
  return isinstance(value, IntOrFloat) or _numbers.type_of(value) in (int, float)


def binary(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  """Returns `left op right`, of which one may be either, as far as that makes no difference."""
  for one, other in ((left, right), (right, left)):
    dtype = other.dtype if isinstance(other, tf.Tensor) else None
    is_float = _numbers.type_of(other) is float or (dtype is not None and dtype.is_floating)
    if isinstance(one, IntOrFloat) and is_float:
      left, right = (one.value, other) if one is left else (other, one.value)
      return ip.binary(op, left, right)
  if op in (ast.Add, ast.Sub, ast.Mult, ast.Div) and is_number(left) and is_number(right):
    a, b = map(_forms.as_int_or_float, (left, right))
    ip.frame.partial()
    found = _numbers.binary(op, a.value, b.value)
    assert found is not None  # Both are floats.
    return found if op is ast.Div else _of(ip, found.tensor, tf.logical_and(a.is_int, b.is_int))
  raise ip.frame.refuse(
    Reason.UNSUPPORTED_OPERATION, f"{op.__name__} of a number that may be an int or a float."
  )


def _of(ip: Host, tensor: tf.Tensor, is_int: tf.Tensor) -> IntOrFloat:
  """Returns what was computed, as an int where it is one: exact, and without -0.0."""
  ip.frame.partial()
  tensor = _forms.checked_ints(tensor, is_int)
  is_zero = tf.logical_and(is_int, tf.equal(tensor, 0.0))
  return IntOrFloat(Number(tf.where(is_zero, tf.zeros_like(tensor), tensor), float), is_int)


def unary(ip: Host, op: type[ast.unaryop], value: IntOrFloat) -> IntOrFloat:
  """Returns `-value` or `+value`."""
  if op is ast.UAdd:
    return value
  if op is not ast.USub:
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION, f"{op.__name__} of a number that may be an int or a float."
    )
  return _of(ip, -value.value.tensor, value.is_int)


def absolute(value: IntOrFloat) -> IntOrFloat:
  """Returns `abs(value)`."""
  return IntOrFloat(_numbers.absolute(value.value), value.is_int)


def total(ip: Host, rows: Rows, start: object) -> IntOrFloat:
  """Returns `sum(rows, start)`, added in Python's order."""
  if not is_number(start):
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, "A sum of numbers that begins with something else.")
  begin = _forms.as_int_or_float(start)
  values, are_ints = rows.tensors

  def add(index: tf.Tensor, result: tf.Tensor, is_int: tf.Tensor) -> tuple[tf.Tensor, ...]:
    one = IntOrFloat(Number(tf.gather(values, index), float), tf.gather(are_ints, index))
    found = binary(ip, ast.Add, IntOrFloat(Number(result, float), is_int), one)
    assert isinstance(found, IntOrFloat)  # Of two such.
    return index + 1, found.value.tensor, found.is_int

  ip.frame.partial()
  _, result, is_int = tfi.while_loop(
    lambda index, *_: index < rows.length, add, [tf.constant(0), begin.value.tensor, begin.is_int]
  )
  return IntOrFloat(Number(result, float), is_int)


def extreme(name: str, rows: Rows) -> IntOrFloat:
  """Returns `max(rows)` or `min(rows)` of at least one, as Python compares: the first of equals."""
  values, are_ints = rows.tensors
  better = tf.greater if name == "max" else tf.less

  def step(index: tf.Tensor, best: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    is_better = better(tf.gather(values, index), tf.gather(values, best))
    return index + 1, tf.where(is_better, index, best)

  _, best = tfi.while_loop(
    lambda index, _: index < rows.length, step, [tf.constant(1), tf.constant(0)]
  )
  return IntOrFloat(Number(tf.gather(values, best), float), tf.gather(are_ints, best))
