"""Items, slices, membership and methods of lists, tuples and dicts, wherever they live."""

from __future__ import annotations

import ast
import dataclasses
import functools
import itertools
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._reading import is_plain_sequence
from recursive_tf.convert.frame._sharing import name_of
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import _arrays, _calls, _lazy, _operators, _shapes
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  Abstract,
  Array,
  BoundMethod,
  Builtin,
  Closure,
  Container,
  Held,
  LocalDict,
  LocalList,
  LocalObject,
  Missing,
  Raises,
  Ref,
  Rows,
  Weak,
  is_static,
  named,
  shown,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number

_NUM_ARGUMENTS = {"get": (1, 2), "pop": (1, 2), "setdefault": (1, 2), "update": (1,)}
_UNHASHABLE = (list, dict, set)
_PRIMITIVE_KEYS = (str, int, float, bool, NoneType, bytes, tuple)


@dataclasses.dataclass(frozen=True, eq=False)
class Slice:
  """A slice; its parts may be known only in the run."""

  lower: Any
  upper: Any
  step: Any

  def static(self) -> slice | None:
    """Returns the Python slice, None if a part is known only in the run."""
    parts = (self.lower, self.upper, self.step)
    return None if any(isinstance(p, (Number, tf.Tensor)) for p in parts) else slice(*parts)


@dataclasses.dataclass(frozen=True, eq=False)
class Spread:
  """`*rows` in a call: as many arguments as the run finds."""

  rows: Rows


@dataclasses.dataclass(frozen=True, eq=False)
class Format:
  """One replacement field of an f-string: a value, `!r` or the like, and a format."""

  value: Any
  conversion: int
  spec: Any

  def text(self) -> str:
    """Returns the string, where the value is known."""
    if self.conversion == REPEATED:
      return str(self.spec * self.value)
    conversions: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
    convert = conversions.get(self.conversion)
    return format(self.value if convert is None else convert(self.value), self.spec)


REPEATED = 42  # A conversion: the format, so many times.


@dataclasses.dataclass(frozen=True, eq=False)
class Text(Abstract):
  """A string that only the run knows: what `print` and messages may show."""

  parts: tuple[Any, ...]
  description = "A string that only the run knows"

  def known(self) -> Any:
    """Returns the string, if all of it is known; else itself."""
    text = ""
    for part in self.parts:
      if isinstance(part, str):
        text += part
      elif isinstance(part.value, (str, int, float, bool)) and isinstance(part.spec, str):
        text += part.text()
      else:
        return self
    return text


@dataclasses.dataclass(frozen=True, eq=False)
class Once(Abstract):
  """What `iter()` returns; only a class's own `__iter__` may, for what comes after changes it."""

  value: Any
  description = "An iterator"


# --- Items


def item(ip: Any, owner: Any, key: Any) -> Any:
  """Returns `owner[key]`."""
  frame = ip.frame
  key = frame.concrete(key)
  owner = frame.concrete(owner)
  if isinstance(owner, Ref):
    return _item_of_heap(ip, owner, key)
  if isinstance(owner, LocalList):
    if isinstance(owner.content, Rows):
      return _item_of_rows(ip, dataclasses.replace(owner.content, type=None), key)
    return _fixed(ip, list(owner.content), key)
  if isinstance(owner, Rows):
    return _item_of_rows(ip, owner, key)
  if isinstance(owner, LocalDict):
    key = static_key(ip, key)
    if key not in owner.items:
      raise Raises
    return owner.items[key]
  if isinstance(owner, LocalObject):
    return _calls.call(ip, ip_read(ip, owner, "__getitem__"), [key], {})
  if isinstance(owner, Weak):
    owner = frame.strong(owner)
  if isinstance(owner, tuple) and not isinstance(owner, tf.TensorShape):
    return _fixed(ip, owner, key)
  if isinstance(owner, (dict, list)):
    return _item_of_static(ip, owner, key)
  if isinstance(owner, np.ndarray):
    owner = Array(frame.tensor(owner), frozenset([type(owner)]), False)
  if isinstance(owner, Array):
    return _arrays.item(ip, owner, key, lambda key: _index(ip, key))
  if isinstance(owner, (tf.Tensor, tf.Variable)):
    return _calls.native(ip, lambda t, k: t[k], [frame.tensor(owner), _index(ip, key)], {})
  if isinstance(owner, (str, range, tf.TensorShape, _shapes.Shape)):
    index: Any = key.static() if isinstance(key, Slice) else key
    if isinstance(key, (Number, Ref, tf.Tensor)) or (isinstance(key, Slice) and index is None):
      kind = "shape" if isinstance(owner, _shapes.Shape) else named(owner)
      raise frame.refuse(Reason.NEEDS_VALUE, f"An item of a {kind} by what only the run knows.")
    return _shapes.item(ip, owner, index) if isinstance(owner, _shapes.Shape) else owner[index]
  method = getattr(frame.conversion.guards.type_of(owner), "__getitem__", None)
  if isinstance(method, types.FunctionType) and not _libraries.is_library(method):
    return _calls.call(ip, BoundMethod(method, owner), [key], {})
  raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"An item of a {named(owner)}.")


