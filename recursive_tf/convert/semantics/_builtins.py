"""Python's builtin functions, and TensorFlow's functions of lists, on abstract values."""

from __future__ import annotations

import ast
import dataclasses
import functools
import math
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.semantics import (
  _arrays,
  _attributes,
  _builtin_numbers,
  _calls,
  _lazy,
  _loops,
  _operators,
  _shapes,
  _tensor_lists,
)
from recursive_tf.convert.semantics import _sequences as seq
from recursive_tf.convert.values import _forms, _numbers
from recursive_tf.convert.values._abstract import (
  ABSTRACT,
  Abstract,
  Array,
  Bottom,
  BoundMethod,
  Builtin,
  Closure,
  IntOrFloat,
  LocalDict,
  LocalList,
  LocalObject,
  Maybe,
  Missing,
  Raises,
  Ref,
  Rows,
  Scope,
  Weak,
  shown,
)
from recursive_tf.convert.values._forms import NoneType, number_of
from recursive_tf.convert.values._numbers import Number


def _iterating(function: Callable[..., Any]) -> Callable[..., Any]:
  """Returns a builtin that gives an iterator."""

  @functools.wraps(function)
  def call_once(ip: Any, *args: Any, **kwargs: Any) -> LocalList:
    reads = _lazy.reads_of_function(args[0]) if function is _map and args else ()
    return _lazy.made_by(ip, lambda: function(ip, *args, **kwargs), reads, args)

  return call_once


def knows(function: Any) -> bool:
  """Tells whether a builtin is done here."""
  return _tensor_lists.is_hashable(function) and function in _TABLE


def implementation(function: Any) -> Callable[..., Any]:
  """Returns what does a builtin here; it takes the interpreter first."""
  return _TABLE[function]


def call(ip: Any, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
  """Calls a builtin."""
  return _TABLE[function](ip, *args, **kwargs)


def _len(ip: Any, value: Any) -> Any:
  frame = ip.frame
  value = frame.resolve(value)
  if isinstance(value, Ref):
    kinds = frame.types_of(value) - {NoneType, Missing}
    own = [kind for kind in kinds if not seq.is_builtin_container(kind)]
    if own:
      groups = [[kind] for kind in sorted(kinds, key=repr)]
      return _attributes.by_type(
        ip, value, groups, lambda ref, group: _own_len(ip, ref, group[0])
      )
    frame.conversion.effects.check_unchanged(ip)
    return frame.length(value)
  rows = _calls.as_rows(value)
  if rows is not None:
    return Number(rows.length, int)
  if isinstance(value, LocalList) and value.items is not None:
    return len(value.items)
  if isinstance(value, LocalDict):
    return len(value.items)
  if isinstance(value, Array):
    value = value.tensor
  if isinstance(value, _shapes.Shape):
    return len(value.dims)
  if isinstance(value, Abstract):
    raise frame.refuse(Reason.NEEDS_VALUE, f"The length of: {value.description}.")
  if isinstance(value, (LocalObject,)):
    return _calls.call(ip, _attributes.read(ip, value, "__len__"), [], {})
  if isinstance(value, Weak):
    value = frame.strong(value)
  if isinstance(value, tf.Tensor):
    if value.shape.rank == 0:
      raise Raises
    if value.shape.rank and value.shape[0] is not None:
      return value.shape[0]
    return Number(tf.shape(value)[0], int)
  if isinstance(value, (list, dict, set)):
    return seq.length_of_static(ip, value)
  method = getattr(frame.conversion.guards.type_of(value), "__len__", None)
  if hasattr(method, "__code__"):
    return _calls.call(ip, BoundMethod(method, value), [], {})
  return len(value)


def _own_len(ip: Any, ref: Ref, kind: type) -> Any:
  if seq.is_builtin_container(kind):
    return ip.frame.length(ref)
  return _calls.call(ip, _attributes.read(ip, ref, "__len__"), [], {})


def _isinstance(ip: Any, value: Any, classes: Any) -> Any:
  frame = ip.frame
  flat = _flat_classes(ip, classes)
  if isinstance(value, Ref):
    kinds = frame.types_of(value) - {Missing}
    inside = frozenset(kind for kind in kinds if issubclass(kind, flat))
    if len(inside) in (0, len(kinds)):
      is_there = frame.is_there(value)
      if isinstance(is_there, Number):
        frame.demand(is_there.tensor)
      elif not is_there:
        raise Raises
      return bool(inside)
    found = frame.number(value.step("isinstance", tuple(sorted(inside, key=repr))))
    return frame.note(found, [(value, inside)], [(value, frame.types_of(value) - inside)])
  kinds_of: dict[type, Callable[[], type]] = {
    Number: lambda: value.type,
    LocalList: lambda: list,
    LocalDict: lambda: dict,
    LocalObject: lambda: value.type,
    seq.Text: lambda: str,
  }
  if isinstance(value, Rows) and value.type is not None:
    return issubclass(value.type, flat)
  for abstract, kind in kinds_of.items():
    if isinstance(value, abstract):
      return issubclass(kind(), flat)
  if isinstance(value, Array):
    return _arrays.is_instance(ip, value, flat)
  if isinstance(value, Weak):
    value = frame.strong(value)
  if isinstance(value, Maybe):
    is_value = _isinstance(ip, value.value, classes)
    if is_value is issubclass(NoneType, flat):
      return is_value
    return frame.cond(
      Number(value.is_there, bool), lambda: is_value, lambda: issubclass(NoneType, flat)
    )
  if isinstance(value, ABSTRACT) and not isinstance(value, tf.Tensor):
    raise frame.refuse(Reason.UNSUPPORTED_OPERATION, "isinstance of what only the run knows.")
  return isinstance(value, flat)


def _flat_classes(ip: Any, classes: Any) -> tuple[type, ...]:
  found = classes if isinstance(classes, tuple) else (classes,)
  flat: list[type] = []
  for one in found:
    if isinstance(one, tuple):
      flat += _flat_classes(ip, one)
    elif isinstance(one, type):
      flat.append(one)
    elif isinstance(one, types.UnionType):
      flat += _flat_classes(ip, one.__args__)
    else:
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"isinstance of {shown(one)}.")
  return tuple(flat)


