"""The form of strings that only the run knows."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import tensorflow as tf

from recursive_tf.convert.values._abstract import Base, Ref
from recursive_tf.convert.values._forms.base import BaseForm, Reader
from recursive_tf.convert.values._forms.data import RefForm
from recursive_tf.convert.values._text import Text, tensor_of


@dataclasses.dataclass(frozen=True)
class TextForm(BaseForm):
  """A Python string; its tensor is the UTF-8."""

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
