"""Numbers of the run, tensors, and arrays of NumPy."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.semantics import (
  _arrays,
  _as_eager,
  _attributes,
  _calls,
  _either,
  _int_or_float,
  _items,
  _of_kinds,
  _operators,
  _shapes,
  _truth,
)
from recursive_tf.convert.semantics.builtins._objects import is_subclass_of
from recursive_tf.convert.semantics.kinds._known import Known
from recursive_tf.convert.semantics.kinds._of_run import OfAbstract, OfNoAttributes, OfRun
from recursive_tf.convert.values import _forms, _numbers, _scalars
from recursive_tf.convert.values._abstract import (
  Array,
  IntOrFloat,
  Raises,
  Ref,
  Rows,
  Weak,
  is_static,
)
from recursive_tf.convert.values._either import PythonOrNumpy
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._scalars import Scalar


class OfNumber(OfNoAttributes[Number]):
  """A Python number that only the run knows."""

  def truth(self) -> object:
    return _numbers.to_bool(self.value)

  def write_item(self, key: object, new: object) -> None:
    raise self.not_written()

  def elements(self) -> list[object]:
    raise Raises  # A TypeError.

  def unary(self, op: type[ast.unaryop]) -> object:
    found = _numbers.unary(op, self.value)
    if found is None:
      raise _operators.unsupported(self.ip, op.__name__, self.value, self.value)
    return found

  def attribute(self, name: str) -> object:
    if not hasattr(self.value.type, name):
      raise Raises  # An AttributeError.
    return self.value.type if name == "__class__" else super().attribute(name)

  def class_of(self) -> object:
    return self.value.type

  def classes(self) -> Collection[type]:
    return [self.value.type]

  def is_instance(self, classes: tuple[type, ...]) -> object:
    return is_subclass_of(self.ip, self.value.type, classes)

  def call(self, args: list[object], kwargs: dict[str, object]) -> object:
    return _calls.call_no_function(self.ip, self.value, args)

  def absolute(self) -> object:
    return _numbers.absolute(self.value)

  def converted(self, kind: type, is_alone: bool) -> object:
    return {int: _numbers.to_int, float: _numbers.to_float}[kind](self.value)

  def listed(self) -> object:
    return self.value.type

  def entry(self, table: dict[object, object]) -> object:
    return _items.lookup(self.ip, table, self.value)


class OfIntOrFloat(OfAbstract):
  """An int or a float."""

  value: IntOrFloat

  def truth(self) -> object:
    return _numbers.to_bool(self.value.value)

  def unary(self, op: type[ast.unaryop]) -> object:
    if op is ast.Invert:
      return _of_kinds.unary(self.ip, "Invert", _scalars.of_either(self.value))
    return _int_or_float.unary(self.ip, op, self.value)

  def is_instance(self, classes: tuple[type, ...]) -> object:
    is_int, is_float = (is_subclass_of(self.ip, kind, classes) for kind in (int, float))
    if is_int is is_float:
      return is_int
    return Number(self.value.is_int if is_int else tf.logical_not(self.value.is_int), bool)

  def class_of(self) -> object:
    return _of_kinds.class_of(_scalars.of_either(self.value))

  def classes(self) -> Collection[type]:
    return [float]  # Which compares as the other one does.

  def entry(self, table: dict[object, object]) -> object:
    return _items.lookup(self.ip, table, self.value)

  def entry_of_heap(self, ref: Ref) -> object:
    return _items.by_scalar(self.ip, ref, self.value)

  def plain(self) -> object:
    return self.value.value

  def absolute(self) -> object:
    return _int_or_float.absolute(self.value)

  def listed(self) -> object:
    return float


class OfScalar(OfAbstract):
  """A bool, an int, a float or a string."""

  value: Scalar

  def _each(self, then: Callable[[object], object]) -> object:
    return _of_kinds.for_each(self.ip, self.value, then)

  def _has(self, name: str) -> list[type]:
    return [kind for kind in self.value.kinds if _attributes.in_class(kind, name)]

  def truth(self) -> object:
    return _scalars.truth(self.value)

  def length(self) -> object:
    return self.ip.kind_of(_of_kinds.only(self.ip, self.value, [str])).length()

  def attribute(self, name: str) -> object:
    having = self._has(name)
    return self.ip.attribute(_of_kinds.only(self.ip, self.value, having), name)

  def builtin_item(self, key: object) -> object:
    return self.ip.item(_of_kinds.only(self.ip, self.value, [str]), key)

  def unary(self, op: type[ast.unaryop]) -> object:
    return _of_kinds.unary(self.ip, op.__name__, self.value)

  def class_of(self) -> object:
    return _of_kinds.class_of(self.value)

  def classes(self) -> Collection[type]:
    return self.value.kinds

  def is_instance(self, classes: tuple[type, ...]) -> object:
    kinds = self.value.kinds
    inside = frozenset(kind for kind in kinds if is_subclass_of(self.ip, kind, classes))
    if len(inside) in (0, len(kinds)):
      return bool(inside)
    found = Number(self.value.is_of(inside), bool)
    return self.frame.note(found, [(self.value, inside)], [(self.value, kinds - inside)])

  def is_callable(self) -> object:
    return False

  def call(self, args: list[object], kwargs: dict[str, object]) -> object:
    raise Raises

  def absolute(self) -> object:
    return _of_kinds.unary(self.ip, "Abs", self.value)

  def converted(self, kind: type, is_alone: bool) -> object:
    if str not in self.value.kinds and is_alone:
      return _of_kinds.unary(self.ip, "Trunc" if kind is int else "Cast", self.value)
    return self._each(lambda value: self.ip.call(kind, [value], {}))

  def entry(self, table: dict[object, object]) -> object:
    return _items.lookup(self.ip, table, self.value)

  def entry_of_heap(self, ref: Ref) -> object:
    return _items.by_scalar(self.ip, ref, self.value)


class OfTensor(Known[tf.Tensor]):
  """A tensor."""

  def truth(self) -> object:
    return _truth.of_tensor(self.ip, self.value)

  def length(self) -> object:
    shape = self.value.shape
    if shape.rank == 0:
      raise Raises
    if shape.rank and shape[0] is not None:
      return shape[0]
    return Number(tf.shape(self.value)[0], int)

  def attribute(self, name: str) -> object:
    if name == "__class__":
      return self.class_of()
    is_of_run = not is_static(self.value)
    if is_of_run and name in _shapes.ATTRIBUTES:
      return _shapes.attribute_of_tensor(self.ip, self.value, name)
    if name in _attributes.NEEDS_VALUE:
      if name == "numpy" and is_of_run and (found := _arrays.of_tensor(self.value)) is not None:
        return found
      raise self.frame.refuse(
        Reason.NEEDS_VALUE, f".{name} of a tensor: its value is not there yet."
      )
    if is_of_run and name in _attributes.OF_GRAPHS:
      raise self.frame.refuse(Reason.OPAQUE_READ, f".{name} of a tensor is another one in a graph.")
    return super().attribute(name)

  def builtin_item(self, key: object) -> object:
    return _items.item_of_tensor(self.ip, self.value, key)

  def write_item(self, key: object, new: object) -> None:
    raise self.not_written()

  def rows(self, one_by_one: bool) -> Rows | None:
    value = self.value
    if not value.shape.rank or value.shape[0] is not None:
      return None
    form = _forms.TensorForm(tf.TensorSpec(value.shape[1:], value.dtype))
    return Rows(tf.shape(value)[0], (value,), form)

  def elements(self) -> list[object]:
    value = self.value
    if value.shape.rank in (None, 0) or value.shape[0] is None:
      raise self.frame.refuse(Reason.DYNAMIC_LIST, "Iterating over a tensor of unknown length.")
    self.ip.budget.take(value.shape[0])
    return list(tf.unstack(value))

  def class_of(self) -> object:
    return _forms.EAGER_TENSOR

  def is_instance(self, classes: tuple[type, ...]) -> object:
    return is_subclass_of(self.ip, _forms.EAGER_TENSOR, classes)

  def call(self, args: list[object], kwargs: dict[str, object]) -> object:
    return _calls.call_no_function(self.ip, self.value, args)

  def converted(self, kind: type, is_alone: bool) -> object:
    if self.value.shape.rank != 0:
      raise self.frame.refuse(Reason.NEEDS_VALUE, f"{kind.__name__}() of a tensor with axes.")
    found = _numbers.from_tensor(kind, self.value)
    if found is None:
      return super().converted(kind, is_alone)
    self.frame.partial()
    return found

  def listed(self) -> object:
    return _as_eager.TENSOR

  def may_equal_number(self) -> bool:
    return True


class OfWeak(OfRun[Weak]):
  """A tensor on some paths, a Python number on others: used as the tensor."""

  def _strong(self) -> OfTensor:
    return OfTensor(self.ip, self.frame.strong(self.value))

  def truth(self) -> object:
    return self._strong().truth()

  def length(self) -> object:
    return self._strong().length()

  def attribute(self, name: str) -> object:
    return self._strong().attribute(name)

  def item(self, key: object) -> object:
    return self._strong().item(key)

  def write_item(self, key: object, new: object) -> None:
    raise self.not_written()

  def elements(self) -> list[object]:
    return self._strong().elements()

  def unary(self, op: type[ast.unaryop]) -> object:
    return self._strong().unary(op)

  def is_instance(self, classes: tuple[type, ...]) -> object:
    value, kinds = self.value, frozenset([self.value.type, _forms.EAGER_TENSOR])
    inside = frozenset(kind for kind in kinds if is_subclass_of(self.ip, kind, classes))
    if len(inside) != 1:
      return bool(inside)
    is_one = value.is_number if value.type in inside else tf.logical_not(value.is_number)
    return self.frame.note(Number(is_one, bool), [(value, inside)], [(value, kinds - inside)])

  def call(self, args: list[object], kwargs: dict[str, object]) -> object:
    return _calls.call_no_function(self.ip, self.value, args)

  def plain(self) -> object:
    return self.frame.strong(self.value)

  def absolute(self) -> object:
    return self._strong().absolute()

  def listed(self) -> object:
    return _as_eager.TENSOR

  def may_equal_number(self) -> bool:
    return True


class OfEither(OfAbstract):
  """A number of Python's, or a scalar of NumPy's."""

  value: PythonOrNumpy

  def truth(self) -> object:
    return _numbers.to_bool(self.value.number)

  def unary(self, op: type[ast.unaryop]) -> object:
    return _either.unary(self.ip, op, self.value)

  def is_instance(self, classes: tuple[type, ...]) -> object:
    of_python, of_numpy = (
      is_subclass_of(self.ip, kind, classes) for kind in (self.value.python, self.value.scalar)
    )
    if of_python is of_numpy:
      return of_python
    is_python = self.value.is_python
    return Number(is_python if of_python else tf.logical_not(is_python), bool)

  def plain(self) -> object:
    return self.value.number

  def absolute(self) -> object:
    return _either.absolute(self.ip, self.value)

  def entry(self, table: dict[object, object]) -> object:
    return _items.lookup(self.ip, table, self.value.number)

  def may_equal_number(self) -> bool:
    return True


class OfArray(OfAbstract):
  """An array or a scalar of NumPy, or a variable of an object."""

  value: Array

  def truth(self) -> object:
    return OfTensor(self.ip, _arrays.only_element(self.ip, self.value)).truth()

  def length(self) -> object:
    _arrays.demand_no_variable(self.ip, self.value)
    return OfTensor(self.ip, self.value.tensor).length()

  def attribute(self, name: str) -> object:
    return _arrays.read(self.ip, self.value, name)

  def builtin_item(self, key: object) -> object:
    return _items.item_of_array(self.ip, self.value, key)

  def rows(self, one_by_one: bool) -> Rows | None:
    return _arrays.rows(self.ip, self.value)

  def elements(self) -> list[object]:
    return _arrays.elements(self.ip, self.value)

  def unary(self, op: type[ast.unaryop]) -> object:
    return _arrays.unary(self.ip, op, self.value)

  def class_of(self) -> object:
    return next(iter(self.value.types)) if len(self.value.types) == 1 else super().class_of()

  def is_instance(self, classes: tuple[type, ...]) -> object:
    return _arrays.is_instance(self.ip, self.value, classes)

  def plain(self) -> object:
    return self.frame.tensor(self.value)

  def absolute(self) -> object:
    return _arrays.absolute(self.ip, self.value)

  def listed(self) -> object:
    is_scalar = self.value.tensor.shape.rank == 0
    return self.value.tensor.dtype.as_numpy_dtype if is_scalar else _as_eager.TENSOR

  def may_equal_number(self) -> bool:
    return True
