"""Where in the arguments of a call objects of some types are, for messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from recursive_tf.convert._refusal import ConversionRefused
from recursive_tf.convert.heap._columns import path_text
from recursive_tf.convert.values._paths import Path

_MAX_OBJECTS = 2_000  # That are looked at: enough for small trees.
_MAX_PARTS = 50  # Of each container.


def with_examples(
  refusal: ConversionRefused, named: Mapping[str, Iterable[object]]
) -> ConversionRefused:
  """Returns a refusal that says of types that are mixed where in the arguments there are such.

  Args:
    refusal: any; most are of something else and stay what they are.
    named: the objects that each argument is, or holds.
  """
  if refusal.mixed is None:
    return refusal
  types, path = refusal.mixed
  found = _places(named, types, cast("Path", path))
  if len(found) < 2:
    return refusal
  places = sorted((kind.__name__, place) for kind, place in found.items())
  text = " and ".join(f"{place} is {name}" for name, place in places)
  more = ConversionRefused.of(
    refusal.reason, f"{refusal.explanation} {text}.", refusal.origin, refusal.is_of_machine
  )
  more.without, more.unbuilt = refusal.without, refusal.unbuilt
  more.with_numbers = refusal.with_numbers
  return more


def _places(
  named: Mapping[str, Iterable[object]], types: frozenset[type], path: Path
) -> dict[type, str]:
  """Returns a place for each type, of those that end as a read does."""
  end = path_text(path).removeprefix("object")
  found: dict[type, str] = {}
  agenda: deque[tuple[str, object]] = deque()
  for name, objects in named.items():
    agenda += [(name, one) for one in objects]
  seen: dict[int, object] = {}
  while agenda and len(seen) < _MAX_OBJECTS and len(found) < len(types):
    place, value = agenda.popleft()
    if type(value) in types and place.endswith(end) and (end or place.endswith("]")):
      found.setdefault(type(value), place)
    if id(value) not in seen:
      seen[id(value)] = value
      agenda += _parts(place, value)
  return found


def _parts(place: str, value: object) -> Iterator[tuple[str, object]]:
  """Yields what an object holds, without running any code of the user's."""
  if type(value) in (list, tuple):
    assert isinstance(value, (list, tuple))
    yield from ((f"{place}[{i}]", part) for i, part in enumerate(value[:_MAX_PARTS]))
  elif type(value) is dict:
    assert isinstance(value, dict)
    for key, part in list(value.items())[:_MAX_PARTS]:
      if type(key) in (str, int):
        yield f"{place}[{key!r}]", part
  else:
    own = object.__getattribute__(value, "__dict__") if _has_dict(value) else {}
    yield from ((f"{place}.{name}", part) for name, part in list(own.items())[:_MAX_PARTS])


def _has_dict(value: object) -> bool:
  """Tells whether an object has attributes in a dict of its own; a class is no node."""
  if isinstance(value, type) or type(value).__module__.partition(".")[0] in _LIBRARIES:
    return False
  if any(isinstance(vars(kind).get("__dict__"), property) for kind in type(value).__mro__):
    return False
  try:
    return type(object.__getattribute__(value, "__dict__")) is dict
  except AttributeError:
    return False


_LIBRARIES = ("tensorflow", "keras", "numpy", "builtins")
