"""Items and slices of lists, tuples, dicts and tensors, wherever they live."""

from __future__ import annotations

import collections
import dataclasses
import operator
import types
from collections.abc import Callable, Collection
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame import _enums
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._keys import (
  demand_hash,
  equal_scalars,
  not_a_key,
  unless_none,
  with_none,
)
from recursive_tf.convert.frame._kinds import MAKERS, has_own_key, is_builtin_container
from recursive_tf.convert.frame._rows import rows_of_items, rows_replaced
from recursive_tf.convert.frame._sharing import name_of
from recursive_tf.convert.semantics import (
  _arrays,
  _attributes,
  _entries,
  _opened,
  _text,
  _text_methods,
)
from recursive_tf.convert.semantics._exactly import demand_exactly
from recursive_tf.convert.semantics._native import watch_calls
from recursive_tf.convert.semantics._protocols import (
  as_index,
  check_variables,
  may_be_bool,
  operator_method,
  refuse_opaque,
)
from recursive_tf.convert.values import _checks, _forms
from recursive_tf.convert.values._abstract import (
  Array,
  Bottom,
  BoundMethod,
  Container,
  Held,
  IntOrFloat,
  LocalDict,
  LocalList,
  LocalTable,
  Made,
  Maybe,
  Missing,
  Raises,
  Ref,
  Rows,
  as_rows,
  is_static,
  named,
  shown,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number, is_bool
from recursive_tf.convert.values._operands import Slice
from recursive_tf.convert.values._scalars import KINDS, Scalar
from recursive_tf.convert.values._text import Text, is_string, tensor_of

_UNHASHABLE = (list, dict, set)
_NO_ITEMS = frozenset([NoneType, Missing])
_IMMUTABLE = {str, int, float, bool, NoneType}
PRIMITIVE_KEYS = (str, int, float, bool, NoneType, bytes, tuple)


def item(ip: Host, owner: object, key: object) -> object:
  """Returns `owner[key]`."""
  frame = ip.frame
  if isinstance(key, Made) and not isinstance(owner, LocalTable):
    return _opened.for_each(ip, key, lambda one: ip.item(owner, one))
  if isinstance(key, Maybe) and _is_dict(ip, owner):
    return with_none(ip, key, lambda one: item(ip, owner, one))
  check_variables(ip, "An item", owner, key)
  key = frame.resolve(key) if isinstance(owner, dict) else frame.concrete(key)
  if isinstance(owner, keras.Variable):
    owner = ip.attribute(owner, "value")  # As its own `__getitem__` does.
  row = _row_of_variable(ip, owner, key)
  if row is not None:
    return row
  return ip.kind_of(frame.concrete(owner)).item(key)


def _is_dict(ip: Host, owner: object) -> bool:
  """Tells whether a value is a dict, known or of the heap."""
  if isinstance(owner, Ref):
    kinds = ip.frame.types_of(owner) - _NO_ITEMS
    return bool(kinds) and all(issubclass(kind, dict) for kind in kinds)
  return isinstance(owner, dict)


def item_of_array(ip: Host, owner: Array, key: object) -> object:
  """Returns an item of an array of NumPy."""
  return _arrays.item(ip, owner, key, lambda key: _index(ip, key))


def item_of_tensor(ip: Host, owner: tf.Tensor, key: object) -> object:
  """Returns an item of a tensor, as TensorFlow does."""
  return ip.native(operator.getitem, [ip.frame.tensor(owner), _index(ip, key)], {})


def known_index(ip: Host, key: object, kind: str) -> object:
  """Returns an index into what is known at conversion, where only what is known may be."""
  index = key.static() if isinstance(key, Slice) else as_index(ip, key)
  if (index is None) if isinstance(key, Slice) else is_of_run(key):
    text = f"An item of a {kind} by what only the run knows."
    raise ip.frame.refuse(Reason.NEEDS_VALUE, text)
  return index


def is_of_run(key: object) -> bool:
  """Tells whether only the run knows a number, or what may be one."""
  return isinstance(key, (Number, Ref, tf.Tensor))


def _is_known(key: object) -> bool:
  """Tells whether the key of a dict is known at conversion."""
  return is_static(key) and not isinstance(key, tf.Tensor)


def _row_of_variable(ip: Host, owner: tf.Variable, key: object) -> object:
  """Returns `variable[i]` without a read of the other rows; None if it is something else.

  A program that may write variables reads what they hold at that point.
  """
  is_of_run = isinstance(key, Number) and key.type is int
  if not is_of_run or ip.conversion.is_step or not tfi.is_plain_variable(owner):
    return None
  if not owner.shape.rank or owner.shape[0] is None:
    return None
  index = ip.frame.place(key, tf.constant(owner.shape[0]), "index out of range")
  if ip.conversion.dense_rows is not None:
    return ip.conversion.dense_rows.gather(owner, index)
  return ip.native(tf.gather, [owner, index], {})


def _index(ip: Host, key: object) -> object:
  """Returns an index as TensorFlow takes it."""
  if isinstance(key, Slice):
    bounds = [_scalar(ip, part) for part in (key.lower, key.upper, key.step)]
    if key.has_bool or any(map(_is_bool_tensor, bounds)):
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "A slice of a tensor by a bool.")
    return slice(*bounds)
  if isinstance(key, tuple):
    return tuple(_index(ip, part) for part in key)
  return _scalar(ip, key)


