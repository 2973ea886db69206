"""What a run did to the world: held back as data until it counts, then all of it or nothing."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import tensorflow as tf

from recursive_tf.convert.effects._frame_effects import Effects
from recursive_tf.convert.effects._output import Site
from recursive_tf.convert.effects._places import (
  ATTRIBUTE,
  CHANGED,
  CONTENT_STEP,
  DICT,
  DICT_STEP,
  HISTORY,
  LIST,
  LOG,
  TRACE,
  VARIABLE,
  Place,
  element_form,
)
from recursive_tf.convert.values import _forms, _results
from recursive_tf.convert.values._forms import MaybeForm, Source

_ABSENT = object()

# Where a write goes: ("attr", name), ("item", key), ("cell", None), ("member", value) of a set, and
# ("tail", n): what follows
# the first n elements of a list, or what comes after all of them where n is None. ("head", n): the
# first n elements, which go. ("items", None): all items of a dict. ("history", None): what is done
# to a set, pairs of a member and whether it is added.
Slot = tuple[str, Any]


@dataclasses.dataclass(frozen=True)
class Write:
  """A write that a run wants to do.

  Attributes:
    owner: the object that is changed.
    slot: where.
    value: what it gets; of a tail, a list.
  """

  owner: Any
  slot: Slot
  value: Any

  def do(self) -> Callable[[], None]:
    """Writes; returns what takes it back.

    Raises:
      Exception: What Python raises for it, such as AttributeError; nothing is written then.
    """
    owner, (kind, name) = self.owner, self.slot
    if kind == "attr":
      return _set_attribute(owner, name, self.value)
    if kind == "item":
      return _set_item(owner, name, self.value)
    if kind == "member":
      return _add_member(owner, self.value)
    if kind == "history":
      return _change_members(owner, self.value)
    if kind == "items":
      return _set_items(owner, self.value)
    if kind == "cell":
      old_content = owner.cell_contents
      owner.cell_contents = self.value
      return lambda: setattr(owner, "cell_contents", old_content)
    old = list(owner)
    if kind == "head":
      del owner[:name]
    else:
      owner[len(old) if name is None else name :] = self.value
    return lambda: owner.__setitem__(slice(None), old)


@dataclasses.dataclass(frozen=True)
class Outcome:
  """All that a run gives; nothing of it has happened yet.

  Attributes:
    result: what it returns.
    writes: what it writes, in order.
    prints: what it prints: places of the program, each with what it shows.
    has_unordered_keys: whether a dict gets several new keys of which the order is not known.
    is_unsure: whether an object may have got an attribute of its own, which its class has as well.
  """

  result: object
  writes: Sequence[Write] = ()
  prints: Sequence[tuple[Site, Sequence[object]]] = ()
  has_unordered_keys: bool = False
  is_unsure: bool = False

  @property
  def is_result_alone(self) -> bool:
    """Whether there is nothing else to it: nothing is written or printed."""
    return self.counts and not (self.writes or self.prints)

  @property
  def counts(self) -> bool:
    """Whether this is known to be all that Python does, if it raises nothing."""
    return not (self.has_unordered_keys or self.is_unsure)

  def commit(self) -> None:
    """Lets the writes happen; not yet what is printed.

    Raises:
      Exception: What Python raises for a write, such as AttributeError; nothing is written then.
    """
    undo: list[Callable[[], None]] = []
    try:
      for write in self.writes:
        undo.append(write.do())
    except BaseException:
      for back in reversed(undo):
        back()
      raise

  def fails(self) -> bool:
    """Tells whether Python refuses some write, or some output; nothing is written."""
    if self.taken_texts() is None:
      return True
    undo: list[Callable[[], None]] = []
    try:
      for write in self.writes:
        undo.append(write.do())
    except Exception:  # Whatever a class raises for it.
      return True
    finally:
      for back in reversed(undo):
        back()
    return False

  def texts(self) -> list[tuple[Site, list[str]]]:
    """Returns what each place of the program prints.

    Raises:
      Exception: What Python raises for it, such as a `__str__` of the user's.
    """
    return [(site, site.texts(iter(operands))) for site, operands in self.prints]

  def taken_texts(self) -> list[tuple[Site, list[str]]] | None:
    """Returns the same; None where Python raises, or a stream is known not to take it."""
    try:
      found = self.texts()
    except Exception:  # Whatever a class raises for it.
      return None
    return found if all(site.is_taken(texts) for site, texts in found) else None


def writes_of(
  places: Sequence[Place],
  tensors: Iterator[tf.Tensor],
  source: Source,
  objects: Sequence[object],
  left: dict[object, Any],
  in_order: Callable[[Iterable[object]], list[object] | None],
) -> tuple[list[Write], dict[object, list[object]], bool, bool]:
  """Reads what a run did to the places that a program writes.

  Args:
    places: the places whose state the run returned.
    tensors: their state.
    source: where Python values are made.
    objects: all objects by handle.
    left: what else leaves the run, by name.
    in_order: returns new keys of one dict in Python's order; None if that is not known.

  Returns:
    The writes, what logs hold by name, whether the order of all new keys is Python's, and whether
    an attribute that only the class had may have been written or not.
  """
  writes: list[Write] = []
  by_keys: list[Write] = []
  logs: dict[object, list[object]] = {}
  is_unsure = False
  for place in places:
    if place.kind == CHANGED:
      _, numbers, states = (source.numbers(next(tensors)) for _ in place.left_form.specs())
      _change(dict(zip(numbers, states, strict=True)), source)
      continue
    if place.kind == ATTRIBUTE:
      is_item = place.name[0] == "item"
      (by_keys if is_item else writes).extend(_attribute_writes(place, tensors, source, objects))
      continue
    if place.kind == TRACE:  # It is read before any object is made.
      for _ in place.left_form.specs():
        next(tensors)
      continue
    content = place.left_form.rebuild(tensors, source)
    content = left[place.key] = left.get(place.left_as, content)
    if place.kind == LOG:
      logs[place.name] = content
    elif place.kind == VARIABLE:
      is_unsure |= _is_as_in_class(place, content)
      writes += _variable_writes(place, content)
    elif place.kind == LIST and place.is_log:
      writes.append(Write(place.owner, ("tail", None), content))
    elif place.kind == LIST:
      gone, kept, items = content
      writes.append(Write(place.owner, ("tail", gone + kept), items[kept:]))
      if gone:
        writes.append(Write(place.owner, ("head", gone), None))
    elif place.kind == HISTORY:
      owner = place.owner.owner  # Of the place of what is in it.
      writes = [one for one in writes if one.owner is not owner]
      writes.append(Write(owner, ("history", None), content))
    elif place.kind == DICT:
      writes += _dict_writes(place, content)
  by_keys, are_ordered = _in_order(by_keys, in_order)
  return [*writes, *by_keys], logs, are_ordered, is_unsure


def _in_order(
  items: Sequence[Write], in_order: Callable[[Iterable[object]], list[object] | None]
) -> tuple[list[Write], bool]:
  """Returns writes of items, with new keys of each dict in Python's order, and whether all are."""
  places: dict[int, list[int]] = {}
  for i, write in enumerate(items):
    if type(write.owner) is dict and write.slot[1] not in write.owner:
      places.setdefault(id(write.owner), []).append(i)
  found, is_known = list(items), True
  for own in places.values():
    of_key = {items[i].slot[1]: items[i] for i in own}
    keys = in_order(of_key)
    is_known &= keys is not None
    for i, key in zip(own, keys or of_key, strict=True):
      found[i] = of_key[key]
  return found, is_known


