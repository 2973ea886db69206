"""Strings that only the run knows."""

from __future__ import annotations

import _string  # Which splits the fields' names; `string.Formatter` has no other way either.
import ast
import dataclasses
import enum
import re
import string
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf._ops import kernels
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._access import by_class, has_users
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _of_kinds, _opened
from recursive_tf.convert.semantics._exactly import demand_exactly
from recursive_tf.convert.values import _forms, _numbers, _scalars
from recursive_tf.convert.values._abstract import (
  Array,
  Base,
  IntOrFloat,
  LocalDict,
  LocalList,
  LocalObject,
  Made,
  Maybe,
  Missing,
  Raises,
  Ref,
  Rows,
  Scope,
  named,
)
from recursive_tf.convert.values._either import PythonOrNumpy
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import ByType, Slice
from recursive_tf.convert.values._scalars import Scalar
from recursive_tf.convert.values._text import REPEATED, REPR, Format, Text, is_string, tensor_of


def binary(ip: Host, op: type[ast.operator], left: object, right: object) -> Text | None:
  """Returns `+` of strings, and `*` of a string and an int, if only the run knows the result."""
  frame = ip.frame
  if op is ast.Mult:
    for text, count in ((left, right), (right, left)):
      if _is_number(count, int) and isinstance(count, Number) and is_string(text, frame):
        return Text((Format(count, REPEATED, text if isinstance(text, str) else _made(ip, text)),))
      is_read = isinstance(text, (Text, Ref)) and is_string(text, frame)
      if type(count) is int and is_read:
        return Text(_parts(text) * count)
  if op is not ast.Add or not (is_string(left, frame) and is_string(right, frame)):
    return None
  if isinstance(left, str) and isinstance(right, str):
    return None
  return Text((*_parts(left), *_parts(right)))


def _parts(text: object) -> tuple[object, ...]:
  if isinstance(text, Text):
    return text.parts
  return (text,) if isinstance(text, str) else (Format(text, -1, ""),)


def _made(ip: Host, text: object) -> tf.Tensor:
  """Returns a string as its tensor; Python's operations on it are those on its characters."""
  ip.frame.partial()
  return tensor_of(text, ip.frame)


def _is_number(value: object, *kinds: type) -> bool:
  return _numbers.type_of(value) in kinds


def equal(ip: Host, left: object, right: object) -> object:
  """Returns `left == right`, of which one is a `Text`; None if that is not known here."""
  text, other = (left, right) if isinstance(left, Text) else (right, left)
  if _is_other_builtin(other):
    return False
  if not isinstance(other, Ref):
    return _same(ip, text, other) if is_string(other, ip.frame) else None
  kinds = ip.frame.types_of(other) - {Missing}
  if kinds == {str, NoneType}:
    return ip.both(ip.negated(ip.frame.is_none(other)), True, lambda: _same(ip, text, other))
  return _same(ip, text, other) if kinds == {str} else None


def _is_other_builtin(value: object) -> bool:
  """Tells whether a value is of a builtin type of which none equals a string."""
  return value is None or isinstance(value, (*_forms.NUMBERS, bytes, tuple, LocalList, LocalDict))


def _same(ip: Host, left: object, right: object) -> Number:
  return Number(tf.equal(_made(ip, left), _made(ip, right)), bool)


def is_text(ip: Host, value: object) -> bool:
  """Tells whether a value is a string, or may be None: then a read of it as a string fails."""
  if isinstance(value, Ref):
    return ip.frame.types_of(value) - {Missing, NoneType} == {str}
  return is_string(value, ip.frame)


def ranks(ip: Host, texts: Sequence[object]) -> tf.Tensor:
  """Returns for each string how many different ones of all are before it, int32 [N]."""
  return ranks_of(tf.stack([_made(ip, text) for text in texts]))