def _bound(ip: Host, part: object) -> object:
  """Returns a bound of a slice of a Python sequence: a bool is the int that it is, no NumPy's."""
  if part is None:
    return None
  found = ip.frame.tensor(as_index(ip, part))
  if not _is_bool_tensor(found):
    return found
  if not isinstance(part, Ref) or bool not in ip.frame.types_of(part):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "A slice of a list by a bool of NumPy's.")
  return tf.cast(found, tf.int64)


def _is_bool_tensor(value: object) -> bool:
  return isinstance(value, tf.Tensor) and value.dtype == tf.bool


def _scalar(ip: Host, value: object) -> object:
  if value is None or value is Ellipsis:
    return value  # A new axis, or the end of a slice; all axes that are not named.
  if not is_bool(value) and may_be_bool(ip, value):
    text = "An item of a tensor by a bool or an int, as the run finds."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  return ip.frame.tensor(value if is_bool(value) else as_index(ip, value))


def fixed(ip: Host, items: tuple[object, ...] | list[object], key: object) -> Any:
  """Returns an item or a slice of a tuple, or of the elements of a list."""
  key = as_index(ip, key)
  if isinstance(key, Slice):
    static = key.static()
    if static is None:  # As many as the run finds.
      rows = rows_of_items(ip.frame, list(items))
      kind = tuple if isinstance(items, tuple) else None
      return item_of_rows(ip, dataclasses.replace(rows, type=kind), key)
    found = sliced(items, static)
    return found if isinstance(items, tuple) else ip.frame.new(LocalList(found))
  if isinstance(key, Number):
    found = _entries.of_list(ip, items, key)
    if found is not None:
      return found[0]
    return item_of_rows(ip, rows_of_items(ip.frame, list(items)), key)
  if is_no_index(ip, key):
    raise Raises  # A TypeError.
  if isinstance(key, bool) or not isinstance(key, (int, np.integer)):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"An item by a {named(key)}.")
  if not -len(items) <= key < len(items):
    raise Raises
  return items[key]


def sliced(owner: Any, key: object) -> Any:
  """Returns what Python does of what is known."""
  try:
    return owner[key]
  except (TypeError, IndexError, ValueError):
    raise Raises from None


def is_no_index(ip: Host, key: object) -> bool:
  """Tells whether a key is a string, a container, or of no type which stands for an int."""
  if is_string(key, ip.frame) or key is None:
    return True
  if not isinstance(key, Ref):
    return isinstance(key, (Container, tuple))
  kinds = ip.frame.types_of(key) - {Missing}
  return not any(kind is slice or hasattr(kind, "__index__") for kind in kinds)