def ip_read(ip: Any, owner: Any, name: str) -> Any:
  """Returns an attribute of an abstract value."""
  from recursive_tf.convert.semantics import _attributes

  return _attributes.read(ip, owner, name)


def _index(ip: Any, key: Any) -> Any:
  """Returns an index as TensorFlow takes it."""
  if isinstance(key, Slice):
    return slice(*(_scalar(ip, p) for p in (key.lower, key.upper, key.step)))
  if isinstance(key, tuple):
    return tuple(_index(ip, part) for part in key)
  return _scalar(ip, key)


def _scalar(ip: Any, value: Any) -> Any:
  return None if value is None or value is Ellipsis else ip.frame.tensor(value)


def _fixed(ip: Any, items: Any, key: Any) -> Any:
  if isinstance(key, Slice):
    static = key.static()
    if static is None:
      raise ip.frame.refuse(Reason.DYNAMIC_LIST, "A slice whose length only the run knows.")
    found = items[static]
    return found if isinstance(items, tuple) else ip.frame.new(LocalList(found))
  if isinstance(key, Number):
    return _item_of_rows(ip, rows_of_items(ip, list(items)), key)
  if isinstance(key, bool) or not isinstance(key, (int, np.integer)):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"An item by a {named(key)}.")
  if not -len(items) <= key < len(items):
    raise Raises
  return items[key]


def rows_of_items(ip: Any, items: list[Any]) -> Rows:
  """Returns elements known at conversion as `Rows`."""
  try:
    form: Any = None
    for value in items:
      other = _forms.generalized(_forms.form_of(value, ip.frame), is_argument=True)
      form = other if form is None else _forms.join(form, other)
    length, *tensors = _forms.flatten(LocalList(items), _forms.RowsForm(form), ip.frame)
  except _forms.Mismatch as error:
    raise ip.frame.refuse(Reason.KINDS_DIFFER, f"The elements of a list are {error}.") from None
  return Rows(length, tuple(tensors), form)


def _item_of_rows(ip: Any, rows: Rows, key: Any) -> Any:
  frame = ip.frame
  if isinstance(key, Slice):
    index = _index(ip, key)
    tensors = tuple(t[index] for t in rows.tensors)
    length = tf.shape(tf.range(rows.length)[index])[0]
    if _forms.has_containers(rows.form):
      frame.conversion.note_doubled(None)
    found = Rows(length, tensors, rows.form, rows.type)
    return frame.new(LocalList(found)) if rows.type is None else found
  if rows.form is None or (not isinstance(key, Number) and type(key) is not int):
    raise Raises if rows.form is None else frame.refuse(
      Reason.UNSUPPORTED_OPERATION, f"An item of a list by a {type(key).__name__}."
    )
  index = tf.cast(key.tensor, tf.int32) if isinstance(key, Number) else tf.constant(key)
  index = tf.where(index < 0, index + rows.length, index)
  ok = tf.logical_and(index >= 0, index < rows.length)
  index = frame.check(index, ok, "list index out of range")
  return frame.adopt(_forms.unflatten(rows.form, iter([tf.gather(t, index) for t in rows.tensors])))


