"""Enumerations: their members are single objects, whatever the classes that they are mixed with."""

from __future__ import annotations

import enum

FIELDS = {"name": "_name_", "value": "_value_"}  # What the properties of `Enum` read.


def field(kind: type, name: str, found: object) -> str | None:
  """Returns the attribute behind `name` or `value` of a class's members; None of all else.

  Args:
    kind: the class.
    name: the attribute.
    found: what the class has under that name.
  """
  if name in FIELDS and issubclass(kind, enum.Enum) and found is vars(enum.Enum)[name]:
    return FIELDS[name]
  return None


def is_plain(kind: type) -> bool:
  """Tells whether members of an enumeration equal themselves only, and are found by that."""
  if not issubclass(kind, enum.Enum):
    return False
  plain: object = object.__eq__
  return kind.__eq__ is plain and kind.__hash__ is enum.Enum.__hash__


def base_of(kind: type) -> type | None:
  """Returns int or str of an `IntEnum`, `StrEnum` or the like, whose members compare as such.

  The value of each is that int or string, and no two have the same.
  """
  if not issubclass(kind, enum.Enum) or issubclass(kind, enum.Flag):
    return None
  for base, bare in ((int, int.__int__), (str, str.__str__)):
    if issubclass(kind, base) and kind.__eq__ is base.__eq__ and kind.__hash__ is base.__hash__:
      is_ordered = all(getattr(kind, n) is getattr(base, n) for n in ("__lt__", "__gt__", "__ne__"))
      members: list[object] = list(kind.__members__.values())
      are_values = all(type(m._value_) is base and bare(m) == m._value_ for m in members)
      return base if is_ordered and are_values else None
  return None
