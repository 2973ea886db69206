"""Methods, operators and membership of lists, tuples and dicts."""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import types
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame import _enums
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._keys import demand_hash, unless_none, with_none
from recursive_tf.convert.frame._kinds import SETS, is_builtin_container, is_plain_sequence
from recursive_tf.convert.frame._rows import (
  concatenated,
  rows_cleared,
  rows_inserted,
  rows_of_items,
  rows_reversed,
  rows_without,
  rows_without_last,
)
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import (
  _arrays,
  _counters,
  _entries,
  _generators,
  _lazy,
  _tables,
  _text_methods,
)
from recursive_tf.convert.semantics._attributes import by_class
from recursive_tf.convert.semantics._items import (
  PRIMITIVE_KEYS,
  builtin_item,
  has_member,
  is_chosen_by_key,
  is_key_of_run,
  is_tuple_of_run,
  item_of_rows,
  keys_of_heap,
  read_or,
  sought,
  static_key,
  watch_compared,
)
from recursive_tf.convert.semantics._iteration import contents_of_dict, fixed_items, rows_of
from recursive_tf.convert.semantics._native import watch
from recursive_tf.convert.semantics._protocols import as_index, own_method
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  VIEWS,
  Held,
  LocalDict,
  LocalList,
  LocalObject,
  LocalTable,
  Maybe,
  Missing,
  Raises,
  Ref,
  Rows,
  as_rows,
  is_named_tuple,
  is_static,
  named,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._signatures import check_count
from recursive_tf.convert.values._text import is_string

_READ_IN_THE_WALK = (dict, set, frozenset, tuple)  # Others are known by their content.


# What is asked for a key as a dict of the run is; `in` makes none that is missing.
_TABLES = (dict, collections.Counter, collections.defaultdict, set)


def contains(ip: Host, owner: object, value: object) -> object:
  """Returns `value in owner`."""
  frame = ip.frame
  _lazy.check_at_once(ip, owner)
  value = frame.resolve(value)
  own = own_method(owner, "__contains__")
  if own is not None:
    return ip.truth(ip.call(own, [value], {}))
  if _has_own_contains(owner):
    return ip.truth(ip.call(ip.attribute(owner, "__contains__"), [value], {}))
  if own_method(owner, "__iter__") is not None:
    raise frame.refuse(Reason.OPAQUE_READ, f"`in` of a {named(owner)}, which has an __iter__.")
  if isinstance(owner, LocalDict):
    if is_chosen_by_key(owner, value):
      demand_hash(ip, value)
      keys = list(owner.items)
      return with_none(ip, value, lambda one: Number(_entries.position(ip, keys, one)[1], bool))
    if owner.site is not None or is_static(value):
      static_key(ip, value, owner.site)
    if is_static(value):
      return value in owner.items
    owner = tuple(owner.items)
  if isinstance(owner, LocalList) and owner.items is not None:
    owner = tuple(owner.items)
  if is_string(owner, frame):
    return _is_in_string(ip, owner, value)
  if _arrays.is_array(ip, owner):
    return _arrays.contains(ip, owner, value)
  if isinstance(owner, Ref):
    return _contains_of_heap(ip, owner, value)
  if isinstance(owner, (dict, set, frozenset)):
    demand_hash(ip, value)
  if type(owner) in _TABLES and _entries.is_given(ip, owner):
    return ip.conversion.effects.membership(ip, owner, value)
  if isinstance(owner, (dict, set, frozenset, tuple, list)):
    state = ip.conversion.effects.read_membership(ip, owner, value)
    if state is not None:
      return state.value
    if isinstance(value, Ref):
      kinds = frame.types_of(value) - {NoneType, Missing}
      plain = all(type(v) in PRIMITIVE_KEYS for v in owner)
      if plain and all(kind in PRIMITIVE_KEYS for kind in kinds):
        table: Collection[object] = owner
        if type(owner) not in _READ_IN_THE_WALK:
          ip.conversion.guards.elements(owner)
          table = tuple(owner)
        return frame.number(value.step("in", Held(table)))
      if type(owner) in _TABLES:
        return ip.conversion.effects.membership(ip, owner, value)
      if isinstance(owner, (tuple, list)) or _is_of_one_enum(kinds, owner):
        return _equals_any(ip, owner, value)
    elif is_static(value) and all(map(is_static, owner)):
      watch(ip, owner)
      watch(ip, value)
      watch_compared(ip, (owner, value))
      try:
        return value in owner
      except ValueError:  # The truth of an array.
        raise Raises from None
    elif type(value) is tuple and isinstance(owner, (dict, set, frozenset)):
      return _entries.has_key(ip, owner, value)
    elif isinstance(owner, dict) and _entries.is_chosen(ip, owner):
      return _entries.has_key(ip, owner, value)
    elif type(owner) in (*_TABLES, frozenset) and _has_any_keys(ip, owner):
      return _entries.has_key(ip, owner, value)
    elif type(owner) in _TABLES:
      return ip.conversion.effects.membership(ip, owner, value)
    elif isinstance(owner, (tuple, list)):
      return _equals_any(ip, owner, value)
  raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"`in` of a {named(owner)}.")


