"""Kinds of types: what is read as a value, and what is a container of Python's own."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from recursive_tf.convert.frame import _enums
from recursive_tf.convert.heap import _columns
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import SETS as SETS

MAKERS = (int, float, bool, str, tuple, list, dict, set)  # What a `defaultdict` may call.
ARRAYS = (np.ndarray, np.generic, tf.Tensor, tf.Variable)


def are_values(types: frozenset[type]) -> bool:
  """Tells whether what has these types is read as a number or an array."""
  is_number = len(types) == 1 and types <= set(_forms.NUMBERS)
  return is_number or (bool(types) and all(issubclass(type_, ARRAYS) for type_ in types))


def kind_of_value(type_: type) -> str | None:
  """Returns the kind of column that holds values of a type themselves; None for objects."""
  for kind, types in (
    (_columns.BOOL, bool),
    (_columns.INT, int),
    (_columns.FLOAT, float),
    (_columns.STR, str),
    (_columns.TENSOR, ARRAYS),
  ):
    if issubclass(type_, types) if kind == _columns.TENSOR else type_ is types:
      return kind
  return None


def is_plain_sequence(type_: type) -> bool:
  """Tells whether a type is a list or tuple whose elements are what the builtin says."""
  return issubclass(type_, (list, tuple)) and type_.__iter__ in (list.__iter__, tuple.__iter__)


def is_builtin_container(kind: type, name: str = "__len__") -> bool:
  """Tells whether a type's method is that of a builtin list, tuple, dict or string."""
  found = getattr(kind, name, None)
  return any(found is getattr(t, name, 0) for t in (list, tuple, dict, str, set, frozenset, bytes))


def has_own_key(kind: type) -> bool:
  """Tells whether keys of a type are found by more than identity."""
  plain: tuple[object, object] = (object.__eq__, object.__hash__)
  return (kind.__eq__, kind.__hash__) != plain and not _enums.is_plain(kind)