def _conversion(kind: type) -> Callable[..., Any]:
  empty = kind()

  def convert(ip: Any, value: Any = empty, *more: Any) -> Any:
    frame = ip.frame
    if isinstance(value, IntOrFloat):
      value = value.value
    if kind is bool:
      return _operators.truth(ip, value)
    value = frame.concrete(value)
    if isinstance(value, (Array, np.ndarray)):
      value = frame.tensor(value)
    if _builtin_numbers.all_known([value, *more]):
      return _builtin_numbers.known(ip, kind, value, *more)
    if isinstance(value, Number):
      return {int: _numbers.to_int, float: _numbers.to_float}[kind](value)
    if isinstance(value, Weak):
      value = frame.strong(value)
    if isinstance(value, tf.Tensor):
      if value.shape.num_elements() == 1 and value.shape.rank:
        value = tf.reshape(value, [])
      found = _numbers.from_tensor(kind, value)
      if found is not None:
        frame.partial()
        return found
    if isinstance(value, Ref) and not more and frame.types_of(value) - {NoneType, Missing} == {str}:
      return frame.number(value.step(kind.__name__))
    raise frame.refuse(Reason.NEEDS_VALUE, f"{kind.__name__}() of what only the run knows.")

  return convert


def _str(ip: Any, value: Any = "") -> Any:
  if isinstance(value, Ref) and ip.frame.types_of(value) == {str}:
    return value
  is_plain = value is None or isinstance(value, (str, *_forms.NUMBERS))
  if is_plain and _builtin_numbers.all_known([value]):
    return str(value)
  raise ip.frame.refuse(Reason.NEEDS_VALUE, "str() of what only the run knows.")


def _list(ip: Any, value: Any = ()) -> Any:
  rows = seq.rows_of(ip, value)
  return ip.frame.new(LocalList(rows if rows is not None else seq.fixed_items(ip, value)))


