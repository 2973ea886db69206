"""What Python demands of objects: an index is an int, a truth a bool, a length not negative."""

from __future__ import annotations

import operator
import types

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._access import is_opaque, users_method
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import _of_kinds
from recursive_tf.convert.values._abstract import (
  Array,
  BoundMethod,
  IntOrFloat,
  LocalList,
  LocalObject,
  Missing,
  Raises,
  Ref,
  is_static,
  named,
)
from recursive_tf.convert.values._either import PythonOrNumpy
from recursive_tf.convert.values._numbers import Number, is_bool
from recursive_tf.convert.values._text import Text
from recursive_tf.convert.values._value import Value

# What Python's functions of numbers and their order ask of an object.
_OF_NUMBERS = (
  *("__float__", "__int__", "__index__", "__trunc__", "__floor__", "__ceil__", "__round__"),
  *("__abs__", "__lt__", "__gt__", "__iter__", "__getitem__", "__len__"),
)
_CONSTANT = ("enum", "fractions", "decimal", "numbers", "datetime")  # Modules of unchanging values.


def is_own(value: object, *names: str) -> bool:
  """Tells whether a known object's class has one of these methods written in Python.

  What such a method reads may be another value in the next run, though the object is the same.
  """
  if _libraries.is_library(type(value)):
    return False  # Whatever class of Python's own it has it from.
  for name in names:
    found = getattr(type(value), name, None)
    if _libraries.is_users(found):
      if found.__module__.partition(".")[0] not in _CONSTANT:
        return True
  return False


_BUILTIN = (tuple, list, dict, set, frozenset, str, int, float)


def own_method(value: object, name: str) -> BoundMethod | None:
  """Returns a method that a class derived from a builtin one has of its own, bound, or None.

  The value is known, or a named tuple: what the builtin class does with it is not what is asked.
  """
  if type(value) not in _BUILTIN and isinstance(value, _BUILTIN) and is_own(value, name):
    return BoundMethod(getattr(type(value), name), value)
  return None


def by_own_method(ip: Host, name: str, swapped: str, left: object, right: object) -> object:
  """Returns `left op right` where a class derived from a builtin one says itself what it is.

  Args:
    ip: the interpreter.
    name: of the method that the left one is asked for.
    swapped: of the method that the right one is asked for then.
    left: an operand.
    right: the other one.

  Returns:
    The result, or None if neither class has such a method.
  """
  methods = own_method(left, name), own_method(right, swapped)
  if methods == (None, None):
    return None
  is_narrower = type(right) is not type(left) and isinstance(right, type(left))
  is_akin = any(isinstance(left, kind) and isinstance(right, kind) for kind in _BUILTIN)
  if methods[1] is None:
    is_clear = True
  elif methods[0] is None:  # The builtin class of the left one comes first, unless ...
    is_clear = is_narrower or not is_akin
  else:
    is_clear = not is_narrower
  if isinstance(left, (LocalObject, Ref)) or not is_clear:
    raise _unclear(ip, name, left, right)
  method, other = (methods[0], right) if methods[0] is not None else (methods[1], left)
  found = ip.call(method, [other], {})
  if found is None or found is NotImplemented:
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{name} that gives {found}.")
  return found


def operator_method(value: object, name: str) -> object:
  """Returns what the class of a known object has of its own for an operator; None if nothing.

  What Python's standard library has is none: it computes, with what is constant.
  """
  if isinstance(value, Value) or not is_static(value) or _libraries.is_standard(type(value)):
    return None
  found = users_method(type(value), name)
  return None if isinstance(found, types.FunctionType) and _libraries.is_standard(found) else found


def by_method_of_known(ip: Host, name: str, swapped: str, left: object, right: object) -> object:
  """Returns `left op right` where a known object's class says what it is; else NotImplemented.

  Args:
    ip: the interpreter.
    name: of the method that the left one is asked for.
    swapped: of the method that the right one is asked for.
    left: an operand.
    right: the other one.
  """
  first, second = operator_method(left, name), operator_method(right, swapped)
  if first is not None:
    kinds = classes_of(ip, right)
    is_narrower = any(
      k is not type(left) and issubclass(k, type(left)) and hasattr(k, swapped) for k in kinds
    )
    if is_narrower:
      raise _unclear(ip, name, left, right)
    return _asked(ip, left, name, first, right)
  if second is None or type(left) is type(right) or isinstance(left, (LocalObject, Ref)):
    return NotImplemented
  is_apart = isinstance(left, _APART) or type(left) in _BUILTIN_APART
  if not is_apart and (not is_static(left) or hasattr(type(left), name)):
    raise _unclear(ip, name, left, right)
  return _asked(ip, right, swapped, second, left)


