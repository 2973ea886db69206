"""`min`, `max` and the functions of `math`, on numbers known only in the run."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.semantics import _operators
from recursive_tf.convert.semantics import _sequences as seq
from recursive_tf.convert.values import _forms, _numbers
from recursive_tf.convert.values._abstract import (
  ABSTRACT,
  Array,
  IntOrFloat,
  Raises,
  Rows,
  Weak,
  is_static,
)
from recursive_tf.convert.values._forms import number_of
from recursive_tf.convert.values._numbers import Number


def all_known(values: Any) -> bool:
  """Tells whether all values are known at conversion."""
  return not any(isinstance(value, ABSTRACT) or not is_static(value) for value in values)


def known(ip: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
  """Calls a builtin on values known at conversion."""
  try:
    return function(*args, **kwargs)
  except (TypeError, ValueError, ArithmeticError, LookupError):
    raise Raises from None


def extreme(name: str) -> Callable[..., Any]:
  def choose(ip: Any, *values: Any, **kwargs: Any) -> Any:
    frame = ip.frame
    if set(kwargs) - {"default"}:
      raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{name}() with a key.")
    if len(values) == 1:
      rows = seq.rows_of(ip, values[0])
      if rows is not None:
        return _extreme_of_rows(ip, name, rows, kwargs)
      values = tuple(seq.fixed_items(ip, values[0]))
      if not values and "default" in kwargs:
        return kwargs["default"]
    values = tuple(frame.concrete(value) for value in values)
    if all_known(values):
      return known(ip, getattr(builtins, name), values)
    if all(number_of(value) is not None for value in values):
      found = (_numbers.maximum if name == "max" else _numbers.minimum)(*values)
      if found is not None:
        return found
    if all(_is_one(v) for v in values):
      op = ast.Gt if name == "max" else ast.Lt
      best, *others = values
      for other in others:  # As Python: the first of equals stays.
        better = _operators.truth(ip, _operators.compare(ip, op, other, best))
        best = frame.cond(better, lambda other=other: other, lambda best=best: best)
      return best
    raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{name}() of these values, in the run.")

  return choose


def _is_one(value: Any) -> bool:
  """Tells whether a value is a tensor or an array of one element."""
  tensor = value.tensor if isinstance(value, Array) else value
  return isinstance(tensor, tf.Tensor) and tensor.shape.num_elements() == 1


def _extreme_of_rows(ip: Any, name: str, rows: Rows, kwargs: dict[str, Any]) -> Any:
  frame = ip.frame
  form = rows.form
  if form is None:
    if "default" not in kwargs:
      raise Raises
    return kwargs["default"]
  if not isinstance(form, _forms.NumberForm) or form.type is bool:
    raise frame.refuse(Reason.DYNAMIC_LIST, f"{name}() of a list of unknown length.")

  def extreme() -> Number:
    (values,) = rows.tensors
    values = frame.check(values, rows.length > 0, f"{name}() of an empty list")
    if form.type is int:
      return Number((tf.reduce_max if name == "max" else tf.reduce_min)(values), int)
    return _extreme_of_floats(name, values)

  if "default" in kwargs:
    return frame.cond(Number(rows.length > 0, bool), extreme, lambda: kwargs["default"])
  return extreme()


def _extreme_of_floats(name: str, values: tf.Tensor) -> Number:
  """Returns the first extreme as Python compares: 0.0 equals -0.0, and nothing a NaN."""
  better = _numbers.maximum if name == "max" else _numbers.minimum

  def step(index: tf.Tensor, best: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    found = better(Number(best, float), Number(tf.gather(values, index), float))
    assert found is not None  # Both are floats.
    return index + 1, found.tensor

  count = tf.shape(values)[0]
  _, best = tf.while_loop(
    lambda index, _: index < count, step, [tf.constant(1), tf.gather(values, 0)]
  )
  return Number(best, float)


def math_of(name: str) -> Callable[..., Any]:
  def compute(ip: Any, *values: Any) -> Any:
    values = tuple(_operand_of_math(ip, value) for value in values)
    if all_known(values):
      return known(ip, getattr(math, name), *values)
    found = None
    if all(number_of(value) is not None for value in values):
      ip.frame.partial()
      found = _math_of_numbers(name, *map(_forms.as_number, values))
    if found is None:
      raise ip.frame.refuse(Reason.NEEDS_VALUE, f"math.{name}() of what only the run knows.")
    return found

  return compute


def _operand_of_math(ip: Any, value: Any) -> Any:
  """Returns a number as it is, and what Python would make a float first as that float."""
  frame = ip.frame
  value = value.value if isinstance(value, IntOrFloat) else frame.concrete(value)
  if isinstance(value, Weak):
    value = frame.strong(value)
  if isinstance(value, (Array, np.ndarray)):
    value = frame.tensor(value)
  if isinstance(value, tf.Tensor):
    return _numbers.from_tensor(float, value) or value
  return value


def _math_of_numbers(name: str, x: Number, *more: Number) -> Number | None:
  """Returns what a function of `math` gives; None if it is not done here."""
  if name == "pow" and len(more) == 1:
    return _numbers.binary(ast.Pow, _numbers.to_float(x), _numbers.to_float(more[0]))
  if name == "log" and len(more) == 1:
    logs = [_numbers.math_function(name, number) for number in (x, more[0])]
    return _numbers.binary(ast.Div, *logs)
  if more:
    return None
  if name in _numbers.MATH_FUNCTIONS:
    return _numbers.math_function(name, x)
  if name in ("floor", "ceil", "trunc"):
    whole = {"floor": _numbers.floor, "ceil": _numbers.ceil, "trunc": _numbers.to_int}
    return whole[name](x)
  if name == "fabs":
    return _numbers.absolute(_numbers.to_float(x))
  tests = {"isnan": tf.math.is_nan, "isinf": tf.math.is_inf, "isfinite": tf.math.is_finite}
  return Number(tests[name](_numbers.to_float(x).tensor), bool)