def _iter(ip: Any, value: Any) -> Any:
  _lazy.check_at_once(ip, value)
  return seq.Once(_list(ip, value))


def _tuple(ip: Any, value: Any = ()) -> Any:
  rows = seq.rows_of(ip, value)
  if rows is not None:
    return dataclasses.replace(rows, type=tuple)
  return tuple(seq.fixed_items(ip, value))


def _dict(ip: Any, value: Any = None, **kwargs: Any) -> Any:
  items: dict[Any, Any] = {}
  if isinstance(value, LocalDict):
    items.update(value.items)
  elif value is not None:
    for pair in seq.fixed_items(ip, value):
      key, item = seq.fixed_items(ip, pair, 2)
      items[seq.static_key(ip, ip.frame.resolve(key))] = item
  return ip.frame.new(LocalDict({**items, **kwargs}))


def _range(ip: Any, *args: Any) -> Any:
  args = tuple(ip.frame.resolve(arg) for arg in args)
  if _builtin_numbers.all_known(args):
    return _builtin_numbers.known(ip, range, *args)
  numbers = []
  for arg in args:
    number = number_of(arg)
    if number is None or number.type is not int:
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "range() of something else than ints.")
    numbers.append(tf.cast(number.tensor, tf.int64))
  values = tf.range(*numbers)
  return Rows(tf.shape(values)[0], (values,), _forms.NumberForm(int))


def _enumerate(ip: Any, value: Any, start: Any = 0) -> Any:
  rows = seq.rows_of(ip, value)
  if rows is None:
    if type(start) is not int:
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "enumerate() from a number of the run.")
    return ip.frame.new(LocalList(list(enumerate(seq.fixed_items(ip, value), start))))
  if rows.form is None:
    return rows
  first = tf.cast(_forms.as_number(start).tensor, tf.int64)
  index = first + tf.range(tf.cast(rows.length, tf.int64))
  form = _forms.NestForm(tuple, (0, 1), (_forms.NumberForm(int), rows.form))
  return Rows(rows.length, (index, *rows.tensors), form)


def _zip(ip: Any, *values: Any, strict: bool = False) -> Any:
  all_rows = [seq.rows_of(ip, value) for value in values]
  if not any(rows is not None for rows in all_rows):
    lists = [seq.fixed_items(ip, value) for value in values]
    found = _builtin_numbers.known(ip, lambda: list(zip(*lists, strict=strict)))
    return ip.frame.new(LocalList(found))
  found = [
    rows if rows is not None else seq.rows_of_items(ip, seq.fixed_items(ip, value))
    for rows, value in zip(all_rows, values, strict=True)
  ]
  length = found[0].length
  for rows in found[1:]:
    if strict:
      ok = tf.equal(length, rows.length)
      length = ip.frame.check(length, ok, "zip() of lists of different lengths")
    length = tf.minimum(length, rows.length)
  if any(rows.form is None for rows in found):
    return Rows(length, (), None)
  tensors = tuple(tensor[:length] for rows in found for tensor in rows.tensors)
  form = _forms.NestForm(tuple, tuple(range(len(found))), tuple(rows.form for rows in found))
  return Rows(length, tensors, form)


def call_spread(ip: Any, function: Any, args: list[Any]) -> Any:
  """Calls a function with `*rows` among its arguments."""
  if args and isinstance(args[0], seq.Spread) and args[0].rows.form is None:
    raise Bottom  # What the elements are is not known yet.
  if function is zip and len(args) == 1:
    rows = args[0].rows
    forms = _forms.parts_of_form(rows.form)
    if forms is not None:
      parts = [_loops.part_of(rows, i) for i in range(len(forms))]
      return ip.frame.new(LocalList([_checked_rows(ip, rows, part) for part in parts]))
  if function in (max, min) and len(args) == 1:
    return call(ip, function, [args[0].rows], {})
  raise ip.frame.refuse(Reason.DYNAMIC_LIST, "* of a list whose length only the run knows.")


