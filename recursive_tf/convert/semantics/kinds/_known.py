"""What is known at conversion: a Python object stands for itself, and is guarded."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Sequence
from typing import Any, Generic, TypeVar

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import (
  _arrays,
  _as_eager,
  _attributes,
  _calls,
  _items,
  _iteration,
  _native,
  _operators,
)
from recursive_tf.convert.semantics._protocols import (
  is_own,
  own_length,
  own_method,
  own_truth,
  refuse_opaque,
)
from recursive_tf.convert.semantics.builtins._arithmetic import all_known, known
from recursive_tf.convert.semantics.builtins._objects import is_subclass_of
from recursive_tf.convert.values import _numbers
from recursive_tf.convert.values._abstract import (
  Array,
  BoundMethod,
  LocalList,
  Raises,
  Ref,
  Rows,
  is_static,
  named,
  tuple_of,
)
from recursive_tf.convert.values._forms import NUMBERS
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Once, Slice

Value = TypeVar("Value")
Elements = TypeVar("Elements", bound=Sequence[object])


class Known(Generic[Value]):
  """A Python object; also what any other kind does that has nothing of its own.

  Attributes:
    is_unchanging: whether the number of its elements stays what it is.
  """

  is_unchanging = False

  def __init__(self, ip: Host, value: Value):
    self.ip = ip
    self.frame = ip.frame
    self.value = value

  def truth(self) -> object:
    ip = self.ip
    for name in ("__bool__", "__len__"):
      method = _attributes.by_class(ip.conversion.guards.type_of(self.value), name)
      is_users = method is not None and not _libraries.is_library(self.value)
      if is_users and hasattr(method, "__code__"):
        return own_truth(ip, BoundMethod(method, self.value), name)
    refuse_opaque(ip, self.value, "__bool__", "__len__")
    return bool(self.value)

  def length(self) -> object:
    ip, value = self.ip, self.value
    method = getattr(ip.conversion.guards.type_of(value), "__len__", None)
    if hasattr(method, "__code__"):
      return own_length(ip, BoundMethod(method, value))
    refuse_opaque(ip, value, "__len__")
    found = known(ip, len, value)
    return found if self.is_unchanging else ip.conversion.guards.length(value)

  def attribute(self, name: str) -> object:
    return _attributes.of_static(self.ip, self.value, name)

  def item(self, key: object) -> object:
    own = own_method(self.value, "__getitem__")
    if own is not None:
      return self.ip.call(own, [key], {})
    if own_method(self.value, "__iter__") is not None:  # By which the elements are read here.
      raise self.frame.refuse(
        Reason.OPAQUE_READ, f"An item of a {named(self.value)}, which has an __iter__."
      )
    return self.builtin_item(key)

  def builtin_item(self, key: object) -> object:
    """Returns an item, where the class has no way of its own to them."""
    method = getattr(self.ip.conversion.guards.type_of(self.value), "__getitem__", None)
    if _libraries.is_users(method):
      return self.ip.call(BoundMethod(method, self.value), [key], {})
    raise self.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"An item of a {named(self.value)}.")

  def write_item(self, key: object, new: object) -> None:
    self.ip.conversion.effects.write_item(self.ip, self.value, key, new)

  def rows(self, one_by_one: bool) -> Rows | None:
    return None

  def fixed_items(self, count: int | None) -> list[object]:
    if is_own(self.value, "__iter__"):
      method = getattr(type(self.value), "__iter__", None)
      found = self.ip.call(BoundMethod(method, self.value), [], {})
      if isinstance(found, Once) or (isinstance(found, LocalList) and found.is_iterator):
        return self.ip.fixed_items(found.value if isinstance(found, Once) else found)
      raise self.frame.refuse(Reason.OPAQUE_READ, "__iter__ that does not return iter(...).")
    rows = self.rows(False)
    return self.elements() if rows is None else self.taken_apart(rows, count)

  def taken_apart(self, rows: Rows, count: int | None) -> list[object]:
    """Returns as many elements as there have to be, of what has as many as the run finds."""
    return _iteration.taken_apart(self.ip, rows, count)

  def elements(self) -> list[object]:
    """Returns the elements of what has a known number of them."""
    ip = self.ip
    value: Any = self.value
    if value is None or type(value) in NUMBERS:
      raise Raises  # A TypeError.
    refuse_opaque(ip, value, "__iter__", "__getitem__", "__len__", "__next__")
    if is_own(value, "__getitem__", "__len__"):
      raise self.frame.refuse(Reason.OPAQUE_READ, f"Iterating over a {named(value)} by its items.")
    is_stream = isinstance(value, tf.data.Dataset) or hasattr(type(value), "__next__")
    if not is_stream and hasattr(type(value), "__len__"):
      count = len(value)
      ip.budget.take(count)
      # What has a length need not end there.
      elements = ip.native(lambda v: list(itertools.islice(v, count)), [value], {})
      return list(elements.items)
    raise self.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"Iterating over a {named(value)}.")

  def unary(self, op: type[ast.unaryop]) -> object:
    return self.ip.native(_operators.UNARY[op], [self.frame.tensor(self.value)], {})

  def class_of(self) -> object:
    return self.ip.conversion.guards.type_of(self.value)

  def is_instance(self, classes: tuple[type, ...]) -> object:
    is_subclass_of(self.ip, self._class(), classes)  # Guards it.
    return isinstance(self.value, classes)

  def is_callable(self) -> object:
    self.ip.conversion.guards.of_class(self._class(), "__call__")
    return callable(self.value)

  def _class(self) -> type:
    """Returns the class, which is guarded if it may become another one."""
    kind = type(self.value)
    is_fixed = kind.__module__ == "builtins" or _libraries.is_library(kind)
    return kind if is_fixed else self.ip.conversion.guards.type_of(self.value)

  def lowered(self) -> object:
    if is_static(self.value):
      _native.watch_calls(self.ip, self.value)
    return self.frame.tensor(self.value)

  def call(self, args: list[object], kwargs: dict[str, object]) -> object:
    return _calls.call_known(self.ip, self.value, args, kwargs)

  def plain(self) -> object:
    return self.value

  def absolute(self) -> object:
    if all_known([self.value]):
      return known(self.ip, abs, self.value)
    return self.ip.native(abs, [self.value], {})

  def converted(self, kind: type, is_alone: bool) -> object:
    raise self.frame.refuse(Reason.NEEDS_VALUE, f"{kind.__name__}() of what only the run knows.")

  def listed(self) -> object:
    value: object = self.value
    if isinstance(value, (tf.Variable, keras.Variable)):
      return _as_eager.TENSOR
    is_number = type(value) in NUMBERS or isinstance(value, np.generic)
    return type(value) if is_number else None

  def is_none(self) -> object:
    return self.frame.resolve(self.value) is None

  def classes(self) -> Collection[type] | None:
    kind = type(self.value)
    return [kind] if isinstance(self.value, tuple) or is_static(self.value) else None

  def may_equal_number(self) -> bool:
    is_of_tensorflow = isinstance(self.value, (tf.Variable, np.generic))
    return is_of_tensorflow or is_own(self.value, "__eq__", "__ne__")

  def entry(self, table: dict[object, object]) -> object:
    if not is_static(self.value) or isinstance(self.value, tf.Tensor):
      raise self.frame.refuse(Reason.NEEDS_VALUE, "A dict's item by a key that only the run knows.")
    _items.watch_compared(self.ip, self.value)
    found = self.ip.conversion.guards.entry(table, self.value)
    if self.value not in table:
      raise Raises
    return found

  def entry_of_heap(self, ref: Ref) -> object:
    return _items.item_by_constant(self.ip, ref, self.value)

  def not_written(self) -> ConversionRefused:
    """Returns the refusal to write an item."""
    return self.frame.refuse(Reason.UNSUPPORTED_WRITE, f"An item of a {named(self.value)}.")

  def not_passed(self, name: str) -> ConversionRefused:
    """Returns the refusal to pass a value of this name to a library."""
    text = f"A {name} of the program is passed to a library."
    return self.frame.refuse(Reason.OPAQUE_CALL, text)

  def not_known(self, what: str) -> ConversionRefused:
    """Returns the refusal of what is asked of a value that only the run knows."""
    return self.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{what} of what only the run knows.")


class OfSequence(Known[Elements]):
  """A sequence that does not change."""

  def builtin_item(self, key: object) -> object:
    index = _items.known_index(self.ip, key, named(self.value))
    return _items.sliced(self.value, index)

  def elements(self) -> list[object]:
    self.ip.budget.take(len(self.value))
    return list(self.value)


class OfTuple(OfSequence[tuple[object, ...]]):
  """A tuple, also a named one; what is in it may be known in the run only."""

  is_unchanging = True

  def builtin_item(self, key: object) -> object:
    return _items.fixed(self.ip, self.value, key)

  def entry(self, table: dict[object, object]) -> object:
    if _items.is_tuple_of_run(self.value):
      return _items.lookup(self.ip, table, self.value)
    return super().entry(table)

  def lowered(self) -> object:
    parts = tuple(_native.lowered(self.ip, part) for part in self.value)
    kind = type(self.value)
    # A tuple of a tf.Module is a proxy, and what a library makes of it, such as gradients, is one.
    return tuple_of(kind, parts) if issubclass(kind, tuple) else kind(parts)


class OfShape(OfSequence[tf.TensorShape]):
  """A shape that is known."""

  def elements(self) -> list[object]:
    if self.value.rank is None:
      raise Raises
    return super().elements()


class OfString(OfSequence[str]):
  """A string that is known."""

  is_unchanging = True

  def builtin_item(self, key: object) -> object:
    is_of_run = isinstance(key, Number) or (isinstance(key, Slice) and key.static() is None)
    if type(self.value) is str and is_of_run:
      return _items.item_of_text(self.ip, self.value, key)
    return super().builtin_item(key)


class OfFrozenSet(Known[Collection[object]]):
  """A frozen set that is known."""

  def elements(self) -> list[object]:
    self.ip.budget.take(len(self.value))
    return self.ip.conversion.guards.elements(self.value)


class OfSet(OfFrozenSet):
  """A set that is known."""

  def truth(self) -> object:
    length = self.length()
    return _numbers.to_bool(length) if isinstance(length, Number) else length > 0

  def length(self) -> Number | int:
    return _items.length_of_static(self.ip, self.value)


class OfListOrDict(OfSet):
  """A list or a dict that is known: what the program writes there is read by its effects."""

  def class_of(self) -> object:
    if self.ip.conversion.guards.is_in_proxy(self.value):
      raise self.frame.refuse(Reason.OPAQUE_READ, "The class of a dict of a tf.Module.")
    return super().class_of()

  def builtin_item(self, key: object) -> object:
    return _items.item_of_static(self.ip, self.value, key)

  def rows(self, one_by_one: bool) -> Rows | None:
    if is_own(self.value, "__iter__"):
      return None
    state = self.ip.conversion.effects.read_static_elements(self.ip, self.value)
    return None if state is None else state.value

  def lowered(self) -> object:
    if self.ip.conversion.effects.is_changed(self.value):
      raise self.frame.refuse(
        Reason.EFFECT_ORDER, f"A {named(self.value)} that is changed is passed to a library."
      )
    return super().lowered()


class OfVariable(Known[tf.Variable]):
  """A variable, where it is not read."""

  def lowered(self) -> object:
    if self.ip.conversion.is_step:
      _native.watch_calls(self.ip, self.value)
      return self.value  # A tape asks for the variable itself.
    return super().lowered()


class OfNumpy(Known[np.ndarray]):
  """An array of NumPy that is known: it may change between runs."""

  def _array(self) -> Array:
    return Array(self.frame.tensor(self.value), frozenset([type(self.value)]), False)

  def truth(self) -> object:
    return self.ip.kind_of(self._array()).truth()

  def builtin_item(self, key: object) -> object:
    return self.ip.kind_of(self._array()).item(key)

  def elements(self) -> list[object]:
    return _arrays.elements(self.ip, self._array())

  def attribute(self, name: str) -> object:
    is_done = type(self.value) is np.ndarray and _arrays.has(name)
    return _arrays.read(self.ip, self._array(), name) if is_done else super().attribute(name)

  def unary(self, op: type[ast.unaryop]) -> object:
    return _arrays.unary(self.ip, op, self._array())

  def plain(self) -> object:
    return self.frame.tensor(self.value)

  def absolute(self) -> object:
    return _arrays.absolute(self.ip, self._array())

  def may_equal_number(self) -> bool:
    return True
