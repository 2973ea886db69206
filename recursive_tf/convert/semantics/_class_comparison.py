"""Comparisons of objects by what their classes say, asked in the order in which Python asks them.

Of two classes the left one's method is asked first, unless the right one's class derives from it;
who has no answer (`NotImplemented`) leaves it to the other one; where neither has one, `==` is
identity. Here the classes of both operands are told apart first, so that each method is run for
objects of one class: what it asks of their classes (`isinstance`) is known then.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import sys
import types
from collections.abc import Callable, Iterable

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._access import by_class, is_generated, is_of_all_objects
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import _attributes, _in_python
from recursive_tf.convert.values._abstract import (
  Made,
  Missing,
  Raises,
  Ref,
  Scope,
  is_static,
)
from recursive_tf.convert.values._forms import NoneType

_NAMES: dict[type[ast.cmpop], tuple[str, str]] = {
  ast.Eq: ("__eq__", "__eq__"),
  ast.NotEq: ("__ne__", "__ne__"),
  ast.Lt: ("__lt__", "__gt__"),
  ast.LtE: ("__le__", "__ge__"),
  ast.Gt: ("__gt__", "__lt__"),
  ast.GtE: ("__ge__", "__le__"),
}
_Then = Callable[[object, type], object]


def compare(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Returns `left op right` where a class of the user's has a say; NotImplemented of all else."""
  if not speaks(ip, op, left, right):
    return NotImplemented
  if _are_many(ip, left, right):
    return _called(ip, op.__name__, left, right)
  return by_classes(ip, op, left, right)


def speaks(ip: Host, op: type[ast.cmpop], left: object, right: object) -> bool:
  """Tells whether a class of the user's says what a comparison gives, and both are known."""
  pair = classes_of(ip, left), classes_of(ip, right)
  return None not in pair and any(_has_say(kind, op) for kinds in pair for kind in kinds or ())