def _item_of_heap(ip: Any, ref: Ref, key: Any) -> Any:
  frame = ip.frame
  kinds = frame.types_of(ref) - {NoneType, Missing}
  if not kinds:
    raise Raises
  own = [k for k in kinds if not is_builtin_container(k, "__getitem__")]
  if own:
    from recursive_tf.convert.semantics import _attributes

    if len(kinds) > 1:
      groups = [[kind] for kind in sorted(kinds, key=repr)]

      def by_type() -> Any:
        return _attributes.by_type(ip, ref, groups, lambda one, _: item(ip, one, key))

      if isinstance(key, (str, int)) and frame.conversion.effects.is_pure:
        # The same value each time, so that what a test says of it holds for all its uses.
        return frame.memo(("item", *ref.key, kinds, key), by_type)
      return by_type()
    (kind,) = kinds
    method = getattr(kind, "__getitem__", None)
    if not isinstance(method, types.FunctionType):
      raise frame.refuse(Reason.OPAQUE_READ, f"An item of a {kind.__name__}.")
    return _calls.call(ip, BoundMethod(method, ref), [key], {})
  return builtin_item(ip, ref, key)


def builtin_item(ip: Any, ref: Ref, key: Any) -> Any:
  """Returns an item of a list, tuple, dict or string on the heap, as the builtin type has it."""
  frame = ip.frame
  if isinstance(key, (Slice, Number)):
    return _item_of_rows(ip, frame.elements(ref), key)
  if isinstance(key, tuple) or not isinstance(key, (str, int)):
    raise frame.refuse(Reason.OPAQUE_READ, f"An item of an object by {shown(key)}.")
  state = frame.conversion.effects.read_item(ip, ref, key)
  return frame.resolve(ref.step("item", key)) if state is None else state.value


def _item_of_static(ip: Any, owner: Any, key: Any) -> Any:
  frame = ip.frame
  guards = frame.conversion.guards
  state = frame.conversion.effects.read_table(ip, owner, key)
  if state is not None:
    return state.value
  if isinstance(owner, list):
    if isinstance(key, Slice):
      return frame.new(LocalList(_fixed(ip, tuple(guards.elements(owner)), key)))
    return _fixed(ip, tuple(guards.elements(owner)), key)
  if isinstance(key, Ref):
    return lookup(ip, owner, key)
  if isinstance(key, Abstract):
    raise frame.refuse(Reason.NEEDS_VALUE, "A dict's item by a string that only the run makes.")
  if not is_static(key) or isinstance(key, tf.Tensor):
    raise frame.refuse(Reason.NEEDS_VALUE, "A dict's item by a key that only the run knows.")
  found = guards.entry(owner, key)
  if key not in owner:
    raise Raises
  return found


def length_of_static(ip: Any, owner: Any) -> Any:
  """Returns the length of a known list, dict or set: an int, or a `Number` where it may change."""
  state = ip.frame.conversion.effects.read_static_length(ip, owner)
  return ip.frame.conversion.guards.length(owner) if state is None else state.value


def get_of_static(ip: Any, owner: dict[Any, Any], key: Any, default: Any = None) -> Any:
  """Returns `owner.get(key, default)` of a user's table."""
  frame = ip.frame
  key = frame.resolve(key)
  state = frame.conversion.effects.read_table(ip, owner, key)
  is_known = isinstance(key, Ref) or (is_static(key) and not isinstance(key, tf.Tensor))
  if state is not None or not is_known or not is_static(default):
    raise frame.refuse(Reason.OPAQUE_READ, "dict.get by what only the run knows.")
  if isinstance(key, Ref):
    return lookup(ip, owner, key, default)
  found = frame.conversion.guards.entry(owner, key)
  return found if key in owner else default


