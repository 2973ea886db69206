"""`value in owner`, where only the run knows how many elements the owner has."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf.convert.frame import _enums
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._keys import with_none
from recursive_tf.convert.frame._kinds import is_plain_sequence
from recursive_tf.convert.semantics import _containers, _lazy, _maps, _tables, _written
from recursive_tf.convert.semantics._attributes import by_class, by_type, demand_object, in_class
from recursive_tf.convert.semantics._exactly import demand_exactly
from recursive_tf.convert.semantics._in_python import run_written
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import LocalList, LocalTable, Maybe, Missing, Ref, Rows
from recursive_tf.convert.values._forms import NoneType, number_of
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._text import is_string, tensor_of


def contains(ip: Host, owner: object, value: object) -> object:
  """Returns `value in owner`."""
  if isinstance(value, Maybe):
    return with_none(ip, value, lambda one: contains(ip, owner, one))
  if isinstance(owner, Maybe):  # Of None it is a TypeError.
    owner = ip.frame.resolve(owner)
  _lazy.check_at_once(ip, owner)
  if isinstance(owner, LocalTable):
    return _tables.contains(ip, owner, ip.frame.resolve(value))
  if isinstance(owner, Ref):
    _demand_container(ip, owner)
    groups = _apart(ip, owner)
    if groups:
      return by_type(ip, owner, groups, lambda one, _: contains(ip, one, value))
  rows = rows_of_sequence(ip, owner)
  if rows is None:
    return _containers.contains(ip, owner, value)
  value = ip.frame.resolve(value)
  rows = _maps.numbers_of(ip, rows)
  if rows.form is None:  # Also where an attempt does not know yet what they are.
    return False
  found = equal(ip, rows, value)
  if found is None:
    return run_written(ip, _written.contains, values=ip.frame.new(LocalList(rows)), wanted=value)
  return found if found is False else Number(tf.reduce_any(found), bool)


def _demand_container(ip: Host, owner: Ref) -> None:
  """Lets the run fail where what may be a container is None, or of a class that has no `in`."""
  kinds = ip.frame.types_of(owner) - {NoneType, Missing}
  if kinds and NoneType in ip.frame.types_of(owner):
    demand_object(ip, owner)
  having = frozenset(kind for kind in kinds if any(in_class(kind, name) for name in _ASKED))
  if having and having != kinds:
    demand_exactly(ip, owner, having)


_ASKED = ("__contains__", "__iter__", "__getitem__")  # What Python looks for, in this order.


def _apart(ip: Host, owner: Ref) -> list[list[type]]:
  """Returns the types of what may be a string, a list or tuple, or a dict, in groups; else none."""
  groups: dict[object, list[type]] = {}
  for kind in sorted(ip.frame.types_of(owner) - {NoneType, Missing}, key=repr):
    is_sequence = is_plain_sequence(kind)
    if kind not in (str, dict) and not is_sequence:
      return []
    groups.setdefault(list if is_sequence else kind, []).append(kind)
  return [*groups.values()] if len(groups) > 1 else []


def rows_of_sequence(ip: Host, owner: object) -> Rows | None:
  """Returns the elements of a list or tuple whose length only the run knows."""
  if isinstance(owner, LocalList) and owner.type is list and isinstance(owner.content, Rows):
    return owner.content
  if isinstance(owner, Rows) and owner.type is tuple:
    return owner
  if isinstance(owner, Ref):
    kinds = ip.frame.types_of(owner) - {NoneType, Missing}
    if kinds and all(is_plain_sequence(k) and _asks_elements(k) for k in kinds):
      return ip.rows_of(owner)
  return None


def _asks_elements(kind: type) -> bool:
  return any(by_class(kind, "__contains__") is vars(t)["__contains__"] for t in (list, tuple))


def equal(ip: Host, rows: Rows, value: object) -> object:
  """Returns which elements are, or equal, a value, bool [N]; False if none can.

  None if they have to be compared one after the other, until one is found.
  """
  frame, form = ip.frame, rows.form
  if isinstance(form, _forms.StaticForm) and type(form.value) is str:
    found = _repeated(rows, ip.same_or_equal(form.value, value))
    if found is not None:
      return found
  kind = _forms.number_type(form)
  number = number_of(value)
  if kind is not None and number is not None and rows.tensors:
    found = _equal_numbers(ip, rows.tensors[0], kind, number)
    if found is not None:
      return found
  are_strings = isinstance(form, _forms.TextForm) or (
    isinstance(form, _forms.RefForm) and form.types == {str}
  )
  if form is not None and are_strings and is_string(value, frame):
    (strings,) = _forms.TextForm().widened(form, iter(rows.tensors), rows.length, frame)
    return tf.equal(strings, tensor_of(value, frame))
  if isinstance(form, _forms.RefForm):
    kinds = _kinds(ip, value)
    if kinds is not None and not any(map(_has_own_eq, form.types | kinds)):
      return tf.equal(rows.tensors[0], frame.base(value).handle)
  return _each_equal(ip, rows, value)


def _each_equal(ip: Host, rows: Rows, value: object) -> object:
  """Returns which elements are, or equal, a value, comparing each as Python does."""
  names = {"same_or_equal": _written.same_or_equal, "wanted": value}
  same = _maps.written(ip, "def same(one): return same_or_equal(one, wanted)", names)
  if _maps.is_ordered(ip, rows, same):
    return None
  found = _maps.map_function(ip, same, rows)
  if found.form is None:
    return False  # Nothing is known to be in there.
  assert _forms.number_type(found.form) is bool  # As `same` gives it.
  return found.tensors[0]


def _repeated(rows: Rows, same: object) -> object:
  """Returns whether each element equals a value, where all are one constant: bool [N], or None."""
  found = number_of(same)
  return None if found is None else tf.fill([rows.length], found.tensor)


def _equal_numbers(ip: Host, elements: tf.Tensor, kind: type, number: Number) -> object:
  if kind is float and number.type is float:  # One that is the same object is in the list.
    no_nan = tf.logical_not(tf.math.is_nan(number.tensor))
    wanted = ip.frame.assume(number.tensor, no_nan, "whether a NaN is in a list")
    return tf.equal(elements, wanted)
  if kind is float or number.type is float:
    return None
  return tf.equal(tf.cast(elements, tf.int64), tf.cast(number.tensor, tf.int64))


def _kinds(ip: Host, value: object) -> frozenset[type] | None:
  """Returns the types that a value of the heap can have; None of all else."""
  if isinstance(value, Ref):
    return ip.frame.types_of(value) - {Missing}
  return frozenset([type(value)]) if value is None or _forms.is_heap_object(value) else None


def _has_own_eq(kind: type) -> bool:
  plain: object = object.__eq__
  return kind not in (NoneType, Missing) and kind.__eq__ is not plain and not _enums.is_plain(kind)