def of_several(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Returns `left op right` of operands of which one at least may be of several classes.

  Containers hold others, however deep, which may be of all of these classes again.
  """
  pair = [frozenset(classes_of(ip, value) or ()) for value in (left, right)]
  holds_others = all(any(issubclass(kind, _HOLDERS) for kind in kinds) for kinds in pair)
  if holds_others and _are_many(ip, left, right):
    return _called(ip, op.__name__, left, right)
  return by_classes(ip, op, left, right)


def by_classes(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Returns `left op right` by the classes that the run finds, one by one."""

  def asked(one: object, of_one: type, other: object, of_other: type) -> object:
    if are_builtin(of_one, of_other):
      return _of_builtin(ip, op, one, other)
    return _asked(ip, op, one, of_one, other, of_other)

  return _each_pair(ip, op, left, right, asked)


def same_or_equal(ip: Host, left: object, right: object) -> object:
  """Returns `left is right or left == right` where a class of the user's has a say."""
  if not speaks(ip, ast.Eq, left, right):
    return NotImplemented
  if _are_many(ip, left, right):
    return _called(ip, _SAME, left, right)
  return _same_by_classes(ip, left, right)


def _same_by_classes(ip: Host, left: object, right: object) -> object:
  def asked(one: object, of_one: type, other: object, of_other: type) -> object:
    if are_builtin(of_one, of_other):
      return False if _are_found_apart(ip, one, other) else ip.same_or_equal(one, other)

    def equal() -> object:
      return ip.truth(_asked(ip, ast.Eq, one, of_one, other, of_other))

    if of_one is not of_other:
      return equal()
    are_found = isinstance(one, Ref) and isinstance(other, Ref)
    if not are_found and _fields(of_one, "__eq__") is not None:
      return equal()  # What is itself equals itself, field by field.
    return ip.both(ip.compare(ast.Is, one, other), False, equal)

  return _each_pair(ip, ast.Eq, left, right, asked)


# --- Many classes


_SAME = "same"  # Beside the names of operators.
_HOLDERS = (list, tuple, dict)
_OPERATORS: dict[str, type[ast.cmpop]] = {op.__name__: op for op in _NAMES}


def _are_many(ip: Host, left: object, right: object) -> bool:
  """Tells whether there are so many pairs of classes that a comparison is worth a call."""
  pair = classes_of(ip, left), classes_of(ip, right)
  num_pairs = len(pair[0] or ()) * len(pair[1] or ())
  return isinstance(left, Ref) and isinstance(right, Ref) and num_pairs > 2


def told_apart(how: str, one: object, other: object) -> object:
  """Stands for `tell_apart`, which the interpreter does in its place."""
  raise NotImplementedError(how, one, other)


def tell_apart(ip: Host, how: str, one: object, other: object) -> object:
  """Does a comparison by the classes that the run finds, in a function of its own."""
  if how == _SAME:
    return _same_by_classes(ip, one, other)
  return by_classes(ip, _OPERATORS[how], one, other)


def _called(ip: Host, how: str, left: object, right: object) -> object:
  """Compares in a function: methods that compare parts in their turn are then made but once."""
  return _in_python.called(ip, told_apart, how, left, right)


# --- What is Python's own


_NUMBERS = frozenset([bool, int, float])
_SIMPLE = _NUMBERS | {NoneType, str, bytes, list, tuple, dict}  # Which know none but each other.


def _are_found_apart(ip: Host, one: object, other: object) -> bool:
  """Tells whether nothing that one of two may be equals anything that the other one may be.

  What is no object of the heap may be of several classes here, too: a number or a string.
  """
  pair = [frozenset(classes_of(ip, value) or ()) for value in (one, other)]
  return all(pair) and are_never_equal(*pair)


def _of_builtin(ip: Host, op: type[ast.cmpop], one: object, other: object) -> object:
  """Returns `one op other` of what is of classes of Python's own."""
  kinds = {_of_python(kind) for value in (one, other) for kind in classes_of(ip, value) or ()}
  is_order = op not in (ast.Eq, ast.NotEq)
  if _are_found_apart(ip, one, other) or (is_order and kinds <= {NoneType, dict}):
    if is_order:
      raise Raises  # A TypeError.
    return op is ast.NotEq
  return ip.compare(op, one, other)


def of_apart(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Returns `left op right` of what is surely of two classes of Python's own; else NotImplemented.

  Numbers are of one class here. Objects of classes that have no order are in none with anything.
  """
  pair = classes_of(ip, left), classes_of(ip, right)
  kinds = {_of_python(kind) for kinds in pair for kind in kinds or ()}
  if None not in pair and _is_without_order(op, *pair):
    raise Raises  # A TypeError.
  if any(len(kinds or ()) != 1 for kinds in pair) or not _are_apart(kinds):
    return NotImplemented
  for value in (left, right):
    if isinstance(value, Ref) and Missing in ip.frame.types_of(value):
      _attributes.demand_there(ip, value)
  if op not in (ast.Eq, ast.NotEq):
    raise Raises  # A TypeError.
  return op is ast.NotEq


def _is_without_order(
  op: type[ast.cmpop], left: list[type] | None, right: list[type] | None
) -> bool:
  """Tells whether an operator asks for an order that no classes of two operands have."""
  kinds = {*(left or ()), *(right or ())}
  if op in (ast.Eq, ast.NotEq) or any(_has_say(kind, op) for kind in kinds):
    return False
  own = {kind for kind in kinds if not are_builtin(kind)}
  is_one_own = any(side and {*side} <= own for side in (left, right))
  return is_one_own and kinds - own <= _SIMPLE


def are_never_equal(some: frozenset[type], others: frozenset[type]) -> bool:
  """Tells whether nothing of some exact types equals anything of others."""
  some, others = (frozenset(map(_of_python, kinds)) for kinds in (some, others))
  are_numbers = bool(some & _NUMBERS) and bool(others & _NUMBERS)
  return some | others <= _SIMPLE and not some & others and not are_numbers


def _of_python(kind: type) -> type:
  """Returns tuple for a named tuple that compares as all tuples do; else the class itself."""
  is_own = issubclass(kind, tuple) and kind is not tuple
  names = (name for name, _ in _NAMES.values())
  is_tuples = is_own and all(by_class(kind, name) is vars(tuple)[name] for name in names)
  return tuple if is_tuples else kind


def _are_apart(kinds: set[type]) -> bool:
  """Tells whether no two objects of different ones of some classes are equal or in order."""
  return kinds <= _SIMPLE and len(kinds) > 1 and not kinds <= _NUMBERS


# --- Classes


def classes_of(ip: Host, value: object) -> list[type] | None:
  """Returns of which classes an operand may be; None where one of them compares in its own way."""
  kinds = ip.kind_of(value).classes()
  if not kinds or not all(map(_is_plain, kinds)):
    return None
  return sorted(kinds, key=_bases_first)


def _bases_first(kind: type) -> tuple[int, str]:
  return len(kind.__mro__), repr(kind)


def _is_plain(kind: type) -> bool:
  """Tells whether a class is Python's own, or the user's and compares by methods of its own.

  What derives from Python's own lists, as `nltk.Tree`, does if it has all of these methods itself.
  """
  if are_builtin(kind):
    return True
  own = [base for base in kind.__mro__ if base.__module__ != "builtins"]
  if any(map(_libraries.is_library, own)):
    return False
  if len(kind.__mro__) - len(own) == 1:  # But `object`.
    return True
  methods = (by_class(kind, name) for name, _ in _NAMES.values())
  return issubclass(kind, list) and all(isinstance(one, types.FunctionType) for one in methods)


def are_builtin(*kinds: type) -> bool:
  """Tells whether classes are Python's own, or named tuples that compare as Python's do."""
  return all(_of_python(kind).__module__ == "builtins" for kind in kinds)


def _has_say(kind: type, op: type[ast.cmpop]) -> bool:
  names = {*_NAMES[op], *(["__eq__"] if op is ast.NotEq else [])}
  return not are_builtin(kind) and not all(is_of_all_objects(kind, name) for name in names)


def has_say(kinds: Iterable[type], op: type[ast.cmpop]) -> bool:
  """Tells whether classes, of which some are the user's, say what a comparison gives."""
  known = list(kinds)
  return all(map(_is_plain, known)) and any(_has_say(kind, op) for kind in known)


def _answers_own_alone(kind: type, op: type[ast.cmpop]) -> bool:
  """Tells whether a class has no answer for objects of any other class."""
  if are_builtin(kind):
    return True  # Beside a class of the user's.
  names = [*_NAMES[op], *(["__eq__"] if op is ast.NotEq else [])]
  return all(is_of_all_objects(kind, name) or _fields(kind, name) is not None for name in names)


def _each_pair(
  ip: Host,
  op: type[ast.cmpop],
  left: object,
  right: object,
  asked: Callable[[object, type, object, type], object],
) -> object:
  """Returns what is asked of the operands, each of one class, or of several that are one here."""

  def with_left(one: object, of_one: type) -> object:
    def alike(kind: type) -> object:
      if kind is not NoneType and _are_apart({_of_python(of_one), _of_python(kind)}):
        return "apart"
      own_alone = not are_builtin(of_one) and kind is not of_one and kind is not NoneType
      if own_alone and all(_answers_own_alone(k, op) for k in (of_one, kind)):
        return "others"
      return kind

    return _each_class(ip, right, alike, lambda other, of: asked(one, of_one, other, of))

  return _each_class(ip, left, lambda kind: kind, with_left)


def _each_class(ip: Host, value: object, alike: Callable[[type], object], then: _Then) -> object:
  """Does `then` for a value as one of each of its classes, or of those that are alike."""
  if not isinstance(value, Ref):
    kinds = classes_of(ip, value)
    assert kinds is not None  # It has been asked before.
    if is_static(value) and not are_builtin(kinds[0]):
      ip.conversion.guards.type_of(value)
    return then(value, kinds[0])

  def of_object(ref: Ref) -> object:
    groups: dict[object, list[type]] = {}
    for kind in classes_of(ip, ref) or ():
      if kind is not NoneType:
        groups.setdefault(alike(kind), []).append(kind)
    if not groups:
      raise Raises
    return _attributes.by_type(
      ip, ref, [*groups.values()], lambda one, group: then(ip.frame.resolve(one), group[0])
    )

  if Missing in ip.frame.types_of(value):
    _attributes.demand_there(ip, value)
  return _attributes.unless_none(ip, value, lambda: then(None, NoneType), of_object)


# --- What is asked


def _asked(
  ip: Host, op: type[ast.cmpop], left: object, of_left: type, right: object, of_right: type
) -> object:
  """Returns `left op right` of objects of two classes."""
  name, swapped = _NAMES[op]
  ways = [(name, left, of_left, right, of_right), (swapped, right, of_right, left, of_left)]
  if of_right is not of_left and of_left in of_right.__mro__:
    ways.reverse()
  for way in ways:
    found = _answer(ip, *way)
    if found is not NotImplemented:
      return found
  if op not in (ast.Eq, ast.NotEq):
    raise Raises  # A TypeError.
  same = ip.compare(ast.Is, left, right) if of_left is of_right else False
  return same if op is ast.Eq else ip.negated(same)


def _answer(ip: Host, name: str, one: object, kind: type, other: object, of_other: type) -> object:
  """Returns what the method of an object's class says; NotImplemented if it says nothing."""
  if are_builtin(kind):
    if of_other is not kind and kind in of_other.__mro__[:-1]:
      text = f"{name[2:-2]} of a {kind.__name__} and a {of_other.__name__} that leaves it to that."
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
    return NotImplemented  # Of an object of the user's.
  if is_of_all_objects(kind, name):
    if name != "__ne__":
      return NotImplemented
    found = _answer(ip, "__eq__", one, kind, other, of_other)
    return found if found is NotImplemented else ip.negated(ip.truth(found))
  fields = _fields(kind, name)
  if fields is not None:
    if kind is not of_other:
      return NotImplemented
    return _of_fields(ip, name, fields, kind, one, other)
  method = by_class(kind, name)
  if not isinstance(method, types.FunctionType) or _libraries.is_library(method):
    text = f"{kind.__name__}.{name} is no method in Python."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  found = ip.call_function(method, [one, other], {}, variant=(kind, of_other))
  if isinstance(found, Made):
    text = f"{kind.__name__}.{name} gives values of several kinds."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  return found


def is_by_fields(kind: type) -> bool:
  """Tells whether `==` of a class is that of a dataclass: all of its fields are, or equal, others.

  Which object one is does not matter then: those that are one have the same fields.
  """
  return is_of_all_objects(kind, "__ne__") and (
    not is_of_all_objects(kind, "__eq__") and _fields(kind, "__eq__") is not None
  )


def is_by_identity(kind: type) -> bool:
  """Tells whether `==` of a class of the user's is which object one is."""
  return all(is_of_all_objects(kind, name) for name in ("__eq__", "__ne__"))


def _fields(kind: type, name: str) -> tuple[str, ...] | None:
  """Returns the fields that a method which a dataclass has made compares; None of all else."""
  owner = next(base for base in kind.__mro__ if name in vars(base))
  parameters = vars(owner).get("__dataclass_params__")
  own = vars(owner)[name]
  if parameters is None or not (parameters.eq if name == "__eq__" else parameters.order):
    return None
  if not is_generated(own) or own.__qualname__ != f"{owner.__qualname__}.{name}":
    return None
  if not is_of_all_objects(kind, "__class__"):
    return None
  fields = tuple(field.name for field in dataclasses.fields(owner) if field.compare)
  # Those that it was made of, whatever has become of the class.
  return fields if own.__code__.co_names == ("__class__", *fields, "NotImplemented") else None


_SIGNS = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


@functools.lru_cache(maxsize=256)
def _definition(name: str, fields: tuple[str, ...], line: int) -> ast.FunctionDef:
  """Returns what a dataclass lets a method do with two objects of one class, as a definition.

  Args:
    name: of the method.
    fields: those that it compares.
    line: of the program, for messages.
  """
  if name == "__eq__" and sys.version_info >= (3, 13):
    pairs = " and ".join(f"self.{field} == other.{field}" for field in fields) or "True"
    result = f"self is other or ({pairs})"
  else:
    first, second = ("".join(f"{one}.{field}, " for field in fields) for one in ("self", "other"))
    result = f"({first}) {_SIGNS[name]} ({second})"
  (made,) = ast.parse(f"def {name}(self, other): return {result}").body
  assert isinstance(made, ast.FunctionDef)
  ast.increment_lineno(made, line - 1)
  return made


def _of_fields(
  ip: Host, name: str, fields: tuple[str, ...], kind: type, one: object, other: object
) -> object:
  """Returns what the method of a dataclass says of two objects of one class."""
  source, origin = ip.source, ip.frame.origin
  assert source is not None  # Something is being run.
  scope = ip.frame.new(Scope({}, None, source))
  line = 1 if origin is None else origin.line
  function = ip.closure(_definition(name, fields, line), scope)
  return ip.call_function(function, [one, other], {}, variant=(kind, kind))
