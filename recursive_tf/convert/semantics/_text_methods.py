"""Methods of strings, where only the run knows the string or what is done with it.

Each is one op of ours, which counts code points as Python does. What is asked of a string of the
tree with arguments that are known is read from it instead (`_attributes.of_ref`).
"""

from __future__ import annotations

import functools
import inspect
import operator
import sys
import types
from collections.abc import Callable, Iterable
from typing import TypeAlias

import tensorflow as tf

from recursive_tf._ops import kernels
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._access import in_class
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _of_kinds, _text
from recursive_tf.convert.semantics._exactly import demand_exactly
from recursive_tf.convert.semantics._native import lifted
from recursive_tf.convert.semantics._protocols import as_index
from recursive_tf.convert.values import _numbers
from recursive_tf.convert.values._abstract import (
  Builtin,
  LocalList,
  Missing,
  Raises,
  Ref,
  Rows,
  named,
)
from recursive_tf.convert.values._forms import NoneType, TextForm, as_number
from recursive_tf.convert.values._layouts import padded, repeated
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._scalars import Scalar
from recursive_tf.convert.values._text import Text, is_string, tensor_of

_LONGEST = 2**62  # More characters than a string has.
_NUM_CODES = sys.maxunicode + 1


def of_string(ip: Host, text: object, name: str) -> Builtin:
  """Returns a method of a string that only the run knows."""
  if not in_class(str, name):  # What classes have, strings have not.
    raise Raises
  return Builtin(f"str.{name}", lambda *args, **kwargs: call(ip, text, name, args, kwargs))


def of_known(
  ip: Host,
  text: str,
  method: Callable[..., object],
  args: list[object],
  kwargs: dict[str, object],
) -> object:
  """Calls a method of a known string."""
  name = method.__name__
  given = [ip.frame.resolve(arg) for arg in args]
  if all(map(_is_plain, (*given, *kwargs.values()))):
    try:
      return lifted(ip, method(*given, **kwargs))
    except (TypeError, ValueError, LookupError):
      raise Raises from None
  found = _text.method(ip, text, name, given, kwargs)
  return call(ip, text, name, given, kwargs) if found is None else found


def is_method(function: object) -> bool:
  """Tells whether something is a method as the class has it: `str.upper`."""
  if not isinstance(function, types.MethodDescriptorType):
    return False
  return vars(str).get(function.__name__) is function


def of_class(
  ip: Host, method: Callable[..., object], args: list[object], kwargs: dict[str, object]
) -> object:
  """Calls a method as the class has it."""
  text, *rest = (ip.frame.resolve(arg) for arg in args)
  if isinstance(text, Scalar):
    text = _of_kinds.only(ip, text, [str])
  if not _text.is_text(ip, text):
    what = f"str.{method.__name__} of a {named(text)}."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, what)
  return ip.call(ip.attribute(text, method.__name__), rest, kwargs)


def _is_plain(value: object) -> bool:
  """Tells whether a value is known, and Python's own methods do nothing but read it."""
  if type(value) is tuple:
    return all(map(_is_plain, value))
  return value is None or type(value) in _SCALARS


def call(
  ip: Host, text: object, name: str, args: Iterable[object], kwargs: dict[str, object]
) -> object:
  """Calls a method of a string."""
  given = [ip.frame.resolve(arg) for arg in args]
  by_name = {key: ip.frame.resolve(value) for key, value in kwargs.items()}
  if name == "join" and len(given) == 1 and not kwargs:
    return _text.joined(ip, text, given[0])
  function = _METHODS.get(name)
  if function is None:
    what = f"str.{name} of what only the run knows."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, what)
  try:
    inspect.signature(function).bind(ip, text, *given, **by_name)
  except TypeError as error:
    text = f"str.{name} with these arguments: {error}."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text) from None
  ip.frame.partial()
  return function(ip, text, *given, **by_name)


def characters(ip: Host, text: object) -> Rows:
  """Returns the characters of a string, one by one."""
  found = kernels.recursive_tf_text_characters(_string(ip, text))
  return Rows(tf.size(found), (found,), TextForm())


def is_part(ip: Host, text: object, part: object) -> Number:
  """Returns `part in text`."""
  return Number(_search(ip, "find", text, part).tensor >= 0, bool)


def code(ip: Host, text: object) -> Number:
  """Returns `ord(text)`; the run fails if it is not one character."""
  found = kernels.recursive_tf_text_code(_string(ip, text))
  return Number(ip.frame.check(found, found >= 0, "no single character"), int)


