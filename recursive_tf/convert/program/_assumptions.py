"""What the graphs of one function rely on, how often that did not hold, and what became of it.

JANUS (Jeong et al., NSDI 2019, section 3.1) calls these assumptions: shapes of arguments, what is
read outside, branches that are left out, the kinds of objects. Who finds one broken tells it here.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Origin

_MAX_KNOWN = 1_000
_LONGEST = 40  # Characters of a value that is shown.
INPUT, GRAPH, PYTHON = "an input of the graph", "another graph", "plain Python"
_WORDS = {
  "elements": "the elements of {}",
  "items": "the items of {}",
  "len": "the length of {}",
  "function": "code and default values of {}",
  "methods": "the methods of {}",
  "content": "all that {} holds",
  "settings": "the settings of Keras",
}
_SHOWN = (bool, int, float, complex, str, bytes, type(None))


@dataclasses.dataclass(frozen=True)
class Assumption:
  """Something that graphs rely on.

  Attributes:
    number: tells it from others of the function; the same in each report.
    what: it is about.
    seen: what was found at first, and is relied on.
    origin: the user's line that relies on it; None if none does more than others.
    num_breaks: calls that left a graph which relies on it, having found something else.
    relaxed: what is done since then; empty if it has held.
  """

  number: int
  what: str
  seen: str
  origin: Origin | None
  num_breaks: int = 0
  relaxed: str = ""

  def __str__(self) -> str:
    """Returns it in words."""
    where = f"{self.origin.file.rpartition('/')[2]}:{self.origin.line} " if self.origin else ""
    seen = f" ({self.seen})" if self.seen else ""
    times = "once" if self.num_breaks == 1 else f"{self.num_breaks} times"
    broken = f": did not hold {times}; now {self.relaxed}" if self.num_breaks else ""
    return f"#{self.number} {where}{self.what}{seen}{broken}"


class Assumptions:
  """The assumptions of one function. Not thread-safe."""

  def __init__(self) -> None:
    self._known: dict[object, Assumption] = {}
    self._in_call: set[object] = set()  # Those that did not hold in this call.

  def begin_call(self) -> None:
    """Counts anew: each is broken once by a call, however many graphs rely on it."""
    self._in_call.clear()

  def __iter__(self) -> Iterator[Assumption]:
    """Yields them in the order in which they were made."""
    return iter(tuple(self._known.values()))

  def note(self, what: str, seen: str = "", origin: Origin | None = None) -> Assumption | None:
    """Notes one that a graph relies on; returns it, or None where there are too many."""
    key = what, origin
    if key not in self._known and len(self._known) < _MAX_KNOWN:
      self._known[key] = Assumption(len(self._known) + 1, what, seen, origin)
    return self._known.get(key)

  def is_first(self, what: str, seen: str, origin: Origin | None = None) -> bool:
    """Tells whether this is what was found at first, or nothing is known yet."""
    found = self._known.get((what, origin))
    return found is None or found.seen == seen

  def broke(self, what: str, relaxed: str, seen: str = "", origin: Origin | None = None) -> None:
    """Notes that one did not hold in a call, and what is done from then on."""
    found = self.note(what, seen, origin)
    if found is not None:
      count = found.num_breaks + ((what, origin) not in self._in_call)
      self._in_call.add((what, origin))
      self._known[what, origin] = dataclasses.replace(found, num_breaks=count, relaxed=relaxed)


def is_number(value: object) -> bool:
  """Tells whether a value is one that becomes an input where it changes."""
  return type(value) in (int, float) or isinstance(value, (tf.Tensor, np.ndarray))


def what_of(owner: object, name: object) -> str:
  """Returns what is relied on under a name, in words; empty if that says nothing to a user."""
  is_named = isinstance(owner, (type, types.ModuleType, types.FunctionType))
  kind = getattr(owner, "__name__", "") if is_named else type(owner).__name__
  if isinstance(owner, types.CellType):
    return f"variable {name!r} of a function around"
  if isinstance(name, str):
    if name in _WORDS and name not in getattr(owner, "__dict__", {}):
      return _WORDS[name].format(kind)
    is_global = isinstance(owner, dict)
    return f"global variable {name!r}" if is_global else f"attribute {name!r} of {kind}"
  first, *rest = name if isinstance(name, tuple) else (name,)
  if first == "type":
    return "" if type(owner).__module__ == "builtins" else f"the class of {kind}"
  if first == "item":
    return f"item {rest[0]!r} of {kind}"
  return f"whether {kind} has {rest[0]!r}" if first == "has" else ""


def shown(value: object) -> str:
  """Returns a value as a report has it."""
  if isinstance(value, _SHOWN):
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
  if isinstance(value, (type, types.ModuleType, types.FunctionType)):
    return str(getattr(value, "__name__", ""))
  if isinstance(value, (tf.Tensor, np.ndarray)):
    return f"{value.dtype.name if hasattr(value.dtype, 'name') else value.dtype}{list(value.shape)}"
  return ""
