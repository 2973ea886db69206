"""Why objects are not those of a program, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recursive_tf import _walk
from recursive_tf.convert.heap._columns import path_text
from recursive_tf.convert.program._feeding import Outdated

_LONGEST = 60  # Characters of a value that is shown.


def text_of(
  outdated: Outdated, rows: Sequence[object], reads: Callable[[Sequence[object]], object]
) -> str:
  """Returns which of several objects a program does not read, and what about it.

  Args:
    outdated: what a program raised that was to read all of them.
    rows: the objects.
    reads: reads some of them; raises as for all.
  """
  for number, row in enumerate(rows):
    try:
      reads([row])
    except Outdated as of_row:
      where = f"object {number} of {len(rows)}, {_of_class(row)}"
      return f"{where}: {_of_read(of_row.found, row)}"
  return f"these {len(rows)} objects: {outdated.what} are others"  # One by one they are read.


def _of_read(found: _walk.Surprise | None, row: object) -> str:
  if found is None or found.object is None:
    return "it is of another class, or something in it is a tensor of another type or shape"
  holder = f"of {_of_class(found.object)}"
  read = f"{path_text(found.path)}, {holder},"
  if found.reason == "missing":
    return f"there is no {path_text(found.path)} {holder}"
  if found.reason == "range":
    return f"{read} is {_shown(found.value)}, which no int32 can be"
  if found.value is None:
    return f"{read} is None"
  parts = (_shown(found.value), _of_class(found.value))
  return f"{read} is {', '.join(filter(None, parts))}"


def _of_class(value: object) -> str:
  name = type(value).__name__
  return f"{'an' if name[:1].lower() in tuple('aeiou') else 'a'} {name}"


def _shown(value: object) -> str:
  """Returns a value as it is written; nothing of objects of which that says nothing."""
  if type(value) in (int, float, bool, str, bytes):
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
  return "" if type(value).__repr__ is object.__repr__ else _shown(repr(value))