def _has_own_contains(owner: object) -> bool:
  """Tells whether an object that the program makes says itself what it holds."""
  if not isinstance(owner, LocalObject):
    return False
  return isinstance(by_class(owner.type, "__contains__"), types.FunctionType)


def _has_any_keys(ip: Host, owner: Collection[object]) -> bool:
  """Tells whether a set or dict that no call gives is of keys that no one tensor holds."""
  is_dict = isinstance(owner, dict)
  return not _entries.is_given(ip, owner) and not (is_dict and len({*map(type, owner)}) < 2)


def _is_in_string(ip: Host, owner: object, value: object) -> object:
  """Returns `value in owner` for a string."""
  if isinstance(owner, str) and isinstance(value, str):
    return value in owner
  if isinstance(owner, Ref) and type(value) is str:
    return ip.frame.number(owner.step("call", "__contains__", Held(value)))
  return _text_methods.is_part(ip, owner, value)


def _is_of_one_enum(kinds: frozenset[type], owner: Iterable[object]) -> bool:
  """Tells whether all are members of one enumeration, which sets find by what they are."""
  found = kinds | {type(one) for one in owner}
  return len(found) == 1 and all(_enums.is_plain(k) or _enums.base_of(k) for k in found)


def _equals_any(ip: Host, owner: Collection[object], value: object) -> object:
  items = list(owner) if isinstance(owner, tuple) else ip.conversion.guards.elements(owner)
  found: object = False
  for one in items:
    found = ip.both(found, False, functools.partial(ip.same_or_equal, one, value))
  return found


def _contains_of_heap(ip: Host, owner: Ref, value: object) -> object:
  frame = ip.frame
  kinds = frame.types_of(owner) - {NoneType, Missing}
  table = ip.conversion.effects.table_of_dict(ip, owner)
  if table is not None:
    return ip.contains(table, value)
  if kinds == {str}:  # Or None, in which Python looks for nothing.
    return _text_methods.is_part(ip, owner, value)
  if kinds and kinds <= SETS:
    return has_member(ip, owner, value)
  is_plain_dict = all(
    issubclass(kind, dict) and is_builtin_container(kind, "__contains__") for kind in kinds
  )
  if kinds and is_plain_dict and is_tuple_of_run(value):
    table = ip.conversion.effects.taken_dict(ip, owner)
    if table is not None:
      return ip.contains(table, value)
  if kinds and is_plain_dict and is_key_of_run(value):

    def is_key() -> object:
      found = sought(ip, owner, value)
      return False if found is None else found.is_there

    return unless_none(ip, keys_of_heap(ip, owner), value, is_key, lambda: False)
  methods = [by_class(kind, "__contains__") for kind in kinds]
  if methods and all(isinstance(method, types.FunctionType) for method in methods):
    if not any(map(_libraries.is_library, kinds)):
      return ip.truth(ip.call(ip.attribute(owner, "__contains__"), [value], {}))
  if not kinds or not is_plain_dict or type(value) not in (str, int, bool, float):
    ip.conversion.promote(ip, owner)
    raise frame.refuse(Reason.OPAQUE_READ, "`in` of an object of the heap.")
  effects = ip.conversion.effects
  there = effects.is_there(ip, owner, ("item", value))
  return frame.is_there(owner.step("item", value)) if there is None else there