# What these do with an operator takes no objects, which are asked therefore.
_APART = (Number, IntOrFloat, Text, LocalList)
_BUILTIN_APART = (int, float, bool, str, bytes, type(None))


def check_none_beside_variable(ip: Host, left: object, right: object) -> None:
  """Refuses a variable that is compared with None, of which some kinds raise."""
  if (left is None or right is None) and _has_variable(left, right):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "`==` of a variable and None. Use `is`.")


def check_variables(ip: Host, what: str, *operands: object) -> None:
  """Refuses a variable beside an object of the user's, which is given itself, not what it holds."""
  if _has_variable(*operands):
    kinds = [kind for one in operands for kind in _of_users(ip, one)]
    if not all(map(_libraries.is_standard, kinds)):
      text = f"{what} of a variable and of an object whose class may say what that is."
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)


def _has_variable(*operands: object) -> bool:
  return any(isinstance(one, (tf.Variable, keras.Variable)) for one in operands)


def asked_alone(ip: Host, name: str, value: object, *others: object) -> object:
  """Returns what a method of a known object's class gives; NotImplemented if it has none.

  Args:
    ip: the interpreter.
    name: of the method of an operator for which Python asks nobody else.
    value: the object.
    *others: what the method is given.
  """
  method = operator_method(value, name)
  return NotImplemented if method is None else _asked(ip, value, name, method, *others)


def _asked(ip: Host, value: object, name: str, method: object, *others: object) -> object:
  """Calls the method of a known object by which its class says what an operator gives."""
  guards = ip.conversion.guards
  guards.of_class(guards.type_of(value), name)
  refuse_opaque(ip, value, name)
  found = ip.call(BoundMethod(method, value), [*others], {})
  if found is NotImplemented:
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{name} that gives NotImplemented.")
  return found


def _unclear(ip: Host, name: str, left: object, right: object) -> ConversionRefused:
  text = f"{name} of {named(left)} and {named(right)}, of which either may say what it is."
  return ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)


def by_method_of_local(ip: Host, name: str, swapped: str, left: object, right: object) -> object:
  """Returns `left op right` where one is an object that the program makes; else NotImplemented.

  Python asks the left one first, but if the right one is of a class derived from the left one's.

  Args:
    ip: the interpreter.
    name: of the method that the left one is asked for.
    swapped: of the method that the right one is asked for; of comparisons no arithmetic one.
    left: an operand.
    right: the other one.
  """
  asked: LocalObject
  if isinstance(left, LocalObject) and _says(left.type, name):
    method, asked, other = name, left, right
    are_narrower = [
      kind is not left.type and issubclass(kind, left.type) and hasattr(kind, swapped)
      for kind in _of_users(ip, right)
    ]
    is_clear = not any(are_narrower)
  elif isinstance(right, LocalObject) and _says(right.type, swapped):
    method, asked, other = swapped, right, left
    # Of two of one class Python asks the left one alone.
    kinds = _of_users(ip, left)
    is_clear = not any(kind is right.type or _says(kind, name) for kind in kinds)
  else:
    return NotImplemented
  if not is_clear:
    raise _unclear(ip, name, left, right)
  found = ip.call(ip.attribute(asked, method), [other], {})
  if found is NotImplemented:
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{method} that gives NotImplemented.")
  return found


def refuse_own_difference(ip: Host, left: object, right: object) -> None:
  """Refuses `left != right` where a class says by `__ne__` alone what that is."""
  for value in (left, right):
    if isinstance(value, Ref) or (isinstance(value, LocalObject) and value is right):
      if any(isinstance(k.__ne__, types.FunctionType) for k in _of_users(ip, value)):
        raise _unclear(ip, "__ne__", left, right)


def _says(kind: type, name: str) -> bool:
  """Tells whether a class of the user's has a method, or something in its place."""
  return getattr(kind, name, None) is not getattr(object, name, None)


