"""Where in the program an object comes from, and so which objects a read begins with.

A profile knows of all dicts together what their values are, and of all lists their elements: of
builtin containers it has only the class. A program that is refused since these are of several
kinds is converted once more with its reads told apart: by the argument of the program that they
begin with and the steps from there, through calls. What objects of other arguments hold is left out
then. No walk checks that: the run looks at what it reads, and fails where it is of another kind,
which is noted for the next conversion.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.heap._reference_walk import MISSING, UnsupportedReadError, evaluate
from recursive_tf.convert.values._paths import Held, Path, Provenance, plain_path

# Of refusals that more exact types may help against.
OF_KINDS = (
  Reason.KINDS_DIFFER,
  Reason.MIXED_ATTRIBUTE,
  Reason.OPAQUE_READ,
  Reason.EFFECT_ORDER,
  Reason.NEEDS_VALUE,
  Reason.DYNAMIC_LIST,
  Reason.SHARED_CONTAINER,
  Reason.UNSUPPORTED_OPERATION,
  Reason.UNSUPPORTED_WRITE,
)
_MAX_OBJECTS = 10_000  # That are followed: enough to see what there is; the run checks all.

Place = tuple[Provenance, Path, bool]  # A read from an origin, and whether it is of elements.


class Origins:
  """Which objects of a call come from where, as far as one conversion has found out.

  Attributes:
    learnt: the types that reads have given, kept for the conversions to come.
  """

  def __init__(self, learnt: dict[Place, frozenset[type]], roots: Mapping[str, Iterable[object]]):
    """Begins with the objects that the arguments of a call are, by name."""
    self.learnt = learnt
    self._roots = {name: list(objects) for name, objects in roots.items()}
    self._passed: dict[Hashable, dict[Provenance | None, None]] = {}  # To each parameter.
    self._found: dict[Hashable, list[object] | None] | None = None
    self._types: dict[Place, frozenset[type] | None] = {}
    self._used: dict[Place, frozenset[type] | None] = {}

  def restart(self) -> None:
    """Forgets what was relied on."""
    self._used = {}

  def pass_on(self, parameter: Hashable, origin: Provenance | None) -> None:
    """Notes where the objects come from that a parameter is given; None if that is not known."""
    known = self._passed.setdefault(parameter, {})
    if origin not in known:
      known[origin] = None
      self._found = None

  def types(self, origin: Provenance, path: Path, is_items: bool = False) -> frozenset[type] | None:
    """Returns the types of what a read gives, or of its elements; None if it is not known."""
    place = origin, path, is_items
    found = self._now(place)
    self._used.setdefault(place, found)
    return found or None

  def is_settled(self) -> bool:
    """Tells whether all that was relied on still holds."""
    return all(self._now(place) == types for place, types in list(self._used.items()))

  def end(self) -> None:
    """Lets the objects go."""
    self._roots, self._found, self._types = {}, {}, {}

  def learn(self, roots: Mapping[str, Iterable[object]]) -> bool:
    """Notes what reads give in another call; tells whether there is anything new."""
    self._roots = {name: list(objects) for name, objects in roots.items()}
    self._found = None
    before = [self.learnt.get(place) for place in self._used]
    after = [self._now(place) for place in self._used]
    self.end()
    return any(new is not None and new != old for old, new in zip(before, after, strict=True))

  def _now(self, place: Place) -> frozenset[type] | None:
    """Returns the types of a read as far as they are known; None if it may be anything."""
    if self._found is None:
      self._found, self._types = self._solve(), {}
    if place not in self._types:
      origin, path, is_items = place
      found = self._found.get(origin.source, [])
      values = None if found is None else _all(found, origin.read(path, is_items).steps)
      if values is not None:
        self.learnt[place] = self.learnt.get(place, frozenset()) | set(map(type, values))
      self._types[place] = None if values is None else self.learnt[place]
    return self._types[place]

  def _solve(self) -> dict[Hashable, list[object] | None]:
    """Finds the objects of all sources; None of those of which they are not known."""
    onward: dict[Hashable, list[tuple[Hashable, tuple[Hashable, ...]]]] = {}
    for parameter, passed in self._passed.items():
      for origin in passed:
        if origin is not None:
          onward.setdefault(origin.source, []).append((parameter, origin.steps))
    unknown = [parameter for parameter, passed in self._passed.items() if None in passed]
    found: dict[Hashable, dict[int, object]] = {parameter: {} for parameter in self._passed}
    agenda: list[tuple[Hashable, object]] = [
      (name, obj) for name, objects in self._roots.items() for obj in objects
    ]
    agenda += [(one, one.value) for one in onward if isinstance(one, Held)]
    count = 0
    while agenda:
      source, obj = agenda.pop()
      known = found.setdefault(source, {})
      if id(obj) in known:
        continue
      known[id(obj)] = obj
      count += 1
      if count > _MAX_OBJECTS:
        return dict.fromkeys([*found, *onward])
      for parameter, steps in onward.get(source, ()):
        values = _all([obj], steps)
        if values is None:
          unknown.append(parameter)
        else:
          agenda += [(parameter, value) for value in values]
    result: dict[Hashable, list[object] | None] = {k: list(v.values()) for k, v in found.items()}
    while unknown:
      source = unknown.pop()
      if result.get(source, ()) is not None:
        result[source] = None
        unknown += [parameter for parameter, _ in onward.get(source, ())]
    return result


def _all(objects: Iterable[object], steps: Iterable[Hashable]) -> list[object] | None:
  """Returns what steps lead to; None if reading it would run code of the program's."""
  values = list(objects)
  try:
    for step in steps:
      values = [value for obj in values for value in _after(obj, step)]
  except UnsupportedReadError:
    return None
  return values


def _after(obj: object, step: Hashable) -> Iterator[object]:
  if isinstance(step, frozenset):
    if type(obj) in step:
      yield obj
    return
  assert isinstance(step, tuple)  # A read.
  path, is_items = step
  value = evaluate(obj, plain_path(path))
  if not is_items:
    if value is not MISSING:
      yield value
  elif isinstance(value, list):
    yield from list.__iter__(value)
  elif isinstance(value, tuple):
    yield from tuple.__iter__(value)
