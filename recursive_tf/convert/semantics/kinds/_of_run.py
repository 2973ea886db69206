"""What only the run knows, and can be used in few ways: nothing is known of its class."""

from __future__ import annotations

import ast
from collections.abc import Collection

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._kind import Kind
from recursive_tf.convert.heap._columns import NONE
from recursive_tf.convert.semantics import (
  _arrays,
  _calls,
  _entries,
  _items,
  _native,
  _opened,
  _operators,
  _shapes,
  _spread,
  _text,
  _text_methods,
)
from recursive_tf.convert.semantics._attributes import Super, in_class
from recursive_tf.convert.semantics.builtins import _table
from recursive_tf.convert.semantics.builtins._objects import is_subclass_of
from recursive_tf.convert.semantics.kinds._known import Known, Value
from recursive_tf.convert.values._abstract import (
  Abstract,
  Array,
  BoundMethod,
  Builtin,
  Closure,
  Made,
  Maybe,
  Ref,
  Rows,
  named,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import ByKey, Shape, Slice
from recursive_tf.convert.values._text import Text


class OfRun(Known[Value]):
  """A value that is no Python object."""

  def class_of(self) -> object:
    raise self.not_known("type()")

  def classes(self) -> Collection[type] | None:
    return None

  def is_instance(self, classes: tuple[type, ...]) -> object:
    raise self.not_known("isinstance")


class OfNoAttributes(OfRun[Value]):
  """A value of which no attribute can be read."""

  def attribute(self, name: str) -> object:
    raise self.frame.refuse(Reason.UNSUPPORTED_OPERATION, f".{name} of a {named(self.value)}.")


class OfPassed(OfNoAttributes[Value]):
  """A value that no library takes."""

  def lowered(self) -> object:
    raise self.not_passed(named(self.value))


class OfSlice(Known[Slice]):
  """A slice, where it is an argument."""

  def lowered(self) -> object:
    raise self.not_passed(named(self.value))


class OfFunction(OfPassed[Value]):
  """What the program can call."""

  def truth(self) -> object:
    return True

  def is_callable(self) -> bool:
    return True


class OfClosure(OfFunction[Closure]):
  """A function that the program defines."""

  def call(self, args: list[object], kwargs: dict[str, object]) -> object:
    return self.ip.call_function(self.value, args, kwargs)


class OfMethod(OfFunction[BoundMethod]):
  """A method with the object that it belongs to."""

  def call(self, args: list[object], kwargs: dict[str, object]) -> object:
    _calls.refuse_subgraph(self.ip, self.value.owner)
    return self.ip.call(self.value.function, [self.value.owner, *args], kwargs)


class OfBuiltin(OfFunction[Builtin]):
  """A method of a value, done by the converter."""

  def call(self, args: list[object], kwargs: dict[str, object]) -> object:
    if _spread.spread(args) is not None:
      return _table.call_spread(self.ip, self.value, args, kwargs)
    _calls.check_fit(self.ip, self.value.name, self.value.call, args, kwargs)
    return self.value.call(*args, **kwargs)


class OfSuper(Known[Super]):
  """What `super()` gives."""

  def attribute(self, name: str) -> object:
    return self.value.read(name)


class OfMaybe(OfRun[Maybe]):
  """None on some paths, where it is not resolved."""

  def attribute(self, name: str) -> object:
    if hasattr(None, name):
      raise self.not_known(f".{name}")
    return self.ip.attribute(self.frame.there(self.value), name)

  def call(self, args: list[object], kwargs: dict[str, object]) -> object:
    return self.ip.call(self.frame.there(self.value), args, kwargs)

  def is_instance(self, classes: tuple[type, ...]) -> object:
    is_value = self.ip.kind_of(self.value.value).is_instance(classes)
    if is_value is issubclass(NoneType, classes):
      return is_value
    return self.frame.cond(
      Number(self.value.is_there, bool), lambda: is_value, lambda: issubclass(NoneType, classes)
    )

  def is_callable(self) -> bool:
    raise self.not_known("callable()")

  def is_none(self) -> object:
    return Number(tf.logical_not(self.value.is_there), bool)


class OfAbstract(OfNoAttributes[Abstract]):
  """A further value that only the run knows."""

  def truth(self) -> object:
    raise self.frame.refuse(Reason.NEEDS_VALUE, f"{self.value.description} is tested.")

  def length(self) -> object:
    raise self.frame.refuse(Reason.NEEDS_VALUE, f"The length of: {self.value.description}.")

  def write_item(self, key: object, new: object) -> None:
    raise self.not_written()

  def entry(self, table: dict[object, object]) -> object:
    raise self.frame.refuse(
      Reason.NEEDS_VALUE, "A dict's item by a string that only the run makes."
    )


class OfEntry(OfAbstract):
  """An entry of a table."""

  value: ByKey

  def truth(self) -> object:
    if not all(map(_has_known_truth, self.value.values)):
      return super().truth()
    return _entries.for_each(self.ip, self.value, lambda one: self.ip.truth(one))

  def is_instance(self, classes: tuple[type, ...]) -> object:
    return _entries.for_each(
      self.ip, self.value, lambda one: self.ip.kind_of(one).is_instance(classes)
    )

  def is_callable(self) -> object:
    return _entries.for_each(self.ip, self.value, lambda one: self.ip.kind_of(one).is_callable())

  def entry(self, table: dict[object, object]) -> object:
    return _entries.for_each(self.ip, self.value, lambda one: self.ip.item(table, one))

  def fixed_items(self, count: int | None) -> list[object]:
    return _entries.parts(self.ip, self.value)

  def lowered(self) -> object:
    raise self.not_passed(named(self.value))


def _has_known_truth(value: object) -> bool:
  """Tells whether of an entry of a table is known whether it is true, or it is None."""
  is_true = not any(in_class(type(value), name) for name in ("__bool__", "__len__"))
  return value is None or type(value) is tuple or _entries.is_failing(value) or is_true


class OfRowGradient(OfAbstract):
  """A gradient of rows, which functions take as a tensor or as rows one by one."""

  def lowered(self) -> object:
    text = f"{self.value.description} is used. Make it a tensor first: tf.convert_to_tensor(...)"
    raise self.frame.refuse(Reason.NEEDS_VALUE, f"{text}.")


class OfByType(OfAbstract):
  """What the class of an object says."""

  def is_callable(self) -> bool:
    raise self.not_known("callable()")


def _truth_of_class(kind: type) -> bool | None:
  """Returns the truth of all objects of an exact type; None where these have one of their own."""
  if kind is NoneType:
    return False
  has_own = any(in_class(kind, name) for name in ("__bool__", "__len__"))
  return None if has_own else True


def _truth_by_class(kinds: frozenset[type]) -> bool | None:
  """Returns the truth of all objects of some exact types; None where they do not say it."""
  found = {*map(_truth_of_class, kinds)}
  return found.pop() if len(found) == 1 else None


class OfMade(OfAbstract):
  """An object that the run made, or one of the heap."""

  value: Made

  def truth(self) -> object:
    found = _opened.for_each(self.ip, self.value, self.ip.truth, _truth_by_class)
    return _opened.noted(self.ip, self.value, found, _truth_by_class)

  def length(self) -> object:
    return _opened.for_each(
      self.ip, self.value, lambda value: self._resolved(value).length(), needs=["__len__"]
    )

  def attribute(self, name: str) -> object:
    return self.ip.attribute(self.value, name)

  def class_of(self) -> object:
    return _opened.for_each(self.ip, self.value, lambda value: self.ip.kind_of(value).class_of())

  def is_instance(self, classes: tuple[type, ...]) -> object:
    return _opened.is_instance(self.ip, self.value, classes)

  def rows(self, one_by_one: bool) -> Rows | None:
    return _opened.rows(self.ip, self.value, one_by_one)

  def elements(self) -> list[object]:
    found = _opened.elements(self.ip, self.value, False)
    assert not isinstance(found, Rows)  # Else they are rows.
    return list(found)

  def _resolved(self, value: object) -> Kind:
    return self.ip.kind_of(value)

  def is_callable(self) -> bool:
    raise self.not_known("callable()")

  def unary(self, op: type[ast.unaryop]) -> object:
    return _opened.for_each(
      self.ip, self.value, lambda value: _operators.unary_value(self.ip, op, value)
    )

  def absolute(self) -> object:
    return _opened.for_each(self.ip, self.value, lambda value: self.ip.call(abs, [value], {}))

  def is_none(self) -> object:
    found = Number(tf.equal(self.value.handle, NONE), bool)
    return _opened.noted(self.ip, self.value, found, lambda kinds: kinds == {NoneType})

  def lowered(self) -> object:
    return _opened.for_each(self.ip, self.value, self._tensor)

  def _tensor(self, value: object) -> object:
    value = self.frame.resolve(value)
    if isinstance(value, Array) and _arrays.is_tensor_or_variable(value):
      return value.tensor
    if not isinstance(value, tf.Tensor):
      raise self.not_passed(f"{named(value)}, which a call has returned,")
    return value


class OfRunShape(OfAbstract):
  """The shape of a tensor, of which only the run knows a size."""

  value: Shape

  def truth(self) -> object:
    return True  # Also of a scalar: its rank is known.

  def length(self) -> object:
    return len(self.value.dims)

  def attribute(self, name: str) -> object:
    return _shapes.read(self.ip, self.value, name)

  def builtin_item(self, key: object) -> object:
    return _shapes.item(self.ip, self.value, _items.known_index(self.ip, key, "shape"))

  def elements(self) -> list[object]:
    return list(self.value.dims)

  def lowered(self) -> object:
    return [_native.lowered(self.ip, size) for size in self.value.dims]


class OfText(OfAbstract):
  """A string that only the run knows."""

  value: Text

  def truth(self) -> object:
    return _text.truth(self.ip, self.value)

  def length(self) -> object:
    return _text.length(self.ip, self.value)

  def attribute(self, name: str) -> object:
    if name == "__class__":
      return self.class_of()
    return _text_methods.of_string(self.ip, self.value, name)

  def rows(self, one_by_one: bool) -> Rows | None:
    return _text_methods.characters(self.ip, self.value)

  def builtin_item(self, key: object) -> object:
    return _items.item_of_text(self.ip, self.value, key)

  def class_of(self) -> object:
    return str

  def classes(self) -> Collection[type]:
    return [str]

  def is_instance(self, classes: tuple[type, ...]) -> object:
    return is_subclass_of(self.ip, str, classes)

  def lowered(self) -> object:
    raise self.not_passed(named(self.value))

  def entry(self, table: dict[object, object]) -> object:
    return _items.lookup(self.ip, table, self.value)

  def converted(self, kind: type, is_alone: bool) -> object:
    if not is_alone or kind not in (int, float):
      return super().converted(kind, is_alone)
    self.frame.partial()
    return _text_methods.number(self.ip, kind, self.value)

  def entry_of_heap(self, ref: Ref) -> object:
    return _items.item_by_string(self.ip, ref, self.value)
