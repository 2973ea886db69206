"""Dicts whose keys only the run knows, and sets, that the program makes: all that they do.

What has no rule here is refused: as lists and as known dicts they refuse what they are asked.
"""

from __future__ import annotations

import ast
import collections
import functools
from collections.abc import Callable, Mapping, Sequence

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._access import in_class
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._keys import (
  check_alike,
  find,
  key_of,
  not_a_key,
  num_parts,
  scalar_elements,
)
from recursive_tf.convert.frame._kinds import SETS, has_own_key
from recursive_tf.convert.frame._rows import (
  concatenated,
  rows_cleared,
  rows_of_items,
  rows_replaced,
  rows_without,
)
from recursive_tf.convert.semantics import _opened, _written
from recursive_tf.convert.semantics._exactly import demand_exactly
from recursive_tf.convert.semantics._in_python import run_written
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  VIEWS,
  Base,
  Keys,
  Literally,
  LocalDict,
  LocalList,
  LocalTable,
  Made,
  Missing,
  Raises,
  Ref,
  Rows,
  Scope,
  named,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._scalars import Scalar
from recursive_tf.convert.values._text import Text


def is_set(table: LocalTable) -> bool:
  """Tells whether it is a set, frozen or not, and no dict."""
  return table.type in SETS


def make(ip: Host, kind: type) -> LocalTable:
  """Returns a new dict or set, with nothing in it."""
  return ip.frame.new(LocalTable(kind, Rows(tf.constant(0), (), None)))


def is_wanted(ip: Host, site: ast.Dict | ast.DictComp) -> bool:
  """Tells whether an expression makes a dict whose keys only the run knows."""
  tables = ip.conversion.tables
  begins_empty = isinstance(site, ast.DictComp) or not site.keys
  return site in tables or (begins_empty and bool(tables))


def keys_of(table: LocalTable) -> Rows:
  """Returns the keys, or the members."""
  rows = table.rows
  return rows if rows.form is None or is_set(table) else _forms.part_of(rows, 0)


def unordered(value: object) -> object:
  """Returns a set as a list, for what gives the same in any order; all else as it is.

  Sets of objects stay what they are: their own methods may tell the order.
  """
  if not isinstance(value, LocalTable) or not is_set(value) or _has_objects(value.rows.form):
    return value
  return LocalList(value.rows)


def _has_objects(form: _forms.Form) -> bool:
  return form is not None and (
    isinstance(form, _forms.RefForm) or any(map(_has_objects, form.children()))
  )


def equal(ip: Host, left: object, right: object) -> object:
  """Returns `left == right` of sets; None if one of them is none."""
  of_views = any(map(is_keys, (left, right)))
  left, right = ((_set_of_keys if of_views else set_of_heap)(ip, one) for one in (left, right))
  both = [one for one in (left, right) if isinstance(one, LocalTable) and is_set(one)]
  if len(both) < 2:
    return None
  first, second = (one.rows for one in both)
  same = tf.equal(first.length, second.length)
  return Number(tf.logical_and(same, tf.reduce_all(_are_in(ip, first, second))), bool)


def is_part(ip: Host, part: object, whole: object, is_strict: bool) -> object:
  """Returns `part <= whole` of sets, or `<`; None if one of them is none, or both are known."""
  if not (_is_of_run(ip, part) or _is_of_run(ip, whole)):
    return None
  tables = _set_of_keys(ip, part), _set_of_keys(ip, whole)
  both = [one for one in tables if isinstance(one, LocalTable)]
  if len(both) < 2 or not all(map(is_set, both)):
    return None
  first, second = (one.rows for one in both)
  found = tf.reduce_all(_are_in(ip, first, second))
  if is_strict:
    found = tf.logical_and(found, first.length < second.length)
  return Number(found, bool)


def _is_of_run(ip: Host, value: object) -> bool:
  """Tells whether only the run knows a set."""
  if isinstance(value, LocalTable):
    return is_set(value)
  return is_keys(value) or kind_on_heap(ip, value) is not None


