"""What an operand has to be for an operator not to raise: where it is anything else the run fails.

An element of a list, or an attribute, may be of several types of which an operator takes only some.
"""

from __future__ import annotations

import ast

from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import _of_kinds
from recursive_tf.convert.semantics._exactly import demand_exactly
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Missing, Ref
from recursive_tf.convert.values._forms import NoneType

_NUMBERS = frozenset(_forms.NUMBERS)
_STRINGS: frozenset[type] = frozenset([str])
_SEQUENCES = frozenset([str, list, tuple])
_LISTS = frozenset([list, tuple])
# Of which all operators are known here.
_BUILTIN = _NUMBERS | _SEQUENCES


def operands(
  ip: Host, op: type[ast.operator], name: str, left: object, right: object
) -> tuple[object, object]:
  """Returns the operands of an operator, known to be of types that it takes."""
  kinds = _kinds(ip, left), _kinds(ip, right)
  if kinds[0] == _STRINGS:
    left = _there(ip, left, kinds[1])
  if kinds[1] == _STRINGS and op is not ast.Mod:  # A format takes None.
    right = _there(ip, right, kinds[0])
  if None in kinds or all(len(kind or ()) == 1 for kind in kinds):
    return left, right
  lefts, rights = (kind or frozenset() for kind in kinds)
  pairs = [(a, b) for a in lefts for b in rights if takes(op, name, a, b)]
  if op is ast.Mult and any(_NUMBERS.issuperset(pair) for pair in pairs):
    # A list of lists and numbers has one type: numbers are multiplied, and no list repeated.
    pairs = [pair for pair in pairs if _LISTS.isdisjoint(pair)]
  return (
    _narrowed(ip, left, lefts, frozenset(a for a, _ in pairs)),
    _narrowed(ip, right, rights, frozenset(b for _, b in pairs)),
  )


def _kinds(ip: Host, value: object) -> frozenset[type] | None:
  """Returns the types that a value can have; None where that is not known here."""
  if isinstance(value, Ref):
    return ip.frame.types_of(value) - {NoneType, Missing}
  return None if value is None else _of_kinds.kinds_of(ip, value)


def _there(ip: Host, value: object, others: frozenset[type] | None) -> object:
  """Returns a string that may be None, which no operator of Python's own types takes, as it is."""
  if not isinstance(value, Ref) or NoneType not in ip.frame.types_of(value):
    return value
  is_known = others is not None and others <= _BUILTIN
  return _demanded(ip, value, _STRINGS) if is_known else value


def _demanded(ip: Host, value: Ref, kinds: frozenset[type]) -> object:
  demand_exactly(ip, value, kinds)
  return ip.frame.concrete(value)


def _narrowed(ip: Host, value: object, kinds: frozenset[type], inside: frozenset[type]) -> object:
  if not isinstance(value, Ref) or not inside or inside == kinds:
    return value
  return _demanded(ip, value, inside)


def takes(op: type[ast.operator], name: str, left: type, right: type) -> bool:
  """Tells whether an operator may take operands of two types."""
  if left in _BUILTIN and right in _BUILTIN:
    if op is ast.Mod and left is str:
      return True
    if left in _NUMBERS and right in _NUMBERS:
      return True
    if op is ast.Add:
      return left is right
    return op is ast.Mult and (left in _SEQUENCES) is not (right in _SEQUENCES)
  return any(_has(kind, op_name) for kind, op_name in ((left, name), (right, f"r{name}")))


def _has(kind: type, name: str) -> bool:
  if kind in _BUILTIN:
    return False  # They take none but each other.
  return _libraries.is_library(kind) or hasattr(kind, f"__{name}__")