def ranks_of(strings: tf.Tensor) -> tf.Tensor:
  """Returns for each string of a tensor how many different ones of all are before it, int32."""
  return kernels.recursive_tf_text_ranks(strings)


def truth(ip: Host, text: Text) -> Number:
  """Returns whether there is a character in a string."""
  return Number(tf.not_equal(_made(ip, text), ""), bool)


def length(ip: Host, text: Text) -> Number:
  """Returns `len(text)`."""
  return Number(tf.strings.length(_made(ip, text), unit=_UNIT), int)


def item(ip: Host, text: object, key: object) -> Text:
  """Returns a character, or a slice without a step, of a string for which `is_string`."""
  tensor = _made(ip, text)
  count = tf.strings.length(tensor, unit=_UNIT)
  if isinstance(key, Slice):
    start, stop = _bound(ip, key.lower, count, 0), _bound(ip, key.upper, count, count)
    return Text((tf.strings.substr(tensor, start, tf.maximum(stop - start, 0), unit=_UNIT),))
  if not _is_number(key, int, bool):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "A string's item by this index.")
  index = ip.frame.place(key, count, "string index out of range")
  return Text((tf.strings.substr(tensor, index, 1, unit=_UNIT),))


def _bound(ip: Host, value: object, count: tf.Tensor, default: object) -> tf.Tensor:
  """Returns where a slice begins or ends, within the string."""
  if value is None:
    return tf.convert_to_tensor(default)
  if not _is_number(value, int, bool):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "A string is sliced by this index.")
  index, wide = (tf.cast(n, tf.int64) for n in (_forms.as_number(value).tensor, count))
  index = tf.where(index < 0, index + wide, index)
  return tf.cast(tf.clip_by_value(index, 0, wide), tf.int32)


def method(
  ip: Host, owner: str, name: str, args: list[object], kwargs: dict[str, object]
) -> object:
  """Calls a method of a known string with what only the run knows; None if it is not done here."""
  if name == "join" and len(args) == 1 and not kwargs:
    return joined(ip, owner, args[0])
  if name == "format":
    return _Filling(ip, args, kwargs).text(owner)
  return None


def joined(ip: Host, separator: object, value: object) -> object:
  """Returns `separator.join(value)`."""
  frame = ip.frame
  rows = ip.rows_of(value)
  if rows is None:
    items = [frame.resolve(part) for part in ip.fixed_items(value)]
    parts: list[object] = []
    for part in items:
      found = part if is_string(part, frame) else _demanded(ip, part)
      if found is None:
        raise frame.refuse(Reason.UNSUPPORTED_OPERATION, f"str.join of a {named(part)}.")
      part = found
      parts += [Text(_parts(separator))] * bool(parts) + [Text(_parts(part))]
    text = Text(tuple(inner for part in parts for inner in _parts(part))).known()
    return "" if not items else text
  if rows.form is None:
    return ""
  if isinstance(rows.form, _forms.StaticForm) and type(rows.form.value) is str:
    strings = tf.fill([rows.length], rows.form.value)
  elif rows.form == _forms.TextForm() or rows.form.is_of_strings():
    frame.partial()
    (strings,) = _forms.TextForm().widened(rows.form, iter(rows.tensors), rows.length, frame)
  else:
    some = _all_demanded(ip, rows)
    if some is None:
      kind = _forms.describe(rows.form)
      text = f"str.join of a list of which each is {kind}."
      raise frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
    strings = some
  if not isinstance(separator, str):
    between = tf.fill([rows.length], _made(ip, separator))
    strings = tf.reshape(tf.stack([between, strings], axis=1), [-1])[1:]
    separator = ""
  return Text((tf.strings.reduce_join(strings, 0, separator=_utf8(ip, separator)),))


