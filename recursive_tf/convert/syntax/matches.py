"""Writes `match` as `if` and `else`.

Before: what the fence lets through.
After: no `Match`. The subject is evaluated once. A pattern is one test, so that what it finds stays
known in the body: `Add(Num(0), x)` is

    isinstance(s, Add) and isinstance(s.left, Num) and s.left.v == 0

and the body begins with `x = s.right`. Names are bound when the whole pattern has matched, before
the guard. What Python reads once is read wherever it is needed; a read that is not the first one is
marked (`Annotation.AGAIN`), and refused where it changes something.

An attribute that a class pattern names and an object does not have is an error where Python goes on
to the next case: such a run fails, and Python does the call.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
from collections.abc import Iterable, Mapping

from recursive_tf.convert.syntax import context
from recursive_tf.convert.syntax.annotations import Annotation, annotate
from recursive_tf.convert.syntax.context import PassContext

_SEQUENCE, _MAPPING = 1 << 5, 1 << 6  # Py_TPFLAGS_SEQUENCE, Py_TPFLAGS_MAPPING


def is_sequence(value: object) -> bool:
  """Tells whether a sequence pattern may match."""
  return bool(type(value).__flags__ & _SEQUENCE)


def is_mapping(value: object) -> bool:
  """Tells whether a mapping pattern may match."""
  return bool(type(value).__flags__ & _MAPPING)


def has_read(value: object, *names: str) -> bool:
  """Reads all attributes that a pattern asks for, before any of them is tested."""
  for name in names:
    getattr(value, name)
  return True


def without(value: Mapping[object, object], *keys: object) -> dict[object, object]:
  """Returns what a mapping pattern leaves."""
  rest = dict(value)
  for key in keys:
    del rest[key]
  return rest


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Returns `node`, rewritten in place."""
  found = _Matches(ctx).visit(node)
  assert isinstance(found, ast.FunctionDef)
  return found


@dataclasses.dataclass
class _Found:
  """What a pattern asks of a value, and what it does where all of that is true.

  Attributes:
    tests: in order; none if it always matches.
    binds: what is bound and read, in order.
  """

  tests: list[ast.expr] = dataclasses.field(default_factory=list)
  binds: list[_Bind] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class _Either:
  """Binds names by the first of some patterns that matches; one of them does."""

  patterns: list[_Found]


# A name with what it is bound to; no name with what is only read.
_Bind = tuple[str | None, ast.expr] | _Either


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
    found = _Reader(self._ctx.self_matching).read(case.pattern, ast.Name(subject, ast.Load()))
    binds = _statements(found.binds)
    tests = list(found.tests)
    once: list[ast.AST] = list(binds)  # What the body does once.
    if case.guard is not None and tests and binds:
      # Bound where the test goes on to the guard; that this is so is not always known in the body.
      name = self._ctx.fresh("guard")
      _mark([node for statement in binds for node in ast.walk(statement)], name)
      guarded = _all([_bound(found.binds)], case.guard)
      annotate(guarded, Annotation.AGAIN, name)
      tests.append(guarded)
      once = []
    elif case.guard is not None and tests:
      tests.append(case.guard)
    if tests:
      found_here = ast.If(_all(tests), [*binds, *case.body], rest)
      statements: list[ast.stmt] = [found_here]
      _mark_repeated([found_here.test, *once], subject)
    else:
      _mark_repeated(once, subject)
      tail = case.body if case.guard is None else [ast.If(case.guard, case.body, rest)]
      statements = [*binds, *tail]
    return [context.located(statement, at=case.pattern) for statement in statements]


