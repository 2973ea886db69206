"""Makes a generator one function that gives a list, or hands each element to another function.

Before: any function that Python compiles.
After: no `yield` that stands by itself as a statement. A generator has the annotation GENERATOR:
the names of a parameter by keyword, and of a local. Where the parameter is None, the function puts
what it yields into a list, which the local holds; what stands in its place is what it returns.
Else the parameter is a function of one element, which tells whether it wants no more; the generator
calls it where it yields, and returns whether it was told so. `yield from` an iterable hands on all
elements of that: the call has the annotation DELEGATED.

A generator that yields once, whatever happens, may be one of a context manager
(`contextlib.contextmanager`), whose block is the consumer. It alone may yield in `try` or `with`:
a generator that is left there would be closed, as is no function.

Both do what the generator does between its elements. In Python its consumer works there, too: it is
that function, or what it does makes no difference to the list, as `semantics/_lazy.py` says.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence

from recursive_tf.convert.syntax import context, scopes
from recursive_tf.convert.syntax.annotations import Annotation, annotate, annotation
from recursive_tf.convert.syntax.context import PassContext

_Element = Callable[[ast.expr], ast.stmt]


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Returns `node`, rewritten in place, functions inside too."""
  for function in scopes.functions_of(node):
    yields = [n for n in scopes.own_nodes(function) if isinstance(n, ast.Yield | ast.YieldFrom)]
    if yields:
      _check(function, yields, ctx)
      problem = _problem_of_manager(function, yields)
      within = _block_around(function, yields)
      if within is not None and problem:
        ctx.refuse(within, "a yield inside of try or with is not converted.")
      annotate(function, Annotation.MANAGER, problem)
      annotate(function, Annotation.ENTERED, within is not None)
      _rewrite(function, ctx)
  return node


def _check(function: ast.FunctionDef, yields: Sequence[ast.expr], ctx: PassContext) -> None:
  """Refuses what makes a generator more than a function that gives elements."""
  nodes = list(scopes.own_nodes(function))
  statements = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
  for one in yields:
    if id(one) not in statements:
      ctx.refuse(one, "the value of a yield is not converted: a graph has no suspended calls.")
  for node in nodes:
    if isinstance(node, ast.Return) and not _is_none(node.value):
      ctx.refuse(node, "a generator that returns a value is not converted.")


def _block_around(function: ast.FunctionDef, yields: Sequence[ast.expr]) -> ast.stmt | None:
  """Returns a `try` or `with` in which a generator yields."""
  for node in scopes.own_nodes(function):
    if isinstance(node, ast.Try | ast.With):
      inside = {id(part) for part in scopes.own_nodes([node])}
      if any(id(one) in inside for one in yields):
        return node
  return None


def _problem_of_manager(function: ast.FunctionDef, yields: Sequence[ast.expr]) -> str:
  """Returns why a generator may not yield exactly once if nothing is raised; "" if it does."""
  if len(yields) > 1 or isinstance(yields[0], ast.YieldFrom):
    return "it has more than one yield"
  if any(isinstance(node, ast.Return) for node in scopes.own_nodes(function)):
    return "it returns"
  block: list[ast.stmt] = function.body
  while True:
    (statement,) = [one for one in block if yields[0] in scopes.own_nodes([one])]
    if isinstance(statement, ast.Expr):
      return ""
    if not isinstance(statement, ast.Try | ast.With):
      return "it yields in a branch or a loop"
    block = statement.body
    if not any(yields[0] in scopes.own_nodes([one]) for one in block):
      return "it yields in a handler"


def _is_none(value: ast.expr | None) -> bool:
  return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _rewrite(function: ast.FunctionDef, ctx: PassContext) -> None:
  first = function.body[0]
  found, consumer = ctx.fresh("yielded"), ctx.fresh("consumer")
  as_list = _body(copy.deepcopy(function.body), _added_to(found), lambda: ast.Constant(None))
  as_list.insert(0, ast.Assign([ast.Name(found, ast.Store())], ast.List([], ast.Load())))
  may_end = not annotation(function, Annotation.ENTERED)
  handing_on = _body(function.body, _handed_to(consumer, may_end), lambda: ast.Constant(False))
  for block in (as_list, handing_on):
    for statement in block:
      context.located(statement, at=first)
  is_list = ast.Compare(_load(consumer), [ast.Is()], [ast.Constant(None)])
  function.body = [context.located(ast.If(is_list, as_list, handing_on), at=first)]
  function.args.kwonlyargs.append(context.located(ast.arg(consumer), at=first))
  function.args.kw_defaults.append(context.located(ast.Constant(None), at=first))
  annotate(function, Annotation.GENERATOR, (consumer, found))


def _body(block: list[ast.stmt], element: _Element, end: Callable[[], ast.expr]) -> list[ast.stmt]:
  """Returns a generator's body with other statements for its yields, and another end."""
  rewritten = [_Yields(element, end).visit(statement) for statement in block]
  return [*rewritten, context.located(ast.Return(end()), at=block[-1])]


class _Yields(ast.NodeTransformer):
  """Replaces the yields of one function, and what it returns."""

  def __init__(self, element: _Element, end: Callable[[], ast.expr]):
    self._element = element
    self._end = end

  def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
    return node

  def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
    return node

  def visit_Expr(self, node: ast.Expr) -> ast.AST:
    if not isinstance(node.value, ast.Yield | ast.YieldFrom):
      return node
    return context.located(self._element(node.value), at=node)

  def visit_Return(self, node: ast.Return) -> ast.AST:
    return context.located(ast.Return(self._end()), at=node)


def _load(name: str) -> ast.Name:
  return ast.Name(name, ast.Load())


def _value(node: ast.expr) -> ast.expr:
  assert isinstance(node, ast.Yield | ast.YieldFrom)
  return ast.Constant(None) if node.value is None else node.value


def _added_to(name: str) -> _Element:
  def added(node: ast.expr) -> ast.stmt:
    method = "append" if isinstance(node, ast.Yield) else "extend"
    return ast.Expr(ast.Call(ast.Attribute(_load(name), method, ast.Load()), [_value(node)], []))

  return added


def _handed_to(name: str, may_end: bool) -> _Element:
  def handed(node: ast.expr) -> ast.stmt:
    call = ast.Call(_load(name), [_value(node)], [])
    if isinstance(node, ast.YieldFrom):
      annotate(call, Annotation.DELEGATED, True)
    return ast.If(call, [ast.Return(ast.Constant(True))], []) if may_end else ast.Expr(call)

  return handed
