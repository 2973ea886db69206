"""Finds which locals are still needed after each `If`, `For` and `While`, and which loops carry.

Before: exits are single (single_exit).
After: every `If`, `For` and `While` of the function and of those inside it has LIVE_AFTER and
ASSIGNED; loops have CARRIED too. The code is as it was.

Backward dataflow over the blocks, loops to their fixpoint. A name that a function inside may read
later, or that is declared `global` or `nonlocal`, is live everywhere: nobody sees when it is read.
So is the list that a generator makes, which nothing in it returns.
"""

from __future__ import annotations

import ast

from recursive_tf.convert.syntax import scopes
from recursive_tf.convert.syntax.annotations import Annotation, annotate, annotation
from recursive_tf.convert.syntax.context import PassContext
from recursive_tf.convert.syntax.evaluation import Effect, effect_of

_Names = frozenset[str]


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Annotates `node` and the functions inside it; returns it."""
  for function in scopes.functions_of(node):
    _Liveness(function, ctx).run()
  return node


class _Liveness:
  """The analysis of one function.

  Attributes:
    function: it.
    tracked: its locals, and what it declares `global` or `nonlocal`.
    always: the names that are live everywhere.
    hidden: the names that calls of functions inside may bind.
  """

  def __init__(self, function: ast.FunctionDef, ctx: PassContext):
    shared = scopes.captures(function, ctx.exhausting)
    declared = scopes.declared(function)
    self.function = function
    self.tracked = scopes.local_names(function) | declared
    made = frozenset(annotation(function, Annotation.GENERATOR, ()))
    self.always = (shared.read | shared.written | declared | made) & self.tracked
    self.hidden = shared.written | (declared & shared.read)

  def run(self) -> None:
    self._block(self.function.body, self.always)

  def _before(self, effect: Effect, after: _Names) -> _Names:
    return (effect.reads & self.tracked) | (after - effect.binds) | self.always

  def _block(self, block: list[ast.stmt], after: _Names) -> _Names:
    for statement in reversed(block):
      after = self._statement(statement, after)
    return after

  def _statement(self, node: ast.stmt, after: _Names) -> _Names:
    if isinstance(node, ast.If):
      annotate(node, Annotation.LIVE_AFTER, after)
      self._note_assigned(node, [*node.body, *node.orelse])
      inside = self._block(node.body, after) | self._block(node.orelse, after)
      return self._before(effect_of(node.test), inside)
    if isinstance(node, ast.While):
      return self._while(node, after)
    if isinstance(node, ast.With):
      (item,) = node.items
      parts = [part for part in (item.context_expr, item.optional_vars) if part is not None]
      annotate(node, Annotation.LIVE_AFTER, after)
      bound = [] if item.optional_vars is None else [item.optional_vars]
      targets: list[ast.stmt] = [ast.Assign(bound, ast.Constant(None))]
      assigned = self._note_assigned(node, [*targets, *node.body])
      inside = self._block(node.body, after)
      annotate(node, Annotation.CARRIED, assigned & (after | inside))
      return self._before(effect_of(*parts), inside)
    if isinstance(node, ast.For):
      return self._for(node, after)
    if isinstance(node, ast.Return | ast.Raise):
      after = self.always
    return self._before(effect_of(node), after)

  def _while(self, node: ast.While, after: _Names) -> _Names:
    annotate(node, Annotation.LIVE_AFTER, after)
    assigned = self._note_assigned(node, [ast.Expr(node.test), *node.body])
    flag = self._flag(node)
    test = effect_of(node.test)
    head: _Names = after | flag
    while True:
      inside = self._block(node.body, head | after)
      grown = head | self._before(test, inside | after)
      if grown == head:
        break
      head = grown
    # What the test binds for the body has to get there too.
    handed_over = test.binds & inside
    annotate(node, Annotation.CARRIED, assigned & (head | after | handed_over))
    return self._before(test, inside | after) | flag

  def _for(self, node: ast.For, after: _Names) -> _Names:
    annotate(node, Annotation.LIVE_AFTER, after)
    loop_variables = [ast.Assign([node.target], ast.Constant(None))]
    assigned = self._note_assigned(node, [*loop_variables, *node.body])
    target = effect_of(node.target)
    head: _Names = after | self._flag(node)
    while True:
      grown = head | self._before(target, self._block(node.body, head))
      if grown == head:
        break
      head = grown
    annotate(node, Annotation.CARRIED, assigned & head)
    return self._before(effect_of(node.iter), head)

  def _note_assigned(self, node: ast.stmt, parts: list[ast.stmt]) -> _Names:
    assigned = scopes.assigned_names(parts) | self.hidden
    annotate(node, Annotation.ASSIGNED, assigned)
    return assigned

  def _flag(self, node: ast.For | ast.While) -> _Names:
    flag = annotation(node, Annotation.UNTIL)
    return frozenset() if flag is None else frozenset([flag])