def _demanded(ip: Host, value: object) -> object:
  """Returns what may be a string as one: where it is none the run fails; None if it never is."""
  frame = ip.frame
  value = frame.scalar_or_none(value)
  if not isinstance(value, Maybe):
    return _demanded_string(ip, value)
  if isinstance(value.value, Ref):  # Which says itself that it may be None.
    return None
  found = _demanded_string(ip, value.value)
  if found is not None:
    frame.demand(value.is_there)
  return found


def _demanded_string(ip: Host, value: object) -> object:
  """Returns what `_demanded` does of what is surely there."""
  frame = ip.frame
  if isinstance(value, Scalar) and str in value.kinds:
    frame.demand(value.is_of([str]))
    return Text((value.text,))
  if isinstance(value, Ref) and _may_be_strings(frame.types_of(value)):
    demand_exactly(ip, value, frozenset([str]))
  return value if is_string(value, frame) else None


def _all_demanded(ip: Host, rows: Rows) -> tf.Tensor | None:
  """Returns what may be strings, [N], as those that `_demanded` returns; None if some never are."""
  frame = ip.frame
  form = rows.form
  assert form is not None  # There may be elements.
  if isinstance(form, _forms.RefForm):
    if not _may_be_strings(form.types):
      return None
    kinds = form.types - {NoneType}
    (handles,) = rows.tensors
    frame.demand(tf.reduce_all(handles >= 0))
    handles = tf.maximum(handles, 0)  # There is no row for None.
    if len(kinds) > 1:
      frame.demand(tf.reduce_all(frame.are_of(handles, kinds, frozenset([str]))))
    return frame.string(Ref(Base(handles, frozenset([str]))))
  kinds = form.scalar_kinds()
  if str not in kinds:
    return None
  tensors = iter(rows.tensors)
  if isinstance(form, _forms.MaybeForm):
    frame.demand(tf.reduce_all(next(tensors)))
    form = form.value
  kind, _, text = form.scalar_rows(tensors, rows.length, frame)
  frame.demand(tf.reduce_all(tf.equal(kind, _scalars.code(str))))
  return text


def _may_be_strings(types: frozenset[type]) -> bool:
  """Tells whether objects of some exact types may be strings, and no other one is a string."""
  return str in types and sum(issubclass(kind, str) for kind in types) == 1


def _utf8(ip: Host, text: str) -> bytes:
  tensor_of(text, ip.frame)  # Refuses what has no UTF-8.
  return text.encode()


class _Filling:
  """What `template.format(*args, **kwargs)` makes: fields count, or name, what they show."""

  def __init__(self, ip: Host, args: Sequence[object], kwargs: Mapping[str, object]):
    self._ip = ip
    self._args = args
    self._kwargs = kwargs
    self._num_counted = 0
    self._is_numbered = False

  def text(self, template: str) -> object:
    """Returns a template with its fields filled in."""
    try:
      fields = [*string.Formatter().parse(template)]
    except ValueError:
      raise Raises from None
    parts: list[object] = []
    for text, field, spec, conversion in fields:
      parts.append(text)
      if field is not None:
        value = self._shown(field)
        form = self.text(spec) if spec else ""
        parts.append(_field(self._ip, value, ord(conversion) if conversion else -1, form))
    if any(map(_is_chosen, parts)):
      text = "str.format() of the class of an object."
      raise self._ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
    return Text(tuple(parts)).known()

  def _shown(self, field: str) -> object:
    """Returns what a field shows: an argument, or a part of one (`{0.name}`, `{row[1]}`)."""
    try:
      first, rest = _string.formatter_field_name_split(field)
      value = self._argument(first)
      parts = [*rest]
    except (IndexError, KeyError, ValueError):
      raise Raises from None
    for is_attribute, name in parts:
      read = self._ip.attribute if is_attribute else self._ip.item
      value = read(self._ip.frame.resolve(value), name)
    return value

  def _argument(self, name: int | str) -> object:
    """Returns what a field names: by a number, a name, or nothing, in turn."""
    is_counted = name == ""
    if isinstance(name, str) and not is_counted:
      return self._kwargs[name]
    if (self._num_counted and not is_counted) or (self._is_numbered and is_counted):
      raise ValueError  # Fields with numbers beside fields without.
    self._is_numbered |= not is_counted
    place = self._num_counted if is_counted else name
    self._num_counted += is_counted
    assert isinstance(place, int)  # All others are names.
    return self._args[place]


