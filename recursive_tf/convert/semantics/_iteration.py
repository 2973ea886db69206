"""All elements of what can be iterated over, in the order of Python."""

from __future__ import annotations

import itertools
import types
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._kinds import is_plain_sequence
from recursive_tf.convert.frame._rows import rows_of_items
from recursive_tf.convert.semantics import _arrays, _attributes, _entries
from recursive_tf.convert.semantics._items import builtin_item, item_of_rows
from recursive_tf.convert.semantics._protocols import is_own
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  Array,
  BoundMethod,
  LocalDict,
  LocalList,
  LocalObject,
  Maybe,
  Missing,
  Raises,
  Ref,
  Rows,
  Weak,
  as_rows,
  named,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._operands import ByKey, Once, Shape, Slice


def _own_rows(ip: Host, value: Any) -> Rows | None:
  """Returns the elements that a class's own `__iter__` gives; None if it has none."""
  kinds = [value.type] if isinstance(value, LocalObject) else ip.frame.types_of(value)
  methods = {getattr(kind, "__iter__", None) for kind in kinds}
  if len(methods) > 1 or not all(isinstance(method, types.FunctionType) for method in methods):
    return None
  found = ip.call(BoundMethod(methods.pop(), value), [], {})
  if not isinstance(found, Once):
    raise ip.frame.refuse(Reason.OPAQUE_READ, "__iter__ that does not return iter(...).")
  rows = rows_of(ip, found.value)
  return rows_of_items(ip.frame, fixed_items(ip, found.value)) if rows is None else rows


def rows_of(ip: Host, value: object, one_by_one: bool = False) -> Rows | None:
  """Returns the elements of what has as many as the run finds; None if they are known.

  Args:
    ip: the interpreter.
    value: what has elements.
    one_by_one: whether code of the program sees each of them by itself, and all that it keeps.
  """
  rows = as_rows(value) if isinstance(value, (Rows, LocalList)) else None
  if rows is not None:
    named_one = value if isinstance(value, LocalList) else None
    is_known = named_one is not None or rows.type is tuple  # Others have no name.
    if is_known and not one_by_one and _forms.has_containers(rows.form):
      ip.conversion.note_doubled(named_one)  # What takes the elements may keep them.
    return rows
  if isinstance(value, (list, dict)) and not is_own(value, "__iter__"):
    state = ip.conversion.effects.read_static_elements(ip, value)
    return None if state is None else state.value
  if isinstance(value, tf.Tensor) and value.shape.rank and value.shape[0] is None:
    form = _forms.TensorForm(tf.TensorSpec(value.shape[1:], value.dtype))
    return Rows(tf.shape(value)[0], (value,), form)
  if isinstance(value, Ref):
    kinds = ip.frame.types_of(value) - {NoneType, Missing}
    if kinds and all(is_plain_sequence(kind) for kind in kinds):
      ip.conversion.effects.check_unchanged(ip)
      return ip.frame.elements(value)
    if kinds and all(issubclass(k, dict) and k.__iter__ is dict.__iter__ for k in kinds):
      return contents_of_dict(ip, value, "keys")
    plain = frozenset(kind for kind in kinds if is_plain_sequence(kind))
    if plain and kinds - plain <= {str, int, float, bool}:
      # Lists with leaves of another kind, which no sensible path gets to.
      ip.frame.demand(_attributes.is_exactly(ip, value, plain).tensor)
      ip.frame.narrow([(value, plain)])
      return rows_of(ip, value)
    found = _own_rows(ip, value)
    if found is not None:
      return found
    if any(hasattr(kind, "__iter__") or hasattr(kind, "__getitem__") for kind in kinds):
      raise ip.frame.refuse(
        Reason.OPAQUE_READ, f"Iterating over a {' or '.join(k.__name__ for k in kinds)}."
      )
    raise Raises
  return _own_rows(ip, value) if isinstance(value, LocalObject) else None


