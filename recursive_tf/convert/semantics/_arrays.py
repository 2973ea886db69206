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

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _shapes
from recursive_tf.convert.semantics.ndarrays import _ufuncs
from recursive_tf.convert.semantics.ndarrays._choosing import by_arrays
from recursive_tf.convert.semantics.ndarrays._choosing import rounded as rounded_to
from recursive_tf.convert.semantics.ndarrays._functions import attribute
from recursive_tf.convert.semantics.ndarrays._functions import has as has
from recursive_tf.convert.semantics.ndarrays._making import python_number
from recursive_tf.convert.semantics.ndarrays._nested import array
from recursive_tf.convert.semantics.ndarrays._operands import (
  DTYPES,
  Operand,
  found_operand,
  made,
)
from recursive_tf.convert.semantics.ndarrays._operands import refuse as refuse
from recursive_tf.convert.values import _forms, _numbers
from recursive_tf.convert.values._abstract import (
  Array,
  Builtin,
  LocalList,
  Missing,
  Raises,
  Ref,
  Rows,
)
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Slice
from recursive_tf.convert.values._value import Value

_TENSORS = (tf.Tensor, tf.Variable)


def is_numpy(types: Iterable[type]) -> bool:
  """Tells whether all types are NumPy's."""
  return all(issubclass(kind, (np.ndarray, np.generic)) for kind in types)


def is_tensor_or_variable(value: Array) -> bool:
  """Tells whether it is a tensor or a variable in any case."""
  return all(issubclass(kind, _TENSORS) for kind in value.types)


def _is_variable(kind: type) -> bool:
  return issubclass(kind, tf.Variable)


def demand_no_variable(ip: Host, value: Array) -> None:
  """Fails the run where a value is a variable: it has not all that a tensor has.

  Raises:
    Raises: If it is one in any case.
  """
  are_variables = set(map(_is_variable, value.types))
  if are_variables == {True}:
    raise Raises
  if True in are_variables:
    ip.frame.demand(tf.logical_not(_has_number(ip, value, _is_variable, "What only tensors have")))


def _has_number(ip: Host, value: Array, is_of: Callable[[type], bool], what: str) -> tf.Tensor:
  """Tells whether a value is an object that its number tells, which all of these types are."""
  numbered = [kind for kind in value.types if kind is not _forms.EAGER_TENSOR]
  is_told = value.number is not None and not value.may_be_new and all(map(is_of, numbered))
  if not is_told:
    raise refuse(ip, what)
  return tf.greater_equal(ip.frame.array_number(value), 0)


def operands(ip: Host, left: object, right: object) -> tuple[object, object] | None:
  """Returns both operands as TensorFlow computes with them; None if NumPy does it."""
  both = [
    v.tensor if isinstance(v, Array) and is_tensor_or_variable(v) else v for v in (left, right)
  ]
  arrays = [isinstance(value, Array) for value in both]
  if not any(arrays):
    return both[0], both[1]
  if any(isinstance(value, keras.Variable) for value in both):
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION,
      "A number or array of NumPy beside a variable of Keras. Make it a tensor first.",
    )
  for i in (0, 1):
    one, other = both[i], both[1 - i]
    if isinstance(one, Array) and _is_tensors(other):
      both[i] = _converted(ip, one.tensor, ip.frame.tensor(other).dtype)
      return both[0], both[1]
  return None


def binary(ip: Host, op: type[ast.AST], left: object, right: object) -> object:
  """Returns what NumPy computes; None if it is not done here."""
  if op is ast.MatMult:
    return ip.call(np.matmul, [left, right], {})
  return _ufuncs.operator(ip, op, [left, right])


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