def item_of_rows(ip: Host, rows: Rows, key: object) -> object:
  frame = ip.frame
  key = as_index(ip, key)
  if isinstance(key, Slice):
    if type(key.step) is int and key.step == 0:
      raise Raises  # A ValueError.
    if any(is_string(part, frame) for part in (key.lower, key.upper, key.step)):
      raise Raises  # A TypeError.
    index = slice(*(_bound(ip, part) for part in (key.lower, key.upper, key.step)))
    tensors = tuple(t[index] for t in rows.tensors)
    length = tf.shape(tf.range(rows.length)[index])[0]
    if _forms.has_containers(rows.form):
      ip.conversion.note_doubled(None)
    found = Rows(length, tensors, rows.form, rows.type)
    return frame.new(LocalList(found)) if rows.type is None else found
  if rows.form is None or (not isinstance(key, Number) and type(key) is not int):
    if rows.form is None or is_no_index(ip, key):
      raise Raises
    raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"An item of a list by a {named(key)}.")
  index = frame.place(key, rows.length, "list index out of range")
  axis = tfi.constant(0, tf.int32)
  one = iter([tf.gather(tensor, index, axis=axis) for tensor in rows.tensors])
  return frame.adopt(_forms.unflatten(rows.form, one))


def item_of_text(ip: Host, text: object, key: object) -> Text:
  """Returns a character, or a slice, of a string that only the run knows."""
  if not isinstance(key, Slice) or key.step in (None, 1):
    return _text.item(ip, text, key)
  found = as_rows(item_of_rows(ip, _text_methods.characters(ip, text), key))
  assert found is not None  # A list.
  return Text((tf.strings.reduce_join(found.tensors[0], 0),))


def item_of_heap(ip: Host, ref: Ref, key: object) -> object:
  """Returns an item of an object of the heap."""
  frame = ip.frame
  kinds = frame.types_of(ref) - {NoneType, Missing}
  if not kinds:
    raise Raises
  having = frozenset(kind for kind in kinds if hasattr(kind, "__getitem__"))
  if isinstance(key, str):
    having -= {list, tuple, str}
  if not having:
    raise Raises  # A TypeError.
  if having != kinds:
    demand_exactly(ip, ref, having)
    return item_of_heap(ip, ref, key)
  table = ip.conversion.effects.table_of_dict(ip, ref)
  if table is not None:
    return _item_of_changed(ip, ref, table, key)
  own = [k for k in kinds if not is_builtin_container(k, "__getitem__")]
  if own:
    if len(kinds) > 1:
      groups = [[kind] for kind in sorted(kinds, key=repr)]

      def by_type() -> object:
        return _attributes.by_type(ip, ref, groups, lambda one, _: item(ip, one, key))

      if isinstance(key, (str, int)) and ip.conversion.effects.is_pure:
        # The same value each time, so that what a test says of it holds for all its uses.
        return frame.memo(("item", *ref.key, kinds, key), by_type)
      return by_type()
    (kind,) = kinds
    method = getattr(kind, "__getitem__", None)
    if not isinstance(method, types.FunctionType):
      raise frame.refuse(Reason.OPAQUE_READ, f"An item of a {kind.__name__}.")
    _attributes.demand_object(ip, ref)
    return ip.call(BoundMethod(method, ref), [key], {})
  return builtin_item(ip, ref, key)


