"""Comprehensions and generator expressions: unrolled, or maps or loops of the graph."""

from __future__ import annotations

import ast
import functools

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _generators, _lazy
from recursive_tf.convert.semantics._graph_loops import row, run_loop
from recursive_tf.convert.semantics._maps import body_function, is_ordered, map_function, numbers_of
from recursive_tf.convert.syntax import scopes
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Closure, LocalList, Rows, Scope, is_middle
from recursive_tf.convert.values._numbers import Number


def comprehension(
  ip: Host, elt: ast.expr, generators: list[ast.comprehension], scope: Scope
) -> LocalList:
  """Returns the list that a comprehension or generator makes."""
  site = generators[0]
  with ip.frame.sharing.reads() as read:
    source = _generators.iterable(ip, ip.iterable(site.iter, scope))
    if isinstance(source, _generators.Suspended) and site in ip.conversion.consumers:
      return _generators.collected(ip, source, elt, generators, scope)
    iterable = _generators.listed(ip, source)
  iterated = _lazy.iteration_of(site.iter, iterable, read)
  effects = ip.conversion.effects

  def consume() -> LocalList:
    with ip.frame.sharing.iterating(iterated), effects.going_over(ip, iterable):
      return _lazy.consumed(
        ip, iterable, lambda: _comprehension(ip, elt, generators, iterable, scope), True
      )

  parts = [elt, *(test for generator in generators for test in generator.ifs)]
  return consume() if _binds(*parts) else _generators.or_in_turn(ip, site, source, consume)


def _comprehension(
  ip: Host, elt: ast.expr, generators: list[ast.comprehension], iterable: object, scope: Scope
) -> LocalList:
  frame = ip.frame
  generator, *others = generators
  inner = _scope_inside(ip, generators, scope)
  rows = ip.rows_of(iterable, one_by_one=True)

  def add() -> None:
    if others:
      ip.extend(found, comprehension(ip, elt, others, inner))
    else:
      ip.method(found, "append", [ip.eval(elt, inner)], {})

  if rows is None:
    found = frame.new(LocalList([]))
    for item in ip.fixed_items(iterable):
      ip.assign(generator.target, item, inner)
      frame.cond(_is_kept(ip, generator, inner), add, lambda: None)
    return found
  if rows.form is None:
    return frame.new(LocalList(rows))
  functions = None if others else _mappable(ip, generator, elt, rows, scope)
  if functions is None:
    found = frame.new(LocalList(Rows(tf.constant(0), (), None)))
    all_rows: Rows = rows

    def body(index: tf.Tensor) -> None:
      ip.assign(generator.target, row(ip, all_rows, index), inner)
      frame.cond(_is_kept(ip, generator, inner), add, lambda: None)

    run_loop(ip, ast.Pass(), inner, lambda index: index < all_rows.length, body)
    return found
  tests, value = functions
  for test in tests:
    rows = _filtered(ip, rows, test)
  return frame.new(LocalList(map_function(ip, value, rows)))


def search(ip: Host, node: ast.GeneratorExp, is_all: bool, scope: Scope) -> object:
  """Returns `any(...)` or `all(...)` of a generator expression, which ends with the answer."""
  return _search(ip, node.elt, node.generators, is_all, scope)


def is_first_of_generator(ip: Host, call: ast.Call, scope: Scope) -> bool:
  """Tells whether a call of `next` asks a generator of the user's, or an expression over one."""
  if not 1 <= len(call.args) <= 2 or call.keywords or isinstance(call.args[-1], ast.Starred):
    return False
  node = call.args[0]
  if isinstance(node, ast.GeneratorExp):
    generator, *others = node.generators
    if others or _binds(node.elt, *generator.ifs):
      return False
    node = generator.iter
  return _generators.is_call(ip, node, scope)


def first_of_generator(ip: Host, call: ast.Call, scope: Scope) -> object:
  """Returns what such a call gives."""
  node, *rest = call.args
  source = node.generators[0].iter if isinstance(node, ast.GeneratorExp) else node
  suspended = ip.iterable(source, scope)
  assert isinstance(suspended, _generators.Suspended)  # As was asked before.
  default = [ip.eval(one, scope) for one in rest]
  return _generators.first(ip, suspended, node, scope, default)


def _search(
  ip: Host,
  elt: ast.expr,
  generators: list[ast.comprehension],
  is_all: bool,
  scope: Scope,
) -> object:
  with ip.frame.sharing.reads() as read:
    iterable = _generators.iterable(ip, ip.iterable(generators[0].iter, scope))
  if isinstance(iterable, _generators.Suspended):
    parts = [elt, *(test for generator in generators for test in generator.ifs)]
    if not _binds(*parts) and not _generators.is_within(ip, iterable):
      return _generators.search(ip, iterable, elt, generators, is_all, scope)
    iterable = _generators.listed(ip, iterable)
  iterated = _lazy.iteration_of(generators[0].iter, iterable, read)
  effects = ip.conversion.effects
  with ip.frame.sharing.iterating(iterated), effects.going_over(ip, iterable):
    return _lazy.consumed(
      ip, iterable, lambda: _search_in(ip, elt, generators, iterable, is_all, scope), False
    )


