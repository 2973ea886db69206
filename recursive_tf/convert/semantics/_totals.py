"""Sums of as many elements as the run finds."""

from __future__ import annotations

import ast

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import all_there
from recursive_tf.convert.semantics import _int_or_float, _text, _written
from recursive_tf.convert.semantics._in_python import run_written
from recursive_tf.convert.semantics._maps import numbers_of
from recursive_tf.convert.values import _forms, _numbers
from recursive_tf.convert.values._abstract import Array, IntOrFloat, LocalList, Rows, Weak
from recursive_tf.convert.values._either import SCALARS, PythonOrNumpy
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._scalars import Scalar
from recursive_tf.convert.values._text import is_string


def total(ip: Host, rows: Rows, start: object) -> object:
  """Returns `start` plus all elements, as Python's `sum` and running sums do."""
  frame = ip.frame
  variable, start = start, frame.resolve(start)
  rows = _taken(numbers_of(ip, all_there(frame, rows)))
  form = rows.form
  if form == _forms.StaticForm(None):  # Of one of them Python raises.
    frame.demand(tf.equal(rows.length, 0))
    form = None
  if form is None:
    return variable if _may_be_variable(variable) else start
  if _may_be_variable(variable):  # A sum of it and nothing else is the variable itself.
    some = Number(rows.length > 0, bool)
    return frame.cond(some, lambda: total(ip, rows, frame.tensor(start)), lambda: variable)
  if _is_of_kinds(form, start):
    return run_written(ip, _written.added, values=frame.new(LocalList(rows)), total=start)
  if _is_of_either(form, start):
    either = _forms.IntOrFloatForm()
    length, *tensors = _forms.flatten(rows, _forms.RowsForm(either), frame)
    return _int_or_float.total(ip, Rows(length, tuple(tensors), either), start)
  if isinstance(form, _forms.NumberForm):
    return _total_of_numbers(ip, rows, form.type, start)
  scalar = _forms.scalar_of_numpy(form)
  if scalar is not None:
    return _total_of_scalars(ip, rows, SCALARS[scalar], start)
  if isinstance(form, _forms.WeakForm) and _forms.is_exact(start, form.spec.dtype):
    found = _total_of_weak(ip, rows, form, start)
    if found is not None:
      return found
  if is_string(start, frame):
    return ip.binary(ast.Add, start, _text.method(ip, "", "join", [rows], {}))
  is_added = form.is_structured() or form.is_of_heap() or not _have_sums(form)
  if is_added or _are_arrays(form, start):
    return run_written(ip, _written.added, values=frame.new(LocalList(rows)), total=start)
  if not isinstance(form, _forms.TensorForm):
    raise frame.refuse(Reason.DYNAMIC_LIST, f"A sum of {_forms.describe(form)}.")
  return _total_of_tensors(ip, rows, start)


def _may_be_variable(value: object) -> bool:
  if isinstance(value, Array):
    return any(issubclass(kind, tf.Variable) for kind in value.types)
  return isinstance(value, tf.Variable)


def _taken(rows: Rows) -> Rows:
  """Returns rows of variables and tensors as what adding them takes; all others as they are."""
  form = rows.form
  if not isinstance(form, _forms.ArrayForm) or not form.is_of_tensors_or_variables:
    return rows
  return Rows(rows.length, rows.tensors[:1], _forms.TensorForm(form.spec))


def _is_of_kinds(form: _forms.BaseForm, start: object) -> bool:
  """Tells whether what is added up is, or begins with, a scalar of which the run finds the kind."""
  if isinstance(start, Scalar):
    return bool(form.scalar_kinds())
  is_bool = _numbers.type_of(start) is bool and isinstance(form, _forms.IntOrFloatForm)
  return is_bool or isinstance(form, _forms.ScalarForm)


def _is_of_either(form: _forms.Form, start: object) -> bool:
  """Tells whether a sum is of ints and floats."""
  is_number = isinstance(form, _forms.NumberForm) and isinstance(start, IntOrFloat)
  return is_number or isinstance(form, _forms.IntOrFloatForm)


def _are_arrays(form: _forms.BaseForm, start: object) -> bool:
  """Tells whether arrays of NumPy are added to one: in order, which may give another last digit."""
  return isinstance(form, _forms.ArrayForm) and isinstance(start, (Array, np.ndarray))


def _have_sums(form: _forms.BaseForm) -> bool:
  """Tells whether tensors can be added up at once: + of strings joins them, bools have none."""
  return all(d.is_floating or d.is_integer or d.is_complex for d in form.dtypes())