def kind_on_heap(ip: Host, value: object) -> type | None:
  """Returns set or frozenset, which a value of the heap is for sure; None of all else."""
  kinds = ip.frame.types_of(value) - {Missing} if isinstance(value, Ref) else frozenset[type]()
  return next(iter(kinds)) if len(kinds) == 1 and kinds <= SETS else None


def elements(ip: Host, table: LocalTable) -> Rows:
  """Returns what iterating over it gives."""
  if is_set(table):
    raise ip.frame.refuse(Reason.EFFECT_ORDER, "The order of a set is Python's own.")
  return keys_of(table)


def contains(ip: Host, table: LocalTable, key: object) -> object:
  """Returns `key in table`."""
  wanted, keys = _key(ip, key), keys_of(table)
  return False if keys.form is None else find(ip, keys, wanted)[0]


def item(ip: Host, table: LocalTable, key: object) -> object:
  """Returns `table[key]`."""
  if is_set(table):
    raise Raises
  if table.type is collections.Counter:
    return _lookup(ip, table, key, lambda: 0)
  if table.factory is None:
    return _lookup(ip, table, key, None)

  return _lookup(
    ip, table, key, lambda: _added(ip, table, _new_key(ip, table, key), _missing(ip, table.factory))
  )


def _added(ip: Host, table: LocalTable, key: object, value: object) -> object:
  """Puts a value under a key that is not there; returns it as the dict has it."""
  value = _as_value(ip, value)
  new = rows_of_items(ip.frame, [(key, value)])
  _check_key(ip, table, key)
  table.content = new if table.rows.form is None else concatenated(ip.frame, table.rows, new)
  return value


def _missing(ip: Host, factory: object) -> object:
  """Returns what a `defaultdict` puts where nothing is."""
  if isinstance(factory, Literally):
    return ip.eval(_expression(factory.text), ip.frame.new(Scope({}, None, ip.source)))
  return ip.call(factory, [], {})


@functools.cache
def _expression(text: str) -> ast.expr:
  return ast.parse(text, mode="eval").body


def write_item(ip: Host, table: LocalTable, key: object, value: object) -> None:
  """Does `table[key] = value`."""
  if is_set(table):
    raise Raises
  _put(ip, table, _new_key(ip, table, key), value)


def update(ip: Host, table: LocalTable, other: object) -> None:
  """Does `table.update(other)`, for a dict or a set."""
  if isinstance(other, LocalTable) and is_set(other) is is_set(table):
    _note_order(ip, table)
    _merge(ip, table, other.rows)
  elif is_set(table):
    _update_set(ip, table, other)
  elif isinstance(other, LocalDict):
    for key, value in other.items.items():
      _put(ip, table, _new_key(ip, table, key), value)
  else:
    _update_by_object(ip, table, other)


def update_by_names(
  ip: Host, table: LocalTable, others: Sequence[object], items: Mapping[str, object]
) -> None:
  """Does `table.update(*others, **items)`, for a dict."""
  if len(others) > 1:
    raise Raises  # A TypeError.
  for other in others:
    update(ip, table, other)
  for name, value in items.items():
    write_item(ip, table, name, value)


def _update_set(ip: Host, table: LocalTable, other: object) -> None:
  """Does `table.update(other)` of what is no set that the program makes."""
  if isinstance(other, (LocalTable, LocalDict, dict, set, frozenset, Ref)):
    _note_order(ip, table)  # Python makes room for them first.
  rows = ip.rows_of(other)
  for one in ip.fixed_items(other) if rows is None else ():
    _add(ip, table, _new_key(ip, table, one))
  if rows is not None:
    _merge(ip, table, _unique(ip, _as_keys(ip, rows), set))


def _update_by_object(ip: Host, table: LocalTable, other: object) -> None:
  """Does `table.update(other)` of a dict of the heap, or of what may be one of the run."""
  if isinstance(other, Made):
    _opened.for_each(ip, other, lambda one: update(ip, table, one))
    return
  if not isinstance(other, Ref):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"dict.update of a {named(other)}.")
  demand_dict(ip, other)
  rows = ip.rows_of(ip.call(ip.attribute(other, "items"), [], {}))
  if rows is None:
    raise ip.frame.refuse(Reason.OPAQUE_READ, f"Items of a {named(other)}.")
  _merge(ip, table, of_pairs(ip, rows).rows)


