"""The form of one of several functions or classes: `pick = max if node.is_max else min`.

None may be one of them, as in `visit = getattr(self, name, None)`.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator, Sequence

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert.values._containers import stacked
from recursive_tf.convert.values._forms.base import (
  BaseForm,
  Mismatch,
  Parts,
  Reader,
  Source,
  same_static,
)
from recursive_tf.convert.values._operands import ByKey

_MOST = 32  # Each is a branch where one of them is called.
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, np.ufunc, type, keras.layers.Layer)


@dataclasses.dataclass(frozen=True, eq=False)
class ChoiceForm(BaseForm):
  """One of several functions, classes or layers that conversion knows, or None; see `ByKey`."""

  values: tuple[object, ...]

  def __eq__(self, other: object) -> bool:
    return isinstance(other, ChoiceForm) and same_static(self.values, other.values)

  def __hash__(self) -> int:
    return hash(len(self.values))

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], tf.int32)

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    if not isinstance(value, ByKey):
      return [tf.constant(self._position(value), tf.int32)]
    return [self._moved(value.values, value.index)]

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if not isinstance(old, ChoiceForm):
      raise Mismatch(f"{old.describe()} and {self.describe()}")
    return [self._moved(old.values, next(tensors))]

  def _moved(self, values: Sequence[object], indices: tf.Tensor) -> tf.Tensor:
    """Returns indices into some of the values as those into all."""
    places = [self._position(value) for value in values]
    if places == list(range(len(places))):
      return indices
    return tf.gather(tf.constant(places, tf.int32), indices)

  def _position(self, value: object) -> int:
    return next(i for i, one in enumerate(self.values) if same_static(one, value))

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return ByKey(next(tensors), self.values)

  def describe(self) -> str:
    return "one of several functions"

  def covers_none(self) -> bool:
    return any(value is None for value in self.values)

  def is_repeatable(self) -> bool:
    return True

  def not_made(self) -> str | None:
    return "A function"

  def skeleton(self) -> object:
    return "choice", tuple(map(id, self.values))

  def rebuild(self, parts: Parts, source: Source) -> object:
    return self.values[int(source.numbers(next(parts)))]

  def rebuild_rows(self, parts: Parts, source: Source, count: int) -> object:
    return stacked([self.values[int(i)] for i in source.numbers(next(parts))])


def of_entry(entry: ByKey) -> ChoiceForm | None:
  """Returns the form of an entry of a table of functions; None if others are among them."""
  return _of(entry.values)


def joined(a: BaseForm, b: BaseForm) -> ChoiceForm | None:
  """Returns the form of what is one function or another; None of all else."""
  found = _values(a), _values(b)
  return _of([*found[0], *found[1]]) if all(found) else None


def _values(form: BaseForm) -> tuple[object, ...]:
  return form.values if isinstance(form, ChoiceForm) else form.constant()


def _of(values: Sequence[object]) -> ChoiceForm | None:
  """Returns the form of some values, each once."""
  if not all(map(_is_choosable, values)):
    return None
  several: list[object] = []
  for value in values:
    if not any(same_static(value, one) for one in several):
      several.append(value)
  return ChoiceForm(tuple(several)) if len(several) <= _MOST else None


def _is_choosable(value: object) -> bool:
  """Tells whether a value is None, a function, or classes as `isinstance` takes them."""
  if type(value) is tuple:
    return bool(value) and all(isinstance(part, type) for part in value)
  return value is None or isinstance(value, _FUNCTIONS)
