"""Arrays that NumPy makes of what it is given: of lists, of lists of lists, of numbers."""

from __future__ import annotations

import dataclasses

import numpy as np
import tensorflow as tf

from recursive_tf._ops import kernels
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import read_numbers
from recursive_tf.convert.semantics.ndarrays._operands import (
  Operand,
  cast,
  compute,
  found_operand,
  refuse,
)
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import LocalList, Raises, Rows
from recursive_tf.convert.values._numbers import Number, as_tensor


def _of_rows(ip: Host, value: object, rows: Rows) -> Operand | None:
  """Returns numbers and arrays of which only the run knows how many there are, as one array."""
  rows = read_numbers(ip.frame, rows)
  if rows.form is None:
    raise Raises  # Nothing is known to be in there, or not yet.
  form = rows.form
  kind = _forms.number_type(form)
  if isinstance(form, _forms.RefForm) and form.types == {np.ndarray}:
    ip.frame.demand(rows.length > 0)
    tensor = ip.call(tf.stack, [value], {})
    return Operand(tensor, None, False, True) if isinstance(tensor, tf.Tensor) else None
  if kind is None and not isinstance(form, _forms.ArrayForm):
    return None
  if not rows.tensors:
    return None
  ip.frame.demand(rows.length > 0)  # Of none there is an array of floats, whatever they would be.
  wide = {bool: tf.bool, int: tf.int64, float: tf.float64}
  tensor = rows.tensors[0] if kind is None else tf.cast(rows.tensors[0], wide[kind])
  return Operand(tensor, None, False, True) if tensor.shape.rank is not None else None


def array(ip: Host, value: object, name: str) -> Operand:
  """Returns numbers, arrays and lists of lists of these as an operand, as `np.array` reads them.

  Raises:
    Raises: If elements have different shapes: a ValueError.
    ConversionRefused: If it is something else.
  """
  found = found_operand(ip, value)
  if found is not None:
    if found.weak is None:
      return found
    return Operand(cast(ip, found, found.dtype), None, True, True)
  value, rows = _list(ip, value, name)
  if rows is not None:
    return _array_of_rows(ip, value, rows, name)
  parts = [array(ip, part, name) for part in ip.fixed_items(value)]
  if not parts:
    return Operand(tf.zeros([0], tf.float64), None, False, True)
  kind = np.result_type(*(part.dtype for part in parts))
  return _stacked(ip, parts, [cast(ip, part, kind) for part in parts], name)


def array_as(
  ip: Host, value: object, kind: np.dtype[np.generic], name: str, is_element: bool = False
) -> Operand:
  """Returns what `array` does in a type that is asked for.

  Python's numbers go to it one by one, and so do the numbers of a list, NumPy's among them: of ints
  that do not fit the run fails, as Python raises. Arrays are cast, and theirs wrap around.

  Raises:
    Raises: If elements have different shapes: a ValueError.
    ConversionRefused: If it is something else.
  """
  found = found_operand(ip, value)
  if found is not None:
    is_one = found.is_scalar and (is_element or found.weak is not None or found.either is not None)
    if found.either is not None and found.dtype.kind == "i" and kind.kind == "f":
      raise refuse(ip, f"{name} of a number of Python's or NumPy's")  # Rounded twice, or once.
    tensor = _fitted(ip, found, kind, name) if is_one else converted(ip, found, kind, name)
    is_new = found.is_new or found.is_scalar or tensor is not found.tensor
    return Operand(tensor, None, found.is_scalar, is_new)
  value, rows = _list(ip, value, name)
  if rows is not None:
    return _rows_as(ip, value, rows, kind, name)
  parts = [array_as(ip, part, kind, name, is_element=True) for part in ip.fixed_items(value)]
  if not parts:
    return Operand(tf.zeros([0], tf.as_dtype(kind)), None, False, True)
  return _stacked(ip, parts, [part.tensor for part in parts], name)


def converted(ip: Host, value: Operand, kind: np.dtype[np.generic], name: str) -> tf.Tensor:
  """Returns the numbers of an array in another type, as `astype` gives them.

  The run fails where NumPy warns: of a NaN or a float beyond as an int, or as a smaller float.
  """
  wanted, tensor = tf.as_dtype(kind), value.tensor
  if tensor.dtype == wanted:
    return tensor
  if kind.kind == "b":
    return tf.not_equal(tensor, tf.zeros([], tensor.dtype))
  if tensor.dtype.is_floating and (kind.kind == "i" or kind.itemsize < value.dtype.itemsize):
    op = "Trunc" if kind.kind == "i" else "Cast"
    wide = tf.cast(tensor, tf.float64)
    return compute(ip, name, kernels.recursive_tf_python_unary, wide, Z=wanted, op=op)
  return tf.cast(tensor, wanted)


def _fitted(ip: Host, value: Operand, kind: np.dtype[np.generic], name: str) -> tf.Tensor:
  """Returns numbers in another type, each by itself; the run fails where an int does not fit."""
  is_of_python = value.weak is int
  if value.dtype.kind == "i" and (kind.kind == "i" or (kind.kind == "f" and is_of_python)):
    return compute(ip, name, as_tensor, Number(value.tensor, int), tf.as_dtype(kind))
  return converted(ip, value, kind, name)


def _list(ip: Host, value: object, name: str) -> tuple[object, Rows | None]:
  """Returns a list, and its elements if only the run knows how many there are."""
  value = ip.frame.concrete(value)
  is_list = type(value) in (list, tuple) or (isinstance(value, LocalList) and value.type is list)
  if not is_list or (isinstance(value, LocalList) and value.is_iterator):
    raise refuse(ip, f"{name} of such a value, and not")
  return value, ip.rows_of(value)


def _array_of_rows(ip: Host, value: object, rows: Rows, name: str) -> Operand:
  found = _of_rows(ip, value, rows)
  if found is None:
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, f"NumPy's {name} of such a list.")
  return found


def _rows_as(ip: Host, value: object, rows: Rows, kind: np.dtype[np.generic], name: str) -> Operand:
  """Returns what `array_as` does, of a list of which only the run knows how long it is."""
  found = _array_of_rows(ip, value, rows, name)
  form = read_numbers(ip.frame, rows).form
  of_python = None if form is None else _forms.number_type(form)
  of_numpy = form.types if isinstance(form, _forms.ArrayForm) else frozenset()
  are_scalars = any(issubclass(one, np.generic) for one in of_numpy)
  if are_scalars and not all(issubclass(one, np.generic) for one in of_numpy):
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, f"NumPy's {name} of arrays and numbers.")
  if of_python is not None or are_scalars:
    weak = int if of_python is int else None
    tensor = _fitted(ip, dataclasses.replace(found, weak=weak), kind, name)
  else:
    tensor = converted(ip, found, kind, name)
  return Operand(tensor, None, False, True)


def _stacked(ip: Host, parts: list[Operand], tensors: list[tf.Tensor], name: str) -> Operand:
  """Returns the elements of a list as one array.

  Raises:
    Raises: If they have different shapes.
  """
  if len({part.rank for part in parts}) > 1:
    raise Raises
  if not all(parts[0].tensor.shape.is_compatible_with(part.tensor.shape) for part in parts):
    raise Raises
  return Operand(compute(ip, name, tf.stack, tensors), None, False, True)