def demand_dict(ip: Host, ref: Ref) -> None:
  """Lets the run fail where what may be a dict, or something else, is no dict."""
  kinds = ip.frame.types_of(ref) - {Missing, NoneType}
  others = kinds - {dict}
  if others and dict in kinds and not any(issubclass(kind, dict) for kind in others):
    demand_exactly(ip, ref, frozenset([dict]))


def _as_operand(ip: Host, value: object) -> object:
  """Returns a dict of the heap as one of its own with the same items; all else as it is.

  The run fails where it may be a dict and is of a class without an operator: Python raises.
  """
  if not isinstance(value, Ref):
    return value
  kinds = ip.frame.types_of(value) - {Missing, dict, int, bool}
  if not any(in_class(kind, "__or__") for kind in kinds):
    demand_dict(ip, value)
  return copy_of_heap(ip, value) or value


def of_pairs(ip: Host, rows: Rows) -> LocalTable:
  """Returns the dict of pairs of keys and values, of which later ones count."""
  table = make(ip, dict)
  form = rows.form
  if form is None:
    return table
  parts = form.elements()
  if parts is None or len(parts) != 2:
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, "A dict of what are no pairs.")
  keys, values = _as_keys(ip, _forms.part_of(rows, 0)), _forms.part_of(rows, 1)
  if keys.form is None:
    return table  # What the parts of tuples of the tree are is not known yet.
  assert values.form is not None  # There are some.
  _check_value(ip, values.form)
  form = _forms.NestForm(tuple, (0, 1), (keys.form, values.form))
  table.content = _unique(ip, Rows(rows.length, (*keys.tensors, *values.tensors), form), dict)
  return table


def of_elements(ip: Host, value: object, kind: type = set) -> LocalTable:
  """Returns `set(value)`, or `frozenset(value)`."""
  table = make(ip, kind)
  update(ip, table, value)
  return table


def copy_of_heap(ip: Host, ref: Ref) -> LocalTable | None:
  """Returns a dict of its own, with the items of a dict of the heap; None of other objects."""
  kinds = ip.frame.types_of(ref) - {Missing}
  if kinds != {dict}:
    return None
  table = make(ip, dict)
  update(ip, table, ref)
  return table


def set_of_heap(ip: Host, value: object) -> object:
  """Returns a set of its own with the members of one of the heap; all else as it is."""
  kind = kind_on_heap(ip, value)
  return value if kind is None else of_elements(ip, value, kind)


def _as_table(ip: Host, value: object) -> object:
  """Returns a set of its own with the members of one that is known or of the heap; else it."""
  return of_elements(ip, value, type(value)) if type(value) in SETS else set_of_heap(ip, value)


def _set_of_keys(ip: Host, value: object) -> object:
  """Returns the keys that a dict shows as a set, as operators take them; all else as it is."""
  return of_elements(ip, value) if is_keys(value) else _as_table(ip, value)


def is_keys(value: object) -> bool:
  """Tells whether a value is what a dict shows of its keys."""
  if isinstance(value, LocalList):
    return value.type is VIEWS["keys"]
  return isinstance(value, Keys) and value.is_view


READING_SETS = frozenset(
  ["isdisjoint", "issubset", "issuperset", "union", "intersection", "difference", "copy"]
)


def method_of_heap(ip: Host, ref: Ref, name: str, args: Sequence[object]) -> object:
  """Calls one of the methods `READING_SETS` of a set of the heap."""
  kind = kind_on_heap(ip, ref)
  assert kind is not None  # Who calls it has asked.
  return method(ip, of_elements(ip, ref, kind), name, args)


def copied(ip: Host, table: LocalTable) -> LocalTable:
  """Returns a dict or set of its own, with the same content."""
  _note_order(ip, table)
  return ip.frame.new(LocalTable(table.type, table.rows, table.factory))