def character(ip: Host, number: object) -> Text:
  """Returns `chr(number)`; the run fails if it is no character, or half of a surrogate pair."""
  value = _int(ip, number, 0)
  is_half = (value >= 0xD800) & (value < 0xE000)
  ok = (value >= 0) & (value < _NUM_CODES) & tf.logical_not(is_half)
  checked = tf.cast(ip.frame.check(value, ok, "no character"), tf.int32)
  (found,) = tf.unstack(
    tf.raw_ops.UnicodeEncode(
      input_values=checked[tf.newaxis], input_splits=[0, 1], output_encoding="UTF-8"
    ),
    num=1,
  )
  return Text((found,))


# What Python and TensorFlow read alike; runs that find another one are plain Python's.
_AS_NUMBER = {
  int: (r"[ \t\n\r]*[-+]?[0-9]{1,18}[ \t\n\r]*", tf.int64),
  float: (
    r"[ \t\n\r]*[-+]?([0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})([eE][-+]?[0-9]{1,2})?[ \t\n\r]*",
    tf.float64,
  ),
}


def number(ip: Host, kind: type, text: object) -> Number:
  """Returns `int(text)` or `float(text)` of ASCII digits; the run fails for others."""
  written, dtype = _AS_NUMBER[kind]
  string = _string(ip, text)
  ok = tf.strings.regex_full_match(string, written)
  digits = tf.strings.regex_replace(tf.strings.strip(string), r"^\+", "")
  found = tf.strings.to_number(tf.where(ok, digits, "0"), dtype)
  return Number(ip.frame.check(found, ok, f"a string that is no {kind.__name__}"), kind)


# --- Arguments


def _string(ip: Host, value: object) -> tf.Tensor:
  """Returns what has to be a string as its tensor; Python raises, and the run fails, for others."""
  if isinstance(value, Scalar):
    value = _of_kinds.only(ip, value, [str])
  if _text.is_text(ip, value):
    return tensor_of(value, ip.frame)
  if value is None or _numbers.type_of(value) is not None or isinstance(value, (tuple, LocalList)):
    raise Raises  # A TypeError.
  if isinstance(value, Ref):
    kinds = ip.frame.types_of(value) - {Missing, NoneType}
    if str not in kinds:
      raise Raises
    if kinds <= _SCALARS:
      return _string(ip, _of_kinds.only(ip, _of_kinds.opened(ip, value), [str]))
    if not any(issubclass(kind, str) for kind in kinds - {str}):
      demand_exactly(ip, value, frozenset([str]))
      return ip.frame.string(value)
  what = f"A method of a string with a {named(value)}."
  raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, what)


_SCALARS = frozenset([str, int, float, bool])


def _may_be_none(ip: Host, value: object) -> bool:
  return isinstance(value, Ref) and NoneType in ip.frame.types_of(value)


def _int(ip: Host, value: object, default: int) -> tf.Tensor:
  """Returns a place or a count, int64 []."""
  if value is None:
    return tf.constant(default, tf.int64)
  value = as_index(ip, value)
  if _may_be_none(ip, value) or _numbers.type_of(value) not in (int, bool):
    what = f"A place in a string that is a {named(value)}."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, what)
  if isinstance(value, int):
    return tf.constant(max(-_LONGEST, min(int(value), _LONGEST)), tf.int64)
  number = tf.cast(as_number(value).tensor, tf.int64)
  return tf.clip_by_value(number, -_LONGEST, _LONGEST)


# --- Looking for something


def _search(
  ip: Host, search: str, text: object, part: object, start: object = None, stop: object = None
) -> Number:
  first, last = _int(ip, start, 0), _int(ip, stop, _LONGEST)
  found = kernels.recursive_tf_text_search(
    _string(ip, text), _string(ip, part), first, last, search=search
  )
  return Number(found, int)


def _searching(name: str) -> Callable[..., object]:
  def find(
    ip: Host, text: object, part: object, start: object = None, stop: object = None, /
  ) -> Number:
    return _search(ip, name, text, part, start, stop)

  return find


def _place(name: str) -> Callable[..., object]:
  def index(
    ip: Host, text: object, part: object, start: object = None, stop: object = None, /
  ) -> Number:
    found = _search(ip, name, text, part, start, stop).tensor
    return Number(ip.frame.check(found, found >= 0, "substring not found"), int)

  return index


def _affix(name: str) -> Callable[..., object]:
  def test(
    ip: Host, text: object, part: object, start: object = None, stop: object = None, /
  ) -> object:
    if not isinstance(part, tuple):
      return Number(_search(ip, name, text, part, start, stop).tensor > 0, bool)
    for one in part:  # Python asks them one by one, and may never get to one that is no string.
      if not is_string(ip.frame.resolve(one), ip.frame):
        what = f"str.{name} of a tuple of more than strings."
        raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, what)
    found = [_search(ip, name, text, ip.frame.resolve(one), start, stop).tensor for one in part]
    return Number(tf.reduce_any(tf.stack(found) > 0), bool) if found else False

  return test