def prints_of(
  effects: Effects, logs: dict[object, list[Any]]
) -> list[tuple[Site, Sequence[object]]]:
  """Returns what a run prints, in order."""
  sites = list(effects.sites.values())
  rows = {key: iter(values) for key, values in logs.items()}
  chosen = [sites[number] for number in logs.get("order", [])]
  return [(site, next(rows[site.key]) if site.key in rows else ()) for site in chosen]


def _attribute_writes(
  place: Place,
  tensors: Iterator[tf.Tensor],
  source: Source,
  objects: Sequence[object],
) -> Iterator[Write]:
  element = element_form(place.form)
  if place.is_log:
    pairs = place.form.rebuild(tensors, source)
    assert isinstance(pairs, list)
    last = {id(owner): (owner, value) for owner, value in pairs}
  else:
    next(tensors)  # The number of objects.
    present = next(tensors).numpy()
    columns = [next(tensors) for _ in _forms.specs(element)]
    (rows,) = present.nonzero()
    chosen = [tf.unstack(tf.gather(column, rows), num=len(rows)) for column in columns]
    last = {
      handle: (
        objects[handle],
        element.rebuild(iter([column[i] for column in chosen]), source),
      )
      for i, handle in enumerate(rows.tolist())
    }
  slot = ("tail", 0) if place.name == CONTENT_STEP else place.name
  for owner, value in last.values():
    if place.name == DICT_STEP:
      yield from _item_writes(owner, value)
      continue
    yield Write(owner, slot, value)


