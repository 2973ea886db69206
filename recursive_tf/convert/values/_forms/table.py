"""The form of dicts whose keys only the run knows, and of sets, that the program makes."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator

import tensorflow as tf

from recursive_tf.convert.values._abstract import SETS, Literally, LocalTable, Rows
from recursive_tf.convert.values._forms.base import (
  BaseForm,
  Class,
  Join,
  Mismatch,
  Parts,
  Reader,
  Source,
)
from recursive_tf.convert.values._forms.nest import NestForm
from recursive_tf.convert.values._forms.rows import RowsForm


@dataclasses.dataclass(frozen=True)
class TableForm(BaseForm):
  """A dict or a set.

  Attributes:
    type: dict, set, frozenset, `collections.Counter` or `collections.defaultdict`.
    rows: the form of the pairs of keys and values, or of the keys.
    factory: what a `defaultdict` calls for what is missing.
  """

  type: Class
  rows: RowsForm
  factory: object = None

  def specs(self) -> Iterator[tf.TensorSpec]:
    return self.rows.specs()

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    if not isinstance(value, LocalTable):
      raise Mismatch(f"{self.describe()} of keys known in the run, and one of other keys")
    return self.rows.flatten(value.rows, reader)

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    rows = self.rows.unflatten(tensors)
    assert isinstance(rows, Rows)  # No list.
    return LocalTable(self.type, rows, self.factory)

  def describe(self) -> str:
    return f"a {self.type.__name__}"

  def children(self) -> tuple[BaseForm | None, ...]:
    return self.rows.children()

  def is_structured(self) -> bool:
    return True

  def skeleton(self) -> object:
    return "table", (self.type, self.factory)

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    if isinstance(other, NestForm) and other.type is self.type and not other.parts:
      return self  # An attempt before this one took it for a dict of known keys.
    if not isinstance(other, TableForm) or other.skeleton() != self.skeleton():
      return None
    rows = join(self.rows, other.rows)
    if not isinstance(rows, RowsForm) or not _has_plain_keys(self.type, rows):
      return None
    return TableForm(self.type, rows, self.factory)

  def has_rows(self) -> bool:
    return True

  def can_be_none(self) -> bool:
    return True

  def can_be_made(self) -> bool:
    return self.rows.can_be_made()

  def not_made(self) -> str | None:
    return "A function" if self.has_own_factory() else self.rows.not_made()

  def has_own_factory(self) -> bool:
    """Tells whether it calls a function that is another one in each run."""
    return isinstance(self.factory, Literally)

  def rebuild(self, parts: Parts, source: Source) -> object:
    found = self.rows.rebuild(parts, source)
    assert isinstance(found, (list, tuple))  # As rows are.
    if self.type in SETS:
      return self.type(found)
    items = dict(found)  # A `Counter` would count pairs.
    if self.type is collections.defaultdict:
      made = collections.defaultdict[object, object](None, items)
      made.default_factory = self.factory  # type: ignore[assignment]
      return made
    return self.type(items)

  def is_stackable(self) -> bool:
    return False


def _has_plain_keys(kind: type, rows: RowsForm) -> bool:
  """Tells whether all keys are of one kind, so that they are compared as they were so far."""
  form = rows.element
  if kind not in SETS and isinstance(form, NestForm):
    form = form.parts[0]
  return form is None or form.is_key()
