"""Strings that only the run knows: what `print` and messages show of its values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from recursive_tf.convert.values._abstract import Abstract

REPEATED = 42  # A conversion: the format, so many times.


@dataclasses.dataclass(frozen=True, eq=False)
class Format:
  """One replacement field of an f-string: a value, `!r` or the like, and a format."""

  value: Any
  conversion: int
  spec: Any

  def text(self) -> str:
    """Returns the string, where the value is known."""
    if self.conversion == REPEATED:
      return str(self.spec * self.value)
    conversions: dict[int, Callable[[Any], str]] = {115: str, 114: repr, 97: ascii}
    convert = conversions.get(self.conversion)
    return format(self.value if convert is None else convert(self.value), self.spec)


@dataclasses.dataclass(frozen=True, eq=False)
class Text(Abstract):
  """A string that only the run knows: what `print` and messages may show."""

  parts: tuple[Any, ...]
  description = "A string that only the run knows"

  def known(self) -> Any:
    """Returns the string, if all of it is known; else itself."""
    text = ""
    for part in self.parts:
      if isinstance(part, str):
        text += part
      elif isinstance(part.value, (str, int, float, bool)) and isinstance(part.spec, str):
        text += part.text()
      else:
        return self
    return text
