"""Python's numbers that are known only in the run.

An int is an int32 or int64 tensor (columns give int32, arithmetic int64), a float a float64, a bool
a bool, all of shape []. Each function gives exactly what Python would, type included, or the run
fails with a failed check (`_checks.is_check_failure`): where Python raises an exception, and where
an int goes beyond 64 bits, an int division has operands beyond 53 bits, or a result is of another
type than it mostly is (2 ** -1). What it cannot say beforehand it refuses with None.

The arithmetic is one op each, `RecursiveTf>PythonUnary` and `PythonBinary`, because TensorFlow's
differ from Python's in small ways that are easily overlooked: ints wrap around, 1.0 // 0.1 is 10,
`tf.pow` is off in the last digit, mixed types need casts, denormal floats are zero, and graph
optimizers reorder sums. Numbers carry no gradient, as Python's do not.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Iterable

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._ops import kernels
from recursive_tf.convert.values._value import Checks, Value

_INT64 = range(-(2**63), 2**63)
_INTS_ONLY = (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)
_BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor)
_BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, *_INTS_ONLY)
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_CANONICAL = {bool: tf.bool, int: tf.int64, float: tf.float64}
# To which types of tensors TensorFlow, in eager execution, converts a bool operand.
_TAKES_BOOL = (
  tf.bool,
  tf.int32,
  tf.int64,
  tf.uint64,
  tf.float16,
  tf.float32,
  tf.float64,
  tf.complex128,
)
_CAST_BY_US = (
  tf.int8,
  tf.int16,
  tf.int32,
  tf.int64,
  tf.uint8,
  tf.uint16,
  tf.uint32,
  tf.uint64,
  tf.float32,
  tf.float64,
)


@dataclasses.dataclass(frozen=True, eq=False)
class Number(Value):
  """A Python number of a frame.

  Attributes:
    tensor: of shape []: int32 or int64, float64, or bool.
    type: int, float or bool.
  """

  tensor: tf.Tensor
  type: type

  def named(self) -> str:
    return f"{self.type.__name__} of the run"

  def within(self) -> Iterable[object]:
    return (self.tensor,)

  def is_lowered(self) -> bool:
    return True

  def taken(self, checks: Checks) -> tf.Tensor:
    return as_tensor(self)


Operand = Number | int | float | bool


def is_bool(value: object) -> bool:
  """Tells whether a value is a bool, Python's or of the run."""
  return isinstance(value, bool) or (isinstance(value, Number) and value.type is bool)


def computes_with(dtype: tf.DType, kind: type) -> bool:
  """Tells whether operators of tensors take Python numbers of a type: not ints' with floats."""
  return dtype.is_floating or dtype.is_complex or (dtype.is_integer and kind is int)


def constant(value: int | float | bool) -> Number | None:
  """Returns a number that is known; None if it is not exactly an int, float or bool of 64 bits."""
  kind = type(value)
  if kind not in _CANONICAL or (kind is int and value not in _INT64):
    return None
  dtype = _CANONICAL[kind]
  return Number(tfi.constant(value, dtype), kind)


def from_tensor(kind: type, tensor: tf.Tensor) -> Number | None:
  """Returns `kind(tensor)`, int(x), float(x) or bool(x), as Python does with an eager tensor.

  None if `tensor` is not of static shape [], or of a type for which this is not done.
  """
  if tensor.shape.rank != 0:
    return None
  if tensor.dtype in (tf.int32, tf.int64):
    return _converted(kind, Number(tensor, int))
  if tensor.dtype in (tf.int8, tf.int16, tf.uint8, tf.uint16, tf.uint32):
    return _converted(kind, Number(tf.cast(tensor, tf.int64), int))
  if tensor.dtype == tf.bool:
    return _converted(kind, Number(tensor, bool))
  if tensor.dtype == tf.float32:
    return _converted(kind, Number(_unary("Cast", tensor, tf.float64), float))
  if tensor.dtype == tf.float64:
    return _converted(kind, Number(tf.stop_gradient(tensor), float))
  return None


def _converted(kind: type, number: Number) -> Number | None:
  conversions = {int: to_int, float: to_float, bool: to_bool}
  return conversions[kind](number) if kind in conversions else None


# --- Operators


