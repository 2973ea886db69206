"""Shapes of tensors of which the run knows some dimensions: Python's ints in eager execution.

In a graph such a dimension is None, on which a program would decide otherwise.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values._abstract import Builtin, LocalList
from recursive_tf.convert.values._forms import number_of
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Shape

# Attributes of tensors that say what its shape is.
ATTRIBUTES = ("shape", "get_shape", "ndim", "_shape", "_shape_tuple", "_shape_as_list", "_rank")


def of_tensor(ip: Host, tensor: tf.Tensor) -> object:
  """Returns `tensor.shape`: a `TensorShape` where it is known, else a `Shape`."""
  if tensor.shape.is_fully_defined():
    return tensor.shape
  if tensor.shape.rank is None:
    raise ip.frame.refuse(
      Reason.NEEDS_VALUE, "The shape of a tensor of which only the run knows how many axes it has."
    )
  found = tf.shape(tensor)
  return Shape(
    tuple(Number(found[i], int) if size is None else size for i, size in enumerate(tensor.shape))
  )


def dims(shape: Shape | tf.TensorShape) -> Sequence[object]:
  """Returns the dimensions of what `of_tensor` returned."""
  return shape.dims if isinstance(shape, Shape) else shape.as_list()


def of_value(ip: Host, x: object) -> tuple[object, ...]:
  """Returns `keras.ops.shape(x)`: Python's ints, also of dimensions that the run finds."""
  return tuple(dims(ip.attribute(x, "shape")))


def attribute_of_tensor(ip: Host, tensor: tf.Tensor, name: str) -> object:
  """Returns one of `ATTRIBUTES`."""
  shape = of_tensor(ip, tensor)
  if name == "shape":
    return shape
  if name == "get_shape":
    return Builtin(name, lambda: shape)
  if name == "ndim":
    return tensor.shape.rank
  raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{name} of a tensor.")


def read(ip: Host, shape: Shape, name: str) -> object:
  """Returns `shape.name`."""
  if name in ("rank", "ndims"):
    return len(shape.dims)
  if name == "as_list":
    return Builtin(name, lambda: ip.frame.new(LocalList(shape.dims)))
  if name == "num_elements":
    return Builtin(name, lambda: _num_elements(ip, shape))
  if name == "is_fully_defined":
    return Builtin(name, lambda: True)
  raise ip.frame.refuse(Reason.NEEDS_VALUE, f".{name} of a shape that only the run knows.")


def _num_elements(ip: Host, shape: Shape) -> object:
  count: object = 1
  for size in shape.dims:
    count = ip.binary(ast.Mult, count, size)
  return count


def item(ip: Host, shape: Shape, key: object) -> object:
  """Returns `shape[key]`, for an int or a slice that is known."""
  if isinstance(key, slice):
    dims = shape.dims[key]
    return Shape(dims) if any(isinstance(size, Number) for size in dims) else tf.TensorShape(dims)
  if type(key) is not int:
    raise ip.frame.refuse(Reason.NEEDS_VALUE, "A dimension by what only the run knows.")
  if not -len(shape.dims) <= key < len(shape.dims):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"Axis {key} of a shape without it.")
  return shape.dims[key]


def is_equal(ip: Host, left: object, right: object) -> object:
  """Returns `left == right`, one of which is a `Shape`."""
  both = [_dims(ip, value) for value in (left, right)]
  if both[0] is None or both[1] is None:
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION, "A shape is compared with something else than a shape."
    )
  result: object = len(both[0]) == len(both[1])
  for a, b in zip(both[0], both[1], strict=True) if result else ():
    result = ip.both(result, True, functools.partial(_same_size, ip, a, b))
  return result


def _same_size(ip: Host, a: object, b: object) -> object:
  return ip.truth(ip.compare(ast.Eq, a, b))


def _dims(ip: Host, value: object) -> Sequence[object] | None:
  """Returns the dimensions of what TensorFlow compares as a shape; None of all else."""
  if isinstance(value, Shape):
    return value.dims
  if isinstance(value, tf.TensorShape):
    return value.as_list() if value.is_fully_defined() else None
  dims = value.items if isinstance(value, LocalList) else value
  if not isinstance(dims, (tuple, list)):
    return None
  dims = [ip.frame.concrete(size) for size in dims]
  is_number = [(number := number_of(size)) is not None and number.type is int for size in dims]
  return dims if all(is_number) else None


def joined(ip: Host, left: object, right: object) -> Shape:
  """Returns `left + right`, one of which is a `Shape`."""
  both = [_dims(ip, value) for value in (left, right)]
  if both[0] is None or both[1] is None:
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "Something is added to a shape.")
  return Shape((*both[0], *both[1]))
