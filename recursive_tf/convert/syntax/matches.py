"""Writes `match` as `if` and `else`.

Before: what the fence lets through.
After: no `Match`. The subject is evaluated once, each attribute of a pattern once, in Python's
order; names are bound when the whole pattern has matched, before the guard.

An attribute that a class pattern names and an object does not have is an error where Python goes on
to the next case: such a run fails, and Python does the call.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable

from recursive_tf.convert.syntax import context
from recursive_tf.convert.syntax.context import PassContext

_Then = Callable[[], list[ast.stmt]]


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Returns `node`, rewritten in place."""
  found = _Matches(ctx).visit(node)
  assert isinstance(found, ast.FunctionDef)
  return found


class _Matches(ast.NodeTransformer):
  def __init__(self, ctx: PassContext):
    self._ctx = ctx

  def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
    self.generic_visit(node)
    subject = self._ctx.fresh("subject")
    rest: list[ast.stmt] = []
    for case in reversed(node.cases):
      rest = self._case(case, subject, rest)
    return [context.assign(subject, node.subject, at=node), *rest]

  def _case(self, case: ast.match_case, subject: str, rest: list[ast.stmt]) -> list[ast.stmt]:
    """Returns what one case does, and the statements of those after it where it does not match."""
    at = case.pattern
    known = None if case.guard else self._flat(case.pattern, subject)
    if known is not None:
      test, binds = known
      body = [*binds, *case.body]
      return body if test is None else [context.located(ast.If(test, body, rest), at=at)]
    matched = self._ctx.fresh("matched")
    binds = []

    def done() -> list[ast.stmt]:
      yes: list[ast.stmt] = [context.assign(matched, context.constant(True, at), at=at)]
      if case.guard is not None:
        yes = [context.located(ast.If(case.guard, yes, []), at=at)]
      return [*binds, *yes]

    if isinstance(at, ast.MatchOr):
      tried = self._either(at, subject, done, is_whole=True)
    else:
      tried = self._nested(at, subject, binds, done)
    return [
      context.assign(matched, context.constant(False, at), at=at),
      *tried,
      context.located(ast.If(context.load(matched, at=at), case.body, rest), at=at),
    ]

  # --- Patterns of which one test says all: what it finds stays known in the body

  def _flat(
    self, pattern: ast.pattern, subject: str
  ) -> tuple[ast.expr | None, list[ast.stmt]] | None:
    """Returns a test, None if it is always true, and what binds names; None for other patterns."""
    if isinstance(pattern, ast.MatchAs):
      found = (None, []) if pattern.pattern is None else self._flat(pattern.pattern, subject)
      if found is None or pattern.name is None:
        return found
      return found[0], [*found[1], self._bind(pattern.name, subject, pattern)]
    if isinstance(pattern, ast.MatchClass):
      parts = self._parts(pattern)
      if not all(isinstance(part, ast.MatchAs) and part.pattern is None for _, part in parts):
        return None
      reads, binds = self._reads(pattern, subject, parts)
      for name, part in reads:
        assert isinstance(part, ast.MatchAs)
        if part.name is not None:
          binds.append(self._bind(part.name, name, part))
      return self._is_instance(pattern, subject), binds
    test = self._test(pattern, subject)
    return None if test is None else (test, [])

  def _test(self, pattern: ast.pattern, subject: str) -> ast.expr | None:
    """Returns the test of a pattern that binds nothing and reads nothing of the subject."""
    value = context.load(subject, at=pattern)
    if isinstance(pattern, ast.MatchValue):
      return context.located(ast.Compare(value, [ast.Eq()], [pattern.value]), at=pattern)
    if isinstance(pattern, ast.MatchSingleton):
      constant = context.constant(pattern.value, at=pattern)
      return context.located(ast.Compare(value, [ast.Is()], [constant]), at=pattern)
    if isinstance(pattern, ast.MatchClass) and not pattern.patterns and not pattern.kwd_patterns:
      return self._is_instance(pattern, subject)
    if isinstance(pattern, ast.MatchOr):
      tests = [self._test(part, subject) for part in pattern.patterns]
      known = [test for test in tests if test is not None]
      if len(known) == len(tests):
        return context.located(ast.BoolOp(ast.Or(), known), at=pattern)
    return None

  # --- All others: a statement in a statement for each part

  def _nested(
    self, pattern: ast.pattern, subject: str, binds: list[ast.stmt], then: _Then
  ) -> list[ast.stmt]:
    """Returns statements that do `then` where the pattern matches; adds what binds its names."""
    test = self._test(pattern, subject)
    if test is not None:
      return [context.located(ast.If(test, then(), []), at=pattern)]
    if isinstance(pattern, ast.MatchAs):

      def bound() -> list[ast.stmt]:
        if pattern.name is not None:
          binds.append(self._bind(pattern.name, subject, pattern))
        return then()

      return (
        bound() if pattern.pattern is None else self._nested(pattern.pattern, subject, binds, bound)
      )
    if isinstance(pattern, ast.MatchClass):
      reads, body = self._reads(pattern, subject, self._parts(pattern))
      body += self._all(reads, binds, then)
      return [context.located(ast.If(self._is_instance(pattern, subject), body, []), at=pattern)]
    if isinstance(pattern, ast.MatchOr):
      return self._either(pattern, subject, then)
    self._ctx.refuse(
      pattern, "match of a sequence or a mapping is not converted: match the parts by themselves."
    )

  def _all(
    self, parts: list[tuple[str, ast.pattern]], binds: list[ast.stmt], then: _Then
  ) -> list[ast.stmt]:
    if not parts:
      return then()
    (name, pattern), *others = parts
    return self._nested(pattern, name, binds, lambda: self._all(others, binds, then))

  def _either(
    self, pattern: ast.MatchOr, subject: str, then: _Then, is_whole: bool = False
  ) -> list[ast.stmt]:
    """Returns the same for alternatives; those with names are all of their case.

    Otherwise a name would be bound though a later part of the pattern does not match.
    """
    has_names = any(isinstance(part, ast.MatchAs) and part.name for part in ast.walk(pattern))
    if has_names and not is_whole:
      self._ctx.refuse(pattern, "| of patterns with names in them, inside another pattern.")
    matched = self._ctx.fresh("matched")

    def set_to(value: bool) -> list[ast.stmt]:
      return [context.assign(matched, context.constant(value, pattern), at=pattern)]

    def found(binds: list[ast.stmt]) -> list[ast.stmt]:
      return [*binds, *set_to(True)]

    statements = set_to(False)
    for part in pattern.patterns:
      binds: list[ast.stmt] = []
      attempt = self._nested(part, subject, binds, functools.partial(found, binds))
      test = ast.UnaryOp(ast.Not(), context.load(matched, at=part))
      statements.append(context.located(ast.If(test, attempt, []), at=part))
    is_any = context.load(matched, at=pattern)
    return [*statements, context.located(ast.If(is_any, then(), []), at=pattern)]

  # --- Class patterns

  def _parts(self, pattern: ast.MatchClass) -> list[tuple[ast.expr | None, ast.pattern]]:
    """Returns (the name of the attribute, None for the object itself; its pattern) in order."""
    parts: list[tuple[ast.expr | None, ast.pattern]] = []
    is_itself = isinstance(pattern.cls, ast.Name) and pattern.cls.id in self._ctx.self_matching
    for position, part in enumerate(pattern.patterns):
      names = ast.Attribute(copy.deepcopy(pattern.cls), "__match_args__", ast.Load())
      name = ast.Subscript(names, ast.Constant(position), ast.Load())
      parts.append((None if is_itself and position == 0 else name, part))
    for attribute, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
      parts.append((ast.Constant(attribute), part))
    return parts

  def _reads(
    self,
    pattern: ast.MatchClass,
    subject: str,
    parts: list[tuple[ast.expr | None, ast.pattern]],
  ) -> tuple[list[tuple[str, ast.pattern]], list[ast.stmt]]:
    """Returns variables for the attributes with their patterns, and what reads them, in order."""
    reads: list[tuple[str, ast.pattern]] = []
    statements: list[ast.stmt] = []
    for name, part in parts:
      if name is None:
        reads.append((subject, part))
        continue
      variable = self._ctx.fresh("part")
      owner = context.load(subject, at=part)
      if isinstance(name, ast.Constant):
        value: ast.expr = ast.Attribute(owner, str(name.value), ast.Load())
      else:
        value = ast.Call(ast.Constant(getattr), [owner, name], [])  # type: ignore[arg-type]
      statements.append(context.assign(variable, value, at=part))
      reads.append((variable, part))
    return reads, statements

  def _is_instance(self, pattern: ast.MatchClass, subject: str) -> ast.expr:
    # The builtin itself: the user may have another of this name.
    function = ast.Constant(isinstance)  # type: ignore[arg-type]
    args = [context.load(subject, at=pattern), copy.deepcopy(pattern.cls)]
    return context.located(ast.Call(function, args, []), at=pattern)

  def _bind(self, name: str, value: str, at: ast.AST) -> ast.stmt:
    return context.assign(name, context.load(value, at=at), at=at)
