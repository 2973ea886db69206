"""`min`, `max` and the functions of `math`, on numbers known only in the run."""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import (
  _arrays,
  _class_comparison,
  _int_or_float,
  _items,
  _lazy,
  _maps,
  _of_kinds,
  _ordering,
  _sequence_comparison,
  _text_methods,
  _totals,
  _written,
)
from recursive_tf.convert.semantics._in_python import run_written
from recursive_tf.convert.semantics._protocols import own_method, refuse_own
from recursive_tf.convert.syntax import managed
from recursive_tf.convert.values import _forms, _numbers
from recursive_tf.convert.values._abstract import (
  ABSTRACT,
  Array,
  IntOrFloat,
  LocalList,
  Missing,
  Raises,
  Ref,
  Rows,
  is_static,
)
from recursive_tf.convert.values._either import PythonOrNumpy
from recursive_tf.convert.values._forms import number_of
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._scalars import Scalar
from recursive_tf.convert.values._text import is_string


def all_known(values: Iterable[object]) -> bool:
  """Tells whether all values are known at conversion."""
  return not any(isinstance(value, ABSTRACT) or not is_static(value) for value in values)


def known(ip: Host, function: Callable[..., object], /, *args: object, **kwargs: object) -> Any:
  """Calls a builtin on values known at conversion."""
  refuse_own(ip, f"{getattr(function, '__name__', 'A function')}()", args)
  try:
    return function(*args, **kwargs)
  except (TypeError, ValueError, ArithmeticError, LookupError):
    raise Raises from None


def extreme(name: str) -> Callable[..., object]:
  def choose(ip: Host, /, *values: Any, **kwargs: object) -> object:
    frame = ip.frame
    if set(kwargs) - {"default"}:
      raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{name}() with a key.")
    if len(values) == 1:
      rows = ip.rows_of(values[0])
      if rows is not None:
        return _extreme_of_rows(ip, name, rows, kwargs)
      values = tuple(ip.fixed_items(values[0]))
      if not values and "default" in kwargs:
        return kwargs["default"]
    values = tuple(frame.concrete(value) for value in values)
    if all_known(values):
      return known(ip, getattr(builtins, name), values)
    if all(number_of(value) is not None for value in values):
      found = (_numbers.maximum if name == "max" else _numbers.minimum)(*values)
      if found is not None:
        return found
    if len(values) > 1 and all(_of_kinds.is_scalar(ip, value) for value in values):
      if not all(is_string(value, frame) for value in values):
        return _of_kinds.extreme(ip, name.capitalize(), values)
    are_numbers = all(_int_or_float.is_number(value) for value in values)
    op = ast.Gt if name == "max" else ast.Lt
    are_asked = len(values) > 1 and all(
      _class_comparison.speaks(ip, op, value, other) for value, other in itertools.pairwise(values)
    )
    kinds = {_sequence_comparison.compared_as(ip, value) for value in values}
    are_sequences = len(values) > 1 and len(kinds) == 1 and None not in kinds
    if (
      are_numbers
      or are_asked
      or are_sequences
      or all(map(_is_one, values))
      or all(map(_is_scalar, values))
    ):
      return first_by(ip, op, values, values)
    raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{name}() of these values, in the run.")

  return choose


_MOST_DIGITS = 323  # From there on Python's `round` changes nothing.


def first_by(
  ip: Host, op: type[ast.cmpop], values: Sequence[object], keys: Sequence[object]
) -> object:
  """Returns that of a few values whose key compares with all others; of equal ones the first."""
  best, best_key = values[0], keys[0]
  for value, key in zip(values[1:], keys[1:], strict=True):
    is_better = ip.truth(ip.compare(op, key, best_key))
    best = _either(ip, is_better, value, best)
    best_key = best if keys is values else _either(ip, is_better, key, best_key)
  return best


def _either(ip: Host, is_one: object, one: object, other: object) -> object:
  return ip.frame.cond(is_one, functools.partial(_given, one), functools.partial(_given, other))


def _given(value: object) -> object:
  return value


def _is_one(value: object) -> bool:
  """Tells whether a value is a tensor or an array of one element."""
  tensor = value.tensor if isinstance(value, Array) else value
  return isinstance(tensor, tf.Tensor) and tensor.shape.num_elements() == 1


