"""The form of what is a number of Python's or NumPy's."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from recursive_tf.convert.values._either import SCALARS, PythonOrNumpy
from recursive_tf.convert.values._forms.base import (
  NUMBERS,
  BaseForm,
  Class,
  DoesNotFit,
  Encoded,
  Mismatch,
  Parts,
  Reader,
  Source,
  dtype_of_number,
  exact_float,
  number_of,
)
from recursive_tf.convert.values._forms.data import ArrayForm, NumberForm
from recursive_tf.convert.values._numbers import Number


@dataclasses.dataclass(frozen=True)
class EitherForm(BaseForm):
  """A number of Python's, or a scalar of NumPy's; see `PythonOrNumpy`.

  Attributes:
    scalar: the type of NumPy's.
    python: the type of Python's.
  """

  scalar: Class
  python: Class

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], self._dtype)
    yield tf.TensorSpec([], tf.bool)

  @property
  def _dtype(self) -> tf.DType:
    return dtype_of_number(SCALARS[self.scalar])

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    value = reader.resolve(value)
    if isinstance(value, PythonOrNumpy):
      return [value.number.tensor, value.is_python]
    number = number_of(value)
    if number is None:
      return [tf.convert_to_tensor(reader.tensor(value)), tf.constant(False)]
    return [self._of_python(number.tensor), tf.constant(True)]

  def _of_python(self, numbers: tf.Tensor) -> tf.Tensor:
    is_mixed = self.python is int and self._dtype == tf.float64
    return exact_float(numbers) if is_mixed else tf.cast(numbers, self._dtype)

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if isinstance(old, EitherForm):
      return super()._widened(old, tensors, length, reader)
    if isinstance(old, NumberForm):
      return [self._of_python(next(tensors)), tf.fill([length], True)]
    if isinstance(old, ArrayForm):
      return [next(tensors), tf.fill([length], False)]
    raise Mismatch(f"elements {old.describe()} and {self.describe()}")

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    number = Number(next(tensors), SCALARS[self.scalar])
    return PythonOrNumpy(number, next(tensors), self.python)

  def describe(self) -> str:
    return f"a {self.python.__name__} or {self.scalar.__name__}"

  def is_value(self) -> bool:
    return True

  def can_be_none(self) -> bool:
    return True

  def is_stackable(self) -> bool:
    return False

  def rebuild(self, parts: Parts, source: Source) -> object:
    number, is_python = source.numbers(next(parts)), source.numbers(next(parts))
    return self._rebuilt(number, is_python)

  def rebuild_rows(self, parts: Parts, source: Source, count: int) -> object:
    numbers, are_pythons = source.numbers(next(parts)), source.numbers(next(parts))
    return [self._rebuilt(*pair) for pair in zip(numbers, are_pythons, strict=True)]

  def _rebuilt(self, number: np.generic, is_python: object) -> object:
    return self.python(number) if is_python else self.scalar(number)

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    dtype = self._dtype.as_numpy_dtype
    if type(value) is self.scalar:
      return [dtype(value), np.False_]
    if type(value) is not self.python or (isinstance(value, int) and abs(value) >= 2**53):
      raise DoesNotFit
    return [dtype(value), np.True_]


def joined(a: BaseForm, b: BaseForm) -> BaseForm | None:
  """Returns the form of numbers of Python's and scalars of NumPy's; None of all else."""
  scalars = {kind for form in (a, b) if (kind := _scalar(form)) is not None}
  numbers = {kind for form in (a, b) if (kind := _number(form)) is not None}
  covered = all(_scalar(form) or _number(form) for form in (a, b))
  if not covered or len(scalars) != 1 or len(numbers) != 1:
    return None
  (scalar,), (number,) = scalars, numbers
  is_alike = SCALARS[scalar] is number or (scalar, number) == (np.float64, int)
  return EitherForm(scalar, number) if is_alike else None


def scalar_of_numpy(form: BaseForm) -> type | None:
  """Returns the class of scalars of NumPy's, of those that have their like in Python; or None."""
  if not isinstance(form, ArrayForm) or len(form.types) != 1 or form.spec.shape.rank != 0:
    return None
  (kind,) = form.types
  return kind if kind in SCALARS else None


def _scalar(form: BaseForm) -> type | None:
  """Returns the class of NumPy's that values may be; None of others."""
  return form.scalar if isinstance(form, EitherForm) else scalar_of_numpy(form)


def _number(form: BaseForm) -> type | None:
  """Returns the type of Python's that values may be; None of others."""
  if isinstance(form, EitherForm):
    return form.python
  kinds = form.scalar_kinds()
  (kind,) = kinds if len(kinds) == 1 else (None,)
  return kind if kind in NUMBERS else None
