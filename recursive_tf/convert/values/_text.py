"""Strings that only the run knows."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.values._abstract import Abstract, IntOrFloat, Missing, Raises, Ref
from recursive_tf.convert.values._layouts import Layout, repeated
from recursive_tf.convert.values._numbers import Number, text_of, to_float
from recursive_tf.convert.values._scalars import KINDS, Scalar

REPEATED = 42  # A conversion: the format, so many times.
REPR = 114  # The conversion `!r`.
_STR, _ASCII = 115, 97
_KNOWN = (str, int, float, bool)
_WITH_DIGITS = re.compile(r"(?:\.(\d\d?))?([feg])")  # What is done of formats.


class StringReader(Protocol):
  """What making a tensor of a string needs of the frame."""

  def types_of(self, ref: Ref) -> frozenset[type]:
    """Returns the exact types that a `Ref` can have."""

  def string(self, ref: Ref) -> tf.Tensor:
    """Returns a read as the string tensor that TensorFlow makes of it."""

  def as_scalar(self, value: object) -> Scalar | None:
    """Returns what is a Python bool, int, float or string as a `Scalar`; None of all else."""

  def count(self, number: Number) -> tf.Tensor:
    """Returns how often something is repeated, int32 []."""

  def assume(self, value: tf.Tensor, ok: tf.Tensor, message: str) -> tf.Tensor:
    """Returns the tensor; the run fails where it is used and `ok` is not true."""

  def refuse(self, reason: Reason, explanation: str) -> ConversionRefused:
    """Returns the refusal of what is being converted; raise it."""


@dataclasses.dataclass(frozen=True, eq=False)
class Format:
  """One replacement field of an f-string: a value, `!r` or the like, and a format."""

  value: object
  conversion: int
  spec: Any

  def text(self) -> str:
    """Returns the string, where the value is known."""
    if self.conversion == REPEATED:
      return str(self.spec * self.value)
    conversions: dict[int, Callable[[object], str]] = {_STR: str, REPR: repr, _ASCII: ascii}
    convert = conversions.get(self.conversion)
    return format(self.value if convert is None else convert(self.value), self.spec)

  def known(self) -> str:
    """Returns the string, where the value is known and Python does not raise."""
    try:
      return self.text()
    except (OverflowError, TypeError, ValueError):
      raise Raises from None

  @property
  def is_known(self) -> bool:
    """Whether the value is known at conversion."""
    return isinstance(self.value, _KNOWN) and isinstance(self.spec, str)


@dataclasses.dataclass(frozen=True, eq=False)
class Text(Abstract):
  """A string that only the run knows.

  It is put together where it is used: what only `print` shows may have parts in it, such as floats,
  of which TensorFlow makes other strings than Python.

  Attributes:
    parts: strings, `Format`s, and string tensors [].
  """

  parts: tuple[str | Format | tf.Tensor, ...]
  description = "A string that only the run knows"

  def within(self) -> Iterable[object]:
    return self.parts

  def known(self) -> object:
    """Returns the string, if all of it is known; else itself."""
    text = ""
    for part in self.parts:
      if isinstance(part, tf.Tensor) or (isinstance(part, Format) and not part.is_known):
        return self
      text += part if isinstance(part, str) else part.known()
    return text


def is_string(value: object, reader: StringReader) -> bool:
  """Tells whether a value is a Python string, in all runs in which it is there."""
  if isinstance(value, Ref):
    return reader.types_of(value) - {Missing} == {str}
  return isinstance(value, (Text, str))


def tensor_of(value: object, reader: StringReader) -> tf.Tensor:
  """Returns a Python string, for which `is_string`, as the tensor of its UTF-8.

  Raises:
    ConversionRefused: If Python alone makes it of its parts.
  """
  if isinstance(value, Ref):
    return reader.string(value)
  if isinstance(value, Scalar):  # A test has said that it is one.
    return value.text
  parts = value.parts if isinstance(value, Text) else (value,)
  tensors = [_tensor_of_part(part, reader) for part in parts]
  return tensors[0] if len(tensors) == 1 else tf.strings.join(tensors)


def _tensor_of_part(part: str | Format | tf.Tensor, reader: StringReader) -> tf.Tensor:
  if isinstance(part, Format) and part.is_known:
    part = part.known()
  if isinstance(part, str):
    try:
      return tf.constant(part.encode())
    except UnicodeEncodeError:
      text = "A string with half of a surrogate pair, which TensorFlow has no tensor for."
      raise reader.refuse(Reason.UNSUPPORTED_OPERATION, text) from None
  if isinstance(part, tf.Tensor):
    return part
  value = part.value
  if part.conversion == REPEATED:
    assert isinstance(value, Number)  # It is not known.
    return repeated(_tensor_of_part(part.spec, reader), reader.count(value))
  if part.spec == "" and value is None:
    return tf.constant("None")
  if part.spec == "" and part.conversion in (-1, _STR) and is_string(value, reader):
    return tensor_of(value, reader)
  if part.spec == "" and part.conversion == REPR and is_string(value, reader):
    return _quoted(tensor_of(value, reader), tf.constant(True), reader)
  value = _as_scalar(value, reader)
  found = _of_number(part, value, reader)
  if found is None:
    found = _laid_out(part, value, reader)
  if found is not None:
    return found
  raise reader.refuse(
    Reason.NEEDS_VALUE,
    "A string is used that Python makes of more than strings and numbers, or by another format.",
  )


def _as_scalar(value: object, reader: StringReader) -> object:
  """Returns a read of what is never None as a scalar, if it is one; all else as it is."""
  is_read = isinstance(value, Ref) and type(None) not in reader.types_of(value)
  found = reader.as_scalar(value) if is_read else None
  return value if found is None else found


def _of_number(part: Format, value: object, reader: StringReader) -> tf.Tensor | None:
  """Returns a number as a string; None if it is none, or the format is another."""
  digits = _WITH_DIGITS.fullmatch(part.spec) if isinstance(part.spec, str) else None
  if digits is None and part.spec != "":
    return None  # As it is laid out it has to be known for what it is, an int or a float.
  if isinstance(value, IntOrFloat) and (part.conversion == -1 or _is_bare_repr(part)):
    return _of_either(part, value, reader)
  if isinstance(value, Scalar):
    return _of_scalar(part, value, reader)
  if not isinstance(value, Number):
    return None
  if digits is not None and part.conversion == -1:
    return text_of(value, int(digits[1] or 6), digits[2])
  if digits is not None:
    return None
  if value.type is float:
    return text_of(value)
  if value.type is int:
    return tf.strings.as_string(value.tensor)
  return tf.where(value.tensor, "True", "False")


def _laid_out(part: Format, value: object, reader: StringReader) -> tf.Tensor | None:
  """Returns what a format with a width or the like makes; None if it is not done in a run."""
  layout = Layout.of(part.spec) if isinstance(part.spec, str) and part.spec else None
  if layout is None:
    return None
  is_text = isinstance(value, Scalar) and value.kinds == {str}
  if part.conversion != -1 or is_text or is_string(value, reader):
    if not layout.is_of_strings:
      return None
    return layout.of_string(_tensor_of_part(Format(value, part.conversion, ""), reader))
  if isinstance(value, Number) and value.type is bool:
    value = Number(tf.cast(value.tensor, tf.int32), int)  # Formats take bools for ints.
  kinds = value.kinds if isinstance(value, Scalar) else frozenset([int])
  if not isinstance(value, (Number, IntOrFloat, Scalar)) or kinds & {str, bool}:
    return None
  is_int = isinstance(value, Number) and value.type is int
  if (
    layout.kind == "s" or (layout.kind == "d" and not is_int) or (layout.inner and not layout.kind)
  ):
    return None
  if layout.is_percent:
    if not isinstance(value, Number):
      return None
    value = Number(to_float(value).tensor * 100.0, float)
  body = _of_number(Format(value, -1, layout.inner), value, reader)
  if body is None:
    return None
  if layout.group:
    few = tf.strings.regex_full_match(body, r"-?\d{0,21}([^-\d].*)?")
    body = reader.assume(body, few, "a number of more than 21 digits, in groups")
  return layout.of_number(tf.strings.join([body, "%"]) if layout.is_percent else body)


def _of_either(part: Format, value: IntOrFloat, reader: StringReader) -> tf.Tensor:
  """Returns what may be an int as a string: as the float, without its fraction."""
  text = _tensor_of_part(dataclasses.replace(part, value=value.value), reader)
  whole = text if part.spec else tf.strings.regex_replace(text, r"\.0$", "")
  return tf.where(value.is_int, whole, text)  # Ints of 53 bits have no exponent.


def _of_scalar(part: Format, value: Scalar, reader: StringReader) -> tf.Tensor | None:
  """Returns a scalar of several kinds as a string; None if the format is another for one."""
  if part.conversion not in (-1, _STR) and not _is_bare_repr(part):
    return None
  is_plain = part.spec == ""
  found: tf.Tensor | None = None
  for kind in KINDS:
    if kind not in value.kinds:
      continue
    if kind is str:
      own = value.text if is_plain else None
      if part.conversion == REPR:
        own = _quoted(value.text, value.is_of([str]), reader)
    elif is_plain or part.conversion == -1:
      own = _of_number(part, value.number(kind), reader)
    else:
      own = None
    if own is None:
      return None
    found = own if found is None else tf.where(value.is_of([kind]), own, found)
  return found


def _is_bare_repr(part: Format) -> bool:
  return part.conversion == REPR and isinstance(part.spec, str) and part.spec == ""


def _quoted(text: tf.Tensor, is_it: tf.Tensor, reader: StringReader) -> tf.Tensor:
  """Returns `repr` of strings in which nothing is escaped; the run fails for others."""
  has_single = tf.strings.regex_full_match(text, "[^']*'.*")
  has_double = tf.strings.regex_full_match(text, '[^"]*".*')
  ok = tf.strings.regex_full_match(text, r"[ -\[\]-~]*") & ~(has_single & has_double)
  text = reader.assume(text, ok | ~is_it, "repr() of a string in which something is escaped")
  quote = tf.where(has_single, '"', "'")
  return tf.strings.join([quote, text, quote])
