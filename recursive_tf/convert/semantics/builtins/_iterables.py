"""`len`, `list`, `zip` and the like: what takes or gives all elements of something."""

from __future__ import annotations

import ast
import dataclasses
import functools
import types
from collections.abc import Callable

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._kinds import SETS
from recursive_tf.convert.frame._rows import rows_of_items, rows_reversed
from recursive_tf.convert.frame._sharing import containers
from recursive_tf.convert.semantics import (
  _attributes,
  _containers,
  _generators,
  _items,
  _lazy,
  _maps,
  _opened,
  _ordering,
  _tables,
  _written,
)
from recursive_tf.convert.semantics._in_python import run_written
from recursive_tf.convert.semantics._protocols import as_index, is_own
from recursive_tf.convert.semantics.builtins import _arithmetic
from recursive_tf.convert.semantics.builtins._arithmetic import all_known, known
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  LocalDict,
  LocalList,
  LocalObject,
  LocalTable,
  Made,
  Maybe,
  Missing,
  Raises,
  Ref,
  Rows,
)
from recursive_tf.convert.values._forms import number_of
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Once

_NUM_CHOSEN = 4  # Items of which `max` and `min` compare each with the best so far.


def iterating(function: Callable[..., object]) -> Callable[..., object]:
  """Returns a builtin that gives an iterator."""

  @functools.wraps(function)
  def call_once(ip: Host, /, *args: object, **kwargs: object) -> LocalList:
    reads = _lazy.reads_of_function(args[0]) if function is mapped and args else ()
    first = 1 if function is mapped else 0
    args = (*args[:first], *(_generators.gone_over(ip, value) for value in args[first:]))
    if len(args) > 1 + (function is mapped) and function is not enumerated:
      _lazy.note_early_end(ip, *args)  # It ends with the shortest one.
    counted = args[0] if function is enumerated and args else None
    return _lazy.made_by(ip, lambda: function(ip, *args, **kwargs), reads, args, enumerated=counted)

  return call_once


def length(ip: Host, value: object) -> object:
  if isinstance(value, tf.Variable) and not hasattr(type(value), "__len__"):
    raise Raises  # What it holds has one.
  return ip.kind_of(ip.frame.resolve(value)).length()


def to_list(ip: Host, value: object = ()) -> LocalList:
  rows = ip.rows_of(value)
  return ip.frame.new(LocalList(rows if rows is not None else ip.fixed_items(value)))


def to_iterator(ip: Host, value: object) -> object:
  _lazy.check_at_once(ip, value)
  is_list = isinstance(value, (LocalList, LocalDict)) and not getattr(value, "is_iterator", False)
  found = _generators.iterable(ip, value) if isinstance(value, Ref) else value
  if is_list or isinstance(found, Ref):
    return Once(found)  # Itself: a loop sees what changes it.
  return Once(to_list(ip, value))


def first(ip: Host, value: object, *default: object) -> object:
  """Does `next`, of an iterator that nobody can ask for another element."""
  frame = ip.frame
  if len(default) > 1:
    raise Raises  # A TypeError.
  if not default and _has_own_next(ip, value):
    return ip.call(ip.attribute(value, "__next__"), [], {})
  is_iterator = isinstance(value, LocalList) and value.is_iterator
  if not is_iterator or any(_holds(one.snapshot(), value) for one in frame.locals):
    text = "next() of what is no generator expression, or the like, in its place."
    raise frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  _lazy.check_at_once(ip, value)
  rows = ip.rows_of(value)
  if rows is None:
    items = [*ip.fixed_items(value), *default]
    if not items:
      raise Raises  # A StopIteration.
    return items[0]
  if rows.form is None:
    if not default:
      raise Raises
    return default[0]
  found = frame.new(LocalList(rows))
  if not default:
    frame.demand(rows.length > 0)
    return ip.item(found, 0)
  is_any = Number(rows.length > 0, bool)
  return frame.cond(is_any, lambda: ip.item(found, 0), lambda: default[0])


def _has_own_next(ip: Host, value: object) -> bool:
  """Tells whether what gives the next element is Python of the user's, whatever the value is."""
  if isinstance(value, LocalObject):
    kinds = {value.type}
  elif isinstance(value, Ref):
    kinds = {*ip.frame.types_of(value)} - {Missing}
  else:
    return is_own(value, "__next__")
  found = [_attributes.by_class(kind, "__next__") for kind in kinds]
  return bool(found) and all(isinstance(one, types.FunctionType) for one in found)


