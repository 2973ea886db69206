"""Sums, means, extremes and the like of NumPy's arrays, along some axes or all.

Floats may be added in another order than NumPy's, so that the last digit can differ.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics.ndarrays import _ufuncs
from recursive_tf.convert.semantics.ndarrays._nested import array
from recursive_tf.convert.semantics.ndarrays._operands import (
  Operand,
  axes_of,
  axis_of,
  cast,
  compute,
  demand_elements,
  dtype_of,
  has_both_zeros,
  has_negative_zero,
  known,
  made,
  refuse,
  size_of,
  without_sign,
)
from recursive_tf.convert.values._abstract import Array, Raises
from recursive_tf.convert.values._numbers import Number

_INT = np.dtype(np.int64)
_FLOAT = np.dtype(np.float64)
Reduction = Callable[..., object]


def _keeps(ip: Host, value: object, name: str) -> bool:
  keepdims = known(ip, value, name)
  if type(keepdims) is not bool:
    raise refuse(ip, f"{name} with keepdims={keepdims!r}")
  return keepdims


def _operand(ip: Host, a: object, out: object, name: str) -> Operand:
  """Returns what is reduced, if its result is a new array."""
  if out is not None:
    raise ip.frame.refuse(Reason.OPAQUE_CALL, f"NumPy's {name} writes an array (out=...).")
  return array(ip, a, name)


def _floats(ip: Host, value: Operand) -> tf.Tensor:
  """Returns its elements as floats: ints and bools as float64."""
  return cast(ip, value, value.dtype if value.dtype.kind == "f" else _FLOAT)


def _flat_or_along(ip: Host, tensor: tf.Tensor, axis: object, name: str) -> tuple[tf.Tensor, int]:
  """Returns a tensor and the axis to go along; without one all its elements in a row."""
  rank = tensor.shape.rank
  if axis is None or rank == 0:
    axes_of(ip, axis, max(rank, 1), name)
    return tf.reshape(tensor, [-1]), 0
  return tensor, axis_of(ip, axis, rank, name)


def _demand_no_nan(ip: Host, tensor: tf.Tensor) -> None:
  if tensor.dtype.is_floating:
    ip.frame.demand(tf.reduce_all(tf.logical_not(tf.math.is_nan(tensor))))


def _summed_type(value: Operand) -> np.dtype[np.generic]:
  """Returns the type of a sum: smaller ints, and bools, are added up as int64."""
  return value.dtype if value.dtype.kind == "f" else _INT


def _added(name: str, reduce: Callable[..., tf.Tensor]) -> Reduction:
  def apply(
    ip: Host,
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    keepdims: object = False,
  ) -> object:
    value = _operand(ip, a, out, name)
    kind = _summed_type(value) if dtype is None else dtype_of(ip, dtype, name)
    if kind != _summed_type(value):
      raise refuse(ip, f"{name} with another type")
    axes = axes_of(ip, axis, value.rank, name, True)
    tensor = cast(ip, value, kind)
    return made(compute(ip, name, reduce, tensor, axes, _keeps(ip, keepdims, name)))

  return apply


def _mean(tensor: tf.Tensor, axes: list[int], keepdims: bool) -> tf.Tensor:
  return without_sign(tf.reduce_mean(tensor, axes, keepdims))


def _sum(tensor: tf.Tensor, axes: list[int], keepdims: bool) -> tf.Tensor:
  return without_sign(tf.reduce_sum(tensor, axes, keepdims))


def mean(
  ip: Host,
  a: object,
  axis: object = None,
  dtype: object = None,
  out: object = None,
  keepdims: object = False,
) -> object:
  """Does `np.mean`, of which nothing gives a warning and a NaN."""
  value = _operand(ip, a, out, "mean")
  if dtype is not None:
    raise refuse(ip, "mean with a type")
  axes = axes_of(ip, axis, value.rank, "mean")
  demand_elements(ip, value.tensor, axes)
  tensor = _floats(ip, value)
  return made(compute(ip, "mean", _mean, tensor, axes, _keeps(ip, keepdims, "mean")))


def _spread(name: str) -> Reduction:
  def apply(
    ip: Host,
    a: object,
    axis: object = None,
    dtype: object = None,
    out: object = None,
    ddof: object = 0,
    keepdims: object = False,
  ) -> object:
    value = _operand(ip, a, out, name)
    less = known(ip, ddof, name)
    if dtype is not None or type(less) is not int:
      raise refuse(ip, f"{name} with a type, or such a ddof")
    axes = axes_of(ip, axis, value.rank, name)
    count = size_of(value.tensor, axes)
    if isinstance(count, int) and count <= less:
      raise Raises  # A warning.
    ip.frame.demand(tf.greater(count, less))
    tensor = _floats(ip, value)
    is_kept = _keeps(ip, keepdims, name)

    def spread() -> tf.Tensor:
      apart = tensor - tf.reduce_mean(tensor, axes, True)
      total = tf.reduce_sum(apart * apart, axes, is_kept)
      found = total / tf.cast(tf.cast(count, tf.int64) - less, tensor.dtype)
      return tf.sqrt(found) if name == "std" else found

    return made(compute(ip, name, spread))

  return apply


def _extreme(name: str) -> Reduction:
  of_numbers = tf.reduce_max if name == "max" else tf.reduce_min
  of_bools = tf.reduce_any if name == "max" else tf.reduce_all

  def reduced(tensor: tf.Tensor, axes: list[int], keepdims: bool) -> tf.Tensor:
    if tensor.dtype == tf.bool:
      return of_bools(tensor, axes, keepdims)
    found = of_numbers(tensor, axes, keepdims)
    if not tensor.dtype.is_floating:
      return found
    has_nan = tf.reduce_any(tf.math.is_nan(tensor), axes, keepdims)
    return tf.where(has_nan, tf.constant(np.nan, tensor.dtype), found)

  def apply(
    ip: Host, a: object, axis: object = None, out: object = None, keepdims: object = False
  ) -> object:
    value = _operand(ip, a, out, name)
    axes = axes_of(ip, axis, value.rank, name, True)
    demand_elements(ip, value.tensor, axes)
    if value.dtype.kind == "f":
      ip.frame.demand(tf.logical_not(has_both_zeros(value.tensor)))
    return made(compute(ip, name, reduced, value.tensor, axes, _keeps(ip, keepdims, name)))

  return apply


def ptp(
  ip: Host, a: object, axis: object = None, out: object = None, keepdims: object = False
) -> object:
  """Does `np.ptp`: the greatest less the least."""
  greatest, least = (_extreme(name)(ip, a, axis, out, keepdims) for name in ("max", "min"))
  return _ufuncs.call(ip, np.subtract, [greatest, least])


def _truth(name: str, reduce: Callable[..., tf.Tensor]) -> Reduction:
  def apply(
    ip: Host, a: object, axis: object = None, out: object = None, keepdims: object = False
  ) -> object:
    value = _operand(ip, a, out, name)
    axes = axes_of(ip, axis, value.rank, name, True)
    tensor = value.tensor if value.tensor.dtype == tf.bool else tf.not_equal(value.tensor, 0)
    return made(compute(ip, name, reduce, tensor, axes, _keeps(ip, keepdims, name)))

  return apply


def _place(name: str, reduce: Callable[..., tf.Tensor]) -> Reduction:
  """Returns `np.argmax` or `np.argmin`: the first of equals. The run fails where there is a NaN."""

  def apply(
    ip: Host, a: object, axis: object = None, out: object = None, keepdims: object = False
  ) -> object:
    value = _operand(ip, a, out, name)
    if _keeps(ip, keepdims, name):
      raise refuse(ip, f"{name} with keepdims=True")
    tensor, along = _flat_or_along(ip, value.tensor, axis, name)
    demand_elements(ip, tensor, [along])
    _demand_no_nan(ip, tensor)
    if tensor.dtype == tf.bool:
      tensor = tf.cast(tensor, tf.int32)
    return made(compute(ip, name, reduce, tensor, along, tf.int64))

  return apply


def _running(name: str, function: Callable[..., tf.Tensor]) -> Reduction:
  def apply(
    ip: Host, a: object, axis: object = None, dtype: object = None, out: object = None
  ) -> object:
    value = _operand(ip, a, out, name)
    if dtype is not None:
      raise refuse(ip, f"{name} with a type")
    tensor = cast(ip, value, _summed_type(value))
    if tensor.dtype.is_floating and name == "cumsum":  # Which TensorFlow begins with 0.0.
      ip.frame.demand(tf.logical_not(has_negative_zero(tensor)))
    return made(compute(ip, name, function, *_flat_or_along(ip, tensor, axis, name)))

  return apply


_COUNTS_ARE_INTS = not isinstance(np.count_nonzero(np.ones(1)), np.generic)


def count_nonzero(ip: Host, a: object, axis: object = None, *, keepdims: object = False) -> object:
  """Does `np.count_nonzero`."""
  value = array(ip, a, "count_nonzero")
  axes = axes_of(ip, axis, value.rank, "count_nonzero", True)
  tensor = tf.not_equal(value.tensor, tf.zeros([], value.tensor.dtype))
  is_kept = _keeps(ip, keepdims, "count_nonzero")
  counted = compute(
    ip, "count_nonzero", tf.reduce_sum, tf.cast(tensor, tf.int64), axes, keepdims=is_kept
  )
  is_int = axis is None and not is_kept and _COUNTS_ARE_INTS
  return Number(counted, int) if is_int else made(counted)


def array_equal(ip: Host, a1: object, a2: object, equal_nan: object = False) -> object:
  """Does `np.array_equal`."""
  if known(ip, equal_nan, "array_equal") is not False:
    raise refuse(ip, "array_equal with equal_nan=True")
  left, right = (array(ip, one, "array_equal") for one in (a1, a2))
  if left.rank != right.rank or not left.tensor.shape.is_compatible_with(right.tensor.shape):
    return False
  kind = np.result_type(left.dtype, right.dtype)
  tensors = cast(ip, left, kind), cast(ip, right, kind)
  if left.tensor.shape.is_fully_defined() and right.tensor.shape.is_fully_defined():
    return Number(compute(ip, "array_equal", _all_equal, *tensors), bool)
  sizes = tf.reduce_all(tf.equal(tf.shape(left.tensor), tf.shape(right.tensor)))
  both = [one if one.shape.rank else tf.reshape(one, [1]) for one in tensors]
  return ip.both(
    Number(sizes, bool), True, lambda: Number(compute(ip, "array_equal", _all_equal, *both), bool)
  )


def _all_equal(left: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
  return tf.reduce_all(tf.equal(left, right))


def _is_close(ip: Host, a: object, b: object, rtol: object, atol: object) -> Array:
  """Returns which elements are close, as NumPy has it: the second is what the first is near to."""
  left, right = (array(ip, one, "isclose") for one in (a, b))
  relative, at_all = known(ip, rtol, "isclose"), known(ip, atol, "isclose")
  kind = np.result_type(left.dtype, right.dtype, 1.0)
  if type(relative) is not float or type(at_all) is not float or kind != np.float64:
    raise refuse(ip, "isclose of 32 bits, or with such tolerances")
  x, y = cast(ip, left, kind), cast(ip, right, kind)

  def close() -> tf.Tensor:
    is_near = tf.abs(x - y) <= at_all + relative * tf.abs(y)
    return (is_near & tf.math.is_finite(y)) | tf.equal(x, y)

  return made(compute(ip, "isclose", close))


def isclose(ip: Host, a: object, b: object, rtol: object = 1e-05, atol: object = 1e-08) -> object:
  """Does `np.isclose`."""
  return _is_close(ip, a, b, rtol, atol)


def allclose(ip: Host, a: object, b: object, rtol: object = 1e-05, atol: object = 1e-08) -> object:
  """Does `np.allclose`."""
  found = _is_close(ip, a, b, rtol, atol).tensor
  return Number(compute(ip, "allclose", tf.reduce_all, found), bool)


def norm(ip: Host, x: object, ord: object = None, axis: object = None) -> Array:
  """Does `np.linalg.norm` of a vector, or of all of a matrix, or along one axis."""
  value = array(ip, x, "norm")
  if ord is not None or (axis is not None and type(known(ip, axis, "norm")) is not int):
    raise refuse(ip, "norm with such arguments")
  axes = axes_of(ip, axis, value.rank, "norm")
  tensor = _floats(ip, value)
  squares = compute(ip, "norm", tf.reduce_sum, tensor * tensor, axes)
  return _ufuncs.call(ip, np.sqrt, [made(squares)])


def median(ip: Host, a: object) -> object:
  """Does `np.median` of all elements; the run fails where there is a NaN."""
  value = array(ip, a, "median")
  flat = tf.reshape(value.tensor, [-1])
  demand_elements(ip, flat, [0])
  _demand_no_nan(ip, flat)
  tensor = _floats(ip, value)

  def middle() -> tf.Tensor:
    found, size = tf.sort(tf.reshape(tensor, [-1])), tf.size(tensor)
    found = tf.pad(
      found, [[0, 1]]
    )  # Of nothing it is demanded not to be, and there is one to take.
    return tf.reduce_mean(tf.gather(found, tf.stack([tf.maximum(size - 1, 0) // 2, size // 2])))

  return made(compute(ip, "median", middle))


total = _added("sum", _sum)
product = _added("prod", tf.reduce_prod)
greatest = _extreme("max")
least = _extreme("min")
standard_deviation = _spread("std")
variance = _spread("var")
some = _truth("any", tf.reduce_any)
every = _truth("all", tf.reduce_all)
place_of_greatest = _place("argmax", tf.argmax)
place_of_least = _place("argmin", tf.argmin)
running_sum = _running("cumsum", tf.cumsum)
running_product = _running("cumprod", tf.math.cumprod)
