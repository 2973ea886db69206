"""Objects of the heap, read when they are needed."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Collection

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._kinds import SETS, is_builtin_container, is_plain_sequence
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import (
  _as_eager,
  _attributes,
  _calls,
  _entries,
  _items,
  _iteration,
  _operators,
  _text_methods,
  _truth,
)
from recursive_tf.convert.semantics._exactly import demand_exactly
from recursive_tf.convert.semantics._protocols import own_length
from recursive_tf.convert.semantics.builtins._objects import is_subclass_of
from recursive_tf.convert.semantics.kinds._of_run import OfRun
from recursive_tf.convert.values._abstract import Missing, Raises, Ref, Rows
from recursive_tf.convert.values._forms import NUMBERS, NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import ByType


class OfRef(OfRun[Ref]):
  """Something that is read from the heap."""

  def _kinds(self) -> frozenset[type]:
    return self.frame.types_of(self.value) - {NoneType, Missing}

  def truth(self) -> object:
    return _truth.of_ref(self.ip, self.value)

  def length(self) -> object:
    ip, kinds = self.ip, self._kinds()
    if len(kinds) == 1 and (changed := ip.conversion.effects.rows_of_list(ip, self.value)):
      return Number(changed.length, int)
    table = ip.conversion.effects.table_of_dict(ip, self.value)
    if table is not None:
      return ip.kind_of(table).length()
    sized = frozenset(kind for kind in kinds if hasattr(kind, "__len__"))
    if sized and sized != kinds:  # Of others there is no len().
      demand_exactly(ip, self.value, sized)
      return self.length()
    if any(not is_builtin_container(kind) for kind in kinds):
      groups = [[kind] for kind in sorted(kinds, key=repr)]
      return _attributes.by_type(ip, self.value, groups, self._length)
    ip.conversion.effects.check_unchanged(ip, kinds)
    return self.frame.length(self.value)

  def _length(self, ref: Ref, group: list[type]) -> object:
    kind = group[0]
    if is_builtin_container(kind):
      return self.frame.length(ref)
    if not isinstance(_attributes.by_class(kind, "__len__"), types.FunctionType):
      raise self.frame.refuse(Reason.OPAQUE_READ, f"len() of a {kind.__name__}.")
    return own_length(self.ip, self.ip.attribute(ref, "__len__"))

  def attribute(self, name: str) -> object:
    return _attributes.of_ref(self.ip, self.value, name)

  def item(self, key: object) -> object:
    return _items.item_of_heap(self.ip, self.value, key)

  def rows(self, one_by_one: bool) -> Rows | None:
    ip, value, kinds = self.ip, self.value, self._kinds()
    if len(kinds) == 1 and (changed := ip.conversion.effects.rows_of_list(ip, value)):
      return changed
    table = ip.conversion.effects.table_of_dict(ip, value)
    if table is not None:
      return ip.rows_of(table)
    if kinds == {str}:
      return _text_methods.characters(ip, value)
    if kinds and all(is_plain_sequence(kind) for kind in kinds):
      ip.conversion.effects.check_unchanged(ip, kinds)
      return self.frame.elements(value)
    if kinds and all(map(_is_plain_dict, kinds)):
      return _iteration.contents_of_dict(ip, value, "keys")
    if kinds and kinds <= SETS:
      return _iteration.members(ip, value)
    found = _iteration.own_rows(ip, value, self.frame.types_of(value))
    if found is not None:
      return found
    if not any(map(_has_own_elements, kinds)):
      # Lists beside leaves, dicts or tensors, which hardly any path gets to that goes over one.
      for is_one in (is_plain_sequence, _is_plain_dict):
        alike = frozenset(filter(is_one, kinds))
        if alike:
          demand_exactly(ip, value, alike)
          return self.rows(False)
    if any(map(_is_iterable, kinds)):
      raise self.frame.refuse(
        Reason.OPAQUE_READ, f"Iterating over a {' or '.join(k.__name__ for k in kinds)}."
      )
    raise Raises

  def taken_apart(self, rows: Rows, count: int | None) -> list[object]:
    if count is None or not _iteration.has_items_in_order(self.ip, self.value):
      return super().taken_apart(rows, count)
    if self.ip.conversion.effects.has_changed_lists(self._kinds()):
      return super().taken_apart(rows, count)
    length = self.frame.length(self.value)
    self.frame.demand(tf.equal(length.tensor, count))
    return [_items.builtin_item(self.ip, self.value, i) for i in range(count)]

  def unary(self, op: type[ast.unaryop]) -> object:
    raise _operators.unsupported(self.ip, op.__name__, self.value, self.value)

  def class_of(self) -> object:
    kinds = self.frame.types_of(self.value) - {Missing}
    if len(kinds) == 1:
      return next(iter(kinds))
    return ByType(
      self.value, {kind: kind for kind in sorted(kinds, key=repr)}, self.ip.value_of_class
    )

  def classes(self) -> Collection[type]:
    return self.frame.types_of(self.value) - {Missing}

  def is_instance(self, classes: tuple[type, ...]) -> object:
    return self._is_of(lambda kind: is_subclass_of(self.ip, kind, classes))

  def is_callable(self) -> object:
    return self._is_of(lambda kind: _attributes.in_class(kind, "__call__"))

  def _is_of(self, test: Callable[[type], bool]) -> object:
    frame, value = self.frame, self.value
    kinds = frame.types_of(value) - {Missing}
    inside = frozenset(filter(test, kinds))
    if len(inside) in (0, len(kinds)):
      _attributes.demand_there(self.ip, value)
      return bool(inside)
    found = frame.number(value.step("isinstance", tuple(sorted(inside, key=repr))))
    return frame.note(found, [(value, inside)], [(value, frame.types_of(value) - inside)])

  def call(self, args: list[object], kwargs: dict[str, object]) -> object:
    if self.value.path and self.value.path[-1][0] == "lookup":
      return _calls.call_entry(self.ip, self.value, args, kwargs)
    function = _entries.function_of_heap(self.ip, self.value)
    if function is not None:
      return self.ip.call(function, args, kwargs)
    own = [(kind, _attributes.by_class(kind, "__call__")) for kind in self._kinds()]
    if own and all(
      isinstance(call, types.FunctionType) and not _libraries.is_library(kind) for kind, call in own
    ):
      return _calls.call(self.ip, self.ip.attribute(self.value, "__call__"), args, kwargs)
    return _calls.call_no_function(self.ip, self.value, args)

  def converted(self, kind: type, is_alone: bool) -> object:
    if is_alone and self._kinds() == {str}:
      return self.frame.number(self.value.step(kind.__name__))
    kinds, takes = self._kinds(), frozenset([*NUMBERS, str])
    if kinds & takes and not kinds <= takes:  # All else raises, but what has a method for it.
      demand_exactly(self.ip, self.value, kinds & takes)
      return self.ip.call(kind, [self.value], {})
    return super().converted(kind, is_alone)

  def listed(self) -> object:
    return _as_eager.listed(self._kinds())

  def may_equal_number(self) -> bool:
    return True

  def is_none(self) -> object:
    return self.frame.is_none(self.value)

  def entry(self, table: dict[object, object]) -> object:
    return _items.lookup(self.ip, table, self.value)

  def entry_of_heap(self, ref: Ref) -> object:
    return _items.item_by_string(self.ip, ref, self.value)


def _is_plain_dict(kind: type) -> bool:
  return issubclass(kind, dict) and kind.__iter__ is dict.__iter__


def _has_own_elements(kind: type) -> bool:
  """Tells whether a class says itself what its objects are gone over by."""
  is_own = isinstance(getattr(kind, "__iter__", None), types.FunctionType)
  return is_own and not _libraries.is_library(kind)


def _is_iterable(kind: type) -> bool:
  return hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")
