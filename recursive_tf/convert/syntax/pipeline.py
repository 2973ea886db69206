"""Runs the passes: a function as the user wrote it becomes core Python."""

from __future__ import annotations

import ast
import builtins
import copy
import dataclasses
from collections.abc import Callable

from recursive_tf.convert.syntax import (
  append_loops,
  bindings,
  choices,
  desugar,
  fence,
  generators,
  liveness,
  loop_exits,
  managed,
  matches,
  named_attributes,
  records,
  scopes,
  single_exit,
)
from recursive_tf.convert.syntax import verify as verification
from recursive_tf.convert.syntax.context import PassContext
from recursive_tf.convert.syntax.source import FunctionSource

_Pass = Callable[[ast.FunctionDef, PassContext], ast.FunctionDef]

PASSES: tuple[tuple[str, _Pass], ...] = (
  # Before the fence, which lets no `yield` through.
  ("generators", generators.transform),
  # All others know only the syntax that it lets through.
  ("fence", fence.transform),
  # Before all that look for names: those of patterns are no expressions.
  ("matches", matches.transform),
  # Before any pass drops code that is never run.
  ("bindings", bindings.transform),
  ("desugar", desugar.transform),
  # Before all that treats branches: it makes some.
  ("named_attributes", named_attributes.transform),
  # Before single_exit, which knows the exits of loops in the copies, too.
  ("choices", choices.transform),
  # Before single_exit, too.
  ("records", records.transform),
  # Before loop_exits, which looks for the exits of loops in branches only.
  ("managed", managed.transform),
  # Before single_exit, which takes a loop for a statement that has no exits.
  ("loop_exits", loop_exits.transform),
  # The last that rewrites: copies of a block must not share what analyses say about it.
  ("single_exit", single_exit.transform),
  # Again, for the names that the passes made.
  ("bindings", bindings.transform),
  ("liveness", liveness.transform),
  # Whether a loop is a map depends on what it carries.
  ("append_loops", append_loops.transform),
)


def prepare(
  source: FunctionSource,
  dump: Callable[[str, str], object] | None = None,
  verify: bool = False,
) -> FunctionSource:
  """Brings a function into core Python.

  Args:
    source: the function as it was read; it stays as it is.
    dump: called after each pass with the pass's name and the code.
    verify: whether to check after each pass what it promises.

  Returns:
    The source with the new syntax, annotated as `annotations.Annotation` says. Its `local_names`
    has the old names and those that were made.

  Raises:
    ConversionRefused: For syntax that is not converted, at its line.
  """
  ctx = PassContext(source)
  node = copy.deepcopy(source.node)
  done: list[str] = []
  for name, transform in PASSES:
    node = transform(node, ctx)
    done.append(name)
    if dump is not None:
      dump(name, ast.unparse(node))
    if verify:
      verification.verify(node, done)
  return dataclasses.replace(
    source,
    node=node,
    local_names=scopes.local_names(node),
    has_handlers=any(map(_catches, ast.walk(source.node))),
    catches_depth=any(_catches_depth(part, source) for part in ast.walk(source.node)),
  )


def _catches(part: ast.AST) -> bool:
  """Tells whether what is raised in a statement may not leave it; TensorFlow's `with` lets it."""
  if isinstance(part, ast.With):
    return not all(ast.unparse(item.context_expr).startswith("tf.") for item in part.items)
  return isinstance(part, ast.Try) and bool(part.handlers)


def _catches_depth(part: ast.AST, source: FunctionSource) -> bool:
  """Tells whether what is in a statement may raise a RecursionError that does not leave it."""
  if isinstance(part, ast.ExceptHandler):
    kinds = part.type.elts if isinstance(part.type, ast.Tuple) else [part.type]
    return not all(_is_another(kind, source) for kind in kinds)
  return isinstance(part, ast.With) and _catches(part)


def _is_another(kind: ast.expr | None, source: FunctionSource) -> bool:
  """Tells whether a handler is for exceptions of which a RecursionError is none."""
  if not isinstance(kind, ast.Name) or kind.id in source.local_names or kind.id in source.cells:
    return False
  found = source.globals.get(kind.id, getattr(builtins, kind.id, None))
  return isinstance(found, type) and not issubclass(RecursionError, found)
