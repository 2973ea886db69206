"""The form of elements of which only the run knows how many there are."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.values._abstract import LocalList, Rows
from recursive_tf.convert.values._forms.base import BaseForm, Mismatch, Reader

# In the names of ops that put elements together, of which the run then takes some and not others.
STACKED = "recursive_tf_rows"


@dataclasses.dataclass(frozen=True)
class RowsForm(BaseForm):
  """Elements of one form, as many as the run finds.

  Attributes:
    element: their form; None while none has been seen.
    type: list or tuple; None for a range or a view of a dict, which no result can be.
  """

  element: Any
  type: type | None = list

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], tf.int32)
    if self.element is not None:
      for spec in self.element.specs():
        yield tf.TensorSpec(tf.TensorShape([None]).concatenate(spec.shape), spec.dtype)

  def _flatten(self, value: Any, reader: Reader) -> list[tf.Tensor]:
    rows = value.content if isinstance(value, LocalList) else value
    if not isinstance(rows, Rows):
      return self._of_items([] if self.element is None else list(rows), value, reader)
    if rows.form == self.element or self.element is None:
      return [rows.length, *rows.tensors]
    if rows.form is None:
      return [rows.length, *self._none()]
    found = self.element.widened(rows.form, iter(rows.tensors), rows.length, reader)
    return [rows.length, *found]

  def _none(self) -> list[tf.Tensor]:
    """Returns the tensors of no elements."""
    if any(spec.shape.rank is None for spec in self.element.specs()):
      raise Mismatch("elements of several ranks")
    return [
      tf.zeros([0, *(s or 0 for s in spec.shape.as_list())], spec.dtype)
      for spec in self.element.specs()
    ]

  def _of_items(self, items: list[object], holder: object, reader: Reader) -> list[tf.Tensor]:
    if not items:
      return [tfi.constant(0, tf.int32), *([] if self.element is None else self._none())]
    tensors = []
    flat = [self.element.flatten(item, reader) for item in items]
    for item in items:  # What is made into an object by itself is pinned by then.
      reader.pin(item, holder)
    for parts in zip(*flat, strict=True):
      check_shapes([part.shape for part in parts])
      tensors.append(tf.stack(parts, name=STACKED))
    return [tfi.constant(len(items), tf.int32), *tensors]

  def _widened(
    self, old: object, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if type(old) is not type(self):
      raise reader.refuse(
        Reason.DYNAMIC_LIST, "A list of lists of which only the run knows lengths."
      )
    return super()._widened(old, tensors, length, reader)

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> Any:
    length = next(tensors)
    count = 0 if self.element is None else len(list(self.element.specs()))
    found = tuple(next(tensors) for _ in range(count))
    if self.type is not list:
      return Rows(length, found, self.element, self.type)
    return LocalList(Rows(length, found, self.element))

  def describe(self) -> str:
    return f"a {'view' if self.type is None else self.type.__name__}"


def check_shapes(shapes: list[tf.TensorShape]) -> None:
  """Checks that elements of one list can be one tensor, as far as is known.

  Raises:
    Mismatch: If they have different shapes, or are lists of different lengths.
  """
  for shape in shapes[1:]:
    if not shape.is_compatible_with(shapes[0]):
      raise Mismatch(f"of different lengths or shapes, {shapes[0]} and {shape}")
