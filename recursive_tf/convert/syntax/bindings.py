"""Notes which names are local to each function, before passes drop some bindings and make others.

Before: anything after the fence.
After: every `FunctionDef` has LOCALS, which grows if the pass runs again. The code is as it was.
"""

from __future__ import annotations

import ast

from recursive_tf.convert.syntax import scopes
from recursive_tf.convert.syntax.annotations import Annotation, annotate
from recursive_tf.convert.syntax.context import PassContext


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Annotates `node` and the functions inside it; returns it."""
  for function in scopes.functions_of(node):
    annotate(function, Annotation.LOCALS, scopes.local_names(function))
  return node
