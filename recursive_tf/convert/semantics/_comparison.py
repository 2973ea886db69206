"""Comparisons, equality and identity of all values."""

from __future__ import annotations

import ast
import enum
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame import _enums
from recursive_tf.convert.frame._access import by_class
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._sharing import name_of
from recursive_tf.convert.semantics import (
  _attributes,
  _class_comparison,
  _either,
  _heap_tensors,
  _of_kinds,
  _sequence_comparison,
  _shapes,
  _tables,
  _text,
)
from recursive_tf.convert.semantics._exactly import is_exactly
from recursive_tf.convert.semantics._operators import (
  PRIMITIVE,
  as_array,
  natively,
  unsupported,
  with_array,
)
from recursive_tf.convert.semantics._protocols import (
  by_method_of_local,
  by_own_method,
  check_none_beside_variable,
  check_variables,
  refuse_own_difference,
)
from recursive_tf.convert.semantics._truth import truth
from recursive_tf.convert.values import _forms, _numbers
from recursive_tf.convert.values._abstract import (
  Array,
  Container,
  IntOrFloat,
  LocalObject,
  Maybe,
  Missing,
  Ref,
  Weak,
  is_static,
)
from recursive_tf.convert.values._forms import NoneType, number_of
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Shape
from recursive_tf.convert.values._scalars import Scalar
from recursive_tf.convert.values._text import Text
from recursive_tf.convert.values._value import Value

_COMPARISONS = {
  ast.Eq: (operator.eq, "eq"),
  ast.NotEq: (operator.ne, "ne"),
  ast.Lt: (operator.lt, "lt"),
  ast.LtE: (operator.le, "le"),
  ast.Gt: (operator.gt, "gt"),
  ast.GtE: (operator.ge, "ge"),
}

_SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
  ast.Eq: ast.Eq,
  ast.NotEq: ast.NotEq,
  ast.Lt: ast.Gt,
  ast.LtE: ast.GtE,
  ast.Gt: ast.Lt,
  ast.GtE: ast.LtE,
}

_ARRAYS = (tf.Tensor, tf.Variable, np.ndarray, np.generic, Array)