def lookup(ip: Any, table: dict[Any, Any], key: Ref, *default: Any) -> Any:
  """Returns the item of a user's table for something read from the heap."""
  frame = ip.frame
  if hasattr(type(table), "__missing__"):
    raise frame.refuse(
      Reason.OPAQUE_READ, f"A {type(table).__name__} makes items when they are read."
    )
  kinds = frame.types_of(key) - {NoneType, Missing, *_UNHASHABLE}  # Of these no table has an item.
  if any(kind not in _PRIMITIVE_KEYS for kind in kinds):
    return frame.conversion.effects.item_of_dict(ip, table, key, *default)
  return frame.resolve(key.step("lookup", Held(table), *map(Held, default)))


def write_item(ip: Any, owner: Any, key: Any, value: Any) -> None:
  """Does `owner[key] = value`."""
  frame = ip.frame
  if isinstance(owner, LocalDict):
    owner.items = {**owner.items, static_key(ip, frame.resolve(key)): value}
    return
  if isinstance(owner, LocalList) and owner.items is not None and type(key) is int:
    if not -len(owner.items) <= key < len(owner.items):
      raise Raises
    items = list(owner.items)
    items[key] = value
    owner.content = items
    return
  if isinstance(owner, (LocalList, LocalObject, tf.Tensor, Weak, Number, Abstract)):
    raise frame.refuse(Reason.UNSUPPORTED_WRITE, f"An item of a {named(owner)}.")
  frame.conversion.effects.write_item(ip, owner, key, value)


def static_key(ip: Any, key: Any) -> Any:
  """Returns a key of a dict that the program makes, which has to be known."""
  if isinstance(key, (LocalList, LocalDict)):
    raise Raises  # They have no hash.
  if isinstance(key, Container):
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION, f"A dict's item by {name_of(key)}, which the program makes."
    )
  if not is_static(key) or isinstance(key, tf.Tensor):
    raise ip.frame.refuse(Reason.NEEDS_VALUE, "The key of a dict is known only in the run.")
  return key


# --- All elements


def _own_rows(ip: Any, value: Any) -> Rows | None:
  """Returns the elements that a class's own `__iter__` gives; None if it has none."""
  kinds = [value.type] if isinstance(value, LocalObject) else ip.frame.types_of(value)
  methods = {getattr(kind, "__iter__", None) for kind in kinds}
  if len(methods) > 1 or not all(isinstance(method, types.FunctionType) for method in methods):
    return None
  found = _calls.call(ip, BoundMethod(methods.pop(), value), [], {})
  if not isinstance(found, Once):
    raise ip.frame.refuse(
      Reason.OPAQUE_READ, "__iter__ that does not return iter(...)."
    )
  rows = rows_of(ip, found.value)
  return rows_of_items(ip, fixed_items(ip, found.value)) if rows is None else rows


def rows_of(ip: Any, value: Any) -> Rows | None:
  """Returns the elements of what has as many as the run finds; None if they are known."""
  if isinstance(value, Rows):
    return value
  if isinstance(value, LocalList) and isinstance(value.content, Rows):
    if _forms.has_containers(value.content.form):
      ip.frame.conversion.note_doubled(value)  # What takes the elements may keep them.
    return value.content
  if isinstance(value, (list, dict)):
    state = ip.frame.conversion.effects.read_static_elements(ip, value)
    return None if state is None else state.value
  if isinstance(value, Ref):
    kinds = ip.frame.types_of(value) - {NoneType, Missing}
    if kinds and all(is_plain_sequence(kind) for kind in kinds):
      ip.frame.conversion.effects.check_unchanged(ip)
      return ip.frame.elements(value)
    if kinds and all(issubclass(k, dict) and k.__iter__ is dict.__iter__ for k in kinds):
      return contents_of_dict(ip, value, "keys")
    plain = frozenset(kind for kind in kinds if is_plain_sequence(kind))
    if plain and kinds - plain <= {str, int, float, bool}:
      # Lists with leaves of another kind, which no sensible path gets to.
      from recursive_tf.convert.semantics import _attributes

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


