"""NumPy's arrays that are made: of numbers, lists and other arrays, or of one value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics.ndarrays._nested import array, array_as, converted
from recursive_tf.convert.semantics.ndarrays._operands import (
  Operand,
  cast,
  compute,
  dtype_of,
  known,
  made,
  operand,
  refuse,
)
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Array, LocalList, Raises, Rows
from recursive_tf.convert.values._forms import number_of
from recursive_tf.convert.values._numbers import Number


def array_of(
  ip: Host, object: object, dtype: object = None, *, copy: object = True, ndmin: object = 0
) -> Array:
  """Does `np.array`: a new array of a list, or a copy of one."""
  if known(ip, copy, "array") is not True or known(ip, ndmin, "array") != 0:
    raise refuse(ip, "array with copy or ndmin")
  return made(_of_type(ip, object, dtype, "array").tensor, is_array=True)


def as_array(ip: Host, a: object, dtype: object = None) -> Array:
  """Does `np.asarray`: the array itself, if it is one of that type."""
  value = _of_type(ip, a, dtype, "asarray")
  return made(value.tensor, is_array=True, is_new=value.is_new or value.is_scalar)


def _of_type(ip: Host, value: object, dtype: object, name: str) -> Operand:
  """Returns what NumPy makes an array of, in a type if one is asked for."""
  if dtype is None:
    return array(ip, value, name)
  return array_as(ip, value, dtype_of(ip, dtype, name), name)


def as_type(
  ip: Host,
  a: object,
  dtype: object,
  order: object = "K",
  casting: object = "unsafe",
  subok: object = True,
  copy: object = True,
) -> Array:
  """Does `a.astype(dtype)`, which is a copy."""
  if [known(ip, one, "astype") for one in (order, casting, subok, copy)] != [
    "K",
    "unsafe",
    True,
    True,
  ]:
    raise refuse(ip, "astype with such arguments")
  value = array(ip, a, "astype")
  found = converted(ip, value, dtype_of(ip, dtype, "astype"), "astype")
  return made(found, is_array=not value.is_scalar)


def copied(ip: Host, a: object, order: object = "C", subok: object = False) -> Array:
  """Does `np.copy`, which makes an array of a scalar."""
  value = array(ip, a, "copy")
  return made(value.tensor, is_array=True)


def copy_of(ip: Host, a: object, order: object = "C") -> Array:
  """Does `a.copy()`."""
  value = array(ip, a, "copy")
  return made(value.tensor, is_array=not value.is_scalar)


def shape_of(ip: Host, shape: object, name: str) -> tf.Tensor:
  """Returns a shape, int64 [R], of ints of which the run may know some.

  Raises:
    Raises: If one is negative, as far as is known.
  """
  found = sizes(ip, shape, name)
  for size in found:
    if isinstance(size, int) and size < 0:
      raise Raises
    if isinstance(size, tf.Tensor):
      ip.frame.demand(size >= 0)
  return packed(found)


def packed(found: list[int | tf.Tensor]) -> tf.Tensor:
  """Returns sizes as one tensor, int64 [R]."""
  if all(isinstance(size, int) for size in found):
    return tf.constant(found, tf.int64, [len(found)])
  return tf.stack([tf.cast(size, tf.int64) for size in found])


def sizes(ip: Host, shape: object, name: str) -> list[int | tf.Tensor]:
  """Returns the parts of a shape: ints where they are known."""
  shape = ip.frame.concrete(shape)
  one = _size(ip, shape)
  if one is not None:
    return [one]
  if not isinstance(shape, (tuple, list, LocalList)):
    raise refuse(ip, f"{name} with such a shape")
  found = [_size(ip, part) for part in ip.fixed_items(shape)]
  sizes = [size for size in found if size is not None]
  if len(sizes) < len(found):
    raise refuse(ip, f"{name} with such a shape")
  return sizes


def _size(ip: Host, value: object) -> int | tf.Tensor | None:
  value = ip.frame.concrete(value)
  if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
    return int(value)
  if isinstance(value, Array):
    is_int = value.tensor.dtype in (tf.int32, tf.int64) and value.tensor.shape.rank == 0
    return value.tensor if is_int else None
  number = number_of(value)
  return number.tensor if number is not None and number.type is int else None


def _filled(name: str, fill: float) -> Callable[..., Array]:
  def apply(ip: Host, shape: object, dtype: object = float, order: object = "C") -> Array:
    kind = dtype_of(ip, float if dtype is None else dtype, name)
    dims = shape_of(ip, shape, name)
    return made(compute(ip, name, tf.fill, dims, tf.cast(fill, tf.as_dtype(kind))), is_array=True)

  return apply


def full(
  ip: Host, shape: object, fill_value: object, dtype: object = None, order: object = "C"
) -> Array:
  """Does `np.full`, of one number."""
  value = _of_type(ip, fill_value, dtype, "full")
  if value.rank:
    raise refuse(ip, "full of an array")
  return made(compute(ip, "full", tf.fill, shape_of(ip, shape, "full"), value.tensor), True)


def _filled_like(name: str, fill: float) -> Callable[..., Array]:
  def apply(ip: Host, a: object, dtype: object = None) -> Array:
    value = array(ip, a, name)
    kind = value.dtype if dtype is None else dtype_of(ip, dtype, name)
    fills = tf.cast(fill, tf.as_dtype(kind))
    return made(compute(ip, name, tf.fill, tf.shape(value.tensor), fills), is_array=True)

  return apply


def full_like(ip: Host, a: object, fill_value: object, dtype: object = None) -> Array:
  """Does `np.full_like`, of one number."""
  value = array(ip, a, "full_like")
  kind = value.dtype if dtype is None else dtype_of(ip, dtype, "full_like")
  fills = array_as(ip, fill_value, kind, "full_like")
  if fills.rank:
    raise refuse(ip, "full_like of an array")
  found = compute(ip, "full_like", tf.fill, tf.shape(value.tensor), fills.tensor)
  return made(found, is_array=True)


def arange(ip: Host, *limits: object, dtype: object = None) -> Array:
  """Does `np.arange` of ints."""
  numbers = [operand(ip, one, "arange") for one in limits]
  if not 0 < len(numbers) < 4 or any(one.rank or one.dtype.kind != "i" for one in numbers):
    raise refuse(ip, "arange of floats")
  kind = np.dtype(np.int64) if dtype is None else dtype_of(ip, dtype, "arange")
  if kind != np.int64 or any(one.dtype == np.int32 for one in numbers):
    raise refuse(ip, f"arange of {kind}")
  values = [cast(ip, one, kind) for one in numbers]
  if len(values) == 3:
    ip.frame.demand(tf.not_equal(values[2], 0))  # A ZeroDivisionError.
  start, stop, step = (
    (tf.zeros([], tf.int64), values[0]) if len(values) == 1 else (values[0], values[1])
  ) + (values[2] if len(values) == 3 else tf.ones([], tf.int64),)
  is_up = step > 0
  last = tf.where(is_up, tf.maximum(start, stop), tf.minimum(start, stop))
  return made(compute(ip, "arange", tf.range, start, last, step))


def eye(ip: Host, N: object, M: object = None, k: object = 0, dtype: object = float) -> Array:
  """Does `np.eye`."""
  if known(ip, k, "eye") != 0:
    raise refuse(ip, "eye with k")
  kind = dtype_of(ip, dtype, "eye")
  rows, columns = (shape_of(ip, one, "eye")[0] for one in (N, N if M is None else M))
  found = tf.equal(tf.range(rows)[:, None], tf.range(columns)[None, :])
  return made(compute(ip, "eye", tf.cast, found, tf.as_dtype(kind)))


def to_list(ip: Host, a: object) -> object:
  """Does `a.tolist()`: Python's numbers."""
  value = array(ip, a, "tolist")
  return _as_list(ip, value.tensor)


