"""Lists and dicts that a program changes, found again by the names that it knows them by.

`model.losses = []` before each call gives the program another list under the same name. It is the
same program as long as all names that led to the old list lead to the new one, and nothing else of
what the program knows is that list: then the new one takes its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from recursive_tf.convert.effects._places import DICT, LIST, Place
from recursive_tf.convert.heap._guards import Guards, Name
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Held, Path


class Rebinding:
  """The lists and dicts of one program that may be replaced.

  Args:
    guards: of the program; they do not compare any more what is looked after here.
    places: what the program writes.
    stand_ins: the lists and dicts that conversion saw, by the number of what is in their place;
      filled here, and read when more graphs of the program are made.
    constants: objects of the program itself that are read like those of the tree.
    forms: of all that leaves the program.
    paths: the reads of the program.
    given: dicts among the arguments that it was made with, by name.
  """

  def __init__(
    self,
    guards: Guards,
    places: Iterable[Place],
    stand_ins: dict[int, object],
    constants: Iterable[object],
    forms: Iterable[_forms.Form],
    paths: Iterable[Path],
    given: Mapping[str, object],
  ):
    self._given = given
    self._values: Mapping[str, object] = given
    self._stand_ins = stand_ins
    changed = [place for place in places if place.kind in (LIST, DICT)]
    steps = [step for path in paths for step in path]
    held = [part.value for step in steps for part in step if isinstance(part, Held)]
    known = [*constants, *held, *(value for form in forms for value in _statics(form))]
    self._others = guards.mentioned() | set(map(id, known))
    self._kept = known  # So that their numbers stay theirs.
    self._names: list[tuple[Place, object, list[Name]]] = []
    for place in changed:
      if id(place.owner) in self._others:
        continue
      names = guards.release(place.owner)
      names += [self._name(name) for name, value in given.items() if value is place.owner]
      if names:
        self._names.append((place, place.owner, names))
    own = {id(original) for _, original, _ in self._names}
    self._others |= {id(place.owner) for place in changed} - own | guards.direct()

  def _name(self, name: str) -> Name:
    value = self._given[name]
    return Name((id(value), name), value, lambda: self._values[name])

  def unbound(self) -> Iterator[str]:
    """Yields the given dicts of which more is known than items of the run: they cannot change."""
    for name, value in self._given.items():
      if id(value) in self._others and not self._is_original(value):
        yield name

  def bind(self, values: Mapping[str, object]) -> list[tuple[tuple[int, object], object]]:
    """Puts what the names stand for now in place; returns the names that no longer fit.

    Args:
      values: the arguments of the call.
    """
    if not self._names:
      return []
    self._values = values
    failed: list[tuple[tuple[int, object], object]] = []
    found: dict[int, object] = {}
    for place, original, names in self._names:
      now = names[0].read()
      is_one = all(name.read() is now for name in names[1:])
      is_own = now is original or not (id(now) in self._others or self._is_original(now))
      if not is_one or type(now) is not type(original) or not is_own or id(now) in found:
        failed += [(name.key, name.owner) for name in names]
        continue
      place.owner = now
      found[id(now)] = original
    self._values = self._given  # A program keeps no arguments of a call.
    self._stand_ins.clear()
    self._stand_ins.update(found)
    return failed

  def _is_original(self, value: object) -> bool:
    return any(value is original for _, original, _ in self._names)


def _statics(form: _forms.Form) -> Iterator[object]:
  """Yields the constants in values of a form, and what is in those."""
  agenda = [*_forms.constants(form)]
  while agenda:
    value = agenda.pop()
    yield value
    agenda.extend(value if isinstance(value, tuple) else ())
