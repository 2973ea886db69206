"""Writes out shorthand: several targets, annotated assignments, chained comparisons, decorators.

Before: what the fence lets through.
After: every `Assign` has one target; no `AnnAssign`; every `Compare` has one operator; no
decorators, and no annotations on the parameters of functions inside; `Global` and `Nonlocal` are
the first statements of their function. Each expression is evaluated as often as before, and in the
same order.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from recursive_tf.convert.syntax import context, scopes
from recursive_tf.convert.syntax.context import PassContext


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Returns `node`, rewritten in place."""
  desugared = _Desugar(ctx)
  node.body = desugared.block(node.body)
  for function in scopes.functions_of(node):
    _declare_first(function)
  return node


def _declare_first(function: ast.FunctionDef) -> None:
  """Moves declarations up, where no later pass drops or copies them; they hold everywhere."""
  found = [n for n in scopes.own_nodes(function) if isinstance(n, ast.Global | ast.Nonlocal)]
  if not found:
    return
  function.body = _without(function.body, found)
  function.body[:0] = found


def _without(block: list[ast.stmt], declarations: Sequence[ast.stmt]) -> list[ast.stmt]:
  result: list[ast.stmt] = []
  for statement in block:
    if any(statement is declaration for declaration in declarations):
      result.append(context.located(ast.Pass(), at=statement))
      continue
    for name in ("body", "orelse", "finalbody"):
      if getattr(statement, name, None) and not isinstance(statement, ast.FunctionDef):
        setattr(statement, name, _without(getattr(statement, name), declarations))
    result.append(statement)
  return result


def _as_conditional(value: ast.expr) -> ast.stmt | None:
  """Returns `a and b`, `a or b` or `b if a else c`, whose value is dropped, as an `if`; else None.

  The values need not have anything in common then.
  """
  if isinstance(value, ast.IfExp):
    test, body, orelse = value.test, _statement(value.body), [_statement(value.orelse)]
  elif isinstance(value, ast.BoolOp):
    first, *others = value.values
    rest = ast.BoolOp(value.op, others) if len(others) > 1 else others[0]
    is_and = isinstance(value.op, ast.And)
    test = first if is_and else ast.UnaryOp(ast.Not(), first)
    body, orelse = _statement(context.located(rest, at=value)), []
  else:
    return None
  return context.located(ast.If(test, [body], orelse), at=value)


def _statement(value: ast.expr) -> ast.stmt:
  return _as_conditional(value) or context.located(ast.Expr(value), at=value)


class _Desugar(ast.NodeTransformer):
  def __init__(self, ctx: PassContext):
    self._ctx = ctx

  def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
    """Returns the statements rewritten, never none."""
    result: list[ast.stmt] = []
    for statement in statements:
      new = self.visit(statement)
      result += new if isinstance(new, list) else [new]
    return result

  def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
    self.generic_visit(node)
    if len(node.targets) == 1:
      return node
    name = self._ctx.fresh("value")
    first = context.assign(name, node.value, at=node)
    others = [
      context.located(ast.Assign([target], context.load(name, at=node)), at=node)
      for target in node.targets
    ]
    return [first, *others]

  def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
    # Annotations in functions are never evaluated; the target of one without value is.
    if node.value is not None:
      assignment = context.located(ast.Assign([node.target], node.value), at=node)
      self.generic_visit(assignment)
      return assignment
    if isinstance(node.target, ast.Attribute):
      return context.located(ast.Expr(self.visit(node.target.value)), at=node)
    if isinstance(node.target, ast.Subscript):
      parts = [self.visit(node.target.value), self.visit(node.target.slice)]
      return context.located(ast.Expr(ast.Tuple(parts, ast.Load())), at=node)
    return context.located(ast.Pass(), at=node)

  def visit_If(self, node: ast.If) -> ast.stmt:
    """Nests `if a and (x := b):` without `else`: `x` is set wherever the body runs."""
    if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) and not node.orelse:
      first, *others = node.test.values
      if any(isinstance(part, ast.NamedExpr) for other in others for part in ast.walk(other)):
        rest = context.located(ast.BoolOp(ast.And(), others), at=node.test)
        inner = context.located(ast.If(rest if others[1:] else others[0], node.body, []), at=node)
        node = context.located(ast.If(first, [inner], []), at=node)
    self.generic_visit(node)
    return node

  def visit_Expr(self, node: ast.Expr) -> ast.stmt:
    self.generic_visit(node)
    return _as_conditional(node.value) or node

  def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt | list[ast.stmt]:
    node.returns = None
    for argument in ast.walk(node.args):
      if isinstance(argument, ast.arg):
        argument.annotation = None
    self.generic_visit(node)
    if not node.decorator_list:
      return node
    # Decorators are evaluated top down before the function is made, and applied bottom up.
    names = [self._ctx.fresh("decorator") for _ in node.decorator_list]
    evaluated = [
      context.assign(name, value, at=value)
      for name, value in zip(names, node.decorator_list, strict=True)
    ]
    node.decorator_list = []
    decorated: ast.expr = context.load(node.name, at=node)
    for name in reversed(names):
      decorated = context.located(ast.Call(context.load(name, at=node), [decorated], []), at=node)
    return [*evaluated, node, context.assign(node.name, decorated, at=node)]

  def visit_Compare(self, node: ast.Compare) -> ast.expr:
    self.generic_visit(node)
    if len(node.ops) == 1:
      return node
    left, pairs = node.left, []
    for operator, right in zip(node.ops, node.comparators, strict=True):
      is_last = right is node.comparators[-1]
      again: ast.expr = right
      if not is_last and not isinstance(right, ast.Constant):
        if isinstance(right, ast.Name):
          again = context.load(right.id, at=right)
        else:
          name = self._ctx.fresh("middle")
          again = context.load(name, at=right)
          target = ast.Name(name, ast.Store())
          right = context.located(ast.NamedExpr(target, right), at=right)
      pairs.append(context.located(ast.Compare(left, [operator], [right]), at=node))
      left = again
    return context.located(ast.BoolOp(ast.And(), list(pairs)), at=node)