def _search_in(
  ip: Host,
  elt: ast.expr,
  generators: list[ast.comprehension],
  iterable: object,
  is_all: bool,
  scope: Scope,
) -> object:
  frame = ip.frame
  generator, *others = generators
  rows = ip.rows_of(iterable, one_by_one=True)

  def one(item: object) -> object:
    inner = _scope_inside(ip, generators, scope)
    ip.assign(generator.target, item, inner)

    def found() -> object:
      return _search(ip, elt, others, is_all, inner) if others else ip.test(elt, inner)

    return frame.cond(_is_kept(ip, generator, inner), found, lambda: is_all)

  result: object = is_all
  if rows is None:
    for item in ip.fixed_items(iterable):
      result = ip.both(result, is_all, functools.partial(one, item))
    return result
  if rows.form is None:
    return is_all
  functions = None if others else _mappable(ip, generator, _truth(elt), rows, scope, True)
  if functions is not None:
    tests, value = functions
    for test in tests:
      rows = _filtered(ip, rows, test)
    rows = numbers_of(ip, map_function(ip, value, rows))
    if rows.form is None:
      return is_all
    return Number((tf.reduce_all if is_all else tf.reduce_any)(rows.tensors[0]), bool)
  # Of no loop's own scope, so that all that is bound around it is carried.
  answer_scope = frame.new(Scope({}, None, ip.source))
  answer = frame.new(Scope({"found": _forms.as_number(is_all)}, None, ip.source))

  def is_open(index: tf.Tensor) -> tf.Tensor:
    known = answer.names["found"].tensor
    return tf.logical_and(index < rows.length, known if is_all else tf.logical_not(known))

  def body(index: tf.Tensor) -> None:
    truth = one(row(ip, rows, index))
    answer.names["found"] = _forms.as_number(truth if isinstance(truth, Number) else bool(truth))

  run_loop(ip, ast.Pass(), answer_scope, is_open, body)
  return answer.names["found"]


def _scope_inside(ip: Host, generators: list[ast.comprehension], scope: Scope) -> Scope:
  """Returns the scope of a comprehension, of which its first `for` has the iterable already."""
  inner = ip.frame.new(Scope({}, scope, scope.source))
  inner.is_comprehension = True
  inner.local_names = scopes.comprehension_targets(generators)
  return inner


def _is_kept(ip: Host, generator: ast.comprehension, scope: Scope) -> object:
  """Returns whether the filters of a comprehension let an element through."""
  keep: object = True
  for test in generator.ifs:
    keep = ip.both(keep, True, functools.partial(ip.test, test, scope))
  return keep


def _mappable(
  ip: Host,
  generator: ast.comprehension,
  elt: ast.expr,
  rows: Rows,
  scope: Scope,
  may_end: bool = False,
) -> tuple[list[Closure], Closure] | None:
  """Returns the filters of a comprehension and its elements as functions of one of the rows.

  None if they have to be called in turn: if variables are bound around the comprehension, or what
  the functions change would show it, as it does if there are filters, or if it `may_end` early.
  The generator has to be the innermost, since there is one function for each expression.
  """
  if _binds(elt, *generator.ifs):
    return None
  *tests, value = (
    ip.closure(body_function(part, generator.target, (), [part]), scope)
    for part in (*map(_truth, generator.ifs), elt)
  )
  is_seen = may_end or bool(tests)
  return None if is_seen and is_ordered(ip, rows, *tests, value) else (tests, value)


def _truth(node: ast.expr) -> ast.expr:
  """Returns `not not node`; the same one each time."""
  made = getattr(node, "_rtf_truth", None)
  if made is None:
    made = ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), node))
    made = ast.fix_missing_locations(ast.copy_location(made, node))
    node._rtf_truth = made  # type: ignore[attr-defined]
  return made


def _binds(*nodes: ast.expr) -> bool:
  """Tells whether expressions of a comprehension bind variables around it, by `:=`."""
  parts = (part for node in nodes for part in ast.walk(node))
  return any(isinstance(p, ast.NamedExpr) and not is_middle(p.target.id) for p in parts)


def _filtered(ip: Host, rows: Rows, test: Closure) -> Rows:
  kept = map_function(ip, test, rows)
  if kept.form is None:
    return kept
  if not (isinstance(kept.form, _forms.NumberForm) and kept.form.type is bool):
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, "A filter that is not a truth value.")
  mask = kept.tensors[0]
  tensors = tuple(tf.boolean_mask(tensor, mask) for tensor in rows.tensors)
  length = tf.reduce_sum(tf.cast(mask, tf.int32))
  return Rows(length, tensors, rows.form)
