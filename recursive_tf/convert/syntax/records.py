"""Moves what follows a branch that gives a dict a key to the ends of both branches.

    out = {"name": n.name}            out = {"name": n.name}
    if n.kids:                        if n.kids:
      out["kids"] = names(n.kids)       out["kids"] = names(n.kids)
    return out                          return out
                                      else:
                                        return out

Which keys such a dict has is known in each of the branches, and after both only the run knows.

Before: every `Assign` has one target.
After: each expression is evaluated as often as before, and in the same order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from recursive_tf.convert.syntax import context, scopes, tails
from recursive_tf.convert.syntax.context import PassContext

_MOST = 400  # Nodes of what follows.
_Keys = Mapping[str, frozenset[object]]  # Those that dicts have for sure, by variable.


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Returns `node`, rewritten in place."""
  return scopes.with_bodies(node, lambda body: _block(body, {}, ctx))


def _block(block: list[ast.stmt], keys: _Keys, ctx: PassContext) -> list[ast.stmt]:
  result: list[ast.stmt] = []
  rest = list(block)
  known = dict(keys)
  while rest:
    statement = rest.pop(0)
    if isinstance(statement, ast.If):
      if rest and not tails.falls(rest) and _differ(statement, known) and _affords(rest, ctx):
        _move(statement, rest)
        rest = []
      statement.body = _block(statement.body, known, ctx)
      statement.orelse = _block(statement.orelse, known, ctx)
    _note(statement, known)
    result.append(statement)
  return result


def _note(statement: ast.stmt, known: dict[str, frozenset[object]]) -> None:
  """Notes which keys a dict has after a statement."""
  if not isinstance(statement, ast.Assign):
    return
  (target,) = statement.targets
  if isinstance(target, ast.Name):
    known.pop(target.id, None)
    value = statement.value
    if isinstance(value, ast.Dict) and all(isinstance(key, ast.Constant) for key in value.keys):
      known[target.id] = frozenset(k.value for k in value.keys if isinstance(k, ast.Constant))
  for name, key in _added(statement):
    if name in known:
      known[name] |= {key}


def _differ(statement: ast.If, known: _Keys) -> bool:
  """Tells whether the branches give dicts other new keys."""
  branches = (statement.body, statement.orelse)
  if not all(map(tails.falls, branches)):
    return False
  first, second = (
    {
      (name, key)
      for one in branch
      for name, key in _added(one)
      if key not in known.get(name, {key})
    }
    for branch in branches
  )
  return first != second


def _added(statement: ast.stmt) -> Iterator[tuple[str, object]]:
  """Yields the variables and the keys of what a statement, or one of its branches, puts in."""
  if isinstance(statement, ast.If):
    for inner in [*statement.body, *statement.orelse]:
      yield from _added(inner)
  if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
    owner, key = statement.targets[0].value, statement.targets[0].slice
    if isinstance(owner, ast.Name) and isinstance(key, ast.Constant):
      yield owner.id, key.value


def _affords(rest: list[ast.stmt], ctx: PassContext) -> bool:
  size = sum(1 for statement in rest for _ in ast.walk(statement))
  if size > min(_MOST, ctx.copy_budget):
    return False
  ctx.copy_budget -= size
  return True


def _move(statement: ast.If, rest: list[ast.stmt]) -> None:
  statement.orelse = [*statement.orelse, *context.copied(rest)]
  statement.body = [*statement.body, *rest]
