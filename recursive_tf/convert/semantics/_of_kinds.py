"""What a program does with Python scalars of which only the run knows the kind.

Operators and comparisons of numbers and strings are one op each. All else is done for each kind
that it may be, in a branch of its own; where Python raises for a kind the run fails.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TypeGuard

import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values import _forms, _numbers, _scalars
from recursive_tf.convert.values._abstract import (
  Bottom,
  IntOrFloat,
  Maybe,
  Missing,
  Raises,
  Ref,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import ByKey
from recursive_tf.convert.values._scalars import KINDS, Scalar
from recursive_tf.convert.values._text import Format, Text, is_string

_Then = Callable[[object], object]
_EITHER = (ast.Add, ast.Sub, ast.Mult, ast.Div)  # What ints or floats are computed with as floats.


def is_open(ip: Host, value: object) -> bool:
  """Tells whether a value is a scalar of which only the run knows the kind, made or read."""
  if isinstance(value, Ref):
    kinds = ip.frame.types_of(value) - {NoneType, Missing}
    return len(kinds) > 1 and kinds <= _forms.SCALARS
  return isinstance(value, (Scalar, IntOrFloat))


def is_scalar(ip: Host, value: object) -> bool:
  """Tells whether a value is a Python scalar, of a kind that is known or not."""
  if is_open(ip, value) or _numbers.type_of(value) is not None:
    return True
  return is_string(value, ip.frame)


def for_each(ip: Host, scalar: Scalar, then: _Then) -> object:
  """Returns what `then` gives of a scalar of the kind that the run finds.

  Where that is refused for some kinds, a run that finds one of these fails.
  """
  frame = ip.frame
  kinds: list[type] = [kind for kind in KINDS if kind in frame.kinds_of(scalar)]
  refusals: list[ConversionRefused] = []

  def of_kind(kind: type) -> object:
    ip.budget.take(1)
    frame.narrow([(scalar, frozenset([kind]))])
    try:
      return then(frame.view(scalar))
    except ConversionRefused as refusal:
      refusals.append(refusal)
      raise Raises from None

  def among(rest: list[type]) -> object:
    if len(rest) == 1:
      return of_kind(rest[0])
    first, *others = rest
    is_first = Number(scalar.is_of([first]), bool)
    return frame.cond(is_first, lambda: of_kind(first), lambda: among(others))

  if len(kinds) == 1:
    return then(frame.view(scalar))
  try:
    return among(kinds)
  except Bottom:
    if len(refusals) == len(kinds):
      raise refusals[0] from None
    raise


def only(ip: Host, scalar: Scalar, kinds: Iterable[type]) -> object:
  """Returns a scalar that has to be of some kinds: else Python raises, and the run fails."""
  inside = frozenset(kinds) & ip.frame.kinds_of(scalar)
  if not inside:
    raise Raises
  if inside != ip.frame.kinds_of(scalar):
    ip.frame.demand(scalar.is_of(inside))
    ip.frame.narrow([(scalar, inside)])
  return ip.frame.view(scalar)


def opened(ip: Host, value: object) -> Scalar:
  """Returns what `is_open` as a scalar."""
  found = ip.frame.as_scalar(value)
  assert found is not None  # It is one.
  return found


def as_made(ip: Host, value: object) -> object:
  """Returns a read of several kinds as the scalar that it is; the run fails where it is None."""
  return opened(ip, value) if isinstance(value, Ref) and is_open(ip, value) else value


def text_or_none(ip: Host, value: object, conversion: int = -1) -> object:
  """Returns `str(value)`, or `repr`, of what may be None, or a scalar; all else as it is."""
  found = ip.frame.scalar_or_none(value)
  if not isinstance(found, Maybe):
    return value
  known = found.value
  if not is_scalar(ip, known):
    return value
  is_there = Number(found.is_there, bool)
  return ip.frame.cond(is_there, lambda: Text((Format(known, conversion, ""),)), lambda: "None")


def binary(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  """Returns `left op right`; `NotImplemented` if neither is a scalar of several kinds."""
  lefts, rights = kinds_of(ip, left), kinds_of(ip, right)
  if lefts is None or rights is None:
    return _with_other(ip, op, left, right)
  if not _is_formatting(op, lefts) and not _scalars.binary_kinds(op, lefts, rights):
    raise Raises  # A TypeError.
  if not is_open(ip, left) and not is_open(ip, right):
    return NotImplemented
  if op in _EITHER and not any(isinstance(v, (Scalar, Ref)) for v in (left, right)):
    if all(_is_int_or_float(value) for value in (left, right)):
      return NotImplemented  # As floats.
  if _is_formatting(op, lefts):
    if lefts == {str}:
      return NotImplemented
    return for_each(ip, opened(ip, left), lambda value: ip.binary(op, value, right))
  x, y = opened(ip, left), opened(ip, right)
  kinds = _scalars.binary_kinds(op, x.kinds, y.kinds)
  ip.frame.partial()
  return ip.frame.view(_scalars.binary(op, x, y, kinds))


def _is_int_or_float(value: object) -> bool:
  return isinstance(value, IntOrFloat) or _numbers.type_of(value) in (int, float)


def _is_formatting(op: type[ast.operator], lefts: frozenset[type]) -> bool:
  return op is ast.Mod and str in lefts


def kinds_of(ip: Host, value: object) -> frozenset[type] | None:
  """Returns the kinds that a scalar can be of, `NoneType` of None; None of all else."""
  if value is None:
    return frozenset([NoneType])
  if isinstance(value, Ref):
    kinds = ip.frame.types_of(value) - {NoneType, Missing}
    return kinds if kinds and kinds <= _forms.SCALARS else None
  if isinstance(value, Scalar):
    return value.kinds
  if isinstance(value, IntOrFloat):
    return frozenset([int, float])
  if is_string(value, ip.frame):
    return frozenset([str])
  kind = _numbers.type_of(value)
  return None if kind is None else frozenset([kind])


def _with_other(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  """Computes with what is no scalar, such as a tensor, by each kind."""
  if _is_made(left):
    return for_each(ip, left, lambda value: ip.binary(op, value, right))
  if _is_made(right):
    return for_each(ip, right, lambda value: ip.binary(op, left, value))
  return NotImplemented


def _is_made(value: object) -> TypeGuard[Scalar]:
  return isinstance(value, Scalar)


def compare(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Returns `left op right` of ==, < and the like; `NotImplemented` if it is not done here."""
  if not any(_is_asked(ip, one, other) for one, other in ((left, right), (right, left))):
    return NotImplemented
  if not is_scalar(ip, left) or not is_scalar(ip, right):
    if isinstance(left, Scalar):
      return for_each(ip, left, lambda value: ip.compare(op, value, right))
    if isinstance(right, Scalar):
      return for_each(ip, right, lambda value: ip.compare(op, left, value))
    return NotImplemented
  x, y = opened(ip, left), opened(ip, right)
  is_equality = op in (ast.Eq, ast.NotEq)
  if not is_equality:
    ip.frame.partial()
    if not any((a is str) is (b is str) for a in x.kinds for b in y.kinds):
      raise Raises
  return _scalars.compare(op, x, y)