# --- Parts


def _all_characters() -> Iterable[str]:
  return map(chr, range(_NUM_CODES))


def _stripping(at_start: bool, at_end: bool) -> Callable[..., object]:
  def strip(ip: Host, text: object, chars: object = None, /) -> Text:
    if _may_be_none(ip, chars):
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "str.strip of what may be None.")
    wanted = tf.constant(_all_spaces()) if chars is None else _string(ip, chars)
    found = kernels.recursive_tf_text_strip(
      _string(ip, text), wanted, at_start=at_start, at_end=at_end
    )
    return Text((found,))

  return strip


@functools.lru_cache(maxsize=1)
def _all_spaces() -> bytes:
  return "".join(filter(str.isspace, _all_characters())).encode()


def _without(name: str) -> Callable[..., object]:
  """Returns `removeprefix` or `removesuffix`."""

  def remove(ip: Host, text: object, part: object, /) -> Text:
    search = "startswith" if name == "removeprefix" else "endswith"
    whole, affix = _string(ip, text), _string(ip, part)
    has = _search(ip, search, text, part).tensor > 0
    count = tf.strings.length(affix)  # In bytes, as of all below.
    at = count if name == "removeprefix" else 0
    rest = tf.strings.substr(whole, tf.where(has, at, 0), _rest(whole, has, count))
    return Text((rest,))

  return remove


def _rest(whole: tf.Tensor, has: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
  length = tf.strings.length(whole)
  return tf.where(has, length - count, length)


def _replaced(ip: Host, text: object, old: object, new: object, count: object = -1, /) -> Text:
  if count is None:
    raise Raises  # A TypeError.
  times = _int(ip, count, -1)
  found = kernels.recursive_tf_text_replace(
    _string(ip, text), _string(ip, old), _string(ip, new), times
  )
  return Text((found,))


def _splitting(from_right: bool) -> Callable[..., object]:
  def split(ip: Host, text: object, sep: object = None, maxsplit: object = -1) -> LocalList:
    if _may_be_none(ip, sep):
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "str.split by what may be None.")
    if maxsplit is None:
      raise Raises  # A TypeError.
    parts = kernels.recursive_tf_text_split(
      _string(ip, text),
      tf.constant(_all_spaces()) if sep is None else _separator(ip, sep),
      _int(ip, maxsplit, -1),
      at_spaces=sep is None,
      from_right=from_right,
    )
    return ip.frame.new(LocalList(Rows(tf.size(parts), (parts,), TextForm())))

  return split


def _separator(ip: Host, value: object) -> tf.Tensor:
  found = _string(ip, value)
  return ip.frame.check(found, tf.not_equal(found, ""), "empty separator")


def _partitioning(from_right: bool) -> Callable[..., object]:
  def partition(ip: Host, text: object, sep: object, /) -> tuple[object, ...]:
    separator = _separator(ip, sep)
    parts = kernels.recursive_tf_text_split(
      _string(ip, text),
      separator,
      tf.constant(1, tf.int64),
      at_spaces=False,
      from_right=from_right,
    )
    is_found = tf.size(parts) > 1
    first, last = parts[0], parts[-1]
    middle = tf.where(is_found, separator, "")
    if from_right:
      first = tf.where(is_found, first, "")
    else:
      last = tf.where(is_found, last, "")
    return tuple(Text((part,)) for part in (first, middle, last))

  return partition


# --- Widths


