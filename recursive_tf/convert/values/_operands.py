"""What operations take and give that is no value of Python: slices, spreads, shapes of the run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import tensorflow as tf

from recursive_tf.convert.values._abstract import Abstract, Ref, Rows
from recursive_tf.convert.values._numbers import Number


@dataclasses.dataclass(frozen=True, eq=False)
class Slice:
  """A slice; its parts may be known only in the run.

  Attributes:
    has_bool: whether a part is a bool, which counts as an int for all but TensorFlow.
  """

  lower: object
  upper: object
  step: object
  has_bool: bool = False

  def static(self) -> slice | None:
    """Returns the Python slice, None if a part is known only in the run."""
    parts = (self.lower, self.upper, self.step)
    return None if any(isinstance(p, (Number, tf.Tensor)) for p in parts) else slice(*parts)


@dataclasses.dataclass(frozen=True, eq=False)
class Spread:
  """`*rows` in a call: as many arguments as the run finds."""

  rows: Rows


@dataclasses.dataclass(frozen=True, eq=False)
class ByType(Abstract):
  """A known value for each class that an object of the structure may be of.

  Attributes:
    ref: the object.
    values: the values, by class.
    chosen: gives the one that the run finds, where a value is needed.
  """

  ref: Ref
  values: dict[type, object]
  chosen: Callable[[ByType], object]
  description = "What the class of an object says"


@dataclasses.dataclass(frozen=True, eq=False)
class ByKey(Abstract):
  """One of several values that are known at conversion: an entry of a table.

  Attributes:
    index: int32 [], which of them.
    values: all of them.
  """

  index: tf.Tensor
  values: tuple[object, ...]
  description = "A choice among several values, as only the run knows"


@dataclasses.dataclass(frozen=True, eq=False)
class Alike(ByKey):
  """A function from outside in whose place each call has another one that does the same.

  It can be called; which object it is, nobody may ask.
  """

  description = "A function that each call is given anew"


def several(function: object) -> tuple[object, ...]:
  """Returns the functions of which the run finds one; none of what is a known one."""
  if isinstance(function, ByType):
    return tuple(function.values.values())
  return function.values if isinstance(function, ByKey) else ()


class Mapped:
  """An argument that is another one in each of many calls."""

  def __init__(self, rows: Rows):
    self.rows = rows


@dataclasses.dataclass(frozen=True, eq=False)
class Once(Abstract):
  """What `iter()` returns; only a class's own `__iter__` may, for what comes after changes it."""

  value: object
  description = "An iterator"


@dataclasses.dataclass(frozen=True, eq=False)
class Shape(Abstract):
  """The shape of a tensor.

  Attributes:
    dims: its dimensions, ints or `Number`s.
  """

  dims: tuple[object, ...]
  description = "A shape that only the run knows"


@dataclasses.dataclass(frozen=True, eq=False)
class Endless(Abstract):
  """`itertools.count(start, step)`: numbers without end, of which `zip` takes what it needs."""

  start: int
  step: int
  description = "An iterator without end"


@dataclasses.dataclass(frozen=True, eq=False)
class RowGradient(Abstract):
  """A gradient that is a tensor in the graph, and may be `tf.IndexedSlices` in Python, or reverse.

  Attributes:
    gradient: it, in the graph.
    is_rows: whether it is `tf.IndexedSlices` in Python, too: in another order, and without rows of
      zeros that it has here for what a branch has read and another one does not use.
  """

  gradient: object
  is_rows: bool = False
  description = (
    "A gradient that may be tf.IndexedSlices in plain Python, and a tensor in the graph, or has its"
    " rows in another order"
  )