# %(name)s and the like; what is done of them in the run is %s, %r, %d of an int, %f, %e and %g.
_FIELD = re.compile(r"%(?:\((?P<name>[^()]*)\))?(?P<spec>[^a-zA-Z%(]*)(?P<kind>[a-zA-Z%])")


def percent(ip: Host, template: str, value: object) -> object:
  """Returns `template % value`; None if it is not done here."""
  by_name = value.items if isinstance(value, LocalDict) else None
  if not isinstance(value, tuple) and not (by_name is not None or _is_alone(ip, value)):
    return None
  values = iter(value if isinstance(value, tuple) else [value])
  parts: list[object] = []
  end = 0
  for field in _FIELD.finditer(template):
    parts.append(template[end : field.start()])
    end = field.end()
    name, spec, kind = field["name"], field["spec"], field["kind"]
    if kind == "%" and not spec and name is None:
      parts.append("%")
      continue
    if (name is None) is not (by_name is None):
      return None
    try:
      found = next(values) if by_name is None else by_name[name]
    except (StopIteration, KeyError):
      raise Raises from None  # A TypeError or a KeyError.
    part = _percent_field(ip, ip.frame.resolve(found), spec, kind)
    if part is None:
      return None
    parts.append(part)
  if "%" in template[end:]:
    return None
  if by_name is None and [*values]:
    raise Raises  # A TypeError.
  return Text((*parts, template[end:])).known()


def _is_alone(ip: Host, value: object) -> bool:
  """Tells whether a value is one argument of `%`: no tuple, and nothing that has items."""
  return not isinstance(value, Scalar) and _of_kinds.kinds_of(ip, value) is not None


def _percent_field(ip: Host, value: object, spec: str, kind: str) -> object:
  """Returns what a field makes of a value; None if it is not done here."""
  if isinstance(value, (str, int, float, bool, NoneType)):
    try:
      return f"%{spec}{kind}" % (value,)
    except (TypeError, ValueError):
      raise Raises from None
  if kind in "sr" and not spec:
    return _field(ip, value, ord(kind), "")
  if kind in "di" and not spec and _is_number(value, int):
    return Format(value, -1, "")
  flags = re.fullmatch(r"(?P<flags>[-+ 0]*)(?P<width>\d*)(?P<digits>\.\d\d?)?", spec)
  if flags is None:
    return None
  given, width, digits = flags["flags"], flags["width"], flags["digits"] or ""
  align = "<" if "-" in given else ">"
  if kind in "sr":
    return Format(value, ord(kind), f"{align}{width}{digits}")
  if kind in "feg" and isinstance(value, IntOrFloat):
    value = value.value  # The float that it is to such a field.
  is_int = kind in "di" and not digits and _is_number(value, int)
  if not is_int and not (kind in "feg" and _is_number(value, int, float)):
    return None
  layout = "+" if "+" in given else " " if " " in given else ""
  if given or width:
    layout = f"{'0=' if '0' in given and align == '>' else align}{layout}{width}"
  return Format(value, -1, f"{layout}d" if is_int else f"{layout}{digits or '.6'}{kind}")


_UNIT = "UTF8_CHAR"
_AS_PYTHON = {np.float64: float, np.int64: int, np.int32: int, np.bool_: bool}


