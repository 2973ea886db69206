"""What a program makes of `type(x)` where the run finds objects of several classes.

Each class gives a known value: the class itself, its name, the entry of a table, a method. What is
computed of such a value is computed for each class; what is called or compared is chosen when the
program runs.
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable, Collection

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._layers import Fact
from recursive_tf.convert.semantics import (
  _attributes,
  _calls,
  _comparison,
  _entries,
  _items,
  _made_comparison,
  _narrowing,
  _of_kinds,
  _opened,
  _operators,
)
from recursive_tf.convert.values._abstract import (
  BoundMethod,
  Builtin,
  Closure,
  Made,
  Missing,
  Raises,
  Ref,
  is_static,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Alike, ByKey, ByType

_ALIKE = {ast.Is: True, ast.Eq: True, ast.IsNot: False, ast.NotEq: False}
_SAME = tuple(_ALIKE)


def read(ip: Host, owner: object, name: str) -> object:
  """Returns `owner.name`."""
  if isinstance(owner, ByType):
    return _for_each(ip, owner, lambda value: _attributes.read(ip, value, name))
  if isinstance(owner, ByKey):
    return _read_of_entry(ip, owner, name)
  if isinstance(owner, Made):
    return _opened.attribute(ip, owner, name)
  return _attributes.read(ip, owner, name)


def _read_of_entry(ip: Host, entry: ByKey, name: str) -> object:
  """Returns an attribute of an entry of a table."""
  if isinstance(entry, Alike):
    text = f".{name} of what may be another function."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)

  def found(value: object) -> object:
    return _attributes.read(ip, value, name)

  if all(_entries.is_failing(v) or _attributes.is_plain_read(v, name) for v in entry.values):
    return _entries.for_each(ip, entry, found)
  return _entries.for_one(ip, entry, found)


def write(ip: Host, owner: object, name: str, value: object) -> None:
  """Does `owner.name = value`."""
  if isinstance(owner, Made):

    def of_one(one: object) -> None:
      _attributes.write(ip, one, name, value)

    _opened.change(ip, owner, of_one, of_one, [name])
  else:
    _attributes.write(ip, owner, name, value)


def item(ip: Host, owner: object, key: object) -> object:
  """Returns `owner[key]`."""
  if isinstance(key, ByType):
    return _for_each(ip, key, lambda value: _items.item(ip, owner, value))
  if isinstance(owner, ByKey) and _entries.are_tuples(owner):
    return _entries.for_each(ip, owner, lambda value: _items.item(ip, value, key))
  if isinstance(owner, Made):
    return _opened.for_each(ip, owner, lambda value: item(ip, value, key), needs=["__getitem__"])
  if _entries.is_weight(owner):
    return _entries.with_weights(ip, [owner], lambda args: _items.item(ip, args[0], key))
  return _items.item(ip, owner, key)


def write_item(ip: Host, owner: object, key: object, value: object) -> None:
  """Does `owner[key] = value`."""
  if isinstance(key, ByType):
    _branches(ip, key, lambda known: _items.write_item(ip, owner, known, value))
  elif isinstance(owner, Made):

    def of_one(one: object) -> None:
      _items.write_item(ip, one, key, value)

    _opened.change(ip, owner, of_one, of_one, ["__setitem__"])
  else:
    _items.write_item(ip, owner, key, value)


def binary(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  """Returns `left op right`."""
  if isinstance(left, ByType):
    return _for_each(ip, left, lambda value: binary(ip, op, value, right))
  if isinstance(right, ByType):
    return _for_each(ip, right, lambda value: binary(ip, op, left, value))
  # The sum of two of many kinds of tuples would be asked for of each pair of them.
  each = functools.partial(_opened.for_each, ip, has_tuples=op is not ast.Add)
  if isinstance(left, Made):
    needs = _takes(ip, op, right, is_left=True)
    return each(left, lambda value: binary(ip, op, value, right), needs=needs)
  if isinstance(right, Made):
    needs = _takes(ip, op, left, is_left=False)
    return each(right, lambda value: binary(ip, op, left, value), needs=needs)
  if _entries.is_weight(left) or _entries.is_weight(right):
    return _entries.with_weights(ip, [left, right], lambda args: _binary_of_weights(ip, op, *args))
  return _operators.binary(ip, op, left, right)


def _takes(
  ip: Host, op: type[ast.operator], other: object, is_left: bool
) -> Callable[[type], bool]:
  """Returns what tells whether an operator may take an object of a type beside an operand.

  Args:
    ip: the interpreter.
    op: the operator.
    other: the operand.
    is_left: whether the object is to the left of it.
  """
  if isinstance(other, Made):
    others: Collection[type] | None = _opened.exact_classes(ip, other)
  else:
    others = ip.kind_of(other).classes()
  if not others:
    return lambda kind: True
  name = _operators.name_of(op)

  def takes(kind: type) -> bool:
    pairs = [(kind, one) if is_left else (one, kind) for one in others]
    return any(_narrowing.takes(op, name, *pair) for pair in pairs)

  return takes


def _binary_of_weights(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  if left is None or right is None:
    raise Raises  # A TypeError.
  return binary(ip, op, left, right)


def compare(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Returns `left op right`."""
  _refuse_alike(ip, left, right)
  if isinstance(left, ByKey) and right is None and op in (ast.Is, ast.IsNot):
    return _entries.for_each(ip, left, lambda value: (value is None) is (op is ast.Is))
  for one, other in ((left, right), (right, left)):
    if isinstance(one, ByKey) and isinstance(other, type) and _of_kinds.are_kinds(one):
      return _of_kinds.compare_class(ip, op, one, other)
  if op in _SAME and (isinstance(left, ByKey) or isinstance(right, ByKey)):
    found = _compare_entry(ip, op, left, right)
    if found is not None:
      return found
  if op in (ast.In, ast.NotIn) and isinstance(right, Made):
    needs = "__contains__", "__iter__", "__getitem__"
    return _opened.for_each(ip, right, lambda value: compare(ip, op, left, value), needs=needs)
  if op in (ast.Is, ast.IsNot) and (isinstance(left, Made) or isinstance(right, Made)):
    same = None if left is None or right is None else _made_comparison.identical(ip, left, right)
    if same is not None:
      return same if op is ast.Is else ip.negated(same)
  is_identity = op in (ast.Is, ast.IsNot, ast.In, ast.NotIn)
  if not is_identity and (isinstance(left, Made) or isinstance(right, Made)):
    return _made_comparison.compare(ip, op, left, right)
  if isinstance(left, ByType) and isinstance(right, ByType):
    return _compare_classes(ip, op, left, right)
  if isinstance(left, ByType):
    return _compared(ip, left, right, lambda value: _comparison.compare(ip, op, value, right))
  if isinstance(right, ByType):
    return _compared(ip, right, left, lambda value: _comparison.compare(ip, op, left, value))
  return _comparison.compare(ip, op, left, right)


