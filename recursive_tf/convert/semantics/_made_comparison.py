"""Comparisons of what may be an object that the run has made: each by what it is.

Lists and tuples of such objects, and those of dataclasses, hold others, however deep: these are
compared in a function, which calls itself. Which object one is says its number. `==` of objects
that are compared by which one they are, or by a method of the program's, is refused.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _class_comparison, _in_python, _opened
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  Container,
  LocalObject,
  Made,
  Ref,
  has_more,
  is_static,
)
from recursive_tf.convert.values._numbers import Number

_Equal = Callable[[object, object], object]


def compare(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Returns `left op right`, of which one may be an object that the run has made."""
  known: _opened.Known = _opened.unknown
  if op in (ast.Eq, ast.NotEq):
    left, right = _as_object(ip, left, right), _as_object(ip, right, left)
    if _are_deep(ip, left, right) and _are_known(ip):
      found = _in_python.called(ip, told_in_turn, "equal", left, right)
      return found if op is ast.Eq else ip.negated(found)
    known = _apart(ip, left, right, answer=op is ast.NotEq)

  def comparable(value: object) -> object:
    return _comparable(ip, value, op in (ast.Eq, ast.NotEq))

  if isinstance(left, Made):
    return _opened.for_each(ip, left, lambda v: compare(ip, op, comparable(v), right), known)
  if isinstance(right, Made):
    return _opened.for_each(ip, right, lambda v: ip.compare(op, left, comparable(v)), known)
  return ip.compare(op, left, right)


def identical(ip: Host, left: object, right: object) -> Number | None:
  """Returns `left is right`, of which one may be an object that the run has made, by their numbers.

  None where these do not say it: if both may be what has no identity, such as a string, or one may
  be an object that conversion knows, of which each row has a number of its own.
  """
  made = [value for value in (left, right) if isinstance(value, Made)]
  if any(_opened.exact_classes(ip, one) is None for one in made):
    return None
  if not any(_has_identity(ip, value) for value in (left, right)):
    return None
  numbers = [_number_of(ip, value) for value in (left, right)]
  return None if None in numbers else Number(tf.equal(*numbers), bool)


def _has_identity(ip: Host, value: object) -> bool:
  """Tells whether all that a value may be are objects of which a program tells one from another."""
  if isinstance(value, Container):
    return True
  if isinstance(value, Made):
    kinds = _opened.exact_classes(ip, value)
  elif isinstance(value, Ref):
    kinds = ip.frame.types_of(value)
  else:
    kinds = frozenset([type(value)]) if _forms.is_heap_object(value) else None
  return kinds is not None and not any(issubclass(kind, _WITHOUT_IDENTITY) for kind in kinds)


_WITHOUT_IDENTITY = (
  *(int, float, complex, str, bytes, tuple, frozenset),
  *(tf.Tensor, tf.Variable, np.ndarray, np.generic, keras.Variable),
)


def _number_of(ip: Host, value: object) -> tf.Tensor | None:
  """Returns the number of an object; None of what has none, or none that is known here."""
  if isinstance(value, Made):
    return value.handle
  if isinstance(value, Container):
    return ip.frame.handle(value) if ip.frame.has_handle(value) else None
  if isinstance(value, Ref):
    return tf.cast(ip.frame.base(value).handle, _forms.NUMBER)
  if is_static(value) and _forms.is_heap_object(value):
    return tf.cast(ip.conversion.constant_root(value).handle, _forms.NUMBER)
  return None


def same_or_equal(ip: Host, left: object, right: object) -> object:
  """Returns `left is right or left == right`, of which one may be an object of the run."""
  if _are_deep(ip, left, right):
    return _in_python.called(ip, told_in_turn, "same", left, right)
  return _by_what_they_are(ip, left, right, ip.same_or_equal)


def told_in_turn(how: str, one: object, other: object) -> object:
  """Stands for `tell_in_turn`, which the interpreter does in its place."""
  raise NotImplementedError(how, one, other)


