"""NumPy's arrays in other shapes, put together, turned and repeated.

A view of an array that nobody else has is as good as a copy, since no array is changed in place.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics.ndarrays import _making
from recursive_tf.convert.semantics.ndarrays._nested import array
from recursive_tf.convert.semantics.ndarrays._operands import (
  Operand,
  axes_of,
  axis_of,
  cast,
  compute,
  known,
  made,
  operand,
  refuse,
  without_sign,
)
from recursive_tf.convert.values._abstract import Array, Raises
from recursive_tf.convert.values._numbers import Number


def _view(value: Operand, tensor: tf.Tensor) -> Array:
  return made(tensor, is_array=not value.is_scalar, is_new=value.is_new)


def reshape(ip: Host, a: object, shape: object, order: object = "C") -> Array:
  """Does `np.reshape`."""
  if known(ip, order, "reshape") != "C":
    raise refuse(ip, "reshape in another order")
  value = array(ip, a, "reshape")
  found = _making.sizes(ip, shape, "reshape")
  known_sizes = [size for size in found if isinstance(size, int)]
  if known_sizes.count(-1) > 1 or {-1, 0} <= {*known_sizes}:  # Of nothing no size is known.
    raise Raises
  if len(known_sizes) < len(found) and len(found) > 1:
    sizes = tf.stack([tf.cast(size, tf.int64) for size in found])
    ip.frame.demand(~(tf.reduce_any(tf.equal(sizes, -1)) & tf.reduce_any(tf.equal(sizes, 0))))
  for size in found:
    if isinstance(size, tf.Tensor):
      ip.frame.demand(size >= -1)
    elif size < -1:
      raise Raises
  tensor = compute(ip, "reshape", tf.reshape, value.tensor, _making.packed(found))
  return made(tensor, is_array=True, is_new=value.is_new)


def reshaped(ip: Host, a: object, *shape: object, order: object = "C") -> Array:
  """Does `a.reshape(...)`."""
  return reshape(ip, a, shape[0] if len(shape) == 1 else tuple(shape), order)


def ravel(ip: Host, a: object, order: object = "C") -> Array:
  """Does `np.ravel`, which may give the array itself."""
  value = array(ip, a, "ravel")
  tensor = compute(ip, "ravel", tf.reshape, value.tensor, [-1])
  return made(tensor, is_new=value.is_new)


def flatten(ip: Host, a: object, order: object = "C") -> Array:
  """Does `a.flatten()`, which is a copy."""
  if known(ip, order, "flatten") != "C":
    raise refuse(ip, "flatten in another order")
  return made(compute(ip, "flatten", tf.reshape, array(ip, a, "flatten").tensor, [-1]))


def transpose(ip: Host, a: object, axes: object = None) -> Array:
  """Does `np.transpose`."""
  value = array(ip, a, "transpose")
  order = [*range(value.rank)][::-1]
  if axes is not None:
    named = ip.frame.concrete(axes)
    order = [axis_of(ip, one, value.rank, "transpose") for one in ip.fixed_items(named)]
    if sorted(order) != [*range(value.rank)]:
      raise Raises
  return _view(value, compute(ip, "transpose", tf.transpose, value.tensor, order))


def transposed(ip: Host, a: object, *axes: object) -> Array:
  """Does `a.transpose(...)`."""
  first = ip.frame.concrete(axes[0]) if len(axes) == 1 else axes
  is_all = not axes or first is None
  return transpose(ip, a, None if is_all else first if type(first) is tuple else axes)


def swapaxes(ip: Host, a: object, axis1: object, axis2: object) -> Array:
  """Does `np.swapaxes`."""
  value = array(ip, a, "swapaxes")
  order = [*range(value.rank)]
  i, j = (axis_of(ip, one, value.rank, "swapaxes") for one in (axis1, axis2))
  order[i], order[j] = order[j], order[i]
  return _view(value, compute(ip, "swapaxes", tf.transpose, value.tensor, order))


def expand_dims(ip: Host, a: object, axis: object) -> Array:
  """Does `np.expand_dims`."""
  value = array(ip, a, "expand_dims")
  along = axis_of(ip, axis, value.rank + 1, "expand_dims")
  tensor = compute(ip, "expand_dims", tf.expand_dims, value.tensor, along)
  return made(tensor, is_new=value.is_new)


def squeeze(ip: Host, a: object, axis: object = None) -> Array:
  """Does `np.squeeze`."""
  value = array(ip, a, "squeeze")
  if axis is None and not value.tensor.shape.is_fully_defined():
    raise ip.frame.refuse(Reason.NEEDS_VALUE, "NumPy's squeeze of sizes that only the run knows.")
  axes = [i for i, size in enumerate(value.tensor.shape) if size == 1]
  if axis is not None:
    axes = axes_of(ip, axis, value.rank, "squeeze")
  if not axes:
    return _view(value, value.tensor)
  return _view(value, compute(ip, "squeeze", tf.squeeze, value.tensor, axes))


def _parts(ip: Host, arrays: object, name: str) -> list[Operand]:
  """Returns the arrays of a tuple or list, which are several."""
  rows = ip.rows_of(arrays)
  if rows is not None:
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, f"NumPy's {name} of a list of an unknown length.")
  parts = [array(ip, one, name) for one in ip.fixed_items(arrays)]
  if not parts:
    raise Raises
  return parts


def _joined(
  ip: Host, parts: list[Operand], name: str, join: Callable[..., tf.Tensor], *args: object
) -> Array:
  kind = np.result_type(*(part.dtype for part in parts))
  return made(compute(ip, name, join, [cast(ip, part, kind) for part in parts], *args))


def concatenate(ip: Host, arrays: object, /, axis: object = 0) -> Array:
  """Does `np.concatenate`."""
  rows = ip.rows_of(arrays)
  if rows is not None:
    return _concatenated_rows(ip, array(ip, arrays, "concatenate"), axis)
  parts = _parts(ip, arrays, "concatenate")
  if axis is None:
    raise refuse(ip, "concatenate with axis=None")
  if len({part.rank for part in parts}) > 1 or not parts[0].rank:
    raise Raises
  along = axis_of(ip, axis, parts[0].rank, "concatenate")
  return _joined(ip, parts, "concatenate", tf.concat, along)


def _concatenated_rows(ip: Host, stacked: Operand, axis: object) -> Array:
  """Returns arrays of one shape, of which only the run knows how many there are, as one."""
  rank = stacked.tensor.shape.rank - 1
  if not rank:
    raise Raises
  along = axis_of(ip, axis, rank, "concatenate")
  order = [*range(1, rank + 1)]
  order.insert(along, 0)
  turned = tf.transpose(stacked.tensor, order)
  shape = [-1 if i == along else tf.shape(stacked.tensor)[i + 1] for i in range(rank)]
  return made(compute(ip, "concatenate", tf.reshape, turned, shape))


def stack(ip: Host, arrays: object, axis: object = 0) -> Array:
  """Does `np.stack`."""
  rows = ip.rows_of(arrays)
  if rows is not None:
    stacked = array(ip, arrays, "stack")
    along = axis_of(ip, axis, stacked.rank, "stack")
    order = [*range(1, stacked.rank)]
    order.insert(along, 0)
    return made(compute(ip, "stack", tf.transpose, stacked.tensor, order))
  parts = _parts(ip, arrays, "stack")
  shapes_fit = all(parts[0].tensor.shape.is_compatible_with(p.tensor.shape) for p in parts)
  if not shapes_fit:
    raise Raises
  along = axis_of(ip, axis, parts[0].rank + 1, "stack")
  return _joined(ip, parts, "stack", tf.stack, along)


def _at_least(part: Operand, rank: int, is_row: bool = True) -> Operand:
  """Returns an array with axes put before it, or behind it."""
  tensor = part.tensor
  while tensor.shape.rank < rank:
    tensor = tf.expand_dims(tensor, 0 if is_row else -1)
  return Operand(tensor, None, False, part.is_new)


def _along(name: str, rank: int, axis: int, is_row: bool = True) -> Callable[..., Array]:
  """Returns what puts arrays together along an axis, once they have as many axes."""

  def apply(ip: Host, tup: object) -> Array:
    parts = [_at_least(part, rank, is_row) for part in _parts(ip, tup, name)]
    if len({part.rank for part in parts}) > 1:
      raise Raises
    return _joined(ip, parts, name, tf.concat, axis)

  return apply


def hstack(ip: Host, tup: object) -> Array:
  """Does `np.hstack`."""
  parts = [_at_least(part, 1) for part in _parts(ip, tup, "hstack")]
  if len({part.rank for part in parts}) > 1:
    raise Raises
  return _joined(ip, parts, "hstack", tf.concat, 0 if parts[0].rank == 1 else 1)


def block(ip: Host, arrays: object) -> Array:
  """Does `np.block` of a list of arrays, or of a list of lists of arrays."""
  rows = ip.fixed_items(arrays)
  lists = [_is_list(ip, row) for row in rows]
  if len({*lists}) != 1:
    raise refuse(ip, "block of such a list")
  found = [[array(ip, p, "block") for p in ip.fixed_items(r)] for r in rows if lists[0]]
  if not lists[0]:
    found = [[array(ip, part, "block") for part in rows]]
  if not all(found) or any(_ is None for row in found for _ in row):
    raise refuse(ip, "block of an empty list")
  parts = [part for row in found for part in row]
  rank = max(part.rank for part in parts)
  rank = max(rank, 2 if lists[0] else 1)
  kind = np.result_type(*(part.dtype for part in parts))
  lines = [[cast(ip, _at_least(part, rank), kind) for part in row] for row in found]
  rows_joined = [compute(ip, "block", tf.concat, line, rank - 1) for line in lines]
  return made(compute(ip, "block", tf.concat, rows_joined, max(rank - 2, 0)))


def _is_list(ip: Host, value: object) -> bool:
  return ip.kind_of(ip.frame.concrete(value)).classes() in ([list], [tuple])


def _flipped(ip: Host, value: Operand, axes: list[int], name: str) -> Array:
  return _view(value, compute(ip, name, tf.reverse, value.tensor, axes) if axes else value.tensor)


def flip(ip: Host, m: object, axis: object = None) -> Array:
  """Does `np.flip`."""
  value = array(ip, m, "flip")
  return _flipped(ip, value, axes_of(ip, axis, value.rank, "flip"), "flip")


def _flip_along(name: str, axis: int) -> Callable[..., Array]:
  def apply(ip: Host, m: object) -> Array:
    value = array(ip, m, name)
    if value.rank <= axis:
      raise Raises
    return _flipped(ip, value, [axis], name)

  return apply


def rot90(ip: Host, m: object, k: object = 1, axes: object = (0, 1)) -> Array:
  """Does `np.rot90`."""
  value = array(ip, m, "rot90")
  turns = known(ip, k, "rot90")
  if type(turns) is not int or known(ip, axes, "rot90") != (0, 1):
    raise refuse(ip, "rot90 with such arguments")
  if value.rank < 2:
    raise Raises
  order = [1, 0, *range(2, value.rank)]
  tensor = value.tensor
  if turns % 4 == 2:
    tensor = compute(ip, "rot90", tf.reverse, tensor, [0, 1])
  elif turns % 4:
    first, last = ([1], None) if turns % 4 == 1 else (None, [1])
    if first is not None:
      tensor = compute(ip, "rot90", tf.reverse, tensor, first)
    tensor = compute(ip, "rot90", tf.transpose, tensor, order)
    if last is not None:
      tensor = compute(ip, "rot90", tf.reverse, tensor, last)
  return _view(value, tensor)


def roll(ip: Host, a: object, shift: object, axis: object = None) -> Array:
  """Does `np.roll` by one number."""
  value = array(ip, a, "roll")
  by = operand(ip, shift, "roll")
  if by.rank or by.dtype.kind != "i":
    raise refuse(ip, "roll by such a number")
  number = cast(ip, by, np.dtype(np.int64))
  if axis is None:
    flat = compute(ip, "roll", tf.roll, tf.reshape(value.tensor, [-1]), number, 0)
    found = tf.reshape(flat, tf.shape(value.tensor))
    found.set_shape(value.tensor.shape)
    return made(found, is_array=True)
  along = axis_of(ip, axis, value.rank, "roll")
  return made(compute(ip, "roll", tf.roll, value.tensor, number, along))


def repeat(ip: Host, a: object, repeats: object, axis: object = None) -> Array:
  """Does `np.repeat`, each as often."""
  value = array(ip, a, "repeat")
  count = _making.shape_of(ip, repeats, "repeat")
  if count.shape != [1]:
    raise refuse(ip, "repeat by several numbers")
  tensor = tf.reshape(value.tensor, [-1]) if axis is None else value.tensor
  along = 0 if axis is None else axis_of(ip, axis, value.rank, "repeat")
  return made(compute(ip, "repeat", tf.repeat, tensor, count[0], axis=along))


def tile(ip: Host, A: object, reps: object) -> Array:
  """Does `np.tile`."""
  value = array(ip, A, "tile")
  counts = _making.shape_of(ip, reps, "tile")
  number = counts.shape[0]
  tensor = _at_least(value, number).tensor
  missing = tensor.shape.rank - number
  counts = tf.concat([tf.ones([missing], tf.int64), counts], 0)
  return made(compute(ip, "tile", tf.tile, tensor, counts))


def take(ip: Host, a: object, indices: object, axis: object = None) -> Array:
  """Does `np.take`."""
  value = array(ip, a, "take")
  index = array(ip, indices, "take")
  if index.dtype.kind != "i":
    raise refuse(ip, "take by such an index")
  tensor = tf.reshape(value.tensor, [-1]) if axis is None else value.tensor
  along = 0 if axis is None else axis_of(ip, axis, value.rank, "take")
  return made(gathered(ip, tensor, index.tensor, along))


def gathered(ip: Host, tensor: tf.Tensor, index: tf.Tensor, axis: int) -> tf.Tensor:
  """Returns elements along an axis by ints; the run fails where there is none: an IndexError."""
  return compute(ip, "index", tf.gather, tensor, placed(ip, tensor, index, axis), axis=axis)


def placed(ip: Host, tensor: tf.Tensor, index: tf.Tensor, axis: int) -> tf.Tensor:
  """Returns places along an axis from 0; the run fails beyond."""
  size = tf.shape(tensor, out_type=tf.int64)[axis]
  wide = tf.cast(index, tf.int64)
  wide = tf.where(wide < 0, wide + size, wide)
  return ip.frame.check(wide, (wide >= 0) & (wide < size), "index out of bounds")


def diff(ip: Host, a: object, n: object = 1, axis: object = -1) -> Array:
  """Does `np.diff`, once."""
  value = array(ip, a, "diff")
  if known(ip, n, "diff") != 1:
    raise refuse(ip, "diff more than once")
  if not value.rank:
    raise Raises
  along = axis_of(ip, axis, value.rank, "diff")
  before: tuple[slice, ...] = (slice(None),) * along
  later, earlier = value.tensor[(*before, slice(1, None))], value.tensor[(*before, slice(None, -1))]
  is_bool = value.tensor.dtype == tf.bool
  return made(compute(ip, "diff", tf.not_equal if is_bool else tf.subtract, later, earlier))


def diagonal(ip: Host, v: object, k: object = 0) -> Array:
  """Does `np.diag`: the diagonal of a matrix, or a matrix of one."""
  value = array(ip, v, "diag")
  if known(ip, k, "diag") != 0 or value.rank not in (1, 2):
    raise refuse(ip, "diag with such arguments")
  if value.rank == 1:
    return made(compute(ip, "diag", tf.linalg.diag, value.tensor))
  raise refuse(ip, "diag of a matrix")  # A view that cannot be written.


def trace(ip: Host, a: object) -> Array:
  """Does `np.trace` of a matrix."""
  value = array(ip, a, "trace")
  if value.rank != 2:
    raise refuse(ip, "trace of such an array")
  kind = value.dtype if value.dtype.kind == "f" else np.dtype(np.int64)
  parts = compute(ip, "trace", tf.linalg.diag_part, cast(ip, value, kind))
  return made(compute(ip, "trace", tf.reduce_sum, parts))


def _triangle(name: str, is_lower: bool) -> Callable[..., Array]:
  def apply(ip: Host, m: object, k: object = 0) -> Array:
    value = array(ip, m, name)
    if known(ip, k, name) != 0 or value.rank != 2:
      raise refuse(ip, f"{name} with such arguments")
    size = tf.shape(value.tensor)
    rows, columns = tf.range(size[0])[:, None], tf.range(size[1])[None, :]
    inside = columns <= rows if is_lower else columns >= rows
    zero = tf.zeros([], value.tensor.dtype)
    return made(compute(ip, name, tf.where, inside, value.tensor, zero))

  return apply


def matmul(ip: Host, x1: object, x2: object) -> Array:
  """Does `np.matmul`, or `@`."""
  left, right = (array(ip, one, "matmul") for one in (x1, x2))
  if not left.rank or not right.rank:
    raise Raises
  kind = np.result_type(left.dtype, right.dtype)
  if kind.kind == "b":
    raise refuse(ip, "matmul of bools")
  return made(compute(ip, "matmul", _product, cast(ip, left, kind), cast(ip, right, kind)))


def _product(left: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
  is_row, is_column = left.shape.rank == 1, right.shape.rank == 1
  left = left[None, :] if is_row else left
  right = right[:, None] if is_column else right
  found = without_sign(tf.matmul(left, right))
  if is_column:
    found = tf.squeeze(found, -1)
  return tf.squeeze(found, -1 if is_column else -2) if is_row else found


def dot(ip: Host, a: object, b: object) -> Array:
  """Does `np.dot` of numbers, vectors and matrices."""
  left, right = (array(ip, one, "dot") for one in (a, b))
  kind = np.result_type(left.dtype, right.dtype)
  if kind.kind == "b" or max(left.rank, right.rank) > 2:
    raise refuse(ip, "dot of such arrays")
  function = _product if left.rank and right.rank else tf.multiply
  return made(compute(ip, "dot", function, cast(ip, left, kind), cast(ip, right, kind)))


def outer(ip: Host, a: object, b: object) -> Array:
  """Does `np.outer`."""
  left, right = (array(ip, one, "outer") for one in (a, b))
  kind = np.result_type(left.dtype, right.dtype)
  if kind.kind == "b":
    raise refuse(ip, "outer of bools")
  x, y = (tf.reshape(cast(ip, one, kind), [-1]) for one in (left, right))
  return made(compute(ip, "outer", tf.multiply, x[:, None], y[None, :]))


def kron(ip: Host, a: object, b: object) -> Array:
  """Does `np.kron`."""
  left, right = (array(ip, one, "kron") for one in (a, b))
  kind = np.result_type(left.dtype, right.dtype)
  rank = max(left.rank, right.rank)
  if kind.kind == "b" or not left.rank or not right.rank:
    raise refuse(ip, "kron of such arrays")
  x, y = (cast(ip, _at_least(one, rank), kind) for one in (left, right))

  def product() -> tf.Tensor:
    wide, inner = x, y
    for i in range(rank):
      wide = tf.expand_dims(wide, 2 * i + 1)
      inner = tf.expand_dims(inner, 2 * i)
    found = tf.reshape(wide * inner, tf.shape(x) * tf.shape(y))
    sizes = [None if None in (m, n) else m * n for m, n in zip(x.shape, y.shape, strict=True)]
    found.set_shape(sizes)
    return found

  return made(compute(ip, "kron", product))


def shape_of(ip: Host, a: object) -> object:
  """Does `np.shape`."""
  value = array(ip, a, "shape")
  sizes = tf.shape(value.tensor)
  return tuple(
    Number(sizes[i], int) if size is None else size for i, size in enumerate(value.tensor.shape)
  )


def size_of(ip: Host, a: object) -> object:
  """Does `np.size`, or `a.size`."""
  value = array(ip, a, "size")
  count = value.tensor.shape.num_elements()
  return Number(tf.size(value.tensor, tf.int64), int) if count is None else int(count)


def broadcast_to(ip: Host, a: object, shape: object, /) -> Array:
  """Does `np.broadcast_to`, whose view cannot be written: it is not returned."""
  value = array(ip, a, "broadcast_to")
  dims = _making.shape_of(ip, shape, "broadcast_to")
  found = compute(ip, "broadcast_to", tf.broadcast_to, value.tensor, dims)
  return made(found, is_array=True, is_new=False)


vstack = _along("vstack", 2, 0)
column_stack = _along("column_stack", 2, 1, is_row=False)
flipud = _flip_along("flipud", 0)
fliplr = _flip_along("fliplr", 1)
lower_triangle = _triangle("tril", True)
upper_triangle = _triangle("triu", False)