def read(ip: Host, value: Array, name: str) -> object:
  """Returns `value.name`."""
  if name == "ndim" and value.tensor.shape.rank is not None:
    demand_no_variable(ip, value)
    return value.tensor.shape.rank
  if is_numpy(value.types):
    if name == "shape":
      return tuple(_shapes.dims(_shapes.of_tensor(ip, value.tensor)))
    if name == "dtype":
      return np.dtype(value.tensor.dtype.as_numpy_dtype)
  if is_tensor_or_variable(value):
    if name in _shapes.ATTRIBUTES:
      return _shapes.attribute_of_tensor(ip, value.tensor, name)
    if name == "dtype":
      return value.tensor.dtype
    if name in ("value", "read_value"):
      return Builtin(name, lambda: value.tensor)
  if not is_numpy(value.types):
    raise refuse(ip, f".{name}")
  return attribute(ip, value, name)


def of_tensor(tensor: tf.Tensor) -> Builtin | None:
  """Returns `tensor.numpy`, which gives a copy; None if it is not known what that is."""
  if tensor.dtype not in DTYPES or tensor.shape.rank is None:
    return None
  return Builtin("numpy", lambda: made(tf.stop_gradient(tensor)))


def item(ip: Host, value: Array, key: object, index: Callable[[object], object]) -> object:
  """Returns `value[key]`, for ints, slices, masks and arrays of ints."""
  if is_tensor_or_variable(value):
    return ip.native(operator.getitem, [value.tensor, index(key)], {})
  if not is_numpy(value.types):
    raise refuse(ip, "An item")
  if isinstance(key, tuple):
    key = tuple(map(ip.frame.concrete, key))
  parts = key if isinstance(key, tuple) else (key,)
  if any(map(_is_many, parts)):
    return _by_arrays(ip, value, parts, index)
  if not _is_basic(key):
    raise refuse(ip, "An item")
  return _basic_item(ip, value, key, parts, index)


def _basic_item(
  ip: Host,
  value: Array,
  key: object,
  parts: tuple[object, ...],
  index: Callable[[object], object],
) -> Array:
  """Returns an item by ints and slices: a view, or a scalar."""
  ip.frame.partial()
  try:
    found = value.tensor[index(key)]
  except (IndexError, TypeError, ValueError) as error:
    raise ip.frame.refuse(Reason.TENSORFLOW_ERROR, f"An item of an array: {error}") from None
  if found.shape.rank is None:
    raise refuse(ip, "An item")
  ip.frame.compute(found)
  # With `...` NumPy gives an array, also one without axes.
  return made(found, any(part is Ellipsis for part in parts), value.is_new)


def _is_many(key: object) -> bool:
  """Tells whether a part of an index is an array, or a list that stands for one."""
  if isinstance(key, Array):
    return key.tensor.shape.rank != 0 or key.tensor.dtype == tf.bool
  return isinstance(key, (list, LocalList)) or (isinstance(key, np.ndarray) and key.ndim > 0)


def _by_arrays(
  ip: Host, value: Array, parts: tuple[object, ...], index: Callable[[object], object]
) -> Array:
  """Returns an item by arrays of ints or truths, and whole or other slices or ints beside them."""
  slices = [part if isinstance(part, Slice) else None for part in parts]
  if any(slices):  # They are views, which come first.
    whole = Slice(None, None, None)
    first = tuple(part or whole for part in slices)
    value = _basic_item(ip, value, first, (), index)
  keys = [slice(None) if isinstance(part, Slice) else _nested_key(ip, part) for part in parts]
  owner = found_operand(ip, value)
  found = None if owner is None else by_arrays(ip, owner, keys)
  if found is None:
    raise refuse(ip, "An item")
  return found


def _nested_key(ip: Host, part: object) -> Operand:
  if part is None or part is Ellipsis:
    raise refuse(ip, "An item")
  found = array(ip, part, "index")
  if found.dtype.kind not in "bi" or (found.rank == 0 and found.dtype.kind == "b"):
    raise refuse(ip, "An item")
  return found


def _is_basic(key: object) -> bool:
  if isinstance(key, tuple):
    return all(map(_is_basic, key))
  if key is None or key is Ellipsis or type(key) is int or isinstance(key, Slice):
    return True
  if isinstance(key, (Array, np.integer)):
    kinds = key.types if isinstance(key, Array) else [type(key)]
    return len(kinds) == 1 and all(issubclass(kind, np.integer) for kind in kinds)
  return isinstance(key, Number) and key.type is int


