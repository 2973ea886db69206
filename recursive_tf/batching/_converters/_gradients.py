"""Gradients of ops on rows whose shape is known, though their number is not.

TensorFlow's own, where any dimension is unknown, find out at run time which dimensions were
broadcast, reduced or cut, in six to twenty small ops, and some keep an operand for its shape alone.
Here all but the first dimension are known. What turns out not to be known after all, as in a graph
that was loaded, is found out at run time here too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf.batching._converters._slices import MASKS, margins_of, parse_slices, sizes_of

ROWS = "RecursiveTf>Rows"  # What the names of the gradients begin with; then the op's type.


def may_be_empty(*tensors: tf.Tensor) -> bool:
  """Tells whether one of [n, ...] may have no elements, by what is known of the shapes."""
  return any(
    tensor.shape.rank is None
    or not tensor.shape[1:].is_fully_defined()
    or not tensor.shape[1:].num_elements()
    for tensor in tensors
  )


@contextlib.contextmanager
def own_gradient(type_: str) -> Iterator[None]:
  """Gives ops of a type that are made meanwhile our gradient."""
  graph = tf.compat.v1.get_default_graph()
  with graph.gradient_override_map({type_: ROWS + type_}):
    yield


def _gradient(*types: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
  def register(gradient: Callable[..., Any]) -> Callable[..., Any]:
    def registered(op: Any, *dy: Any) -> Any:
      # tf.saved_model.save traces the gradients of ops that have their own, for nobody.
      return (None,) * len(dy) if op is None else gradient(op, *dy)

    for type_ in types:
      tf.RegisterGradient(ROWS + type_)(registered)
    return gradient

  return register


# --- Elementwise, with operands that are broadcast


def _is_known(tensor: tf.Tensor) -> bool:
  """Tells whether all but the number of rows is known of a shape."""
  return tensor.shape.rank is not None and tensor.shape[1:].is_fully_defined()


def _sum_to(gradient: Callable[[], tf.Tensor], operand: tf.Tensor, result: Any) -> Any:
  """Returns the gradient of an operand from that of it as it was broadcast; None of a constant."""
  if operand.op.type == "Const":
    return None
  found = gradient()
  shape, whole = operand.shape, result.shape
  if not (_is_known(operand) and _is_known(result)):
    axes, _ = tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(operand), s1=tf.shape(result))
    return tf.reshape(tf.reduce_sum(found, axes), tf.shape(operand))
  added = whole.rank - shape.rank
  axes = [
    axis
    for axis in range(whole.rank)
    if axis < added or (shape[axis - added] == 1 and whole[axis] != 1)
  ]
  if not axes:
    return found
  if all(axis < added for axis in axes):
    return tf.reduce_sum(found, axes)
  if not added:
    return tf.reduce_sum(found, axes, keepdims=True)
  return tf.reshape(tf.reduce_sum(found, axes), shape)


def _binary(*types: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
  """Registers (x, y, dy, op) -> gradients of x and y, each a function, before broadcasting."""

  def register(gradients: Callable[..., Any]) -> Callable[..., Any]:
    def gradient(op: Any, dy: tf.Tensor) -> Any:
      first, second = gradients(*op.inputs, dy, op)
      result = op.outputs[0]
      return _sum_to(first, op.inputs[0], result), _sum_to(second, op.inputs[1], result)

    return _gradient(*types)(gradient)

  return register


_binary("Add", "AddV2")(lambda x, y, dy, op: (lambda: dy, lambda: dy))
_binary("Sub")(lambda x, y, dy, op: (lambda: dy, lambda: -dy))
_binary("Mul")(lambda x, y, dy, op: (lambda: dy * y, lambda: dy * x))
_binary("RealDiv", "Div")(lambda x, y, dy, op: (lambda: dy / y, lambda: -dy * op.outputs[0] / y))
_binary("Maximum")(
  lambda x, y, dy, op: (lambda: _where(x >= y, dy, 0), lambda: _where(x >= y, 0, dy))
)
_binary("Minimum")(
  lambda x, y, dy, op: (lambda: _where(x <= y, dy, 0), lambda: _where(x <= y, 0, dy))
)
_binary("SquaredDifference")(
  lambda x, y, dy, op: (lambda: 2 * dy * (x - y), lambda: 2 * dy * (y - x))
)
# Of a constant exponent only; see _elementwise.py.
_binary("Pow")(lambda x, y, dy, op: (lambda: dy * y * tf.pow(x, y - 1), lambda: None))


def _where(condition: tf.Tensor, first: Any, second: Any) -> tf.Tensor:
  zero = tf.zeros([], second.dtype if isinstance(first, int) else first.dtype)
  return tf.where(
    condition,
    zero if isinstance(first, int) else first,
    zero if isinstance(second, int) else second,
  )


@_gradient("SelectV2")
def _select(op: Any, dy: tf.Tensor) -> Any:
  condition, first, second = op.inputs
  result = op.outputs[0]
  return (
    None,
    _sum_to(lambda: _where(condition, dy, 0), first, result),
    _sum_to(lambda: _where(condition, 0, dy), second, result),
  )


@_gradient("BroadcastTo")
def _broadcast_to(op: Any, dy: tf.Tensor) -> Any:
  return _sum_to(lambda: dy, op.inputs[0], op.outputs[0]), None


@_gradient("BatchMatMulV2")
def _batch_matmul(op: Any, dy: tf.Tensor) -> Any:
  """Of real matrices; leading dimensions may be broadcast."""
  x, y = op.inputs
  is_x, is_y = op.get_attr("adj_x"), op.get_attr("adj_y")

  def product(a: tf.Tensor, b: tf.Tensor, adj_a: bool, adj_b: bool) -> tf.Tensor:
    return tf.raw_ops.BatchMatMulV2(x=a, y=b, adj_x=adj_a, adj_y=adj_b)

  def of_x() -> tf.Tensor:
    return product(y, dy, is_y, True) if is_x else product(dy, y, False, not is_y)

  def of_y() -> tf.Tensor:
    return product(dy, x, True, is_x) if is_y else product(x, dy, not is_x, False)

  gradients: list[tf.Tensor | None] = []
  for operand, gradient in ((x, of_x), (y, of_y)):
    if operand.op.type == "Const":
      gradients.append(None)
      continue
    found = gradient()
    gradients.append(_sum_batches(found, operand))
  return gradients


def _sum_batches(found: tf.Tensor, operand: tf.Tensor) -> tf.Tensor:
  """Sums the gradient of a stack of matrices over the dimensions along which it was broadcast."""
  if not (_is_known(operand) and _is_known(found)):
    axes, _ = tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(operand)[:-2], s1=tf.shape(found)[:-2])
    return tf.reshape(tf.reduce_sum(found, axes), tf.shape(operand))
  added = found.shape.rank - operand.shape.rank
  if added:
    found = tf.reduce_sum(found, list(range(added)))
  pairs = zip(operand.shape[:-2], found.shape[:-2], strict=True)
  axes = [axis for axis, (size, whole) in enumerate(pairs) if size == 1 and whole != 1]
  return tf.reduce_sum(found, axes, keepdims=True) if axes else found


# --- Layout


def _like(dy: tf.Tensor, tensor: tf.Tensor) -> tf.Tensor:
  """Reshapes a gradient to what it is the gradient of."""
  shape = tensor.shape
  if shape.rank and shape[1:].is_fully_defined() and shape[1:].num_elements():
    return tf.reshape(dy, [-1, *shape[1:]])
  return tf.reshape(dy, tf.shape(tensor))


@_gradient("Reshape")
def _reshape(op: Any, dy: tf.Tensor) -> Any:
  return _like(dy, op.inputs[0]), None


@_gradient("StridedSlice")
def _strided_slice(op: Any, dy: tf.Tensor) -> Any:
  """Of slices without strides; the rest of the gradient is zero."""
  x, begin, end, strides = op.inputs
  constants = [tf.get_static_value(t) for t in (begin, end, strides)]
  masks = {mask: op.get_attr(mask) for mask in MASKS}
  items = None if x.shape.rank is None else parse_slices(constants, masks, x.shape.rank)
  sizes = None
  if items is not None and not may_be_empty(x):
    sizes = sizes_of(items, x.shape.as_list())
  elif items is not None and (margins := margins_of(items)) is not None:
    return _put_between(x, dy, margins), None, None, None
  if sizes is None:
    dx = tf.raw_ops.StridedSliceGrad(
      shape=_shape_of(x, begin.dtype), begin=begin, end=end, strides=strides, dy=dy, **masks
    )
    return dx, None, None, None
  paddings = [[0, 0]]
  for (first, size), whole in zip(sizes[1:], x.shape[1:], strict=True):
    paddings.append([first, whole - first - size])
  rows = [size for _, size in sizes[1:]]
  if dy.shape[1:].as_list() != rows:
    dy = tf.reshape(dy, [-1, *rows])
  return tf.pad(dy, paddings), None, None, None


def _put_between(x: tf.Tensor, dy: tf.Tensor, margins: list[tuple[int, int]]) -> tf.Tensor:
  """Returns the gradient of x of which margins were cut off: zeros there."""
  padded = tf.pad(dy, margins)
  # Where less was there than was to be cut off, nothing is left, and the margins are too wide.
  return tf.slice(padded, [0] * len(margins), _shape_of(x, tf.int32))


def _shape_of(x: tf.Tensor, dtype: tf.DType) -> tf.Tensor:
  """Returns the shape of what the forward pass computed: made there, so that x is not kept."""
  for op in x.consumers():
    if op.type == "Shape" and op.outputs[0].dtype == dtype:
      return op.outputs[0]
  with x.graph.as_default(), tf.control_dependencies(None):
    return tf.shape(x, dtype)


@_gradient("ConcatV2")
def _concat(op: Any, dy: tf.Tensor) -> Any:
  *values, axis = op.inputs
  position = int(tf.get_static_value(axis))
  sizes = [value.shape[position] if value.shape.rank is not None else None for value in values]
  if None in sizes:
    sizes = [tf.shape(value)[position] for value in values]
  return [*tf.split(dy, sizes, position), None]


@_gradient("Tile")
def _tile(op: Any, dy: tf.Tensor) -> Any:
  """Of any but the first dimension."""
  x, multiples = op.inputs
  times = tf.get_static_value(multiples)
  sizes = list(x.shape[1:]) if x.shape.rank is not None else []
  if times is None or None in sizes or len(sizes) + 1 != len(times):
    sizes = [tf.shape(x)[i] for i in range(1, multiples.shape[0])]
    times = [multiples[i] for i in range(multiples.shape[0])]
  pairs = [part for pair in zip(times[1:], sizes, strict=True) for part in pair]
  return tf.reduce_sum(tf.reshape(dy, [-1, *pairs]), list(range(1, len(pairs), 2))), None


@_gradient("Transpose")
def _transpose(op: Any, dy: tf.Tensor) -> Any:
  permutation = tf.get_static_value(op.inputs[1])
  return tf.transpose(dy, np.argsort(permutation)), None


@_gradient("Pad", "PadV2")
def _pad(op: Any, dy: tf.Tensor) -> Any:
  x, paddings, *rest = op.inputs
  known = tf.get_static_value(paddings)
  if not _is_known(x):
    inner = [slice(int(first), -int(last) if last else None) for first, last in known]
    return dy[tuple(inner)], *(None for _ in op.inputs[1:])
  begin = known[:, 0]
  cut = tuple(
    slice(None) if i == 0 else slice(int(begin[i]), int(begin[i]) + size)
    for i, size in enumerate(x.shape)
  )
  return dy[cut], *(None for _ in op.inputs[1:])


@_gradient("GatherV2")
def _gather(op: Any, dy: tf.Tensor) -> Any:
  """Of constant positions of which none comes twice, of one entry of each row, or of any."""
  x, indices, axis = op.inputs
  known, position = tf.get_static_value(indices), int(tf.get_static_value(axis))
  if may_be_empty(x):
    return _added_up(op, position, dy), None, None
  if known is not None and not op.get_attr("batch_dims"):
    return _put_back(x, known, position, dy), None, None
  if op.get_attr("batch_dims") != 1 or position != 1 or may_be_empty(indices):
    return _added_up(op, position, dy), None, None
  if indices.shape[1:].num_elements() > 1:
    return _added_up(op, position, dy), None, None
  size, inner = x.shape[1], x.shape[2:].num_elements()
  which = tf.one_hot(tf.reshape(indices, [-1]), size, dtype=dy.dtype)[..., tf.newaxis]
  # The entries that were not taken have none of a gradient that is NaN or infinite.
  dx = tf.math.multiply_no_nan(tf.reshape(dy, [-1, 1, inner]), which)
  return tf.reshape(dx, [-1, *x.shape[1:]]), None, None


def _put_back(x: tf.Tensor, taken: np.ndarray, position: int, dy: tf.Tensor) -> tf.Tensor:
  """Puts entries of which none was taken twice where they came from."""
  size = x.shape[position]
  inverse = np.full(size, len(taken))
  inverse[taken] = np.arange(len(taken))
  if len(taken) < size:
    paddings = np.zeros([x.shape.rank, 2], np.int32)
    paddings[position, 1] = 1
    dy = tf.pad(dy, paddings)
  return tf.gather(dy, inverse, axis=position)


def _added_up(op: Any, position: int, dy: tf.Tensor) -> tf.Tensor:
  """Adds up what each entry was taken for, whatever the sizes: TensorFlow's guesses some."""
  x, indices, _ = op.inputs
  num_batch = op.get_attr("batch_dims")
  sizes = tf.shape(x)
  batch, between, inner = (
    tf.reduce_prod(part)
    for part in (sizes[:num_batch], sizes[num_batch:position], sizes[position + 1 :])
  )
  size, count = sizes[position], tf.reduce_prod(tf.shape(indices)[num_batch:])
  shares = tf.transpose(tf.reshape(dy, [batch, between, count, inner]), [0, 2, 1, 3])
  offsets = tf.range(batch)[:, tf.newaxis] * size
  which = tf.reshape(tf.cast(indices, tf.int32), [batch, count]) + offsets
  found = tf.math.unsorted_segment_sum(
    tf.reshape(shares, [batch * count, between, inner]),
    tf.reshape(which, [batch * count]),
    batch * size,
  )
  found = tf.transpose(tf.reshape(found, [batch, size, between, inner]), [0, 2, 1, 3])
  return tf.reshape(found, sizes)