def method(
  ip: Host, owner: Any, name: str, args: Sequence[Any], kwargs: dict[str, object]
) -> object:
  """Calls a method of a list or dict that the program made."""
  frame = ip.frame
  if isinstance(owner, LocalTable):
    if kwargs and name == "update" and owner.type is dict:
      _tables.update_by_names(ip, owner, args, kwargs)
      return None
    if kwargs:
      raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{owner.type.__name__}.{name} by names.")
    if _counters.is_counter(owner):
      return _counters.method(ip, owner, name, args)
    return _tables.method(ip, owner, name, args)
  if isinstance(owner, LocalDict) and name == "update":
    _update(ip, owner, args, kwargs)
    return None
  if kwargs:
    raise Raises  # A TypeError: none of the others takes any.
  if isinstance(owner, LocalDict):
    return _method_of_dict(ip, owner, name, args)
  if owner.type is not list:
    raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f".{name} of a view of a dict.")
  check_count(False, name, args, kwargs)
  if name in ("pop", "insert", "__delitem__") and args:
    args = [_place(ip, args[0]), *args[1:]]
  if name == "__delitem__" and len(args) == 1:
    method(ip, owner, "pop", args, {})
    return None
  if name == "__imul__" and len(args) == 1:
    repeated = binary(ip, ast.Mult, owner, ip.frame.resolve(args[0]))
    if repeated is None:
      raise frame.refuse(Reason.UNSUPPORTED_WRITE, "*= of a list.")
    owner.content = repeated.content
    return owner
  if name in ("pop", "insert") and args and isinstance(args[0], Number):
    if _forms.has_containers(_as_rows_of_run(ip, owner).form):
      text = f"list.{name} of lists, dicts or objects, at a place that only the run knows."
      raise frame.refuse(Reason.DYNAMIC_LIST, text)
  if name == "append" and len(args) == 1:
    _append(ip, owner, args[0])
  elif name == "extend" and len(args) == 1:
    extend(ip, owner, args[0])
  elif owner.items is None and name == "pop" and not args:
    found = item_of_rows(ip, owner.content, -1)
    owner.content = rows_without_last(owner.content)
    return found
  elif owner.items is None and name == "pop" and len(args) == 1 and _is_place(args[0]):
    rows = owner.content
    found = item_of_rows(ip, rows, args[0])
    at = frame.place(args[0], rows.length, "pop index out of range")
    owner.content = rows_without(frame, rows, at)
    return found
  elif owner.items is None and name in ("reverse", "clear") and not args:
    change = rows_reversed if name == "reverse" else rows_cleared
    owner.content = change(owner.content)
  elif owner.items is None and name == "copy" and not args:
    rows = rows_of(ip, owner)
    assert rows is not None  # Only the run knows how many elements there are.
    return frame.new(LocalList(rows))
  elif owner.items is None and name == "insert" and len(args) == 2 and _is_place(args[0]):
    owner.content = rows_inserted(frame, owner.content, *args)
  elif owner.items is None:
    raise frame.refuse(Reason.DYNAMIC_LIST, f"list.{name} where only the run knows the length.")
  elif name == "pop" and len(args) <= 1 and all(type(a) is int for a in args):
    if not owner.items:
      raise Raises
    items = list(owner.items)
    try:
      found = items.pop(*args)
    except IndexError:
      raise Raises from None
    owner.content = items
    return found
  elif name == "insert" and type(args[0]) is int:
    items = list(owner.items)
    items.insert(args[0], args[1])
    owner.content = items
  elif name == "reverse":
    owner.content = owner.items[::-1]
  elif name == "clear":
    owner.content = ()
  elif name == "copy":
    return frame.new(LocalList(owner.items))
  else:
    raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"list.{name} in the run.")
  return None


def _place(ip: Host, value: object) -> object:
  """Returns what stands for a place in a list where Python takes nothing but an int."""
  index = as_index(ip, value)
  return int(index) if type(index) is bool else index


def _is_place(value: object) -> bool:
  return type(value) is int or (isinstance(value, Number) and value.type is int)


def _as_rows_of_run(ip: Host, owner: LocalList) -> Rows:
  """Lets a list be one of a length that only the run knows."""
  if not isinstance(owner.content, Rows):
    rows = rows_of_items(ip.frame, list(owner.content))
    if _forms.has_containers(rows.form):
      return rows  # And leaves it as it is.
    owner.content = rows
  return owner.content