def _holds(content: object, value: object) -> bool:
  """Tells whether a value is in what a variable or a container holds."""
  if isinstance(content, dict):
    content = tuple(content.values())
  if isinstance(content, (list, tuple)):
    return any(_holds(one, value) for one in content)
  return content is value


def to_tuple(ip: Host, value: object = ()) -> object:
  rows = ip.rows_of(value)
  if rows is not None:
    return dataclasses.replace(rows, type=tuple)
  return tuple(ip.fixed_items(value))


def to_dict(ip: Host, value: object = (), /, **kwargs: object) -> object:
  if isinstance(value, LocalTable) and not _tables.is_set(value):
    own = _tables.as_dict(ip, value)
    _tables.update(ip, own, LocalDict(kwargs))
    return own
  if isinstance(value, Made) and not kwargs:
    made = _tables.make(ip, dict)
    _opened.for_each(ip, value, lambda one: _tables.update(ip, made, to_dict(ip, one)))
    return made
  if isinstance(value, Ref):
    _tables.demand_dict(ip, value)
  if isinstance(value, Ref) and not kwargs:
    copy = _tables.copy_of_heap(ip, value)
    if copy is not None:
      return copy
  is_empty = isinstance(value, tuple) and not value
  if is_empty and not kwargs and ip.conversion.tables:
    return _tables.make(ip, dict)
  items = _containers.items_of_dict(ip, value)
  rows = None if items is not None or is_empty or kwargs else ip.rows_of(value)
  if rows is not None:
    return _tables.of_pairs(ip, rows)
  if items is None:
    items = {}
    for pair in ip.fixed_items(value):
      parts = ip.fixed_items(pair, 2)
      if len(parts) != 2:
        raise Raises
      items[_items.static_key(ip, ip.frame.resolve(parts[0]))] = parts[1]
  return ip.frame.new(LocalDict({**items, **kwargs}))


def dict_with(ip: Host, args: list[object], kwargs: dict[str, object], more: LocalTable) -> object:
  """Does `dict(*args, **kwargs, **more)`, of a dict whose keys only the run knows."""
  keys = _forms.part_of(more.rows, 0).form
  if keys is not None and keys.scalar_kinds() != {str}:
    text = "dict(..., **more) where keys may be no strings."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  for name in kwargs:
    is_twice = ip.truth(ip.contains(more, name))
    if is_twice is True:
      raise Raises  # A TypeError.
    if isinstance(is_twice, Number):
      ip.frame.demand(tf.logical_not(is_twice.tensor))
  found = to_dict(ip, *args, **kwargs)
  table = found
  if not isinstance(found, LocalTable):
    table = _tables.make(ip, dict)
    _tables.update(ip, table, found)
  assert isinstance(table, LocalTable)  # One of its own.
  _tables.update(ip, table, more)
  return table


def to_set(ip: Host, value: object = ()) -> object:
  return _tables.of_elements(ip, value)


def to_frozenset(ip: Host, value: object = ()) -> object:
  is_one = isinstance(value, LocalTable) and value.type is frozenset
  if is_one or type(value) is frozenset:
    return value  # Python gives the same.
  if isinstance(value, Ref) and ip.frame.types_of(value) - {Missing} == {frozenset}:
    return value
  return _tables.of_elements(ip, value, frozenset)


def range_of(ip: Host, *args: object) -> object:
  args = tuple(ip.frame.resolve(arg) for arg in args)
  if all_known(args):
    return known(ip, range, *args)
  numbers = []
  for arg in args:
    number = number_of(arg)
    if number is None or number.type is not int:
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "range() of something else than ints.")
    numbers.append(tf.cast(number.tensor, tf.int64))
  zero, one = tf.zeros([], tf.int64), tf.ones([], tf.int64)
  start, stop = (zero, *numbers) if len(numbers) == 1 else numbers[:2]
  step = numbers[2] if len(numbers) == 3 else one
  step = ip.frame.check(step, step != 0, "range() arg 3 must not be zero")
  # TensorFlow demands a stop that is not behind the start; to Python the range is empty.
  stop = tf.where(step > 0, tf.maximum(start, stop), tf.minimum(start, stop))
  values = tf.range(start, stop, step)
  return Rows(tf.shape(values)[0], (values,), _forms.NumberForm(int))


