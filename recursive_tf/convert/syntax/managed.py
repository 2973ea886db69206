"""Writes out `try`, and takes the exits out of `with` blocks.

Before: bindings are noted, so that names which only a handler binds are known.
After: no `Try`. Every `With` has one context manager, and no `Return`, `Break` or `Continue` leaves
it: what it returned is in a slot, and a `return` of the slot follows.

Of a `try` the handlers are gone. A graph assumes that nothing is raised; a run in which something
is raised fails as a whole, and plain Python does it, handlers and all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from recursive_tf.convert.syntax import context, loop_exits, scopes, tails
from recursive_tf.convert.syntax.context import PassContext

_PARSING = ("int", "float")
_LOOPS = (ast.For, ast.While)
_EXITS: tuple[type[ast.stmt], ...] = (ast.Return, ast.Break, ast.Continue)


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Returns `node`, rewritten in place, functions inside too."""
  return scopes.with_bodies(node, lambda body: _block(body, ctx))


def _block(block: list[ast.stmt], ctx: PassContext) -> list[ast.stmt]:
  result: list[ast.stmt] = []
  for statement in block:
    if isinstance(statement, ast.If | ast.For | ast.While):
      statement.body = _block(statement.body, ctx)
      statement.orelse = _block(statement.orelse, ctx)
      result.append(statement)
    elif isinstance(statement, ast.Try):
      result += _try(statement, ctx)
    elif isinstance(statement, ast.With):
      result += _with(statement, ctx)
    else:
      result.append(statement)
  return result


def parses(kind: type, value: str, error: object) -> bool:
  """Tells whether `kind(value)`, int or float of a string, does not raise an error."""
  try:
    kind(value)
  except ValueError:
    return error is not ValueError
  return True


def _parsing(node: ast.Try, ctx: PassContext) -> list[ast.stmt] | None:
  """Returns `try: return int(x), i + 1`, `except ValueError: ...` as a test of whether it raises.

  So of any block that begins with int or float of something; None of all else. What comes later in
  it may raise, too: then the run fails.
  """
  if len(node.handlers) != 1 or node.finalbody:
    return None
  first, handler = node.body[0], node.handlers[0]
  if not (isinstance(handler.type, ast.Name) and handler.type.id == "ValueError"):
    return None
  if handler.name or not isinstance(first, ast.Return | ast.Assign | ast.Expr):
    return None
  call = None if first.value is None else _first_done(first.value, _is_parsing)
  if call is None or not _has_one_operand(call):
    return None
  assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name)  # As it is asked.
  is_whole = call is first.value and isinstance(call.args[0], ast.Name)
  if call.func.id not in _PARSING and not is_whole:  # A variable may hold one of these.
    return None
  slot = ctx.fresh("parsed")
  before = context.assign(slot, call.args[0], at=node)
  call.args = [context.load(slot, at=call)]
  operands: list[ast.expr] = [
    context.load(name, at=node) for name in (call.func.id, slot, handler.type.id)
  ]
  return [before, _tested(node, parses, operands, ctx)]


def _tested(
  node: ast.Try, test: Callable[..., bool], operands: list[ast.expr], ctx: PassContext
) -> ast.stmt:
  """Returns a `try` with one handler as the test of whether that is not come to."""
  call = context.located(ast.Call(ast.Constant(test), operands, []), at=node)  # type: ignore
  body = _block([*node.body, *node.orelse], ctx)
  made = ast.If(call, body, _block(node.handlers[0].body, ctx))
  return context.located(made, at=node)


def has_item(
  items: Mapping[object, object],
  key: object,
  error: type[Exception] | tuple[type[Exception], ...],
) -> bool:
  """Tells whether `items[key]` does not raise an error."""
  try:
    items[key]
  except error:
    return False
  return True


_LOOKUPS = ("KeyError", "IndexError", "LookupError", "Exception")


def _looking_up(node: ast.Try, ctx: PassContext) -> list[ast.stmt] | None:
  """Returns `try: x = d[k]`, `except KeyError: ...` as a test of whether there is such an item.

  So of any block that begins with the read of an item, `d[k] += x` among them; None of all else.
  """
  if len(node.handlers) != 1 or node.finalbody:
    return None
  first, handler = node.body[0], node.handlers[0]
  errors = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
  if handler.name or not all(isinstance(e, ast.Name) and e.id in _LOOKUPS for e in errors):
    return None
  found: ast.expr | None = None
  if isinstance(first, ast.AugAssign) and isinstance(first.target, ast.Subscript):
    found = first.target
  elif isinstance(first, ast.Return | ast.Assign | ast.Expr) and first.value is not None:
    found = _first_done(first.value, _is_item)
  if not isinstance(found, ast.Subscript):
    return None
  if any(isinstance(part, ast.Slice | ast.NamedExpr) for part in ast.walk(found)):
    return None
  owner, key = ctx.fresh("owner"), ctx.fresh("key")
  before = [
    context.assign(owner, found.value, at=node),
    context.assign(key, found.slice, at=node),
  ]
  found.value, found.slice = context.load(owner, at=found), context.load(key, at=found)
  assert handler.type is not None  # It is one name, or several.
  operands = [context.load(owner, at=node), context.load(key, at=node), handler.type]
  return [*before, _tested(node, has_item, operands, ctx)]