def classes_of(ip: Host, value: object) -> list[type]:
  """Returns of which classes a value may be that are none of Python's own; a library's, too."""
  if isinstance(value, LocalObject):
    kinds = [value.type]
  elif isinstance(value, Ref):
    kinds = [*(ip.frame.types_of(value) - {Missing})]
  else:
    kinds = [type(value)]
  return [k for k in kinds if not (k.__module__ == "builtins" or issubclass(k, Value))]


def _of_users(ip: Host, value: object) -> list[type]:
  """Returns of which classes of the user's a value may be."""
  return [kind for kind in classes_of(ip, value) if not _libraries.is_library(kind)]


def refuse_own(ip: Host, what: str, values: tuple[object, ...]) -> None:
  """Refuses to have Python read numbers of known objects whose classes say what these are.

  Also where a class has something else than a function in the place of a method.
  """
  for value in values:
    for part in value if type(value) is tuple else (value,):
      if is_own(part, *_OF_NUMBERS):
        kind = type(part).__name__
        raise ip.frame.refuse(
          Reason.OPAQUE_CALL, f"{what} of a {kind}, whose own methods say what it is. Call these."
        )
      refuse_opaque(ip, part, *_OF_NUMBERS, "__bool__", "__str__", "__repr__", "__format__")


def refuse_opaque(ip: Host, value: object, *names: str) -> None:
  """Refuses to have Python ask a known object where something else stands for a method."""
  for name in names:
    method = operator_method(value, name)
    if is_opaque(method):
      kind = type(value).__name__
      raise ip.frame.refuse(Reason.OPAQUE_CALL, f"{kind}.{name} is a {type(method).__name__}.")


def as_index(ip: Host, value: object) -> object:
  """Returns what stands for an int where Python takes nothing else; what is no number, as it is.

  A bool of the run counts as the int that it is.

  Raises:
    Raises: If Python raises: a float is no index, whatever its value.
    ConversionRefused: If its class says which number it is.
  """
  value = ip.frame.resolve(value)
  if is_own(value, "__index__"):
    raise ip.frame.refuse(Reason.OPAQUE_CALL, "An index whose class says which number it is.")
  if isinstance(value, PythonOrNumpy) and not value.is_mixed:
    value = value.number
  if isinstance(value, Number):
    if value.type is float:
      raise Raises
    return Number(tf.cast(value.tensor, tf.int64), int) if value.type is bool else value
  is_float = isinstance(value, (float, np.floating))
  if is_float or (isinstance(value, Array) and value.tensor.dtype.is_floating):
    raise Raises
  if _of_kinds.is_open(ip, value):
    found = _of_kinds.opened(ip, value)
    if found.kinds.isdisjoint((bool, int)):
      raise Raises
    ip.frame.demand(found.is_of([bool, int]))
    return found.number(int)
  return int(value) if isinstance(value, np.integer) else value


def may_be_bool(ip: Host, value: object) -> bool:
  """Tells whether a value is a bool, or the run may find that it is one."""
  return is_bool(value) or (
    _of_kinds.is_open(ip, value) and bool in _of_kinds.opened(ip, value).kinds
  )


def own_truth(ip: Host, method: object, name: str) -> object:
  """Returns what `bool` gives of an object whose class says it itself, by a bound method.

  Args:
    ip: the interpreter.
    method: the method, bound.
    name: `__bool__` or `__len__`.

  Raises:
    Raises: If Python raises: `__bool__` returns a bool, nothing that is only true.
  """
  if name == "__len__":
    found = own_length(ip, method)
    return Number(tf.greater(found.tensor, 0), bool) if isinstance(found, Number) else found > 0
  found = ip.frame.resolve(ip.call(method, [], {}))
  if is_bool(found):
    return found
  raise Raises


def own_length(ip: Host, method: object) -> Number | int:
  """Returns what `len` gives of an object whose class has a `__len__`, by the bound method.

  Raises:
    Raises: If Python raises: a length is an int, 0 or more.
  """
  found = ip.frame.resolve(ip.call(method, [], {}))
  if isinstance(found, Number) and found.type is not float:
    length = tf.cast(found.tensor, tf.int64)
    return Number(ip.frame.check(length, length >= 0, "__len__() is negative"), int)
  if not hasattr(type(found), "__index__") or isinstance(found, tf.Tensor):
    raise Raises
  if operator.index(found) < 0:
    raise Raises
  return operator.index(found)