def _checked_rows(ip: Any, rows: Rows, part: Rows) -> Rows:
  """Returns one part of `zip(*rows)`, which is empty, not of empty parts, without rows."""
  length = ip.frame.check(part.length, rows.length > 0, "zip(*[]) has no parts to unpack")
  return Rows(length, part.tensors, part.form, tuple)


def _reversed(ip: Any, value: Any) -> Any:
  if isinstance(value, LocalList) and value.is_iterator:
    raise Raises
  rows = seq.rows_of(ip, value)
  if rows is None:
    return ip.frame.new(LocalList(seq.fixed_items(ip, value)[::-1]))
  return Rows(rows.length, tuple(tf.reverse(t, [0]) for t in rows.tensors), rows.form)


def _refuse_compensated(ip: Any, is_of_floats: bool) -> None:
  """Refuses sums of floats where Python makes up for what additions round off."""
  if is_of_floats and sys.version_info >= (3, 12):
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION, "sum() of floats, which Python rounds in its own way."
    )


def _sum(ip: Any, value: Any, start: Any = 0) -> Any:
  rows = seq.rows_of(ip, value)
  if rows is not None:
    _refuse_compensated(ip, rows.form == _forms.NumberForm(float))
    return _loops.total(ip, rows, start)
  result = start
  items = [ip.frame.resolve(item) for item in seq.fixed_items(ip, value)]
  _refuse_compensated(ip, any(isinstance(i, Number) and i.type is float for i in items))
  for item in items:
    result = _operators.binary(ip, ast.Add, result, item)
  return result


def _any_all(name: str) -> Callable[..., Any]:
  def decide(ip: Any, value: Any) -> Any:
    _lazy.check_at_once(ip, value)
    rows = seq.rows_of(ip, value)
    if rows is not None:
      if rows.form is None:
        return name == "all"
      if not isinstance(rows.form, _forms.NumberForm):
        raise ip.frame.refuse(Reason.DYNAMIC_LIST, f"{name}() of a list of unknown length.")
      (values,) = rows.tensors
      if rows.form.type is not bool:
        values = tf.not_equal(values, tf.zeros([], values.dtype))
      reduce = tf.reduce_any if name == "any" else tf.reduce_all
      return Number(reduce(values), bool)
    result: Any = name == "all"
    for item in seq.fixed_items(ip, value):
      result = ip._both(result, name == "all", lambda item=item: _operators.truth(ip, item))
    return result

  return decide


def _abs(ip: Any, value: Any) -> Any:
  value = ip.frame.concrete(value)
  if isinstance(value, Number):
    return _numbers.absolute(value)
  if isinstance(value, Weak):
    value = ip.frame.strong(value)
  if isinstance(value, (Array, np.ndarray)):
    raise _arrays.refuse(ip, "abs()")
  if _builtin_numbers.all_known([value]):
    return _builtin_numbers.known(ip, abs, value)
  return _calls.native(ip, abs, [value], {})


def _round(ip: Any, value: Any, digits: Any = None) -> Any:
  value = ip.frame.concrete(value)
  if _builtin_numbers.all_known([value]):
    return _builtin_numbers.known(ip, round, value, digits)
  if isinstance(value, Number) and digits is None:
    return _numbers.rounded(value)
  raise ip.frame.refuse(Reason.NEEDS_VALUE, "round() of what only the run knows.")


def _getattr(ip: Any, owner: Any, name: Any, *default: Any) -> Any:
  if not isinstance(name, str):
    raise ip.frame.refuse(Reason.OPAQUE_READ, "getattr() with a name that only the run knows.")
  if default and isinstance(owner, Ref):
    found = ip.frame.resolve(owner)
    if isinstance(found, Ref) and _is_plain(ip, found, name):
      there = ip.frame.conversion.effects.is_there(ip, found, ("attr", name))
      if there is not None:
        return ip.frame.cond(
          there, lambda: _attributes.read(ip, found, name), lambda: default[0]
        )
      return seq.read_or(ip, found.step("attr", name), lambda: default[0])
  if default and not isinstance(owner, ABSTRACT) and not hasattr(owner, name):
    ip.frame.conversion.guards.lacks(owner, name)
    return default[0]
  return _attributes.read(ip, owner, name)


