"""The form of a container with parts known at conversion."""

from __future__ import annotations

import dataclasses
import functools
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
from recursive_tf.convert.values._containers import container, stacked
from recursive_tf.convert.values._forms.base import (
  BaseForm,
  Class,
  DoesNotFit,
  Encoded,
  Join,
  Mismatch,
  Parts,
  Reader,
  Seen,
  Source,
)
from recursive_tf.convert.values._forms.rows import RowsForm
from recursive_tf.convert.values._stand_ins import STANDS_FOR
from recursive_tf.convert.values._value import Value


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
  parts: tuple[BaseForm, ...]

  def is_key(self) -> bool:
    return self.type is tuple and all(part.is_key() for part in self.parts)

  def in_rows(self) -> NestForm:
    return NestForm(self.type, self.keys, tuple(part.in_rows() for part in self.parts))

  def specs(self) -> Iterator[tf.TensorSpec]:
    for part in self.parts:
      yield from part.specs()

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    parts = parts_of(value)
    return [t for v, f in zip(parts, self.parts, strict=True) for t in f.flatten(v, reader)]

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if not isinstance(
      old, NestForm
    ):  # What is known of it has changed since: there is another trial.
      raise Mismatch(f"{old.describe()} and {self.describe()}")
    return [
      tensor
      for a, b in zip(old.parts, self.parts, strict=True)
      for tensor in b.widened(a, tensors, length, reader)
    ]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return build(self, [part.unflatten(tensors) for part in self.parts])

  def describe(self) -> str:
    if issubclass(self.type, BoundMethod):
      return "a method"
    return f"a {self.type.__name__} of {len(self.parts)}"

  def children(self) -> tuple[BaseForm | None, ...]:
    return self.parts

  def is_data(self) -> bool:
    """Tells whether a value can be kept: it is no method, no view of a dict, and no stand-in."""
    is_view = self.type in VIEWS.values() or self.stands_for() is not None
    return not issubclass(self.type, BoundMethod) and not is_view

  def stands_for(self) -> Class | None:
    """Returns the class of Python's that its own stands for; None if it is what it is."""
    return STANDS_FOR.get(self.type)

  def sequence_type(self) -> Class | None:
    return self.type if issubclass(self.type, (list, tuple)) else None

  def elements(self) -> tuple[BaseForm, ...] | None:
    return self.parts if self.sequence_type() else None

  def is_value(self) -> bool:
    is_tuple = issubclass(self.type, tuple)
    return is_tuple and all(part.is_value() or part.is_of_heap() for part in self.parts)

  def is_repeatable(self) -> bool:
    return issubclass(self.type, tuple) and all(part.is_repeatable() for part in self.parts)

  def is_structured(self) -> bool:
    return True

  def skeleton(self) -> object:
    return self.type, self.keys, tuple(part.skeleton() for part in self.parts)

  def seen(self) -> Iterator[Seen]:
    if self.type is tuple:
      yield (), frozenset([tuple]), None
      for key, part in zip(self.keys, self.parts, strict=True):
        for path, types, spec in part.seen():
          yield (("item", key), *path), types, spec

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    if not isinstance(other, NestForm):
      return None
    if (self.type, self.keys) == (other.type, other.keys):
      return NestForm(self.type, self.keys, tuple(map(join, self.parts, other.parts)))
    if self.type is list and other.type is list:
      return RowsForm(functools.reduce(join, [*self.parts, *other.parts]))
    return None

  def can_be_none(self) -> bool:
    is_sequence = issubclass(self.type, (list, tuple))
    return all(
      part.can_be_none() or part.is_static or (is_sequence and part.is_of_heap())
      for part in self.parts
    )

  def can_be_unbound(self) -> bool:
    return issubclass(self.type, tuple) and all(part.can_be_unbound() for part in self.parts)

  def can_be_made(self) -> bool:
    return self.is_data() and all(part.can_be_made() for part in self.parts)

  def is_empty_view(self) -> bool:
    return self.type in VIEWS.values() and not self.parts

  def not_made(self) -> str | None:
    kind = self.stands_for()
    if kind is not None:
      return f"A {kind.__name__}"
    if not self.is_data():
      return "A method, or a view of a dict,"
    if hasattr(self.type, "__del__"):
      return f"{self.type.__name__}, which has a __del__,"
    found = (part.not_made() for part in self.parts)
    return next((text for text in found if text is not None), None)

  def rebuild(self, parts: Parts, source: Source) -> object:
    return container(self.type, self.keys, [part.rebuild(parts, source) for part in self.parts])

  def rebuild_rows(self, parts: Parts, source: Source, count: int) -> object:
    if self.type is list and not any(part.is_tensor for part in self.parts):
      columns = [next(parts) for _ in self.specs()]
      rows = ([column[i] for column in columns] for i in range(count))
      return stacked([self.rebuild(iter(row), source) for row in rows])
    found = [part.rebuild_rows(parts, source, count) for part in self.parts]
    return container(self.type, self.keys, found)

  def is_stackable(self) -> bool:
    is_structure = issubclass(self.type, (tuple, list, dict)) or dataclasses.is_dataclass(self.type)
    return is_structure and all(part.is_stackable() for part in self.parts)

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    pairs = zip(self.parts, self.parts_in(value), strict=True)
    return [tensor for part, inner in pairs for tensor in part.encode(inner, handles)]

  def objects_in(self, value: object) -> Iterator[object]:
    for part, inner in zip(self.parts, self.parts_in(value), strict=True):
      yield from part.objects_in(inner)

  def met_in(self, value: object) -> Iterator[object]:
    for part, inner in zip(self.parts, self.parts_in(value), strict=True):
      yield from part.met_in(inner)

  def parts_in(self, value: Any) -> list[object]:
    """Returns the parts of a Python container.

    Raises:
      DoesNotFit: If it is not of this form.
    """
    kind: object = type(value)
    if kind is not self.type or len(value) != len(self.parts):
      raise DoesNotFit
    if kind is not dict:
      return list(value)
    if [(type(key), key) for key in value] != [(type(key), key) for key in self.keys]:
      raise DoesNotFit
    return list(value.values())


def build(form: NestForm, parts: list[object]) -> object:
  """Makes a container of this form."""
  if form.type is list or form.type in VIEWS.values():
    found = LocalList(parts)
    found.type = form.type
    return found
  if form.type is dict:
    return LocalDict(dict(zip(form.keys, parts, strict=True)))
  if issubclass(form.type, BoundMethod):
    return form.type(*parts)
  if issubclass(form.type, tuple):
    return tuple_of(form.type, parts)
  return LocalObject(form.type, dict(zip(form.keys, parts, strict=True)))


def parts_of(value: object) -> list[object]:
  """Returns the parts of a container in the order of its form."""
  if isinstance(value, BoundMethod):
    return [value.function, value.owner]
  if isinstance(value, tuple):
    return list(value)
  assert isinstance(value, Value)  # All others are.
  return list(value.within())
