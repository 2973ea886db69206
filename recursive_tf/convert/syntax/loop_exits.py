"""Replaces break, continue and return inside loops by flags.

Before: desugared.
After: no `Break`, no `Continue`, no `Return` in a loop, no `else` on one. A loop that could be left
early has the annotation UNTIL, the name of its flag. A `return` in a loop has become a flag, a slot
for the value with the annotation RETURN_SLOT, and a `return` of the slot after the loop.

What follows a possible exit in the loop's body stands in the branches that did not take it; what
follows a sure exit or a `Raise` in its block is dropped, in the whole function.
"""

from __future__ import annotations

import ast

from recursive_tf.convert.syntax import context, scopes, tails
from recursive_tf.convert.syntax.annotations import Annotation, annotate
from recursive_tf.convert.syntax.context import PassContext

_SURE_EXITS = (ast.Break, ast.Continue, ast.Return, ast.Raise)


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Returns `node`, rewritten in place, functions inside too."""
  return scopes.with_bodies(node, lambda body: without_exits(body, ctx))


def without_exits(block: list[ast.stmt], ctx: PassContext) -> list[ast.stmt]:
  """Rewrites the loops of a block, inner ones first: they leave a `return` for the outer one."""
  result: list[ast.stmt] = []
  for statement in block:
    if isinstance(statement, _SURE_EXITS):
      return [*result, statement]
    if isinstance(statement, ast.If):
      statement.body = without_exits(statement.body, ctx)
      statement.orelse = without_exits(statement.orelse, ctx)
    if isinstance(statement, ast.With):
      statement.body = without_exits(statement.body, ctx)
    if isinstance(statement, ast.For | ast.While):
      statement.body = without_exits(statement.body, ctx)
      statement.orelse = without_exits(statement.orelse, ctx)
      result += _loop(statement, ctx)
      if isinstance(result[-1], _SURE_EXITS):  # Of a loop that has no other end, or of its `else`.
        return result
    else:
      result.append(statement)
  return result


def _loop(loop: ast.For | ast.While, ctx: PassContext) -> list[ast.stmt]:
  """Rewrites one loop whose inner loops are done; returns it with what goes before and after."""
  kinds = {type(node) for node in _exits(loop.body)}
  otherwise, loop.orelse = loop.orelse, []
  if not kinds:
    return [loop, *otherwise]
  stop = ctx.fresh("stop") if ast.Break in kinds else None
  returned = ctx.fresh("returned") if ast.Return in kinds else None
  slot = ctx.fresh("result") if returned else None

  def instead(node: ast.stmt) -> list[ast.stmt]:
    if isinstance(node, ast.Return):
      flags = [flag for flag in (returned, stop) if flag]
      setting = tails.exit_to_flags(node, flags, slot)
    elif isinstance(node, ast.Break) and stop:
      setting = tails.exit_to_flags(node, [stop], None)
    else:
      setting = []
    return [*setting, context.located(ast.Continue(), node)]

  body = replaced(loop.body, instead)
  body = tails.Tails(ast.Continue, ctx).restructured(body)
  loop.body = tails.replaced_tails(body, ast.Continue, lambda node: [])
  result: list[ast.stmt] = []
  if stop:
    result += tails.flags_setup([stop], None, at=loop)
  if returned:
    result += tails.flags_setup([returned], slot, at=loop)
  if stop or returned:
    annotate(loop, Annotation.UNTIL, stop or returned)
  result.append(loop)
  if returned:
    leave = tails.leave_with(ast.Return, slot)
    if stop is None and _is_endless(loop):
      return [*result, context.located(leave, at=loop)]
    check = ast.If(context.load(returned, at=loop), [leave], [])
    result.append(context.located(check, at=loop))
  if stop and otherwise:
    has_ended = ast.copy_location(ast.UnaryOp(ast.Not(), context.load(stop, at=loop)), loop)
    otherwise = [ast.copy_location(ast.If(has_ended, otherwise, []), loop)]
  return [*result, *otherwise]


def _exits(block: list[ast.stmt]) -> list[ast.stmt]:
  """Returns the exits of a loop's body; inner loops have none left."""
  found: list[ast.stmt] = []
  for statement in block:
    if isinstance(statement, ast.Break | ast.Continue | ast.Return):
      found.append(statement)
    elif isinstance(statement, ast.If):
      found += _exits(statement.body) + _exits(statement.orelse)
  return found


def replaced(block: list[ast.stmt], instead: tails.Replacement) -> list[ast.stmt]:
  """Replaces the exits of a loop's body wherever they are."""
  result: list[ast.stmt] = []
  for statement in block:
    if isinstance(statement, ast.Break | ast.Continue | ast.Return):
      return result + instead(statement)
    if isinstance(statement, ast.If):
      statement.body = replaced(statement.body, instead)
      statement.orelse = replaced(statement.orelse, instead)
    result.append(statement)
  return result


def _is_endless(loop: ast.For | ast.While) -> bool:
  """Says whether the loop has no end of its own, so that nothing follows but its `return`."""
  return (
    isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant) and bool(loop.test.value)
  )
