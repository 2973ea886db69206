"""What is a number of Python's on some paths, and a scalar of NumPy's on others."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np
import tensorflow as tf

from recursive_tf.convert.values._abstract import Abstract, Array
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._value import Checks

# Scalars of NumPy that compute as these, and Python's numbers that may be in their place.
SCALARS: dict[type, type] = {np.float64: float, np.int64: int, np.bool_: bool}
_OF_NUMPY = {number: scalar for scalar, number in SCALARS.items()}


@dataclasses.dataclass(frozen=True, eq=False)
class PythonOrNumpy(Abstract):
  """A number that is Python's or NumPy's, as only the run knows: `total = 0.0`, then a sum.

  Attributes:
    number: the number, of the type of NumPy's: an int beside `np.float64` as a float.
    is_python: bool [].
    python: its type where it is Python's: that of `number`, or int beside a float.
  """

  number: Number
  is_python: tf.Tensor
  python: type
  description = "A number of Python's or NumPy's"

  @property
  def is_mixed(self) -> bool:
    """Whether an int is beside floats."""
    return self.python is not self.number.type

  @property
  def scalar(self) -> type:
    """Its type where it is NumPy's."""
    return _OF_NUMPY[self.number.type]

  def as_numpy(self) -> Array:
    """Returns it as the scalar of NumPy that it may be."""
    return Array(self.number.tensor, frozenset([self.scalar]), True)

  def within(self) -> Iterable[object]:
    return (self.number, self.is_python)

  def taken(self, checks: Checks) -> tf.Tensor:
    ok = tf.logical_not(self.is_python)
    return checks.check(self.number.tensor, ok, "a number of Python's where it was NumPy's")