def binary(op: type[ast.operator], a: Operand, b: Operand) -> Number | None:
  """Returns `a op b`, of which one at least is a Number; None if it is refused."""
  first, second = type_of(a), type_of(b)
  if first is None or second is None or op not in _BINARY:
    return None
  kind: type = int
  if float in (first, second):
    if op in _INTS_ONLY:
      return None
    kind = float
  elif first is second is bool and op in _BITWISE:
    kind = bool
  elif op is ast.Div:
    kind = float
  elif op is ast.Pow and not isinstance(b, Number) and b < 0:
    kind, b = float, float(b)
  return _binary(op.__name__, a, b, kind)


def compare(op: type[ast.cmpop], a: Operand, b: Operand) -> Number | None:
  """Returns `a op b`, a bool, exact for an int and a float, too; None if it is refused."""
  if op not in _COMPARISONS:
    return None
  return _binary(op.__name__, a, b, bool)


def unary(op: type[ast.unaryop], a: Number) -> Number | None:
  """Returns `op a`; None if it is refused: ~True, of which Python warns."""
  if op is ast.Not:
    return Number(tf.logical_not(a.tensor), bool) if a.type is bool else compare(ast.Eq, a, 0)
  if op is ast.UAdd:
    return to_int(a) if a.type is bool else a
  if op is ast.USub:
    return _signed("Neg", a)
  if op is ast.Invert and a.type is int:
    return Number(tf.bitwise.invert(a.tensor), int)
  return None


def absolute(a: Number) -> Number:
  """Returns `abs(a)`."""
  return to_int(a) if a.type is bool else _signed("Abs", a)


def minimum(*xs: Operand) -> Number | None:
  """Returns `min(*xs)` of numbers of one type; None if types are mixed, or there are not two."""
  return _extreme("Min", xs)


def maximum(*xs: Operand) -> Number | None:
  """Returns `max(*xs)` of numbers of one type; None if types are mixed, or there are not two."""
  return _extreme("Max", xs)


# The functions of `math` that are the C library's, of one number.
MATH_FUNCTIONS = frozenset(
  """acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 sin sinh sqrt tan
  tanh""".split()
)


def math_function(name: str, a: Number) -> Number:
  """Returns `math.name(a)`, for a name in `MATH_FUNCTIONS`."""
  return Number(_unary(name, to_float(a).tensor, tf.float64), float)


# Those of two numbers that are done.
MATH_OF_TWO = frozenset(["atan2", "copysign", "hypot"])


def math_of_two(name: str, a: Number, b: Number) -> Number | None:
  """Returns `math.name(a, b)`, for a name in `MATH_OF_TWO`."""
  return _binary(name, to_float(a), to_float(b), float)


def multiply_mod(a: Operand, b: Operand, c: Operand) -> Number | None:
  """Returns `a * b % c` of ints, also where `a * b` has more than 64 bits; None of others."""
  numbers = [_number(one) for one in (a, b, c)]
  if any(one is None or one.type is float for one in numbers):
    return None
  tensors = [tf.cast(one.tensor, tf.int64) for one in numbers if one is not None]
  return Number(kernels.recursive_tf_python_multiply_mod(*tensors), int)


# --- Conversions


def to_int(a: Number) -> Number:
  """Returns `int(a)`."""
  return _whole("Trunc", a)


def floor(a: Number) -> Number:
  """Returns `math.floor(a)`."""
  return _whole("Floor", a)


def ceil(a: Number) -> Number:
  """Returns `math.ceil(a)`."""
  return _whole("Ceil", a)


def rounded(a: Number) -> Number:
  """Returns `round(a)`, without a number of digits."""
  return _whole("Round", a)


def rounded_to(a: Number, digits: int) -> Number:
  """Returns `round(a, digits)` of a float, digits from 0 to 323."""
  found = _binary("RoundTo", a, float(digits), float)
  assert found is not None  # Both are floats.
  return found


def to_float(a: Number) -> Number:
  """Returns `float(a)`."""
  return a if a.type is float else Number(_unary("Cast", a.tensor, tf.float64), float)


def to_bool(a: Number) -> Number:
  """Returns `bool(a)`."""
  found = a if a.type is bool else compare(ast.NotEq, a, 0)
  assert found is not None
  return found


