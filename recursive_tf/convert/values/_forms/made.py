"""The form of what a run makes, or finds: anything, known by a number."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from recursive_tf.convert.values._abstract import Made
from recursive_tf.convert.values._forms.base import (
  NONE,
  BaseForm,
  DoesNotFit,
  Encoded,
  HandleForm,
  Mismatch,
  NoneType,
  Reader,
  is_heap_object,
)
from recursive_tf.convert.values._forms.data import RefForm
from recursive_tf.convert.values._forms.maybe import MaybeForm

NUMBER = tf.float64  # A tape sees what is led through it.


@dataclasses.dataclass(frozen=True)
class MadeForm(HandleForm):
  """Anything: of other forms on other paths, or of a form that has no end; see `Made`."""

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], NUMBER)

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return [reader.handle(value)]

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if isinstance(old, RefForm):
      reader.note_old(old.types)
      return [tf.cast(next(tensors), NUMBER)]
    if isinstance(old, MadeForm):
      return [next(tensors)]
    if isinstance(old, MaybeForm):
      are_there = next(tensors)
      (handles,) = self._widened(old.value, tensors, length, reader)
      reader.note_old([NoneType])
      return [tf.where(are_there, handles, tf.constant(NONE, NUMBER))]
    if not old.is_value() or not old.can_be_made():
      raise Mismatch(f"elements that are made one by one, and {self.describe()}")
    own = list(itertools.islice(tensors, len([*old.specs()])))
    return [reader.handles_of_rows(old, own, length)]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return Made(next(tensors))

  def describe(self) -> str:
    return "an old or a new object"

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    if value is not None and not is_heap_object(value):
      raise DoesNotFit
    return [np.float64(NONE if value is None else next(handles))]

  def objects_in(self, value: object) -> Iterator[object]:
    if value is not None:
      yield value

  def met_in(self, value: object) -> Iterator[object]:
    yield value

  def is_structured(self) -> bool:
    return True

  def covers_none(self) -> bool:
    return True  # By a number of its own.

  def is_value(self) -> bool:
    return True  # As a part: it is known by its number wherever it is.