def _method_of_dict(ip: Host, owner: LocalDict, name: str, args: Sequence[object]) -> object:
  frame = ip.frame
  check_count(True, name, args, {})
  if name == "__delitem__":
    _method_of_dict(ip, owner, "pop", args)
    return None
  if name in ("get", "pop", "setdefault"):
    default = args[1] if len(args) > 1 else None
    key = frame.resolve(args[0])
    if name == "get" and is_chosen_by_key(owner, key):
      demand_hash(ip, key)
      return with_none(ip, key, lambda one: _entries.of_table(ip, owner.items, one, default))
    key = static_key(ip, key, owner.site)
    if name == "get":
      return owner.items.get(key, default)
    items = dict(owner.items)
    if name == "setdefault":
      if key not in items:
        owner.items = {**items, key: default}
      return owner.items[key]
    if key not in items and len(args) == 1:
      raise Raises
    found = items.pop(key, default)
    owner.items = items
    return found
  if name in VIEWS:
    found = _view(ip, owner.items, name)
    frame.sharing.link(found, owner)  # It cannot be read any more once the dict has changed.
    return found
  if name == "copy":
    return frame.new(LocalDict(owner.items))
  raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"dict.{name} in the run.")


def _update(
  ip: Host, owner: LocalDict, args: Sequence[object], kwargs: Mapping[str, object]
) -> None:
  """Does `owner.update(other, key=value)`."""
  if len(args) > 1:
    raise Raises
  if args and not isinstance(args[0], LocalDict):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "dict.update in the run.")
  items = dict(owner.items)
  if args and isinstance(args[0], LocalDict):
    items.update(args[0].items)
  items.update(kwargs)
  owner.items = items


def _view(ip: Host, items: Mapping[object, object], name: str) -> LocalList:
  """Returns what a dict shows of itself."""
  found: LocalList = ip.frame.new(LocalList(getattr(items, name)()))
  found.type = VIEWS[name]
  return found


def items_of_dict(ip: Host, value: object) -> dict[object, object] | None:
  """Returns the items of a dict whose keys are known; None if it is something else."""
  if isinstance(value, LocalDict):
    return dict(value.items)
  if not isinstance(value, dict):
    return None
  kind = type(value)
  is_plain = all(getattr(kind, name) is getattr(dict, name) for name in VIEWS)
  if not is_plain or kind.__iter__ is not dict.__iter__:
    return None
  if ip.conversion.effects.is_changed(value):
    text = "All items of a dict that is changed, and was there before."
    raise ip.frame.refuse(Reason.EFFECT_ORDER, text)
  return ip.conversion.guards.items(value)


def method_of_static(ip: Host, owner: dict[object, object], name: str) -> object:
  """Calls `keys`, `values`, `items` or `copy` of a known dict."""
  items = items_of_dict(ip, owner)
  if items is None or (name == "copy" and type(owner) is not dict):
    raise ip.frame.refuse(Reason.OPAQUE_READ, f".{name} of a {named(owner)}.")
  return ip.frame.new(LocalDict(items)) if name == "copy" else _view(ip, items, name)


def method_of_heap(ip: Host, ref: Ref, name: str, args: Sequence[object]) -> object:
  """Calls a reading method of a list or dict on the heap."""
  if ip.conversion.effects.changed_dicts(ip.frame.types_of(ref)):
    return ip.conversion.effects.read_of_dict(ip, ref, name, args)
  if name in ("__getitem__", "get") and len(args) not in (1, 2):
    raise Raises
  if name == "get" and isinstance(args[0], Maybe):
    return with_none(ip, args[0], lambda key: method_of_heap(ip, ref, name, [key, *args[1:]]))
  if name == "__getitem__":
    return builtin_item(ip, ref, ip.frame.resolve(args[0]))
  if name == "get" and isinstance(args[0], str):
    default = args[1] if len(args) > 1 else None
    key = args[0]
    return read_or(ip, ref, ("item", key), lambda: builtin_item(ip, ref, key), lambda: default)
  if name == "get" and is_key_of_run(args[0]):
    default = args[1] if len(args) > 1 else None

    def read() -> object:
      found = sought(ip, ref, args[0])
      if found is None:
        return default
      index = Number(found.index, int)
      return ip.frame.cond(
        found.is_there, lambda: item_of_rows(ip, found.values, index), lambda: default
      )

    return unless_none(ip, keys_of_heap(ip, ref), args[0], read, lambda: default)
  if name in ("keys", "values", "items") and not args:
    return contents_of_dict(ip, ref, name)
  if name == "copy" and not args:
    copy = _tables.copy_of_heap(ip, ref)
    if copy is not None:
      return copy
  table = ip.conversion.effects.taken_dict(ip, ref) if name == "get" else None
  if table is not None:
    return ip.method(table, name, args, {})
  ip.conversion.promote(ip, ref)
  raise ip.frame.refuse(Reason.OPAQUE_READ, f".{name} of a container of the heap.")