def _total_of_tensors(ip: Host, rows: Rows, start: object) -> object:
  frame = ip.frame
  added = tf.reduce_sum(rows.tensors[0], 0)
  number = _forms.number_of(start)
  if isinstance(start, Weak):
    same = start.tensor.dtype == added.dtype and start.tensor.shape == added.shape
    same = same and _numbers.computes_with(added.dtype, start.type)
    if same and added.shape.is_fully_defined():
      none = tf.logical_and(start.is_number, tf.equal(rows.length, 0))
      return Weak(start.tensor + added, none, start.type)
    start = frame.strong(start)
  if number is not None and not _numbers.computes_with(added.dtype, number.type):
    text = f"A sum of tensors {added.dtype.name} that begins with a {number.type.__name__}."
    raise frame.refuse(Reason.KINDS_DIFFER, text)
  if number is not None and not _forms.is_exact(start, added.dtype):
    # A tensor cannot hold every number, and with one row at least it need not.
    start = tf.cast(number.tensor, added.dtype)
    return added + frame.assume(start, rows.length > 0, "a sum over nothing is a number")
  if number is not None:
    tensor = added + tf.cast(number.tensor, added.dtype)
    if not added.shape.num_elements():  # None or 0: then no element would hold the number.
      ok = tf.logical_or(rows.length > 0, tf.size(tensor) > 0)
      tensor = frame.assume(tensor, ok, "a sum over nothing among tensors of no size")
    return Weak(tensor, tf.equal(rows.length, 0), number.type)
  if isinstance(start, tf.Tensor) and _may_differ(start.shape, added.shape):
    some = Number(rows.length > 0, bool)
    return frame.cond(some, lambda: ip.binary(ast.Add, start, added), lambda: start)
  if isinstance(start, tf.Tensor) and start.shape != added.shape:
    start = frame.assume(start, rows.length > 0, "a sum over nothing has another shape")
  return ip.binary(ast.Add, start, added)


def _may_differ(start: tf.TensorShape, added: tf.TensorShape) -> bool:
  """Tells whether what a sum begins with may have another shape, of as many axes, than the sum.

  A sum of no rows whose shape is not known has any shape.
  """
  is_other = start != added and start.rank is not None and start.rank == added.rank
  return is_other or not added.is_fully_defined()


def _total_of_numbers(ip: Host, rows: Rows, kind: type, start: object) -> object:
  frame = ip.frame
  if kind is float:
    return _total_of_floats(ip, rows, start)
  values = tf.cast(rows.tensors[0], tf.int64)
  summed = tf.reduce_sum(values)
  if rows.tensors[0].dtype == tf.int64:
    bound = tf.reduce_sum(tf.abs(tf.cast(values, tf.float64)))
    summed = frame.assume(summed, bound < 2.0**62, "the sum is too large")
  return ip.binary(ast.Add, start, Number(summed, int))


def _total_of_scalars(ip: Host, rows: Rows, kind: type, start: object) -> PythonOrNumpy:
  """Returns a sum of scalars of NumPy, in their order: what it begins with, if there are none."""
  begin = _forms.number_of(start)
  if begin is None or begin.type is bool:
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, "A sum of NumPy's that begins with such a value.")
  is_float = float in (kind, begin.type)
  values = tf.cast(rows.tensors[0], tf.float64 if is_float else tf.int64)
  added = Rows(rows.length, (values,), None)
  if is_float:
    found = _total_of_floats(ip, added, begin)
  else:
    found = _total_of_numbers(ip, added, int, begin)
  number = found.value if isinstance(found, IntOrFloat) else found
  assert isinstance(number, Number)  # Of numbers.
  return PythonOrNumpy(number, tf.equal(rows.length, 0), begin.type)


def _total_of_weak(ip: Host, rows: Rows, form: _forms.WeakForm, start: object) -> Weak | None:
  """Returns a sum of tensors, some of them the 0 of a sum of none; None if it is refused."""
  is_int = type(start) is int and form.type is float
  if not (is_int or type(start) is form.type) or not form.spec.shape.is_fully_defined():
    return None
  if not _numbers.computes_with(form.spec.dtype, form.type):
    return None
  tensors, are_numbers = rows.tensors
  added = tf.reduce_sum(tensors, 0)
  only_numbers = tf.reduce_all(are_numbers)
  ok = tf.logical_or(tf.logical_not(only_numbers), tf.reduce_all(tf.equal(added, 0)))
  added = ip.frame.assume(added, ok, "a sum of numbers where else are tensors")
  if is_int:
    added = ip.frame.assume(added, rows.length > 0, "a sum over nothing is an int among floats")
  return Weak(added + tf.cast(start, added.dtype), only_numbers, form.type)


def _total_of_floats(ip: Host, rows: Rows, start: object) -> Number | IntOrFloat | tf.Tensor:
  """Returns a sum of Python's floats, added in Python's order: others round otherwise."""
  frame = ip.frame
  first = _forms.number_of(start)
  if first is None:
    if (
      isinstance(start, tf.Tensor) and start.dtype.is_floating
    ):  # Which takes each as its own type.
      added = start + tf.reduce_sum(tf.cast(rows.tensors[0], start.dtype))
      return tf.where(rows.length > 0, added, start)
    raise frame.refuse(Reason.DYNAMIC_LIST, "A sum of floats that begins with something else.")
  begin = _numbers.to_float(first).tensor
  if first.type is not float:
    begin = _forms.checked_ints(begin)
  (values,) = rows.tensors

  def add(index: tf.Tensor, result: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    value = Number(tf.gather(values, index), float)
    found = _numbers.binary(ast.Add, Number(result, float), value)
    assert found is not None  # Floats can be added.
    return index + 1, found.tensor

  frame.partial()
  _, result = tfi.while_loop(lambda index, _: index < rows.length, add, [tf.constant(0), begin])
  if first.type is not float:
    return IntOrFloat(Number(result, float), tf.equal(rows.length, 0))
  return Number(result, float)