def fixed_items(ip: Any, value: Any, count: int | None = None) -> list[Any]:
  """Returns the elements of what has a known number of them, or is taken apart into `count`."""
  frame = ip.frame
  if isinstance(value, Ref):
    value = frame.resolve(value)
  if isinstance(value, LocalList) and value.items is not None:
    return list(value.items)
  if isinstance(value, LocalDict):
    return list(value.items)
  rows = rows_of(ip, value)
  if rows is not None:
    if count is None:
      raise frame.refuse(Reason.DYNAMIC_LIST, "A list is taken apart whose length only the run "
                         "knows.")
    if isinstance(value, Ref):
      length = frame.length(value)
      frame.demand(tf.equal(length.tensor, count))
      return [builtin_item(ip, value, i) for i in range(count)]
    if rows.form is None:
      raise Raises  # Nothing is known to be in there, or not yet.
    ok = tf.equal(rows.length, count)
    checked = [frame.check(t, ok, "too many or too few to unpack") for t in rows.tensors]
    return [
      frame.adopt(_forms.unflatten(rows.form, iter([t[i] for t in checked])))
      for i in range(count)
    ]
  if isinstance(value, np.ndarray):
    value = Array(frame.tensor(value), frozenset([type(value)]), False)
  if isinstance(value, Array):
    return _arrays.elements(ip, value)
  if isinstance(value, _shapes.Shape):
    return list(value.dims)
  if isinstance(value, (tuple, range, str)):
    ip.budget.take(len(value))
    return list(value)
  if isinstance(value, (list, dict, set, frozenset)):
    ip.budget.take(len(value))
    return frame.conversion.guards.elements(value)
  if isinstance(value, Weak):
    value = frame.strong(value)
  if isinstance(value, tf.Tensor):
    if value.shape.rank in (None, 0) or value.shape[0] is None:
      raise frame.refuse(Reason.DYNAMIC_LIST, "Iterating over a tensor of unknown length.")
    ip.budget.take(value.shape[0])
    return list(tf.unstack(value))
  is_stream = isinstance(value, tf.data.Dataset) or hasattr(type(value), "__next__")
  if not is_stream and hasattr(type(value), "__len__"):
    count = len(value)
    ip.budget.take(count)
    # What has a length need not end there.
    elements = _calls.native(ip, lambda v: list(itertools.islice(v, count)), [value], {})
    return list(elements.items)
  raise frame.refuse(
    Reason.UNSUPPORTED_OPERATION, f"Iterating over a {type(value).__name__}."
  )


def contains(ip: Any, owner: Any, value: Any) -> Any:
  """Returns `value in owner`."""
  frame = ip.frame
  _lazy.check_at_once(ip, owner)
  value = frame.resolve(value)
  if isinstance(owner, LocalDict):
    owner = tuple(owner.items)
  if isinstance(owner, LocalList) and owner.items is not None:
    owner = tuple(owner.items)
  if isinstance(owner, Ref):
    return _contains_of_heap(ip, owner, value)
  if isinstance(owner, (dict, set, frozenset, tuple, list)):
    state = frame.conversion.effects.read_membership(ip, owner, value)
    if state is not None:
      return state.value
    if isinstance(value, Ref):
      kinds = frame.types_of(value) - {NoneType, Missing}
      plain = all(type(v) in _PRIMITIVE_KEYS for v in owner)
      if plain and all(kind in _PRIMITIVE_KEYS for kind in kinds):
        table = tuple(owner) if isinstance(owner, list) else owner
        if isinstance(owner, list):
          frame.conversion.guards.elements(owner)
        return frame.number(value.step("in", Held(table)))
      if type(owner) is dict:
        return frame.conversion.effects.membership(ip, owner, value)
    elif is_static(value) and all(map(is_static, owner)):
      _calls.watch(ip, owner)
      _calls.watch(ip, value)
      return value in owner
    elif type(owner) is dict:
      return frame.conversion.effects.membership(ip, owner, value)
    elif isinstance(owner, (tuple, list)):
      items = list(owner) if isinstance(owner, tuple) else frame.conversion.guards.elements(owner)
      found: Any = False
      for one in items:
        found = ip._both(found, False, functools.partial(_operators.same_or_equal, ip, one, value))
      return found
  raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"`in` of a {named(owner)}.")


