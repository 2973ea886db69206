"""How formats lay strings and numbers out: their width, their sign and their groups of digits."""

from __future__ import annotations

import dataclasses
import re

import tensorflow as tf

_SPEC = re.compile(
  r"(?:(?P<fill>.)?(?P<align>[<>=^]))?(?P<sign>[-+ ])?(?P<zero>0)?(?P<width>[1-9]\d{0,3})?"
  r"(?P<comma>[,_])?(?:\.(?P<digits>\d\d?))?(?P<kind>[dsfeg%])?",
  re.DOTALL,
)
_NUM_GROUPS = 6  # Of three digits, of which an int has no more beside its first ones.
_UNIT = "UTF8_CHAR"


@dataclasses.dataclass(frozen=True)
class Layout:
  """A format of Python's, without what is said of digits: `Layout.of(">8,.2f")`.

  Attributes:
    inner: the format that is left: nothing, `.2f` or the like; for strings `.3`.
    is_percent: whether it is of a hundred times the number, with a `%` behind it.
    kind: what the format names at its end, if anything.
    sign: `+`, ` ` or `-`, if the format says one: what is before numbers that are not negative.
    group: what is between thousands.
    fill: the character that fills.
    align: where the value is: `<`, `>`, `^`, or `=`, which fills behind the sign; None as ever.
    width: the smallest number of characters.
  """

  inner: str
  is_percent: bool
  kind: str
  sign: str
  group: str
  fill: str
  align: str | None
  width: int

  @classmethod
  def of(cls, spec: str) -> Layout | None:
    """Returns what a format says; None of one that is not done in a run."""
    found = _SPEC.fullmatch(spec)
    if found is None or (found["zero"] and found["comma"]):
      return None
    fill, align, kind = found["fill"], found["align"], found["kind"] or ""
    if found["zero"] and fill is None:
      fill = "0"
    digits = found["digits"]
    number = f".{digits or 6}{'f' if kind == '%' else kind}" if kind in tuple("feg%") else ""
    inner = f".{digits}" if digits is not None and kind in ("", "s") else number
    sign = found["sign"] or ""
    width = int(found["width"] or 0)
    is_percent = kind == "%"
    return cls(inner, is_percent, kind, sign, found["comma"] or "", fill or " ", align, width)

  @property
  def is_of_strings(self) -> bool:
    """Whether strings have such a format."""
    return not self.sign and not self.group and self.align != "=" and self.kind in ("", "s")

  def of_number(self, body: tf.Tensor) -> tf.Tensor:
    """Returns a number as it is laid out, of what `inner` makes of it.

    Up to 21 digits before the point are in groups.
    """
    if self.group:
      for _ in range(_NUM_GROUPS):
        body = tf.strings.regex_replace(body, r"^(-?\d+)(\d{3})", rf"\1{self.group}\2")
    is_negative = tf.equal(tf.strings.substr(body, 0, 1), "-")
    sign = self.sign.strip("-")
    if sign:
      body = tf.where(is_negative, body, tf.strings.join([sign, body]))
    align = self.align or ("=" if self.fill == "0" else ">")
    if align != "=":
      return padded(body, self.fill, self.width, align)
    count = tf.where(is_negative, 1, len(sign))
    first = tf.strings.substr(body, 0, count)
    rest = tf.strings.substr(body, count, tf.strings.length(body) - count)
    between = _part_of(self.fill * self.width, self.width - tf.strings.length(body))
    return tf.strings.join([first, between, rest])

  def of_string(self, text: tf.Tensor) -> tf.Tensor:
    """Returns a string as it is laid out."""
    if self.inner:
      text = tf.strings.substr(text, 0, int(self.inner[1:]), unit=_UNIT)
    return padded(text, self.fill, self.width, self.align or "<")


def padded(text: tf.Tensor, fill: str | tf.Tensor, width: tf.Tensor | int, align: str) -> tf.Tensor:
  """Returns a string at the left (`<`), at the right (`>`) or in the middle (`^`) of a width.

  Args:
    text: the string.
    fill: the character that fills, or, of a width that only the run knows, its tensor.
    width: the smallest number of characters.
    align: where the string is.
  """
  count = tf.maximum(tf.cast(width, tf.int32) - tf.strings.length(text, unit=_UNIT), 0)
  before = {"<": None, ">": count, "^": count // 2}[align]
  after = {"<": count, ">": None, "^": count - count // 2}[align]

  def filled(number: tf.Tensor) -> tf.Tensor:
    if isinstance(width, int):
      return _part_of(str(fill) * width, number)
    return repeated(fill, number)

  parts = [
    *([] if before is None else [filled(before)]),
    text,
    *([] if after is None else [filled(after)]),
  ]
  return tf.strings.join(parts)


def _part_of(text: str, count: tf.Tensor) -> tf.Tensor:
  """Returns the first characters of a string; none of less than one."""
  return tf.strings.substr(text, 0, tf.maximum(count, 0), unit=_UNIT)


def repeated(text: str | tf.Tensor, count: tf.Tensor) -> tf.Tensor:
  """Returns a string so many times, at least none."""
  return tf.strings.reduce_join(tf.fill([count], text), 0)