def builtin_item(ip: Host, ref: Ref, key: object) -> object:
  """Returns an item of a list, tuple, dict or string on the heap, as the builtin type has it."""
  frame = ip.frame
  changed = ip.conversion.effects.rows_of_list(ip, ref)
  if changed is not None:
    return item_of_rows(ip, changed, key)
  table = ip.conversion.effects.table_of_dict(ip, ref)
  if table is not None:
    return _item_of_changed(ip, ref, table, key)
  is_key = isinstance(key, Number) or is_tuple_of_run(key)
  kinds = frame.types_of(ref) - _NO_ITEMS
  if any(issubclass(k, collections.defaultdict) for k in kinds):
    ip.conversion.promote(ip, ref)  # A read may put in what is missing.
    is_sought = is_tuple_of_run(key) or (is_key_of_run(key) and _makes_items(ip, ref))
    if kinds == {collections.defaultdict} and is_sought and not ip.conversion.is_step:
      return _item_or_made(ip, ref, key)
  if is_key and any(issubclass(k, dict) for k in kinds):
    ip.conversion.promote(ip, ref)
    if isinstance(key, Number) and kinds <= {dict, collections.defaultdict}:
      return item_by_string(ip, ref, key)
    table = ip.conversion.effects.taken_dict(ip, ref)
    if table is not None:
      return ip.item(table, key)
  if isinstance(key, (Slice, Number)):
    # Slices of tuples are tuples; an element is found in a tuple as it is in a list.
    if isinstance(key, Slice) and str in kinds and len(kinds) > 1:
      # A string beside lists is a leaf: a slice of either would be of no one kind.
      demand_exactly(ip, ref, kinds - {str})
      return builtin_item(ip, ref, key)
    groups = _families(kinds, (str, tuple) if isinstance(key, Slice) else (str,))
    if len(groups) > 1:
      return _attributes.by_type(ip, ref, groups, lambda one, _: builtin_item(ip, one, key))
    if is_string(ref, frame):
      return item_of_text(ip, ref, key)
    ip.conversion.effects.check_unchanged(ip, kinds)
    rows = frame.elements(ref)
    if isinstance(key, Slice) and all(issubclass(kind, tuple) for kind in kinds):
      rows = dataclasses.replace(rows, type=tuple)
    return item_of_rows(ip, rows, key)
  return ip.kind_of(key).entry_of_heap(ref)


# What a run finds of a `defaultdict`, in the terms of `Findings.kinds`.
_MADE_WHERE_MISSING = ("items of a defaultdict", "made where they are missing")


def _makes_items(ip: Host, ref: Ref) -> bool:
  """Tells whether runs have found that a `defaultdict` makes items, or nothing is in any."""
  place, found = _MADE_WHERE_MISSING
  return found in ip.conversion.made_kinds.preferred.get(place, ()) or (
    ip.frame.elements(ref.step("keys")).form is None
  )


def _item_of_changed(ip: Host, ref: Ref, table: LocalTable, key: object) -> object:
  """Returns an item of a dict of the heap that changes, which has one class and holds `table`."""
  is_making = collections.defaultdict in ip.frame.types_of(ref)
  return _item_or_made(ip, ref, key) if is_making else ip.item(table, key)


def _item_or_made(ip: Host, ref: Ref, key: object) -> object:
  """Returns an item of a `defaultdict` of the heap, which makes those that are missing."""
  factory = ip.attribute(ref, "default_factory")
  found = _entries.function_of_heap(ip, factory) if isinstance(factory, Ref) else None
  if found is None or not all(one in MAKERS for one in found.values):
    raise ip.frame.refuse(Reason.OPAQUE_READ, "A defaultdict makes items when they are read.")
  made = _entries.for_one(ip, found, lambda one: ip.call(one, [], {}))
  return ip.conversion.effects.call_method(ip, ref, "setdefault", [key, made], {})


def _families(kinds: Collection[type], apart: Collection[type]) -> list[list[type]]:
  """Returns types in groups: those of each of some classes, and all others."""
  groups: dict[object, list[type]] = {}
  for kind in sorted(kinds, key=repr):
    family = next((one for one in apart if issubclass(kind, one)), None)
    groups.setdefault(family, []).append(kind)
  return list(groups.values())


_OF_PARTS = (Text, Number)


def _identity(key: object) -> tuple[object, ...] | None:
  """Returns what keys that are surely equal have in common; None if that is not known."""
  if isinstance(key, Ref):
    return key.key
  parts = tuple(key.within()) if isinstance(key, _OF_PARTS) else ()
  known = [part.ref() for part in parts if isinstance(part, tf.Tensor)]
  return (type(key), *known) if known and len(known) == len(parts) else None


def item_by_string(ip: Host, ref: Ref, key: object) -> object:
  """Returns an item of a dict of the heap by a string or an object that only the run knows."""

  def read() -> object:
    found = sought(ip, ref, key)
    if found is None:
      raise Raises
    index, is_there = found.index, found.is_there.tensor
    if collections.defaultdict in ip.frame.types_of(ref):
      text = ip.conversion.made_kinds.leave_out(*_MADE_WHERE_MISSING)
      index = ip.frame.check(index, is_there, text)
      is_there = _checks.check(is_there, is_there, text)  # Also where the item is not used.
    ip.frame.demand(is_there)
    return item_of_rows(ip, found.values, Number(index, int))

  def once() -> object:  # What a test says of `d[key]` holds where it is read again.
    same = _identity(key)
    return read() if same is None else ip.frame.memo(("item by", *ref.key, *same), read)

  return unless_none(ip, keys_of_heap(ip, ref), key, once, None)


