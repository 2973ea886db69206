"""The form of a container with parts known at conversion."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from recursive_tf.convert.values._abstract import (
  VIEWS,
  BoundMethod,
  LocalDict,
  LocalList,
  LocalObject,
  tuple_of,
)
from recursive_tf.convert.values._forms.base import BaseForm, Reader


@dataclasses.dataclass(frozen=True)
class NestForm(BaseForm):
  """A container with parts known at conversion.

  Attributes:
    type: tuple, a named tuple, list, dict, a view of a dict, or the class of a `LocalObject`.
    keys: names of the parts; positions for sequences.
    parts: their forms.
  """

  type: type
  keys: tuple[Any, ...]
  parts: tuple[Any, ...]

  def specs(self) -> Iterator[tf.TensorSpec]:
    for part in self.parts:
      yield from part.specs()

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    parts = parts_of(value)
    return [t for v, f in zip(parts, self.parts, strict=True) for t in f.flatten(v, reader)]

  def _widened(
    self, old: Any, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    return [
      tensor
      for a, b in zip(old.parts, self.parts, strict=True)
      for tensor in b.widened(a, tensors, length, reader)
    ]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> Any:
    return build(self, [part.unflatten(tensors) for part in self.parts])

  def describe(self) -> str:
    if self.type is BoundMethod:
      return "a method"
    return f"a {self.type.__name__} of {len(self.parts)}"


def build(form: NestForm, parts: list[Any]) -> object:
  """Makes a container of this form."""
  if form.type is list or form.type in VIEWS.values():
    found = LocalList(parts)
    found.type = form.type
    return found
  if form.type is dict:
    return LocalDict(dict(zip(form.keys, parts, strict=True)))
  if form.type is BoundMethod:
    return BoundMethod(*parts)
  if issubclass(form.type, tuple):
    return tuple_of(form.type, parts)
  return LocalObject(form.type, dict(zip(form.keys, parts, strict=True)))


def parts_of(value: Any) -> list[Any]:
  """Returns the parts of a container in the order of its form."""
  if isinstance(value, LocalList):
    assert value.items is not None  # Its form is a NestForm.
    return list(value.items)
  if isinstance(value, LocalDict):
    return list(value.items.values())
  if isinstance(value, LocalObject):
    return list(value.fields.values())
  if isinstance(value, BoundMethod):
    return [value.function, value.owner]
  return list(value)
