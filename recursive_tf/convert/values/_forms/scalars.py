"""The form of a Python bool, int, float or string, of which the run finds which one it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from recursive_tf.convert.values import _scalars
from recursive_tf.convert.values._forms.base import (
  BaseForm,
  DoesNotFit,
  Encoded,
  NoneType,
  Parts,
  Reader,
  Seen,
  Source,
)
from recursive_tf.convert.values._forms.data import IntOrFloatForm, NumberForm
from recursive_tf.convert.values._forms.maybe import MaybeForm
from recursive_tf.convert.values._forms.text import TextForm
from recursive_tf.convert.values._scalars import KINDS, Scalar


@dataclasses.dataclass(frozen=True)
class ScalarForm(BaseForm):
  """A Python scalar of one of some kinds; see `Scalar`."""

  kinds: frozenset[type]

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], tf.int32)
    yield tf.TensorSpec([], tf.int64)
    if str in self.kinds:
      yield tf.TensorSpec([], tf.string)

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    found = reader.scalar(value)
    return self._parts(found.kind, found.bits, found.text)

  def _parts(self, kind: tf.Tensor, bits: tf.Tensor, text: tf.Tensor) -> list[tf.Tensor]:
    return [kind, bits, text] if str in self.kinds else [kind, bits]

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    kind, bits, text = old.scalar_rows(tensors, length, reader)
    return self._parts(kind, bits, text if text.shape.rank else tf.fill([length], text))

  def scalar_rows(
    self, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    kind, bits = next(tensors), next(tensors)
    return kind, bits, next(tensors) if str in self.kinds else _scalars.no_text()

  def is_repeatable(self) -> bool:
    return True

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    kind, bits = next(tensors), next(tensors)
    text = next(tensors) if str in self.kinds else _scalars.no_text()
    return Scalar(kind, bits, text, self.kinds)

  def describe(self) -> str:
    names = [kind.__name__ for kind in KINDS if kind in self.kinds]
    return f"a Python {' or '.join(names)}"

  def scalar_kinds(self) -> frozenset[type]:
    return self.kinds

  def is_value(self) -> bool:
    return True

  def can_be_none(self) -> bool:
    return True

  def can_be_made(self) -> bool:
    return True

  def seen(self) -> Iterator[Seen]:
    yield (), self.kinds, None

  def rebuild(self, parts: Parts, source: Source) -> object:
    return self._rebuilt([source.numbers(next(parts)) for _ in self.specs()])

  def rebuild_rows(self, parts: Parts, source: Source, count: int) -> object:
    columns = [source.numbers(next(parts)) for _ in self.specs()]
    return [self._rebuilt([column[i] for column in columns]) for i in range(count)]

  def _rebuilt(self, parts: list[np.ndarray]) -> object:
    kind = KINDS[int(parts[0])]
    if kind is str:
      text = parts[2]
      return (text if isinstance(text, bytes) else text.item()).decode()
    bits = np.asarray(parts[1])
    return kind(bits.view(np.float64) if kind is float else bits)

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    found = _scalars.parts_of(value)
    if type(value) not in self.kinds or found is None:
      raise DoesNotFit
    kind, bits, text = found
    parts: Encoded = [np.int32(kind), np.int64(bits), np.array(text.encode(), object)]
    return parts[: len([*self.specs()])]


def joined(a: BaseForm, b: BaseForm) -> BaseForm | None:
  """Returns the form of what is one scalar or another, or None; None of all else."""
  kinds = a.scalar_kinds(), b.scalar_kinds()
  if not all(kinds):
    return None
  union = kinds[0] | kinds[1]
  values = union - {NoneType}
  if not values:
    return None
  is_scalar = any(_has_scalar(form) for form in (a, b))
  form: BaseForm
  if len(values) == 1:
    (kind,) = values
    form = TextForm() if kind is str else NumberForm(kind)
  elif values == {int, float} and not is_scalar:
    form = IntOrFloatForm()
  else:
    form = ScalarForm(values)
  return MaybeForm(form) if NoneType in union else form


def _has_scalar(form: BaseForm) -> bool:
  return isinstance(form.value if isinstance(form, MaybeForm) else form, ScalarForm)