def as_dict(ip: Host, table: LocalTable) -> LocalTable:
  """Returns a plain dict of its own, with the same items."""
  return ip.frame.new(LocalTable(dict, table.rows))


def binary(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  """Returns what an operator gives of a dict or set and something else, or of views of dicts."""
  if op in _OF_SETS:
    of_views = any(map(is_keys, (left, right)))
    left, right = _set_of_keys(ip, left), _set_of_keys(ip, right)
    if of_views and isinstance(left, LocalTable) and left.type is frozenset:
      left = ip.frame.new(LocalTable(set, left.rows))  # The view's operator, which gives a set.
  if op is ast.BitOr and any(
    isinstance(one, LocalTable) and one.type is dict for one in (left, right)
  ):
    left, right = _as_operand(ip, left), _as_operand(ip, right)
  return in_place(ip, op, copied(ip, left) if isinstance(left, LocalTable) else left, right)


def in_place(ip: Host, op: type[ast.operator], table: object, other: object) -> object:
  """Does `table |= other`, and of sets `&=`, `-=` and `^=`."""
  other = _as_table(ip, other)
  if isinstance(table, LocalTable) and isinstance(other, LocalTable):
    if op is ast.BitOr and table.type is other.type or (is_set(table) and is_set(other)):
      return _combined(ip, op, table, other)
  raise ip.frame.refuse(
    Reason.UNSUPPORTED_OPERATION, f"{op.__name__} of {named(table)} and {named(other)}."
  )


_OF_SETS = (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor)


def _combined(ip: Host, op: type[ast.operator], table: LocalTable, other: LocalTable) -> LocalTable:
  """Lets a set, or a dict, be what an operator gives of it and another one; returns it."""
  if op is ast.BitOr:
    update(ip, table, other)
  elif op is ast.BitXor:
    more = copied(ip, other)
    _keep(ip, more, table, are_in=False)
    _keep(ip, table, other, are_in=False)
    update(ip, table, more)
  elif op in _OF_SETS:
    _keep(ip, table, other, are_in=op is ast.BitAnd)
  else:
    raise Raises  # A TypeError.
  return table


def method(ip: Host, table: LocalTable, name: str, args: Sequence[object]) -> object:
  """Calls a method."""
  if not hasattr(table.type, name):
    raise Raises
  found = (_SET if is_set(table) else _DICT).get(name)
  if found is None:
    text = f"{table.type.__name__}.{name} where only the run knows the keys."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  function, counts = found
  if len(args) not in counts:
    raise Raises
  return function(ip, table, *args)


# --- Methods


def _get(ip: Host, table: LocalTable, key: object, default: object = None) -> object:
  return _lookup(ip, table, key, lambda: default)


def _setdefault(ip: Host, table: LocalTable, key: object, default: object = None) -> object:
  return _lookup(ip, table, key, lambda: _added(ip, table, _new_key(ip, table, key), default))


def _pop(ip: Host, table: LocalTable, key: object, *default: object) -> object:
  def take() -> object:
    found = _lookup(ip, table, key, None)
    _take_out(ip, table, key)
    return found

  if not default:
    return take()
  return ip.frame.cond(contains(ip, table, key), take, lambda: default[0])


def _view_of(name: str) -> Callable[[Host, LocalTable], object]:
  def view(ip: Host, table: LocalTable) -> object:
    rows = table.rows
    if name != "items" and rows.form is not None:
      rows = _forms.part_of(rows, ("keys", "values").index(name))
    found = ip.frame.new(LocalList(rows))
    found.type = VIEWS[name]
    ip.frame.sharing.link(found, table)  # It cannot be read any more once the dict has changed.
    return found

  return view


def _clear(ip: Host, table: LocalTable) -> None:
  _note_order(ip, table)
  table.content = rows_cleared(table.rows)


def _add_one(ip: Host, table: LocalTable, key: object) -> None:
  _add(ip, table, _new_key(ip, table, key))


def _discard(ip: Host, table: LocalTable, key: object) -> None:
  ip.frame.cond(contains(ip, table, key), lambda: _take_out(ip, table, key), lambda: None)


# --- Content


def _lookup(
  ip: Host, table: LocalTable, key: object, default: Callable[[], object] | None
) -> object:
  frame, rows, wanted = ip.frame, table.rows, _key(ip, key)
  form = rows.form
  if form is None:
    if default is None:
      raise Raises
    return default()
  found, index = find(ip, keys_of(table), wanted)

  def read() -> object:
    tensors = [tf.gather(tensor, index) for tensor in rows.tensors]
    pair = frame.adopt(_forms.unflatten(form, iter(tensors)))
    assert isinstance(pair, tuple)  # Of a key and a value.
    return pair[1]

  if default is not None:
    return frame.cond(found, read, default)
  index = frame.check(index, found.tensor, "a dict has no such key")
  return read()


def _put(ip: Host, table: LocalTable, key: object, value: object) -> None:
  """Does `table[key] = value` for a key of `key_of`."""
  new = rows_of_items(ip.frame, [(key, _as_value(ip, value))])
  _write(ip, table, key, new, replaces=True)


def _as_value(ip: Host, value: object) -> object:
  """Returns a value as a dict has it: a container by its number, which it gets here."""
  frame = ip.frame
  value = frame.optional(value)
  form = _forms.form_of(value, frame)
  if _forms.has_containers(form) or _forms.has_rows(form):
    if not _forms.can_be_made(form):
      _check_value(ip, form)
    return frame.made(value, _forms.MadeForm())
  return value


def _add(ip: Host, table: LocalTable, key: object) -> None:
  _write(ip, table, key, rows_of_items(ip.frame, [key]), replaces=False)


def _write(ip: Host, table: LocalTable, key: object, new: Rows, replaces: bool) -> None:
  frame, rows = ip.frame, table.rows
  _check_key(ip, table, key)
  if rows.form is None:
    table.content = new
    return
  found, index = find(ip, keys_of(table), key)
  if replaces and frame.sharing.has_loop_over_keys(table):
    frame.demand(found.tensor)  # Python has no next turn where it gets larger.
    with frame.sharing.replacing(table):
      table.content = rows_replaced(frame, rows, index, new)
    return

  def replace() -> object:
    return LocalList(rows_replaced(frame, rows, index, new) if replaces else rows)

  written = frame.cond(found, replace, lambda: LocalList(concatenated(frame, rows, new)))
  assert isinstance(written, LocalList)  # As each of them.
  table.content = written.content


def _key(ip: Host, key: object) -> object:
  """Returns a key as rows have it: of what a run may have made the scalar that it is, if any is."""
  if not isinstance(key, Made):
    return key_of(ip, key)
  kinds = ip.conversion.made_kinds
  are_some = any(kinds.forms[number].scalar_kinds() for number in kinds.known)

  def found(one: object) -> object:
    if are_some and not _forms.form_of(one, ip.frame).scalar_kinds():
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, not_a_key(ip, one))
    return key_of(ip, one)

  return _opened.for_each(ip, key, found)