def _contains_of_heap(ip: Any, owner: Ref, value: Any) -> Any:
  frame = ip.frame
  kinds = frame.types_of(owner) - {NoneType, Missing}
  if kinds == {str} and type(value) is str:
    return frame.number(owner.step("call", "__contains__", Held(value)))
  is_plain_dict = all(
    issubclass(kind, dict) and is_builtin_container(kind, "__contains__") for kind in kinds
  )
  if not kinds or not is_plain_dict or type(value) not in (str, int, bool, float):
    raise frame.refuse(Reason.OPAQUE_READ, "`in` of an object of the heap.")
  effects = frame.conversion.effects
  there = effects.is_there(ip, owner, ("item", value))
  return frame.is_there(owner.step("item", value)) if there is None else there


def lowered(ip: Any, value: Any) -> Any:
  """Returns a value as a library takes it: tensors, and Python lists and dicts of them."""
  frame = ip.frame
  effects = frame.conversion.effects
  effects.check_unchanged(ip)
  if isinstance(value, LocalList):
    if value.items is None:
      raise frame.refuse(
        Reason.DYNAMIC_LIST, "A list whose length only the run knows is passed to a library."
      )
    return [lowered(ip, part) for part in value.items]
  if isinstance(value, LocalDict):
    return {key: lowered(ip, part) for key, part in value.items.items()}
  if isinstance(value, tuple) and not isinstance(value, tf.TensorShape):
    parts = [lowered(ip, part) for part in value]
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
  if isinstance(value, _shapes.Shape):
    return [lowered(ip, size) for size in value.dims]
  if isinstance(value, LocalObject):
    raise frame.refuse(
      Reason.OPAQUE_CALL, f"A {value.type.__name__} of the program is passed to a library."
    )
  if isinstance(value, (Builtin, BoundMethod, Closure, Rows, Slice, Text)):
    raise frame.refuse(
      Reason.OPAQUE_CALL, f"A {named(value)} of the program is passed to a library."
    )
  if isinstance(value, (list, dict)) and effects.is_changed(value):
    raise frame.refuse(
      Reason.EFFECT_ORDER, f"A {named(value)} that is changed is passed to a library."
    )
  if is_static(value):
    _calls.watch(ip, value)
  return frame.tensor(value)


def lifted(ip: Any, value: Any) -> Any:
  """Returns what a library gave as abstract values."""
  if type(value) is list:
    return ip.frame.new(LocalList([lifted(ip, part) for part in value]))
  if type(value) is dict:
    return ip.frame.new(LocalDict({key: lifted(ip, part) for key, part in value.items()}))
  if type(value) is tuple:
    return tuple(lifted(ip, part) for part in value)
  return value


# --- Methods and operators


def method(ip: Any, owner: Any, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
  """Calls a method of a list or dict that the program made."""
  frame = ip.frame
  if isinstance(owner, LocalDict):
    return _method_of_dict(ip, owner, name, args)
  if name == "append" and len(args) == 1:
    _append(ip, owner, args[0])
  elif name == "extend" and len(args) == 1:
    extend(ip, owner, args[0])
  elif owner.items is None and name == "pop" and not args:
    found = _item_of_rows(ip, owner.content, -1)
    rows = owner.content
    owner.content = Rows(rows.length - 1, tuple(t[:-1] for t in rows.tensors), rows.form)
    return found
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


def _method_of_dict(ip: Any, owner: LocalDict, name: str, args: Any) -> Any:
  frame = ip.frame
  if len(args) not in _NUM_ARGUMENTS.get(name, (0,)):
    raise Raises
  if name in ("get", "pop", "setdefault"):
    key = static_key(ip, frame.resolve(args[0]))
    default = args[1] if len(args) > 1 else None
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
  if name == "items":
    return _view(ip, owner, [tuple(pair) for pair in owner.items.items()])
  if name in ("keys", "values"):
    return _view(ip, owner, getattr(owner.items, name)())
  if name == "update" and isinstance(args[0], LocalDict):
    owner.items = {**owner.items, **args[0].items}
    return None
  if name == "copy":
    return frame.new(LocalDict(owner.items))
  raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"dict.{name} in the run.")