def compare(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Returns `left op right`."""
  frame = ip.frame
  if op in (ast.Is, ast.IsNot):
    found = _identical(ip, left, right)
    return found if op is ast.Is else ip.negated(found)
  if op in (ast.In, ast.NotIn):
    found = ip.contains(right, left)
    return found if op is ast.In else ip.negated(found)
  check_variables(ip, op.__name__, left, right)
  check_none_beside_variable(ip, left, right)
  for one, other in ((left, right), (right, left)):
    if isinstance(one, complex) and not (is_static(other) or isinstance(other, _ARRAYS)):
      raise unsupported(ip, op.__name__, left, right)
    if isinstance(one, Maybe) and op in (ast.Eq, ast.NotEq) and _is_plain(ip, one, other):
      found = _equal_optional(ip, one, other, functools.partial(ip.compare, ast.Eq))
      return found if op is ast.Eq else ip.negated(found)
  read = frame.resolve if op in (ast.Eq, ast.NotEq) else frame.concrete
  left, right = read(left), read(right)
  if _either.is_one(left, right):
    return _either.compare(ip, op, left, right)
  found = _of_kinds.compare(ip, op, left, right)
  if found is not NotImplemented:
    return found
  left, right = (v.value if isinstance(v, IntOrFloat) else v for v in (left, right))
  for rule in (_of_sets, _by_class, _by_own_method, _of_shapes):
    found = rule(ip, op, left, right)
    if found is not NotImplemented:
      return found
  left, right = _heap_tensors.operand(ip, left, right), _heap_tensors.operand(ip, right, left)
  left, right = _as_values(ip, op, left, right)
  for rule in (_of_numbers, _of_texts, _of_lists, _of_dicts, _of_apart, _of_refs, _of_objects):
    found = rule(ip, op, left, right)
    if found is not NotImplemented:
      return found
  return _of_tensors(ip, op, left, right)


# What those below do not compare is `NotImplemented`: the next one does, or TensorFlow, or Python.


def _of_sets(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  if op in (ast.Lt, ast.LtE, ast.Gt, ast.GtE):
    pair = (left, right) if op in (ast.Lt, ast.LtE) else (right, left)
    part = _tables.is_part(ip, *pair, is_strict=op in (ast.Lt, ast.Gt))
    return NotImplemented if part is None else part
  found = _tables.equal(ip, left, right) if op in (ast.Eq, ast.NotEq) else None
  if found is None:
    return NotImplemented
  return found if op is ast.Eq else ip.negated(found)


def _is_plain(ip: Host, one: Maybe, other: object) -> bool:
  """Tells whether `==` of what may be None, and another value, asks what they are and no more."""
  if other is None:
    return True
  if isinstance(other, Maybe):
    other = other.value
  if isinstance(other, Ref):
    is_primitive = ip.frame.types_of(other) - {NoneType, Missing} <= {*PRIMITIVE}
  else:
    is_primitive = isinstance(other, _PLAIN) or type(other) in PRIMITIVE
  return is_primitive and isinstance(one.value, _PLAIN)


_PLAIN = (Number, Text, IntOrFloat, Scalar)


def _equal_optional(
  ip: Host, one: Maybe, other: object, equal: Callable[[object, object], object]
) -> object:
  """Returns whether what may be None equals another value, by `equal` where it is not None."""
  if other is None:
    return _identical(ip, one, None)
  return ip.frame.cond(
    Number(one.is_there, bool),
    lambda: truth(ip, equal(one.value, other)),
    lambda: ip.kind_of(other).is_none(),
  )


def _by_class(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  found = _class_comparison.compare(ip, op, left, right)
  if found is NotImplemented and op is ast.NotEq:
    refuse_own_difference(ip, left, right)
  return found


def _by_own_method(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  name, swapped = (f"__{_COMPARISONS[one][1]}__" for one in (op, _SWAPPED[op]))
  found: object = by_own_method(ip, name, swapped, left, right)
  return NotImplemented if found is None else found


def _of_shapes(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  if not isinstance(left, Shape) and not isinstance(right, Shape):
    return NotImplemented
  if op not in (ast.Eq, ast.NotEq):
    raise unsupported(ip, op.__name__, left, right)
  found = _shapes.is_equal(ip, left, right)
  return found if op is ast.Eq else ip.negated(found)


def _of_numbers(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  if not isinstance(left, Number) and not isinstance(right, Number):
    return NotImplemented
  if _forms.is_number(left) and _forms.is_number(right):
    found = _numbers.compare(op, left, right)
    if found is not None:
      return found
    raise unsupported(ip, op.__name__, left, right)
  if op in (ast.Eq, ast.NotEq):
    if not any(ip.kind_of(value).may_equal_number() for value in (left, right)):
      return op is ast.NotEq
  return NotImplemented


def _of_texts(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  if not isinstance(left, Text) and not isinstance(right, Text):
    return NotImplemented
  if op not in (ast.Eq, ast.NotEq):
    return _by_order_of_texts(ip, op, left, right)
  found = _text.equal(ip, left, right)
  if found is None:
    found = _equal_text(ip, left, right)
  if found is None:
    raise unsupported(ip, op.__name__, left, right)
  return found if op is ast.Eq else ip.negated(found)


def _equal_text(ip: Host, left: object, right: object) -> object:
  """Returns `left == right` of a string of the run and what may be one; None if it is not known."""
  text, other = (left, right) if isinstance(left, Text) else (right, left)
  kinds = _kinds(ip, other) if isinstance(other, Ref) else None
  if not isinstance(other, Ref) or kinds is None:
    return None
  if str not in kinds or not all(map(_is_no_text, kinds - {str})):
    return None
  if Missing in ip.frame.types_of(other):
    _attributes.demand_there(ip, other)
  return _where_exactly(
    ip, other, frozenset([str]), kinds, lambda: truth(ip, compare(ip, ast.Eq, text, other))
  )


def _by_order_of_texts(ip: Host, op: type[ast.cmpop], left: object, right: object) -> Number | None:
  """Returns `left op right` of strings, by code points; refuses all else."""
  if not all(_text.is_text(ip, value) for value in (left, right)):
    raise unsupported(ip, op.__name__, left, right)
  first, second = tf.unstack(_text.ranks(ip, [left, right]))
  return _numbers.compare(op, Number(first, int), Number(second, int))


def _of_lists(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  return _sequence_comparison.compare(ip, op, left, right)


def _of_dicts(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  return _sequence_comparison.compare_dicts(ip, op, left, right)


def _of_apart(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  return _class_comparison.of_apart(ip, op, left, right)


def _of_refs(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  if isinstance(left, Ref) or isinstance(right, Ref):
    return _compare_refs(ip, op, left, right)
  return NotImplemented


def _of_objects(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Compares what the program makes."""
  if not isinstance(left, Container) and not isinstance(right, Container):
    return NotImplemented
  name, swapped = (f"__{_COMPARISONS[one][1]}__" for one in (op, _SWAPPED[op]))
  if isinstance(left, LocalObject) and hasattr(vars(left.type).get(name), "__code__"):
    return by_method_of_local(ip, name, swapped, left, right)
  raise unsupported(ip, op.__name__, left, right)


def _of_tensors(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  left, right = (ip.frame.strong(v) if isinstance(v, Weak) else v for v in (left, right))
  left, right = as_array(ip, left, right), as_array(ip, right, left)
  if isinstance(left, Array) or isinstance(right, Array):
    return with_array(ip, op, _COMPARISONS[op][0], left, right)
  if all(isinstance(v, (tuple, list)) and not is_static(v) for v in (left, right)):
    raise unsupported(ip, op.__name__, left, right)  # TensorFlow would compare them as tensors.
  return natively(ip, _COMPARISONS[op][0], left, right)


_TWO_NAN = "whether two NaN are the same one"


def same_or_equal(ip: Host, left: object, right: object) -> object:
  """Returns `left is right or left == right`, by which containers compare their elements."""
  if left is right and not isinstance(left, Number):
    return True
  told = _class_comparison.same_or_equal(ip, left, right)
  if told is not NotImplemented:
    return told
  left, right = (_optional(ip, value) for value in (left, right))
  for one, other in ((left, right), (right, left)):
    if isinstance(one, Maybe) and _is_plain(ip, one, other):
      return _equal_optional(ip, one, other, ip.same_or_equal)
  found = ip.compare(ast.Eq, left, right)
  are_nan = [_may_be_nan(ip, value) for value in (left, right)]
  if None not in are_nan and isinstance(found, Number):
    ok = tf.logical_not(tf.logical_and(*are_nan))
    return Number(ip.frame.assume(found.tensor, ok, _TWO_NAN), bool)
  _demand_not_both_nan(ip, left, right)
  return truth(ip, found)


def _demand_not_both_nan(ip: Host, left: object, right: object) -> None:
  """Lets the run fail where two tensors or arrays have a NaN: they may be the same one."""
  tensors = [value.tensor if isinstance(value, Array) else value for value in (left, right)]
  if all(isinstance(tensor, tf.Tensor) and tensor.dtype.is_floating for tensor in tensors):
    has_nan = [tf.reduce_any(tf.math.is_nan(tensor)) for tensor in tensors]
    ip.frame.demand(tf.logical_not(tf.logical_and(*has_nan)))


def _optional(ip: Host, value: object) -> object:
  """Returns what was read as what it is, if it is a number or None."""
  value = ip.frame.optional(value)
  return value if isinstance(value, Maybe) else ip.frame.resolve(value)


def _may_be_nan(ip: Host, value: object) -> tf.Tensor | None:
  """Returns whether a value may be a NaN; None of what is no float."""
  if isinstance(value, IntOrFloat):
    value = value.value
  if isinstance(value, Ref):
    return _reads_nan(ip, value) if float in ip.frame.types_of(value) else None
  if isinstance(value, Scalar) and float in value.kinds:
    is_nan = tf.math.is_nan(value.number(float).tensor)
    return tf.logical_and(value.is_of([float]), is_nan)
  if _numbers.type_of(value) is not float:
    return None
  return tf.math.is_nan(_forms.as_number(value).tensor)


def _reads_nan(ip: Host, value: Ref) -> tf.Tensor:
  """Returns whether a read, which may give a float, gives a NaN."""
  frame = ip.frame
  kinds = frame.types_of(value)
  if Missing in kinds or any(issubclass(kind, float) for kind in kinds - {float}):
    return tf.constant(True)
  found = frame.scalar_or_none(value)
  scalar = frame.as_scalar(found.value if isinstance(found, Maybe) else found)
  if scalar is not None:
    is_nan = _may_be_nan(ip, scalar)
    assert is_nan is not None  # It may be a float.
    return tf.logical_and(found.is_there, is_nan) if isinstance(found, Maybe) else is_nan

  def of_float() -> object:
    number = frame.resolve(value)
    assert isinstance(number, Number)  # As it is a float here.
    return Number(tf.math.is_nan(number.tensor), bool)

  among = _where_exactly(ip, value, frozenset([float]), kinds - {NoneType}, of_float)
  assert isinstance(among, Number)  # There are other kinds.
  return among.tensor


def _compare_refs(ip: Host, op: type[ast.cmpop], one: object, other: object) -> object:
  frame = ip.frame
  left, right = (one, other) if isinstance(one, Ref) else (other, one)
  assert isinstance(left, Ref)  # One is.
  kinds, others = _kinds(ip, left), _kinds(ip, right)
  if op not in (ast.Eq, ast.NotEq) and kinds == others == frozenset([str]):
    return _by_order_of_texts(ip, op, one, other)
  if op not in (ast.Eq, ast.NotEq) or kinds is None or others is None:
    return _by_classes(ip, op, one, other)
  found: object
  if right is None and all(kind in PRIMITIVE or not has_own_eq(kind) for kind in kinds):
    found = frame.is_none(left)
  elif type(right) in (str, int, float, bool) and kinds <= set(PRIMITIVE):
    found = frame.number(left.step("eq", right))
  elif len(kinds) == len(others) == 1 and kinds | others <= set(_forms.NUMBERS):
    found = _compare_optional(
      ip, left, right, lambda: ip.compare(ast.Eq, frame.concrete(left), frame.concrete(right))
    )
  elif len(others) == 1 and others <= set(_forms.NUMBERS) and _is_split(kinds):
    found = _equal_number(ip, left, right, kinds)
  elif isinstance(right, Ref) and kinds == others == {str}:
    found = _compare_optional(
      ip, left, right, lambda: Number(tf.equal(frame.string(left), frame.string(right)), bool)
    )
  elif not any(has_own_eq(kind) for kind in kinds | others) or _is_one_enum(kinds | others):
    found = _identical(ip, left, right)
  else:
    return _by_classes(ip, op, one, other)
  return found if op is ast.Eq else ip.negated(found)


def _by_classes(ip: Host, op: type[ast.cmpop], left: object, right: object) -> object:
  """Compares what may be of several classes, each with each."""
  known = [_class_comparison.classes_of(ip, value) for value in (left, right)]
  if None in known or all(len(kinds or ()) == 1 for kinds in known):
    raise unsupported(ip, op.__name__, left, right)
  return _class_comparison.of_several(ip, op, left, right)


def _is_split(kinds: frozenset[type]) -> bool:
  """Tells whether some of several types are of numbers, and no other one equals any number."""
  numbers = kinds & {*_forms.NUMBERS}
  return bool(numbers) and bool(kinds - numbers) and all(map(_is_no_number, kinds - numbers))


def _is_no_number(kind: type) -> bool:
  """Tells whether nothing of a class equals any number."""
  is_of_python = any(by_class(kind, "__eq__") is vars(base)["__eq__"] for base in _NO_NUMBERS)
  return is_of_python or _class_comparison.is_by_fields(kind)


def _is_no_text(kind: type) -> bool:
  """Tells whether nothing of a class equals any string."""
  return by_class(kind, "__eq__") is not vars(str)["__eq__"] and (
    kind in _forms.NUMBERS or _is_no_number(kind)
  )


_NO_NUMBERS = (object, str, bytes, list, tuple, dict)


def _equal_number(ip: Host, left: Ref, right: object, kinds: frozenset[type]) -> object:
  """Returns whether what may be a number, or something else, equals a number."""
  numbers = kinds & {*_forms.NUMBERS}
  return _where_exactly(
    ip, left, numbers, kinds, lambda: truth(ip, compare(ip, ast.Eq, left, right))
  )


def _where_exactly(
  ip: Host, ref: Ref, wanted: frozenset[type], kinds: frozenset[type], then: Callable[[], object]
) -> object:
  """Returns the truth that `then` gives where a read is of some types, and False of all others.

  Args:
    ip: the interpreter.
    ref: the read.
    wanted: the types.
    kinds: all that it may be of apart from None.
    then: is called where the read is known to be of these types.
  """
  frame = ip.frame

  def narrowed() -> object:
    frame.narrow([(ref, wanted)])
    return then()

  def among_all() -> object:
    return ip.both(is_exactly(ip, ref, wanted), True, narrowed)

  if NoneType not in frame.types_of(ref):
    return among_all()

  def there() -> object:
    frame.narrow([(ref, kinds)])
    return among_all()

  return ip.both(ip.negated(frame.is_none(ref)), True, there)


def _is_one_enum(kinds: frozenset[type]) -> bool:
  """Tells whether all are members of one enumeration, of which no two are equal."""
  return len(kinds) == 1 and all(_enums.base_of(kind) is not None for kind in kinds)


def _as_values(ip: Host, op: type[ast.cmpop], left: object, right: object) -> tuple[object, object]:
  """Returns members of an `IntEnum` or the like as the ints that they compare as."""
  kinds = [_kinds(ip, value) or frozenset() for value in (left, right)]
  if op in (ast.Eq, ast.NotEq) and _is_one_enum(kinds[0] | kinds[1]):
    return left, right
  if not any(isinstance(value, (Ref, Number, Text)) for value in (left, right)):
    return left, right
  are_enums = [_is_one_enum(kind) for kind in kinds]
  values = [
    ip.frame.resolve(ip.attribute(value, "_value_")) if is_enum else value
    for value, is_enum in zip((left, right), are_enums, strict=True)
  ]
  return values[0], values[1]


def _kinds(ip: Host, value: object) -> frozenset[type] | None:
  """Returns the types a value can have apart from None; None for what is no Python object."""
  if isinstance(value, Ref):
    return ip.frame.types_of(value) - {NoneType, Missing}
  if isinstance(value, Number):
    return frozenset([value.type])
  return frozenset([type(value)]) - {NoneType} if _forms.is_heap_object(value) else None


def _compare_optional(ip: Host, left: object, right: object, equal: Callable[[], object]) -> object:
  """Returns `left == right` of what may be None, by `equal` where neither is."""
  frame = ip.frame
  are_none = [frame.is_none(v) if isinstance(v, Ref) else False for v in (left, right)]
  return frame.cond(
    are_none[0], lambda: are_none[1], lambda: ip.both(ip.negated(are_none[1]), True, equal)
  )


def has_own_eq(kind: type) -> bool:
  """Tells whether `==` of a type is more than identity."""
  plain: object = object.__eq__
  return kind.__eq__ is not plain


def _is_bool(ip: Host, one: object, truth: bool) -> object:
  """Returns `one is truth` of a scalar, or None, that is no read; None of all else."""
  if isinstance(one, Maybe) and _is_plain(ip, one, truth):
    is_there = Number(one.is_there, bool)
    return ip.both(is_there, True, functools.partial(_identical, ip, one.value, truth))
  return _of_kinds.identical(one, truth)


def _identical(ip: Host, left: Any, right: Any) -> object:
  frame = ip.frame
  for one, other in ((left, right), (right, left)):
    if other is None:
      return ip.kind_of(one).is_none()
  for one, other in ((left, right), (right, left)):
    if type(other) is bool and (found := _is_bool(ip, one, other)) is not None:
      return found
  for one, other in ((left, right), (right, left)):
    if isinstance(one, _SCALARS) and _is_no_scalar(other):
      return False
  if not isinstance(left, Ref) and not isinstance(right, Ref):
    if left is NotImplemented or right is NotImplemented:
      return left is right
    if isinstance(left, Number) or isinstance(right, Number):
      numbers = [number_of(left), number_of(right)]
      if all(number is not None and number.type is bool for number in numbers):
        return _numbers.compare(ast.Eq, left, right)
      if {bool} < {number.type for number in numbers if number is not None}:
        return False  # Of two classes.
      raise unsupported(ip, "is", left, right)
    return _is_one_object(ip, left, right)
  for one, other in ((left, right), (right, left)):
    if isinstance(one, Ref) and type(other) is bool:
      resolved = frame.resolve(one)
      if isinstance(resolved, Number) and resolved.type is bool:
        return _numbers.compare(ast.Eq, resolved, other)
      return _is_truth(ip, one, other)
  for value, other in ((left, right), (right, left)):
    if isinstance(value, Ref):
      kinds = frame.types_of(value) - {NoneType}
      if any(kind in PRIMITIVE for kind in kinds) and not _is_no_scalar(other):
        raise frame.refuse(Reason.UNSUPPORTED_OPERATION, "`is` of strings or numbers.")
    elif isinstance(value, Value) and value.is_new:
      _check_not_elsewhere(ip, value, other)
      return False
    elif not is_static(value) or isinstance(value, _ARRAYS):
      raise unsupported(ip, "is", left, right)
  handles = [
    (frame.base(v) if isinstance(v, Ref) else ip.conversion.constant_root(v)).handle
    for v in (left, right)
  ]
  return Number(tf.equal(*handles), bool)


_SCALARS = (Number, Text, IntOrFloat, Scalar)


def _is_no_scalar(value: object) -> bool:
  """Tells whether a value is a known object that no number or string is, nor equals."""
  if not is_static(value) or isinstance(value, (*_ARRAYS, Ref)):
    return False
  return not isinstance(value, (int, float, complex, str, bytes, tuple, NoneType))


def _is_truth(ip: Host, value: Ref, truth: bool) -> object:
  """Returns `value is truth` of what may be of other classes, too: bools are two objects."""
  if bool not in ip.frame.types_of(value):
    return False
  value = Ref(ip.frame.base(value))  # Of others there is no such number to be read.

  def same() -> object:
    found = ip.frame.resolve(value)
    if not isinstance(found, Number) or found.type is not bool:
      raise unsupported(ip, "is", value, truth)
    return _numbers.compare(ast.Eq, found, truth)

  return ip.frame.cond(ip.kind_of(value).is_instance((bool,)), same, lambda: False)


def _check_not_elsewhere(ip: Host, value: object, other: object) -> None:
  """Refuses to tell which object a container is that may also be where no name leads."""
  if not isinstance(value, Container):
    return
  if ip.frame.sharing.is_pinned(value):
    text = f"{name_of(value)} may be another object; only the run knows."
    raise ip.frame.refuse(Reason.SHARED_CONTAINER, text)
  if isinstance(other, Ref):
    ip.frame.base(other)  # What is read here must be none of the lists that a call is given.


def check_which_value(ip: Host, left: object, right: object, are_sure: Sequence[bool]) -> None:
  """Refuses `is` of a known tuple, string or number that may be another equal one.

  Where branches join, or a call returns, equal ones are one here: the first stands for all.

  Args:
    ip: the interpreter.
    left: an operand.
    right: the other one.
    are_sure: which of them are surely the very object of the program.
  """
  sides = zip((left, right), (right, left), are_sure, strict=True)
  for value, other, is_sure in sides:
    if is_sure or not is_static(value) or not _has_equals(value):
      continue
    # Of others only what a run finds a tuple to be is compared by which one it is.
    if _forms.same_static(value, other) if is_static(other) else isinstance(value, tuple):
      raise ip.frame.refuse(
        Reason.UNSUPPORTED_OPERATION,
        f"`is` of a {type(value).__name__}, which an equal one may stand for: ask by ==.",
      )


def _has_equals(value: object) -> bool:
  """Tells whether there may be equal objects beside a tuple, a string or a number."""
  if isinstance(value, enum.Enum):
    return False  # Of a `str` or an `int`, too: each member is one object.
  if isinstance(value, int):  # Python has each of the small ones once.
    return not isinstance(value, bool) and not -5 <= value <= 256
  if isinstance(value, (tuple, str, bytes)):
    return len(value) > (0 if isinstance(value, tuple) else 1)
  return isinstance(value, float)


def _is_one_object(ip: Host, left: object, right: object) -> bool:
  """Returns `left is right` of what is not on the heap, where it is known."""
  kinds = (list, dict, Container)  # A list of the outside may be one that is passed in.
  if isinstance(left, kinds) and isinstance(right, kinds):
    for known in (left, right):
      if not isinstance(known, Container):
        ip.conversion.guards.identify(known)
  if left is right:
    return True
  if isinstance(left, Container) and isinstance(right, Container):
    sharing = ip.frame.sharing
    if sharing.may_be_one(left, right) or sharing.is_pinned(left) or sharing.is_pinned(right):
      raise ip.frame.refuse(
        Reason.SHARED_CONTAINER,
        f"Whether {name_of(left)} is {name_of(right)} only the run knows.",
      )
    return False
  values = (left, right)
  for value, other in (values, values[::-1]):
    if is_static(other):
      _check_not_elsewhere(ip, value, other)
  are_alike = type(left) is type(right) or all(isinstance(v, _ARRAYS) for v in values)
  if any(isinstance(v, Value) and not v.has_identity for v in values) or (
    are_alike and not (is_static(left) and is_static(right))
  ):
    raise unsupported(ip, "is", left, right)
  return False
