"""Python's numbers beside tensors in functions of TensorFlow's: they take the type of the tensor.

A number that only the run knows is a tensor here, int32 or float32 by itself. In eager execution it
is converted as its function converts it: most go by whichever operand is a tensor, some by the
first one.
"""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values._abstract import Ref
from recursive_tf.convert.values._numbers import Number, as_tensor

_BY_EITHER = frozenset(
  [
    *(tf.equal, tf.not_equal, tf.less, tf.less_equal, tf.greater, tf.greater_equal),
    *(tf.maximum, tf.minimum, tf.subtract, tf.multiply, tf.pow, tf.math.floordiv, tf.math.floormod),
    *(tf.math.squared_difference, tf.math.atan2),
  ]
)
_BY_FIRST = frozenset([tf.add, tf.divide, tf.math.divide_no_nan, tf.math.multiply_no_nan])
_NAMES = "x", "y"


def typed(
  ip: Host, function: object, args: list[object], kwargs: dict[str, object]
) -> tuple[list[object], dict[str, object]]:
  """Returns the arguments of a call, a number beside a tensor as one of its type."""
  is_by_either = _is_among(function, _BY_EITHER) or function is tf.where
  if not is_by_either and not _is_among(function, _BY_FIRST):
    return args, kwargs
  first = 1 if function is tf.where else 0
  names = dict(zip(("condition", *_NAMES) if first else _NAMES, args, strict=False)) | kwargs
  if not names.keys() >= {*_NAMES}:
    return args, kwargs
  values = [ip.frame.resolve(names[n]) if isinstance(names[n], Ref) else names[n] for n in _NAMES]
  for place, name in enumerate(_NAMES):
    number, other = values[place], values[1 - place]
    if not isinstance(number, Number) or number.type is bool:
      continue
    if not isinstance(other, (tf.Tensor, tf.Variable)) or (place == 0 and not is_by_either):
      continue
    try:
      found = as_tensor(number, other.dtype)
    except TypeError:
      continue  # As TensorFlow finds, too.
    if name in kwargs:
      return args, {**kwargs, name: found}
    return [*args[: first + place], found, *args[first + place + 1 :]], kwargs
  return args, kwargs


def _is_among(function: object, functions: frozenset[Callable[..., object]]) -> bool:
  return any(function is one for one in functions)