def _is_asked(ip: Host, one: object, other: object) -> bool:
  """Tells whether a comparison with a value is done here: not what columns say of the heap."""
  if isinstance(one, Scalar):
    return True
  if isinstance(one, IntOrFloat):
    return _numbers.type_of(other) is bool or is_string(other, ip.frame)
  may_be_none = isinstance(one, Ref) and NoneType in ip.frame.types_of(one)
  return is_open(ip, one) and not may_be_none and is_scalar(ip, other)


def extreme(ip: Host, name: str, values: tuple[object, ...]) -> object:
  """Returns the Min or Max of two or more scalars: of equals the first."""
  ip.frame.partial()
  first, *others = (opened(ip, value) for value in values)
  for other in others:
    first = _scalars.extreme(name, first, other)
  return ip.frame.view(first)


def unary(ip: Host, name: str, value: Scalar) -> object:
  """Returns an operation of one that Python raises for if it lacks it; see `_scalars.unary`."""
  if not _scalars.unary_kinds(name, value.kinds):
    raise Raises
  ip.frame.partial()
  return ip.frame.view(_scalars.unary(name, value))


def identical(one: object, value: bool) -> object:
  """Returns `one is value` of a scalar of the run that is no number of one kind; None of others."""
  if not isinstance(one, (Scalar, IntOrFloat, Text)):
    return None
  if not isinstance(one, Scalar) or bool not in one.kinds:
    return False
  is_same = tf.equal(one.bits, int(value))
  return Number(tf.logical_and(one.is_of([bool]), is_same), bool)


def class_of(scalar: Scalar) -> ByKey:
  """Returns `type(scalar)`, as one of several classes."""
  return ByKey(scalar.kind, tuple(kind if kind in scalar.kinds else None for kind in KINDS))


def are_kinds(value: ByKey) -> bool:
  """Tells whether a value is what `class_of` gives."""
  return len(value.values) == len(KINDS) and all(
    found is None or found is kind for found, kind in zip(value.values, KINDS, strict=True)
  )


def compare_class(ip: Host, op: type[ast.cmpop], one: ByKey, other: type) -> object:
  """Returns whether the class of a scalar is, or is not, another one."""
  if op not in (ast.Is, ast.Eq, ast.IsNot, ast.NotEq):
    raise Raises
  is_same = op in (ast.Is, ast.Eq)
  if other not in one.values:
    return not is_same
  found = tf.equal(one.index, _scalars.code(other))
  return Number(found if is_same else tf.logical_not(found), bool)
