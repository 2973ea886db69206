"""Moves changes of what a condition chooses to where it is chosen.

    target = small if x < 4 else large       if x < 4:
    target.append(x)                           target = small
                                               target.append(x)
                                             else:
                                               target = large
                                               target.append(x)

Only the run knows which of the two is changed; in each of the branches it is known. So are
`(small if x < 4 else large).append(x)` and `(small if x < 4 else large)[k] += 1` written out.

Before: every `Assign` has one target.
After: each expression is evaluated as often as before, and in the same order.
"""

from __future__ import annotations

import ast
import copy

from recursive_tf.convert.syntax import context, scopes
from recursive_tf.convert.syntax.context import PassContext
from recursive_tf.convert.syntax.written import CHANGING

_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign)
_BLOCKS = ("body", "orelse", "finalbody")
_MOST = 4  # Statements between the choice and the last change.


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Returns `node`, rewritten in place."""
  return scopes.with_bodies(node, lambda body: _block(body, ctx))


def _block(block: list[ast.stmt], ctx: PassContext) -> list[ast.stmt]:
  result: list[ast.stmt] = []
  rest = list(block)
  while rest:
    statement = rest.pop(0)
    chosen = _chosen(statement)
    end = 0 if chosen is None else _last_change(rest, chosen, ctx)
    if chosen is not None and end:
      statement = _with_rest(statement, rest[:end])
      rest = rest[end:]
    statement = _written_out(statement, ctx)
    if not isinstance(statement, ast.FunctionDef):
      for name in _BLOCKS:
        if getattr(statement, name, None):
          setattr(statement, name, _block(getattr(statement, name), ctx))
    result.append(statement)
  return result


def _chosen(statement: ast.stmt) -> str | None:
  """Returns the variable that a statement sets to one of several by a condition, at its end."""
  if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.IfExp):
    (target,) = statement.targets
    return target.id if isinstance(target, ast.Name) else None
  if not isinstance(statement, ast.If) or not statement.orelse:
    return None
  names = [_set_last(branch[-1]) for branch in (statement.body, statement.orelse)]
  return names[0] if names[0] == names[1] else None


def _set_last(statement: ast.stmt) -> str | None:
  if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
    is_one = isinstance(statement.value, (ast.Name, ast.Attribute, ast.IfExp))
    return statement.targets[0].id if is_one else None
  return _chosen(statement)


def _last_change(rest: list[ast.stmt], name: str, ctx: PassContext) -> int:
  """Returns how many statements go with the choice: up to the last that changes what is chosen."""
  end = 0
  for position, statement in enumerate(rest[:_MOST], 1):
    if not isinstance(statement, _SIMPLE):
      break
    if _changes(statement, name):
      end = position
  size = sum(1 for statement in rest[:end] for _ in ast.walk(statement))
  if size > ctx.copy_budget:
    return 0
  ctx.copy_budget -= size
  return end


def _changes(statement: ast.stmt, name: str) -> bool:
  owner: ast.expr | None = None
  if isinstance(statement, ast.Expr):
    call = statement.value
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
      owner = call.func.value if call.func.attr in CHANGING else None
  elif isinstance(statement, (ast.Assign, ast.AugAssign)):
    target = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
    owner = target.value if isinstance(target, (ast.Subscript, ast.Attribute)) else None
    if isinstance(statement, ast.AugAssign) and isinstance(target, ast.Name):
      owner = target
  return isinstance(owner, ast.Name) and owner.id == name


def _with_rest(statement: ast.stmt, rest: list[ast.stmt]) -> ast.stmt:
  """Returns a choice with what follows at the end of each of its branches."""
  if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.IfExp):
    choice = statement.value
    branches = [
      context.located(ast.Assign([copy.deepcopy(statement.targets[0])], value), at=statement)
      for value in (choice.body, choice.orelse)
    ]
    blocks: list[list[ast.stmt]] = [
      [_with_rest(branch, rest)] if _chosen(branch) else [branch, *context.copied(rest)]
      for branch in branches
    ]
    return context.located(ast.If(choice.test, *blocks), at=statement)
  assert isinstance(statement, ast.If)  # What `_chosen` finds.
  for block in (statement.body, statement.orelse):
    if _chosen(block[-1]) is not None:
      block[-1] = _with_rest(block[-1], rest)
    else:
      block += context.copied(rest)
  return statement


def _written_out(statement: ast.stmt, ctx: PassContext) -> ast.stmt:
  """Returns a change of a conditional expression as a conditional of changes."""
  choice: ast.expr | None = None
  if isinstance(statement, ast.Expr):
    call = statement.value
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
      choice = call.func.value
  elif isinstance(statement, ast.AugAssign):
    if isinstance(statement.target, (ast.Subscript, ast.Attribute)):
      choice = statement.target.value
  if not isinstance(choice, ast.IfExp):
    return statement
  size = sum(1 for _ in ast.walk(statement))
  if size > ctx.copy_budget:
    return statement
  ctx.copy_budget -= size
  blocks: list[list[ast.stmt]] = []
  for value in (choice.body, choice.orelse):
    new = copy.deepcopy(statement)
    owner = new.value.func if isinstance(new, ast.Expr) else new.target  # type: ignore[attr-defined]
    owner.value = copy.deepcopy(value)
    blocks.append([_written_out(new, ctx)])
  return context.located(ast.If(choice.test, *blocks), at=statement)
