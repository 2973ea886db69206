"""Forms of single values: constants, tensors, arrays, numbers, objects of the heap, functions."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from recursive_tf.convert.values import _checks
from recursive_tf.convert.values._abstract import (
  Array,
  Base,
  IntOrFloat,
  Ref,
  Undefined,
  Weak,
  shown,
)
from recursive_tf.convert.values._forms.base import (
  BaseForm,
  Mismatch,
  Reader,
  as_int_or_float,
  as_number,
  dtype_of_number,
  exact_float,
  is_exact,
  number_of,
  same_static,
)
from recursive_tf.convert.values._logits import has_logits
from recursive_tf.convert.values._numbers import Number


@dataclasses.dataclass(frozen=True)
class StaticForm(BaseForm):
  """The same Python object each time."""

  value: Any

  def __eq__(self, other: object) -> bool:
    return isinstance(other, StaticForm) and same_static(self.value, other.value)

  def __hash__(self) -> int:
    return hash(type(self.value))

  def flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return []

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> Any:
    return self.value

  def constant(self) -> tuple[object, ...]:
    return (self.value,)

  def describe(self) -> str:
    return f"the constant {shown(self.value)}"


def _noted(tensor: object, reader: Reader) -> object:
  """Returns a tensor that is brought into a form, noted if it is another one behind that."""
  if has_logits(tensor):
    reader.note_logits()
  return tensor


@dataclasses.dataclass(frozen=True)
class TensorForm(BaseForm):
  """A tensor."""

  spec: tf.TensorSpec

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield self.spec

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return [_noted(tf.convert_to_tensor(reader.tensor(reader.resolve(value))), reader)]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> Any:
    tensor = next(tensors)
    tensor.set_shape(self.spec.shape)
    return tensor

  def describe(self) -> str:
    return f"a tensor {self.spec.dtype.name}{self.spec.shape}"


@dataclasses.dataclass(frozen=True)
class ArrayForm(BaseForm):
  """An array or a scalar of NumPy, or a variable of an object; see `Array`."""

  spec: tf.TensorSpec
  types: frozenset[type]
  is_new: bool

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield self.spec

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return [tf.convert_to_tensor(reader.tensor(reader.resolve(value)))]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    tensor = next(tensors)
    tensor.set_shape(self.spec.shape)
    return Array(tensor, self.types, self.is_new)

  def describe(self) -> str:
    names = " or ".join(sorted(kind.__name__ for kind in self.types))
    return f"an array ({names}) {self.spec.dtype.name}{self.spec.shape}"


@dataclasses.dataclass(frozen=True)
class NumberForm(BaseForm):
  """A Python number.

  Attributes:
    type: int, float or bool.
    is_read: whether it was read from the heap, so that it is an object there, too.
  """

  type: type
  is_read: bool = False

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], dtype_of_number(self.type))

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    value = reader.resolve(value)
    return [tf.cast(as_number(value).tensor, dtype_of_number(self.type))]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> Any:
    return Number(next(tensors), self.type)

  def describe(self) -> str:
    return f"a Python {self.type.__name__}"


@dataclasses.dataclass(frozen=True)
class IntOrFloatForm(BaseForm):
  """A Python int or float; see `IntOrFloat`."""

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], tf.float64)
    yield tf.TensorSpec([], tf.bool)

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    found = as_int_or_float(reader.resolve(value))
    return [found.value.tensor, found.is_int]

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if not isinstance(old, NumberForm) or old.type is bool:
      return super()._widened(old, tensors, length, reader)
    numbers = next(tensors)
    is_int = old.type is int
    return [exact_float(numbers) if is_int else numbers, tf.fill([length], is_int)]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> Any:
    return IntOrFloat(Number(next(tensors), float), next(tensors))

  def describe(self) -> str:
    return "a Python int or float"


@dataclasses.dataclass(frozen=True)
class WeakForm(BaseForm):
  """A tensor, or a Python number of this type."""

  spec: tf.TensorSpec
  type: type

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield self.spec
    yield tf.TensorSpec([], tf.bool)

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    value = reader.resolve(value)
    if isinstance(value, Weak):
      return [value.tensor, value.is_number]
    number = number_of(value)
    if number is None:
      return [_noted(tf.convert_to_tensor(value), reader), tf.constant(False)]
    shape = [1 if size is None else size for size in self.spec.shape.as_list()]
    tensor = tf.cast(number.tensor, self.spec.dtype)
    if not is_exact(value, self.spec.dtype):
      exact = tf.equal(tf.cast(tensor, number.tensor.dtype), number.tensor)
      tensor = _checks.check(tensor, exact, "a number that the tensor in its place cannot hold")
    return [tf.fill(shape, tensor), tf.constant(True)]

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if isinstance(old, WeakForm):
      return super()._widened(old, tensors, length, reader)
    if not isinstance(old, TensorForm):
      raise Mismatch(f"elements {old.describe()} and {self.describe()}")
    return [next(tensors), tf.fill([length], False)]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> Any:
    return Weak(next(tensors), next(tensors), self.type)

  def describe(self) -> str:
    return f"a tensor {self.spec.dtype.name}{self.spec.shape}"


@dataclasses.dataclass(frozen=True)
class RefForm(BaseForm):
  """An object of the heap, with the exact types it can have."""

  types: frozenset[type]

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], tf.int32)

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return [reader.base(value).handle]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return Ref(Base(next(tensors), self.types))

  def describe(self) -> str:
    return f"an object ({', '.join(sorted(t.__name__ for t in self.types))})"


@dataclasses.dataclass(frozen=True)
class ClosureForm(BaseForm):
  """A function that is defined inside another, whose variables travel beside it."""

  node: ast.AST

  def flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return []

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return Undefined("function")  # It is made again with its scopes.
