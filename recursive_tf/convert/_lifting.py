"""Variables of enclosing functions as arguments: what a function sees beside its own.

A function that is defined inside another sees its variables, and may change them. A frame of the
graph sees only its arguments, so these variables become arguments, too, and results where they are
changed.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from recursive_tf.convert._frame import Frame
from recursive_tf.convert._values import Closure, Local, Scope, same_content
from recursive_tf.convert.passes import scopes


class Lifted:
  """Arguments of a call with the variables around the functions among them.

  A function that is defined inside another sees its variables. A frame of the graph sees only its
  arguments, so these variables become arguments, too.

  Attributes:
    values: all of them: arguments by name, variables by (scope, name).
  """

  def __init__(self, names: dict[str, Any], outer: Scope | None, function: Any):
    self.parameters = list(names)
    self.values: dict[Any, Any] = {name: value for name, value in names.items()}
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

  def rebuild(self, values: list[Any], frame: Frame) -> Rebuilt:
    """Makes the arguments and the enclosing scopes of other values of the same forms."""
    made: list[Scope] = []
    for scope in self.scopes:
      outer = None if scope.outer is None else made[self.scopes.index(scope.outer)]
      made.append(frame.new(Scope({}, outer, scope.source)))
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

  def update(self, position: int, value: Any) -> None:
    """Takes over what a call left in an argument."""
    key = list(self.values)[position]
    old = self.values[key]
    if isinstance(old, Local) and isinstance(value, type(old)):
      old.restore(value.snapshot())
    elif isinstance(key, tuple):
      self.scopes[key[0]].names[key[1]] = value


class Rebuilt:
  """Arguments and enclosing scopes inside of a frame, and what became of them.

  Attributes:
    names: the arguments.
    outer: the enclosing scope, if there is one.
  """

  def __init__(
    self, keys: list[Any], names: dict[str, Any], scopes_: list[Scope], outer: Scope | None
  ):
    self.names = names
    self.outer = outer
    self._keys = keys
    self._scopes = scopes_
    self._initial = [self._value(key) for key in keys]
    self._contents = [
      value.snapshot() if isinstance(value, Local) else None for value in self._initial
    ]

  def _value(self, key: Any) -> Any:
    return self._scopes[key[0]].names[key[1]] if isinstance(key, tuple) else self.names[key]

  def now(self) -> list[Any]:
    """Returns the arguments as they are now."""
    return [self._value(key) for key in self._keys]

  def changed(self) -> list[int]:
    """Returns the positions of those that the function changed for its caller."""
    found = []
    for position, (key, old, content) in enumerate(
      zip(self._keys, self._initial, self._contents, strict=True)
    ):
      value = self._value(key)
      if value is not old or (isinstance(old, Local) and not same_content(content, old.snapshot())):
        found.append(position)
    return found