def as_written(value: object, has_format: bool = False) -> object:
  """Returns a scalar of NumPy as the number of Python's that is written alike; others as they are.

  Args:
    value: a value that is resolved.
    has_format: whether it is written by a format, for which floats of 32 bits become longer ones.
  """
  if isinstance(value, PythonOrNumpy):
    is_alike = not value.is_mixed and not (has_format and value.number.type is bool)
    return value.number if is_alike else value
  kind = next(iter(value.types)) if isinstance(value, Array) and len(value.types) == 1 else None
  if not isinstance(value, Array) or kind is None or (has_format and kind is np.bool_):
    return value
  number = float if has_format and kind is np.float32 else _AS_PYTHON.get(kind)
  if number is None:
    return value
  return Number(tf.cast(value.tensor, _forms.dtype_of_number(number)), number)


def format_of(ip: Host, value: object, spec: object = "") -> object:
  """Returns `format(value, spec)`."""
  if not isinstance(spec, str):
    raise ip.frame.refuse(Reason.NEEDS_VALUE, "format() by a format that only the run knows.")
  part = _field(ip, value, -1, spec)
  if _is_chosen(part):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "format() of the class of an object.")
  return Text((part,)).known()


def _field(ip: Host, value: object, conversion: int, spec: object) -> Format:
  """Returns a field of a string; the run fails where it is None, which has no format."""
  is_shown = spec == "" or conversion != -1
  as_string = conversion in (-1, ord("s"))
  is_written = as_string and (_is_mostly_scalar(ip, value) or _writes_itself(ip, value))
  if is_shown and (_is_container(value) or is_written):
    text = _written_out(ip, value)
    return Format(value, conversion, spec) if text is value else _field(ip, text, -1, spec)
  if spec == "" and conversion in (-1, ord("s")):
    value = _of_kinds.text_or_none(ip, value)
  if spec == "" and conversion == REPR:
    found = _of_kinds.text_or_none(ip, value, REPR)
    if found is not value:
      return Format(found, -1, "")
  value = ip.frame.resolve(value)
  if conversion in (-1, ord("s")):
    value = as_written(value, bool(spec))
  if conversion == -1 and isinstance(spec, str) and spec:
    if value is None:
      raise Raises
    if isinstance(value, Maybe):
      ip.frame.demand(value.is_there)
      value = ip.frame.resolve(value.value)
    elif isinstance(value, Ref) and NoneType in (kinds := ip.frame.types_of(value) - {Missing}):
      found = ip.frame.is_none(value)
      if isinstance(found, Number) and len(kinds) > 1:
        ip.frame.demand(tf.logical_not(found.tensor))
        ip.frame.narrow([(value, kinds - {NoneType})])
        value = ip.frame.resolve(value)
  if not isinstance(spec, str):
    raise ip.frame.refuse(Reason.NEEDS_VALUE, "A format that only the run knows.")
  if spec:
    _check_format(ip, value, conversion, spec)
  return Format(value, conversion, spec)


def class_of_made(value: object) -> type | None:
  """Returns the class of a list, tuple, dict or set that the program makes, None of all else."""
  if isinstance(value, LocalList):  # A table is one, too.
    return None if value.is_iterator else value.type
  if isinstance(value, Rows):
    return value.type
  if isinstance(value, LocalDict):
    return dict
  return tuple if type(value) is tuple else None


def _is_container(value: object) -> bool:
  """Tells whether a value is a list, tuple or dict that the program makes."""
  return class_of_made(value) in (list, tuple, dict)


def _is_mostly_scalar(ip: Host, value: object) -> bool:
  """Tells whether all that the run may have made of something are scalars."""
  if not isinstance(value, Made):
    return False
  kinds = ip.conversion.made_kinds
  made = kinds.known.keys() - kinds.hidden
  return all(kinds.forms[number].scalar_kinds() for number in made)