class _Reader:
  """Finds out what patterns ask, and what they bind.

  Attributes:
    self_matching: names of the builtin classes whose one positional pattern is the object.
  """

  def __init__(self, self_matching: frozenset[str]):
    self._self_matching = self_matching

  def read(self, pattern: ast.pattern, value: ast.expr) -> _Found:
    """Returns what a pattern is for a value, by the expression that gives it."""
    read = getattr(self, f"_of_{type(pattern).__name__}")
    found: _Found = read(pattern, value)
    return found

  def _of_MatchValue(self, pattern: ast.MatchValue, value: ast.expr) -> _Found:
    test = ast.Compare(value, [ast.Eq()], [pattern.value])
    annotate(test, Annotation.AGAIN, "")  # What it changes a read behind it would see.
    return _Found([test])

  def _of_MatchSingleton(self, pattern: ast.MatchSingleton, value: ast.expr) -> _Found:
    return _Found([ast.Compare(value, [ast.Is()], [ast.Constant(pattern.value)])])

  def _of_MatchAs(self, pattern: ast.MatchAs, value: ast.expr) -> _Found:
    if pattern.pattern is None:
      is_bare = pattern.name is None and isinstance(value, ast.Name)
      return _Found(binds=[] if is_bare else [(pattern.name, value)])
    found = self.read(pattern.pattern, value)
    found.binds.append((pattern.name, value))
    return found

  def _of_MatchOr(self, pattern: ast.MatchOr, value: ast.expr) -> _Found:
    found = [self.read(part, value) for part in pattern.patterns]
    has_names = any(_names(one.binds) for one in found)
    binds: list[_Bind] = [_Either(found)] if has_names else []
    if not all(one.tests for one in found):  # The last of them always matches.
      return _Found(binds=binds)
    return _Found([ast.BoolOp(ast.Or(), [_all(one.tests) for one in found])], binds)

  def _of_MatchClass(self, pattern: ast.MatchClass, value: ast.expr) -> _Found:
    found = _Found([_call(isinstance, value, pattern.cls)])
    is_itself = isinstance(pattern.cls, ast.Name) and pattern.cls.id in self._self_matching
    names = ast.Attribute(pattern.cls, "__match_args__", ast.Load())
    count = len(pattern.patterns)
    for name in pattern.kwd_attrs if count and not is_itself else ():
      # That one attribute is asked for twice is a TypeError.
      first = ast.Subscript(names, ast.Slice(None, ast.Constant(count)), ast.Load())
      is_twice = ast.Compare(ast.Constant(name), [ast.In()], [first])
      found.tests.append(_unless(is_twice))
    parts: list[tuple[ast.expr, ast.expr]] = []  # Names, and what reads them.
    for position in range(1 if is_itself else 0, count):
      at = ast.Subscript(names, ast.Constant(position), ast.Load())
      parts.append((at, _call(getattr, value, at)))
    for attribute in pattern.kwd_attrs:
      parts.append((ast.Constant(attribute), ast.Attribute(value, attribute, ast.Load())))
    if len(parts) > 1:
      found.tests.append(_call(has_read, value, *(name for name, _ in parts)))
    reads = [*([value] if is_itself and count else []), *(read for _, read in parts)]
    for part, read in zip([*pattern.patterns, *pattern.kwd_patterns], reads, strict=True):
      self._add(found, part, read)
    return found

  def _of_MatchSequence(self, pattern: ast.MatchSequence, value: ast.expr) -> _Found:
    found = _Found([_call(is_sequence, value)])
    parts = pattern.patterns
    starred = [i for i, part in enumerate(parts) if isinstance(part, ast.MatchStar)]
    count = len(parts) - len(starred)
    if count or not starred:
      operator = ast.GtE() if starred else ast.Eq()
      found.tests.append(ast.Compare(_call(len, value), [operator], [ast.Constant(count)]))
    for i, part in enumerate(parts):
      if isinstance(part, ast.MatchStar):
        behind = len(parts) - i - 1
        end = ast.Constant(-behind) if behind else None
        rest = _item(_call(list, value), ast.Slice(ast.Constant(i), end))
        if part.name is not None:
          found.binds.append((part.name, rest))
      elif not (isinstance(part, ast.MatchAs) and part.pattern is None and part.name is None):
        position = i - len(parts) if starred and i > starred[0] else i
        self._add(found, part, _item(value, ast.Constant(position)))
    return found

  def _of_MatchMapping(self, pattern: ast.MatchMapping, value: ast.expr) -> _Found:
    found = _Found([_call(is_mapping, value)])
    for i, key in enumerate(pattern.keys):
      for other in pattern.keys[:i]:
        if not (isinstance(key, ast.Constant) and isinstance(other, ast.Constant)):
          # That one key is asked for twice is a ValueError.
          found.tests.append(_unless(ast.Compare(other, [ast.Eq()], [key])))
    for key in pattern.keys:
      found.tests.append(ast.Compare(key, [ast.In()], [value]))
    for key, part in zip(pattern.keys, pattern.patterns, strict=True):
      self._add(found, part, _item(value, key))
    if pattern.rest is not None:
      found.binds.append((pattern.rest, _call(without, value, *pattern.keys)))
    return found

  def _add(self, found: _Found, pattern: ast.pattern, value: ast.expr) -> None:
    inner = self.read(pattern, value)
    found.tests += inner.tests
    found.binds += inner.binds