def _new_key(ip: Host, table: LocalTable, key: object) -> object:
  """Returns a key that is put in: the run fails where a scalar is no string, or of another kind.

  All keys are of one kind, and that of the first of several kinds is taken for a string.
  """
  found, form = _key(ip, key), keys_of(table).form
  if not isinstance(found, Scalar):
    return found
  taken = frozenset([str]) if form is None else form.scalar_kinds()
  kinds = found.kinds & taken & {str, int}
  if len(taken) != 1 or not kinds:
    return found
  ip.frame.demand(found.is_of(kinds))
  return Text((found.text,)) if str in kinds else found.number(int)


def _check_key(ip: Host, table: LocalTable, key: object) -> None:
  """Refuses a new key that is none, or of another type than those that are there."""
  form, keys = _forms.form_of(key, ip.frame), keys_of(table)
  if not form.is_key():
    text = f"A key that is {_forms.describe(form)}, of a dict that is looked into in the run."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  if keys.form is not None:
    check_alike(ip, keys.form, form)


def _take_out(ip: Host, table: LocalTable, key: object) -> None:
  """Takes out what is there under a key; the run fails where nothing is."""
  wanted, keys = _key(ip, key), keys_of(table)
  if keys.form is None:
    raise Raises
  _note_order(ip, table)
  found, index = find(ip, keys, wanted)
  index = ip.frame.check(index, found.tensor, f"a {table.type.__name__} has no such key")
  table.content = rows_without(ip.frame, table.rows, index)