def _is_scalar(value: object) -> bool:
  """Tells whether a value is a number, Python's or NumPy's."""
  is_array = isinstance(value, Array) and value.tensor.shape.rank == 0
  return is_array or isinstance(value, PythonOrNumpy) or number_of(value) is not None


def _extreme_of_rows(ip: Host, name: str, rows: Rows, kwargs: dict[str, object]) -> object:
  frame = ip.frame
  rows = _maps.numbers_of(ip, rows)
  form = rows.form
  if form is None:
    if "default" not in kwargs:
      raise Raises
    return kwargs["default"]
  is_either = isinstance(form, _forms.IntOrFloatForm)
  kind = form.type if isinstance(form, _forms.NumberForm) else None
  if not is_either and kind not in (int, float):
    if _ordering.have_own_order(form) or _is_of_kinds(form):
      return _extreme_of_objects(ip, name, rows, kwargs)
    return _extreme_by_order(ip, name, rows, kwargs)

  def extreme() -> Number | IntOrFloat:
    values, *others = rows.tensors
    values = frame.check(values, rows.length > 0, f"{name}() of an empty list")
    if is_either:
      return _int_or_float.extreme(name, Rows(rows.length, (values, *others), form))
    if kind is int:
      return Number((tf.reduce_max if name == "max" else tf.reduce_min)(values), int)
    return _extreme_of_floats(name, values)

  if "default" in kwargs:
    return frame.cond(Number(rows.length > 0, bool), extreme, lambda: kwargs["default"])
  return extreme()


def _is_of_kinds(form: _forms.BaseForm) -> bool:
  """Tells whether values are Python scalars of which only the run knows the kind."""
  return len(form.scalar_kinds()) > 1


def _extreme_of_objects(ip: Host, name: str, rows: Rows, kwargs: dict[str, object]) -> object:
  def extreme() -> object:
    written = _written.greatest if name == "max" else _written.least
    return run_written(ip, written, values=ip.frame.new(LocalList(rows)))

  if "default" in kwargs:
    return ip.frame.cond(Number(rows.length > 0, bool), extreme, lambda: kwargs["default"])
  return extreme()


def _extreme_by_order(ip: Host, name: str, rows: Rows, kwargs: dict[str, object]) -> object:
  """Returns the first of those that `sorted` would put first, or last: tuples, strings, bools."""

  def extreme() -> object:
    order = _ordering.order(ip, rows, name == "max", by_less=False)
    order = ip.frame.check(order, rows.length > 0, f"{name}() of an empty list")
    taken = tuple(tf.gather(tensor, order[:1]) for tensor in rows.tensors)
    return _items.item_of_rows(ip, Rows(tf.constant(1), taken, rows.form), 0)

  if "default" in kwargs:
    return ip.frame.cond(Number(rows.length > 0, bool), extreme, lambda: kwargs["default"])
  return extreme()