def fixed_items(ip: Host, value: Any, count: int | None = None) -> list[object]:
  """Returns the elements of what has a known number of them, or is taken apart into `count`."""
  frame = ip.frame
  if isinstance(value, (Maybe, Ref)):
    value = frame.resolve(value)
  if isinstance(value, LocalList) and value.items is not None:
    return list(value.items)
  if isinstance(value, LocalDict):
    return list(value.items)
  if isinstance(value, ByKey):
    return _entries.parts(ip, value)
  if is_own(value, "__iter__"):
    found = ip.call(BoundMethod(type(value).__iter__, value), [], {})
    if isinstance(found, Once) or (isinstance(found, LocalList) and found.is_iterator):
      return fixed_items(ip, found.value if isinstance(found, Once) else found)
    raise frame.refuse(Reason.OPAQUE_READ, "__iter__ that does not return iter(...).")
  rows = rows_of(ip, value)
  if rows is not None:
    if count is None:
      raise frame.refuse(
        Reason.DYNAMIC_LIST, "A list is taken apart whose length only the run knows."
      )
    if isinstance(value, Ref) and _has_items_in_order(ip, value):
      length = frame.length(value)
      frame.demand(tf.equal(length.tensor, count))
      return [builtin_item(ip, value, i) for i in range(count)]
    if rows.form is None:
      raise Raises  # Nothing is known to be in there, or not yet.
    ok = tf.equal(rows.length, count)
    checked = [frame.check(t, ok, "too many or too few to unpack") for t in rows.tensors]
    return [
      frame.adopt(_forms.unflatten(rows.form, iter([t[i] for t in checked]))) for i in range(count)
    ]
  if isinstance(value, np.ndarray):
    value = Array(frame.tensor(value), frozenset([type(value)]), False)
  if isinstance(value, Array):
    return _arrays.elements(ip, value)
  if isinstance(value, Shape):
    return list(value.dims)
  if isinstance(value, (tuple, range, str)):
    ip.budget.take(len(value))
    return list(value)
  if isinstance(value, (list, dict, set, frozenset)):
    ip.budget.take(len(value))
    return ip.conversion.guards.elements(value)
  if isinstance(value, Weak):
    value = frame.strong(value)
  if isinstance(value, tf.Tensor):
    if value.shape.rank in (None, 0) or value.shape[0] is None:
      raise frame.refuse(Reason.DYNAMIC_LIST, "Iterating over a tensor of unknown length.")
    ip.budget.take(value.shape[0])
    return list(tf.unstack(value))
  if is_own(value, "__getitem__", "__len__"):
    raise frame.refuse(Reason.OPAQUE_READ, f"Iterating over a {named(value)} by its items.")
  is_stream = isinstance(value, tf.data.Dataset) or hasattr(type(value), "__next__")
  if not is_stream and hasattr(type(value), "__len__"):
    count = len(value)
    ip.budget.take(count)
    # What has a length need not end there.
    elements = ip.native(lambda v: list(itertools.islice(v, count)), [value], {})
    return list(elements.items)
  raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"Iterating over a {named(value)}.")


def _has_items_in_order(ip: Host, ref: Ref) -> bool:
  """Tells whether iterating over an object of the heap gives its items 0, 1, 2, ...

  A dict gives its keys, and a class's own `__iter__` gives anything.
  """
  kinds = ip.frame.types_of(ref) - {NoneType, Missing}
  return bool(kinds) and all(map(is_plain_sequence, kinds))


def contents_of_dict(ip: Host, ref: Ref, name: str) -> Rows:
  """Returns keys, values or items of a dict on the heap."""
  ip.conversion.effects.check_unchanged(ip)
  frame = ip.frame
  kinds = frame.types_of(ref) - {NoneType, Missing}
  if not kinds or not all(
    issubclass(kind, dict) and getattr(kind, name) is getattr(dict, name) for kind in kinds
  ):
    raise frame.refuse(Reason.OPAQUE_READ, f".{name} of a container of the heap.")
  if any(step[0] == "item" for step in ip.conversion.effects.places if type(step) is tuple):
    raise frame.refuse(Reason.EFFECT_ORDER, "All items of a dict while some are written.")
  if name != "items":
    return frame.elements(ref.step(name))
  keys, values = (frame.elements(ref.step(part)) for part in ("keys", "values"))
  if keys.form is None or values.form is None:
    return Rows(keys.length, (), None)
  form = _forms.NestForm(tuple, (0, 1), (keys.form, values.form))
  return Rows(keys.length, (*keys.tensors, *values.tensors), form)


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
    if isinstance(value, Ref) and _has_items_in_order(ip, value):
      return builtin_item(ip, value, i)
    return item_of_rows(ip, rows, i)

  return [*map(one, range(num_before)), middle, *map(one, range(-num_after, 0))]