def _compare_classes(ip: Host, op: type[ast.cmpop], left: ByType, right: ByType) -> object:
  """Compares what the classes of two objects say, which may be these classes."""
  found = _branches(ip, left, lambda value: compare(ip, op, value, right))
  are_classes = all(kind is value for one in (left, right) for kind, value in one.values.items())
  if not (are_classes and isinstance(found, Number) and op in _ALIKE):
    return found
  alike: list[Fact] = [(left.ref, right.ref)]
  return ip.frame.note(found, *((alike, []) if _ALIKE[op] else ([], alike)))


def _compare_entry(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Compares one of several functions or classes with others; None if it is something else."""
  if isinstance(left, ByKey) and isinstance(right, ByKey):
    if not _entries.are_functions([*left.values, *right.values]):
      return None
    return _entries.for_one(ip, left, lambda value: compare(ip, op, value, right))
  if isinstance(left, ByKey) and _entries.are_functions([*left.values, right]):
    return _entries.for_each(ip, left, lambda value: _comparison.compare(ip, op, value, right))
  if isinstance(right, ByKey) and _entries.are_functions([left, *right.values]):
    return _entries.for_each(ip, right, lambda value: _comparison.compare(ip, op, left, value))
  return None


def _refuse_alike(ip: Host, left: object, right: object) -> None:
  """Refuses to tell which object a function is that each call is given anew."""
  for one, other in ((left, right), (right, left)):
    if isinstance(one, Alike) and other is not None:
      text = f"{one.description} is compared."
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)


def same_or_equal(ip: Host, left: object, right: object) -> object:
  """Returns `left is right or left == right`, by which containers compare their elements."""
  _refuse_alike(ip, left, right)
  if left is not right and (isinstance(left, Made) or isinstance(right, Made)):
    return _made_comparison.same_or_equal(ip, left, right)
  return _comparison.same_or_equal(ip, left, right)


def _compared(ip: Host, one: ByType, other: object, compute: Callable[[object], object]) -> object:
  if not is_static(other):
    text = "What the class of an object says is compared with what only the run knows."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  return _for_each(ip, one, compute)


def call(ip: Host, function: object, args: list[object], kwargs: dict[str, object]) -> object:
  """Calls a function, or the one that the class of an object says."""
  if isinstance(function, ByType):
    is_known = all(map(_is_of_string, function.values.values())) and all(map(is_static, args))
    each = _for_each if is_known and not kwargs else _branches
    return each(ip, function, lambda value: _calls.call(ip, value, list(args), kwargs))
  if isinstance(function, ByKey):
    # One of them may be another choice: the default of `table.get`.
    return _entries.for_one(ip, function, lambda one: call(ip, one, list(args), dict(kwargs)))
  found = next(((i, arg) for i, arg in enumerate(args) if isinstance(arg, ByType)), None)
  if found is None:
    return _calls.call(ip, function, args, kwargs)
  position, by_type = found

  def with_one(value: object) -> object:
    return call(ip, function, [*args[:position], value, *args[position + 1 :]], kwargs)

  if function is issubclass and position == 0:
    return _for_each(ip, by_type, with_one)
  if function is getattr and position == 1:
    _check_are_methods(ip, args[0], by_type)
    return _for_each(ip, by_type, with_one)
  owner = getattr(function, "__self__", None)
  if type(owner) is dict and getattr(function, "__name__", "") == "get":
    return _for_each(ip, by_type, with_one)
  return _branches(ip, by_type, with_one)


def _for_each(ip: Host, one: ByType, compute: Callable[[object], object]) -> object:
  """Returns what is computed of the value of each class; where it raises, the run fails.

  What is computed has no effects. Truths and numbers become those of the run.
  """
  found: dict[type, object] = {}
  for kind, value in one.values.items():
    try:
      found[kind] = compute(value)
    except Raises:
      continue
  if not found:
    raise Raises
  if len(found) < len(one.values):
    is_known = _attributes.is_one_of(ip, one.ref, frozenset(found))
    ip.frame.demand(is_known.tensor)
  values = list(found.values())
  if len(found) == 1:
    return values[0]
  if all(isinstance(value, bool) for value in values):
    is_true = frozenset(kind for kind, value in found.items() if value)
    return _attributes.is_one_of(ip, one.ref, is_true)
  chosen = ByType(one.ref, found, one.chosen)
  if all(map(_is_name, values)) or all(value is None or _is_function(value) for value in values):
    return chosen
  return _branches(ip, chosen, lambda value: value)


def value_of_class(ip: Host, one: ByType) -> object:
  """Returns the value of the class that the run finds, if such values can be chosen among."""
  return _branches(ip, one, lambda value: value) if all(map(_is_name, one.values.values())) else one


def _is_name(value: object) -> bool:
  """Tells whether a value is known, and no number to compute with."""
  return is_static(value) and type(value) not in (int, float)


def _is_of_string(value: object) -> bool:
  """Tells whether a value is a method of a string that is known, which changes nothing."""
  return isinstance(value, types.BuiltinMethodType) and type(value.__self__) is str


def _is_function(value: object) -> bool:
  return isinstance(value, (Closure, BoundMethod, Builtin))


def _branches(ip: Host, one: ByType, then: Callable[[object], object]) -> object:
  """Does `then` with the value of the class that the run finds."""

  def of_none() -> object:
    if NoneType not in one.values:
      raise Raises
    return then(one.values[NoneType])

  def of_object(ref: Ref) -> object:
    kinds = ip.frame.types_of(ref)
    groups = [[kind] for kind in one.values if kind in kinds]
    if not groups:
      raise Raises
    return _attributes.by_type(ip, ref, groups, lambda _, group: then(one.values[group[0]]))

  return _attributes.unless_none(ip, one.ref, of_none, of_object)


def _check_are_methods(ip: Host, owner: object, names: ByType) -> None:
  """Refuses names of what could do something when it is read."""
  kinds = frozenset([type(owner)])
  if isinstance(owner, Ref):
    kinds = ip.frame.types_of(owner) - {NoneType, Missing}
  for kind in kinds:
    for name in names.values.values():
      found = _attributes.by_class(kind, name) if isinstance(name, str) else None
      if not isinstance(found, (types.FunctionType, NoneType)):
        raise ip.frame.refuse(
          Reason.OPAQUE_READ, f"getattr() of {name!r}, by the class of an object."
        )
