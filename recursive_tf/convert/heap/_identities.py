"""Compares all that a program relies on in one pass, by identity.

What was found once is nearly always the very object that is there at the next call. So each *part*
that is compared says at which places that shows: `_walk.Identities` looks at those of all parts,
some tens of nanoseconds each. Only parts of which a place holds another object are asked
themselves, and so are those that no places can speak for.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from recursive_tf._walk import Identities
from recursive_tf.convert.heap import _libraries

# As `_walk.Identities` takes them.
Entry = tuple[object, ...]
# What proves that a part is what it was; None if it has to be asked.
Entries = Sequence[Entry] | None

_ANY_SIZE = -1
_MAX_MISSES = 2  # Of a part: then it is asked in each call.


class Part(Protocol):
  """Something that a program relies on."""

  def is_same(self) -> bool:
    """Tells whether it is what it was."""

  def entries(self) -> Entries:
    """Returns places that prove it where they hold the same objects; None if there are none."""


def dict_of(kind: type) -> object:
  """Returns the dict of a class's own attributes, which `vars` gives only a view of."""
  (found,) = gc.get_referents(vars(kind))
  return found


def of_class(kind: type, name: str, value: object, is_there: bool) -> Entries:
  """Returns the places that say what a class has under a name, itself or inherited."""
  found: list[Entry] = [("attribute", kind, "__mro__", kind.__mro__)]
  for base in kind.__mro__:
    if name in vars(base):
      return [*found, ("names", dict_of(base), _ANY_SIZE, (name,), (value,))]
    found.append(("names", dict_of(base), _ANY_SIZE, (name,), ()))
  return None if is_there else found  # It has been deleted since.


def of_item(container: object, key: object, value: object, is_there: bool) -> Entries:
  """Returns the place that says what a dict has under a key."""
  if type(container) is not dict:
    return None
  return [("names", container, _ANY_SIZE, (key,), (value,) if is_there else ())]


def of_own(owner: object, name: str, value: object, is_there: bool) -> Entries:
  """Returns the places that say what an object has under a name itself, not by its class."""
  found = getattr(owner, "__dict__", None)
  item = of_item(found, name, value, is_there)
  return None if item is None else [("attribute", owner, "__dict__", found), *item]


def of_attribute(owner: object, name: str, value: object) -> Entries:
  """Returns the places that say what an attribute is, or the dict inside that is kept there."""
  now = getattr(owner, name, None)
  if now is not value and type(now).__name__ == "_DictWrapper":
    return [("attribute", owner, name, now), ("attribute", now, "__wrapped__", value)]
  return [("attribute", owner, name, value)]


def of_items(container: object, keys: tuple[object, ...], values: tuple[object, ...]) -> Entries:
  """Returns the place that says which items a dict has, in their order."""
  return [("items", container, keys, values)]


def of_elements(container: object, values: tuple[object, ...]) -> Entries:
  """Returns the places that say which elements a list has, or one of TensorFlow's or Keras'."""
  if type(container) is tuple:
    return []  # For good.
  own_iter = getattr(type(container), "__iter__", None)
  is_plain = _libraries.is_library(type(container)) and own_iter is list.__iter__
  if type(container) is list or (isinstance(container, list) and is_plain):
    return [("type", container, type(container)), ("elements", container, values)]
  if type(container).__name__ == "ListWrapper" and type(container).__module__.startswith(
    "tensorflow."
  ):
    storage = getattr(container, "_storage", None)
    if type(storage) is list:
      return [("attribute", container, "_storage", storage), ("elements", storage, values)]
  return None


class AtOnce:
  """Many parts, compared in one pass. Not thread-safe."""

  def __init__(self, parts: Iterable[Part]):
    self._parts = list(parts)
    self._misses: dict[int, int] = {}  # By place in `_parts`.
    self._owners: list[list[int]] = []  # Of each entry, the parts that it speaks for.
    self._asked: list[int] = []  # Parts that are asked.
    self._identities = Identities(())
    self._gather()

  def _gather(self) -> None:
    """Gathers the entries of all parts, each entry once, in the order of memory."""
    owners: dict[object, list[int]] = {}
    entries: dict[object, Entry] = {}
    self._asked = []
    for number, part in enumerate(self._parts):
      found = None if self._misses.get(number, 0) >= _MAX_MISSES else part.entries()
      if found is None:
        self._asked.append(number)
        continue
      for entry in found:
        key = tuple(map(_key, entry))
        entries[key] = entry
        owners.setdefault(key, []).append(number)
    order = sorted(entries, key=lambda key: id(entries[key][1]))
    self._owners = [owners[key] for key in order]
    self._identities = Identities(tuple(entries[key] for key in order))

  def are_same(self) -> bool:
    """Tells whether all parts are what they were."""
    asked: dict[int, None] = {}
    start = 0
    while (entry := self._identities.first_other(start)) >= 0:
      for number in self._owners[entry]:
        if number not in asked:
          if not self._parts[number].is_same():
            return False
          asked[number] = None
      start = entry + 1
    for number in self._asked:
      if not self._parts[number].is_same():
        return False
    if asked:  # The same by other objects: with these from now on, or asked each time.
      for number in asked:
        self._misses[number] = self._misses.get(number, 0) + 1
      self._gather()
    return True


def _key(value: object) -> object:
  """Returns what tells the elements of entries apart."""
  if type(value) is tuple:
    return tuple(map(id, value))
  return value if type(value) in (str, int) else id(value)


class Known:
  """A part that is read by a function, and compared by another.

  Attributes:
    read: reads it.
    value: what it was.
  """

  __slots__ = ("_entries", "_same", "read", "value")

  def __init__(
    self,
    read: Callable[[], object],
    value: object,
    same: Callable[..., bool],
    entries: Callable[..., Entries] = lambda _: None,
  ):
    """Makes it.

    Args:
      read: see above.
      value: see above.
      same: compares what it was with what it is.
      entries: says of what it was what `Part.entries` does.
    """
    self.read, self.value = read, value
    self._same, self._entries = same, entries

  def entries(self) -> Entries:
    """Returns the places that prove `is_same`; None if there are none."""
    return self._entries(self.value)

  def is_same(self) -> bool:
    """Tells whether it is what it was."""
    now = self.read()
    return now is self.value or self._same(self.value, now)
