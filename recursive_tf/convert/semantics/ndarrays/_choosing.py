"""Elements of NumPy's arrays by truths and places: `where`, sorting, masks, indices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics.ndarrays._nested import array
from recursive_tf.convert.semantics.ndarrays._operands import (
  Operand,
  axis_of,
  cast,
  compute,
  has_both_zeros,
  known,
  made,
  one_sign,
  operand,
  refuse,
)
from recursive_tf.convert.semantics.ndarrays._shaping import gathered, placed
from recursive_tf.convert.values._abstract import Array, Raises


def where(ip: Host, condition: object, *both: object) -> object:
  """Does `np.where`."""
  truths = _truths(array(ip, condition, "where"))
  if not both:
    return nonzero(ip, condition)
  if len(both) != 2:
    raise Raises  # A ValueError.
  left, right = (operand(ip, one, "where") for one in both)
  kinds = [one.dtype if one.weak is None else one.weak(0) for one in (left, right)]
  kind = np.result_type(*kinds)
  tensors = cast(ip, left, kind), cast(ip, right, kind)
  return made(compute(ip, "where", tf.where, truths, *tensors), is_array=True)


def _truths(value: Operand) -> tf.Tensor:
  tensor = value.tensor
  return tensor if tensor.dtype == tf.bool else tf.not_equal(tensor, tf.zeros([], tensor.dtype))


def nonzero(ip: Host, a: object) -> tuple[Array, ...]:
  """Does `np.nonzero`: the places of what is true, axis by axis."""
  value = array(ip, a, "nonzero")
  if not value.rank:
    raise refuse(ip, "nonzero of a number")
  places = compute(ip, "nonzero", tf.where, _truths(value))
  return tuple(made(places[:, i]) for i in range(value.rank))


def argwhere(ip: Host, a: object) -> Array:
  """Does `np.argwhere`."""
  value = array(ip, a, "argwhere")
  if not value.rank:
    raise refuse(ip, "argwhere of a number")
  return made(compute(ip, "argwhere", tf.where, _truths(value)))


def flatnonzero(ip: Host, a: object) -> Array:
  """Does `np.flatnonzero`."""
  value = array(ip, a, "flatnonzero")
  places = compute(ip, "flatnonzero", tf.where, tf.reshape(_truths(value), [-1]))
  return made(places[:, 0])


def _sorted_axis(ip: Host, value: Operand, axis: object, name: str) -> tuple[tf.Tensor, int]:
  """Returns what is sorted and along which axis; the run fails where there is a NaN."""
  tensor = value.tensor
  if tensor.dtype.is_floating:
    ip.frame.demand(tf.reduce_all(tf.logical_not(tf.math.is_nan(tensor))))
  if tensor.dtype == tf.bool:
    tensor = tf.cast(tensor, tf.int32)
  if axis is None:
    return tf.reshape(tensor, [-1]), 0
  if not value.rank:
    raise refuse(ip, f"{name} of a number")
  return tensor, axis_of(ip, axis, value.rank, name)


def _demand_one_zero(ip: Host, tensor: tf.Tensor) -> None:
  """Fails the run where there are zeros of both signs, of which NumPy has its own order."""
  if tensor.dtype.is_floating:
    ip.frame.demand(tf.logical_not(has_both_zeros(tensor)))


def sort(ip: Host, a: object, axis: object = -1, kind: object = None) -> Array:
  """Does `np.sort`."""
  value = array(ip, a, "sort")
  tensor, along = _sorted_axis(ip, value, axis, "sort")
  _demand_one_zero(ip, tensor)
  found = compute(ip, "sort", tf.sort, tensor, along)
  return made(tf.cast(found, value.tensor.dtype))


def argsort(
  ip: Host,
  a: object,
  axis: object = -1,
  kind: object = None,
  order: object = None,
  *,
  stable: object = None,
) -> Array:
  """Does `np.argsort`; where equals have an order of NumPy's own the run fails."""
  value = array(ip, a, "argsort")
  is_stable = known(ip, stable, "argsort") is True
  is_stable |= known(ip, kind, "argsort") in ("stable", "mergesort")
  if order is not None:
    raise refuse(ip, "argsort with an order")
  tensor, along = _sorted_axis(ip, value, axis, "argsort")
  places = compute(ip, "argsort", tf.argsort, tensor, along, stable=True)
  if not is_stable:
    found = tf.sort(tensor, along)
    before: tuple[slice, ...] = (slice(None),) * along
    later, earlier = found[(*before, slice(1, None))], found[(*before, slice(None, -1))]
    ip.frame.demand(tf.reduce_all(tf.not_equal(later, earlier)))
  return made(tf.cast(places, tf.int64))


