"""Calls like ones before: their programs are found by a glance at the values.

What kind of arguments a call has, and which shapes are open by now, takes a third of a small call.
Where types, shapes and constants are the very ones of a call before, it is what it was then. What
the program relies on is compared in each call all the same.
"""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert.program._arguments import NUMBER, OBJECT, STATIC, TENSOR, Argument
from recursive_tf.convert.program._programs import Prepared

_EAGER = tf.__internal__.EagerTensor
_NUMBERS = (int, float)
_CONSTANTS = (bool, str, bytes, type(None))
# Containers are constants or not by what they hold, which changes.
_CONTAINERS = (list, tuple, dict, set, frozenset)
# What of these an argument is follows from what they hold.
_BY_CONTENT = (tuple, np.ndarray, np.generic, tf.Tensor, tf.Variable)
# By number: a metaclass may have an `__eq__` of its own.
_OF_CONSTANTS = frozenset(map(id, _CONSTANTS))
_LOOKED_AT = frozenset(map(id, (_EAGER, np.ndarray, *_NUMBERS, *_CONSTANTS)))
_MAX_KNOWN = 256  # Of one function, and of one kind of arguments.

Glance = tuple[object, ...]


def glance_at(values: Iterable[Any]) -> Glance:
  """Returns what a call looks like: types, shapes, constants, and which objects these are."""
  found: list[object] = []
  for value in values:
    kind = type(value)
    found.append(kind)
    if kind is _EAGER:
      found.append(tfi.glance_of(value))
    elif kind in _CONSTANTS:
      found.append(value)
    elif kind is np.ndarray:
      found.append((value.shape, value.dtype))
    elif kind not in _NUMBERS:
      found.append(id(value))
  return tuple(found)


def glance_at_objects(values: Mapping[str, object], lists: Sequence[int]) -> Glance:
  """Returns what a call over objects looks like: as `glance_at`, but of objects their types.

  Types by number: a program keeps those that it reads, and a metaclass may not want to be a key.

  Args:
    values: its arguments.
    lists: the places of those that are lists of what each row is given.
  """
  found: list[object] = [lists]
  for position, (name, value) in enumerate(values.items()):
    if position in lists and type(value) is list:
      found.append(frozenset(map(id, map(type, value))))
    elif id(type(value)) in _LOOKED_AT:
      found += glance_at([value])
    else:
      found.append(id(type(value)))
      found.append(None if _is_known_by_type(name, value) else id(value))
  return tuple(found)


def _is_known_by_type(name: str, value: object) -> bool:
  """Tells whether all values of a type are the same kind of argument, one that is read as data."""
  if id(type(value)) in _OF_CONSTANTS or isinstance(value, _BY_CONTENT):
    return False
  return name != "self" and not callable(value) and not isinstance(value, tf.Module)


class KnownCalls:
  """What calls looked like, and the programs of each. Not thread-safe.

  There are several where what they rely on outside comes and goes, such as a training flag.

  A program keeps the constants that it is for: as long as it is there, their numbers are theirs.
  It is known weakly, so that it goes with its model.
  """

  def __init__(self, is_of_objects: bool = False):
    """Begins without any.

    Args:
      is_of_objects: whether calls are looked at by `glance_at_objects`.
    """
    self._is_of_objects = is_of_objects
    self._known: dict[Glance, weakref.ref[_Call]] = {}

  def find(self, glance: Glance, version: int) -> Sequence[Prepared]:
    """Returns what was prepared for calls that looked the same, of one entry.

    Args:
      glance: what the call looks like.
      version: of what decides with which arguments a program is made.
    """
    call = self._known.get(glance, _nothing)()
    return () if call is None or call.version != version else call.prepared

  def note(
    self, glance: Glance, version: int, prepared: Prepared, values: dict[str, object]
  ) -> None:
    """Notes what was prepared for a call, if another one that looks the same takes the same.

    Args:
      glance: what the call looks like.
      version: as for `find`.
      prepared: what was prepared.
      values: the arguments of the call.
    """
    given = [(name, prepared.arguments[name], value) for name, value in values.items()]
    if self._is_of_objects:
      is_seen = all(_is_seen_by_type(*one) for one in given)
    else:
      is_seen = all(_is_seen(argument, value) for _, argument, value in given)
    if is_seen:
      entry, calls = prepared.entry, prepared.entry.calls
      others = [
        before
        for before in self.find(glance, version)
        if before.entry is entry
        and before.program is not prepared.program
        and before.program in entry.programs
      ]
      for known in (self._known, calls):
        if len(known) >= _MAX_KNOWN:
          known.clear()
      calls[glance] = call = _Call([prepared, *others], version)
      self._known[glance] = weakref.ref(call)


class _Call:
  """Calls that were; their entry keeps it."""

  def __init__(self, prepared: Sequence[Prepared], version: int):
    # It keeps no tensors.
    self.prepared = [dataclasses.replace(one, tensors=[], objects=()) for one in prepared]
    self.version = version


def _is_seen_by_type(name: str, argument: Argument, value: object) -> bool:
  """As `_is_seen`, of a glance that sees the types of objects."""
  if argument.kind != OBJECT:
    # A glance that says no more than the type is one at an object alone.
    is_looked_at = id(type(value)) in _LOOKED_AT or not _is_known_by_type(name, value)
    return is_looked_at and not argument.is_mapped and _is_seen(argument, value)
  if not argument.is_mapped:
    return _is_known_by_type(name, value)
  return type(value) is list and all(_is_known_by_type("", one) for one in value)


def _is_seen(argument: Argument, value: object) -> bool:
  """Tells whether a glance at a value says what argument it is."""
  kind = type(value)
  if kind is _EAGER or kind is np.ndarray:
    return argument.kind == TENSOR
  if kind in _NUMBERS:
    return argument.kind == NUMBER
  if kind in _CONSTANTS:
    return argument.kind == STATIC
  return kind not in _CONTAINERS and argument.kind == STATIC and argument.value is value


def _nothing() -> None:
  """Stands for a reference to what is gone."""
