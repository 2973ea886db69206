"""Which containers are one object on both sides of a call: arguments, results and what was changed.

The containers among a SubGraph's arguments and results are made anew of tensors. A call site and a
body agree on *slots*: where in which argument, or in which result, a container is. What holds in
all calls, and what the body does with its arguments, is collected from attempt to attempt.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable
from typing import Any, TypeVar

from recursive_tf.convert.frame._sharing import Sharing, Slot, containers, name_of, parts_of
from recursive_tf.convert.values._abstract import (
  BoundMethod,
  Container,
  LocalDict,
  LocalList,
  LocalObject,
  Maybe,
  same_content,
  tuple_of,
)

_Name = TypeVar("_Name")
_KEPT = "a function that it was passed to has kept it elsewhere"


@dataclasses.dataclass
class Crossing:
  """What is known of the calls of one instance; it only grows.

  Attributes:
    pairs: slots of arguments that may hold one object.
    pinned: slots of arguments that hold what is also elsewhere.
    mapped: positions of arguments that are elements of lists.
    same: by slot of a result, the slot of the argument that it is; None if that differs.
    links: slots of results, with slots of arguments or results that may be the same.
    kept: slots of arguments and results that the body has put elsewhere, too.
    changed: slots of arguments whose content the body changes.
    numbered: slots of arguments that become parts of what the run makes: callers give these their
      numbers, and pass them, too.
  """

  pairs: dict[tuple[Slot, Slot], None] = dataclasses.field(default_factory=dict)
  pinned: dict[Slot, None] = dataclasses.field(default_factory=dict)
  mapped: dict[int, None] = dataclasses.field(default_factory=dict)
  same: dict[Slot, Slot | None] = dataclasses.field(default_factory=dict)
  links: dict[tuple[Slot, Slot], None] = dataclasses.field(default_factory=dict)
  kept: dict[Slot, None] = dataclasses.field(default_factory=dict)
  changed: dict[Slot, None] = dataclasses.field(default_factory=dict)
  numbered: dict[Slot, None] = dataclasses.field(default_factory=dict)

  def _size(self) -> tuple[object, ...]:
    counts = len(self.pairs), len(self.pinned), len(self.mapped), len(self.links), len(self.kept)
    return *counts, len(self.changed), dict(self.same)

  # --- Calls

  def call(
    self,
    sharing: Sharing,
    arguments: dict[Slot, Container],
    mapped: Iterable[int],
    is_many: bool,
  ) -> bool:
    """Adds what holds for the arguments of a call; tells whether anything is new.

    Args:
      sharing: of the caller's frame.
      arguments: the containers among the arguments.
      mapped: positions of arguments that are containers among the elements of a list.
      is_many: whether it is many calls, which are given the other arguments each.
    """
    before = self._size()
    self.mapped |= dict.fromkeys(mapped)
    found = list(arguments.items())
    for i, (slot, container) in enumerate(found):
      if sharing.is_pinned(container):
        self.pinned[slot] = None
      for other, second in found[:i]:
        if sharing.may_be_one(container, second):
          self.pairs[other, slot] = None
    if is_many:
      self.pinned |= {slot: None for slot in self.kept if slot in arguments}
    return self._size() != before

  def begin(self, sharing: Sharing, arguments: dict[Slot, Container]) -> None:
    """Notes in a body what holds for its arguments, which were made of tensors."""
    for slot, container in arguments.items():
      if slot not in self.pinned and slot[0] not in self.mapped:
        sharing.release(container)
    for first, second in self.pairs:
      if first in arguments and second in arguments:
        sharing.link(arguments[first], arguments[second])

  # --- Bodies

  def end(
    self,
    sharing: Sharing,
    arguments: dict[Slot, Container],
    contents: dict[Slot, object],
    results: dict[object, object],
  ) -> bool:
    """Adds what a body leaves; tells whether anything is new.

    Args:
      sharing: of the body's frame.
      arguments: the containers among its arguments.
      contents: what was in them.
      results: its result, and its arguments that it changes, as they are now, by name.

    Raises:
      ConversionRefused: If the caller could not know what became of an argument.
    """
    before = self._size()
    slots = {container: slot for slot, container in arguments.items()}
    found = [pair for name, value in results.items() for pair in containers(value, (name,))]
    there = {container for _, container in found}
    for slot, container in arguments.items():
      if not same_content(container.snapshot(), contents[slot]):
        self.changed[slot] = None
        if container not in there:
          raise sharing.refuse(f"{name_of(container)} is changed, and then replaced by another")
      _, by = sharing.book.stale.get(container, ("", frozenset()))
      if not by <= slots.keys():
        raise sharing.refuse(f"{name_of(container)} may have been changed under another name")
      if container in sharing.book.pinned and slot not in self.pinned:
        self.kept[slot] = None
    for i, (slot, container) in enumerate(found):
      origin = slots.get(container)
      self.same[slot] = origin if self.same.get(slot, origin) == origin else None
      if container in sharing.book.pinned:
        self.kept[slot] = None
      for one in sharing.linked(container):
        if one in slots and one is not container:
          self.links[slot, slots[one]] = None
      for other, second in found[:i]:
        if sharing.may_be_one(container, second):
          self.links[slot, other] = None
    return self._size() != before

  def forget_results(self, name: object) -> None:
    """Forgets what is known of a result that is none of containers any more."""
    self.same = {slot: origin for slot, origin in self.same.items() if slot[0] != name}
    self.links = {pair: None for pair in self.links if all(slot[0] != name for slot in pair)}
    self.kept = {slot: None for slot in self.kept if slot[0] != name}

  # --- After calls

  def receive(
    self, sharing: Sharing, arguments: dict[Slot, Container], results: dict[_Name, object]
  ) -> dict[_Name, object]:
    """Returns the results of a call with the containers that the caller has as themselves.

    Args:
      sharing: of the caller's frame.
      arguments: the containers among the arguments.
      results: the result, and the changed arguments, made of tensors; the content of the latter
        is put into the caller's.
    """
    returned = _Returned(self, sharing, arguments)
    found = {name: returned.value(value, (name,)) for name, value in results.items()}
    returned.link()
    self.note_kept(sharing, arguments)
    return found

  def note_kept(self, sharing: Sharing, arguments: dict[Slot, Container]) -> None:
    """Pins the arguments that a body keeps."""
    for slot in self.kept:
      if slot in arguments:
        sharing.pin(arguments[slot], _KEPT)

  def receive_rows(self, sharing: Sharing, arguments: dict[Slot, Container]) -> None:
    """Notes what many calls at once leave: their results are elements of a list."""
    self.note_kept(sharing, arguments)
    if any(slot not in arguments for slot in self.kept):
      sharing.note_doubled(None)  # Results that are elsewhere, too, may be one.
    if any(arguments.keys().isdisjoint(pair) for pair in self.links):
      sharing.note_doubled(None)  # A container is, or may be, in one result twice.
    slots = {*self.same.values(), *(slot for pair in self.links for slot in pair)}
    for slot in slots:
      if slot is not None and slot in arguments:
        sharing.pin(arguments[slot], _KEPT)
        sharing.note_doubled(arguments[slot])  # It is in the result of each call.

  def returned(self, name: object) -> object:
    """Returns the position of the argument that the result is, all of it; None if it is none."""
    origins = {slot: o for slot, o in self.same.items() if slot[0] == name and o is not None}
    whole = origins.pop((name,), ())
    return whole[0] if len(whole) == 1 and not origins else None

  def shared_result(self, name: object, given: Collection[object]) -> str | None:
    """Returns why the result cannot leave the program as new objects, None if it can.

    Args:
      name: of the result.
      given: positions of arguments that may be returned, since they leave as what they are.
    """
    are_passed_in = any(s[0] == name and o is not None for s, o in self.same.items())
    if are_passed_in and self.returned(name) not in given:
      return "A container that was passed in is returned"
    known = {(name,), (self.returned(name),)}  # One and the same.
    links = [pair for pair in self.links if set(pair) != known]
    if any(name in (first[0], second[0]) for first, second in links):
      return "A container that is returned is, or may be, in the result twice, or was passed in"
    if any(slot[0] == name for slot in self.kept):
      return "A container that is returned is, or may be, also elsewhere"
    return None

  def kept_argument(self, name: object) -> str | None:
    """Returns why a program cannot be entered, None if it can: the user's containers are copied."""
    if any(slot[0] != name for slot in self.kept):
      return "A container that is passed in is kept elsewhere"
    return None