def by_scalar(ip: Host, ref: Ref, key: object) -> object:
  """Returns an item of a container of the heap by a scalar of which the run finds the kind."""
  kinds = ip.frame.types_of(ref) - {NoneType, Missing}
  if any(issubclass(kind, dict) for kind in kinds):
    return item_by_string(ip, ref, key)
  return builtin_item(ip, ref, as_index(ip, key))


def item_by_constant(ip: Host, ref: Ref, key: object) -> object:
  """Returns an item of an object of the heap by a key that is known."""
  frame = ip.frame
  if isinstance(key, tuple) or not isinstance(key, (str, int)):
    table = ip.conversion.effects.taken_dict(ip, ref)
    if table is not None:
      return ip.item(table, key)
    raise frame.refuse(Reason.OPAQUE_READ, f"An item of an object by {shown(key)}.")
  state = ip.conversion.effects.read_item(ip, ref, key)
  return frame.resolve(ref.step("item", key)) if state is None else state.value


@dataclasses.dataclass(frozen=True)
class Sought:
  """What a dict of the heap has for a key that only the run knows.

  Attributes:
    values: all values of the dict.
    index: the place of the key's value among them, if it is there.
    is_there: whether it is.
  """

  values: Rows
  index: tf.Tensor
  is_there: Number


def keys_of_heap(ip: Host, ref: Ref) -> Rows:
  """Returns the keys of a dict of the heap, as objects; what looks values up itself is refused."""
  frame = ip.frame
  kinds = frame.types_of(ref) - {NoneType, Missing}
  ip.conversion.effects.check_unchanged(ip, kinds)
  for kind in kinds:
    names = ("__getitem__", "__contains__", "get", "keys", "values")
    is_plain = issubclass(kind, dict) and all(getattr(kind, n) is getattr(dict, n) for n in names)
    # What a `defaultdict` puts in where nothing is, no run does: it fails.
    if not is_plain or (hasattr(kind, "__missing__") and kind is not collections.defaultdict):
      ip.conversion.promote(ip, ref)
      raise frame.refuse(
        Reason.OPAQUE_READ, f"A {kind.__name__} is looked into by what only the run knows."
      )
  return frame.elements(ref.step("keys"))


def sought(ip: Host, ref: Ref, key: object) -> Sought | None:
  """Looks a string or an object up in a dict of the heap; None if all such dicts are empty.

  The keys are compared with it one by one.
  """
  frame = ip.frame
  keys, values = keys_of_heap(ip, ref), frame.elements(ref.step("values"))
  if keys.form is None or values.form is None:
    return None
  equal = _equal_keys(ip, keys, key)
  frame.partial()
  index = tf.argmax(tf.concat([tf.cast(equal, tf.int32), [0]], 0), output_type=tf.int32)
  return Sought(values, index, Number(tf.reduce_any(equal), bool))


def has_member(ip: Host, ref: Ref, value: object) -> object:
  """Returns `value in ref`, for a set of the heap."""
  frame = ip.frame
  ip.conversion.effects.check_unchanged(ip, frame.types_of(ref))
  demand_hash(ip, value)
  members = frame.elements(ref.step("keys"))

  def is_member() -> object:
    if members.form is None:
      return False  # No set is known to have any.
    frame.partial()
    return Number(tf.reduce_any(_equal_keys(ip, members, value)), bool)

  return unless_none(ip, members, value, is_member, lambda: False)