def rows(ip: Host, value: Array) -> Rows | None:
  """Returns the elements of an array of a length that only the run knows."""
  shape = value.tensor.shape
  if not shape.rank or shape[0] is not None or not is_numpy(value.types):
    return None
  first = made(value.tensor[0], is_new=value.is_new)
  spec = tf.TensorSpec(shape[1:], value.tensor.dtype)
  form = _forms.ArrayForm(spec, first.types, first.is_new)
  return Rows(tf.shape(value.tensor)[0], (value.tensor,), form)


def elements(ip: Host, value: Array) -> list[object]:
  """Returns the elements of an array whose length is known."""
  shape = value.tensor.shape
  if not shape.rank or shape[0] is None or not is_numpy(value.types):
    raise refuse(ip, "Iterating over the elements")
  ip.budget.take(shape[0])
  return [made(part, is_new=value.is_new) for part in tf.unstack(value.tensor)]


def unary(ip: Host, op: type[ast.unaryop], value: Array) -> object:
  """Returns `op value` of -, + or ~."""
  if is_tensor_or_variable(value):
    return ip.kind_of(ip.frame.tensor(value)).unary(op)
  found = _ufuncs.operator(ip, op, [value])
  if found is None:
    raise refuse(ip, op.__name__)
  return found


def absolute(ip: Host, value: Array) -> object:
  """Returns `abs(value)`."""
  if is_tensor_or_variable(value):
    return ip.kind_of(ip.frame.tensor(value)).absolute()
  return _ufuncs.call(ip, np.absolute, [value])


def rounded(ip: Host, value: Array, digits: object) -> object:
  """Returns `round(value, digits)`, for a scalar: an int without digits."""
  if len(value.types) != 1 or not all(issubclass(kind, np.generic) for kind in value.types):
    raise refuse(ip, "round()")
  if digits is not None:
    return rounded_to(ip, value, digits)
  number = python_number(value.tensor)
  if number.type is bool:
    raise refuse(ip, "round()")
  ip.frame.partial()
  return _numbers.rounded(number)


def only_element(ip: Host, value: Array) -> tf.Tensor:
  """Returns what is asked for the truth of an array: its only element.

  Raises:
    Raises: If Python raises: of several, or of none.
  """
  tensor = value.tensor
  if tensor.dtype not in DTYPES or not is_numpy(value.types):
    return ip.frame.tensor(value)
  count = tensor.shape.num_elements()
  if count is None:
    tensor = ip.frame.check(tensor, tf.equal(tf.size(tensor), 1), "the truth of several elements")
  elif count != 1:
    raise Raises
  return tf.reshape(tensor, [])


def is_array(ip: Host, value: object) -> bool:
  """Tells whether a value is an array of NumPy, known, read from the heap or of the run."""
  if isinstance(value, Ref):
    return ip.frame.types_of(value) - {Missing} == {np.ndarray}
  return isinstance(value, (Array, np.ndarray))


def contains(ip: Host, owner: object, value: object) -> object:
  """Returns `value in owner`: whether any element equals it."""
  sought = found_operand(ip, owner)
  found = _ufuncs.operator(ip, ast.Eq, [owner, value])
  if found is None or sought is None or not sought.rank:
    raise refuse(ip, "`in`")
  return Number(tf.reduce_any(found.tensor), bool)


def is_instance(ip: Host, value: Array, classes: tuple[type, ...]) -> object:
  """Returns `isinstance(value, classes)`."""
  found = {issubclass(kind, classes) for kind in value.types}
  if len(found) == 1:
    return found.pop()
  is_one = issubclass(_forms.EAGER_TENSOR, classes)
  is_object = _has_number(
    ip, value, lambda kind: issubclass(kind, classes) != is_one, "isinstance()"
  )
  return Number(tf.logical_not(is_object) if is_one else is_object, bool)


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