def _adjusting(align: str) -> Callable[..., object]:
  """Returns `ljust`, `rjust` or `center`."""

  def adjust(ip: Host, text: object, width: object, fill: object = " ", /) -> Text:
    if width is None:
      raise Raises  # A TypeError.
    string, character, wanted = _string(ip, text), _string(ip, fill), _width(ip, width)
    is_one = tf.equal(tf.strings.length(character, unit="UTF8_CHAR"), 1)
    character = ip.frame.check(character, is_one, "the fill is no single character")
    if align != "^":
      return Text((padded(string, character, wanted, align),))
    count = wanted - tf.cast(tf.strings.length(string, unit="UTF8_CHAR"), tf.int64)
    # Of an odd number of characters the one more is at the left in odd widths.
    before = tf.maximum(count // 2 + (count & wanted & 1), 0)
    string = tf.strings.join([repeated(character, before), string])
    return Text((padded(string, character, wanted, "<"),))

  return adjust


_WIDEST = 1 << 20  # Characters; wider strings are Python's.


def _width(ip: Host, width: object) -> tf.Tensor:
  wanted = _int(ip, width, 0)
  return ip.frame.check(wanted, wanted <= _WIDEST, "a very wide string")


def _zeros_filled(ip: Host, text: object, width: object, /) -> Text:
  if width is None:
    raise Raises  # A TypeError.
  string, wanted = _string(ip, text), _width(ip, width)
  count = tf.maximum(wanted - tf.cast(tf.strings.length(string, unit="UTF8_CHAR"), tf.int64), 0)
  has_sign = tf.strings.regex_full_match(string, r"(?s)[-+].*")
  num = tf.where(has_sign, 1, 0)
  sign, rest = (
    tf.strings.substr(string, at, length)
    for at, length in ((0, num), (num, tf.strings.length(string) - num))
  )
  return Text((tf.strings.join([sign, repeated("0", count), rest]),))


# --- Characters

# Of each character. Python's own calls for each may take twenty times as long: where they are deep
# in a stack, 3.11 may get and give back memory for every one.
_Flags: TypeAlias = Callable[[], Iterable[bool]]


def _each(method: Callable[[str], bool]) -> _Flags:
  return lambda: map(method, _all_characters())


def _joined(function: Callable[..., bool], *flags: _Flags) -> _Flags:
  return lambda: map(function, *(one() for one in flags))


_LOWER, _UPPER, _TITLE = map(_each, (str.islower, str.isupper, str.istitle))
# Of which characters there has to be one, and of which none.
CLASSES: dict[str, tuple[_Flags, _Flags]] = {
  name: (_each(getattr(str, name)), _joined(operator.not_, _each(getattr(str, name))))
  for name in (
    *("isalnum", "isalpha", "isascii", "isdecimal"),
    *("isdigit", "isnumeric", "isprintable", "isspace"),
  )
}
CLASSES["islower"] = _LOWER, _joined(operator.or_, _UPPER, _TITLE)
CLASSES["isupper"] = (
  _UPPER,
  _joined(operator.or_, _LOWER, _joined(operator.gt, _TITLE, _UPPER)),  # Title, not upper.
)
_OF_EMPTY = frozenset(["isascii", "isprintable"])  # Which are true of no characters.


def _ranges(flags: _Flags) -> list[int]:
  """Returns where ranges of code points begin and end of which something holds."""
  ends: list[int] = []
  for number, holds in enumerate(flags()):
    if holds is not (len(ends) % 2 == 1):
      ends.append(number)
  return ends + [_NUM_CODES] * (len(ends) % 2)


@functools.lru_cache(maxsize=len(CLASSES))
def ranges_of(name: str) -> tuple[list[int], list[int]]:
  """Returns the characters that a test of strings asks for, and those that it forbids."""
  some, none = CLASSES[name]
  return _ranges(some), _ranges(none)


def _class_test(name: str) -> Callable[..., object]:
  def test(ip: Host, text: object, /) -> Number:
    some, none = (tf.constant(ends, tf.int32) for ends in ranges_of(name))
    string = _string(ip, text)
    found = kernels.recursive_tf_text_has(string, some, none)
    if name in _OF_EMPTY:
      found |= tf.equal(string, "")
    return Number(found, bool)

  return test


def _of_ascii(method: Callable[[tf.Tensor], tf.Tensor]) -> Callable[..., object]:
  """Returns a method that is done of ASCII: the run fails where there is another character."""

  def change(ip: Host, text: object, /) -> Text:
    string = _string(ip, text)
    is_ascii = tf.equal(tf.strings.length(string), tf.strings.length(string, unit="UTF8_CHAR"))
    return Text((method(ip.frame.assume(string, is_ascii, "letters that are not ASCII")),))

  return change


def _capitalized(string: tf.Tensor) -> tf.Tensor:
  count = tf.strings.length(string)
  end = tf.minimum(count, 1)
  first, rest = (tf.strings.substr(string, at, n) for at, n in ((0, end), (end, count - end)))
  return tf.strings.upper(first) + tf.strings.lower(rest)


_METHODS: dict[str, Callable[..., object]] = {
  **{name: _searching(name) for name in ("find", "rfind", "count")},
  "index": _place("find"),
  "rindex": _place("rfind"),
  **{name: _affix(name) for name in ("startswith", "endswith")},
  "strip": _stripping(True, True),
  "lstrip": _stripping(True, False),
  "rstrip": _stripping(False, True),
  **{name: _without(name) for name in ("removeprefix", "removesuffix")},
  "replace": _replaced,
  "split": _splitting(False),
  "rsplit": _splitting(True),
  "partition": _partitioning(False),
  "rpartition": _partitioning(True),
  "ljust": _adjusting("<"),
  "rjust": _adjusting(">"),
  "center": _adjusting("^"),
  "zfill": _zeros_filled,
  **{name: _class_test(name) for name in CLASSES},
  "upper": _of_ascii(tf.strings.upper),
  "lower": _of_ascii(tf.strings.lower),
  "casefold": _of_ascii(tf.strings.lower),
  "capitalize": _of_ascii(_capitalized),
}
