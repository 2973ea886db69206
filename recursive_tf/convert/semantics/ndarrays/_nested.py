"""Arrays that NumPy makes of what it is given: of lists, of lists of lists, of numbers."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

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
  value = ip.frame.concrete(value)
  is_list = type(value) in (list, tuple) or (isinstance(value, LocalList) and value.type is list)
  if not is_list or (isinstance(value, LocalList) and value.is_iterator):
    raise refuse(ip, f"{name} of such a value, and not")
  rows = ip.rows_of(value)
  if rows is not None:
    of_rows = _of_rows(ip, value, rows)
    if of_rows is None:
      raise ip.frame.refuse(Reason.DYNAMIC_LIST, f"NumPy's {name} of such a list.")
    return of_rows
  parts = [array(ip, part, name) for part in ip.fixed_items(value)]
  if not parts:
    return Operand(tf.zeros([0], tf.float64), None, False, True)
  if len({part.rank for part in parts}) > 1:
    raise Raises
  if not all(parts[0].tensor.shape.is_compatible_with(part.tensor.shape) for part in parts):
    raise Raises
  kind = np.result_type(*(part.dtype for part in parts))
  tensors = [cast(ip, part, kind) for part in parts]
  return Operand(compute(ip, name, tf.stack, tensors), None, False, True)