def _equal_keys(ip: Host, keys: Rows, key: object) -> tf.Tensor:
  """Returns which of the keys of a dict equal a key, bool [N]."""
  frame = ip.frame
  assert isinstance(keys.form, _forms.RefForm)  # Keys are read as objects.
  demand_hash(ip, key)
  types = keys.form.types
  if types == {str} and is_string(key, frame):
    (strings,) = _forms.TextForm().widened(keys.form, iter(keys.tensors), keys.length, frame)
    return tf.equal(strings, tensor_of(key, frame))
  if types <= {*KINDS}:
    wanted = frame.as_scalar(key)
    if wanted is not None and NoneType not in _types_of(ip, key):
      return equal_scalars(ip, frame.scalars(keys.tensors[0], types), wanted)
  if isinstance(key, Ref):
    both = (types | frame.types_of(key)) - {Missing}
    if not any(has_own_key(kind) for kind in both):
      return tf.equal(keys.tensors[0], frame.base(key).handle)
  raise frame.refuse(Reason.OPAQUE_READ, not_a_key(ip, key))


def _types_of(ip: Host, key: object) -> frozenset[type]:
  return ip.frame.types_of(key) if isinstance(key, Ref) else frozenset()


def item_of_static(ip: Host, owner: Collection[object], key: object) -> object:
  """Returns an item of a list or a dict that is known."""
  frame = ip.frame
  guards = ip.conversion.guards
  if hasattr(type(owner), "__missing__"):
    return ip.conversion.effects.item_or_made(ip, owner, key)
  state = ip.conversion.effects.read_table(ip, owner, key)
  if state is not None:
    return state.value
  if isinstance(owner, list):
    if isinstance(key, Slice):
      return frame.new(LocalList(fixed(ip, tuple(guards.elements(owner)), key)))
    return fixed(ip, tuple(guards.elements(owner)), key)
  assert isinstance(owner, dict)
  return ip.kind_of(key).entry(owner)


def length_of_static(ip: Host, owner: object) -> Number | int:
  """Returns the length of a known list, dict or set: an int, or a `Number` where it may change."""
  state = ip.conversion.effects.read_static_length(ip, owner)
  return ip.conversion.guards.length(owner) if state is None else state.value


_OPEN = (Scalar, IntOrFloat)


def get_of_static(
  ip: Host, owner: dict[object, object], key: object, default: object = None
) -> object:
  """Returns `owner.get(key, default)` of a user's table."""
  return with_none(ip, key, lambda one: _get_of_static(ip, owner, one, default))


def _get_of_static(ip: Host, owner: dict[object, object], key: object, default: object) -> object:
  frame = ip.frame
  demand_hash(ip, key)
  key = frame.resolve(key)
  state = ip.conversion.effects.read_table(ip, owner, key)
  is_run_key = isinstance(key, (Text, Ref, Number, *_OPEN)) or is_tuple_of_run(key)
  if state is None and is_run_key and _is_chosen(ip, owner, key, is_static(default)):
    found = _entries.of_dict(ip, owner, key, default)
    if found is not None:
      return found[0]
  if state is not None or not (is_run_key or _is_known(key)):
    raise frame.refuse(Reason.OPAQUE_READ, "dict.get by what only the run knows.")
  if is_run_key and (isinstance(key, Text) or is_static(default)):
    return lookup(ip, owner, key, default)
  if is_run_key:  # A default that the run makes, as a new list is one, is no entry of a table.
    is_there = ip.contains(owner, key)
    return frame.cond(is_there, lambda: lookup(ip, owner, key), lambda: default)
  watch_compared(ip, key)
  entry = ip.conversion.guards.entry(owner, key)
  return entry if key in owner else default


def is_key_of_run(key: object) -> bool:
  """Tells whether only the run knows a key, which is looked for among those of a dict."""
  return isinstance(key, (Ref, Text, Number, *_OPEN))


def is_tuple_of_run(key: object) -> bool:
  """Tells whether a key is a tuple with parts that only the run knows."""
  return type(key) is tuple and not is_static(key)


def lookup(ip: Host, table: dict[object, object], key: object, *default: object) -> object:
  """Returns the item of a user's table for what is read from the heap, or made in the run."""
  return with_none(ip, key, lambda one: _lookup(ip, table, one, *default))


