"""`print` in a program: what each call of it shows is collected in the run and printed after it."""

from __future__ import annotations

import dataclasses
import io
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Container, Missing, Ref, is_static
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._text import Format, Text

_SHOWN = (str, int, float, bool, NoneType)  # Objects that look the same after the run.


@dataclasses.dataclass(frozen=True, eq=False)
class Site:
  """One place in the program that prints.

  Attributes:
    key: tells it from others, the same in each attempt.
    values: what it prints: constants, `_Hole` for what the run gives, `Text` with holes in it.
    options: sep, end, file and flush.
  """

  key: object
  values: tuple[object, ...]
  options: dict[str, Any]

  def texts(self, operands: Iterator[object]) -> list[str]:
    """Returns what is printed, with what the run gave."""
    return [str(_filled(value, operands)) for value in self.values]

  def is_taken(self, texts: Iterable[str]) -> bool:
    """Tells whether the stream takes what is printed: an open one that has all its characters."""
    stream = sys.stdout if self.options.get("file") is None else self.options["file"]
    try:
      if getattr(stream, "closed", False) is True:
        return False
      encoding, errors = getattr(stream, "encoding", None), getattr(stream, "errors", None)
      if isinstance(encoding, str):
        for text in (*texts, *filter(None, map(self.options.get, ("sep", "end")))):
          text.encode(encoding, errors or "strict")
    except LookupError:
      pass  # A name of the user's own, which says nothing.
    except Exception:  # Whatever a stream raises that is asked.
      return False
    return True

  def print(self, texts: Iterable[str], file: TextIO | None = None) -> None:
    """Prints; to another file than the terminal's if one is given."""
    options = self.options
    if file is not None:
      if not self.is_terminal:
        return
      options = options | {"file": file, "flush": False}
    print(*texts, **options)

  @property
  def is_terminal(self) -> bool:
    """Whether it prints to where `print` does unless told otherwise."""
    return self.options.get("file") in (None, sys.stdout)


class _Hole:
  """A value that the run gives."""


_HOLE = _Hole()


def site_of(
  ip: Host, values: tuple[object, ...], options: dict[str, object]
) -> tuple[Site, list[object]]:
  """Returns what a `print` does, and the abstract values that it shows."""
  operands: list[object] = []
  shown = tuple(_template(ip, value, operands) for value in values)
  for name, option in options.items():
    _check_option(ip, name, option)
  forms = [_forms.form_of(operand, ip.frame) for operand in operands]
  for form in forms:
    _note_shown(ip, form)
  described = repr([_forms.describe(form) for form in forms])
  key = str(ip.frame.origin), len(values), described, repr(shown), _key_of(options)
  return Site(key, shown, dict(options)), operands


def _check_option(ip: Host, name: str, option: object) -> None:
  """Refuses where only the run knows it, where `print` raises for it, or runs the user's code."""
  if not is_static(option):
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f"print with {name}= of the run.")
  if name in ("sep", "end"):
    is_taken = option is None or isinstance(option, str)
  elif name == "file":
    is_own = isinstance(getattr(type(option), "write", None), types.FunctionType)
    is_taken = option is None or option is sys.stdout or option is sys.stderr
    is_taken |= isinstance(option, io.IOBase) and not is_own
  else:
    is_taken = name == "flush" and isinstance(option, (bool, int, NoneType))
  if not is_taken:
    kind = type(option).__name__
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f"print with {name}= that is a {kind}.")


def _key_of(options: dict[str, object]) -> object:
  """Returns what tells the options of one `print` from those of others."""
  return tuple(
    (name, type(option), option if isinstance(option, str) else id(option))
    for name, option in sorted(options.items())
  )


def _template(ip: Host, value: object, operands: list[object]) -> object:
  frame = ip.frame
  if isinstance(value, Text):
    return Text(tuple(_part(ip, part, operands) for part in value.parts))
  if isinstance(value, tf.Variable):
    raise frame.refuse(Reason.UNSUPPORTED_WRITE, "print of a variable. Print what it holds.")
  value = frame.resolve(value)
  if isinstance(value, Container) and isinstance(value.snapshot(), dict):
    raise frame.refuse(Reason.UNSUPPORTED_WRITE, f"print of a {type(value).__name__[5:].lower()}.")
  if not isinstance(value, Ref) and is_static(value) and not _forms.is_tensor_like(value):
    _note_shown(ip, _forms.form_of(value, frame))
    return value
  operands.append(value)
  return _HOLE


def _note_shown(ip: Host, form: _forms.Form) -> None:
  """Notes what may look different after the run, which is when it is printed."""
  if form is None or ip.conversion.effects.shows_objects:
    return
  if isinstance(form, _forms.RefForm):
    is_same = all(map(_looks_the_same, form.types - {Missing}))
  elif isinstance(form, _forms.MadeForm):
    is_same = False
  else:
    is_same = all(_looks_the_same(type(value)) for value in form.constant())
  if not is_same:
    ip.conversion.effects.shows_objects = True
  for child in form.children():
    _note_shown(ip, child)


def _looks_the_same(kind: type) -> bool:
  """Tells whether objects of a class look the same after the run."""
  looks: tuple[object, ...] = (object.__repr__, object.__str__, object.__format__)
  return kind in _SHOWN or (kind.__repr__, kind.__str__, kind.__format__) == looks


def _part(ip: Host, part: object, operands: list[object]) -> object:
  if isinstance(part, tf.Tensor):
    operands.append(Text((part,)))
    return Format(_HOLE, -1, "")
  if not isinstance(part, Format):
    return part
  spec = part.spec
  if not isinstance(spec, str):
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, "A format that only the run knows.")
  return Format(_template(ip, part.value, operands), part.conversion, spec)


def _filled(value: object, operands: Iterator[object]) -> object:
  if value is _HOLE:
    return next(operands)
  if isinstance(value, Text):
    parts = [
      Format(_filled(part.value, operands), part.conversion, part.spec)
      if isinstance(part, Format)
      else part
      for part in value.parts
    ]
    return "".join(part if isinstance(part, str) else part.text() for part in parts)
  return value
