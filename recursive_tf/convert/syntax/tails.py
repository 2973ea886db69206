"""Moves exits to the ends of blocks: what follows a possible exit goes into the other branches.

Shared by loop_exits, for which `continue` is the exit of a loop's body, and single_exit, for which
`return` is the exit of a function's. Loops are taken as statements without exits of that kind.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable

from recursive_tf.convert.syntax import context
from recursive_tf.convert.syntax.annotations import Annotation, annotate
from recursive_tf.convert.syntax.context import PassContext

Replacement = Callable[[ast.stmt], list[ast.stmt]]


def falls(block: list[ast.stmt]) -> bool:
  """Says whether control may reach the end of the block."""
  if not block:
    return True
  last = block[-1]
  if isinstance(last, ast.If):
    return falls(last.body) or falls(last.orelse)
  return not isinstance(last, ast.Return | ast.Raise | ast.Break | ast.Continue)


@dataclasses.dataclass(frozen=True)
class Tails:
  """Restructures blocks for one kind of exit statement.

  Attributes:
    exit_type: `ast.Return` or `ast.Continue`.
    ctx: gives fresh names, and keeps the budget of copies.
  """

  exit_type: type[ast.stmt]
  ctx: PassContext

  def restructured(self, block: list[ast.stmt]) -> list[ast.stmt]:
    """Returns the block with every exit at the end of the block it is in, and that in turn.

    Statements after an `If` with an exit inside move into the branches that reach them. They are
    copied if both do, while the budget lasts; then a flag says whether the exit was taken.
    """
    for index, statement in enumerate(block):
      before, rest = block[:index], block[index + 1 :]
      if isinstance(statement, self.exit_type | ast.Raise):
        return [*before, statement]
      if isinstance(statement, ast.If) and self._exits(statement):
        if rest and falls(statement.body) and falls(statement.orelse) and not self._affords(rest):
          return [*before, *self._flagged(statement, rest)]
        return [*before, self._spread(statement, rest)]
    return block

  def _exits(self, node: ast.AST) -> bool:
    """Says whether an exit is in the statement; those of functions and loops inside are theirs."""
    if isinstance(node, self.exit_type):
      return True
    if not isinstance(node, ast.If):
      return False
    return any(map(self._exits, [*node.body, *node.orelse]))

  def _affords(self, rest: list[ast.stmt]) -> bool:
    size = sum(1 for statement in rest for _ in ast.walk(statement))
    if size > self.ctx.copy_budget:
      return False
    self.ctx.copy_budget -= size
    return True

  def _spread(self, statement: ast.If, rest: list[ast.stmt]) -> ast.If:
    body_falls, orelse_falls = falls(statement.body), falls(statement.orelse)
    body, orelse = list(statement.body), list(statement.orelse)
    if body_falls:
      body += rest
    if orelse_falls:
      orelse += context.copied(rest) if body_falls else rest
    statement.body = self.restructured(body)
    statement.orelse = self.restructured(orelse)
    return statement

  def _flagged(self, statement: ast.If, rest: list[ast.stmt]) -> list[ast.stmt]:
    taken = self.ctx.fresh("exited")
    slot = self.ctx.fresh("result") if self.exit_type is ast.Return else None

    def instead(node: ast.stmt) -> list[ast.stmt]:
      return exit_to_flags(node, [taken], slot)

    setup, leave = flags_setup([taken], slot, at=statement), leave_with(self.exit_type, slot)
    (inner,) = replaced_tails(self.restructured([statement]), self.exit_type, instead)
    check = ast.If(context.load(taken, at=statement), [leave], rest)
    return [*setup, inner, self._spread(context.located(check, at=statement), [])]


def flags_setup(flags: list[str], slot: str | None, at: ast.AST) -> list[ast.stmt]:
  """Makes the statements that start flags as False, and the slot of the first as empty."""
  setup: list[ast.stmt] = [context.assign(f, context.constant(False, at), at) for f in flags]
  if slot is not None:
    empty = context.assign(slot, context.constant(None, at), at)
    annotate(empty, Annotation.RETURN_SLOT, flags[0])
    setup.append(empty)
  return setup


def leave_with(exit_type: type[ast.stmt], slot: str | None) -> ast.stmt:
  """Makes an exit, a `return` of the slot if there is one; it has no place yet."""
  if slot is None:
    return exit_type()
  return ast.Return(ast.Name(slot, ast.Load()))


def exit_to_flags(node: ast.stmt, flags: list[str], slot: str | None) -> list[ast.stmt]:
  """Makes what stands for an exit: its value into the slot, then the flags."""
  setting: list[ast.stmt] = []
  if slot is not None:
    value = (node.value if isinstance(node, ast.Return) else None) or context.constant(None, node)
    setting.append(context.assign(slot, value, at=node))
  return setting + [context.assign(f, context.constant(True, node), at=node) for f in flags]


def replaced_tails(
  block: list[ast.stmt],
  exit_type: type[ast.stmt],
  instead: Replacement,
) -> list[ast.stmt]:
  """Replaces the exits of a restructured block by other statements."""
  if not block:
    return block
  last = block[-1]
  if isinstance(last, exit_type):
    return block[:-1] + (instead(last) or ([] if block[:-1] else [_pass(last)]))
  if isinstance(last, ast.If):
    last.body = replaced_tails(last.body, exit_type, instead)
    last.orelse = replaced_tails(last.orelse, exit_type, instead)
  return block


def _pass(at: ast.AST) -> ast.Pass:
  return context.located(ast.Pass(), at)