def _first_done(node: ast.expr, is_one: Callable[[ast.expr], bool]) -> ast.expr | None:
  """Returns what an expression does first, other than reading names; None if it does nothing else.

  Args:
    node: the expression.
    is_one: tells what counts as one thing, with all that is in it.
  """
  if is_one(node):
    return node
  if isinstance(node, ast.Name | ast.Constant):
    return None
  parts: list[ast.expr] = []
  if isinstance(node, ast.Tuple | ast.List):
    parts = node.elts
  elif isinstance(node, ast.BinOp):
    parts = [node.left, node.right]
  elif isinstance(node, ast.Compare):
    parts = [node.left, node.comparators[0]]
  elif isinstance(node, ast.Attribute):
    parts = [node.value]
  elif isinstance(node, ast.Call):
    parts = [node.func, *node.args]
  found = (_first_done(part, is_one) for part in parts)
  return next((part for part in found if part is not None), node)


def _is_parsing(node: ast.expr) -> bool:
  """Tells whether an expression is a call of int or float, by its name, of one operand."""
  return _has_one_operand(node) and node.func.id in _PARSING  # type: ignore[attr-defined]


def _is_item(node: ast.expr) -> bool:
  return isinstance(node, ast.Subscript)


def _has_one_operand(node: ast.expr) -> bool:
  """Tells whether something is a call, by a name, of one operand."""
  if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
    return False
  return len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)


def _try(node: ast.Try, ctx: PassContext) -> list[ast.stmt]:
  test = _parsing(node, ctx) or _looking_up(node, ctx)
  if test is not None:
    return test
  body = _block([*node.body, *node.orelse], ctx)
  if not node.finalbody:
    return body
  final = _block(node.finalbody, ctx)
  if _exits(final):
    ctx.refuse(node, "a finally that returns, breaks or continues is not converted.")
  before, inside, after = _without_exits(node, body, ctx)
  return [*before, *inside, *final, *after]


def _with(node: ast.With, ctx: PassContext) -> list[ast.stmt]:
  body = _block(node.body, ctx)
  first, *others = node.items
  if others:
    body = _with(context.located(ast.With(others, body), at=node), ctx)
  before, inside, after = _without_exits(node, body, ctx)
  made = ast.With([first], inside or [context.located(ast.Pass(), at=node)])
  return [*before, context.located(made, at=node), *after]


def _without_exits(
  node: ast.stmt, body: list[ast.stmt], ctx: PassContext
) -> tuple[list[ast.stmt], list[ast.stmt], list[ast.stmt]]:
  """Returns what goes before a block, the block without exits, and what goes after it."""
  exits = _exits(body)
  if not exits:
    return [], body, []
  if any(isinstance(found, _LOOPS) and _exits([found]) for found in scopes.own_nodes(body)):
    body = loop_exits.without_exits(body, ctx)  # Their `return` follows them now.
    exits = _exits(body)
  last = body[-1]
  if exits == [last] and isinstance(last, ast.Return):  # The common case needs no flag.
    slot = ctx.fresh("result")
    value = last.value or context.constant(None, last)
    leave = context.located(tails.leave_with(ast.Return, slot), at=last)
    return [], [*body[:-1], context.assign(slot, value, at=last)], [leave]
  kinds = [kind for kind in _EXITS if any(isinstance(found, kind) for found in exits)]
  slots = {kind: ctx.fresh("result") if kind is ast.Return else None for kind in kinds}
  flags = {kind: ctx.fresh("exited") for kind in kinds}

  def instead(found: ast.stmt) -> list[ast.stmt]:
    setting = tails.exit_to_flags(found, [flags[type(found)]], slots[type(found)])
    return [*setting, context.located(ast.Continue(), at=found)]

  # One kind of exit stands for all, so that each goes to the end of its block.
  restructured = tails.Tails(ast.Continue, ctx).restructured(loop_exits.replaced(body, instead))
  inside = tails.replaced_tails(restructured, ast.Continue, lambda found: [])
  before: list[ast.stmt] = []
  after: list[ast.stmt] = []
  for kind in kinds:
    before += tails.flags_setup([flags[kind]], slots[kind], at=node)
    leave = tails.leave_with(kind, slots[kind])
    check = ast.If(context.load(flags[kind], at=node), [leave], [])
    after.append(context.located(check, at=node))
  return before, inside, after


def _exits(block: list[ast.stmt], is_in_loop: bool = False) -> list[ast.stmt]:
  """Returns the statements that leave a block: those of functions and loops inside are theirs."""
  found: list[ast.stmt] = []
  for statement in block:
    if isinstance(statement, ast.Return):
      found.append(statement)
    elif isinstance(statement, ast.Break | ast.Continue) and not is_in_loop:
      found.append(statement)
    elif isinstance(statement, ast.If | ast.For | ast.While | ast.With):
      is_loop = is_in_loop or isinstance(statement, _LOOPS)
      found += _exits(statement.body, is_loop)
      found += _exits(getattr(statement, "orelse", []), is_in_loop)
  return found