def enumerated(ip: Host, value: object, start: object = 0) -> object:
  start = as_index(ip, start)
  rows = ip.rows_of(value)
  if rows is None:
    if type(start) is not int:
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "enumerate() from a number of the run.")
    return ip.frame.new(LocalList(list(enumerate(ip.fixed_items(value), start))))
  if rows.form is None:
    return rows
  first = tf.cast(_forms.as_number(start).tensor, tf.int64)
  index = first + tf.range(tf.cast(rows.length, tf.int64))
  form = _forms.NestForm(tuple, (0, 1), (_forms.NumberForm(int), rows.form))
  return Rows(rows.length, (index, *rows.tensors), form)


def zipped(ip: Host, *values: object, strict: bool = False) -> object:
  all_rows = [ip.rows_of(value) for value in values]
  if not any(rows is not None for rows in all_rows):
    lists = [ip.fixed_items(value) for value in values]
    found = known(ip, lambda: list(zip(*lists, strict=strict)))
    return ip.frame.new(LocalList(found))
  found = [
    rows if rows is not None else rows_of_items(ip.frame, ip.fixed_items(value))
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


def checked_rows(ip: Host, rows: Rows, part: Rows) -> Rows:
  """Returns one part of `zip(*rows)`, which is empty, not of empty parts, without rows."""
  length = ip.frame.check(part.length, rows.length > 0, "zip(*[]) has no parts to unpack")
  return Rows(length, part.tensors, part.form, tuple)


# What `reversed` asks for, and what gives the elements here.
_BACKWARDS = ("__reversed__", "__iter__", "__getitem__", "__len__")


def _may_be_made_object(value: object) -> bool:
  return isinstance(value.value if isinstance(value, Maybe) else value, (LocalObject, Made))


def backwards(ip: Host, value: object) -> object:
  if isinstance(value, LocalList) and value.is_iterator:
    raise Raises
  kinds = ip.frame.types_of(value) if isinstance(value, Ref) else ()
  is_own_one = _may_be_made_object(value) or is_own(value, *_BACKWARDS)
  if is_own_one or any(
    isinstance(getattr(k, n, None), types.FunctionType) for k in kinds for n in _BACKWARDS
  ):
    # Not what `__iter__` gives, turned round.
    raise ip.frame.refuse(Reason.OPAQUE_READ, "reversed() of what says itself what it holds.")
  if isinstance(value, (set, frozenset)) or not SETS.isdisjoint(kinds):
    raise Raises  # The run fails also where it may be one.
  rows = ip.rows_of(value)
  if rows is None:
    return ip.frame.new(LocalList(ip.fixed_items(value)[::-1]))
  return rows_reversed(rows)


def any_or_all(name: str) -> Callable[..., object]:
  def decide(ip: Host, value: object) -> object:
    _lazy.check_at_once(ip, value)
    rows = ip.rows_of(value)
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
    result: object = name == "all"
    for item in ip.fixed_items(value):
      result = ip.both(result, name == "all", functools.partial(ip.truth, item))
    return result

  return decide


def mapped(ip: Host, function: object, *values: object) -> object:
  if len(values) == 1:
    rows = ip.rows_of(values[0])
    if rows is not None:
      closure = _maps.applying(ip, function)
      return _maps.map_function(ip, closure, rows)
  lists = [ip.fixed_items(value) for value in values]
  found = [ip.call(function, list(items), {}) for items in zip(*lists, strict=False)]
  return ip.frame.new(LocalList(found))


def item(ip: Host, owner: object, key: object) -> object:
  if isinstance(owner, Ref):
    return _items.builtin_item(ip, owner, ip.frame.resolve(key))
  return ip.item(owner, key)


def length_of_builtin(ip: Host, owner: object) -> object:
  return ip.kind_of(owner).length() if isinstance(owner, Ref) else length(ip, owner)


def in_order(ip: Host, value: object, *, key: object = None, reverse: object = False) -> object:
  """Does `sorted`."""
  return _in_order(ip, value, key, reverse, True)


def best(reverse: bool) -> Callable[..., object]:
  """Returns `heapq.nlargest` or `nsmallest`: the first ones in order, as far as that is one."""

  def first_ones(ip: Host, n: object, iterable: object, key: object = None) -> object:
    found = _in_order(ip, iterable, key, reverse, True, is_total=True)
    count = ip.call(max, [n, 0], {})
    if isinstance(count, Number) and isinstance(found, LocalList) and found.items is not None:
      rows = rows_of_items(ip.frame, list(found.items))
      found = found if _forms.has_containers(rows.form) else ip.frame.new(LocalList(rows))
    return run_written(ip, _written.first_ones, values=found, count=count)

  return first_ones


def _is_total(form: _forms.Form) -> bool:
  """Tells whether `<` of such values is an order in which those are equal that `==` says are."""
  if form is None or form.is_of_strings() or form.number_types():
    return True
  for value in form.constant():
    return _is_plain(value)
  parts = form.elements()
  if parts is not None:
    return form.sequence_type() is tuple and all(map(_is_total, parts))
  return isinstance(form, _forms.RefForm) and form.types <= {int, float, str, bool}


def _in_order(
  ip: Host, value: object, key: object, reverse: object, by_less: bool, is_total: bool = False
) -> object:
  frame = ip.frame
  if type(reverse) is not bool:
    raise frame.refuse(Reason.DYNAMIC_LIST, "sorted() in an order that only the run knows.")
  rows = ip.rows_of(value)
  if rows is None:
    items = list(ip.fixed_items(value))  # As they are: a variable is given back as itself.
    found = items if key is None else [ip.call(key, [item], {}) for item in items]
    keys = [frame.resolve(one) for one in found]
    if all(map(_is_plain, keys)):
      order = known(ip, sorted, range(len(keys)), key=keys.__getitem__, reverse=reverse)
      return frame.new(LocalList([items[i] for i in order]))
    rows = rows_of_items(frame, items)
    by = rows if key is None else rows_of_items(frame, keys)
  else:
    by = (
      rows if key is None else _maps.map_function(ip, _maps.applying(ip, key, is_order=True), rows)
    )
  if is_total and not _is_total(by.form):
    text = f"The order of {_forms.describe(by.form)}, of which the largest are wanted."
    raise frame.refuse(Reason.DYNAMIC_LIST, text)
  if rows.form is None or by.form is None:
    return frame.new(LocalList(rows))
  order = _ordering.order(ip, _maps.numbers_of(ip, by), reverse, by_less)
  if key is None:
    rows = _maps.numbers_of(ip, rows)
  taken = tuple(tf.gather(tensor, order) for tensor in rows.tensors)
  return frame.new(LocalList(Rows(rows.length, taken, rows.form)))


def _is_plain(value: object) -> bool:
  """Tells whether a value is a constant that Python itself compares."""
  if type(value) is tuple:
    return all(map(_is_plain, value))
  return type(value) in (int, float, bool, str, bytes)


def extreme(name: str) -> Callable[..., object]:
  """Returns `max` or `min`: with a key, of equal ones the first."""
  without_key = _arithmetic.extreme(name)

  def choose(ip: Host, /, *values: object, key: object = None, **kwargs: object) -> object:
    if key is None:
      return without_key(ip, *values, **kwargs)
    if set(kwargs) - {"default"} or not values or (kwargs and len(values) > 1):
      raise Raises  # A TypeError.
    elements = values[0] if len(values) == 1 else values

    def first() -> object:
      if ip.rows_of(elements) is None:
        items = list(ip.fixed_items(elements))
        if 1 < len(items) <= _NUM_CHOSEN and any(True for item in items for _ in containers(item)):
          op = ast.Gt if name == "max" else ast.Lt
          keys = [ip.call(key, [item], {}) for item in items]
          return _arithmetic.first_by(ip, op, items, keys)
      return ip.item(_in_order(ip, elements, key, name == "max", name == "min"), 0)

    def consume() -> object:
      if not kwargs:
        return first()
      rows = ip.rows_of(elements)
      is_any = bool(ip.fixed_items(elements)) if rows is None else Number(rows.length > 0, bool)
      return ip.frame.cond(is_any, first, lambda: kwargs["default"])

    return _lazy.interleaved(ip, elements, consume, key)

  return choose