def tell_in_turn(ip: Host, how: str, one: object, other: object) -> object:
  """Does a comparison by what the run finds, in a function of its own."""
  ways: dict[str, _Equal] = {
    "same": ip.same_or_equal,
    "equal": functools.partial(ip.compare, ast.Eq),
  }
  return _by_what_they_are(ip, one, other, ways[how])


def _by_what_they_are(ip: Host, left: object, right: object, equal: _Equal) -> object:
  """Returns what `equal` gives of what the run finds."""
  known = _apart(ip, left, right)
  if isinstance(left, Made):
    return _opened.for_each(
      ip, left, lambda v: _by_what_they_are(ip, _comparable(ip, v), right, equal), known
    )
  if isinstance(right, Made):
    return _opened.for_each(ip, right, lambda v: equal(left, _comparable(ip, v)), known)
  return equal(left, right)


def _apart(ip: Host, left: object, right: object, answer: bool = False) -> _opened.Known:
  """Returns what says, of the types of the one that is asked what it is, whether they are apart.

  Args:
    ip: the interpreter.
    left: the one that is asked if the run has made it.
    right: else this one is.
    answer: what is said of those that nothing equals that the other one may be.
  """
  other = right if isinstance(left, Made) else left
  found = None if isinstance(other, Made) else _class_comparison.classes_of(ip, other)
  classes = frozenset(found or ())

  def known(kinds: frozenset[type]) -> bool | None:
    is_apart = bool(classes) and _class_comparison.are_never_equal(kinds, classes)
    return answer if is_apart else None

  return known


def _are_deep(ip: Host, left: object, right: object) -> bool:
  """Tells whether both may have parts that are compared, and are objects of the run."""
  kinds = ip.conversion.made_kinds
  holds_made = any(_forms.has_made(kinds.forms[number]) for number in kinds.known)
  return holds_made and all(_may_have_parts(ip, one) for one in (left, right))


def _as_object(ip: Host, value: object, other: object) -> object:
  """Returns a constant with parts as an object of the heap, if the other one is made by the run.

  So all such constants are compared in one function.
  """
  if not isinstance(other, Made) or not is_static(value) or not _forms.is_heap_object(value):
    return value
  # A tuple may be made anew in each attempt: what it holds says which one it is.
  is_sequence = isinstance(value, list) or (isinstance(value, tuple) and not has_more(value))
  if not is_sequence and not _class_comparison.is_by_fields(type(value)):
    return value
  found = Ref(ip.conversion.constant_root(value))
  return found if _are_deep(ip, found, other) and _are_known(ip) else value


def _may_have_parts(ip: Host, value: object) -> bool:
  if isinstance(value, LocalObject):
    return _class_comparison.is_by_fields(value.type)
  if not isinstance(value, (Made, Ref)):
    return False
  found = _opened.classes(ip, value) if isinstance(value, Made) else ip.frame.types_of(value)
  return any(issubclass(k, (list, tuple)) or _class_comparison.is_by_fields(k) for k in found)


def _are_known(ip: Host) -> bool:
  """Tells whether all that may be an object of the run is compared as is known here."""
  kinds = ip.conversion.made_kinds
  made = [*map(kinds.classes_of, kinds.known)]
  return all(map(bool, made)) and all(map(_is_known, kinds.types.union(*made)))


def _is_known(kind: type) -> bool:
  """Tells whether a class is Python's own, or compared by its fields or by identity."""
  ways = (
    _class_comparison.are_builtin,
    _class_comparison.is_by_fields,
    _class_comparison.is_by_identity,
  )
  return any(is_so(kind) for is_so in ways)


def _comparable(ip: Host, value: object, is_equality: bool = True) -> object:
  """Refuses objects, but equality of those of dataclasses where no method of another is asked."""
  if isinstance(value, LocalObject):
    is_known = is_equality and _class_comparison.is_by_fields(value.type) and _are_known(ip)
    if not is_known:
      raise ip.frame.refuse(Reason.MADE_OBJECT, "Objects that the run makes are compared.")
  return value
