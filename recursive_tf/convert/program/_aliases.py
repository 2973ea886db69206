"""What a program writes under one name and reads under another that leads to the same."""

from __future__ import annotations

import gc
import sys
import types
from collections.abc import Iterable, Iterator, Sequence

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.effects._places import ATTRIBUTE, DICT, DICT_STEP, VARIABLE, Place
from recursive_tf.convert.frame._access import space_of
from recursive_tf.convert.heap._columns import Column
from recursive_tf.convert.heap._guards import CONTENT, Guards
from recursive_tf.convert.heap._profile import reaches
from recursive_tf.convert.values._abstract import named


class Aliases:
  """Refuses runs over objects that lead to what the program writes by a name of its own.

  Args:
    places: what the program writes.
    columns: what it reads of objects.
    guards: what else it relies on.
  """

  def __init__(self, places: Iterable[Place], columns: Iterable[Column], guards: Guards):
    columns, places = list(columns), list(places)
    self._read = [(place, _reading(columns, place.name)) for place in places if _is_known(place)]
    written = _written_on_heap(places, "attr")
    changes_dicts = any(place.key == DICT_STEP for place in places)
    is_written = bool(written) or changes_dicts
    self._items = [column for column in columns if is_written and _reads_items(column, written)]
    items = _written_on_heap(places, "item")
    self._spaces = [space_of(owner) for owner, name in guards.relied() if name in items]
    self._is_read = any(_reading(columns, name) for name in items)
    self._writes = bool(written)

  def check(self, objects: Sequence[object], is_new: bool = False) -> None:
    """Refuses a run over these objects if one leads to what is written under another name.

    Args:
      objects: those that are walked.
      is_new: whether a conversion has just settled: looks as well for objects that have one
        `__dict__`, which only assigning it makes.
    """
    for place, columns in self._read:
      owners = _known_as(place.owner)
      known_by = (space_of,) if is_new else ()
      wanted = [space_of(owner) for owner in owners] if is_new else owners
      if columns and reaches(objects, wanted, columns, *known_by):
        raise _refused(
          f"{place.name!r} of a {named(place.owner)} is written, and read of an object"
        )
    if self._items or self._is_read or self._spaces:
      own = ((one, space_of(one)) for one in objects)
      spaces = [*self._spaces, *(space for one, space in own if space is not one)]
      if reaches(objects, (s for s in spaces if isinstance(s, dict)), self._items):
        raise _refused("What is an attribute is read or written as an item of a dict, too")
    if is_new and self._writes:
      spaces = [id(space_of(one)) for one in objects]
      if len(set(spaces)) < len(spaces):
        raise _refused("Attributes are written of objects that have one __dict__")


def check_spaces(places: Iterable[Place], columns: Iterable[Column], guards: Guards) -> None:
  """Refuses a program that knows a dict by itself in which objects have attributes that it knows.

  Args:
    places: what the program writes.
    columns: what it reads of objects.
    guards: what it relies on.
  """
  places = list(places)
  written = _written_on_heap(places, "attr")
  read = {step[1] for column in columns for step in column.path if step[0] == "attr"}
  dicts = [
    place.owner for place in places if place.kind == DICT and not read.isdisjoint(place.owner)
  ]
  dicts += [
    owner
    for owner, name in guards.relied()
    if isinstance(owner, dict) and not written.isdisjoint(_keys(owner, name))
  ]
  for one in {id(one): one for one in dicts}.values():
    if any(owner is not one and space_of(owner) is one for owner in gc.get_referrers(one)):
      raise _refused("What an object keeps its attributes in is changed, or read, as a dict")


def _keys(owner: dict[object, object], name: object) -> Iterable[object]:
  """Returns the keys of a dict that are relied on; none of a module's variables, that is."""
  if name is CONTENT:
    return owner
  return name[1:] if isinstance(name, tuple) and name[0] == "item" else ()


def _refused(text: str) -> ConversionRefused:
  return ConversionRefused.of(Reason.EFFECT_ORDER, f"{text}.")


def _is_known(place: Place) -> bool:
  """Tells whether a place is an attribute of a known object, or a variable of a module."""
  return place.kind == VARIABLE and not isinstance(place.owner, (types.CellType, type))


def _known_as(owner: object) -> Iterator[object]:
  """Yields what objects may hold that has an owner's attributes."""
  yield owner
  if isinstance(owner, dict):
    module = sys.modules.get(owner.get("__name__", ""))
    if module is not None and vars(module) is owner:
      yield module


def _reading(columns: Iterable[Column], name: object) -> list[Column]:
  """Returns the columns that read what an owner has by a name, as an attribute or an item."""
  return [c for c in columns if ("attr", name) in c.path or ("item", name) in c.path]


def _written_on_heap(places: Iterable[Place], kind: str) -> set[object]:
  """Returns the names of the attributes, or the keys of the items, of objects that are written."""
  steps = [place.name for place in places if place.kind == ATTRIBUTE]
  return {step[1] for step in steps if step[0] == kind}


def _reads_items(column: Column, written: set[object]) -> bool:
  """Tells whether a column may read an attribute as an item of a dict, or all of the dict."""
  if any(issubclass(kind, dict) for kind in column.types):
    return True
  steps = [step for step in column.path if step[0] != "attr"]
  return any(step[0] != "item" or step[1] in written for step in steps)