def _extreme_of_floats(name: str, values: tf.Tensor) -> Number:
  """Returns the first extreme as Python compares: 0.0 equals -0.0, and nothing a NaN."""
  better = _numbers.maximum if name == "max" else _numbers.minimum

  def step(index: tf.Tensor, best: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    found = better(Number(best, float), Number(tf.gather(values, index), float))
    assert found is not None  # Both are floats.
    return index + 1, found.tensor

  count = tf.shape(values)[0]
  _, best = tfi.while_loop(
    lambda index, _: index < count, step, [tf.constant(1), tf.gather(values, 0)]
  )
  return Number(best, float)


def math_of(name: str) -> Callable[..., object]:
  def compute(ip: Host, *values: object) -> object:
    values = tuple(_operand_of_math(ip, value) for value in values)
    place = next((i for i, value in enumerate(values) if _of_kinds.is_open(ip, value)), None)
    if place is not None:
      scalar, before, after = ip.frame.scalar(values[place]), values[:place], values[place + 1 :]
      return _of_kinds.for_each(ip, scalar, lambda one: compute(ip, *before, one, *after))
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


def _operand_of_math(ip: Host, value: object) -> object:
  """Returns a number as it is, and what Python would make a float first as that float."""
  value = ip.kind_of(_of_kinds.as_made(ip, ip.frame.concrete(value))).plain()
  found = _numbers.from_tensor(float, value) if isinstance(value, tf.Tensor) else None
  return value if found is None else found


def _math_of_numbers(name: str, x: Number, *more: Number) -> Number | None:
  """Returns what a function of `math` gives; None if it is not done here."""
  if name == "pow" and len(more) == 1:
    return _numbers.binary(ast.Pow, _numbers.to_float(x), _numbers.to_float(more[0]))
  if name == "log" and len(more) == 1:
    logs = [_numbers.math_function(name, number) for number in (x, more[0])]
    return _numbers.binary(ast.Div, *logs)
  if name in _numbers.MATH_OF_TWO and len(more) == 1:
    return _numbers.math_of_two(name, x, *more)
  if more or name in _numbers.MATH_OF_TWO:
    return None
  if name in _FACTORS:
    return _numbers.binary(ast.Mult, _numbers.to_float(x), _FACTORS[name])
  if name in _numbers.MATH_FUNCTIONS:
    return _numbers.math_function(name, x)
  if name in ("floor", "ceil", "trunc"):
    whole = {"floor": _numbers.floor, "ceil": _numbers.ceil, "trunc": _numbers.to_int}
    return whole[name](x)
  if name == "fabs":
    return _numbers.absolute(_numbers.to_float(x))
  tests = {"isnan": tf.math.is_nan, "isinf": tf.math.is_inf, "isfinite": tf.math.is_finite}
  return Number(tests[name](_numbers.to_float(x).tensor), bool)


_FACTORS = {"degrees": 180.0 / math.pi, "radians": math.pi / 180.0}


def is_close(
  ip: Host, a: object, b: object, *, rel_tol: object = 1e-09, abs_tol: object = 0.0
) -> object:
  """Does `math.isclose`."""
  values = [_operand_of_math(ip, value) for value in (a, b, rel_tol, abs_tol)]
  if all_known(values):
    return known(ip, lambda x, y, r, t: math.isclose(x, y, rel_tol=r, abs_tol=t), *values)
  numbers, (relative, at_all) = values[:2], values[2:]
  if (
    any(number_of(v) is None for v in numbers)
    or not isinstance(relative, (int, float))
    or not isinstance(at_all, (int, float))
  ):
    raise ip.frame.refuse(Reason.NEEDS_VALUE, "math.isclose() of what only the run knows.")
  if relative < 0 or at_all < 0:
    raise Raises  # A ValueError.
  ip.frame.partial()
  x, y = (_numbers.to_float(_forms.as_number(v)).tensor for v in numbers)
  difference = tf.abs(y - x)
  is_near = (difference <= tf.abs(relative * x)) | (difference <= tf.abs(relative * y))
  is_near |= difference <= at_all
  # An infinity is close to itself alone, and nothing to a NaN.
  is_near &= ~(tf.math.is_inf(x) | tf.math.is_inf(y))
  return Number(tf.equal(x, y) | is_near, bool)


def conversion(kind: type) -> Callable[..., object]:
  empty = kind()

  def convert(ip: Host, value: object = empty, *more: object) -> object:
    frame = ip.frame
    if kind is bool:
      return ip.truth(value)
    value = _of_kinds.as_made(ip, frame.concrete(value))
    is_array = isinstance(value, (Array, np.ndarray))
    value = ip.kind_of(value).plain()
    if is_array and isinstance(value, tf.Tensor) and value.shape.rank != 0:
      raise frame.refuse(Reason.NEEDS_VALUE, f"{kind.__name__}() of an array of NumPy.")
    if all_known([value, *more]):
      return known(ip, kind, value, *more)
    return ip.kind_of(value).converted(kind, not more)

  return convert


def parses(ip: Host, kind: object, value: object, error: object) -> object:
  """Tells whether int or float of a string raises no ValueError; True of all else."""
  value = ip.frame.concrete(value)
  if kind not in (int, float) or error is not ValueError or not isinstance(value, (str, Ref)):
    return True  # The call itself says what it does.
  assert isinstance(kind, type)
  if isinstance(value, str):
    return managed.parses(kind, value, error)
  if ip.frame.types_of(value) - {Missing} != {str}:
    return True
  return ip.frame.is_there(value.step(kind.__name__))


def code(ip: Host, value: object, /) -> object:
  value = ip.frame.resolve(value)
  return known(ip, ord, value) if all_known([value]) else _text_methods.code(ip, value)


def character(ip: Host, value: object, /) -> object:
  value = ip.frame.resolve(value)
  return known(ip, chr, value) if all_known([value]) else _text_methods.character(ip, value)


def _refuse_compensated(ip: Host, is_of_floats: bool) -> None:
  """Refuses sums of floats where Python makes up for what additions round off."""
  if is_of_floats and sys.version_info >= (3, 12):
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION, "sum() of floats, which Python rounds in its own way."
    )