def _view(ip: Any, owner: LocalDict, items: Any) -> LocalList:
  """Returns what a dict shows of itself: it cannot be read any more once the dict has changed."""
  found: LocalList = ip.frame.new(LocalList(items))
  ip.frame.sharing.link(found, owner)
  return found


def method_of_heap(ip: Any, ref: Ref, name: str, args: Any) -> Any:
  """Calls a reading method of a list or dict on the heap."""
  if name in ("__getitem__", "get") and len(args) not in (1, 2):
    raise Raises
  if name == "__getitem__":
    return builtin_item(ip, ref, ip.frame.resolve(args[0]))
  if name == "get" and isinstance(args[0], str):
    default = args[1] if len(args) > 1 else None
    return read_or(ip, ref.step("item", args[0]), lambda: default)
  if name in ("keys", "values", "items") and not args:
    return contents_of_dict(ip, ref, name)
  raise ip.frame.refuse(Reason.OPAQUE_READ, f".{name} of a container of the heap.")


def contents_of_dict(ip: Any, ref: Ref, name: str) -> Rows:
  """Returns keys, values or items of a dict on the heap."""
  ip.frame.conversion.effects.check_unchanged(ip)
  frame = ip.frame
  kinds = frame.types_of(ref) - {NoneType, Missing}
  if not kinds or not all(
    issubclass(kind, dict) and getattr(kind, name) is getattr(dict, name) for kind in kinds
  ):
    raise frame.refuse(Reason.OPAQUE_READ, f".{name} of a container of the heap.")
  if any(step[0] == "item" for step in frame.conversion.effects.places if type(step) is tuple):
    raise frame.refuse(Reason.EFFECT_ORDER, "All items of a dict while some are written.")
  if name != "items":
    return frame.elements(ref.step(name))
  keys, values = (frame.elements(ref.step(part)) for part in ("keys", "values"))
  if keys.form is None or values.form is None:
    return Rows(keys.length, (), None)
  form = _forms.NestForm(tuple, (0, 1), (keys.form, values.form))
  return Rows(keys.length, (*keys.tensors, *values.tensors), form)


def unpacked(ip: Any, value: Any, num_before: int, num_after: int) -> list[Any]:
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
  middle = _item_of_rows(ip, rows, Slice(num_before, -num_after or None, None))

  def one(i: int) -> Any:
    return builtin_item(ip, value, i) if isinstance(value, Ref) else _item_of_rows(ip, rows, i)

  return [*map(one, range(num_before)), middle, *map(one, range(-num_after, 0))]


def read_or(ip: Any, ref: Ref, default: Any) -> Any:
  """Returns what a read gives, or `default()` where there is nothing."""
  frame = ip.frame
  kinds = frame.types_of(ref)
  if Missing not in kinds:
    return frame.resolve(ref)

  def found() -> Any:
    frame.narrow([(ref, kinds - {Missing})])
    return frame.resolve(ref)

  return frame.cond(frame.is_there(ref), found, default)


def _append(ip: Any, owner: LocalList, value: Any) -> None:
  if owner.items is not None:
    owner.content = (*owner.items, value)
    return
  one = rows_of_items(ip, [value])
  owner.content = concatenated(ip, owner.content, one)


def extend(ip: Any, owner: LocalList, values: Any) -> None:
  """Does `owner += values`."""
  _lazy.check_not_of(ip, values, owner)
  rows = rows_of(ip, values)
  if owner.items is not None and rows is None:
    owner.content = (*owner.items, *fixed_items(ip, values))
    return
  have = rows_of_items(ip, list(owner.items)) if owner.items is not None else owner.content
  more = rows if rows is not None else rows_of_items(ip, fixed_items(ip, values))
  owner.content = concatenated(ip, have, more)


def concatenated(ip: Any, a: Any, b: Any) -> Rows:
  try:
    form = _forms.join(_forms.RowsForm(a.form), _forms.RowsForm(b.form)).element
    parts = [_forms.flatten(rows, _forms.RowsForm(form), ip.frame) for rows in (a, b)]
    for x, y in zip(parts[0][1:], parts[1][1:], strict=True):
      _forms.check_shapes([x.shape[1:], y.shape[1:]])
  except _forms.Mismatch as error:
    raise ip.frame.refuse(Reason.KINDS_DIFFER, f"The elements of a list are {error}.") from None
  (n, *first), (m, *second) = parts
  tensors = tuple(tf.concat([x, y], 0) for x, y in zip(first, second, strict=True))
  return Rows(n + m, tensors, form)


