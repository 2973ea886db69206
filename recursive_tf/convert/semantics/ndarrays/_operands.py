"""Operands of NumPy: arrays, scalars and Python's numbers, with the type that each of them has."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics._native import LIBRARY_ERRORS
from recursive_tf.convert.values import _checks
from recursive_tf.convert.values._abstract import Array, Raises, is_static
from recursive_tf.convert.values._either import PythonOrNumpy
from recursive_tf.convert.values._forms import number_of
from recursive_tf.convert.values._numbers import Number, as_tensor

# All others are refused: what TensorFlow computes of these is not known to be NumPy's.
DTYPES = (tf.bool, tf.int32, tf.int64, tf.float32, tf.float64)
_TYPES = {bool: np.dtype(bool), int: np.dtype(np.int64), float: np.dtype(np.float64)}


@dataclasses.dataclass(frozen=True)
class Operand:
  """An operand, as NumPy looks at it.

  Attributes:
    tensor: its numbers; of a Python number as `Number` has them.
    weak: int or float of a Python number, whose type gives way to that of arrays; else None.
    is_scalar: whether it is a number, Python's or NumPy's, and no array.
    is_new: whether nobody else has the array, of which a view is as good as a copy.
    known: the Python number, where it is known at conversion.
    either: its type if it is a number of Python's on some paths.
  """

  tensor: tf.Tensor
  weak: type | None
  is_scalar: bool
  is_new: bool
  known: int | float | None = None
  either: type | None = None

  @property
  def dtype(self) -> np.dtype[np.generic]:
    """Its type; of a Python number that which it has as an array by itself."""
    if self.weak is not None:
      return _TYPES[self.weak]
    return np.dtype(self.tensor.dtype.as_numpy_dtype)

  @property
  def rank(self) -> int:
    """The number of its axes, which is known."""
    rank: int = self.tensor.shape.rank
    return rank


def refuse(ip: Host, what: str) -> ConversionRefused:
  """Returns the refusal of what NumPy would do; raise it."""
  return ip.frame.refuse(
    Reason.UNSUPPORTED_OPERATION,
    f"{what} of an array of NumPy. Make it a tensor: tf.convert_to_tensor(...).",
  )


def found_operand(ip: Host, value: object) -> Operand | None:
  """Returns a value as an operand of NumPy's; None of what is none, or not done here."""
  value = ip.frame.concrete(value)
  if isinstance(value, (np.ndarray, np.generic)):
    value = Array(tf.convert_to_tensor(ip.frame.tensor(value)), frozenset([type(value)]), False)
  if isinstance(value, Array):
    return _of_array(value)
  if isinstance(value, PythonOrNumpy) and not value.is_mixed:
    return Operand(value.number.tensor, None, True, True, either=value.python)
  number = number_of(value)
  if number is None:
    return None
  known = value if isinstance(value, (int, float)) else None
  if number.type is bool:
    return Operand(number.tensor, None, True, True)
  return Operand(number.tensor, number.type, True, True, known)


def _of_array(value: Array) -> Operand | None:
  """Returns an array of a class of NumPy's own, of a type and a number of axes that are known."""
  is_array = value.types == {np.ndarray}
  is_scalar = len(value.types) == 1 and all(issubclass(kind, np.generic) for kind in value.types)
  if not (is_array or is_scalar) or value.tensor.shape.rank is None:
    return None
  if value.tensor.dtype not in DTYPES:
    return None
  return Operand(value.tensor, None, is_scalar, value.is_new)


def operand(ip: Host, value: object, name: str) -> Operand:
  """Returns a value as an operand of NumPy's.

  Raises:
    ConversionRefused: If it is none.
  """
  found = found_operand(ip, value)
  if found is None or found.either is not None:
    raise refuse(ip, name)
  return found


def cast(ip: Host, value: Operand, dtype: np.dtype[np.generic]) -> tf.Tensor:
  """Returns the numbers of an operand in the type of a loop of NumPy's, to which it goes safely.

  The run fails where a Python number does not fit.
  """
  wanted = tf.as_dtype(dtype)
  if value.weak is not None:
    return as_tensor(Number(value.tensor, value.weak), wanted)
  return value.tensor if value.tensor.dtype == wanted else tf.cast(value.tensor, wanted)


def is_supported(dtype: np.dtype[np.generic]) -> bool:
  """Tells whether arrays of a type are computed here."""
  return dtype.kind in "bif" and tf.as_dtype(dtype) in DTYPES


def compute(
  ip: Host, name: str, function: Callable[..., tf.Tensor], *args: object, **kwargs: object
) -> tf.Tensor:
  """Returns what ops give of tensors; what they refuse at conversion is refused."""
  ip.frame.partial()
  try:
    found = function(*args, **kwargs)
  except LIBRARY_ERRORS as error:
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    raise ip.frame.refuse(Reason.TENSORFLOW_ERROR, f"NumPy's {name}: {text}") from error
  ip.frame.compute(found)
  return found


