"""Makes the effects of a run happen, all of them or none."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf

from recursive_tf.convert import _forms, _results
from recursive_tf.convert._effects import Effects, value_of_variable
from recursive_tf.convert._forms import MaybeForm, TensorForm
from recursive_tf.convert._places import ATTRIBUTE, DICT, LIST, LOG, VARIABLE, Place

_ABSENT = object()


def commit(
  effects: Effects,
  places: Sequence[Place],
  tensors: Iterator[tf.Tensor],
  object_of: Callable[[int], Any],
  objects: Sequence[Any],
) -> None:
  """Writes and prints what a run did.

  Args:
    effects: the program's.
    places: the places whose state the run returned.
    tensors: their state.
    object_of: gives the object of a handle.
    objects: all objects by handle.

  Raises:
    Exception: What Python raises for a write, such as AttributeError; nothing is written then.
  """
  writes: list[Callable[[], Callable[[], None]]] = []
  printed: dict[Any, list[Any]] = {}
  for place in places:
    if place.kind == ATTRIBUTE:
      writes += _attribute_writes(place, tensors, object_of, objects)
      continue
    content = _results.rebuild(place.form, tensors, object_of)
    if place.kind == LOG:
      printed[place.name] = content
    elif place.kind == VARIABLE:
      writes.append(functools.partial(_set_variable, place, content))
    elif place.kind == LIST:
      writes.append(functools.partial(_set_list, place, content))
    elif place.kind == DICT:
      writes.append(functools.partial(_set_dict, place, content))
  undo: list[Callable[[], None]] = []
  try:
    for write in writes:
      undo.append(write())
  except BaseException:
    for back in reversed(undo):
      back()
    raise
  _print(effects, printed)


def _attribute_writes(
  place: Place,
  tensors: Iterator[tf.Tensor],
  object_of: Callable[[int], Any],
  objects: Sequence[Any],
) -> Iterator[Callable[[], Callable[[], None]]]:
  element = place.form.element.parts[1]
  if place.is_log:
    pairs = _results.rebuild(place.form, tensors, object_of)
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
        _results.rebuild(element, iter([column[i] for column in chosen]), object_of),
      )
      for i, handle in enumerate(rows.tolist())
    }
  for owner, value in last.values():
    yield functools.partial(_set_step, owner, place.name, value)


def _set_step(owner: Any, step: tuple[Any, ...], value: Any) -> Callable[[], None]:
  kind, name = step
  if kind == "item":
    try:
      old = owner[name]
    except (KeyError, IndexError):
      old = _ABSENT
    owner[name] = value
    return lambda: owner.pop(name) if old is _ABSENT else owner.__setitem__(name, old)
  old = getattr(owner, "__dict__", {}).get(name, _ABSENT)
  if old is _ABSENT and not hasattr(owner, "__dict__"):
    old = getattr(owner, name, _ABSENT)
  setattr(owner, name, value)
  return lambda: delattr(owner, name) if old is _ABSENT else setattr(owner, name, old)


def _set_variable(place: Place, value: Any) -> Callable[[], None]:
  owner, name = place.owner, place.name
  if place.is_absent_at_first and value is None and isinstance(place.form, MaybeForm):
    return lambda: None  # Not written on the way that this run took.
  try:
    old = value_of_variable(owner, name)
  except (AttributeError, ValueError):
    old = _ABSENT
  if isinstance(owner, types.CellType):
    owner.cell_contents = value
    return lambda: setattr(owner, "cell_contents", old)
  if isinstance(owner, dict):
    owner[name] = value
    return lambda: owner.pop(name) if old is _ABSENT else owner.__setitem__(name, old)
  setattr(owner, name, value)
  return lambda: delattr(owner, name) if old is _ABSENT else setattr(owner, name, old)


def _set_list(place: Place, content: Any) -> Callable[[], None]:
  owner = place.owner
  old = list(owner)
  if place.is_log:
    owner.extend(content)
  else:
    kept, items = content
    owner[kept:] = items[kept:]
  return lambda: owner.__setitem__(slice(None), old)


def _set_dict(place: Place, pairs: Any) -> Callable[[], None]:
  owner = place.owner
  old = dict(owner)
  keys_are_text = isinstance(place.form.element, _forms.NestForm) and isinstance(
    place.form.element.parts[0], TensorForm
  )
  for key, value in pairs:
    name = key.numpy().decode() if keys_are_text else key
    if place.is_log or name not in old or not _results.is_same(old[name], value):
      owner[name] = value

  def back() -> None:
    owner.clear()
    owner.update(old)

  return back


def _print(effects: Effects, printed: dict[Any, list[Any]]) -> None:
  order = printed.get("order", [])
  sites = list(effects.sites.values())
  rows = {key: iter(values) for key, values in printed.items()}
  for number in order:
    site = sites[number]
    operands = next(rows[site.key]) if site.key in rows else ()
    site.print(iter(operands))
