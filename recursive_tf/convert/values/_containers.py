"""Containers of Python: made of their parts, and of the parts of many."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from recursive_tf.convert.values._abstract import (
  BoundMethod,
  LocalDict,
  LocalList,
  Partial,
  tuple_of,
)


def container(kind: type, keys: tuple[Any, ...], parts: list[Any]) -> object:
  """Makes a container of Python values: of this class, with parts of these names."""
  if kind is list:
    return parts
  if kind is dict:
    return dict(zip(keys, parts, strict=True))
  if kind is BoundMethod:
    return types.MethodType(*parts)
  if kind is Partial:
    return functools.partial(parts[0], *parts[1:])
  if issubclass(kind, tuple):
    return tuple_of(kind, parts)
  made = object.__new__(kind)
  for name, value in zip(keys, parts, strict=True):
    object.__setattr__(made, name, value)
  return made


def leaves(value: object) -> Iterator[object]:
  """Yields what is in lists, tuples and dicts, those of the program too, and in those in them.

  A list of a length that only the run knows is one by itself.
  """
  if isinstance(value, LocalList) and value.items is not None:
    value = value.items
  elif isinstance(value, (LocalDict, dict)):
    value = [*(value.items if isinstance(value, LocalDict) else value).values()]
  if isinstance(value, (list, tuple)):
    for part in value:
      yield from leaves(part)
  else:
    yield value


def stacked(values: list[Any]) -> object:
  """Returns what a mapped call gives, of the values of its rows as plain Python gave them."""
  first = values[0]
  if all(isinstance(value, (tf.Tensor, tf.Variable)) for value in values):
    return tf.stack(values)
  same = all(type(value) is type(first) for value in values)
  if same and isinstance(first, tuple) and all(len(value) == len(first) for value in values):
    parts = [stacked(list(part)) for part in zip(*values, strict=True)]
    return tuple_of(type(first), parts)
  if same and isinstance(first, list) and all(len(value) == len(first) for value in values):
    if any(isinstance(part, tf.Tensor) for part in first):
      return [stacked(list(part)) for part in zip(*values, strict=True)]
    return values
  if same and type(first) is dict and all(value.keys() == first.keys() for value in values):
    return {key: stacked([value[key] for value in values]) for key in first}
  if same and hasattr(type(first), "__dataclass_fields__"):
    names = [_attributes_of(value) for value in values]
    if all(set(found) == set(names[0]) for found in names):
      parts = [stacked([getattr(value, name) for value in values]) for name in names[0]]
      return container(type(first), tuple(names[0]), parts)
  return values


def _attributes_of(value: object) -> list[str]:
  """Returns the names of what an object of a dataclass has, in slots or not."""
  own = getattr(value, "__dict__", {})
  slots = [name for name in getattr(value, "__dataclass_fields__", ()) if name not in own]
  return [*own, *(name for name in slots if hasattr(value, name))]
