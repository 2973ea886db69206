"""Which containers of a program may be one object, so that a change of one changes another.

Inside of one frame containers are objects, as in Python. Where branches meet, a loop turns, or a
call is made, they travel as tensors and are made anew: copies. A copy of a container that is still
there may be the same object to Python. The frame keeps book of that:

- *Links*: a container and what it may be the same as, itself a copy or not.
- *Stale*: what may have been changed under another name. It cannot be read any more.
- *Parted*: what branches have left in forms that have nothing in common. It cannot be read, either.
- *Pinned*: what is also where no name leads: in a list of unknown length, on the heap, in a dict of
  the user's. It can be read, but not be changed, and not be kept in another such place.

Nothing is refused as long as copies are only read, or as long as what they were made of is not used
again. `Container` asks here at each read and each change, so that nothing can be forgotten.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Protocol

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._ground import Ground
from recursive_tf.convert.values._abstract import (
  Bottom,
  BoundMethod,
  Container,
  Local,
  LocalDict,
  LocalObject,
  Maybe,
  Parted,
  tuple_of,
)

Slot = tuple[object, ...]  # Where in a value a container is: positions and keys, outermost first.

Places = Mapping[tuple[Local, object], object]  # What places hold: containers' parts, variables.

MADE_WHERE = "puts it into an object that the run makes"
_OF_TENSORS = "it is an element of a list whose length only the run knows, or was kept elsewhere"


@dataclasses.dataclass
class Book:
  """What is known at one point of the program.

  Attributes:
    links: by container, what it may be the same as; nobody changes these in place, since copies
      have the same ones.
    stale: by container, why it cannot be read; and those through which it was changed, None for
      others that are gone.
    pinned: by container, where else it is.
    parted: by container, what branches have made of it.
  """

  links: dict[Container, dict[Container, None]] = dataclasses.field(default_factory=dict)
  stale: dict[Container, tuple[str, frozenset[Container | None]]] = dataclasses.field(
    default_factory=dict
  )
  pinned: dict[Container, str] = dataclasses.field(default_factory=dict)
  parted: dict[Container, str] = dataclasses.field(default_factory=dict)

  def copy(self) -> Book:
    """Returns one that can change by itself."""
    return Book(dict(self.links), dict(self.stale), dict(self.pinned), dict(self.parted))

  def of(self, inside: Set[Container]) -> Book:
    """Returns what it says of these containers."""
    links = {c: {o: None for o in others if o in inside} for c, others in self.links.items()}
    stale = {
      c: (text, frozenset(one if one in inside else None for one in by))
      for c, (text, by) in self.stale.items()
      if c in inside
    }
    pinned = {c: text for c, text in self.pinned.items() if c in inside}
    parted = {c: text for c, text in self.parted.items() if c in inside}
    return Book({c: others for c, others in links.items() if c in inside}, stale, pinned, parted)

  def add(self, other: Book) -> bool:
    """Adds what another path has found; tells whether anything is new."""
    is_new = False
    for container, others in other.links.items():
      mine = self.links.get(container, {})
      is_new |= not others.keys() <= mine.keys()
      self.links[container] = {**mine, **others}
    for container, (text, by) in other.stale.items():
      known = self.stale.get(container)
      is_new |= known is None or not by <= known[1]
      self.stale[container] = (text, by) if known is None else (known[0], known[1] | by)
    is_new |= not other.pinned.keys() <= self.pinned.keys()
    self.pinned = {**other.pinned, **self.pinned}
    is_new |= not other.parted.keys() <= self.parted.keys()
    self.parted = {**other.parted, **self.parted}
    return is_new


class Body(Protocol):
  """What the containers of a frame need of it."""

  conversion: Ground

  @property
  def line(self) -> int:
    """The line that is being converted."""

  def refuse(self, reason: Reason, explanation: str) -> ConversionRefused:
    """Returns the refusal of what is being converted; raise it."""


class Sharing(Local):
  """The book of one frame; branches have their own, as of the content of containers."""

  def __init__(self, frame: Body):
    self._frame = frame
    self.book = Book()
    self._iterated: list[Iterated] = []
    self._replaced: Container | None = None  # A dict that gets another value for a key it has.
    self._reads: list[Container] | None = None
    self._holders: dict[Container, object] = {}
    self._is_copying = False
    self._opened: dict[Container, Callable[[], bool]] = {}
    self._written_as: dict[Container, object] = {}

  def snapshot(self) -> Book:
    """Returns the book as it is."""
    return self.book.copy()

  def restore(self, content: Book) -> None:
    """Puts back the book."""
    self.book = content.copy()

  def linked(self, container: Container) -> tuple[Container, ...]:
    """Returns the container and all that it may be the same as."""
    return (container, *self.book.links.get(container, ()))

  def may_be_one(self, a: Container, b: Container) -> bool:
    """Tells whether two containers are or may be the same object."""
    return a is b or b in self.book.links.get(a, ())

  def link(self, a: Container, b: Container) -> None:
    """Notes that two containers may be the same object."""
    if a is not b:
      links = self.book.links
      links[a] = {**links.get(a, {}), b: None}
      links[b] = {**links.get(b, {}), a: None}

  def is_pinned(self, container: Container) -> bool:
    """Tells whether a container, or one that it may be, is also where no name leads."""
    return any(one in self.book.pinned for one in self.linked(container))

  # --- What the containers ask

  def part(self, container: Container, text: str) -> None:
    """Notes that branches have left a container in forms that have nothing in common."""
    self.book.parted[container] = text
    container.restore_parted(Parted())

  def check_readable(self, container: Container) -> None:
    """Refuses to read what may have been changed under another name."""
    if container in self.book.parted:
      if isinstance(container, LocalDict) and self._frame.conversion.note_table(container.site):
        raise Bottom  # The next attempt makes such dicts in the run.
      raise self._frame.refuse(Reason.KINDS_DIFFER, self.book.parted[container])
    if container in self.book.stale:
      raise self.refuse(self.book.stale[container][0])
    is_as_it_was = self._opened.get(container)
    if is_as_it_was is not None and not is_as_it_was():
      raise self.refuse(f"{name_of(container)}, which the run made, may have changed since")
    if self._frame.conversion.made_kinds.are_changed:
      for one in self.linked(container):
        if MADE_WHERE in self.book.pinned.get(one, ""):
          text = f"{name_of(container)} is read under a name, and {self.book.pinned[one]}, where"
          raise self.refuse(f"{text} it may have been changed")
    if self._reads is not None:
      self._reads.append(container)

  def change(self, container: Container, content: object) -> None:
    """Notes a change, or refuses it; then all that the container may be cannot be read any more."""
    self.check_readable(container)
    linked = self.linked(container)
    for one in linked:
      if one in self.book.pinned:
        self._frame.conversion.want_changes()
        raise self.refuse(f"{name_of(container)} is changed, and {self.book.pinned[one]}.")
      for iterated in self._iterated:
        if (
          any(one is source for source in iterated.sources)
          and not iterated.allows(container, content)
          and not (iterated.is_of_keys and container is self._replaced)
        ):
          raise self.refuse(f"{name_of(container)} is changed while a loop goes over it.")
    if _reaches(content, container):
      raise self.refuse(f"{name_of(container)} becomes a part of itself.")
    for one in linked[1:]:
      text = (
        f"{name_of(one)} may be the same {kind_of(one)} as {name_of(container)}, which "
        f"line {self._frame.line} changes; only the run knows."
      )
      _, by = self.book.stale.get(one, ("", frozenset()))
      self.book.stale[one] = text, by | {container}

  def refuse(self, explanation: str) -> ConversionRefused:
    """Returns the refusal of what is being converted; raise it."""
    return self._frame.refuse(Reason.SHARED_CONTAINER, explanation.rstrip(".") + ".")

  # --- What the converter tells

  def adopt(self, value: object) -> None:
    """Takes in the containers of a value made of tensors: each may be anywhere else, too."""
    for _, container in containers(value):
      container.sharing = self
      self.book.pinned[container] = _OF_TENSORS

  def note_opened(self, container: Container, is_as_it_was: Callable[[], bool]) -> None:
    """Notes that a container is what an object of the run holds now: a copy of it."""
    self._opened[container] = is_as_it_was

  def note_written(self, value: object, step: object) -> None:
    """Notes what was read of a place that the program writes, by its step."""
    self._written_as.update((container, step) for _, container in containers(value))

  def want_number(self, container: Container) -> None:
    """Notes that what a container was read of could have held its number."""
    if container in self._written_as:
      self._frame.conversion.want_numbers_in(self._written_as[container])

  def release(self, container: Container) -> None:
    """Notes that a container that was made of tensors is nowhere else."""
    self.book.pinned.pop(container, None)

  def copied(self, copy: Container, originals: Iterable[Container]) -> None:
    """Notes that a container, made of tensors, stands for one of these."""
    self.release(copy)
    for original in originals:
      for one in self.linked(original):
        self.link(copy, one)
      if original in self.book.pinned:
        self.book.pinned[copy] = self.book.pinned[original]
      if original in self._opened:
        self.note_opened(copy, self._opened[original])
      if original in self._written_as:
        self._written_as[copy] = self._written_as[original]

  def copied_too(self, a: Container, b: Container) -> None:
    """Notes that two containers may be the same, and so what each of them may be."""
    for one in self.linked(a):
      for other in self.linked(b):
        self.link(one, other)

  def pin(self, value: object, where: str, holder: object = None) -> None:
    """Notes that the containers in a value are also elsewhere from now on.

    Args:
      value: the value.
      where: where, for messages.
      holder: the list of unknown length that they become elements of, if they do.
    """
    if self._is_copying:
      return
    inside: set[Container] = set()
    for _, container in containers(value):
      if container.sharing is None:
        continue
      if holder is not None:
        known = self._holders.setdefault(container, holder)
        # An element is known by its parts: what is twice in it becomes two.
        is_twice = not inside.isdisjoint(self.linked(container))
        if is_twice or known is not holder or self.book.pinned.get(container) == _OF_TENSORS:
          self.note_doubled(container)
        inside.add(container)
      self.book.pinned.setdefault(container, where)

  def note_doubled(self, container: Container | None) -> None:
    """Notes that a container, or some, may be more than one element of a list."""
    self._frame.conversion.note_doubled(container)

  @contextlib.contextmanager
  def copying(self) -> Iterator[None]:
    """Takes values for their text only: what they are made of may be changed later."""
    outer, self._is_copying = self._is_copying, True
    try:
      yield
    finally:
      self._is_copying = outer

  def keep(self, value: object, where: str) -> None:
    """Notes that a value leaves the program's variables, for a place or as the final result.

    Raises:
      ConversionRefused: If a container in it is or may be in two such places, or twice in there.
    """
    found = [container for _, container in containers(value)]
    for i, container in enumerate(found):
      for one in self.linked(container):
        if one in self.book.pinned:
          raise self.refuse(f"{name_of(container)} is kept, and {self.book.pinned[one]}.")
      if any(self.may_be_one(container, other) for other in found[:i]):
        raise self.refuse(f"{name_of(container)} is, or may be, kept in two places.")
    self.pin(value, where)

  @contextlib.contextmanager
  def reads(self) -> Iterator[list[Container]]:
    """Collects the containers that are read."""
    outer, self._reads = self._reads, []
    try:
      yield self._reads
    finally:
      if outer is not None:
        outer += self._reads
      self._reads = outer

  def has_loop_over_keys(self, container: Container) -> bool:
    """Tells whether loops go over a dict, all of them over its keys."""
    over = [one for one in self._iterated if any(container is source for source in one.sources)]
    return bool(over) and all(one.is_of_keys for one in over)

  @contextlib.contextmanager
  def replacing(self, container: Container) -> Iterator[None]:
    """Lets a dict get other values for keys that it has, which no loop over its keys sees."""
    before, self._replaced = self._replaced, container
    try:
      yield
    finally:
      self._replaced = before

  @contextlib.contextmanager
  def iterating(self, iterated: Iterated) -> Iterator[None]:
    """Refuses changes that a loop would see."""
    self._iterated.append(iterated)
    try:
      yield
    finally:
      self._iterated.pop()


@dataclasses.dataclass
class Iterated:
  """What a loop goes over.

  Attributes:
    sources: the containers.
    position: up to where items may be replaced: the loop has taken them. -1 for none.
    is_of_keys: whether it goes over the keys of a dict, so that values may be replaced.
  """

  sources: list[Container]
  position: int = -1
  is_of_keys: bool = False

  def allows(self, container: Container, content: object) -> bool:
    """Tells whether the loop does not see this change."""
    before, after = _items_of(container.snapshot()), _items_of(content)
    if before is None or after is None or list(before) != list(after):
      return False
    pairs = zip(before.values(), after.values(), strict=True)
    return all(a is b for i, (a, b) in enumerate(pairs) if i > self.position)


class Rejoin:
  """Values made of tensors where branches meet: which containers they are.

  Args:
    sharing: of the frame, with what all branches know.
    before: the containers that were there before the branches.
  """

  def __init__(self, sharing: Sharing, before: Iterable[object]):
    self._sharing = sharing
    self._before = {id(local) for local in before}
    self._made: dict[tuple[int, ...], tuple[Container, list[object]]] = {}

  def value(self, copy: object, originals: list[object]) -> object:
    """Returns a value with the containers that are the same on all branches as themselves.

    Args:
      copy: the value, made of tensors.
      originals: what each of the branches gave.
    """
    if isinstance(copy, Maybe):
      there = [o.value if isinstance(o, Maybe) else o for o in originals if o is not None]
      return Maybe(self.value(copy.value, there), copy.is_there) if there else copy
    if isinstance(copy, Container):
      return self._container(copy, [o.value if isinstance(o, Maybe) else o for o in originals])
    if isinstance(copy, BoundMethod):
      owners = [o.owner for o in originals if isinstance(o, BoundMethod)]
      return type(copy)(copy.function, self.value(copy.owner, owners))
    if isinstance(copy, tuple) and any(True for _ in containers(copy)):
      columns = [o for o in originals if isinstance(o, tuple)]
      parts = [self.value(part, [o[i] for o in columns]) for i, part in enumerate(copy)]
      return tuple_of(type(copy), parts)
    return copy

  def _container(self, copy: Container, originals: list[object]) -> object:
    found = [o for o in originals if isinstance(o, Container)]
    if not found:
      return copy
    if all(o is found[0] for o in originals) and id(found[0]) in self._before:
      return found[0]
    key = tuple(map(id, originals))
    if key not in self._made:
      self._made[key] = copy, originals  # The originals are kept, so that no id is given twice.
      self._sharing.copied(copy, found)
      copy.called = found[0].called
      self.content(copy, originals)
    return self._made[key][0]

  def content(self, copy: Container, originals: list[object]) -> Container:
    """Returns a container, whose parts become what they are, one by one."""
    parts = dict(parts_of(copy))
    if parts:
      wholes = [dict(parts_of(o)) for o in originals if isinstance(o, Container)]
      new = {
        key: self.value(part, [whole[key] for whole in wholes if key in whole])
        for key, part in parts.items()
      }
      copy.restore(new if isinstance(copy.snapshot(), dict) else new.values())
    return copy


@dataclasses.dataclass
class Carried:
  """What is known of the containers in the places that a loop carries from turn to turn.

  Attributes:
    pairs: places that may hold one object.
    outer: places, and the containers of before the loop that they may hold.
    pinned: places that hold what is also elsewhere.
  """

  pairs: dict[tuple[Slot, Slot], None] = dataclasses.field(default_factory=dict)
  outer: dict[tuple[Slot, Container], None] = dataclasses.field(default_factory=dict)
  pinned: dict[Slot, None] = dataclasses.field(default_factory=dict)

  def see(self, sharing: Sharing, values: Places, before: Set[Container]) -> bool:
    """Adds what holds now; tells whether anything is new.

    Args:
      sharing: of the frame.
      values: what the places hold.
      before: the containers of before the loop.
    """
    size = len(self.pairs) + len(self.outer) + len(self.pinned)
    found = list(_in_places(values))
    for i, (slot, container) in enumerate(found):
      if sharing.is_pinned(container):
        self.pinned[slot] = None
      for one in sharing.linked(container):
        if one in before:
          self.outer[slot, one] = None
      for other, second in found[:i]:
        if sharing.may_be_one(container, second):
          self.pairs[other, slot] = None
    return len(self.pairs) + len(self.outer) + len(self.pinned) > size

  def apply(self, sharing: Sharing, values: Places) -> None:
    """Notes it for copies that were made of tensors."""
    found = dict(_in_places(values))
    for slot, container in found.items():
      if slot not in self.pinned:
        sharing.release(container)
    for slot, one in self.outer:
      if slot in found:
        for other in sharing.linked(one):
          sharing.link(found[slot], other)
    for first, second in self.pairs:
      if first in found and second in found:
        sharing.link(found[first], found[second])


def _in_places(values: Places) -> Iterator[tuple[Slot, Container]]:
  for (owner, key), value in values.items():
    for slot, container in containers(value):
      if container is not owner:  # A list that is changed stays what it is.
        yield (owner, key, *slot), container


def containers(value: object, slot: Slot = ()) -> Iterator[tuple[Slot, Container]]:
  """Yields the containers in a value, outermost first, with where they are."""
  if isinstance(value, Maybe):
    value = value.value  # In the place of the value itself.
  if isinstance(value, Container):
    yield slot, value
  for key, part in parts_of(value):
    yield from containers(part, (*slot, key))


def parts_of(value: object) -> Iterator[tuple[object, object]]:
  """Yields the parts of a value that may hold containers, with their keys."""
  if isinstance(value, Container):
    content = value.snapshot()
    if isinstance(content, dict):
      yield from content.items()
    elif isinstance(content, tuple):
      yield from enumerate(content)
  elif isinstance(value, tuple) and (type(value) is tuple or hasattr(type(value), "_fields")):
    yield from enumerate(value)
  elif isinstance(value, BoundMethod):
    yield "owner", value.owner


def name_of(container: Container) -> str:
  """Returns what messages call a container."""
  called = container.called
  is_own = called is None or called.startswith("_rtf_")
  return f"A {kind_of(container)}" if is_own else f"{called!r}"


def kind_of(container: Container) -> str:
  """Returns what messages call a container of its kind."""
  if isinstance(container, LocalObject):
    return container.type.__name__
  return "dict" if isinstance(container, LocalDict) else "list"


def _items_of(content: object) -> dict[object, object] | None:
  """Returns the parts of a container's content by their keys; None of `Rows`."""
  if isinstance(content, dict):
    return content
  return dict(enumerate(content)) if isinstance(content, tuple) else None


def _reaches(content: object, container: Container) -> bool:
  """Tells whether a container is in its own new content."""
  parts = _items_of(content) or {}
  return any(one is container for part in parts.values() for _, one in containers(part))
