"""`repr` and `str` of scalars, and of lists, tuples and dicts that the program makes."""

from __future__ import annotations

from collections.abc import Callable

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _of_kinds, _opened, _shown, _text
from recursive_tf.convert.semantics._exactly import demand_exactly
from recursive_tf.convert.semantics._in_python import run_written
from recursive_tf.convert.semantics.builtins._arithmetic import all_known
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Made, Ref, shown
from recursive_tf.convert.values._text import REPR, Format, Text

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
