"""Moves every `return` of a function to the end of the way through it.

Before: no exits in loops, nothing after an exit (loop_exits).
After: `Return` stands only at the end of the function's body or, there, at the end of a branch of
an `If` that ends its block, and so on; and every way through the function that does not raise ends
in one, `return None` written out. `Raise` may stand in any block, as its last statement.
"""

from __future__ import annotations

import ast

from recursive_tf.convert.syntax import context, scopes, tails
from recursive_tf.convert.syntax.context import PassContext


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Returns `node`, rewritten in place, functions inside too."""
  return scopes.with_bodies(node, lambda body: _with_returns(body, ctx))


def _with_returns(block: list[ast.stmt], ctx: PassContext) -> list[ast.stmt]:
  if tails.falls(block):
    last = block[-1]
    block = [*block, context.located(ast.Return(context.constant(None, last)), last)]
  block = tails.Tails(ast.Return, ctx).restructured(block)
  for statement in block:
    for part in ast.walk(statement):
      if isinstance(part, ast.Return) and part.value is None:
        part.value = context.constant(None, part)
  return block
