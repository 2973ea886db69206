"""Arrays and scalars of NumPy that only the run knows.

TensorFlow takes them as tensors, and with a tensor as the other operand an operator is
TensorFlow's. What NumPy itself computes is done where the two agree, and is an array again; all
else is refused.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _shapes
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Array, Builtin, Ref
from recursive_tf.convert.values._numbers import Number, as_tensor
from recursive_tf.convert.values._operands import Slice
from recursive_tf.convert.values._value import Value

_TENSORS = (tf.Tensor, tf.Variable)
_SAME = (ast.Add, ast.Sub, ast.Mult, ast.Div)  # Of floats of one type, in NumPy as in TensorFlow.
# NumPy 1 makes a double of a small float and a Python number.
_IS_NUMPY_2 = np.lib.NumpyVersion(np.__version__) >= "2.0.0"


def _computed(ip: Host, tensor: tf.Tensor) -> Array:
  """Returns what NumPy computes: a scalar where it has no axes."""
  if tensor.shape.rank is None:
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION, "NumPy computes with an array whose axes only the run knows."
    )
  kind = np.ndarray if tensor.shape.rank else tensor.dtype.as_numpy_dtype
  return Array(tensor, frozenset([kind]), True)


def is_numpy(types: Iterable[type]) -> bool:
  """Tells whether all types are NumPy's."""
  return all(issubclass(kind, (np.ndarray, np.generic)) for kind in types)


def _is_tensor(value: Array) -> bool:
  """Tells whether it is a tensor or a variable in any case."""
  return all(issubclass(kind, _TENSORS) for kind in value.types)


def operands(
  ip: Host, op: type[ast.operator] | type[ast.cmpop], left: object, right: object
) -> tuple[object, object, Callable[[object], object]] | None:
  """Returns how to compute an operator with TensorFlow, where one operand is an `Array`.

  Returns:
    Both operands, and what makes the result of the tensor; None if NumPy would do it otherwise.
  """
  both = [v.tensor if isinstance(v, Array) and _is_tensor(v) else v for v in (left, right)]
  arrays = [isinstance(value, Array) for value in both]
  if not any(arrays):
    return both[0], both[1], _itself
  if any(isinstance(value, keras.Variable) for value in both):
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION,
      "A number or array of NumPy beside a variable of Keras. Make it a tensor first.",
    )
  for i in (0, 1):
    one, other = both[i], both[1 - i]
    if isinstance(one, Array) and _is_tensors(other):
      both[i] = _converted(ip, one.tensor, ip.frame.tensor(other).dtype)
      return both[0], both[1], _itself
  return _numpys(ip, op, both)


def _itself(tensor: object) -> object:
  return tensor


def _is_tensors(value: object) -> bool:
  return isinstance(value, _TENSORS)


def _converted(ip: Host, tensor: tf.Tensor, dtype: tf.DType) -> tf.Tensor:
  """Returns an array as TensorFlow converts it to a tensor of a type."""
  is_taken = (dtype.is_floating and (tensor.dtype.is_floating or tensor.dtype.is_integer)) or (
    dtype.is_integer and tensor.dtype.is_integer
  )
  # Of tensors of other types TensorFlow multiplies bools, and it is bools that come of it.
  is_taken = is_taken or tensor.dtype == tf.bool
  return tf.cast(tensor, dtype) if is_taken and tensor.dtype != dtype else tensor


def _numpys(
  ip: Host, op: type[ast.operator] | type[ast.cmpop], both: list[object]
) -> tuple[object, object, Callable[[object], object]] | None:
  """Returns the same where NumPy computes as TensorFlow does: with floats of one type."""
  arrays = [value for value in both if isinstance(value, Array)]
  dtype = arrays[0].tensor.dtype
  is_comparison = issubclass(op, ast.cmpop)
  if not all(is_numpy(value.types) and value.tensor.dtype == dtype for value in arrays):
    return None
  if not (dtype.is_floating or (is_comparison and dtype.is_integer)):
    return None
  if not is_comparison and op not in _SAME:
    return None
  if not is_comparison and not _IS_NUMPY_2 and dtype != tf.float64 and len(arrays) == 1:
    return None
  operands = []
  for value in both:
    number = None if isinstance(value, Array) else _forms.number_of(value)
    if not isinstance(value, Array):
      if number is None or number.type is bool or (dtype.is_integer and number.type is float):
        return None
      value = as_tensor(number, dtype)
    operands.append(value.tensor if isinstance(value, Array) else value)
  return operands[0], operands[1], lambda tensor: _computed(ip, tensor)


