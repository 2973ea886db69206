"""Forms of what may be None, may not be there, or is not there yet."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert.values._abstract import Maybe, MaybeUnbound, Undefined, Unset
from recursive_tf.convert.values._forms.base import (
  BaseForm,
  Encoded,
  Join,
  Mismatch,
  NoneType,
  Parts,
  Reader,
  Seen,
  Source,
)


@dataclasses.dataclass(frozen=True)
class MaybeForm(BaseForm):
  """None, or a value of this form, which does not cover None: there is one way to say it."""

  value: BaseForm

  def __post_init__(self) -> None:
    assert not self.value.covers_none()

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], tf.bool)
    yield from self.value.specs()

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    value = reader.scalar_or_none(value) if self.scalar_kinds() else reader.optional(value)
    if isinstance(value, Maybe):
      return [value.is_there, *self.value.flatten(value.value, reader)]
    if value is None:
      return [tfi.constant(False, tf.bool), *self.value.flatten(Unset(), reader)]
    return [tfi.constant(True, tf.bool), *self.value.flatten(value, reader)]

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if isinstance(old, MaybeForm):
      there = next(tensors)
      return [there, *self.value.widened(old.value, tensors, length, reader)]
    if NoneType in old.scalar_kinds():  # Objects of the heap: there is no row for None.
      handles = next(tensors)
      some = iter([tf.maximum(handles, 0)])
      return [handles >= 0, *self.value.widened(old.there(), some, length, reader)]
    return [tf.fill([length], True), *self.value.widened(old, tensors, length, reader)]

  def is_repeatable(self) -> bool:
    return self.value.is_repeatable()

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    is_there = next(tensors)
    return Maybe(self.value.unflatten(tensors), is_there)

  def describe(self) -> str:
    return f"None or {self.value.describe()}"

  def children(self) -> tuple[BaseForm | None, ...]:
    return (self.value,)

  def scalar_kinds(self) -> frozenset[type]:
    found: frozenset[type] = self.value.scalar_kinds()
    return found | {NoneType} if found else found

  def is_structured(self) -> bool:
    found: bool = self.value.is_structured()
    return found

  def seen(self) -> Iterator[Seen]:
    yield (), frozenset([NoneType]), None
    yield from self.value.seen()

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    if other is not None and any(value is None for value in other.constant()):
      return self
    if other is None:
      raise Mismatch(f"{self.describe()} and nothing")
    values = [form.value if isinstance(form, MaybeForm) else form for form in (self, other)]
    if all(form.scalar_kinds() for form in values):  # One that is None is no object of the heap.
      values = [form.in_rows() for form in values]
    found = join(*values)
    if isinstance(found, MaybeForm) or found.covers_none():
      return found
    is_made = found.has_rows() and not found.can_be_none() and self.value != found
    return None if is_made else MaybeForm(found)

  def can_be_unbound(self) -> bool:
    found: bool = self.value.can_be_unbound()
    return found

  def can_be_made(self) -> bool:
    found: bool = self.value.can_be_made()
    return found

  def not_made(self) -> str | None:
    found: str | None = self.value.not_made()
    return found

  def rebuild(self, parts: Parts, source: Source) -> object:
    is_there = bool(next(parts))
    if is_there:
      return self.value.rebuild(parts, source)
    for _ in self.value.specs():  # There may be no object of that number.
      next(parts)
    return None

  def is_stackable(self) -> bool:
    return False

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    if value is None:
      return [np.False_, *self.value.zeros()]
    return [np.True_, *self.value.encode(value, handles)]

  def objects_in(self, value: object) -> Iterator[object]:
    if value is not None:
      yield from self.value.objects_in(value)

  def met_in(self, value: object) -> Iterator[object]:
    if value is not None:
      yield from self.value.met_in(value)


@dataclasses.dataclass(frozen=True)
class UndefinedForm(BaseForm):
  """Nothing that may be used."""

  name: str

  def flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return []

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    raise Mismatch(f"elements {old.describe()} and nothing")

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return Undefined(self.name)

  def not_made(self) -> str | None:
    return "What is not there on some paths"


@dataclasses.dataclass(frozen=True)
class MaybeUnboundForm(BaseForm):
  """A variable that is not defined, or has a value of this form."""

  name: str
  value: BaseForm

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], tf.bool)
    yield from self.value.specs()

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    if isinstance(value, Undefined):
      return [tfi.constant(False, tf.bool), *self.value.flatten(Unset(), reader)]
    if isinstance(value, MaybeUnbound):
      return [value.is_bound, *self.value.flatten(value.value, reader)]
    return [tfi.constant(True, tf.bool), *self.value.flatten(value, reader)]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    is_bound = next(tensors)
    return MaybeUnbound(self.name, self.value.unflatten(tensors), is_bound)


@dataclasses.dataclass(frozen=True)
class UnsetForm(BaseForm):
  """Nothing yet; it takes any form."""

  def flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return []

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return Unset()

  def constant(self) -> tuple[object, ...]:
    return (Unset(),)

  def not_made(self) -> str | None:
    return "What is not there on some paths"

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    return []