def _lookup(ip: Host, table: dict[object, object], key: object, *default: object) -> object:
  frame = ip.frame
  demand_hash(ip, key)
  if hasattr(type(table), "__missing__"):
    raise frame.refuse(
      Reason.OPAQUE_READ, f"A {type(table).__name__} makes items when they are read."
    )
  if key is None:
    found = ip.conversion.guards.entry(table, None)
    if None not in table and not default:
      raise Raises
    return found if None in table else default[0]
  if isinstance(key, _OPEN) or (isinstance(key, Number) and key.type is float):
    found = _entries.of_dict(ip, table, key, *default, is_any=True)
    return ip.conversion.effects.item_of_dict(ip, table, key, *default) if not found else found[0]
  found = _entries.of_dict(ip, table, key, *default) if _is_chosen(ip, table, key) else None
  if found is None and isinstance(key, (Number, Text)) and len({*map(type, table)}) > 1:
    found = _entries.of_dict(ip, table, key, *default, is_any=True)
  if found is not None:
    return found[0]
  if isinstance(key, Text) or type(key) is tuple:
    return ip.conversion.effects.item_of_dict(ip, table, key, *default)
  ref = key
  if isinstance(key, Number):
    read = frame.source(key)
    steps = read.path if read is not None else ()
    # A length has no one read, and an element of a list that is walked no read of its own.
    if read is None or not steps or steps[-1][0] not in ("attr", "item"):
      return ip.conversion.effects.item_of_dict(ip, table, key, *default)
    ref = read
  assert isinstance(ref, Ref)
  # Of what has no hash no table has an item.
  kinds = {k for k in frame.types_of(ref) - {NoneType, Missing} if k.__hash__ is not None}
  is_found = all(kind in PRIMITIVE_KEYS or _enums.is_plain(kind) for kind in kinds)
  is_found &= not _entries.is_given(ip, table)  # The walk looks into the dict that it knows.
  if not is_found or not all(_is_plain_key(name) for name in table):
    return ip.conversion.effects.item_of_dict(ip, table, key, *default)
  return frame.resolve(ref.step("lookup", Held(table), *map(Held, default)))


def _is_chosen(
  ip: Host, table: dict[object, object], key: object, has_columns: bool = True
) -> bool:
  """Tells whether a table is looked into by comparing keys; not if columns say what is there."""
  if not isinstance(key, Ref):
    return True
  kinds = ip.frame.types_of(key) - {Missing}
  is_key = kinds == {str} or not any(has_own_key(kind) for kind in kinds)
  has_columns &= not any(isinstance(value, tuple) for value in table.values())
  # Columns hold what variables were before the call, and a tape does not know whose that was.
  has_columns &= not (ip.conversion.is_step and any(map(_entries.has_variable, table.values())))
  return is_key and not has_columns


def _is_plain_key(key: object) -> bool:
  """Tells whether looking for a key runs no code of the user's where it meets this one."""
  return type(key) in PRIMITIVE_KEYS or isinstance(key, type) or _enums.is_plain(type(key))


def write_item(ip: Host, owner: object, key: object, value: object) -> None:
  """Does `owner[key] = value`."""
  ip.kind_of(owner).write_item(key, value)


def delete_item(ip: Host, owner: object, key: object) -> None:
  """Does `del owner[key]`."""
  owner, key = ip.frame.concrete(owner), ip.frame.resolve(key)
  if type(owner) in (list, dict, collections.Counter, collections.defaultdict):
    if ip.conversion.effects.call_static(ip, owner, "__delitem__", [key], {}) is not None:
      return
  ip.call(ip.attribute(owner, "__delitem__"), [key], {})


def write_item_of_run(ip: Host, owner: LocalList, key: object, value: object) -> None:
  """Does `owner[key] = value` where only the run knows the place, or the length of the list."""
  frame = ip.frame
  key = as_index(ip, key)
  if is_no_index(ip, key):
    raise Raises  # A TypeError.
  if not isinstance(key, Number) and type(key) not in (int, bool):
    raise frame.refuse(Reason.UNSUPPORTED_WRITE, "An item of a list.")
  content = owner.content
  rows = content if isinstance(content, Rows) else rows_of_items(frame, list(content))
  new = rows_of_items(frame, [value])
  if rows.form is None:
    raise Raises  # There is nothing to be replaced.
  if _forms.has_containers(rows.form) or _forms.has_containers(new.form):
    raise frame.refuse(Reason.UNSUPPORTED_WRITE, "An item, which is a list, a dict or an object.")
  index = frame.place(key, rows.length, "list assignment index out of range")
  owner.content = rows_replaced(frame, rows, index, new)


