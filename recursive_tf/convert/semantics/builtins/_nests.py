"""`tf.nest.flatten` and `tf.nest.map_structure`, of lists, tuples and dicts of the program."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values._abstract import (
  Array,
  LocalDict,
  LocalList,
  is_named_tuple,
  is_static,
  makes_its_own,
  tuple_of,
)
from recursive_tf.convert.values._numbers import Number

_LEAVES = (tf.Tensor, Number, Array, int, float, str, bytes, type(None), np.generic)


def flatten(ip: Host, structure: object, expand_composites: object = False) -> object:
  """Does `tf.nest.flatten`: keys of dicts in order."""
  _check_option(ip, expand_composites)
  if is_static(structure) and not isinstance(structure, _LEAVES):  # What is outside is watched.
    return ip.native(tf.nest.flatten, [structure], {})
  return ip.frame.new(LocalList(_leaves(ip, structure)))


def map_structure(
  ip: Host, func: object, structure: object, expand_composites: object = False
) -> object:
  """Does `tf.nest.map_structure` of one structure."""
  _check_option(ip, expand_composites)
  before = _leaves(ip, structure)
  found = [ip.call(func, [leaf], {}) for leaf in before]
  after = _leaves(ip, structure)
  if len(before) != len(after) or any(a is not b for a, b in zip(before, after, strict=True)):
    raise ip.frame.refuse(Reason.EFFECT_ORDER, "tf.nest.map_structure() of what it changes.")
  return _packed(ip, structure, iter(found))


def _check_option(ip: Host, expand_composites: object) -> None:
  if expand_composites is not False:
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "tf.nest with expand_composites.")


def _leaves(ip: Host, value: object) -> list[object]:
  if isinstance(value, LocalDict):
    return [leaf for key in _keys(ip, value) for leaf in _leaves(ip, value.items[key])]
  if isinstance(value, LocalList) and value.type is list and value.items is not None:
    return [leaf for part in value.items for leaf in _leaves(ip, part)]
  if isinstance(value, tuple) and (type(value) is tuple or is_named_tuple(type(value))):
    return [leaf for part in value for leaf in _leaves(ip, part)]
  if isinstance(value, _LEAVES):
    return [value]
  raise ip.frame.refuse(
    Reason.UNSUPPORTED_OPERATION, "tf.nest of what is no tensor, number, list, tuple or dict here."
  )


def _packed(ip: Host, value: object, found: Iterator[object]) -> object:
  """Returns a structure like another one with other leaves, which it takes in their order."""
  if isinstance(value, LocalDict):
    parts = {key: _packed(ip, value.items[key], found) for key in _keys(ip, value)}
    return ip.frame.new(LocalDict({key: parts[key] for key in value.items}))
  if isinstance(value, LocalList):
    return ip.frame.new(LocalList([_packed(ip, part, found) for part in value.items or ()]))
  if isinstance(value, tuple):
    parts_of_tuple = [_packed(ip, part, found) for part in value]
    if is_named_tuple(type(value)) and makes_its_own(type(value)):
      text = f"tf.nest of a {type(value).__name__}, which has its own __new__ or __init__."
      raise ip.frame.refuse(Reason.OPAQUE_CALL, text)
    return tuple_of(type(value), parts_of_tuple)
  return next(found)


def _keys(ip: Host, value: LocalDict) -> list[object]:
  keys = list(value.items)
  if len({*map(type, keys)} - {str}) > 0:
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "tf.nest of a dict whose keys are no str.")
  return [*sorted(key for key in keys if isinstance(key, str))]
