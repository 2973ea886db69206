"""What is known for each kind of arguments, and how many kinds are kept.

A constant among the arguments (a model, a function, a string) makes a kind of its own, and each
kind is a conversion. Where ever other constants come, conversions have to be worth it. What is
known for a model may be kept by a variable of it, so that it goes with the model.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Iterator
from typing import Any, Generic, Protocol, TypeVar

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.program import _lifetime
from recursive_tf.convert.program._alike import content_of
from recursive_tf.convert.program._arguments import (
  ALIKE,
  OBJECT,
  STATIC,
  Argument,
  holds_data_only,
)

_MAX_KEPT = 16  # Kinds with constants; the one that was not used for longest goes.
_MAX_STRINGS = 4  # Of one parameter, each converted for itself; others are read as data.
_MAX_OWNERS = 4  # Of one class, in the same way.
_MAX_FUNCTIONS = 2  # After these, what does the same as others is converted once.
_CONSTANT = (STATIC, ALIKE)
_NUM_FREE = 8
_CALLS_PER_KIND = 16  # Beyond the free ones, a conversion for each so many calls.


class _Known(Protocol):
  @property
  def is_given_up(self) -> bool:
    """Whether calls are not converted any more."""


Known = TypeVar("Known", bound=_Known)
Key = tuple[tuple[str, Any], ...]


class Kinds(Generic[Known]):
  """What is known by kind of arguments. Not thread-safe."""

  def __init__(self, calls_alike: bool) -> None:
    """Knows none yet.

    Args:
      calls_alike: whether functions that do the same may be called in each other's place.
    """
    self._calls_alike = calls_alike
    self._known: dict[Key, Known] = {}
    self._constants: dict[Key, None] = {}  # Kinds with constants, the last used one last.
    self._num_calls = 0
    self._num_made = 0
    # What a variable keeps, and the variable.
    self._weak: dict[Key, tuple[weakref.ref[Known], weakref.ref[object]]] = {}
    self._latest: Key | None = None  # The last key that was used, if it still is the last one.

  def values(self) -> list[Known]:
    """Returns what is known, once for each."""
    kept = [known for known, _ in map(self._of, list(self._weak)) if known is not None]
    return list({id(known): known for known in [*self._known.values(), *kept]}.values())

  def get(self, key: Key) -> Known | None:
    """Returns what is known for a kind."""
    return self._known.get(key) or self._of(key)[0]

  def keep_with(self, key: Key, variable: object) -> None:
    """Has a variable keep what is known for a kind, which then goes with it."""
    known = self._known.pop(key, None)
    if known is None:
      return
    _lifetime.keep(variable, self, key, known)
    self._weak[key] = weakref.ref(known), weakref.ref(variable)

  def _of(self, key: Key) -> tuple[Known | None, object]:
    """Returns what a variable keeps for a kind, and the variable; forgets what is gone."""
    of_known, of_variable = self._weak.get(key, (_nothing, _nothing))
    known, variable = of_known(), of_variable()
    if known is None and self._weak.pop(key, None) is not None:
      self._constants.pop(key, None)
    return known, variable

  def generalized(self, arguments: dict[str, Argument]) -> tuple[dict[str, Argument], Key]:
    """Returns the arguments of a call, as data what many were given, and their kind.

    That is a string, or the object whose method is called, of a class that holds nothing but data.
    Functions that do the same become one kind.
    """
    self._num_calls += 1
    key = key_of(arguments)
    if self.get(key) is None and any(a.kind == STATIC for a in arguments.values()):
      arguments = {
        name: Argument(OBJECT) if self._has_many_strings(name, argument) else argument
        for name, argument in arguments.items()
      }
      key = key_of(arguments)
      for wider in self._wider(arguments):
        known = self.get(key_of(wider))
        if known is None or not known.is_given_up:
          return wider, key_of(wider)
    return arguments, key

  def _wider(self, arguments: dict[str, Argument]) -> Iterator[dict[str, Argument]]:
    """Yields what else a call's arguments may be taken for, where many were given."""
    if any(a.is_mapped for a in arguments.values()):
      return
    if self._has_many_owners(arguments):
      yield {**arguments, "self": Argument(OBJECT)}
    alike = {name: self._alike(name, argument) for name, argument in arguments.items()}
    if any(a.kind == ALIKE for a in alike.values()):
      yield alike

  def _alike(self, name: str, argument: Argument) -> Argument:
    """Returns a function as one of those that do the same, if many were given."""
    if argument.kind != STATIC or not self._calls_alike:
      return argument
    if self._num_constants(name, types.FunctionType) < _MAX_FUNCTIONS:
      return argument
    content = content_of(argument.value)
    return argument if content is None else Argument(ALIKE, argument.value, keys=content)

  def _has_many_owners(self, arguments: dict[str, Argument]) -> bool:
    """Tells whether the object whose method is called is data by now, as nodes are.

    One that a program computes with, a model, is a constant for as long as that is allowed.
    """
    owner = arguments.get("self")
    if owner is None or owner.kind != STATIC:
      return False
    count = self._num_constants("self", type(owner.value))
    if count < _MAX_OWNERS or isinstance(owner.value, type):
      return False
    is_known = self.get(key_of({**arguments, "self": Argument(OBJECT)})) is not None
    is_next = self._calls_alike and (is_known or not self._may_add)
    return is_next or holds_data_only(owner.value)

  def _has_many_strings(self, name: str, argument: Argument) -> bool:
    if argument.kind != STATIC or type(argument.value) is not str:
      return False
    return self._num_constants(name, str) >= _MAX_STRINGS

  def _num_constants(self, name: str, kind: type) -> int:
    """Returns how many constants of a type a parameter was given, in the kinds that are kept."""
    parts = {dict(key).get(name) for key in self._constants}
    return sum(part is not None and part[:2] == (STATIC, kind) for part in parts)

  def use(self, key: Key) -> None:
    """Notes that a kind is used."""
    if key is self._latest:
      return
    if key in self._constants:
      self._constants[key] = self._constants.pop(key)
    self._latest = key

  def note_rows(self, count: int) -> None:
    """Notes that a call is of so many rows: each is a call less that is plain Python."""
    self._num_calls += count - 1

  def note_call(self, key: Key) -> None:
    """Notes a call of a kind that is known."""
    self._num_calls += 1
    self.use(key)

  def add(self, key: Key, known: Known) -> list[Known]:
    """Adds a kind; returns what is not kept for any kind any more.

    Raises:
      ConversionRefused: If ever other constants come.
    """
    before = {id(each): each for each in self.values()}
    if any(part[0] in _CONSTANT for _, part in key):
      self._admit(key)
    self._known[key] = known
    kept = {id(each) for each in self.values()}
    return [each for number, each in before.items() if number not in kept]

  @property
  def _may_add(self) -> bool:
    """Whether one kind with constants more is converted."""
    return self._num_made < _NUM_FREE + self._num_calls // _CALLS_PER_KIND

  def _admit(self, key: Key) -> None:
    if not self._may_add:
      others = [dict(other) for other in self._constants]
      names = [
        name
        for name, part in key
        if part[0] in _CONSTANT and len({other.get(name) for other in others}) > _MAX_STRINGS
      ]
      # Constants that are gone are not counted: all objects then, numbers and strings left out.
      names = names or [name for name, part in key if part[0] == STATIC and type(part[2]) is int]
      raise ConversionRefused.of(
        Reason.TOO_MANY_VARIANTS,
        f"Each call gives another constant for {' and '.join(map(repr, names)) or 'a parameter'}.",
      )
    self._num_made += 1
    self._constants[key] = self._latest = None
    while len(self._constants) > _MAX_KEPT:
      oldest = next(iter(self._constants))
      del self._constants[oldest]
      self._known.pop(oldest, None)
      _, variable = self._of(oldest)
      if self._weak.pop(oldest, None) is not None and variable is not None:
        _lifetime.let_go(variable, self, oldest)


def _nothing() -> None:
  """Stands for a reference to what is gone."""


def key_of(arguments: dict[str, Argument]) -> Key:
  """Returns what calls with arguments of one kind have in common."""
  return tuple((name, argument.single().key) for name, argument in arguments.items())
