"""Operators of objects of the heap whose classes say what these are."""

from __future__ import annotations

import types

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._access import by_class
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import _attributes
from recursive_tf.convert.semantics._protocols import classes_of
from recursive_tf.convert.values import _numbers
from recursive_tf.convert.values._abstract import BoundMethod, Missing, Ref
from recursive_tf.convert.values._forms import NoneType


def binary(ip: Host, name: str, left: object, right: object) -> object:
  """Returns what the method of an object of the heap gives; NotImplemented of all else.

  The left one is asked only if the right one's class has no such method, and so is never first.

  Args:
    ip: the interpreter.
    name: of the operator, as in `__add__`.
    left: an operand.
    right: the other one.
  """
  if isinstance(left, Ref) and not _has(ip, right, f"__r{name}__"):
    methods = _methods(ip, left, f"__{name}__")
    return NotImplemented if methods is None else _called(ip, left, methods, right)
  if isinstance(right, Ref) and (_numbers.type_of(left) is not None or isinstance(left, str)):
    methods = _methods(ip, right, f"__r{name}__")
    return NotImplemented if methods is None else _called(ip, right, methods, left)
  return NotImplemented


def _has(ip: Host, value: object, name: str) -> bool:
  """Tells whether an operand's class may have a method that comes first, or is not known here."""
  return any(hasattr(kind, name) for kind in classes_of(ip, value))


def _methods(ip: Host, ref: Ref, name: str) -> dict[type, object] | None:
  """Returns the methods of an object of the heap by its class; None if one has none of its own."""
  kinds = ip.frame.types_of(ref) - {NoneType, Missing}
  found = {kind: by_class(kind, name) for kind in sorted(kinds, key=repr)}
  are_own = all(
    isinstance(method, types.FunctionType)
    and not _libraries.is_library(kind)
    and not issubclass(kind, (tuple, list, dict, set, frozenset, str, int, float))
    for kind, method in found.items()
  )
  if not found or not are_own:
    return None
  for kind in kinds:
    ip.conversion.guards.of_class(kind, name)
  return found


def _called(ip: Host, ref: Ref, methods: dict[type, object], other: object) -> object:
  def call(one: Ref, group: list[type]) -> object:
    found = ip.call(BoundMethod(methods[group[0]], one), [other], {})
    if found is None or found is NotImplemented:
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"An operator that gives {found}.")
    return found

  ip.frame.base(ref)
  return _attributes.by_type(ip, ref, [[kind] for kind in methods], call)