def _change(states: dict[int, float], source: Source) -> None:
  """Lets objects of the run, which nobody has yet, be what they became last.

  Args:
    states: numbers: of objects, each with that of one that is what it became.
    source: where Python values are made.
  """
  for number, state in states.items():
    one, now = source.object_of(int(number)), source.object_of(int(state))
    if isinstance(one, list) and isinstance(now, list):
      one[:] = now
    elif isinstance(one, dict) and isinstance(now, dict):
      one.clear()
      one.update(now)
    else:
      slots = [name for kind in type(now).__mro__ for name in vars(kind).get("__slots__", ())]
      for name in (*getattr(now, "__dict__", ()), *slots):
        if hasattr(now, name):
          object.__setattr__(one, name, getattr(now, name))


def _is_as_in_class(place: Place, value: object) -> bool:
  """Tells whether an attribute that an object has from its class may have been written, or not."""
  names = getattr(place.owner, "__dict__", None)
  if isinstance(place.owner, (types.CellType, dict)) or names is None or place.name in names:
    return False
  return _results.is_same(getattr(place.owner, place.name, _ABSENT), value)


def _variable_writes(place: Place, value: object) -> Iterator[Write]:
  owner = place.owner
  if place.is_absent_at_first and value is None and isinstance(place.form, MaybeForm):
    return  # Not written on the way that this run took.
  if isinstance(owner, types.CellType):
    yield Write(owner, ("cell", None), value)
  else:
    yield Write(owner, ("item" if isinstance(owner, dict) else "attr", place.name), value)


def _dict_writes(place: Place, pairs: Iterable[tuple[object, object]]) -> Iterator[Write]:
  owner, found = place.owner, list(pairs)
  if type(owner) is set:
    yield from (Write(owner, ("member", name), name) for name, _ in found if name not in owner)
    return
  if place.is_log:
    yield from (Write(owner, ("item", name), value) for name, value in found)
    return
  yield from _item_writes(owner, found)


def _item_writes(
  owner: dict[object, object], found: list[tuple[object, object]]
) -> Iterator[Write]:
  """Yields what lets a dict have these items."""
  pairs_of_keys = zip(owner, (key for key, _ in found), strict=False)
  if len(found) < len(owner) or any(own is not key and own != key for own, key in pairs_of_keys):
    # Some have gone, and may have come again behind others; what stays is the same object.
    old = {key: (key, value) for key, value in dict.items(owner)}
    now = []
    for key, value in found:
      own, before = old.get(key, (key, value))
      now.append((own, before if _results.may_stay(before, value) else value))
    yield Write(owner, ("items", None), now)
    return
  for name, value in found:
    if name not in owner or not _results.may_stay(owner[name], value):
      yield Write(owner, ("item", name), value)


def _add_member(owner: set[object], value: object) -> Callable[[], None]:
  if value in owner:
    return lambda: None
  owner.add(value)
  return lambda: owner.discard(value)


def _change_members(owner: set[object], changes: list[tuple[object, bool]]) -> Callable[[], None]:
  old = list(owner)
  for member, is_added in changes:
    (owner.add if is_added else owner.discard)(member)

  def back() -> None:
    owner.clear()
    owner.update(old)

  return back


def _set_items(
  owner: dict[object, object], items: list[tuple[object, object]]
) -> Callable[[], None]:
  old = list(dict.items(owner))
  _put_items(owner, items)
  return lambda: _put_items(owner, old)


def _put_items(owner: dict[object, object], items: list[tuple[object, object]]) -> None:
  dict.clear(owner)
  dict.update(owner, items)  # A `Counter` would add.


def _set_item(owner: Any, key: object, value: object) -> Callable[[], None]:
  try:
    # Reading what is not there may make it.
    old = owner[key] if not isinstance(owner, dict) or key in owner else _ABSENT
  except IndexError:
    old = _ABSENT
  owner[key] = value
  return lambda: owner.pop(key) if old is _ABSENT else owner.__setitem__(key, old)


def _set_attribute(owner: object, name: str, value: object) -> Callable[[], None]:
  old = getattr(owner, "__dict__", {}).get(name, _ABSENT)
  if old is _ABSENT and not hasattr(owner, "__dict__"):
    old = getattr(owner, name, _ABSENT)
  setattr(owner, name, value)
  return lambda: delattr(owner, name) if old is _ABSENT else setattr(owner, name, old)