# --- Reductions of other dimensions than the first


def _reduced(op: Any, tensor: tf.Tensor) -> tuple[tf.Tensor, list[int] | None]:
  """Returns a reduced tensor with the reduced dimensions, and how often it is to be repeated."""
  x, axes = op.inputs
  found = tf.get_static_value(axes)
  if not _is_known(x):
    kept = tf.tensor_scatter_nd_update(
      tf.shape(x), tf.reshape(axes, [-1, 1]), tf.ones_like(tf.reshape(axes, [-1]))
    )
    return tf.reshape(tensor, kept), None
  positions = {int(axis) % x.shape.rank for axis in np.reshape(found, -1)}
  kept = [1 if i in positions else size for i, size in enumerate(x.shape)]
  times = [size if i in positions else 1 for i, size in enumerate(x.shape)]
  if tensor.shape[1:].as_list() != kept[1:]:
    tensor = tf.reshape(tensor, [-1, *kept[1:]])
  return tensor, times


def _repeated(op: Any, dy: tf.Tensor) -> tf.Tensor:
  dy, times = _reduced(op, dy)
  return tf.broadcast_to(dy, tf.shape(op.inputs[0])) if times is None else tf.tile(dy, times)


@_gradient("Sum")
def _sum(op: Any, dy: tf.Tensor) -> Any:
  return _repeated(op, dy), None


@_gradient("Mean")
def _mean(op: Any, dy: tf.Tensor) -> Any:
  x, y = op.inputs[0], op.outputs[0]
  if _is_known(x) and _is_known(y):
    share = y.shape[1:].num_elements() / x.shape[1:].num_elements()
    return _repeated(op, dy * tf.constant(share, dy.dtype)), None
  return _repeated(op, dy * tf.cast(tf.size(y) / tf.size(x), dy.dtype)), None


@_gradient("Max", "Min")
def _extreme(op: Any, dy: tf.Tensor) -> Any:
  """The largest, or smallest, elements share the gradient evenly, as in TensorFlow's."""
  x, axes = op.inputs
  y, _ = _reduced(op, op.outputs[0])
  dy, _ = _reduced(op, dy)
  is_chosen = tf.cast(tf.equal(y, x), dy.dtype)
  return is_chosen * (dy / tf.reduce_sum(is_chosen, axes, keepdims=True)), None
