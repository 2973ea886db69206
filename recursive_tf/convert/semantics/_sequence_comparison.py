"""Comparisons of lists, tuples and dicts with such, part by part.

Lists and tuples are in order, or not, by the first elements that differ.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _in_python, _written
from recursive_tf.convert.values._abstract import (
  LocalDict,
  LocalList,
  LocalTable,
  Missing,
  Raises,
  Ref,
  Rows,
  is_named_tuple,
  is_static,
)

_ORDER = "__lt__", "__le__", "__gt__", "__ge__"
_WRITTEN = {
  ast.Eq: _written.are_equal,
  ast.Lt: _written.is_less,
  ast.LtE: _written.is_at_most,
  ast.Gt: _written.is_greater,
  ast.GtE: _written.is_at_least,
}


def compare(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Returns `left op right` of two lists or two tuples; NotImplemented of all else."""
  kinds = [compared_as(ip, value) for value in (left, right)]
  if None in kinds or (is_static(left) and is_static(right)):
    return NotImplemented
  if kinds[0] is not kinds[1]:
    if op not in (ast.Eq, ast.NotEq):
      raise Raises  # A TypeError.
    return op is ast.NotEq
  if op is ast.NotEq:
    return ip.negated(compare(ip, ast.Eq, left, right))
  if ip.rows_of(left) is None and ip.rows_of(right) is None:
    items = ip.fixed_items(left), ip.fixed_items(right)
    return _equal(ip, *items) if op is ast.Eq else _in_order(ip, op, *items)
  before = ip.frame.snapshot()
  try:
    return _in_python.run_written(ip, _WRITTEN[op], first=left, second=right)
  except ConversionRefused as refusal:
    if op is not ast.Eq or refusal.reason is not Reason.EFFECT_ORDER:
      raise
  ip.frame.restore(before)  # Elements are compared until two differ, and not all at once.
  return _in_python.run_written(ip, _written.are_equal_in_turn, first=left, second=right)


def compare_dicts(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Returns `left == right`, or `!=`, of two dicts; NotImplemented of all else.

  What each has under a key is compared in a function, as values may be dicts in their turn.
  """
  if op not in (ast.Eq, ast.NotEq) or (is_static(left) and is_static(right)):
    return NotImplemented
  if not (_is_dict(ip, left) and _is_dict(ip, right)):
    return NotImplemented
  if isinstance(left, Ref) and isinstance(right, Ref):
    found = _in_python.called(ip, told_of_dicts, "equal", left, right)
  else:
    found = _in_python.run_written(ip, _written.dicts_are_equal, first=left, second=right)
  return found if op is ast.Eq else ip.negated(found)


def told_of_dicts(how: str, one: object, other: object) -> object:
  """Stands for `tell_of_dicts`, which the interpreter does in its place."""
  raise NotImplementedError(how, one, other)


def tell_of_dicts(ip: Host, how: str, one: object, other: object) -> object:
  """Does a comparison of dicts of the heap, in a function of its own."""
  assert how == "equal"  # There is no order of dicts.
  return _in_python.run_written(ip, _written.dicts_are_equal, first=one, second=other)


def _is_dict(ip: Host, value: object) -> bool:
  """Tells whether a value is a dict, of no derived class: those compare in ways of their own."""
  if isinstance(value, LocalTable):
    return value.type is dict
  if isinstance(value, Ref):
    return ip.frame.types_of(value) == {dict}
  return isinstance(value, LocalDict) or type(value) is dict


def compared_as(ip: Host, value: object) -> type | None:
  """Returns list or tuple, if a value is one; a named tuple is compared as a tuple."""
  if isinstance(value, LocalList):
    return list if value.type is list and not value.is_iterator else None
  if isinstance(value, Rows):
    return tuple if value.type is tuple else None
  if isinstance(value, Ref):
    found = {_compared_as(kind) for kind in ip.frame.types_of(value) - {Missing}}
    return found.pop() if len(found) == 1 else None
  return _compared_as(type(value))


def _compared_as(kind: type) -> type | None:
  if kind in (list, tuple):
    return kind
  is_like = is_named_tuple(kind) and all(
    getattr(kind, name) is getattr(tuple, name) for name in ("__eq__", "__ne__", *_ORDER)
  )
  return tuple if is_like else None


def _equal(ip: Host, left: Sequence[object], right: Sequence[object]) -> object:
  result: object = len(left) == len(right)
  if result:
    for a, b in zip(left, right, strict=True):
      result = ip.both(result, True, functools.partial(ip.same_or_equal, a, b))
  return result


def _in_order(
  ip: Host, op: type[ast.cmpop], left: Sequence[object], right: Sequence[object]
) -> object:
  """Returns what the first elements that differ give, or the lengths."""
  if not left or not right:
    return ip.compare(op, len(left), len(right))
  same = ip.same_or_equal(left[0], right[0])
  return ip.frame.cond(
    same,
    lambda: _in_order(ip, op, left[1:], right[1:]),
    lambda: ip.compare(op, left[0], right[0]),
  )