def _writes_itself(ip: Host, value: object) -> bool:
  """Tells whether a class of the program's own says what is written of an object."""
  if not isinstance(value, (LocalObject, Made, Ref)):
    return False
  found = None if isinstance(value, Made) else ip.kind_of(value).classes()
  kinds = _opened.known_classes(ip, value) if isinstance(value, Made) else found or ()
  are_own = any(has_users(kind, ("__str__", "__repr__")) for kind in kinds)
  formats = [by_class(kind, "__format__") for kind in kinds if kind not in _forms.SCALARS]
  return are_own and all(one is object.__format__ for one in formats)


def _written_out(ip: Host, value: object) -> object:
  """Returns `str` of a value; itself where only `print` can show it, as what holds tensors."""
  before = ip.frame.snapshot()
  try:
    return ip.call(str, [value], {})
  except ConversionRefused:
    ip.frame.restore(before)
    return value


_WITHOUT = object()  # It has no formats.
_OF_NUMBERS = (tf.Tensor, tf.Variable, np.ndarray, np.generic)  # What is in them says it.
_SAMPLES = {bool: True, int: 1, float: 1.0, str: "a", complex: 1j}


def _check_format(ip: Host, value: object, conversion: int, spec: str) -> None:
  """Lets the run fail where Python raises for a format; `print` would be the last to find out."""
  classes = [str] if conversion != -1 else ip.kind_of(value).classes() or ()
  if isinstance(value, IntOrFloat):
    classes = [int, float]
  if conversion == -1 and type(value) in _SAMPLES:
    samples = [value]
  else:
    samples = [_sample_of(ip, one) for one in classes if not issubclass(one, _OF_NUMBERS)]
  if spec.endswith("c") and int in classes and type(value) is not int:
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "A character of a number of the run.")
  raising = [one for one in samples if not _has_format(one, spec)]
  if raising and len(raising) == len(samples):
    raise Raises
  if raising:
    text = f"A format that a {type(raising[0]).__name__} does not have, of what may be one."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)


def _sample_of(ip: Host, kind: type) -> object:
  """Returns what has the formats that objects of a class have."""
  if kind in _SAMPLES:
    return _SAMPLES[kind]
  own: object = kind.__format__
  if own is object.__format__:
    return _WITHOUT
  if own is enum.Enum.__format__ and getattr(kind, "_member_type_", None) is object:
    return "a"  # Its name.
  text = f"A format of a {kind.__name__}, whose class says what that is."
  raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)


def _has_format(value: object, spec: str) -> bool:
  try:
    format(value, spec)
  except (OverflowError, TypeError, ValueError):
    return False
  return True


def formatted(ip: Host, node: ast.expr, scope: Scope) -> object:
  """Returns an f-string: a string if all of it is known, else what `print` can still show."""
  assert isinstance(node, ast.JoinedStr)
  parts: list[Any] = []
  for value in node.values:
    if isinstance(value, ast.Constant):
      parts.append(value.value)
      continue
    assert isinstance(value, ast.FormattedValue)  # The grammar has nothing else.
    spec = "" if value.format_spec is None else formatted(ip, value.format_spec, scope)
    parts.append(_field(ip, ip.eval(value.value, scope), value.conversion, spec))
  chosen = next((i for i, part in enumerate(parts) if _is_chosen(part)), None)
  if chosen is None:
    return Text(tuple(parts)).known()
  by_class = parts[chosen].value
  texts = {}
  for kind, value in by_class.values.items():
    part = dataclasses.replace(parts[chosen], value=value)
    texts[kind] = Text((*parts[:chosen], part, *parts[chosen + 1 :])).known()
  if all(isinstance(text, str) for text in texts.values()):
    return ByType(by_class.ref, texts, by_class.chosen)
  return Text(tuple(_found(ip, part) if _is_chosen(part) else part for part in parts)).known()


def _found(ip: Host, part: Format) -> Format:
  """Returns a field of what a class says, as what the run finds it to be."""
  return dataclasses.replace(part, value=ip.frame.resolve(part.value))


def _is_chosen(part: object) -> bool:
  return isinstance(part, Format) and isinstance(part.value, ByType)
