"""What Python demands of the results of special methods that a program's classes define."""

from __future__ import annotations

import operator
from typing import Any

import tensorflow as tf

from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values._abstract import Raises
from recursive_tf.convert.values._numbers import Number


def own_truth(ip: Host, method: Any, name: str) -> Any:
  """Returns what `bool` gives of an object whose class says it itself, by a bound method.

  Args:
    ip: the interpreter.
    method: the method, bound.
    name: `__bool__` or `__len__`.

  Raises:
    Raises: If Python raises: `__bool__` returns a bool, nothing that is only true.
  """
  if name == "__len__":
    found = own_length(ip, method)
    return Number(tf.greater(found.tensor, 0), bool) if isinstance(found, Number) else found > 0
  found = ip.frame.resolve(ip.call(method, [], {}))
  if isinstance(found, bool) or (isinstance(found, Number) and found.type is bool):
    return found
  raise Raises


def own_length(ip: Host, method: Any) -> Any:
  """Returns what `len` gives of an object whose class has a `__len__`, by the bound method.

  Raises:
    Raises: If Python raises: a length is an int, 0 or more.
  """
  found = ip.frame.resolve(ip.call(method, [], {}))
  if isinstance(found, Number) and found.type is not float:
    length = tf.cast(found.tensor, tf.int64)
    return Number(ip.frame.check(length, length >= 0, "__len__() is negative"), int)
  if not hasattr(type(found), "__index__") or isinstance(found, tf.Tensor):
    raise Raises
  if operator.index(found) < 0:
    raise Raises
  return operator.index(found)
