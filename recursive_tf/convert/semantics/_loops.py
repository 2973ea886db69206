"""Loops: unrolled if their length is known, else maps or loops of the graph."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable

import keras
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._config import config
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import FELL, Host
from recursive_tf.convert.frame._rows import rows_of_items
from recursive_tf.convert.frame._sharing import Iterated
from recursive_tf.convert.semantics import _generators, _lazy
from recursive_tf.convert.semantics._graph_loops import ChangingTest, row, run_loop
from recursive_tf.convert.semantics._maps import body_function, map_function
from recursive_tf.convert.semantics._totals import total
from recursive_tf.convert.syntax.annotations import Annotation, MapLoop, annotation
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  Array,
  Container,
  LocalList,
  LocalObject,
  Made,
  Ref,
  Rows,
  Scope,
)
from recursive_tf.convert.values._forms import part_of
from recursive_tf.convert.values._numbers import Number

_MAX_REFUSED_TURNS = 2  # Of a loop that is unrolled: what is refused twice is refused each time.
_MAX_NESTED_TURNS = 12  # Each is a conditional in the one before; more follow one after the other.


def do_for(ip: Host, node: ast.For, scope: Scope) -> object:
  """Runs a `for` loop."""
  is_whole = annotation(node, Annotation.UNTIL) is None
  is_consumer = node in ip.conversion.consumers
  if (is_consumer or not is_whole) and _generators.numbered(ip, node.iter, scope):
    _generators.consume(ip, _generators.numbered_call(ip, node.iter, scope), node, scope)
    return FELL
  with ip.frame.sharing.reads() as read:
    iterable = _generators.iterable(ip, ip.iterable(node.iter, scope))
    if isinstance(iterable, _generators.Suspended) and (
      is_consumer or not (is_whole or _generators.is_within(ip, iterable))
    ):
      _generators.consume(ip, iterable, node, scope)
      return FELL
    elements = _generators.listed(ip, iterable)
  return _generators.or_in_turn(
    ip, node, iterable, lambda: _over(ip, node, elements, read, is_whole, scope)
  )


def _over(
  ip: Host,
  node: ast.For,
  iterable: object,
  read: list[Container],
  is_whole: bool,
  scope: Scope,
) -> object:
  iterated = _lazy.iteration_of(node.iter, iterable, read)
  effects = ip.conversion.effects
  content = effects.content_of(ip.frame, iterable)
  # A turn that ends the loop may change the list: nobody asks it for another element.
  gone_over = _lazy.gone_over(iterable)
  is_as_before = effects.watched(ip, gone_over)

  def end_turn() -> None:
    if is_as_before is not None and not is_whole:
      left = scope.names[annotation(node, Annotation.UNTIL)]
      ip.frame.demand(tf.logical_or(_forms.as_number(left).tensor, is_as_before()))

  with ip.frame.sharing.iterating(iterated):
    found = _lazy.consumed(
      ip,
      iterable,
      lambda: _for(ip, node, iterable, iterated, scope, end_turn),
      is_whole,
      is_as_before is not None,
    )
  if is_as_before is not None and is_whole:
    ip.frame.demand(is_as_before())
  if effects.content_of(ip.frame, iterable) is not content:
    raise ip.frame.refuse(
      Reason.EFFECT_ORDER, "A list or dict is changed while a loop goes over it."
    )
  return found


def _for(
  ip: Host,
  node: ast.For,
  iterable: object,
  iterated: Iterated,
  scope: Scope,
  end_turn: Callable[[], None],
) -> object:
  rows = ip.rows_of(iterable, one_by_one=True)
  until = annotation(node, Annotation.UNTIL)
  if rows is None:
    items = ip.fixed_items(iterable)
    if not _are_ints(items) or (_unrolls() and (until is None or len(items) <= _MAX_NESTED_TURNS)):
      return _unrolled(ip, node, items, until, iterated, scope)
    rows = rows_of_items(ip.frame, items)
  plan = annotation(node, Annotation.MAP_LOOP)
  if plan is not None and _mapped(ip, node, plan, rows, scope):
    return FELL
  return _for_in_graph(ip, node, rows, until, scope, end_turn)


def _unrolls() -> bool:
  return "unroll" in config().optimizations


def _are_ints(items: list[object]) -> bool:
  return all(type(item) is int for item in items)


def _unrolled(
  ip: Host, node: ast.For, items: list[object], until: str | None, iterated: Iterated, scope: Scope
) -> object:
  is_forward = iterated.position == 0

  def turn(position: int) -> object:
    if is_forward:
      iterated.position = position
    ip.assign(node.target, items[position], scope)
    return ip.block(node.body, scope)

  if until is None:
    for position in range(len(items)):
      result = turn(position)
      if result is not FELL:
        return result
    return FELL

  def unless_left(then: Callable[[], object]) -> object:
    carried = annotation(node, Annotation.CARRIED, frozenset())
    live = scope, carried | annotation(node, Annotation.LIVE_AFTER, frozenset()) | {until}
    return ip.frame.cond(scope.names[until], lambda: FELL, then, live)

  def step(position: int) -> object:
    if position == len(items):
      return FELL
    result = turn(position)
    return result if result is not FELL else unless_left(lambda: step(position + 1))

  if len(items) <= _MAX_NESTED_TURNS:
    return step(0)
  for position in range(len(items)):
    result = unless_left(functools.partial(turn, position))
    if result is not FELL:
      return result
    if scope.names[until] is True:
      break
  return FELL


def _mapped(ip: Host, node: ast.For, plan: MapLoop, rows: Rows, scope: Scope) -> bool:
  """Runs a loop whose turns do not depend on each other as a map; False if it cannot be."""
  for output in plan.outputs:
    old = scope.names.get(output.name)
    if output.kind == "append":
      if not isinstance(old, LocalList):
        return False
    elif old is None or not _is_summed(ip, old):
      return False
  values = [output.value for output in plan.outputs]
  function = body_function(node, node.target, plan.assignments, values)
  results = map_function(ip, ip.closure(function, scope), rows)
  for position, output in enumerate(plan.outputs):
    # With one output a turn gives its value, which may be a tuple itself.
    column = results if len(plan.outputs) == 1 else part_of(results, position)
    if output.kind == "append":
      ip.extend(scope.names[output.name], column)
    else:
      scope.names[output.name] = total(ip, column, scope.names[output.name])
  return True


_VARIABLES = (tf.Variable, keras.Variable)  # To which `+=` adds nothing: it raises.
_NOT_SUMMED = (LocalList, tuple, str, Made, Array)  # They are changed in place, or joined.


def _is_summed(ip: Host, old: object) -> bool:
  """Tells whether adding to a value makes another: `+=` changes no list, array or object."""
  if isinstance(old, _VARIABLES) or isinstance(old := ip.frame.resolve(old), _NOT_SUMMED):
    return False
  if isinstance(old, Ref):
    kinds = ip.frame.types_of(old)
  else:
    kinds = frozenset([old.type if isinstance(old, LocalObject) else type(old)])
  return not any(hasattr(kind, "__iadd__") for kind in kinds)


def _for_in_graph(
  ip: Host,
  node: ast.For,
  rows: Rows,
  until: str | None,
  scope: Scope,
  end_turn: Callable[[], None],
) -> object:
  if rows.form is None:
    return FELL

  def test(index: tf.Tensor) -> tf.Tensor:
    return _and_not(ip, index < rows.length, until, scope)

  def body(index: tf.Tensor) -> None:
    ip.assign(node.target, row(ip, rows, index), scope)
    ip.block(node.body, scope)
    end_turn()

  run_loop(ip, node, scope, test, body)
  return FELL


def do_while(ip: Host, node: ast.While, scope: Scope) -> object:
  """Runs a `while` loop."""
  is_endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
  with ip.conversion.branches.keeping(is_endless):
    return _while(ip, node, annotation(node, Annotation.UNTIL), scope)


def _while(ip: Host, node: ast.While, until: str | None, scope: Scope) -> object:
  is_changing = False
  num_refusals = ip.conversion.num_postponed
  for _ in range(200):  # As long as the test is known, in Python.
    flag = scope.names[until] if until else False
    if isinstance(flag, Number):
      break
    if flag:
      return FELL
    pred, is_changing = ip.frame.changes(lambda: ip.test(node.test, scope))
    if isinstance(pred, Number):
      break
    if not ip.test(node.test, scope):
      return FELL
    ip.block(node.body, scope)
    if ip.conversion.num_postponed >= num_refusals + _MAX_REFUSED_TURNS:
      break

  def test(index: tf.Tensor) -> object:
    del index
    pred = ip.test(node.test, scope)
    tensor = pred.tensor if isinstance(pred, Number) else tf.constant(bool(pred))
    return _and_not(ip, tensor, until, scope)

  try:
    if is_changing:
      raise ChangingTest
    run_loop(ip, node, scope, test, lambda index: ip.block(node.body, scope), True)
  except ChangingTest:
    _run_with_changing_test(ip, node, until, scope)
  return FELL


def _run_with_changing_test(ip: Host, node: ast.While, until: str | None, scope: Scope) -> None:
  """Runs a `while` loop whose test is done before the loop, and at the end of each turn."""

  def next_test() -> object:
    go_on: object = True if until is None else ip.negated(scope.names[until])
    found = ip.both(go_on, True, lambda: ip.test(node.test, scope))
    return _forms.as_number(found if isinstance(found, Number) else bool(found))

  outcome = ip.frame.new(Scope({"test": next_test()}, None, ip.source))

  def turn(index: tf.Tensor) -> None:
    del index
    ip.block(node.body, scope)
    outcome.names["test"] = next_test()

  run_loop(ip, node, scope, lambda index: outcome.names["test"].tensor, turn)


def _and_not(ip: Host, pred: tf.Tensor, until: str | None, scope: Scope) -> tf.Tensor:
  flag = scope.names[until] if until else False
  if isinstance(flag, Number):
    return tf.logical_and(pred, tf.logical_not(flag.tensor))
  return tf.logical_and(pred, tfi.constant(not flag, tf.bool))
