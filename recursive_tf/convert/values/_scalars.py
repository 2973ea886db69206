"""Python's scalars of which only the run knows whether they are bools, ints, floats or strings.

A scalar has a number for its kind beside a number, a float by its bits, and a string. Operators are
one op each (`kernels/core/python_scalars.h`): what Python computes of the kinds that the run finds,
its kind included, or the run fails where Python raises. Ints have 64 bits.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import itertools
import struct
from collections.abc import Iterable, Sequence

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._ops import kernels
from recursive_tf.convert.values._abstract import Abstract, IntOrFloat
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._value import Checks

KINDS = (bool, int, float, str)  # In the order of their numbers.
_BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor)
_INTS_ONLY = (ast.LShift, ast.RShift, *_BITWISE)


@dataclasses.dataclass(frozen=True, eq=False)
class Scalar(Abstract):
  """A Python bool, int, float or str, as the run finds.

  Attributes:
    kind: int32 [], the place of its kind in `KINDS`.
    bits: int64 [], a bool or an int as it is, a float by its bits.
    text: string [], the UTF-8 of a string.
    kinds: the kinds that it can be of, two or more.
  """

  kind: tf.Tensor
  bits: tf.Tensor
  text: tf.Tensor
  kinds: frozenset[type]
  description = "A number or string of which only the run knows the kind"

  @property
  def key(self) -> tuple[int, str]:
    """Returns what two views of the same have in common."""
    return id(self.kind), "scalar"

  @property
  def tensors(self) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns its parts, as ops take them."""
    return self.kind, self.bits, self.text

  def named(self) -> str:
    return " or ".join(kind.__name__ for kind in KINDS if kind in self.kinds)

  def within(self) -> Iterable[object]:
    return self.tensors

  def is_of(self, kinds: Iterable[type]) -> tf.Tensor:
    """Returns whether it is of some kinds, bool []."""
    wanted = [KINDS.index(kind) for kind in KINDS if kind in {*kinds} & self.kinds]
    if not wanted:
      return tfi.constant(False, tf.bool)
    return functools.reduce(tf.logical_or, (tf.equal(self.kind, number) for number in wanted))

  def number(self, kind: type) -> Number:
    """Returns it as the number that it is, if it is of that kind."""
    if kind is int:
      return Number(self.bits, int)
    if kind is bool:
      return Number(tf.not_equal(self.bits, 0), bool)
    return Number(tf.bitcast(self.bits, tf.float64), float)

  def taken(self, checks: Checks) -> tf.Tensor:
    """Returns it as the float that the run has to find."""
    if float not in self.kinds:
      found = checks.check(self.bits, self.is_of([int]), "a bool or a string among ints")
      return Number(found, int).taken(checks)
    is_float = self.is_of([float])
    found = checks.check(self.bits, is_float, "another kind of number among floats")
    return Number(tf.bitcast(found, tf.float64), float).taken(checks)


def code(kind: type) -> int:
  """Returns the number of a kind."""
  return KINDS.index(kind)


def bits_of(number: Number) -> tf.Tensor:
  """Returns a number by its bits, int64, of any shape."""
  if number.type is float:
    return tf.bitcast(tf.stop_gradient(number.tensor), tf.int64)
  return tf.cast(number.tensor, tf.int64)


def no_text() -> tf.Tensor:
  """Returns the string of what is none."""
  return tf.constant("")


def of_number(number: Number) -> Scalar:
  """Returns a number as a scalar."""
  kind = tfi.constant(code(number.type), tf.int32)
  return Scalar(kind, bits_of(number), no_text(), frozenset([number.type]))


def of_text(text: tf.Tensor) -> Scalar:
  """Returns a string as a scalar."""
  kind = tfi.constant(code(str), tf.int32)
  return Scalar(kind, tfi.constant(0, tf.int64), text, frozenset([str]))


def of_either(value: IntOrFloat) -> Scalar:
  """Returns what is an int or a float as a scalar."""
  kind, bits = parts_of_either(value.value.tensor, value.is_int)
  return Scalar(kind, bits, no_text(), frozenset([int, float]))


