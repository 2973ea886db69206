"""What every pass is given beside the syntax: fresh names, places, and how to refuse."""

from __future__ import annotations

import ast
import copy
from typing import NoReturn, TypeVar

from recursive_tf.convert._refusal import ConversionRefused, Origin, Reason
from recursive_tf.convert.syntax.scopes import names_in
from recursive_tf.convert.syntax.source import FunctionSource

_Node = TypeVar("_Node", bound=ast.AST)

PREFIX = "_rtf_"
# Called with a generator expression, these run it to its end before they return.
_SELF_MATCHING = frozenset(
  "bool bytearray bytes dict float frozenset int list set str tuple".split()
)
_EXHAUSTING = frozenset("all any dict frozenset list max min set sorted sum tuple".split())


class PassContext:
  """The context of one function's way through the passes. Not thread-safe.

  Attributes:
    source: the function as it was read.
    exhausting: names that mean the builtins which run a generator expression to its end.
    self_matching: names that mean the builtin classes whose one positional pattern is the object.
    copy_budget: how many nodes may still be made by copying the rest of a block into two branches.
  """

  def __init__(self, source: FunctionSource, copy_budget: int = 2000):
    self.source = source
    self.copy_budget = copy_budget
    visible = {*source.globals, *source.cells}
    bound, read = names_in(source.node)
    self._taken = visible | bound | read | source.local_names
    self._own_names = visible | bound
    self.exhausting = _EXHAUSTING - visible - bound
    self.self_matching = _SELF_MATCHING - visible - bound

  def means_builtin(self, name: str) -> bool:
    """Tells whether a name means Python's own function of that name everywhere."""
    return name not in self._own_names

  def fresh(self, hint: str) -> str:
    """Returns a name that is used nowhere in the function, nor in what it can see."""
    name, count = PREFIX + hint, 1
    while name in self._taken:
      count += 1
      name = f"{PREFIX}{hint}_{count}"
    self._taken.add(name)
    return name

  def origin(self, node: ast.AST) -> Origin:
    """Returns the user's line that `node` comes from."""
    return self.source.origin(node)

  def refuse(self, node: ast.AST, explanation: str, reason: Reason = Reason.SYNTAX) -> NoReturn:
    """Raises `ConversionRefused` at the line of `node`."""
    raise ConversionRefused.of(reason, explanation, self.origin(node))


def located(node: _Node, at: ast.AST) -> _Node:
  """Gives the place of `at` to every part of `node` that has none; returns `node`."""
  for part in ast.walk(node):
    if "lineno" in part._attributes and not hasattr(part, "lineno"):
      ast.copy_location(part, at)
  return node


def load(name: str, at: ast.AST) -> ast.Name:
  """Makes a read of a local name."""
  return located(ast.Name(name, ast.Load()), at)


def assign(name: str, value: ast.expr, at: ast.AST) -> ast.Assign:
  """Makes `name = value`."""
  return located(ast.Assign([ast.Name(name, ast.Store())], value), at)


def constant(value: bool | None, at: ast.AST) -> ast.Constant:
  """Makes a constant."""
  return located(ast.Constant(value), at)


def copied(statements: list[ast.stmt]) -> list[ast.stmt]:
  """Copies a block, annotations included."""
  return copy.deepcopy(statements)
