"""Refuses what the interpreter cannot run, at the user's line, before anything is rewritten.

Before: generators are functions.
After: the same function; all its statements and expressions are of the kinds that the later passes
know. Functions inside are fenced too.
"""

from __future__ import annotations

import ast

from recursive_tf.convert.syntax import scopes
from recursive_tf.convert.syntax.context import PassContext

# By name: some are there from Python 3.11 (TryStar) or 3.12 (TypeAlias) on.
REFUSED = {
  "TryStar": "except* is not converted: use except",
  "AsyncWith": "async with is not converted",
  "AsyncFor": "async for is not converted",
  "AsyncFunctionDef": "an async function is not converted",
  "Await": "await is not converted: a graph has no suspended calls",
  "Yield": "a generator is not converted: a graph has no suspended calls",
  "YieldFrom": "a generator is not converted: a graph has no suspended calls",
  "ClassDef": "a class inside the function is not converted: define it outside",
  "TypeAlias": "a type alias inside the function is not converted: define it outside",
  "TemplateStr": "a template string is not converted",
}
STATEMENTS = (
  *(ast.FunctionDef, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While),
  *(ast.If, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Expr),
  *(ast.Pass, ast.Break, ast.Continue, ast.Match, ast.With, ast.Try),
  ast.Delete,
)


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Returns `node` as it is, or refuses."""
  # In the order of the lines, so that the first one is named.
  parts = [part for part in ast.walk(node) if part is not node]
  for part in sorted(parts, key=lambda part: getattr(part, "lineno", 0)):
    _check(part, ctx)
  _check_comprehension_iterables(node, ctx, in_iterable=False)
  return node


def _check(node: ast.AST, ctx: PassContext) -> None:
  explanation = REFUSED.get(type(node).__name__)
  if explanation:
    ctx.refuse(node, f"{explanation}.")
  if isinstance(node, ast.stmt) and not isinstance(node, STATEMENTS):
    ctx.refuse(node, f"{type(node).__name__} statements are not converted.")
  if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
    ctx.refuse(node, "from ... import * is not converted: name what you import.")
  if isinstance(node, ast.FunctionDef) and getattr(node, "type_params", None):
    ctx.refuse(node, "type parameters of an inner function are not converted.")
  if isinstance(node, ast.Delete):
    if not all(map(_can_be_deleted, node.targets)):
      ctx.refuse(node, "del of an attribute or a slice is not converted.")
  if isinstance(node, scopes.Comprehension):
    if any(generator.is_async for generator in node.generators):
      ctx.refuse(node, "an async comprehension is not converted.")


def _can_be_deleted(target: ast.expr) -> bool:
  if isinstance(target, ast.Subscript):
    return not any(isinstance(part, ast.Slice) for part in ast.walk(target.slice))
  return isinstance(target, ast.Name)


def _check_comprehension_iterables(node: ast.AST, ctx: PassContext, in_iterable: bool) -> None:
  """Refuses chained comparisons where Python allows no `:=`, which desugar needs for them."""
  if in_iterable and isinstance(node, ast.Compare):
    if not all(isinstance(e, ast.Name | ast.Constant) for e in node.comparators[:-1]):
      ctx.refuse(
        node,
        "a chained comparison where a comprehension takes its elements from is not converted:"
        " compute it in a statement before.",
      )
  for child in ast.iter_child_nodes(node):
    if isinstance(node, ast.comprehension) and child is node.iter:
      _check_comprehension_iterables(child, ctx, in_iterable=True)
    else:
      _check_comprehension_iterables(child, ctx, in_iterable)