def binary(ip: Any, op: type[ast.operator], left: Any, right: Any) -> Any:
  """Returns `+` and `*` of lists; None for what TensorFlow may know."""
  if op is ast.Add and all(isinstance(v, LocalList) for v in (left, right)):
    result = ip.frame.new(LocalList(left.snapshot()))
    extend(ip, result, right)
    return result
  if op is ast.Add and all(isinstance(v, tuple) or _is_tuple(v) for v in (left, right)):
    rows = [rows_of_items(ip, list(v)) if isinstance(v, tuple) else v for v in (left, right)]
    return dataclasses.replace(concatenated(ip, *rows), type=tuple)
  for one, other in ((left, right), (right, left)):
    if op is ast.Mult and (isinstance(one, LocalList) or _is_tuple(one) or type(one) is tuple):
      if isinstance(one, LocalList) and one.items is not None and type(other) is int:
        return ip.frame.new(LocalList(one.items * other))
      is_tuple_known = type(one) is tuple and type(other) is int
      if not is_tuple_known and (isinstance(other, Number) or type(other) is int):
        return _repeated(ip, one, _forms.as_number(other))
  return None


def _is_tuple(value: Any) -> bool:
  return isinstance(value, Rows) and value.type is tuple


def _repeated(ip: Any, value: Any, count: Number) -> Any:
  """Returns a list or tuple, repeated as often as the run says; not below 0."""
  rows = _calls.as_rows(value)
  if rows is None:
    items = list(value) if isinstance(value, tuple) else value.snapshot()
    rows = rows_of_items(ip, items)
  if count.type is not int or not _is_repeatable(rows.form):
    raise ip.frame.refuse(
      Reason.DYNAMIC_LIST, "A list of lists, or such, is repeated as often as only the run knows."
    )
  times = tf.cast(tf.maximum(count.tensor, tf.zeros([], count.tensor.dtype)), tf.int32)
  tensors = tuple(tf.tile(t, [times, *[1] * (len(t.shape) - 1)]) for t in rows.tensors)
  rows = dataclasses.replace(rows, length=rows.length * times, tensors=tensors)
  if isinstance(value, LocalList):
    return ip.frame.new(LocalList(rows))
  return dataclasses.replace(rows, type=tuple)


def _is_repeatable(form: Any) -> bool:
  """Tells whether it makes no difference whether elements are one object or equal ones."""
  if form is None or isinstance(form, (_forms.NumberForm, _forms.RefForm, _forms.StaticForm)):
    return True
  return isinstance(form, _forms.TensorForm) and form.spec.shape.rank is not None


def text_binary(ip: Any, op: type[ast.operator], left: Any, right: Any) -> Text | None:
  """Returns `+` of strings, and `*` of a string and an int, if only the run knows the result."""
  if op is ast.Mult:
    for text, count in ((left, right), (right, left)):
      if isinstance(text, str) and isinstance(count, Number) and count.type is int:
        return Text((Format(count, REPEATED, text),))
  if op is not ast.Add or (isinstance(left, str) and isinstance(right, str)):
    return None
  parts: list[Any] = []
  for value in (left, right):
    if isinstance(value, Text):
      parts += value.parts
    elif isinstance(value, str):
      parts.append(value)
    elif isinstance(value, Ref) and ip.frame.types_of(value) == {str}:
      parts.append(Format(value, -1, ""))
    else:
      return None
  return Text(tuple(parts))


def is_builtin_container(kind: type, name: str = "__len__") -> bool:
  """Tells whether a type's method is that of a builtin list, tuple, dict or string."""
  found = getattr(kind, name, None)
  return any(found is getattr(t, name, 0) for t in (list, tuple, dict, str, set, frozenset, bytes))
