"""Strings that only the run knows."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values._abstract import Ref, Scope
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import ByType
from recursive_tf.convert.values._text import REPEATED, Format, Text


def text_binary(ip: Host, op: type[ast.operator], left: Any, right: Any) -> Text | None:
  """Returns `+` of strings, and `*` of a string and an int, if only the run knows the result."""
  if op is ast.Mult:
    for text, count in ((left, right), (right, left)):
      if isinstance(text, str) and isinstance(count, Number) and count.type is int:
        return Text((Format(count, REPEATED, text),))
  if op is not ast.Add or (isinstance(left, str) and isinstance(right, str)):
    return None
  parts: list[Any] = []
  for value in (left, right):
    if isinstance(value, Text):
      parts += value.parts
    elif isinstance(value, str):
      parts.append(value)
    elif isinstance(value, Ref) and ip.frame.types_of(value) == {str}:
      parts.append(Format(value, -1, ""))
    else:
      return None
  return Text(tuple(parts))


def formatted(ip: Host, node: Any, scope: Scope) -> Any:
  """Returns an f-string: a string if all of it is known, else what `print` can still show."""
  parts: list[Any] = []
  for value in node.values:
    if isinstance(value, ast.Constant):
      parts.append(value.value)
      continue
    assert isinstance(value, ast.FormattedValue)  # The grammar has nothing else.
    spec = "" if value.format_spec is None else formatted(ip, value.format_spec, scope)
    found = ip.frame.resolve(ip.eval(value.value, scope))
    parts.append(Format(found, value.conversion, spec))
  chosen = next((i for i, part in enumerate(parts) if _is_chosen(part)), None)
  if chosen is None:
    return Text(tuple(parts)).known()
  texts = {}
  for kind, value in parts[chosen].value.values.items():
    part = dataclasses.replace(parts[chosen], value=value)
    texts[kind] = Text((*parts[:chosen], part, *parts[chosen + 1 :])).known()
  if not all(isinstance(text, str) for text in texts.values()):
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION, "An f-string of the class of an object and of other values."
    )
  return ByType(parts[chosen].value.ref, texts)


def _is_chosen(part: Any) -> bool:
  return isinstance(part, Format) and isinstance(part.value, ByType)
