"""Containers and objects that the program makes."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.semantics import (
  _attributes,
  _calls,
  _comparison,
  _items,
  _iteration,
  _native,
  _operators,
  _tables,
)
from recursive_tf.convert.semantics._protocols import own_length, own_truth
from recursive_tf.convert.semantics.builtins import _objects
from recursive_tf.convert.semantics.builtins._objects import is_subclass_of
from recursive_tf.convert.semantics.kinds._of_run import OfPassed, OfRun
from recursive_tf.convert.values._abstract import (
  Builtin,
  Container,
  LocalDict,
  LocalList,
  LocalObject,
  LocalTable,
  Raises,
  Rows,
)
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._stand_ins import python_type


def _is_not_empty(rows: Rows) -> Number:
  return Number(tf.greater(rows.length, tfi.constant(0, tf.int32)), bool)


class OfRows(OfPassed[Rows]):
  """Elements of one form, as many as the run finds: a tuple, a range or a view of a dict."""

  def truth(self) -> object:
    return _is_not_empty(self.value)

  def length(self) -> object:
    return Number(self.value.length, int)

  def item(self, key: object) -> object:
    if self.value.type is None:  # A range, whose slices are ranges, or a view, which has no items.
      text = "An item or a slice of a range or of a view of a dict."
      raise self.ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
    return _items.item_of_rows(self.ip, self.value, key)

  def rows(self, one_by_one: bool) -> Rows | None:
    is_known = self.value.type is tuple  # Others have no name.
    return _iteration.noted(self.ip, self.value, None, is_known and not one_by_one)

  def class_of(self) -> object:
    return super().class_of() if self.value.type is None else self.value.type

  def is_instance(self, classes: tuple[type, ...]) -> object:
    if self.value.type is None:
      return super().is_instance(classes)
    return is_subclass_of(self.ip, self.value.type, classes)


class OfMethods(OfRun[Container]):
  """A list or dict of the program, of which methods can be called."""

  def attribute(self, name: str) -> object:
    ip, value = self.ip, self.value
    if name == "__class__":
      return self.class_of()
    if not _objects.may_have(value, name):
      raise Raises  # An AttributeError.
    kind = _objects.kind_of_made(value)
    if kind is not None and _attributes.by_class(kind, name) is None:
      return None  # As `__hash__` of a list.
    return Builtin(name, lambda *args, **kwargs: ip.method(value, name, args, kwargs), owner=value)

  def unary(self, op: type[ast.unaryop]) -> object:
    raise _operators.unsupported(self.ip, op.__name__, self.value, self.value)


class OfList(OfMethods):
  """A list, what a dict shows of itself, or an iterator."""

  value: LocalList

  def truth(self) -> object:
    if self.value.is_iterator:
      return True
    content = self.value.content
    return _is_not_empty(content) if isinstance(content, Rows) else bool(content)

  def length(self) -> object:
    content = self.value.content
    return Number(content.length, int) if isinstance(content, Rows) else len(content)

  def item(self, key: object) -> object:
    if self.value.type is not list or self.value.is_iterator:
      raise Raises  # A view of a dict has no items, nor has an iterator.
    content = self.value.content
    if isinstance(content, Rows):
      return _items.item_of_rows(self.ip, dataclasses.replace(content, type=None), key)
    return _items.fixed(self.ip, list(content), key)

  def write_item(self, key: object, new: object) -> None:
    items = self.value.items
    if items is None or type(key) is not int:
      if self.value.type is not list or self.value.is_iterator:
        raise Raises
      _items.write_item_of_run(self.ip, self.value, key, new)
      return
    if self.value.type is not list or not -len(items) <= key < len(items):
      raise Raises
    changed = list(items)
    changed[key] = new
    self.value.content = changed

  def rows(self, one_by_one: bool) -> Rows | None:
    content = self.value.content
    if not isinstance(content, Rows):
      return None
    return _iteration.noted(self.ip, content, self.value, not one_by_one)

  def elements(self) -> list[object]:
    return list(self.value.items or ())

  def class_of(self) -> object:
    return self.value.type

  def classes(self) -> Collection[type]:
    return [self.value.type]

  def is_instance(self, classes: tuple[type, ...]) -> object:
    return is_subclass_of(self.ip, self.value.type, classes)

  def lowered(self) -> object:
    if self.value.items is None:
      raise self.frame.refuse(
        Reason.DYNAMIC_LIST, "A list whose length only the run knows is passed to a library."
      )
    return [_native.lowered(self.ip, part) for part in self.value.items]


class OfTable(OfMethods):
  """A dict whose keys only the run knows, or a set."""

  value: LocalTable

  def attribute(self, name: str) -> object:
    if name == "default_factory":
      text = "The default_factory of a defaultdict that the program makes."
      raise self.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
    return super().attribute(name)

  def truth(self) -> object:
    return _is_not_empty(self.value.rows)

  def length(self) -> object:
    return Number(self.value.rows.length, int)

  def item(self, key: object) -> object:
    return _tables.item(self.ip, self.value, self.frame.resolve(key))

  def write_item(self, key: object, new: object) -> None:
    _tables.write_item(self.ip, self.value, self.frame.resolve(key), new)

  def rows(self, one_by_one: bool) -> Rows | None:
    return _tables.elements(self.ip, self.value)

  def class_of(self) -> object:
    return self.value.type

  def is_instance(self, classes: tuple[type, ...]) -> object:
    return is_subclass_of(self.ip, self.value.type, classes)

  def lowered(self) -> object:
    raise self.not_passed(f"{self.value.type.__name__} whose keys only the run knows")


class OfDict(OfMethods):
  """A dict."""

  value: LocalDict

  def truth(self) -> object:
    return bool(self.value.items)

  def length(self) -> object:
    return len(self.value.items)

  def item(self, key: object) -> object:
    return _items.item_of_made(self.ip, self.value, key)

  def write_item(self, key: object, new: object) -> None:
    key = _items.static_key(self.ip, self.frame.resolve(key), self.value.site)
    self.value.items = {**self.value.items, key: new}

  def elements(self) -> list[object]:
    return list(self.value.items)

  def class_of(self) -> object:
    return dict

  def classes(self) -> Collection[type]:
    return [dict]

  def is_instance(self, classes: tuple[type, ...]) -> object:
    return is_subclass_of(self.ip, dict, classes)

  def lowered(self) -> object:
    return {key: _native.lowered(self.ip, part) for key, part in self.value.items.items()}


class OfObject(OfRun[LocalObject]):
  """An instance of a class of the user's."""

  def truth(self) -> object:
    for name in ("__bool__", "__len__"):
      if _attributes.in_class(self.value.type, name):
        return own_truth(self.ip, self.ip.attribute(self.value, name), name)
    return True

  def length(self) -> object:
    return own_length(self.ip, self.ip.attribute(self.value, "__len__"))

  def attribute(self, name: str) -> object:
    return _attributes.of_object(self.ip, self.value, name)

  def item(self, key: object) -> object:
    return self.ip.call(self.ip.attribute(self.value, "__getitem__"), [key], {})

  def write_item(self, key: object, new: object) -> None:
    raise self.not_written()

  def rows(self, one_by_one: bool) -> Rows | None:
    return _iteration.own_rows(self.ip, self.value, [self.value.type])

  def unary(self, op: type[ast.unaryop]) -> object:
    raise _operators.unsupported(self.ip, op.__name__, self.value, self.value)

  def class_of(self) -> object:
    return python_type(self.value.type)

  def classes(self) -> Collection[type]:
    return [self.value.type]

  def is_instance(self, classes: tuple[type, ...]) -> object:
    kind = python_type(self.value.type)
    return self.value.type in classes or is_subclass_of(self.ip, kind, classes)

  def is_callable(self) -> bool:
    return _attributes.in_class(self.value.type, "__call__")

  def lowered(self) -> object:
    raise self.not_passed(self.value.type.__name__)

  def call(self, args: list[object], kwargs: dict[str, object]) -> object:
    return _calls.call(self.ip, self.ip.attribute(self.value, "__call__"), args, kwargs)

  def may_equal_number(self) -> bool:
    return _comparison.has_own_eq(self.value.type)
