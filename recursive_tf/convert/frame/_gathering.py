"""Gathering what a body reads from the rows of objects: one row an object, one column a path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._ground import Ground
from recursive_tf.convert.frame._kinds import kind_of_value
from recursive_tf.convert.heap import _columns
from recursive_tf.convert.heap._columns import MISSING
from recursive_tf.convert.heap._profile import Profile
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Base, Missing, Ref, Rows
from recursive_tf.convert.values._forms import NoneType

T = TypeVar("T")


class Reader(Protocol):
  """A body that reads objects: what it knows of them, and how its run fails."""

  @property
  def conversion(self) -> Ground:
    """The conversion that it is part of."""

  @property
  def profile(self) -> Profile:
    """What is known of the user's objects."""

  def types_of(self, ref: Ref) -> frozenset[type]:
    """Returns the exact types that a read can give."""

  def memo(self, key: object, make: Callable[[], T]) -> T:
    """Returns what this branch or one around it computed under `key`, computing it if need be."""

  def partial(self) -> None:
    """Notes an op that may fail or costs more than a few numbers."""

  def check(self, value: tf.Tensor, ok: tf.Tensor, message: str) -> tf.Tensor:
    """Returns the tensor, failing the run where it is used and `ok` is not true."""

  def check_read(self, ref: Ref, value: tf.Tensor, ok: tf.Tensor, message: str) -> tf.Tensor:
    """Returns what a read gave, failing the run where it is used and `ok` is not true."""

  def refuse(self, reason: Reason, explanation: str) -> ConversionRefused:
    """Returns the refusal of what is being converted."""


