"""The tensors that a run is fed: columns, elements of lists, constants, and numbers that change."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert.heap._columns import Column, Columns
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import has_more
from recursive_tf.convert.values._forms import dtype_of_number

ARRAY = "array"  # Stands with an array's number for the array itself, by whatever name it is read.


@dataclasses.dataclass(frozen=True)
class ChangingInput:
  """A value read anew for each run.

  Attributes:
    read: reads it.
    spec: the tensor it becomes.
    example: the value as conversion saw it.
  """

  read: Callable[[], object]
  spec: tf.TensorSpec
  example: object


class MetConstants:
  """The constants that attempts to convert a program have met.

  Tuples that a program makes are other objects in each attempt, and known by what they hold. Those
  that are there before are met again: each is known by itself, in the next attempt.

  Attributes:
    objects: the constants by id.
    has_news: whether equal ones were met that may be two, and not before.
  """

  def __init__(self) -> None:
    self.objects: dict[int, object] = {}
    self.has_news = False
    self._equal: set[object] = set()

  def note(self, value: object, key: object, first: object) -> None:
    """Notes a constant, the key that it is known by, and the first of that key."""
    self.objects[id(value)] = value
    if first is not value and isinstance(value, tuple) and key not in self._equal:
      self._equal.add(key)
      self.has_news = True


class Layout:
  """What there is to feed, found out by a first conversion.

  Attributes:
    columns: the columns.
    constants: objects of the program itself that a handle is needed for.
    changing: values read anew for each run.
    state: forms of the places whose state a run begins with, by the place's key.
    arguments: specs of the entry function's own tensors.
    makes_objects: whether runs make objects, for which each call has a table.
  """

  def __init__(self, met: MetConstants) -> None:
    self.columns = Columns()
    self.constants: dict[object, object] = {}
    self._met = met
    self._lasting = frozenset(met.objects)  # As they were when the attempt began.
    self.state: dict[object, _forms.BaseForm] = {}
    self.changing: dict[tuple[int, object], ChangingInput] = {}
    self.arguments: list[tf.TensorSpec] = []
    self.makes_objects = False

  def constant_index(self, value: object) -> int:
    """Returns the place of an object of the program itself."""
    key = id(value) if id(value) in self._lasting else _key(value)
    if key not in self.constants:
      self.columns.check_open()
      self.constants[key] = value
    self._met.note(value, key, self.constants[key])
    return list(self.constants).index(key)

  def changing_index(self, key: tuple[int, object], made: Callable[[], ChangingInput]) -> int:
    """Returns the place of a value that is read anew."""
    if key not in self.changing:
      self.columns.check_open()
      self.changing[key] = made()
    return list(self.changing).index(key)

  def specs(self) -> dict[str, object]:
    """Returns the specs of all tensors to feed but the arguments, by name."""
    columns = self.columns
    # Also without ints they say how many objects there are.
    specs: dict[str, object] = {"ints": tf.TensorSpec([None, columns.num_ints], tf.int32)}
    if columns.num_floats:
      specs["floats"] = tf.TensorSpec([None, columns.num_floats], tf.float64)
    if columns.uses_items:
      specs["items"] = tf.TensorSpec([None], tf.int32)
    if self.constants:
      specs["constants"] = tf.TensorSpec([len(self.constants)], tf.int32)
    if self.makes_objects:
      specs["made"] = tf.TensorSpec([], tf.int64)
    specs["state"] = [spec for form in self.state.values() for spec in _forms.specs(form)]
    specs["strings"] = [tf.TensorSpec([None], tf.string) for _ in range(columns.num_strings)]
    specs["arrays"] = [_stack_spec(column) for column in columns.tensors]
    specs["changing"] = [changing.spec for changing in self.changing.values()]
    return specs


def _key(value: object) -> object:
  """Returns what a constant is known by: the program makes some anew each time it is traced."""
  kind = type(value)
  if isinstance(value, tuple) and not has_more(value):
    return (kind, *map(_key, value))
  if kind is float:
    return kind, repr(value)  # A NaN equals none, not even one that is made at the same place.
  return (kind, value) if kind in (str, int, bytes) else id(value)


def _stack_spec(column: Column) -> tuple[tf.TensorSpec, ...]:
  """Returns the specs of a column's different arrays.

  Arrays of one shape are stacked. Others lie flat one after the other, with where each begins and
  its shape.
  """
  spec = column.spec
  assert spec is not None  # A tensor column.
  if spec.shape.is_fully_defined():
    return (tf.TensorSpec(tf.TensorShape([None]).concatenate(spec.shape), spec.dtype),)
  flat = tf.TensorSpec([None], spec.dtype), tf.TensorSpec([None], tf.int32)
  if spec.shape.rank is None:
    return (*flat, tf.TensorSpec([None], tf.int32), tf.TensorSpec([None, 2], tf.int32))
  return (*flat, tf.TensorSpec([None, spec.shape.rank], tf.int32))


class _TriedRow(Sequence[tf.Tensor]):
  """The row of an object while a program is tried out.

  Of its elements only this counts: their type, and that reading them may fail.
  """

  def __init__(self, handle: tf.Tensor, dtype: tf.DType):
    self._handle = handle
    self._dtype = dtype

  def __getitem__(self, index: object) -> tf.Tensor:
    return tf.cast(tfi.ensured(self._handle, []), self._dtype)

  def __len__(self) -> int:
    raise TypeError("how many columns there are is known when the trials are over")


class Inputs:
  """Reads what a run is fed.

  While a program is tried out, what there will be is not known: each tensor is a placeholder, made
  when it is first read. In the program itself they are the arguments of its function.
  """

  def __init__(self, layout: Layout, graph: tfi.Graph, fed: dict[str, Any] | None = None):
    self._layout = layout
    self._graph = graph
    self._fed = fed
    self._made: dict[object, tf.Tensor] = {}

  def _tensor(self, name: str, index: object, spec: tf.TensorSpec) -> tf.Tensor:
    if self._fed is not None:
      found = self._fed[name]
      for part in () if index is None else index if isinstance(index, tuple) else (index,):
        found = found[part]
      return found
    key = name, index, spec  # A trial may find further types of tensors while it goes on.
    if key not in self._made:
      with self._graph.as_default():
        self._made[key] = tfi.placeholder(spec.dtype, spec.shape, "input")
    return self._made[key]

  def int_row(self, handle: tf.Tensor) -> Sequence[tf.Tensor]:
    """Returns the ints of an object."""
    return self._row("ints", tf.int32, handle, self._layout.columns.num_ints)

  def float_row(self, handle: tf.Tensor) -> Sequence[tf.Tensor]:
    """Returns the floats of an object."""
    return self._row("floats", tf.float64, handle, self._layout.columns.num_floats)

  def _row(
    self, name: str, dtype: tf.DType, handle: tf.Tensor, num_columns: int
  ) -> Sequence[tf.Tensor]:
    if self._fed is None:
      return _TriedRow(handle, dtype)
    table = self._tensor(name, None, tf.TensorSpec([None, None], dtype))
    return tf.unstack(tf.gather(table, handle), num=num_columns)

  def numbers(self, name: str, column: Column, handles: tf.Tensor) -> tf.Tensor:
    """Returns a number of each of several objects, [N].

    Args:
      name: "ints" or "floats".
      column: which.
      handles: the objects, int32 [N].
    """
    dtype = tf.int32 if name == "ints" else tf.float64
    if self._fed is None:
      return tf.cast(tfi.ensured(handles, [None]), dtype)
    table = self._tensor(name, None, tf.TensorSpec([None, None], dtype))
    return tf.gather(table[:, column.index], handles)

  def pointers(self, column: Column, handles: tf.Tensor) -> tf.Tensor:
    """Returns which of the different arrays of a column each of several objects has, int32 [N]."""
    if self._fed is None:
      return tf.raw_ops.EnsureShape(input=handles, shape=[None])
    table = self._tensor("ints", None, tf.TensorSpec([None, None], tf.int32))
    return tf.gather(table[:, column.pointer], handles)

  def string(self, column: Column, handle: tf.Tensor) -> tf.Tensor:
    """Returns a string of an object."""
    strings = self._tensor("strings", column.index, tf.TensorSpec([None], tf.string))
    return tf.gather(strings, handle)

  def array(self, column: Column, number: tf.Tensor) -> tf.Tensor:
    """Returns one of the different arrays of a column."""
    specs = _stack_spec(column)
    parts = [self._tensor("arrays", (column.index, part), spec) for part, spec in enumerate(specs)]
    if len(parts) == 1:
      return tf.gather(parts[0], number)
    values, starts, shapes, *bounds = parts
    if bounds:  # Of several ranks: where the sizes of each are, and how many.
      first, rank = tf.unstack(tf.gather(bounds[0], number))
      shape = tf.slice(shapes, [first], [rank])
    else:
      shape = tf.gather(shapes, number)
    found = tf.slice(values, [tf.gather(starts, number)], [tf.reduce_prod(shape)])
    assert column.spec is not None  # A tensor column.
    return tf.ensure_shape(tf.reshape(found, shape), column.spec.shape)

  def items(self, start: tf.Tensor, length: tf.Tensor) -> tf.Tensor:
    """Returns the handles of a list's elements."""
    if self._fed is None:  # One op: most of a trial's time is the making of ops.
      return tf.raw_ops.Range(start=start, limit=length, delta=start)
    items = self._tensor("items", None, tf.TensorSpec([None], tf.int32))
    return tf.slice(items, [start], [length])

  def constant(self, value: object) -> tf.Tensor:
    """Returns the handle of an object of the program itself."""
    index = self._layout.constant_index(value)
    constants = self._tensor("constants", None, tf.TensorSpec([None], tf.int32))
    return constants[index]

  def made(self) -> tf.Tensor:
    """Returns the number of the table of the objects that a call makes."""
    self._layout.makes_objects = True
    return self._tensor("made", None, tf.TensorSpec([], tf.int64))

  def num_objects(self) -> tf.Tensor:
    """Returns the number of objects, int32 []."""
    return tf.shape(self._tensor("ints", None, tf.TensorSpec([None, None], tf.int32)))[0]

  def state(self, key: object, form: _forms.BaseForm) -> Iterator[tf.Tensor]:
    """Returns the state of a place as a run begins."""
    if self._fed is None:
      self._layout.state[key] = form
    found = []
    position = 0
    for other, known in self._layout.state.items():
      for spec in _forms.specs(known):
        if other == key:
          found.append(self._tensor("state", position, spec))
        position += 1
    return iter(found)

  def argument(self, index: int, spec: tf.TensorSpec) -> tf.Tensor:
    """Returns one of the entry function's own tensors."""
    return self._tensor("arguments", index, spec)

  def changing(
    self, key: tuple[int, object], read: Callable[[], object], value: object
  ) -> tf.Tensor:
    """Returns a value that is read anew for each run."""

    def made() -> ChangingInput:
      if isinstance(value, (tf.Tensor, np.ndarray)):
        return ChangingInput(read, tf.TensorSpec(value.shape, tf.as_dtype(value.dtype)), value)
      return ChangingInput(read, tf.TensorSpec([], dtype_of_number(type(value))), value)

    index = self._layout.changing_index(key, made)
    return self._tensor("changing", index, self._layout.changing[key].spec)