def static_key(ip: Host, key: object, site: object = None) -> object:
  """Returns a key of a dict that the program makes, which has to be known.

  Args:
    ip: the interpreter.
    key: the key.
    site: the expression that makes the dict.
  """
  if isinstance(key, (LocalList, LocalDict, list, dict, set)):
    raise Raises  # They have no hash.
  if isinstance(key, Container):
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION, f"A dict's item by {name_of(key)}, which the program makes."
    )
  if not _is_known(key):
    if ip.conversion.note_table(site):
      raise Bottom  # The next attempt makes such dicts in the run.
    raise ip.frame.refuse(Reason.NEEDS_VALUE, "The key of a dict is known only in the run.")
  check_key(ip, key)
  return key


def check_key(ip: Host, key: object) -> None:
  """Refuses a known key whose class has a hash or an equality that do more than compute.

  Raises:
    Raises: If it has no hash.
  """
  watch_compared(ip, key)
  try:
    hash(key)
  except TypeError:
    raise Raises from None


def watch_compared(ip: Host, value: object) -> None:
  """Guards what code of the user's reads that Python runs to compare a known object, or hash it.

  Raises:
    ConversionRefused: If that code does more than compute, or a tensor is among it.
  """
  agenda, seen = [value], set[int]()
  while agenda:
    part = agenda.pop()
    if isinstance(part, _CONTAINERS) and type(part) in _CONTAINERS:
      agenda.extend(() if id(part) in seen else part)
      seen.add(id(part))
    elif isinstance(part, tf.Tensor):
      raise ip.frame.refuse(Reason.NEEDS_VALUE, "A tensor is looked for among known values.")
    elif any(operator_method(part, name) is not None for name in _COMPARED):
      refuse_opaque(ip, part, *_COMPARED)
      watch_calls(ip, part)


_COMPARED = ("__eq__", "__hash__", "__ne__")
_CONTAINERS = (tuple, list, set, frozenset, dict)


def item_of_made(ip: Host, owner: LocalDict, key: object) -> object:
  """Returns an item of a dict that the program makes, whose keys are known."""
  if is_chosen_by_key(owner, key):
    demand_hash(ip, key)
    return with_none(ip, key, lambda one: _entries.of_table(ip, owner.items, one))
  key = static_key(ip, key, owner.site)
  if key not in owner.items:
    raise Raises
  return owner.items[key]


def is_chosen_by_key(owner: LocalDict, key: object) -> bool:
  """Tells whether a key of the run chooses an item of a made dict whose keys are all known.

  So it does of functions, and where keys or values are of kinds that no table of the run has.
  """
  if _is_known(key) or isinstance(key, Container) or not owner.items:
    return False
  values = owner.items.values()
  if all(map(_entries.is_used_only, values)):
    return True
  kinds, of_values = {*map(type, owner.items)}, {*map(type, values)}
  is_mixed = len(kinds) > 1 or bool in kinds or len(of_values) > 1
  is_mixed |= any(map(_enums.is_plain, kinds))
  return is_mixed and all(kind in _IMMUTABLE or _enums.is_plain(kind) for kind in of_values)


def read_or(
  ip: Host,
  owner: Ref,
  step: tuple[str, str],
  read: Callable[[], object],
  default: Callable[[], object],
) -> object:
  """Returns what an object of the heap has at a step by now, or `default()` where it has nothing.

  Args:
    ip: the interpreter.
    owner: the object.
    step: "attr" or "item", and its name.
    read: reads it where the program writes such ones.
    default: what there is else.
  """
  frame = ip.frame
  is_there = ip.conversion.effects.is_there(ip, owner, step)
  if is_there is not None:
    return frame.cond(is_there, read, default)
  ref = owner.step(*step)
  kinds = frame.types_of(ref)
  if Missing not in kinds:
    return frame.resolve(ref)

  def found() -> object:
    frame.narrow([(ref, kinds - {Missing})])
    return frame.resolve(ref)

  return frame.cond(frame.is_there(ref), found, default)