def unique(ip: Host, ar: object) -> Array:
  """Does `np.unique` of numbers: each once, in order."""
  value = array(ip, ar, "unique")
  flat = tf.reshape(value.tensor, [-1])
  tensor, _ = _sorted_axis(ip, Operand(flat, None, False, True), None, "unique")

  _demand_one_zero(ip, tensor)

  def different() -> tf.Tensor:
    found = tf.sort(tensor)
    is_new = tf.concat([tf.ones_like(found[:1], tf.bool), tf.not_equal(found[1:], found[:-1])], 0)
    return tf.boolean_mask(found, is_new)

  return made(tf.cast(compute(ip, "unique", different), flat.dtype))


def clip(ip: Host, a: object, a_min: object = None, a_max: object = None) -> Array:
  """Does `np.clip` of finite limits."""
  value = array(ip, a, "clip")
  limits = [None if one is None else operand(ip, one, "clip") for one in (a_min, a_max)]
  kinds = [one.dtype if one.weak is None else one.weak(0) for one in limits if one is not None]
  kind = np.result_type(value.dtype, *kinds)
  if kind.kind == "b" or not kinds:
    raise refuse(ip, "clip of such values")
  found = cast(ip, value, kind)
  for limit, function in zip(limits, (tf.maximum, tf.minimum), strict=True):
    if limit is not None:
      edge = cast(ip, limit, kind)
      if kind.kind == "f":
        ip.frame.demand(tf.reduce_all(tf.logical_not(tf.math.is_nan(edge))))
      found = compute(ip, "clip", _within, found, edge, function)
  return made(found)


def _within(tensor: tf.Tensor, edge: tf.Tensor, function: object) -> tf.Tensor:
  assert callable(function)
  found = function(tensor, edge)
  if not tensor.dtype.is_floating:
    return found
  return tf.where(tf.math.is_nan(tensor), tensor, one_sign(tensor, edge, found))


def rounded(ip: Host, a: object, decimals: object = 0) -> Array:
  """Does `np.round`: half to even, of the number times a power of ten."""
  value = array(ip, a, "round")
  digits = known(ip, decimals, "round")
  if type(digits) is not int or digits < 0 or value.tensor.dtype == tf.bool:
    raise refuse(ip, "round with such digits")
  if value.dtype.kind != "f":
    return made(tf.identity(value.tensor))
  scale = tf.constant(10.0**digits, value.tensor.dtype)

  def nearest() -> tf.Tensor:
    return tf.round(value.tensor) if not digits else tf.round(value.tensor * scale) / scale

  return made(compute(ip, "round", nearest))


# --- Items


def by_arrays(ip: Host, owner: Operand, keys: Sequence[Operand | slice | int]) -> Array | None:
  """Returns `owner[keys]` where some are arrays of ints or truths; None if it is not done here.

  Args:
    ip: the interpreter.
    owner: the array.
    keys: an array, a whole slice or an int for each of the first axes; ints are known.
  """
  arrays = [i for i, key in enumerate(keys) if isinstance(key, Operand)]
  if len(keys) > owner.rank:
    raise Raises  # An IndexError.
  if len(arrays) == 1:
    (place,) = arrays
    key = keys[place]
    assert isinstance(key, Operand)
    if not all(one == slice(None) for i, one in enumerate(keys) if i != place):
      return None
    if key.tensor.dtype == tf.bool:
      return _masked(ip, owner, key, place)
    return made(gathered(ip, owner.tensor, key.tensor, place), is_array=True)
  if len(arrays) < len(keys) or any(_is_mask(key) for key in keys):
    return None
  columns = [
    placed(ip, owner.tensor, key.tensor, axis)
    for axis, key in enumerate(keys)
    if isinstance(key, Operand)
  ]

  def picked() -> tf.Tensor:
    together = columns[0]
    for column in columns[1:]:
      together = together + tf.zeros_like(column)
    full = [column + tf.zeros_like(together) for column in columns]
    return tf.gather_nd(owner.tensor, tf.stack(full, -1))

  return made(compute(ip, "index", picked), is_array=True)


def _is_mask(key: object) -> bool:
  return isinstance(key, Operand) and key.tensor.dtype == tf.bool


def _masked(ip: Host, owner: Operand, key: Operand, axis: int) -> Array:
  """Returns what is true of an array along some of its axes; sizes that differ are an error."""
  rank = key.rank
  if axis + rank > owner.rank or not rank:
    raise Raises
  sizes = owner.tensor.shape[axis : axis + rank]
  if not sizes.is_compatible_with(key.tensor.shape):
    raise Raises  # An IndexError.
  mask = key.tensor
  if not (sizes.is_fully_defined() and mask.shape.is_fully_defined()):
    same = tf.equal(tf.shape(owner.tensor)[axis : axis + rank], tf.shape(mask))
    mask = ip.frame.check(mask, same, "a mask of another size")
    mask.set_shape(key.tensor.shape)
  return made(compute(ip, "index", tf.boolean_mask, owner.tensor, mask, axis=axis))
