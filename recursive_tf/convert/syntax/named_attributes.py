"""Writes out `getattr`, `hasattr` and `setattr` by a name that is chosen among constants.

    side = "left" if key < n.key else "right"     side = "left" if key < n.key else "right"
    child = getattr(n, side)                      child = n.left if side == "left" else n.right

Which attribute is meant only the run knows; in each of the branches it is known.

Before: every `Assign` has one target.
After: each expression is evaluated as often as before, and in the same order.
"""

from __future__ import annotations

import ast
import copy
import functools
import keyword
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from recursive_tf.convert.syntax import context, scopes
from recursive_tf.convert.syntax.context import PassContext

_MOST = 8  # Names that are told apart.
_T = TypeVar("_T")


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Returns `node`, rewritten in place."""
  if not ctx.means_builtin("getattr") or not ctx.means_builtin("setattr"):
    return node
  for function in scopes.functions_of(node):
    # What else could be another object by the time that the attribute is read.
    unsure = scopes.declared(function) | scopes.captures(function, ctx.exhausting).written
    rewriter = _Rewriter(_choices(function), unsure, ctx)
    function.body = [new for statement in function.body for new in rewriter.of(statement)]
  return node


def _choices(function: ast.FunctionDef) -> dict[str, list[str]]:
  """Returns the variables that are only ever set to one of some constant names, and these."""
  found: dict[str, list[str]] = {}
  counts: dict[str, int] = {}
  for node in scopes.own_nodes(function):
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
      name, names = node.targets[0].id, _names(node.value)
      if names:
        found.setdefault(name, [])
        found[name] += [one for one in names if one not in found[name]]
        counts[name] = counts.get(name, 0) + 1
  outside = scopes.parameters(function) | scopes.declared(function)
  for node in ast.walk(function):
    if isinstance(node, scopes.Comprehension):
      outside |= scopes.comprehension_targets(node.generators)
  return {
    name: names
    for name, names in found.items()
    if name not in outside
    and 1 < len(names) <= _MOST
    and scopes.num_bindings(function, name) == counts[name]
  }


def _names(value: ast.expr) -> list[str]:
  """Returns the names that a constant or a choice of constants is one of; none of all else."""
  if isinstance(value, ast.IfExp):
    body, orelse = _names(value.body), _names(value.orelse)
    return [*body, *orelse] if body and orelse else []
  if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
    return []
  name = value.value
  return [name] if name.isidentifier() and not keyword.iskeyword(name) else []


class _Rewriter(ast.NodeTransformer):
  """Rewrites what runs in one function."""

  def __init__(
    self, choices: Mapping[str, Sequence[str]], unsure: frozenset[str], ctx: PassContext
  ):
    self._choices = choices
    self._unsure = unsure
    self._ctx = ctx

  def of(self, statement: ast.stmt) -> list[ast.stmt]:
    """Returns what stands for a statement."""
    new = self.visit(statement)
    return new if isinstance(new, list) else [new]

  def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
    return node  # It has variables of its own.

  def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
    return node

  def visit_Call(self, node: ast.Call) -> ast.expr:
    self.generic_visit(node)
    is_question = self._ctx.means_builtin("hasattr") and self._is_call(node, "hasattr", 2, 2)
    if not is_question and not self._is_call(node, "getattr", 2, 3):
      return node
    owner, name, *default = node.args
    # Tests in the name's place could change what leads to the owner, which is read after them.
    is_in_order = isinstance(owner, ast.Name) or isinstance(name, ast.Name)
    if not is_in_order or not all(map(_is_simple, default)):
      return node

    def read(chosen: str) -> ast.expr:
      if not default and not is_question:
        return ast.Attribute(copy.deepcopy(owner), chosen, ast.Load())
      args = [copy.deepcopy(owner), ast.Constant(chosen), *copy.deepcopy(default)]
      return ast.Call(copy.deepcopy(node.func), args, [])

    found = self._chosen(name, read, lambda test, a, b: ast.IfExp(test, a, b))
    return node if found is None else context.located(found, at=node)

  def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
    self.generic_visit(node)
    call = node.value
    if not isinstance(call, ast.Call) or not self._is_call(call, "setattr", 3, 3):
      return node
    owner, name, value = call.args
    if not isinstance(owner, ast.Name) or not isinstance(name, ast.Name):
      return node
    new = self._ctx.fresh("value")

    def write(chosen: str) -> ast.stmt:
      target = ast.Attribute(copy.deepcopy(owner), chosen, ast.Store())
      return ast.Assign([target], ast.Name(new, ast.Load()))

    found = self._chosen(name, write, lambda test, a, b: ast.If(test, [a], [b]))
    if found is None:
      return node
    return [context.assign(new, value, at=node), context.located(found, at=node)]

  def _is_call(self, node: ast.Call, name: str, least: int, most: int) -> bool:
    """Tells whether it is a call of a builtin, of what a variable or its attributes hold."""
    args = node.args
    if not isinstance(node.func, ast.Name) or node.func.id != name or node.keywords:
      return False
    if not least <= len(args) <= most:
      return False
    root = args[0]
    while isinstance(root, ast.Attribute):
      root = root.value
    if not isinstance(root, ast.Name):
      return False
    inside = [part for arg in args for part in ast.walk(arg)]
    if any(isinstance(part, (ast.Starred, ast.NamedExpr)) for part in inside):
      return False
    return root.id not in self._unsure

  def _chosen(
    self, name: ast.expr, of: Callable[[str], _T], either: Callable[[ast.expr, _T, _T], _T]
  ) -> _T | None:
    """Returns what is done for the name that an expression is, if it is one of some."""
    if isinstance(name, ast.IfExp) and _names(name):
      inner = (self._chosen(part, of, either) for part in (name.body, name.orelse))
      body, orelse = inner
      assert body is not None and orelse is not None  # They are constants.
      return either(name.test, body, orelse)
    if isinstance(name, ast.Constant) and _names(name):
      return of(str(name.value))
    if not isinstance(name, ast.Name) or name.id not in self._choices:
      return None
    *others, last = self._choices[name.id]

    def or_other(rest: _T, one: str) -> _T:
      test = ast.Compare(ast.Name(name.id, ast.Load()), [ast.Eq()], [ast.Constant(one)])
      return either(test, of(one), rest)

    return functools.reduce(or_other, reversed(others), of(last))


def _is_simple(node: ast.expr) -> bool:
  return isinstance(node, (ast.Constant, ast.Name))
