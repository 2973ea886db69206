"""The form of strings that only the run knows."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from recursive_tf.convert.values import _scalars
from recursive_tf.convert.values._abstract import Base, Ref
from recursive_tf.convert.values._forms.base import (
  BaseForm,
  DoesNotFit,
  Encoded,
  Join,
  Parts,
  Reader,
  Seen,
  Source,
)
from recursive_tf.convert.values._forms.data import RefForm
from recursive_tf.convert.values._text import Text, tensor_of


@dataclasses.dataclass(frozen=True)
class TextForm(BaseForm):
  """A Python string; its tensor is the UTF-8."""

  def is_key(self) -> bool:
    return True

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], tf.string)

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return [tensor_of(value, reader)]

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if isinstance(old, RefForm):  # Of strings alone, or there is no common form.
      return [reader.string(Ref(Base(next(tensors), old.types)))]
    return super()._widened(old, tensors, length, reader)

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return Text((next(tensors),))

  def describe(self) -> str:
    return "a string"

  def seen(self) -> Iterator[Seen]:
    yield (), frozenset([str]), None

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    return self if other is not None and other.is_of_strings() else None

  def is_repeatable(self) -> bool:
    return True

  def scalar_kinds(self) -> frozenset[type]:
    return frozenset([str])

  def scalar_rows(
    self, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    kinds = tf.fill([length], _scalars.code(str))
    return kinds, tf.zeros([length], tf.int64), next(tensors)

  def can_be_none(self) -> bool:
    return True

  def is_value(self) -> bool:
    return True

  def can_be_made(self) -> bool:
    return True

  def rebuild(self, parts: Parts, source: Source) -> object:
    return source.numbers(next(parts)).decode()

  def rebuild_rows(self, parts: Parts, source: Source, count: int) -> object:
    return [value.decode() for value in source.numbers(next(parts))]

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    if type(value) is not str:
      raise DoesNotFit
    try:
      return [np.array(value.encode(), object)]
    except UnicodeEncodeError:  # Half of a surrogate pair.
      raise DoesNotFit from None