def _as_list(ip: Host, tensor: tf.Tensor) -> object:
  if tensor.shape.rank == 0:
    return python_number(tensor)
  if tensor.shape[0] is not None:
    ip.budget.take(tensor.shape[0])
    parts = tf.unstack(tensor) if tensor.shape[0] else []
    return ip.frame.new(LocalList([_as_list(ip, part) for part in parts]))
  if tensor.shape.rank > 1:
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, "tolist of an array of an unknown length.")
  number = python_number(tensor)
  rows = Rows(tf.shape(tensor)[0], (number.tensor,), _forms.NumberForm(number.type))
  return ip.frame.new(LocalList(rows))


def python_number(tensor: tf.Tensor) -> Number:
  """Returns a number of NumPy's, or several, as Python's."""
  if tensor.dtype == tf.bool:
    return Number(tensor, bool)
  is_float = tensor.dtype.is_floating
  return Number(tf.cast(tensor, tf.float64 if is_float else tf.int64), float if is_float else int)


def item(ip: Host, a: object, *index: object) -> object:
  """Does `a.item()`: the only element, or one, as a Python number."""
  value = array(ip, a, "item")
  if index:
    found = ip.item(a, index[0] if len(index) == 1 else tuple(index))
    if value.rank != len(index):
      raise refuse(ip, "item by such an index")
    return item(ip, found)
  if value.tensor.shape.num_elements() is None:
    ip.frame.demand(tf.equal(tf.size(value.tensor), 1))
  elif value.tensor.shape.num_elements() != 1:
    raise Raises
  return python_number(compute(ip, "item", tf.reshape, value.tensor, []))


def scalar(kind: type) -> Callable[..., object]:
  """Returns what a class of NumPy's numbers makes of one number."""

  def apply(ip: Host, value: object = 0, /) -> object:
    found = operand(ip, value, kind.__name__)
    if found.rank:
      raise refuse(ip, kind.__name__)
    return made(array_as(ip, value, np.dtype(kind), kind.__name__).tensor)

  return apply


zeros = _filled("zeros", 0)
ones = _filled("ones", 1)
zeros_like = _filled_like("zeros_like", 0)
ones_like = _filled_like("ones_like", 1)