def _hasattr(ip: Any, owner: Any, name: Any) -> Any:
  frame = ip.frame
  if isinstance(owner, Ref) and isinstance(name, str):
    kinds = frame.types_of(owner) - {Missing}
    by_class = {kind: hasattr(kind, name) and not _is_data(kind, name) for kind in kinds}
    if all(by_class.values()):
      return True
    if _is_plain(ip, owner, name):
      there = frame.conversion.effects.is_there(ip, owner, ("attr", name))
      return frame.is_there(owner.step("attr", name)) if there is None else there
  if isinstance(owner, LocalObject):
    return name in owner.fields or hasattr(owner.type, name)
  if not isinstance(owner, ABSTRACT) and isinstance(name, str):
    if not hasattr(owner, name):
      frame.conversion.guards.lacks(owner, name)
      return False
    return True
  raise frame.refuse(Reason.OPAQUE_READ, f"hasattr() of {name!r}.")


def _is_data(kind: type, name: str) -> bool:
  return type(getattr(kind, name)).__name__ in ("member_descriptor", "getset_descriptor")


def _is_plain(ip: Any, ref: Ref, name: str) -> bool:
  kinds = ip.frame.types_of(ref) - {NoneType, Missing}
  return all(_attributes.is_plain(ip, kind, name) for kind in kinds)


def _type(ip: Any, value: Any) -> Any:
  if isinstance(value, Ref):
    kinds = ip.frame.types_of(value) - {Missing}
    if len(kinds) == 1:
      return next(iter(kinds))
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "type() of objects of several types.")
  if isinstance(value, (Number, LocalObject)):
    return value.type
  if isinstance(value, Rows) and value.type is not None:
    return value.type
  if isinstance(value, (LocalList, LocalDict)):
    return list if isinstance(value, LocalList) else dict
  if isinstance(value, Array) and len(value.types) == 1:
    return next(iter(value.types))
  if isinstance(value, tf.Tensor):
    return _forms.EAGER_TENSOR
  if isinstance(value, ABSTRACT) and not isinstance(value, seq.Text):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "type() of what only the run knows.")
  return str if isinstance(value, seq.Text) else ip.frame.conversion.guards.type_of(value)


def _is_tensor(ip: Any, value: Any) -> Any:
  return _arrays.is_tensor(ip, ip.frame.resolve(value))


def _map(ip: Any, function: Any, *values: Any) -> Any:
  if len(values) == 1:
    rows = seq.rows_of(ip, values[0])
    if rows is not None:
      closure = _loops.applying(ip, function)
      return _loops.map_function(ip, closure, rows)
  lists = [seq.fixed_items(ip, value) for value in values]
  found = [_calls.call(ip, function, list(items), {}) for items in zip(*lists, strict=False)]
  return ip.frame.new(LocalList(found))


def _divmod(ip: Any, a: Any, b: Any) -> Any:
  return _operators.binary(ip, ast.FloorDiv, a, b), _operators.binary(ip, ast.Mod, a, b)


def _partial(ip: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
  if kwargs:
    raise ip.frame.refuse(Reason.OPAQUE_CALL, "functools.partial with keywords, in the run.")
  for arg in args:
    function = BoundMethod(function, arg)
  return function


def _print(ip: Any, *values: Any, **kwargs: Any) -> Any:
  ip.frame.conversion.effects.print(ip, values, kwargs)


def _setattr(ip: Any, owner: Any, name: Any, value: Any) -> Any:
  if not isinstance(name, str):
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, "setattr() with a name of the run.")
  _attributes.write(ip, owner, name, value)


def _callable(ip: Any, value: Any) -> Any:
  if isinstance(value, Ref):
    return all(callable(kind) and hasattr(kind, "__call__") for kind in ip.frame.types_of(value))  # noqa: B004
  return callable(value) or isinstance(value, (BoundMethod, Builtin, Closure))


def _builtin_item(ip: Any, owner: Any, key: Any) -> Any:
  if isinstance(owner, Ref):
    return seq.builtin_item(ip, owner, ip.frame.resolve(key))
  return seq.item(ip, owner, key)


