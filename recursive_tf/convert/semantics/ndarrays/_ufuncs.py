"""NumPy's functions of elements: operators, comparisons, `np.exp` and the like.

Which types the operands and the result have says NumPy itself (`ufunc.resolve_dtypes`, NEP 50).
Where NumPy warns (a division by zero, the log of -1, a float too large after `exp` or `**`) the run
fails, and plain Python, which does the call then, gives the warning. It does not for floats that
become infinite by + - or *, nor for what is computed of infinite ones.
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from recursive_tf._ops import kernels
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics.ndarrays._nested import array
from recursive_tf.convert.semantics.ndarrays._operands import (
  Operand,
  cast,
  compute,
  found_operand,
  is_supported,
  made,
  one_sign,
  refuse,
)
from recursive_tf.convert.values import _checks
from recursive_tf.convert.values._abstract import Array, Raises

_Kernel = Callable[..., tf.Tensor]


def _of_python(name: str, *tensors: tf.Tensor) -> tf.Tensor:
  """Returns what Python computes of each; the run fails where it raises, and NumPy warns.

  It is done in 64 bits and rounded once more for floats of 32, where it has to fit as well.
  """
  dtype = tensors[0].dtype
  wide = tf.float64 if dtype.is_floating else tf.int64
  tensors = tuple(tf.cast(one, wide) for one in tensors)
  if len(tensors) == 1:
    found = kernels.recursive_tf_python_unary(*tensors, Z=wide, op=name)
  else:
    found = kernels.recursive_tf_python_binary(*_of_one_shape(*tensors), Z=wide, op=name)
  if dtype == wide:
    return found
  return kernels.recursive_tf_python_unary(found, Z=dtype, op="Cast")


def _of_one_shape(left: tf.Tensor, right: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
  """Returns both, broadcast, where neither is one number."""
  if 0 in (left.shape.rank, right.shape.rank):
    return left, right
  if left.shape.is_fully_defined() and left.shape == right.shape:
    return left, right
  shape = tf.broadcast_dynamic_shape(tf.shape(left), tf.shape(right))
  static = tf.broadcast_static_shape(left.shape, right.shape)
  both = [tf.broadcast_to(one, shape) for one in (left, right)]
  for one in both:
    one.set_shape(static)
  return both[0], both[1]


def _by_python(name: str) -> _Kernel:
  return functools.partial(_of_python, name)


def _of_bools(of_bools: _Kernel, of_others: _Kernel) -> _Kernel:
  return lambda *xs: (of_bools if xs[0].dtype == tf.bool else of_others)(*xs)


def _exact_scalar(name: str, of_arrays: _Kernel) -> _Kernel:
  """Returns an operator of which NumPy warns where ints that are no arrays get too large."""

  def apply(left: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
    is_scalar = left.shape.rank == right.shape.rank == 0
    is_checked = is_scalar and left.dtype.is_integer
    return _of_python(name, left, right) if is_checked else of_arrays(left, right)

  return apply


def _divide(left: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
  return tf.divide(left, _checks.check(right, tf.not_equal(right, 0), "NumPy divides by zero"))


def _floor_divide(left: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
  found = _of_python("FloorDiv", left, right)
  if left.dtype != tf.float32:
    return found
  # NumPy rounds on the way to it, which shows in quotients of more digits than that.
  return _checks.check(found, tf.abs(found) < 2.0**21, "a quotient of 32 bits")


def _greater_of(left: tf.Tensor, right: tf.Tensor, greater: _Kernel, nan: bool) -> tf.Tensor:
  """Returns the greater or less of each, a NaN if one is; or, if `nan` is false, the other one."""
  found = greater(left, right)
  if not left.dtype.is_floating:
    return found
  found = one_sign(left, right, found)
  first, second = (left, right) if nan else (right, left)
  found = tf.where(tf.math.is_nan(right), second, found)
  return tf.where(tf.math.is_nan(left), first, found)


def _extreme(greater: _Kernel, of_bools: _Kernel, nan: bool) -> _Kernel:
  return _of_bools(of_bools, functools.partial(_greater_of, greater=greater, nan=nan))


def _bools_as_ints(function: _Kernel) -> _Kernel:
  """Returns a comparison, of bools, too."""
  return _of_bools(
    lambda left, right: function(tf.cast(left, tf.int32), tf.cast(right, tf.int32)), function
  )


def _is_true(x: tf.Tensor) -> tf.Tensor:
  return x if x.dtype == tf.bool else tf.not_equal(x, 0)


def _of_truths(function: _Kernel) -> _Kernel:
  return lambda *xs: function(*map(_is_true, xs))


def _of_floats(function: _Kernel, otherwise: bool) -> _Kernel:
  """Returns a test of floats; of all else it gives the same answer."""
  return lambda x: function(x) if x.dtype.is_floating else tf.fill(tf.shape(x), otherwise)


def _whole(function: _Kernel) -> _Kernel:
  return lambda x: function(x) if x.dtype.is_floating else tf.identity(x)


def _power(left: tf.Tensor, right: tf.Tensor) -> tf.Tensor:
  found = _of_python("Pow", left, right)
  if not left.dtype.is_floating:
    return found
  # NumPy may take a square root, which is another one of these.
  is_edge = tf.equal(right, 0.5) & (tf.equal(left, 0) | tf.math.is_inf(left))
  return _checks.check(found, tf.logical_not(is_edge), "a square root by **")


# Those of floats that are the C library's.
_OF_C = {
  np.sqrt: "sqrt",
  np.exp: "exp",
  np.expm1: "expm1",
  np.log: "log",
  np.log2: "log2",
  np.log10: "log10",
  np.log1p: "log1p",
  np.sin: "sin",
  np.cos: "cos",
  np.tan: "tan",
  np.arcsin: "asin",
  np.arccos: "acos",
  np.arctan: "atan",
  np.sinh: "sinh",
  np.cosh: "cosh",
  np.tanh: "tanh",
  np.arcsinh: "asinh",
  np.arccosh: "acosh",
  np.arctanh: "atanh",
  np.arctan2: "atan2",
  np.hypot: "hypot",
  np.copysign: "copysign",
}
_KERNELS: types.MappingProxyType[np.ufunc, _Kernel] = types.MappingProxyType(
  {
    np.add: _of_bools(tf.logical_or, _exact_scalar("Add", tf.add)),
    np.subtract: _exact_scalar("Sub", tf.subtract),
    np.multiply: _of_bools(tf.logical_and, _exact_scalar("Mult", tf.multiply)),
    np.true_divide: _divide,
    np.floor_divide: _floor_divide,
    np.remainder: _by_python("Mod"),
    np.power: _power,
    np.bitwise_and: _of_bools(tf.logical_and, tf.bitwise.bitwise_and),
    np.bitwise_or: _of_bools(tf.logical_or, tf.bitwise.bitwise_or),
    np.bitwise_xor: _of_bools(tf.math.logical_xor, tf.bitwise.bitwise_xor),
    np.invert: _of_bools(tf.logical_not, tf.bitwise.invert),
    np.left_shift: _by_python("LShift"),
    np.right_shift: _by_python("RShift"),
    np.negative: tf.negative,
    np.positive: tf.identity,
    np.absolute: _of_bools(tf.identity, tf.abs),
    np.fabs: tf.abs,
    np.sign: tf.sign,
    np.square: _of_bools(tf.identity, lambda x: x * x),
    np.reciprocal: lambda x: _divide(tf.ones([], x.dtype), x),
    np.floor: _whole(tf.floor),
    np.ceil: _whole(tf.math.ceil),
    np.trunc: _whole(lambda x: tf.where(x < 0, tf.math.ceil(x), tf.floor(x))),
    np.rint: _whole(tf.round),
    np.maximum: _extreme(tf.maximum, tf.logical_or, True),
    np.minimum: _extreme(tf.minimum, tf.logical_and, True),
    np.fmax: _extreme(tf.maximum, tf.logical_or, False),
    np.fmin: _extreme(tf.minimum, tf.logical_and, False),
    np.equal: tf.equal,
    np.not_equal: tf.not_equal,
    np.less: _bools_as_ints(tf.less),
    np.less_equal: _bools_as_ints(tf.less_equal),
    np.greater: _bools_as_ints(tf.greater),
    np.greater_equal: _bools_as_ints(tf.greater_equal),
    np.logical_and: _of_truths(tf.logical_and),
    np.logical_or: _of_truths(tf.logical_or),
    np.logical_xor: _of_truths(tf.math.logical_xor),
    np.logical_not: _of_truths(tf.logical_not),
    np.isnan: _of_floats(tf.math.is_nan, False),
    np.isinf: _of_floats(tf.math.is_inf, False),
    np.isfinite: _of_floats(tf.math.is_finite, True),
    **{ufunc: _by_python(name) for ufunc, name in _OF_C.items()},
  }
)
UFUNCS = frozenset(_KERNELS)
_COMPARISONS = (
  np.equal,
  np.not_equal,
  np.less,
  np.less_equal,
  np.greater,
  np.greater_equal,
)
_TRUTHS = (np.logical_and, np.logical_or, np.logical_xor, np.logical_not)

_OPERATORS: dict[type[ast.AST], np.ufunc] = {
  ast.Add: np.add,
  ast.Sub: np.subtract,
  ast.Mult: np.multiply,
  ast.Div: np.true_divide,
  ast.FloorDiv: np.floor_divide,
  ast.Mod: np.remainder,
  ast.Pow: np.power,
  ast.BitAnd: np.bitwise_and,
  ast.BitOr: np.bitwise_or,
  ast.BitXor: np.bitwise_xor,
  ast.LShift: np.left_shift,
  ast.RShift: np.right_shift,
  ast.Eq: np.equal,
  ast.NotEq: np.not_equal,
  ast.Lt: np.less,
  ast.LtE: np.less_equal,
  ast.Gt: np.greater,
  ast.GtE: np.greater_equal,
  ast.USub: np.negative,
  ast.UAdd: np.positive,
  ast.Invert: np.invert,
}


def operator(ip: Host, op: type[ast.AST], values: Sequence[object]) -> Array | None:
  """Returns what an operator gives of arrays and numbers; None if it is not done here."""
  operands = [found_operand(ip, value) for value in values]
  ufunc = _OPERATORS.get(op)
  if ufunc is None:
    return None
  found = [one for one in operands if one is not None]
  if len(found) < len(operands):
    return None
  if ufunc is np.power and (by_exponent := _fast_power(ip, *found)) is not None:
    return by_exponent
  return apply(ip, ufunc, found)


def _fast_power(ip: Host, base: Operand, exponent: Operand) -> Array | None:
  """Returns a power by a number for which NumPy has another function; None of all others."""
  if base.dtype.kind == "b":
    raise refuse(ip, "pow of bools")
  is_float = base.dtype.kind == "f"
  if exponent.known == 2 and (is_float or type(exponent.known) is int):
    return apply(ip, np.multiply, [base, base])
  if exponent.known == 0.5 and not base.is_scalar:
    return apply(ip, np.sqrt, [base])
  return None


def call(ip: Host, ufunc: np.ufunc, values: Sequence[object]) -> Array:
  """Returns `ufunc(*values)`."""
  found = [found_operand(ip, value) for value in values]
  return apply(
    ip,
    ufunc,
    [
      array(ip, value, ufunc.__name__) if one is None else one
      for value, one in zip(values, found, strict=True)
    ],
  )


def apply(ip: Host, ufunc: np.ufunc, operands: Sequence[Operand]) -> Array:
  """Returns what a function of elements gives."""
  name = ufunc.__name__
  *inputs, output = _loop(ip, ufunc, operands)
  if not all(map(is_supported, (*inputs, output))):
    raise refuse(ip, f"{name} that gives or takes {output}")
  if ufunc is np.reciprocal and inputs[0].kind != "f":
    raise refuse(ip, f"{name} of ints")
  tensors = [
    one.tensor if ufunc in _TRUTHS else cast(ip, one, dtype)
    for one, dtype in zip(operands, inputs, strict=True)
  ]
  found = compute(ip, name, _KERNELS[ufunc], *tensors)
  return made(tf.cast(found, tf.as_dtype(output)))


def _loop(
  ip: Host, ufunc: np.ufunc, operands: Sequence[Operand]
) -> tuple[np.dtype[np.generic], ...]:
  """Returns the types that NumPy computes with, of the operands and the result.

  Raises:
    Raises: If it does not take such operands: a TypeError.
  """
  weak = {one.weak for one in operands}
  if ufunc in _COMPARISONS and int in weak and _is_int32(operands):
    wide = np.dtype(np.int64)  # Also with an int beyond, of which NumPy knows how it compares.
    return wide, wide, np.dtype(bool)
  kinds = [one.dtype if one.weak is None else one.weak for one in operands]
  others = [
    kind if one.either is None else one.either for kind, one in zip(kinds, operands, strict=True)
  ]
  try:
    found: tuple[np.dtype[np.generic], ...] = ufunc.resolve_dtypes((*kinds, None))
    # To NumPy a class is equal to the type that it stands for: `others` may be equal to `kinds`.
    may_differ = any(one.either is not None for one in operands)
    if may_differ and ufunc.resolve_dtypes((*map(_weak, others), None)) != found:
      raise refuse(ip, f"{ufunc.__name__} of a number that may be Python's")
  except TypeError:
    raise Raises from None
  return found


def _weak(kind: np.dtype[np.generic] | type) -> np.dtype[np.generic] | type:
  return np.dtype(bool) if kind is bool else kind


def _is_int32(operands: Sequence[Operand]) -> bool:
  return all(one.weak is int or one.dtype == np.int32 for one in operands)
