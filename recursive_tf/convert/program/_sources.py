"""The user's functions after the passes."""

from __future__ import annotations

import ast
import copy

from recursive_tf.convert.syntax.pipeline import prepare
from recursive_tf.convert.syntax.source import FunctionSource, source_of


class Sources:
  """The user's functions after the passes; the same definition each time it is asked for."""

  def __init__(self) -> None:
    self._known: dict[object, tuple[object, FunctionSource]] = {}
    self._variants: dict[tuple[int, object], tuple[ast.FunctionDef, ast.FunctionDef]] = {}

  def __call__(self, function: object) -> FunctionSource:
    """Returns a function's source."""
    state = getattr(function, "__code__", None), _signature_of(function)
    known = self._known.get(function)
    if known is None or known[0] != state:
      assert callable(function)
      known = self._known[function] = state, prepare(source_of(function))
    return known[1]

  def variant(self, node: ast.FunctionDef, key: object) -> ast.FunctionDef:
    """Returns a copy of a definition for one of the ways in which it is used."""
    known = self._variants.get((id(node), key))
    if known is None:  # The definition is kept, too: no other one gets its number.
      known = self._variants[id(node), key] = node, copy.deepcopy(node)
    return known[1]


def _signature_of(function: object) -> object:
  """Returns what makes the source of a function another one: the objects that are its defaults."""
  defaults = getattr(function, "__defaults__", None) or ()
  named = getattr(function, "__kwdefaults__", None) or {}
  return tuple(map(id, defaults)), tuple((name, id(value)) for name, value in named.items())