def total_of(ip: Host, value: object, start: object = 0) -> object:
  # What is added may have an `__add__` of the program's.
  return _lazy.interleaved(ip, value, lambda: _total_of(ip, value, start))


def _total_of(ip: Host, value: object, start: object) -> object:
  if is_string(start, ip.frame):
    raise Raises  # A TypeError: sum() can't sum strings.
  rows = ip.rows_of(value)
  if rows is not None:
    rows = _maps.numbers_of(ip, rows)
    form = rows.form.value if isinstance(rows.form, _forms.MaybeForm) else rows.form
    has_floats = form in (_forms.NumberForm(float), _forms.IntOrFloatForm())
    _refuse_compensated(ip, has_floats or isinstance(start, IntOrFloat))
    return _totals.total(ip, rows, start)
  result = start
  items = [ip.frame.resolve(item) for item in ip.fixed_items(value)]
  has_floats = any(isinstance(i, Number) and i.type is float for i in items)
  _refuse_compensated(ip, has_floats or any(isinstance(i, IntOrFloat) for i in items))
  for item in items:
    result = ip.binary(ast.Add, result, item)
  return result


def absolute(ip: Host, value: object) -> object:
  value = ip.frame.concrete(value)
  own = own_method(value, "__abs__")
  if own is not None:
    return ip.call(own, [], {})
  return ip.kind_of(_of_kinds.as_made(ip, value)).absolute()


def rounded(ip: Host, value: object, digits: object = None) -> object:
  value = ip.frame.concrete(value)
  if all_known([value]) and not isinstance(value, np.ndarray):
    return known(ip, round, value, digits)
  of_numpy = _rounded_scalar(ip, value, digits)
  if of_numpy is not None:
    return of_numpy
  value = _of_kinds.as_made(ip, value)
  if isinstance(value, Scalar):
    if digits is None:
      return _of_kinds.unary(ip, "Round", value)
    return _of_kinds.for_each(ip, value, lambda one: rounded(ip, one, digits))
  if isinstance(value, (Number, IntOrFloat)) and digits is None:
    return _numbers.rounded(value if isinstance(value, Number) else value.value)
  if type(digits) is int and 0 <= digits <= _MOST_DIGITS:
    if isinstance(value, IntOrFloat):  # An int is not changed, neither here nor there.
      return IntOrFloat(_numbers.rounded_to(value.value, digits), value.is_int)
    if isinstance(value, Number):
      is_float = value.type is float
      return _numbers.rounded_to(value, digits) if is_float else _numbers.to_int(value)
  raise ip.frame.refuse(Reason.NEEDS_VALUE, "round() of what only the run knows.")


def _rounded_scalar(ip: Host, value: object, digits: object) -> object:
  """Returns what `round` gives of a scalar of NumPy, or what may be one; None of all else."""
  if isinstance(value, PythonOrNumpy) and digits is None and value.number.type is not bool:
    return _numbers.rounded(value.number)
  return _arrays.rounded(ip, value, digits) if isinstance(value, Array) else None


def divided(ip: Host, a: object, b: object) -> object:
  a, b = ip.frame.concrete(a), ip.frame.concrete(b)
  if isinstance(a, (tf.Tensor, tf.Variable)) or isinstance(b, (tf.Tensor, tf.Variable)):
    raise Raises  # Tensors have //, and %, but no divmod.
  are_open = [_of_kinds.is_open(ip, value) for value in (a, b)]
  if any(number_of(v) is None and not is_one for v, is_one in zip((a, b), are_open, strict=True)):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "divmod of what is no number.")
  return ip.binary(ast.FloorDiv, a, b), ip.binary(ast.Mod, a, b)