class _Returned:
  """Results of one call, while they are put in their places."""

  def __init__(self, crossing: Crossing, sharing: Sharing, arguments: dict[Slot, Container]):
    self._crossing = crossing
    self._sharing = sharing
    self._arguments = arguments
    self._made: dict[Slot, Container] = {}
    self._done: set[Slot] = set()

  def value(self, copy: object, slot: Slot) -> object:
    if isinstance(copy, Container):
      return self._container(copy, slot)
    if isinstance(copy, Maybe):
      return Maybe(self.value(copy.value, slot), copy.is_there)
    if isinstance(copy, BoundMethod):
      return type(copy)(copy.function, self.value(copy.owner, (*slot, "owner")))
    if isinstance(copy, tuple) and any(True for _ in containers(copy)):
      parts = [self.value(part, (*slot, i)) for i, part in enumerate(copy)]
      return tuple_of(type(copy), parts)
    return copy

  def _container(self, copy: Container, slot: Slot) -> Container:
    parts = {key: self.value(part, (*slot, key)) for key, part in parts_of(copy)}
    if parts:
      copy.restore(parts if isinstance(copy.snapshot(), dict) else parts.values())
    origin = self._crossing.same.get(slot)
    if origin is None:
      if slot not in self._crossing.kept:
        self._sharing.release(copy)
      self._made[slot] = copy
      return copy
    if origin not in self._arguments:
      return copy  # Not from this call; it stays pinned.
    found = self._made[slot] = self._arguments[origin]
    if origin in self._crossing.changed and origin not in self._done:
      self._done.add(origin)
      put(found, copy.snapshot())
    return found

  def link(self) -> None:
    """Links what may be the same."""
    everything = {**self._arguments, **self._made}
    for first, second in self._crossing.links:
      if first in everything and second in everything:
        self._sharing.copied_too(everything[first], everything[second])


def put(container: Container, content: Any) -> None:
  """Changes a container's content."""
  if isinstance(container, LocalList):
    container.content = content
  elif isinstance(container, LocalDict):
    container.items = content
  elif isinstance(container, LocalObject):
    container.fields = content