def made(tensor: tf.Tensor, is_array: bool = False, is_new: bool = True) -> Array:
  """Returns what NumPy gives: a scalar where it has no axes, unless it is an array all the same."""
  kind = np.ndarray if tensor.shape.rank or is_array else tensor.dtype.as_numpy_dtype
  return Array(tensor, frozenset([kind]), is_new or kind is not np.ndarray)


def without_sign(tensor: tf.Tensor) -> tf.Tensor:
  """Returns sums: one that is zero has no sign, since NumPy begins with 0.0."""
  if not tensor.dtype.is_floating:
    return tensor
  return tf.where(tf.equal(tensor, 0), tf.zeros([], tensor.dtype), tensor)


def one_sign(first: tf.Tensor, second: tf.Tensor, value: tf.Tensor) -> tf.Tensor:
  """Returns a value; the run fails where it is 0.0 or -0.0 by NumPy's own choice.

  Args:
    first: floats.
    second: others, with which they broadcast.
    value: the greater or less of both.
  """
  is_zero = tf.equal(first, 0) & tf.equal(second, 0)
  differ = tf.not_equal(_bits(first), _bits(second))
  return _checks.check(value, tf.logical_not(is_zero & differ), "zeros of both signs")


def _bits(tensor: tf.Tensor) -> tf.Tensor:
  return tf.bitcast(tensor, tf.int32 if tensor.dtype == tf.float32 else tf.int64)


def has_negative_zero(tensor: tf.Tensor) -> tf.Tensor:
  """Tells whether -0.0 is among floats."""
  bits = _bits(tensor)
  return tf.reduce_any(tf.equal(bits, bits.dtype.min))


def has_both_zeros(tensor: tf.Tensor) -> tf.Tensor:
  """Tells whether there are zeros of both signs, of which NumPy has its own order."""
  return tf.reduce_any(tf.equal(_bits(tensor), 0)) & has_negative_zero(tensor)


def known(ip: Host, value: object, name: str) -> object:
  """Returns an argument that has to be known at conversion, such as an axis."""
  value = ip.frame.concrete(value)
  if isinstance(value, np.integer):
    return int(value)
  if not is_static(value) or isinstance(value, (np.ndarray, tf.Tensor)):
    raise ip.frame.refuse(Reason.NEEDS_VALUE, f"An argument of NumPy's {name} that the run finds.")
  return value


def axis_of(ip: Host, value: object, rank: int, name: str) -> int:
  """Returns an axis from 0.

  Raises:
    Raises: If there is no such axis.
  """
  axis = known(ip, value, name)
  if type(axis) is not int:
    raise refuse(ip, f"{name} along {axis!r}")
  if not -rank <= axis < rank:
    raise Raises  # An AxisError.
  return axis % rank


def axes_of(ip: Host, value: object, rank: int, name: str, of_numbers: bool = False) -> list[int]:
  """Returns axes from 0: all of them for None.

  Args:
    ip: the interpreter.
    value: None, an axis, or a tuple of axes.
    rank: how many axes there are.
    name: for messages.
    of_numbers: whether a number counts as what has one axis.
  """
  if value is None:
    return list(range(rank))
  value = ip.frame.concrete(value)
  if of_numbers and rank == 0 and known(ip, value, name) in (0, -1):
    return []
  axes = [axis_of(ip, one, rank, name) for one in (value if type(value) is tuple else (value,))]
  if len({*axes}) < len(axes):
    raise Raises  # A ValueError.
  return axes


def dtype_of(ip: Host, value: object, name: str) -> np.dtype[np.generic]:
  """Returns a type that an argument says, which is one of those that are done here."""
  value = known(ip, value, name)
  try:
    found = np.dtype(value)  # type: ignore[call-overload]
  except TypeError:
    raise refuse(ip, f"{name} with the type {value!r}") from None
  if not is_supported(found) or not found.isnative:
    raise refuse(ip, f"{name} with the type {found}")
  return found


def size_of(tensor: tf.Tensor, axes: Sequence[int]) -> tf.Tensor | int:
  """Returns how many elements there are along some axes: an int where it is known."""
  sizes = [tensor.shape[axis] for axis in axes]
  if None not in sizes:
    return int(np.prod(sizes, dtype=np.int64))
  return tf.reduce_prod(tf.gather(tf.shape(tensor, out_type=tf.int64), [*axes]))


def demand_elements(ip: Host, tensor: tf.Tensor, axes: Sequence[int]) -> None:
  """Fails the run where there is nothing along some axes, of which Python raises or warns."""
  count = size_of(tensor, axes)
  if isinstance(count, tf.Tensor):
    ip.frame.demand(count > 0)
  elif count == 0:
    raise Raises