def parts_of_either(numbers: tf.Tensor, are_ints: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
  """Returns the kinds and the bits of numbers, of any shape, of which some are ints."""
  whole = tf.cast(tf.where(are_ints, numbers, tf.zeros_like(numbers)), tf.int64)
  bits = tf.where(are_ints, whole, bits_of(Number(numbers, float)))
  return tf.where(are_ints, code(int), code(float)), bits


# --- Operators


def binary_kinds(
  op: type[ast.operator], lefts: Iterable[type], rights: Iterable[type]
) -> frozenset[type]:
  """Returns the kinds that `left op right` can be of; none if Python raises whatever they are."""
  pairs = itertools.product({*lefts} & {*KINDS}, {*rights} & {*KINDS})
  if op not in OPERATORS:
    return frozenset()
  return frozenset(kind for a, b in pairs for kind in _kinds_of_pair(op, a, b))


def _kinds_of_pair(op: type[ast.operator], a: type, b: type) -> tuple[type, ...]:
  if str in (a, b):
    is_sum = op is ast.Add and a is b
    is_product = op is ast.Mult and (a in (int, bool) or b in (int, bool))
    return (str,) if is_sum or is_product else ()
  if float in (a, b):
    return () if op in _INTS_ONLY else (float,)
  if op is ast.Div:
    return (float,)
  if op is ast.Pow:
    return (int,) if b is bool else (int, float)
  return (bool,) if op in _BITWISE and a is b is bool else (int,)


def binary(op: type[ast.operator], x: Scalar, y: Scalar, kinds: frozenset[type]) -> Scalar:
  """Returns `x op y`, which is of one of these kinds; no `%` of strings."""
  return _computed(op.__name__, x, y, kinds)


def compare(op: type[ast.cmpop], x: Scalar, y: Scalar) -> Number:
  """Returns `x op y` of ==, !=, <, <=, > and >=."""
  return _computed(op.__name__, x, y, frozenset([bool])).number(bool)


def extreme(name: str, x: Scalar, y: Scalar) -> Scalar:
  """Returns the Min or the Max of two: of equals the first."""
  return _computed(name, x, y, x.kinds | y.kinds)


def _computed(name: str, x: Scalar, y: Scalar, kinds: frozenset[type]) -> Scalar:
  kind, bits, text = kernels.recursive_tf_python_scalar_binary(*x.tensors, *y.tensors, op=name)
  return Scalar(kind, bits, text, kinds)


OPERATORS = (
  *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow),
  *_INTS_ONLY,
)


# What each operation of one makes of kinds; those that it lacks it fails for.
_OF_ONE: dict[str, dict[type, type]] = {
  "USub": {bool: int, int: int, float: float},
  "UAdd": {bool: int, int: int, float: float},
  "Abs": {bool: int, int: int, float: float},
  "Invert": {int: int},
  "Truth": dict.fromkeys(KINDS, bool),
  "Round": {bool: int, int: int, float: int},
  "Trunc": {bool: int, int: int, float: int},
  "Cast": {bool: float, int: float, float: float},
}


def unary_kinds(name: str, kinds: Iterable[type]) -> frozenset[type]:
  """Returns the kinds that an operation can give; none if Python raises whatever it is of."""
  return frozenset(_OF_ONE[name][kind] for kind in kinds if kind in _OF_ONE[name])


def unary(name: str, x: Scalar) -> Scalar:
  """Returns what an operation gives: USub, UAdd, Invert, Abs, Truth, Round, Trunc or Cast."""
  kind, bits, text = kernels.recursive_tf_python_scalar_unary(*x.tensors, op=name)
  return Scalar(kind, bits, text, unary_kinds(name, x.kinds))


def equal(
  x: tuple[tf.Tensor, tf.Tensor, tf.Tensor], y: tuple[tf.Tensor, tf.Tensor, tf.Tensor]
) -> tf.Tensor:
  """Returns which of some scalars equal another one, or those of the same places, bool [N]."""
  return tf.not_equal(kernels.recursive_tf_python_scalar_binary(*x, *y, op="Eq")[1], 0)


def parts_of(value: object) -> tuple[int, int, str] | None:
  """Returns the kind, the bits and the text of a known scalar; None if no tensor holds it."""
  if type(value) not in KINDS:
    return None
  bits, text = 0, ""
  if isinstance(value, str):
    text = value
  elif isinstance(value, float):
    (bits,) = struct.unpack("<q", struct.pack("<d", value))
  elif isinstance(value, int):
    bits = int(value)
  if not -(2**63) <= bits < 2**63 or not _has_utf8(text):
    return None
  return code(type(value)), bits, text


def _has_utf8(text: str) -> bool:
  try:
    text.encode()
  except UnicodeEncodeError:  # Half of a surrogate pair.
    return False
  return True


def constants(values: Sequence[object]) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor] | None:
  """Returns known scalars as tensors [N] of their parts; None if no tensor holds one of them."""
  found = [parts_of(value) for value in values]
  known = [parts for parts in found if parts is not None]
  if len(known) < len(found):
    return None
  kinds, bits, texts = ([parts[i] for parts in known] for i in range(3))
  return tf.constant(kinds, tf.int32), tf.constant(bits, tf.int64), tf.constant(texts, tf.string)


def ranks(x: Sequence[tf.Tensor]) -> tf.Tensor:
  """Returns how many different ones of all are before each in the order of `sorted`, int32 [N]."""
  return kernels.recursive_tf_python_scalar_ranks(*x)


def truth(x: Scalar) -> Number:
  """Returns `bool(x)`."""
  return unary("Truth", x).number(bool)


tf.no_gradient("RecursiveTf>PythonScalarRanks")
tf.no_gradient("RecursiveTf>PythonScalarUnary")
tf.no_gradient("RecursiveTf>PythonScalarBinary")
