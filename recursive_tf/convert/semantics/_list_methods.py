"""`sort`, `count` and `index` of lists; all other methods are those of `_containers`."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import rows_of_items, rows_without
from recursive_tf.convert.semantics import _containers, _maps, _membership, _written
from recursive_tf.convert.semantics._in_python import run_written
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import LocalList, Raises, Ref, Rows, has_changed
from recursive_tf.convert.values._numbers import Number


def method(
  ip: Host, owner: object, name: str, args: Sequence[object], kwargs: dict[str, object]
) -> object:
  """Calls a method of a list or dict that the program made."""
  if isinstance(owner, LocalList) and owner.type is list:
    if name == "sort" and not args:
      _sort(ip, owner, kwargs)
      return None
    if name in ("count", "index") and len(args) == 1 and not kwargs:
      return sought(ip, owner, name, args[0])
    if name == "remove" and len(args) == 1 and not kwargs:
      _remove(ip, owner, args[0])
      return None
  return _containers.method(ip, owner, name, args, kwargs)


def method_of_heap(ip: Host, ref: Ref, name: str, args: Sequence[object]) -> object:
  """Calls a reading method of a list or dict on the heap."""
  is_sought = name in ("count", "index") and len(args) == 1
  if is_sought and _membership.rows_of_sequence(ip, ref) is not None:
    return sought(ip, ref, name, args[0])
  return _containers.method_of_heap(ip, ref, name, args)


def _sort(ip: Host, owner: LocalList, kwargs: dict[str, object]) -> None:
  if not kwargs.keys() <= {"key", "reverse"}:
    raise Raises  # A TypeError.
  before = owner.snapshot()
  elements = ip.frame.new(LocalList(before))  # The list itself is empty meanwhile.
  with ip.frame.sharing.reads() as read:
    found = ip.call(sorted, [elements], kwargs)
  if owner in read or has_changed([before], [owner.snapshot()]):
    raise ip.frame.refuse(Reason.EFFECT_ORDER, "list.sort() by a key that uses the list itself.")
  assert isinstance(found, LocalList)
  owner.content = found.content


def _remove(ip: Host, owner: LocalList, value: object) -> None:
  """Does `owner.remove(value)`: the first that is, or equals, the value goes."""
  index = sought(ip, owner, "index", value)
  rows = owner.content
  if not isinstance(rows, Rows):
    rows = rows_of_items(ip.frame, list(rows))
  if _forms.has_containers(rows.form):
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, "list.remove of lists, dicts or objects.")
  at = tf.cast(_forms.as_number(index).tensor, tf.int32)
  owner.content = rows_without(ip.frame, rows, at)


def sought(ip: Host, owner: object, name: str, value: object) -> object:
  """Calls `count` or `index` of a list or tuple."""
  frame = ip.frame
  rows = _membership.rows_of_sequence(ip, owner)
  if rows is None:
    rows = rows_of_items(frame, ip.fixed_items(owner))
  value = frame.resolve(value)
  rows = _maps.numbers_of(ip, rows)
  equal = False if rows.form is None else _membership.equal(ip, rows, value)
  if equal is None:
    written = _written.counted if name == "count" else _written.position
    return run_written(ip, written, values=frame.new(LocalList(rows)), wanted=value)
  if not isinstance(equal, tf.Tensor):
    if name == "index":
      raise Raises
    return 0
  return _number(ip, rows, equal, name)


def _number(ip: Host, rows: Rows, equal: tf.Tensor, name: str) -> Number:
  found = tf.cast(equal, tf.int64)
  if name == "count":
    return Number(tf.reduce_sum(found), int)
  first = tf.argmax(tf.concat([found, [0]], 0), output_type=tf.int64)
  return Number(ip.frame.check(first, tf.reduce_any(equal), "what is not in the list"), int)