def _builtin_len(ip: Any, owner: Any) -> Any:
  return ip.frame.length(owner) if isinstance(owner, Ref) else _len(ip, owner)


def _sorted(ip: Any, value: Any, *, key: Any = None, reverse: Any = False) -> Any:
  frame = ip.frame
  rows = seq.rows_of(ip, value)
  if rows is None:
    items = [frame.resolve(item) for item in seq.fixed_items(ip, value)]
    if _builtin_numbers.all_known(items) and key is None and type(reverse) is bool:
      return frame.new(LocalList(_builtin_numbers.known(ip, sorted, items, reverse=reverse)))
    rows = seq.rows_of_items(ip, items)
  rows = _loops.numbers_of(ip, rows)
  if rows.form is None:
    return frame.new(LocalList(rows))
  is_number = isinstance(rows.form, _forms.NumberForm) and rows.form.type in (int, float)
  if key is not None or type(reverse) is not bool or not is_number:
    raise frame.refuse(Reason.DYNAMIC_LIST, "sorted() of anything but numbers, or by a key.")
  (values,) = rows.tensors
  if rows.form.type is float:  # The order of NaNs, and of zeros of both signs, is Python's own.
    is_plain = tf.reduce_all(tf.logical_not(tf.math.is_nan(values)))
    one_zero = tf.reduce_all(tf.logical_or(values != 0, 1 / values > 0))
    values = frame.check(values, tf.logical_and(is_plain, one_zero), "sorted() of NaN or -0.0")
  direction = "DESCENDING" if reverse else "ASCENDING"
  return frame.new(LocalList(Rows(rows.length, (tf.sort(values, direction=direction),), rows.form)))


def formatted(ip: Any, node: Any, scope: Scope) -> Any:
  """Returns an f-string: a string if all of it is known, else what `print` can still show."""
  parts: list[Any] = []
  for value in node.values:
    if isinstance(value, ast.Constant):
      parts.append(value.value)
      continue
    assert isinstance(value, ast.FormattedValue)  # The grammar has nothing else.
    spec = "" if value.format_spec is None else formatted(ip, value.format_spec, scope)
    found = ip.frame.resolve(ip.eval(value.value, scope))
    parts.append(seq.Format(found, value.conversion, spec))
  return seq.Text(tuple(parts)).known()


_TABLE: dict[Any, Callable[..., Any]] = {
  len: _len,
  isinstance: _isinstance,
  int: _conversion(int),
  float: _conversion(float),
  bool: _conversion(bool),
  str: _str,
  list: _list,
  tuple: _tuple,
  dict: _dict,
  range: _range,
  enumerate: _iterating(_enumerate),
  zip: _iterating(_zip),
  reversed: _iterating(_reversed),
  sum: _sum,
  max: _builtin_numbers.extreme("max"),
  min: _builtin_numbers.extreme("min"),
  any: _any_all("any"),
  all: _any_all("all"),
  abs: _abs,
  round: _round,
  getattr: _getattr,
  hasattr: _hasattr,
  setattr: _setattr,
  type: _type,
  map: _iterating(_map),
  print: _print,
  callable: _callable,
  divmod: _divmod,
  iter: _iter,
  sorted: _sorted,
  tf.is_tensor: _is_tensor,
  keras.ops.is_tensor: _is_tensor,
  tf.executing_eagerly: lambda ip: True,
  functools.partial: _partial,
  tf.constant: _tensor_lists.constant,
  list.__getitem__: _builtin_item,
  tuple.__getitem__: _builtin_item,
  dict.__getitem__: _builtin_item,
  list.__len__: _builtin_len,
  operator.add: lambda ip, a, b: _operators.binary(ip, ast.Add, a, b),
  operator.mul: lambda ip, a, b: _operators.binary(ip, ast.Mult, a, b),
  **{
    getattr(math, name): _builtin_numbers.math_of(name)
    for name in (
      *sorted(_numbers.MATH_FUNCTIONS), "ceil", "fabs", "floor", "isfinite", "isinf", "isnan",
      "pow", "trunc",
    )
  },
}
