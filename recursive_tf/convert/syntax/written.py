"""Which parameters are accumulators: a function writes to them by keys, or changes them."""

from __future__ import annotations

import ast

# Methods that change the list, dict or set that they are called on.
CHANGING = frozenset(
  """add append clear discard extend insert pop popitem remove reverse setdefault sort
  update""".split()
)


def written_parameters(function: ast.FunctionDef) -> frozenset[str]:
  """Returns the names of parameters whose items are assigned, or that a method changes.

  A constant key tells nothing: that may be an attribute of a node that is a dict.
  """
  arguments = function.args
  names = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
  written = {_written(node) for statement in function.body for node in ast.walk(statement)}
  return frozenset(name for name in names if name in written)


def _written(node: ast.AST) -> str | None:
  """Returns the name that a node writes an item of, or changes by a method."""
  owner: ast.expr | None = None
  if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
    owner = None if isinstance(node.slice, ast.Constant) else node.value
  elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
    owner = node.func.value if node.func.attr in CHANGING else None
  return owner.id if isinstance(owner, ast.Name) else None