def _all(tests: list[ast.expr], *last: ast.expr) -> ast.expr:
  """Returns that all of some tests are true, which are copied, and the last one, which is not."""
  parts = [*map(copy.deepcopy, tests), *last]
  return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)


def _call(function: object, *args: ast.expr) -> ast.expr:
  # The function itself: the user may have another of its name.
  return ast.Call(ast.Constant(function), list(args), [])  # type: ignore[arg-type]


def _item(value: ast.expr, key: ast.expr) -> ast.expr:
  return ast.Subscript(value, key, ast.Load())


def _unless(test: ast.expr) -> ast.expr:
  """Returns what is true, and raises where a test is true."""
  raising = _item(ast.Tuple([], ast.Load()), ast.Constant(0))
  return ast.IfExp(test, raising, ast.Constant(True))


def _names(binds: list[_Bind]) -> set[str]:
  found: set[str] = set()
  for bind in binds:
    if isinstance(bind, _Either):
      found.update(*(_names(one.binds) for one in bind.patterns))
    elif bind[0] is not None:
      found.add(bind[0])
  return found


def _statements(binds: list[_Bind]) -> list[ast.stmt]:
  """Returns statements that bind names."""
  statements: list[ast.stmt] = []
  for bind in binds:
    if isinstance(bind, _Either):
      rest: list[ast.stmt] = []
      for one in reversed(bind.patterns):
        then = _statements(one.binds) or [ast.Pass()]
        rest = [ast.If(_all(one.tests), then, rest)] if one.tests and rest else then
      statements += rest
    elif bind[0] is None:
      statements.append(ast.Expr(copy.deepcopy(bind[1])))
    else:
      target = ast.Name(bind[0], ast.Store())
      statements.append(ast.Assign([target], copy.deepcopy(bind[1])))
  return statements


def _expression(binds: list[_Bind]) -> ast.expr:
  """Returns a tuple that binds names and ends with True."""
  parts: list[ast.expr] = []
  for bind in binds:
    if isinstance(bind, _Either):
      *firsts, last = bind.patterns
      rest = _bound(last.binds)
      for one in reversed(firsts):
        rest = ast.IfExp(_all(one.tests), _bound(one.binds), rest)
      parts.append(rest)
    elif bind[0] is None:
      parts.append(copy.deepcopy(bind[1]))
    else:
      parts.append(ast.NamedExpr(ast.Name(bind[0], ast.Store()), copy.deepcopy(bind[1])))
  return ast.Tuple([*parts, ast.Constant(True)], ast.Load())


def _bound(binds: list[_Bind]) -> ast.expr:
  return _item(_expression(binds), ast.Constant(-1))


def _mark(nodes: Iterable[ast.AST], guard: str = "") -> None:
  for node in nodes:
    if isinstance(node, (ast.Assign, ast.Attribute, ast.Call)):
      annotate(node, Annotation.AGAIN, guard)


def _mark_repeated(roots: Iterable[ast.AST], subject: str) -> None:
  """Marks the attributes of the subject that are read more than once."""
  found: dict[str, list[ast.AST]] = {}
  for root in roots:
    for node in ast.walk(root):
      if _is_read_of(node, subject):
        found.setdefault(ast.dump(node), []).append(node)
  for nodes in found.values():
    if len(nodes) > 1:
      _mark(nodes)


def _is_read_of(node: ast.AST, subject: str) -> bool:
  """Tells whether a node reads an attribute of the subject, or of a part of it."""
  if isinstance(node, ast.Call):
    function: object = node.func.value if isinstance(node.func, ast.Constant) else None
    is_read = function is getattr
    owner: ast.AST = node.args[0] if node.args else node
  else:
    is_read = isinstance(node, ast.Attribute)
    owner = node.value if isinstance(node, ast.Attribute) else node
  return is_read and any(isinstance(n, ast.Name) and n.id == subject for n in ast.walk(owner))