def _are_in(ip: Host, rows: Rows, others: Rows) -> tf.Tensor:
  """Returns which members are among others, bool [N]."""
  if rows.form is None or others.form is None:
    return tf.fill([rows.length], False)
  ip.frame.partial()
  check_alike(ip, rows.form, others.form)
  return tf.reduce_any(_equal_pairs(rows, others), 1)


def _equal_pairs(keys: Rows, others: Rows) -> tf.Tensor:
  """Returns which keys equal which, of keys of one form, bool [N, M]."""
  equal = tf.ones([keys.length, others.length], tf.bool)
  for one, other in zip(keys.tensors, others.tensors, strict=True):
    equal = tf.logical_and(equal, tf.equal(one[:, tf.newaxis], other[tf.newaxis]))
  return equal


def _keep(ip: Host, table: LocalTable, other: LocalTable, are_in: bool) -> None:
  """Lets go of all members but those that are in another set, or that are not."""
  _note_order(ip, table)
  rows = table.rows
  kept = tf.equal(_are_in(ip, rows, other.rows), are_in)
  tensors = tuple(tf.boolean_mask(tensor, kept) for tensor in rows.tensors)
  table.content = Rows(tf.reduce_sum(tf.cast(kept, tf.int32)), tensors, rows.form)


def _as_set(ip: Host, value: object) -> LocalTable:
  return value if isinstance(value, LocalTable) and is_set(value) else of_elements(ip, value)


def _is_disjoint(ip: Host, table: LocalTable, other: object) -> object:
  are_in = _are_in(ip, table.rows, _as_set(ip, other).rows)
  return Number(tf.logical_not(tf.reduce_any(are_in)), bool)


def _is_subset(ip: Host, table: LocalTable, other: object) -> object:
  return Number(tf.reduce_all(_are_in(ip, table.rows, _as_set(ip, other).rows)), bool)


def _is_superset(ip: Host, table: LocalTable, other: object) -> object:
  return _is_subset(ip, _as_set(ip, other), table)


def _copy_of_set(ip: Host, table: LocalTable) -> LocalTable:
  return table if table.type is frozenset else copied(ip, table)


def _changed(op: type[ast.operator]) -> Callable[..., object]:
  def change(ip: Host, table: LocalTable, other: object) -> object:
    return in_place(ip, op, copied(ip, table), _as_set(ip, other))

  return change


def _note_order(ip: Host, table: LocalTable) -> None:
  """Notes that members of a set are put elsewhere than where adding them would put them."""
  if is_set(table):
    ip.conversion.note_unordered()


def _merge(ip: Host, table: LocalTable, other: Rows) -> None:
  """Puts rows into a table, none of which is there twice."""
  rows = table.rows
  if rows.form is None or other.form is None:
    table.content = rows if other.form is None else other
    return
  table.content = _unique(ip, concatenated(ip.frame, rows, other), table.type)


def _unique(ip: Host, rows: Rows, kind: type) -> Rows:
  """Returns rows with each key once, where it was first; of pairs with the last of its values."""
  if rows.form is None:
    return rows
  ip.frame.partial()
  keys = rows if kind in SETS else _forms.part_of(rows, 0)
  equal = _equal_pairs(keys, keys)
  places = tf.range(rows.length)
  first = tf.reduce_min(tf.where(equal, places[tf.newaxis], rows.length), 1)
  is_first = tf.equal(first, places)
  if kind not in SETS:
    last = tf.reduce_max(tf.where(equal, places[tf.newaxis], -1), 1)
    chosen = tf.boolean_mask(last, is_first)
  else:
    chosen = tf.boolean_mask(places, is_first)
  tensors = tuple(tf.gather(tensor, chosen) for tensor in rows.tensors)
  return Rows(tf.shape(chosen)[0], tensors, rows.form)