def _append(ip: Host, owner: LocalList, value: object) -> None:
  content = owner.content
  if not isinstance(content, Rows):
    owner.content = (*content, value)
    return
  owner.content = concatenated(ip.frame, content, rows_of_items(ip.frame, [value]))


def extend(ip: Host, owner: LocalList, values: object) -> None:
  """Does `owner += values`."""
  values = _generators.listed(ip, _generators.iterable(ip, values))
  _lazy.interleaved(ip, values, lambda: _extend(ip, owner, values))


def _extend(ip: Host, owner: LocalList, values: object) -> None:
  rows = rows_of(ip, values)
  content = owner.content
  if not isinstance(content, Rows) and rows is None:
    owner.content = (*content, *fixed_items(ip, values))
    return
  have = content if isinstance(content, Rows) else rows_of_items(ip.frame, list(content))
  more = rows if rows is not None else rows_of_items(ip.frame, fixed_items(ip, values))
  owner.content = concatenated(ip.frame, have, more)


def as_sequence(ip: Host, value: object) -> object:
  """Returns a list or tuple of the heap as one of the program, to be added to another."""
  if not isinstance(value, Ref):
    return value
  kinds = ip.frame.types_of(value) - {NoneType, Missing}
  for kind in (list, tuple):
    if kinds and all(is_plain_sequence(k) and _adds_as(k, kind) for k in kinds):
      rows = ip.rows_of(value)
      assert rows is not None  # It is of the heap.
      if kind is list:
        return ip.frame.new(LocalList(dataclasses.replace(rows, type=None)))
      return dataclasses.replace(rows, type=tuple)
  return value


def _adds_as(kind: type, builtin: type) -> bool:
  is_plain = kind is builtin or is_named_tuple(kind)
  return (
    is_plain
    and issubclass(kind, builtin)
    and by_class(kind, "__add__") is by_class(builtin, "__add__")
  )


def binary(ip: Host, op: type[ast.operator], left: Any, right: Any) -> Any:
  """Returns `+` and `*` of lists; None for what TensorFlow may know."""
  if op is ast.Add and all(isinstance(v, LocalList) for v in (left, right)):
    result = ip.frame.new(LocalList(left.snapshot()))
    extend(ip, result, right)
    return result
  if op is ast.Add and all(isinstance(v, tuple) or _is_tuple(v) for v in (left, right)):
    rows = [rows_of_items(ip.frame, list(v)) if isinstance(v, tuple) else v for v in (left, right)]
    return dataclasses.replace(concatenated(ip.frame, *rows), type=tuple)
  for one, other in ((left, right), (right, left)):
    if isinstance(other, int) and type(other).__index__ is int.__index__:
      other = int(other)  # A bool, or a member of an IntEnum.
    if op is ast.Mult and (isinstance(one, LocalList) or _is_tuple(one) or type(one) is tuple):
      if isinstance(one, LocalList) and one.items is not None and type(other) is int:
        return ip.frame.new(LocalList(one.items * other))
      if type(one) is tuple and type(other) is int:
        return one * other
      if isinstance(other, Number) or type(other) is int:
        return _repeated(ip, one, _forms.as_number(other))
  return None


def _is_tuple(value: object) -> bool:
  return isinstance(value, Rows) and value.type is tuple


def _repeated(ip: Host, value: object, count: Number) -> object:
  """Returns a list or tuple, repeated as often as the run says; not below 0."""
  rows = as_rows(value)
  if rows is None:
    items = value.snapshot() if isinstance(value, LocalList) else value
    assert isinstance(items, tuple)  # Else there are rows.
    rows = rows_of_items(ip.frame, list(items))
  if count.type is not int or not (rows.form is None or rows.form.is_repeatable()):
    raise ip.frame.refuse(
      Reason.DYNAMIC_LIST, "A list of lists, or such, is repeated as often as only the run knows."
    )
  times = ip.frame.count(count)
  tensors = tuple(tf.tile(t, [times, *[1] * (len(t.shape) - 1)]) for t in rows.tensors)
  rows = dataclasses.replace(rows, length=rows.length * times, tensors=tensors)
  if isinstance(value, LocalList):
    return ip.frame.new(LocalList(rows))
  return dataclasses.replace(rows, type=tuple)
