"""`repr` and `str` of scalars, and of lists, tuples and dicts that the program makes."""

from __future__ import annotations

import enum
from collections.abc import Callable

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import _of_kinds, _opened, _shown, _text
from recursive_tf.convert.semantics._attributes import by_class, by_type
from recursive_tf.convert.semantics._exactly import demand_exactly
from recursive_tf.convert.semantics._in_python import run_written
from recursive_tf.convert.semantics.builtins._arithmetic import all_known
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import LocalObject, Made, Ref, shown
from recursive_tf.convert.values._text import REPR, Format, Text, is_string

_WRITTEN: dict[type | None, Callable[..., object]] = {
  list: _shown.shown_list,
  tuple: _shown.shown_tuple,
  dict: _shown.shown_dict,
}


def to_repr(ip: Host, value: object, /) -> object:
  """Returns `repr(value)`."""
  is_plain = value is None or isinstance(value, (str, *_forms.NUMBERS))
  if is_plain and all_known([value]):
    return repr(value)
  own = _by_own_method(ip, value, "__repr__", to_repr)
  if own is not None:
    return own
  written = _WRITTEN.get(_text.class_of_made(value))
  if written is not None:
    return run_written(ip, written, values=value)
  found = _of_kinds.text_or_none(ip, value, REPR)
  if found is not value:
    return found
  value = _of_kinds.as_made(ip, ip.frame.resolve(value))
  if value is None:
    return "None"
  if _of_kinds.is_scalar(ip, value):
    return Text((Format(value, REPR, ""),)).known()
  found = _of_kind(ip, value, to_repr)
  if found is not None:
    return found
  raise ip.frame.refuse(Reason.NEEDS_VALUE, f"repr() of {shown(value)}.")


def to_string(ip: Host, value: object = "", /) -> object:
  """Returns `str(value)`."""
  if isinstance(value, Ref) and ip.frame.types_of(value) == {str}:
    return value
  is_plain = value is None or isinstance(value, (str, *_forms.NUMBERS))
  if is_plain and all_known([value]):
    return str(value)
  own = _by_own_method(ip, value, "__str__", to_string)
  if own is not None:
    return own
  if _WRITTEN.get(_text.class_of_made(value)) is not None:
    return to_repr(ip, value)
  value = _text.as_written(ip.frame.resolve(_of_kinds.text_or_none(ip, value)))
  value = _of_kinds.as_made(ip, value)
  if isinstance(value, Text):
    return value
  if _of_kinds.is_scalar(ip, value):
    return Text((Format(value, -1, ""),))
  found = _of_kind(ip, value, to_string)
  if found is not None:
    return found
  raise ip.frame.refuse(Reason.NEEDS_VALUE, "str() of what only the run knows.")


def _by_own_method(
  ip: Host, value: object, name: str, write: Callable[[Host, object], object]
) -> object:
  """Returns what the program's own classes write of an object; None if not all of them do.

  Args:
    ip: the interpreter.
    value: the object, of the heap or of the program.
    name: of the method; an object without a `__str__` is asked for its `__repr__`.
    write: writes the scalars that may be in its place.
  """
  if not isinstance(value, (LocalObject, Ref)):
    return None
  groups: dict[str, list[type]] = {}
  for kind in sorted(ip.kind_of(value).classes() or (), key=repr):
    found = "" if kind in _forms.SCALARS else _method_of(ip, kind, name)
    if found is None:
      return None
    groups.setdefault(found, []).append(kind)
  if groups.keys() <= {""}:
    return None

  def of_one(one: object, method: str) -> object:
    if not method:
      return write(ip, one)
    text = ip.frame.concrete(ip.call(ip.attribute(one, method), [], {}))
    if not is_string(text, ip.frame):
      what = "What a class writes of an object may be no string."
      raise ip.frame.refuse(Reason.NEEDS_VALUE, what)
    return text

  if isinstance(value, LocalObject):
    return of_one(value, next(iter(groups)))
  names = {kind: method for method, group in groups.items() for kind in group}
  return by_type(ip, value, [*groups.values()], lambda ref, group: of_one(ref, names[group[0]]))


def _method_of(ip: Host, kind: type, name: str) -> str | None:
  """Returns the name of the method that writes objects of a class, if it is the program's own."""
  if name == "__str__" and by_class(kind, name) is object.__str__:
    ip.conversion.guards.of_class(kind, name)
    name = "__repr__"
  ip.conversion.guards.of_class(kind, name)
  found = by_class(kind, name)
  is_own = _libraries.is_users(found)
  return name if is_own and not issubclass(kind, (enum.Enum, BaseException)) else None


def _of_kind(ip: Host, value: object, write: Callable[[Host, object], object]) -> object:
  """Writes what is of several kinds by what the run finds, which fails for some; else None."""
  if isinstance(value, Made):
    return _opened.for_each(ip, value, lambda one: write(ip, one))
  if not isinstance(value, Ref):
    return None
  kinds = ip.frame.types_of(value)
  scalars = kinds & {*_forms.SCALARS}
  if not scalars or scalars == kinds:
    return None
  demand_exactly(ip, value, scalars)
  return write(ip, value)