def _as_keys(ip: Host, rows: Rows) -> Rows:
  """Returns elements of a list as keys: strings and numbers of the heap as what they are."""
  rows = scalar_elements(ip, rows)
  if rows.form is None:
    return rows
  form: _forms.BaseForm = rows.form
  if isinstance(form, _forms.RefForm) and form.types == {tuple}:
    return _keys_of_parts(ip, _taken_apart(ip, rows))
  if isinstance(form, _forms.NestForm) and form.type is tuple and form.parts:
    return _keys_of_parts(ip, rows)
  if isinstance(form, _forms.RefForm) and form.types == {str}:
    form = _forms.TextForm()
  elif isinstance(form, _forms.RefForm) and form.types == {int}:
    form = _forms.NumberForm(int)
  has_own = isinstance(form, _forms.RefForm) and any(map(has_own_key, form.types))
  if has_own or not form.is_key():
    text = f"A key that is {_forms.describe(form)}, of a dict that is looked into in the run."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  tensors = form.widened(rows.form, iter(rows.tensors), rows.length, ip.frame)
  return Rows(rows.length, tuple(tensors), form)


def _keys_of_parts(ip: Host, rows: Rows) -> Rows:
  """Returns tuples as keys: what their parts are."""
  form = rows.form
  if form is None:
    return rows
  assert isinstance(form, _forms.NestForm)  # They are tuples of one length.
  parts = [_as_keys(ip, _forms.part_of(rows, i)) for i in range(len(form.parts))]
  forms = tuple(part.form for part in parts if part.form is not None)
  tensors = tuple(tensor for part in parts for tensor in part.tensors)
  return Rows(rows.length, tensors, _forms.NestForm(tuple, form.keys, forms))


def _taken_apart(ip: Host, rows: Rows) -> Rows:
  """Returns tuples of the heap as tuples of the program, all of one length: else the run fails."""
  (handles,) = rows.tensors
  count = num_parts(ip, Ref(Base(handles, frozenset([tuple]))))
  written = _written.TUPLES.get(count)
  if written is None:
    text = f"A key that is a tuple of {count}, of a dict that is looked into in the run."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  found = run_written(ip, written, values=ip.frame.new(LocalList(rows)))
  parts = ip.rows_of(found)
  assert parts is not None  # Only the run knows how many there are.
  return parts


def _check_value(ip: Host, form: _forms.Form) -> None:
  """Refuses values that are containers: the dict's rows would be copies of them."""
  if _forms.has_containers(form) or _forms.has_rows(form):
    text = f"A dict whose keys only the run knows holds {_forms.describe(form)}."
    raise ip.frame.refuse(Reason.SHARED_CONTAINER, text)


# --- Methods by name

_Methods = dict[str, tuple[Callable[..., object], tuple[int, ...]]]  # And numbers of arguments.
_DICT: _Methods = {
  "get": (_get, (1, 2)),
  "setdefault": (_setdefault, (1, 2)),
  "pop": (_pop, (1, 2)),
  "__delitem__": (_take_out, (1,)),
  "update": (update, (1,)),
  "copy": (copied, (0,)),
  "clear": (_clear, (0,)),
  **{name: (_view_of(name), (0,)) for name in VIEWS},
}
_SET: _Methods = {
  "add": (_add_one, (1,)),
  "discard": (_discard, (1,)),
  "remove": (_take_out, (1,)),
  "update": (update, (1,)),
  "copy": (_copy_of_set, (0,)),
  "clear": (_clear, (0,)),
  "isdisjoint": (_is_disjoint, (1,)),
  "issubset": (_is_subset, (1,)),
  "issuperset": (_is_superset, (1,)),
  "union": (_changed(ast.BitOr), (1,)),
  "intersection": (_changed(ast.BitAnd), (1,)),
  "difference": (_changed(ast.Sub), (1,)),
  "symmetric_difference": (_changed(ast.BitXor), (1,)),
}
