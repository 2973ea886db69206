"""All elements of what can be iterated over, in the order of Python."""

from __future__ import annotations

import types
from collections.abc import Iterable

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._kinds import is_plain_sequence
from recursive_tf.convert.frame._rows import rows_of_items
from recursive_tf.convert.semantics import _generators
from recursive_tf.convert.semantics._items import builtin_item, item_of_rows
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  Keys,
  LocalList,
  Maybe,
  Missing,
  Raises,
  Ref,
  Rows,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._operands import Slice


def own_rows(ip: Host, value: object, kinds: Iterable[type]) -> Rows | None:
  """Returns the elements that a class's own `__iter__` gives; None if it has none."""
  methods = {getattr(kind, "__iter__", None) for kind in kinds}
  if len(methods) > 1 or not all(isinstance(method, types.FunctionType) for method in methods):
    return None
  found = _generators.own_iterable(ip, value, methods.pop())
  rows = rows_of(ip, found)
  return rows_of_items(ip.frame, fixed_items(ip, found)) if rows is None else rows


def rows_of(ip: Host, value: object, one_by_one: bool = False) -> Rows | None:
  """Returns the elements of what has as many as the run finds; None if they are known.

  Args:
    ip: the interpreter.
    value: what has elements.
    one_by_one: whether code of the program sees each of them by itself, and all that it keeps.
  """
  return ip.kind_of(value).rows(one_by_one)


def noted(ip: Host, rows: Rows, holder: LocalList | None, may_be_kept: bool) -> Rows:
  """Returns the elements of a list, noted if what takes containers out of it may keep them."""
  if may_be_kept and _forms.has_containers(rows.form):
    ip.conversion.note_doubled(holder)
  return rows


def fixed_items(ip: Host, value: object, count: int | None = None) -> list[object]:
  """Returns the elements of what has a known number of them, or is taken apart into `count`."""
  if isinstance(value, (Maybe, Ref)):
    value = ip.frame.resolve(value)
  return ip.kind_of(value).fixed_items(count)


def taken_apart(ip: Host, rows: Rows, count: int | None) -> list[object]:
  """Returns `count` elements; the run fails if there are more or fewer."""
  frame = ip.frame
  if count is None:
    raise frame.refuse(
      Reason.DYNAMIC_LIST, "A list is taken apart whose length only the run knows."
    )
  if rows.form is None:
    raise Raises  # Nothing is known to be in there, or not yet.
  if any(t.shape[0] is not None and t.shape[0] < count for t in rows.tensors):
    raise Raises
  ok = tf.equal(rows.length, count)
  checked = [frame.check(t, ok, "too many or too few to unpack") for t in rows.tensors]
  return [
    frame.adopt(_forms.unflatten(rows.form, iter([t[i] for t in checked]))) for i in range(count)
  ]


def has_items_in_order(ip: Host, ref: Ref) -> bool:
  """Tells whether iterating over an object of the heap gives its items 0, 1, 2, ...

  A dict gives its keys, and a class's own `__iter__` gives anything.
  """
  kinds = ip.frame.types_of(ref) - {NoneType, Missing}
  return bool(kinds) and all(map(is_plain_sequence, kinds))


def contents_of_dict(ip: Host, ref: Ref, name: str) -> Rows:
  """Returns keys, values or items of a dict on the heap."""
  frame = ip.frame
  kinds = frame.types_of(ref) - {NoneType, Missing}
  ip.conversion.effects.check_unchanged(ip, kinds)
  if not kinds or not all(
    issubclass(kind, dict) and getattr(kind, name) is getattr(dict, name) for kind in kinds
  ):
    raise frame.refuse(Reason.OPAQUE_READ, f".{name} of a container of the heap.")
  if any(step[0] == "item" for step in ip.conversion.effects.places if type(step) is tuple):
    raise frame.refuse(Reason.EFFECT_ORDER, "All items of a dict while some are written.")
  if name != "items":
    found = frame.elements(ref.step(name))
    return found if name == "values" else Keys(found.length, found.tensors, found.form)
  keys, values = (frame.elements(ref.step(part)) for part in ("keys", "values"))
  if keys.form is None or values.form is None:
    return Rows(keys.length, (), None)
  form = _forms.NestForm(tuple, (0, 1), (keys.form, values.form))
  return Rows(keys.length, (*keys.tensors, *values.tensors), form)


def members(ip: Host, ref: Ref) -> Rows:
  """Returns the members of a set on the heap, in the order that it has in this run."""
  ip.conversion.effects.check_unchanged(ip, ip.frame.types_of(ref))
  return ip.frame.elements(ref.step("keys"))


def unpacked(ip: Host, value: object, num_before: int, num_after: int) -> list[object]:
  """Returns what `*middle` among other targets takes apart, the middle as a list."""
  frame = ip.frame
  rows = rows_of(ip, value)
  if rows is None:
    items = fixed_items(ip, value)
    last = len(items) - num_after
    if last < num_before:
      raise Raises
    return [*items[:num_before], frame.new(LocalList(items[num_before:last])), *items[last:]]
  if rows.form is None and num_before + num_after > 0:
    raise Raises
  frame.demand(rows.length >= num_before + num_after)
  middle = item_of_rows(ip, rows, Slice(num_before, -num_after or None, None))

  def one(i: int) -> object:
    if isinstance(value, Ref) and has_items_in_order(ip, value):
      return builtin_item(ip, value, i)
    return item_of_rows(ip, rows, i)

  return [*map(one, range(num_before)), middle, *map(one, range(-num_after, 0))]
