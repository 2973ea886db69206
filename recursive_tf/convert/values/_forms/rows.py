"""The form of elements of which only the run knows how many there are."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.values._abstract import LocalList, Rows
from recursive_tf.convert.values._forms.base import (
  BaseForm,
  Class,
  DoesNotFit,
  Encoded,
  Join,
  Mismatch,
  Parts,
  Reader,
  Source,
)

# In the names of ops that put elements together, of which the run then takes some and not others.
STACKED = "recursive_tf_rows"


@dataclasses.dataclass(frozen=True)
class RowsForm(BaseForm):
  """Elements of one form, as many as the run finds.

  Attributes:
    element: their form; None while none has been seen.
    type: list or tuple; None for a range or a view of a dict, which no result can be.
  """

  element: BaseForm | None
  type: type | None = list

  def __post_init__(self) -> None:
    if self.element is not None:
      object.__setattr__(self, "element", self.element.in_rows())

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
    specs = [] if self.element is None else [*self.element.specs()]
    if any(spec.shape.rank is None for spec in specs):
      raise Mismatch("elements of several ranks")
    return [tf.zeros([0, *(s or 0 for s in spec.shape.as_list())], spec.dtype) for spec in specs]

  def _of_items(self, items: list[object], holder: object, reader: Reader) -> list[tf.Tensor]:
    if not items or self.element is None:
      return [tfi.constant(0, tf.int32), *self._none()]
    tensors = []
    flat = [self.element.flatten(item, reader) for item in items]
    seen: set[int] = set()
    for item in items:  # What is made into an object by itself is pinned by then.
      reader.pin(item, holder if id(item) not in seen else object())  # As if of two lists.
      seen.add(id(item))
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

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    length = next(tensors)
    count = 0 if self.element is None else len(list(self.element.specs()))
    found = tuple(next(tensors) for _ in range(count))
    if self.type is not list:
      return Rows(length, found, self.element, self.type)
    return LocalList(Rows(length, found, self.element))

  def describe(self) -> str:
    if self.type is None:
      return "a range or view of a dict (of which list(x) is a list)"
    return f"a {self.type.__name__}"

  def children(self) -> tuple[BaseForm | None, ...]:
    return (self.element,)

  def sequence_type(self) -> Class | None:
    return self.type if self.type is not None and issubclass(self.type, (list, tuple)) else None

  def elements(self) -> tuple[BaseForm, ...] | None:
    return () if self.element is None else None

  def is_structured(self) -> bool:
    return True

  def skeleton(self) -> object:
    return self.type

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    if other is None:
      return None
    if self.type is None and other.is_empty_view():
      return self
    element = other.element if isinstance(other, RowsForm) else None
    others = other.elements() if element is None else (element,)
    if others is None or self.type is not other.sequence_type():
      return None
    found = [*others] if self.element is None else [self.element, *others]
    return RowsForm(functools.reduce(join, found) if found else None, self.type)

  def has_rows(self) -> bool:
    return True

  def can_be_none(self) -> bool:
    """As other lists; those of lists and objects are known by a number then, see `MadeForm`."""
    return self.type in (list, tuple) and (self.element is None or _is_plain(self.element))

  def can_be_unbound(self) -> bool:
    return False

  def can_be_made(self) -> bool:
    return self.type is not None and (self.element is None or self.element.can_be_made())

  def not_made(self) -> str | None:
    if self.type is None:
      return "A range, or a view of a dict,"
    found: str | None = None if self.element is None else self.element.not_made()
    return found

  def rebuild(self, parts: Parts, source: Source) -> object:
    length = int(next(parts))
    assert self.type is not None  # Views are refused.
    if self.element is None:
      return self.type()
    columns = [source.elements(next(parts), length) for _ in self.element.specs()]
    rows = (iter([column[i] for column in columns]) for i in range(length))
    return self.type(self.element.rebuild(row, source) for row in rows)

  def is_stackable(self) -> bool:
    return False

  def encode(self, value: Any, handles: Iterator[int]) -> Encoded:
    values = list(value)
    if self.element is None:
      if values:
        raise DoesNotFit
      return [np.int32(0)]
    rows = [self.element.encode(inner, handles) for inner in values]
    tensors: Encoded = []
    for position, spec in enumerate(self.element.specs()):
      if rows:
        column = [row[position] for row in rows]
        if not spec.shape.is_fully_defined() and len({tuple(value.shape) for value in column}) > 1:
          raise DoesNotFit
        is_tensor = any(isinstance(value, tf.Tensor) for value in column)
        tensors.append(tf.stack(column) if is_tensor else np.stack(column))
      elif spec.shape.rank is None:
        raise DoesNotFit  # An empty list among those of tensors of several ranks.
      else:
        tensors.append(np.zeros([0, *(s or 0 for s in spec.shape)], spec.dtype.as_numpy_dtype))
    return [np.int32(len(values)), *tensors]

  def objects_in(self, value: Any) -> Iterator[object]:
    if self.element is not None:
      for inner in value:
        yield from self.element.objects_in(inner)

  def met_in(self, value: object) -> Iterator[object]:
    assert isinstance(value, Iterable)  # Of this form.
    if self.element is not None:
      for inner in value:
        yield from self.element.met_in(inner)


def _is_plain(form: BaseForm) -> bool:
  """Tells whether elements of a form are no containers, which would be known by a number."""
  kind = form.sequence_type()
  if kind is not None and issubclass(kind, tuple) and form.elements() is not None:
    return all(part is not None and _is_plain(part) for part in form.children())
  return form.is_of_heap() or (not form.is_structured() and form.can_be_none())


def check_shapes(shapes: list[tf.TensorShape]) -> None:
  """Checks that elements of one list can be one tensor, as far as is known.

  Raises:
    Mismatch: If they have different shapes, or are lists of different lengths.
  """
  met = shapes[0]
  for shape in shapes[1:]:
    if not shape.is_compatible_with(met):
      raise Mismatch(f"of different lengths or shapes, {met} and {shape}")
    met = met.merge_with(shape)