def refuse(ip: Host, name: str) -> ConversionRefused:
  """Returns the refusal of what NumPy would do; raise it."""
  return ip.frame.refuse(
    Reason.UNSUPPORTED_OPERATION,
    f"{name} of an array of NumPy. Make it a tensor: tf.convert_to_tensor(...).",
  )


def read(ip: Host, value: Array, name: str) -> object:
  """Returns `value.name`."""
  if name == "ndim" and value.tensor.shape.rank is not None:
    return value.tensor.shape.rank
  if is_numpy(value.types):
    if name == "shape":
      return tuple(_shapes.dims(_shapes.of_tensor(ip, value.tensor)))
    if name == "dtype":
      return np.dtype(value.tensor.dtype.as_numpy_dtype)
  if _is_tensor(value):
    if name in _shapes.ATTRIBUTES:
      return _shapes.attribute_of_tensor(ip, value.tensor, name)
    if name == "dtype":
      return value.tensor.dtype
    if name in ("value", "read_value"):
      return Builtin(name, lambda: value.tensor)
  raise refuse(ip, f".{name}")


def item(ip: Host, value: Array, key: object, index: Callable[[object], object]) -> object:
  """Returns `value[key]`, for ints and slices."""
  if _is_tensor(value):
    return ip.native(operator.getitem, [value.tensor, index(key)], {})
  if not is_numpy(value.types) or not _is_basic(key):
    raise refuse(ip, "An item")
  ip.frame.partial()
  try:
    found = _computed(ip, value.tensor[index(key)])
  except (IndexError, TypeError, ValueError) as error:
    raise ip.frame.refuse(Reason.TENSORFLOW_ERROR, f"An item of an array: {error}") from None
  parts = key if isinstance(key, tuple) else (key,)
  if any(part is Ellipsis for part in parts):  # NumPy gives an array then, also one without axes.
    return Array(found.tensor, frozenset([np.ndarray]), is_new=False)
  return Array(found.tensor, found.types, is_new=found.types != {np.ndarray})  # Else a view.


def _is_basic(key: object) -> bool:
  if isinstance(key, tuple):
    return all(map(_is_basic, key))
  if key is None or key is Ellipsis or type(key) is int or isinstance(key, Slice):
    return True
  if isinstance(key, Array):
    return len(key.types) == 1 and all(issubclass(kind, np.integer) for kind in key.types)
  return isinstance(key, Number) and key.type is int


def elements(ip: Host, value: Array) -> list[object]:
  """Returns the elements of an array whose length is known."""
  shape = value.tensor.shape
  if not shape.rank or shape[0] is None or not is_numpy(value.types):
    raise refuse(ip, "Iterating over the elements")
  parts = [_computed(ip, part) for part in tf.unstack(value.tensor)]
  return [Array(part.tensor, part.types, part.types != {np.ndarray}) for part in parts]


def is_instance(ip: Host, value: Array, classes: tuple[type, ...]) -> bool:
  """Returns `isinstance(value, classes)`."""
  found = {issubclass(kind, classes) for kind in value.types}
  if len(found) > 1:
    raise refuse(ip, "isinstance()")
  return found.pop()


def is_tensor(ip: Host, value: object) -> object:
  """Returns `tf.is_tensor(value)` of a value that is resolved."""
  if isinstance(value, tf.Tensor) or not isinstance(value, Value):
    return isinstance(value, tf.Tensor) or bool(tf.is_tensor(value))
  kinds = ip.frame.types_of(value) if isinstance(value, Ref) else frozenset()
  for kind in kinds:
    packages = {base.__module__.partition(".")[0] for base in kind.__mro__}
    if packages & {"tensorflow", "keras"} and not issubclass(kind, _TENSORS):
      text = f"tf.is_tensor of what may be a {kind.__name__}."
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  return ip.kind_of(value).is_instance(_TENSORS)
