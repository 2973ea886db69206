"""Variables of enclosing functions as arguments: what a function sees beside its own.

A function that is defined inside another sees its variables, and may change them. A frame of the
graph sees only its arguments, so these variables become arguments, too, and results where they are
changed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._sharing import Slot, containers
from recursive_tf.convert.syntax import scopes
from recursive_tf.convert.values._abstract import Closure, Container, Scope, same_content

_Key = str | tuple[int, str]  # The name of an argument; of a variable its scope, and its name.


class Lifted:
  """Arguments of a call with the variables around the functions among them.

  A function that is defined inside another sees its variables. A frame of the graph sees only its
  arguments, so these variables become arguments, too.

  Attributes:
    values: all of them: arguments by name, variables by (scope, name).
  """

  def __init__(self, names: dict[str, object], outer: Scope | None, function: object):
    self.parameters = list(names)
    self.values: dict[_Key, object] = {name: value for name, value in names.items()}
    self.scopes: list[Scope] = []
    self.closures: list[Closure] = []
    self.outer = None
    agenda = [value for value in names.values() if isinstance(value, Closure)]
    if outer is not None:
      self.outer = self._scope(outer)
      assert isinstance(function, Closure)  # Only closures have a scope around them.
      agenda.append(function)
    while agenda:
      closure = agenda.pop()
      if closure in self.closures:
        continue
      self.closures.append(closure)
      self._scope(closure.scope)
      for name in scopes.free_names(closure.node):
        scope = closure.scope.find(name)
        if scope is None:
          continue
        value = scope.names[name]
        self.values[self._scope(scope), name] = value
        if isinstance(value, Closure):
          agenda.append(value)

  def _scope(self, scope: Scope) -> int:
    if scope not in self.scopes:
      if scope.outer is not None:
        self._scope(scope.outer)
      self.scopes.append(scope)
    return self.scopes.index(scope)

  def rebuild(self, values: list[object], frame: Frame) -> Rebuilt:
    """Makes the arguments and the enclosing scopes of other values of the same forms."""
    made: list[Scope] = []
    for scope in self.scopes:
      outer = None if scope.outer is None else made[self.scopes.index(scope.outer)]
      inner = frame.new(Scope({}, outer, scope.source))
      inner.local_names, inner.is_given = scope.local_names, True
      made.append(inner)
    closures = {
      closure: dataclasses.replace(closure, scope=made[self._scope(closure.scope)])
      for closure in self.closures
    }
    names = {}
    for key, value in zip(self.values, values, strict=True):
      original = self.values[key]
      if isinstance(original, Closure):
        value = closures[original]
      if isinstance(key, tuple):
        made[key[0]].names[key[1]] = value
      else:
        names[key] = value
    return Rebuilt(list(self.values), names, made, None if self.outer is None else made[self.outer])

  def containers(self) -> dict[Slot, Container]:
    """Returns the containers among the arguments, by where they are."""
    return slots_of(list(self.values.values()))

  def update(self, position: int, value: object) -> None:
    """Takes over what a call left in a variable; containers that it changed have changed."""
    key = list(self.values)[position]
    if isinstance(key, tuple):
      self.scopes[key[0]].names[key[1]] = value


def slots_of(values: Iterable[object]) -> dict[Slot, Container]:
  """Returns the containers in values, by position and where they are in there."""
  return dict(
    pair for position, value in enumerate(values) for pair in containers(value, (position,))
  )


class Rebuilt:
  """Arguments and enclosing scopes inside of a frame, and what became of them.

  Attributes:
    names: the arguments.
    outer: the enclosing scope, if there is one.
    containers: those among the arguments, by where they are.
    contents: what was in them.
  """

  def __init__(
    self, keys: list[_Key], names: dict[str, object], scopes_: list[Scope], outer: Scope | None
  ):
    self.names = names
    self.outer = outer
    self._keys = keys
    self._scopes = scopes_
    self._initial = [self._value(key) for key in keys]
    self.containers = slots_of(self._initial)
    self.contents = {slot: one.snapshot() for slot, one in self.containers.items()}

  def _value(self, key: _Key) -> object:
    return self._scopes[key[0]].names[key[1]] if isinstance(key, tuple) else self.names[key]

  def now(self) -> list[object]:
    """Returns the arguments as they are now."""
    return [self._value(key) for key in self._keys]

  def changed(self) -> list[int]:
    """Returns the positions of those that the function changed for its caller."""
    changed: set[object] = {
      slot[0]
      for slot, container in self.containers.items()
      if not same_content(self.contents[slot], container.snapshot())
    }
    for position, (key, old) in enumerate(zip(self._keys, self._initial, strict=True)):
      if self._value(key) is not old:
        changed.add(position)
    return [position for position in range(len(self._keys)) if position in changed]
