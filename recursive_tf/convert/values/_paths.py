"""Paths of reads: from an object of the heap, step by step."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from typing import Any

Step = tuple[Any, ...]
Path = tuple[Step, ...]


_CONSTANTS = (str, int, float, bool, bytes, tuple, type(None))


def _is_same(a: object, b: object) -> bool:
  if a is b or type(a) is not type(b):
    return a is b
  if isinstance(a, tuple) and isinstance(b, tuple):
    return len(a) == len(b) and all(map(_is_same, a, b))
  return isinstance(a, _CONSTANTS) and a == b and repr(a) == repr(b)


class Held:
  """An object of the program that a step of a path mentions.

  Equal if it is the same object, or an equal constant of the same type.
  """

  def __init__(self, value: object):
    self.value = value

  def __eq__(self, other: object) -> bool:
    return isinstance(other, Held) and _is_same(self.value, other.value)

  def __hash__(self) -> int:
    value = self.value
    return hash(type(value)) if isinstance(value, _CONSTANTS) else id(value)

  def __repr__(self) -> str:
    return f"<{type(self.value).__name__}>"


def plain_path(path: Path) -> Path:
  """Returns a path with the objects themselves."""
  return tuple(
    tuple(part.value if isinstance(part, Held) else part for part in step) for step in path
  )


@dataclasses.dataclass(frozen=True)
class Provenance:
  """Where an object comes from.

  Attributes:
    source: an argument of the program, by its name; a parameter of a function; or a `Held` object.
    steps: from there, each a read with whether it takes the elements, or types that a test found.
  """

  source: Hashable
  steps: tuple[Hashable, ...] = ()

  def read(self, path: Path, is_items: bool = False) -> Provenance:
    """Returns where what a read gives, or its elements, come from."""
    return Provenance(self.source, (*self.steps, (path, is_items))) if path or is_items else self

  def only(self, types: frozenset[type]) -> Provenance:
    """Returns where those objects come from that are of some types."""
    return Provenance(self.source, (*self.steps, types))