def as_tensor(number: Number, like_dtype: tf.DType | None = None) -> tf.Tensor:
  """Returns what TensorFlow makes of a Python number in eager execution.

  The run fails for what does not fit, though an op on tensors would let some of it wrap around, or
  become infinite.

  Args:
    number: the number.
    like_dtype: the type of a tensor that the number is combined with by an operator; None where the
      number is by itself: then ints become int32 (those beyond, which would be int64, fail the
      run), floats float32, and bools bool.

  Raises:
    TypeError: If TensorFlow would not convert it to `like_dtype`.
  """
  if like_dtype is None:
    like_dtype = {int: tf.int32, float: tf.float32, bool: tf.bool}[number.type]
  if like_dtype == number.tensor.dtype:
    return number.tensor
  if _converts(number.type, like_dtype):
    if like_dtype in _CAST_BY_US and number.type is not bool:
      return _unary("Cast", number.tensor, like_dtype)
    if number.type is int:  # By way of a double, as TensorFlow does it.
      return tf.cast(to_float(number).tensor, like_dtype)
    return tf.cast(number.tensor, like_dtype)
  raise TypeError(
    f"recursive_tf: TensorFlow does not convert a Python {number.type.__name__} to"
    f" {like_dtype.name}."
  )


def _converts(kind: type, dtype: tf.DType) -> bool:
  """Tells whether TensorFlow converts a Python number to a type as it would be done here."""
  if kind is bool:
    return dtype in _TAKES_BOOL
  if kind is int:  # Not complex64, which is rounded otherwise.
    return dtype.is_integer or dtype.is_floating or dtype == tf.complex128
  return dtype.is_floating or dtype.is_complex


# --- Types


def type_of(a: object) -> type | None:
  """Returns int, float or bool for a Number or a constant of exactly that type, else None."""
  kind = a.type if isinstance(a, Number) else type(a)
  return kind if kind in _CANONICAL else None


def join(a: Operand, b: Operand) -> type | None:
  """Returns the type of what is one or the other; None if that is known only in the run."""
  first = type_of(a)
  return first if first is type_of(b) else None


def unify(a: Operand, b: Operand) -> tuple[Number, Number] | None:
  """Returns two numbers of one type with tensors of one type, as branches need them; or None."""
  kind = join(a, b)
  first, second = _number(a), _number(b)
  if kind is None or first is None or second is None:
    return None
  if first.tensor.dtype != second.tensor.dtype:  # Ints.
    first, second = widened(first), widened(second)
  return first, second


def widened(a: Number) -> Number:
  """Returns the same number with the widest tensor of its type: an int as int64."""
  dtype = _CANONICAL[a.type]
  return a if a.tensor.dtype == dtype else Number(tf.cast(a.tensor, dtype), a.type)


# --- Ops


def _number(a: Operand) -> Number | None:
  return a if isinstance(a, Number) else constant(a)


def _binary(name: str, a: Operand, b: Operand, kind: type) -> Number | None:
  first, second = _number(a), _number(b)
  if first is None or second is None:
    return None
  found = kernels.recursive_tf_python_binary(
    first.tensor, second.tensor, Z=_CANONICAL[kind], op=name
  )
  return Number(found, kind)


def _unary(name: str, tensor: tf.Tensor, dtype: tf.DType) -> tf.Tensor:
  return kernels.recursive_tf_python_unary(tensor, Z=dtype, op=name)


def _signed(name: str, a: Number) -> Number:
  kind = float if a.type is float else int
  return Number(_unary(name, a.tensor, _CANONICAL[kind]), kind)


def _whole(name: str, a: Number) -> Number:
  if a.type is int:
    return a
  if a.type is bool:
    return Number(tf.cast(a.tensor, tf.int32), int)
  return Number(_unary(name, a.tensor, tf.int64), int)


def _extreme(name: str, xs: tuple[Operand, ...]) -> Number | None:
  kinds = {type_of(x) for x in xs}
  if len(xs) < 2 or len(kinds) != 1 or None in kinds:
    return None
  (kind,) = kinds
  assert kind is not None
  return functools.reduce(
    lambda a, b: None if a is None else _binary(name, a, b, kind), xs[1:], _number(xs[0])
  )


# --- Texts


def text_of(a: Number, digits: int = -1, style: str = "f") -> tf.Tensor:
  """Returns `repr(a)` of a float; with digits `format(a, ".<digits><style>")`, of any number."""
  return kernels.recursive_tf_float_text(to_float(a).tensor, digits=digits, style=style)


tf.no_gradient("RecursiveTf>FloatText")
tf.no_gradient("RecursiveTf>PythonMultiplyMod")
tf.no_gradient("RecursiveTf>PythonUnary")
tf.no_gradient("RecursiveTf>PythonBinary")