class Gathering:
  """Gathers the values that one body reads, each once a branch."""

  def __init__(self, body: Reader):
    self._body = body

  def base_types(self, ref: Ref) -> frozenset[type]:
    """Returns the types of the objects that are read from."""
    return self._body.types_of(Ref(ref.base)) - {NoneType, Missing}

  def _read(self, ref: Ref) -> frozenset[type]:
    """Notes a read, and returns the types of the objects that it begins with."""
    types = self.base_types(ref)
    if not ref.base.is_before:
      self._body.conversion.note_read(ref.path, types)
    return types

  def is_sure(self, ref: Ref) -> bool:
    """Tells whether a read gives a value, neither None nor nothing."""
    return not self._body.types_of(ref) & {NoneType, Missing}

  def _int(self, base: Base, index: int) -> tf.Tensor:
    def gather() -> Sequence[tf.Tensor]:
      self._body.partial()
      return self._body.conversion.inputs.int_row(base.handle)

    # Where there is no object, as Python would find out in this read, the gather fails the run.
    row = self._body.memo(("row", id(base.handle)), gather)
    return self._body.memo(("int", id(base.handle), index), lambda: row[index])

  def _floats(self, base: Base) -> Sequence[tf.Tensor]:
    def gather() -> Sequence[tf.Tensor]:
      self._body.partial()
      return self._body.conversion.inputs.float_row(base.handle)

    return self._body.memo(("float row", id(base.handle)), gather)

  def _column(self, kind: str, ref: Ref, spec: tf.TensorSpec | None = None) -> _columns.Column:
    """Returns the column of a read's values, of a kind with "?" if one may not be there."""
    types = self._read(ref)
    found = self._body.profile.facts(types, ref.path).types
    kind = f"{kind}?" if found & {NoneType, Missing} else kind
    return self._body.conversion.columns.column(kind, ref.path, types, spec)

  def _checked(self, ref: Ref, column: _columns.Column, value: tf.Tensor) -> tf.Tensor:
    if column.state is None or self.is_sure(ref):
      return value
    there = tf.equal(self._int(ref.base, column.state), _columns.PRESENT)
    return self._body.check_read(ref, value, there, f"{ref.path} is not there")

  def number(self, ref: Ref, type_: type) -> tf.Tensor:
    """Returns a read of a bool, an int or a float, as `type_` says."""
    kind = kind_of_value(type_)
    assert kind is not None  # It is a number.
    column = self._column(kind, ref)
    if type_ is float:
      value = self._floats(ref.base)[column.index]
    else:
      value = self._int(ref.base, column.index)
    value = self._checked(ref, column, value)
    return tf.not_equal(value, 0) if type_ is bool else value

  def numbers(self, ref: Ref, type_: type) -> tf.Tensor:
    """Returns a read of a bool, an int or a float of each of several objects that have one, [N]."""
    kind = kind_of_value(type_)
    assert kind is not None  # It is a number.
    self._body.partial()
    name = "floats" if type_ is float else "ints"
    column = self._column(kind, ref)
    assert column.state is None  # All have one.
    value = self._body.conversion.inputs.numbers(name, column, ref.base.handle)
    return tf.not_equal(value, 0) if type_ is bool else value

  def array(self, ref: Ref, spec: tf.TensorSpec, any_row: bool) -> tf.Tensor:
    """Returns a read of an array of that spec; with `any_row` any one where there is none."""
    column = self._column(_columns.TENSOR, ref, spec)
    assert column.pointer is not None  # A tensor column.
    number = self._int(ref.base, column.pointer)
    number = tf.maximum(number, 0) if any_row else self._checked(ref, column, number)
    return self._body.conversion.inputs.array(column, number)

  def arrays(self, ref: Ref, spec: tf.TensorSpec) -> tf.Tensor:
    """Returns reads of arrays of that spec, of several objects that have one, [N, ...]."""
    self._body.partial()
    column = self._column(_columns.TENSOR, ref, spec)
    assert column.spec is not None and column.pointer is not None  # A tensor column.
    if not column.spec.shape.is_fully_defined():
      raise _forms.Mismatch("tensors of several shapes")
    inputs = self._body.conversion.inputs
    return inputs.array(column, inputs.pointers(column, ref.base.handle))

  def string(self, ref: Ref) -> tf.Tensor:
    """Returns a read of a string."""
    if ref.base.types & {NoneType, Missing}:  # A test beside it may say that there is one.
      self._body.partial()
    column = self._column(_columns.STR, ref)
    value = self._body.conversion.inputs.string(column, ref.base.handle)
    return self._checked(ref, column, value)

  def elements(self, ref: Ref) -> Rows:
    """Returns the elements of a list."""
    types = self._read(ref)
    profile = self._body.profile
    facts = profile.element_facts(types, ref.path)
    profile.follow(types, ref.path, is_items=True)
    column = self._body.conversion.columns.column(_columns.ITEMS, ref.path, types, None)
    start, length = (self._int(ref.base, column.index + i) for i in (0, 1))
    is_there = tf.greater_equal(length, tfi.constant(0, tf.int32))
    length = self._body.check(length, is_there, "the list is not there")
    if not facts.types:
      return Rows(length, (), None)  # All such lists are empty, or the walk fails.
    handles = self._body.conversion.inputs.items(start, length)
    origin = None if ref.base.origin is None else ref.base.origin.read(ref.path, is_items=True)
    return Rows(length, (handles,), _forms.RefForm(facts.types, origin))

  def state(self, ref: Ref) -> tf.Tensor | None:
    """Returns what says whether a value is there, or None; None of what is read as an object."""
    types = self._read(ref)
    facts = self._body.profile.facts(types, ref.path)
    kinds = {kind_of_value(type_) for type_ in facts.types - {NoneType, Missing}}
    if len(kinds) != 1 or None in kinds:
      return None
    spec = facts.spec
    columns = self._body.conversion.columns
    column = columns.column(f"{kinds.pop()}?", ref.path, types, spec)
    assert column.state is not None  # Its kind has "?".
    return self._int(ref.base, column.state)

  def handle(self, ref: Ref) -> tf.Tensor:
    """Returns the handle of the object that a read gives, MISSING where there is none."""
    return self._int(ref.base, self._followed(ref).index)

  def checked_handle(self, ref: Ref) -> tf.Tensor:
    """Returns the handle of the object that a read gives; the run fails where there is none."""
    handle = self.handle(ref)
    if Missing in self._body.types_of(ref) or self._may_make_strings(ref):
      is_there = tf.not_equal(handle, MISSING)
      handle = self._body.check_read(ref, handle, is_there, "the object is not there")
    return handle

  def _followed(self, ref: Ref) -> _columns.Column:
    """Returns the column of handles for a read that gives objects, which the walk then visits.

    Strings that are made of strings are new each time, and the walk would make others of them:
    those are not visited, and count as missing.
    """
    types = self._read(ref)
    if self._may_make_strings(ref):
      types -= {str}
      if not types and all(step[0] == "item" for step in ref.path):
        types = ref.base.types - {str}  # A path that knows of a string: its characters are missing.
      if not types:
        raise self._body.refuse(
          Reason.UNSUPPORTED_OPERATION, "A string that is made of another one is kept or passed on."
        )
    self._body.profile.follow(types, ref.path)
    return self._body.conversion.columns.column(_columns.HANDLE, ref.path, types)

  def _may_make_strings(self, ref: Ref) -> bool:
    return _makes(ref) and str in self.base_types(ref)

  def is_made_string(self, ref: Ref) -> bool:
    """Tells whether a read makes a string of another one, which is no object of the heap."""
    is_string = self._body.types_of(ref) - {Missing} == {str}
    # Of what may also be a tree the same read gives objects of the heap; a method of strings none.
    types = self.base_types(ref) if _calls_method(ref) else ref.base.types - {NoneType, Missing}
    is_of_string = types == {str}
    return bool(ref.path) and is_string and is_of_string and _makes(ref)


def _calls_method(ref: Ref) -> bool:
  """Tells whether a read begins with a method, which is one of strings."""
  return ref.path[:1] != () and ref.path[0][0] == "call"


def _makes(ref: Ref) -> bool:
  """Tells whether a read may make an object, where it is of a string."""
  return all(step[0] in ("item", "call") for step in ref.path)
