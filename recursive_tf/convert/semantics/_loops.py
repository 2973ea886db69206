"""Loops and comprehensions: unrolled if their length is known, else maps or loops of the graph."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterable, Set
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._sharing import Book, Carried, Iterated
from recursive_tf.convert.semantics import _calls, _lazy, _operators, _sequences
from recursive_tf.convert.syntax.annotations import Annotation, MapLoop, annotation
from recursive_tf.convert.values import _forms, _numbers
from recursive_tf.convert.values._abstract import (
  Bottom,
  BoundMethod,
  Closure,
  Container,
  IntOrFloat,
  LocalList,
  Rows,
  Scope,
  Undefined,
  Update,
  Weak,
  has_changed,
  is_middle,
  same_content,
)
from recursive_tf.convert.values._numbers import Number

_MAX_NESTED_TURNS = 12  # Each is a conditional in the one before; more follow one after the other.
_MAX_ROUNDS = 6  # Until the forms of what a loop carries settle.


def do_for(ip: Any, node: ast.For, scope: Scope) -> Any:
  """Runs a `for` loop."""
  with ip.frame.sharing.reads() as read:
    iterable = ip.eval(node.iter, scope)
  is_whole = annotation(node, Annotation.UNTIL) is None
  iterated = _iterated(node.iter, iterable, read)
  effects = ip.frame.conversion.effects
  content = effects.content_of(ip.frame, iterable)
  with ip.frame.sharing.iterating(iterated):
    found = _lazy.consumed(
      ip, iterable, lambda: _for(ip, node, iterable, iterated, scope), is_whole
    )
  if effects.content_of(ip.frame, iterable) is not content:
    raise ip.frame.refuse(
      Reason.EFFECT_ORDER, "A list or dict is changed while a loop goes over it."
    )
  return found


def _iterated(node: ast.expr, iterable: Any, read: list[Container]) -> Iterated:
  """Returns the containers that a loop goes over."""
  if not isinstance(iterable, Container):
    return Iterated([])
  # What code of the program makes is watched by `_lazy.consumed`.
  is_lazy = isinstance(iterable, LocalList) and iterable.is_iterator and iterable.lazy is None
  is_forward = not any(isinstance(n, ast.Name) and n.id == "reversed" for n in ast.walk(node))
  return Iterated([iterable, *(read if is_lazy else [])], 0 if is_forward else -1)


def _for(ip: Any, node: ast.For, iterable: Any, iterated: Iterated, scope: Scope) -> Any:
  rows = _sequences.rows_of(ip, iterable)
  until = annotation(node, Annotation.UNTIL)
  if rows is None:
    items = _sequences.fixed_items(ip, iterable)
    if until is None or len(items) <= _MAX_NESTED_TURNS or not _are_ints(items):
      return _unrolled(ip, node, items, until, iterated, scope)
    rows = _sequences.rows_of_items(ip, items)
  plan = annotation(node, Annotation.MAP_LOOP)
  if plan is not None and _mapped(ip, node, plan, rows, scope):
    return _fell()
  return _for_in_graph(ip, node, rows, until, scope)


def _fell() -> Any:
  from recursive_tf.convert.semantics._interpreter import FELL

  return FELL


def _are_ints(items: list[Any]) -> bool:
  return all(type(item) is int for item in items)


def _unrolled(
  ip: Any, node: ast.For, items: list[Any], until: str | None, iterated: Iterated, scope: Scope
) -> Any:
  is_forward = iterated.position == 0
  fell = _fell()

  def turn(position: int) -> Any:
    if is_forward:
      iterated.position = position
    ip.assign(node.target, items[position], scope)
    return ip.block(node.body, scope)

  if until is None:
    for position in range(len(items)):
      result = turn(position)
      if result is not fell:
        return result
    return fell

  def unless_left(then: Callable[[], Any]) -> Any:
    live = scope, frozenset(scope.names)
    return ip.frame.cond(scope.names[until], lambda: fell, then, live)

  def step(position: int) -> Any:
    if position == len(items):
      return fell
    result = turn(position)
    return result if result is not fell else unless_left(lambda: step(position + 1))

  if len(items) <= _MAX_NESTED_TURNS:
    return step(0)
  for position in range(len(items)):
    result = unless_left(functools.partial(turn, position))
    if result is not fell:
      return result
    if scope.names[until] is True:
      break
  return fell


def _mapped(ip: Any, node: ast.For, plan: MapLoop, rows: Rows, scope: Scope) -> bool:
  """Runs a loop whose turns do not depend on each other as a map; False if it cannot be."""
  frame = ip.frame
  for output in plan.outputs:
    old = scope.names.get(output.name)
    if output.kind == "append":
      if not isinstance(old, LocalList):
        return False
    elif isinstance(frame.resolve(old), (LocalList, tuple, str)) or old is None:
      return False
  values = [output.value for output in plan.outputs]
  function = _body_function(node, node.target, plan.assignments, values)
  results = map_function(ip, ip.closure(function, scope), rows)
  for position, output in enumerate(plan.outputs):
    # With one output a turn gives its value, which may be a tuple itself.
    column = results if len(plan.outputs) == 1 else part_of(results, position)
    if output.kind == "append":
      _sequences.extend(ip, scope.names[output.name], column)
    else:
      scope.names[output.name] = total(ip, column, scope.names[output.name])
  return True


def _body_function(
  node: ast.AST, target: ast.expr, assignments: Any, values: list[ast.expr]
) -> ast.FunctionDef:
  """Returns one turn of a loop as a function of the element; the same one each time."""
  made = getattr(node, "_rtf_body", None)
  if made is None:
    simple = isinstance(target, ast.Name)
    name = target.id if isinstance(target, ast.Name) else "_rtf_element"
    body: list[ast.stmt] = []
    if not simple:
      body.append(ast.Assign([target], ast.Name(name, ast.Load())))
    body += assignments
    result = values[0] if len(values) == 1 else ast.Tuple(values, ast.Load())
    body.append(ast.Return(result))
    args = ast.arguments([], [ast.arg(name)], None, [], [], None, [])
    made = ast.FunctionDef("<loop>", args, body, [], lineno=getattr(node, "lineno", 1))
    for part in [made, *(p for p in body if not hasattr(p, "lineno"))]:
      ast.copy_location(part, node)
    ast.fix_missing_locations(made)
    node._rtf_body = made  # type: ignore[attr-defined]
  return made


def part_of(rows: Rows, position: int) -> Rows:
  """Returns part `position` of elements that are nests; of none as none are known."""
  if rows.form is None:
    return rows
  forms = _forms.parts_of_form(rows.form) or rows.form.parts
  first = sum(len(list(_forms.specs(part))) for part in forms[:position])
  count = len(list(_forms.specs(forms[position])))
  return Rows(rows.length, rows.tensors[first : first + count], forms[position])


def comprehension(
  ip: Any, elt: ast.expr, generators: list[ast.comprehension], scope: Scope
) -> LocalList:
  """Returns the list that a comprehension or generator makes."""
  with ip.frame.sharing.reads() as read:
    iterable = ip.eval(generators[0].iter, scope)
  with ip.frame.sharing.iterating(_iterated(generators[0].iter, iterable, read)):
    found: LocalList = _lazy.consumed(
      ip, iterable, lambda: _comprehension(ip, elt, generators, iterable, scope), True
    )
  return found


def _comprehension(
  ip: Any, elt: ast.expr, generators: list[ast.comprehension], iterable: Any, scope: Scope
) -> LocalList:
  frame = ip.frame
  generator, *others = generators
  inner = _scope_inside(ip, scope)
  rows = _sequences.rows_of(ip, iterable)

  def add() -> None:
    if others:
      _sequences.extend(ip, found, comprehension(ip, elt, others, inner))
    else:
      _sequences.method(ip, found, "append", [ip.eval(elt, inner)], {})

  if rows is None:
    found = frame.new(LocalList([]))
    for item in _sequences.fixed_items(ip, iterable):
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
      ip.assign(generator.target, _row(ip, all_rows, index), inner)
      frame.cond(_is_kept(ip, generator, inner), add, lambda: None)

    _run_loop(ip, ast.Pass(), inner, lambda index: index < all_rows.length, body)
    return found
  tests, value = functions
  for test in tests:
    rows = _filtered(ip, rows, test)
  return frame.new(LocalList(map_function(ip, value, rows)))


def search(ip: Any, node: ast.GeneratorExp, is_all: bool, scope: Scope) -> Any:
  """Returns `any(...)` or `all(...)` of a generator expression, which ends with the answer."""
  return _search(ip, node.elt, node.generators, is_all, scope)


def _search(
  ip: Any, elt: ast.expr, generators: list[ast.comprehension], is_all: bool, scope: Scope
) -> Any:
  iterable = ip.eval(generators[0].iter, scope)
  return _lazy.consumed(
    ip, iterable, lambda: _search_in(ip, elt, generators, iterable, is_all, scope), False
  )


def _search_in(
  ip: Any,
  elt: ast.expr,
  generators: list[ast.comprehension],
  iterable: Any,
  is_all: bool,
  scope: Scope,
) -> Any:
  frame = ip.frame
  generator, *others = generators
  rows = _sequences.rows_of(ip, iterable)

  def one(item: Any) -> Any:
    inner = _scope_inside(ip, scope)
    ip.assign(generator.target, item, inner)

    def found() -> Any:
      return _search(ip, elt, others, is_all, inner) if others else ip.test(elt, inner)

    return frame.cond(_is_kept(ip, generator, inner), found, lambda: is_all)

  result: Any = is_all
  if rows is None:
    for item in _sequences.fixed_items(ip, iterable):
      result = ip._both(result, is_all, functools.partial(one, item))
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
    truth = one(_row(ip, rows, index))
    answer.names["found"] = _forms.as_number(truth if isinstance(truth, Number) else bool(truth))

  _run_loop(ip, ast.Pass(), answer_scope, is_open, body)
  return answer.names["found"]


def _scope_inside(ip: Any, scope: Scope) -> Scope:
  """Returns the scope of a comprehension."""
  inner: Scope = ip.frame.new(Scope({}, scope, scope.source))
  inner.is_comprehension = True
  return inner


def _is_kept(ip: Any, generator: ast.comprehension, scope: Scope) -> Any:
  """Returns whether the filters of a comprehension let an element through."""
  keep: Any = True
  for test in generator.ifs:
    keep = ip._both(keep, True, functools.partial(ip.test, test, scope))
  return keep


def _row(ip: Any, rows: Rows, index: tf.Tensor) -> Any:
  tensors = iter([tf.gather(tensor, index) for tensor in rows.tensors])
  return ip.frame.adopt(_forms.unflatten(rows.form, tensors))


def _mappable(
  ip: Any,
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
    ip.closure(_body_function(part, generator.target, (), [part]), scope)
    for part in (*map(_truth, generator.ifs), elt)
  )
  is_seen = may_end or bool(tests)
  return None if is_seen and _is_ordered(ip, rows, *tests, value) else (tests, value)


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


def _filtered(ip: Any, rows: Rows, test: Closure) -> Rows:
  kept = map_function(ip, test, rows)
  if kept.form is None:
    return kept
  if not (isinstance(kept.form, _forms.NumberForm) and kept.form.type is bool):
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, "A filter that is not a truth value.")
  mask = kept.tensors[0]
  tensors = tuple(tf.boolean_mask(tensor, mask) for tensor in rows.tensors)
  length = tf.reduce_sum(tf.cast(mask, tf.int32))
  return Rows(length, tensors, rows.form)


# --- Maps


def map_function(ip: Any, function: Closure, rows: Rows) -> Rows:
  """Returns what a function of one element gives for each of the rows."""
  if rows.form is None:
    return rows
  projected = _projection(ip, function, rows)
  if projected is not None:
    return projected
  call = _direct_call(ip, function, rows) or _each(ip, function, rows)
  return _of_each(call())


def _is_ordered(ip: Any, rows: Rows, *functions: Closure) -> bool:
  """Tells whether one of these functions of an element changes anything, as far as is known yet.

  Then they have to be called in turn for each of the elements.
  """
  return any(
    _is_changing(_direct_call(ip, function, rows) or _each(ip, function, rows))
    for function in functions
    if _projection(ip, function, rows) is None
  )


def _is_changing(call: _MappedCall) -> bool:
  try:
    return bool(call(ask=True))
  except Bottom:  # The next attempt begins with wider forms.
    return False


def _each(ip: Any, function: Closure, rows: Rows) -> _MappedCall:
  """Returns the call of a function of one argument as a SubGraph, for each of the rows."""
  (parameter,) = function.node.args.args
  names = {parameter.arg: Mapped(rows)}
  return functools.partial(
    ip.frame.conversion.call_instance,
    ip, function, function.source, function.node, function.scope, names,
  )


_MappedCall = Callable[..., Any]  # With ask=True it tells whether the function changes anything.


def _of_each(found: Any) -> Rows:
  """Returns the results of a mapped call, a constant as the number that it is for each."""
  assert isinstance(found, Rows)  # One argument is mapped.
  kind = _forms.number_type(found.form)
  if kind is None or found.tensors:
    return found
  number = _forms.as_number(found.form.value)  # The same for each.
  return Rows(found.length, (tf.fill([found.length], number.tensor),), _forms.NumberForm(kind))


class Mapped:
  """An argument that is another one in each of many calls."""

  def __init__(self, rows: Rows):
    self.rows = rows


def _projection(ip: Any, function: Closure, rows: Rows) -> Rows | None:
  """Returns the rows of a part of the elements, if that is all that the function returns."""
  (parameter,) = function.node.args.args
  name = parameter.arg
  picked = {name: rows}
  for statement in function.node.body[:-1]:
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
      return None
    if not isinstance(statement.targets[0], ast.Tuple):
      return None
    if not isinstance(rows.form, _forms.NestForm):
      return None
    targets = statement.targets[0].elts
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    if len(names) < len(targets) or len(names) != len(rows.form.parts):
      return None
    picked |= {name: part_of(rows, i) for i, name in enumerate(names)}
  result = function.node.body[-1]
  value = result.value if isinstance(result, ast.Return) else None
  return _pick(ip, value, picked)


def _pick(ip: Any, node: ast.expr | None, picked: dict[str, Rows]) -> Rows | None:
  if isinstance(node, ast.Name):
    return picked.get(node.id)
  if not isinstance(node, (ast.Attribute, ast.Subscript)):
    return None
  inner = _pick(ip, node.value, picked)
  if inner is None or not isinstance(inner.form, _forms.NestForm):
    return None
  form = inner.form
  if isinstance(node, ast.Attribute):
    is_object = not issubclass(form.type, (list, tuple, dict, BoundMethod))
    fields = form.keys if is_object else getattr(form.type, "_fields", ())
    return part_of(inner, fields.index(node.attr)) if node.attr in fields else None
  keys = form.keys if form.type in (list, tuple, dict) or hasattr(form.type, "_fields") else ()
  if not isinstance(node.slice, ast.Constant) or node.slice.value not in keys:
    return None
  return part_of(inner, keys.index(node.slice.value))


def _direct_call(ip: Any, function: Closure, rows: Rows) -> _MappedCall | None:
  """Returns the call of a recursive function, if the function only makes that with the element.

  None if anything is changed: the other arguments are evaluated once for all elements.
  """
  (parameter,) = function.node.args.args
  result = function.node.body[-1]
  value = result.value if isinstance(result, ast.Return) else None
  if len(function.node.body) > 1 or not isinstance(value, ast.Call) or value.keywords:
    return None
  is_element = [isinstance(arg, ast.Name) and arg.id == parameter.arg for arg in value.args]
  others = [value.func]
  others += [a for a, is_one in zip(value.args, is_element, strict=True) if not is_one]
  if not any(is_element) or any(_mentions(other, parameter.arg) for other in others):
    return None
  if not all(isinstance(n, _SIMPLE) for other in others for n in ast.walk(other)):
    return None
  before = ip.frame.snapshot()
  callee = ip.eval(value.func, function.scope)
  args = [
    Mapped(rows) if is_one else ip.eval(arg, function.scope)
    for arg, is_one in zip(value.args, is_element, strict=True)
  ]
  if has_changed(before, ip.frame.snapshot()):
    ip.frame.restore(before)
    return None
  while isinstance(callee, BoundMethod):
    callee, args = callee.function, [callee.owner, *args]
  if getattr(type(callee), "_is_recursive_function", False):
    callee = callee.python
  if not ip.frame.conversion.is_recursive(ip, callee):
    return None
  if any(p.kind in _STARRED for p in _calls.signature(ip, callee).parameters.values()):
    return None
  call = functools.partial(_calls.call_function, ip, callee, args, {})
  return None if len(others) > 1 and _is_changing(call) else call


_STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_SIMPLE = (ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.operator, ast.expr_context)


def _mentions(node: ast.expr, name: str) -> bool:
  return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def numbers_of(ip: Any, rows: Rows) -> Rows:
  """Returns rows that are numbers, all the same or read from the heap, as those numbers."""
  form = rows.form
  if isinstance(form, _forms.StaticForm) and type(form.value) in _forms.NUMBERS:
    number = _forms.as_number(form.value)
    return Rows(
      rows.length, (tf.fill([rows.length], number.tensor),), _forms.NumberForm(number.type)
    )
  if isinstance(form, _forms.RefForm) and len(form.types) == 1 and form.types <= {
    *_forms.NUMBERS
  }:
    rows = read_each(ip, rows)
  return rows


def total(ip: Any, rows: Rows, start: Any) -> Any:
  """Returns `start` plus all elements, as Python's `sum` and running sums do."""
  frame = ip.frame
  start = frame.resolve(start)
  rows = numbers_of(ip, rows)
  form = rows.form
  if form is None:
    return start
  if isinstance(form, _forms.NumberForm):
    return _total_of_numbers(ip, rows, form.type, start)
  if not isinstance(form, _forms.TensorForm):
    raise frame.refuse(Reason.DYNAMIC_LIST, f"A sum of {_forms.describe(form)}.")
  added = tf.reduce_sum(rows.tensors[0], 0)
  number = _forms.number_of(start)
  if isinstance(start, Weak):
    same = start.tensor.dtype == added.dtype and start.tensor.shape == added.shape
    if same and added.shape.is_fully_defined():
      none = tf.logical_and(start.is_number, tf.equal(rows.length, 0))
      return Weak(start.tensor + added, none, start.type)
    start = frame.strong(start)
  if number is not None and not _forms.is_exact(start, added.dtype):
    # A tensor cannot hold every number, and with one row at least it need not.
    start = tf.cast(number.tensor, added.dtype)
    return added + frame.check(start, rows.length > 0, "a sum over nothing is a number")
  if number is not None:
    tensor = added + tf.cast(number.tensor, added.dtype)
    return Weak(tensor, tf.equal(rows.length, 0), number.type)
  if isinstance(start, tf.Tensor) and start.shape != added.shape:
    start = frame.check(start, rows.length > 0, "a sum over nothing has another shape")
  return _operators.binary(ip, ast.Add, start, added)


def _total_of_numbers(ip: Any, rows: Rows, kind: type, start: Any) -> Any:
  frame = ip.frame
  if kind is float:
    return _total_of_floats(ip, rows, start)
  values = tf.cast(rows.tensors[0], tf.int64)
  summed = tf.reduce_sum(values)
  if rows.tensors[0].dtype == tf.int64:
    bound = tf.reduce_sum(tf.abs(tf.cast(values, tf.float64)))
    summed = frame.check(summed, bound < 2.0**62, "the sum is too large")
  return _operators.binary(ip, ast.Add, start, Number(summed, int))


def _total_of_floats(ip: Any, rows: Rows, start: Any) -> Number | IntOrFloat:
  """Returns a sum of Python's floats, added in Python's order: others round otherwise."""
  frame = ip.frame
  first = _forms.number_of(start)
  if first is None:
    raise frame.refuse(Reason.DYNAMIC_LIST, "A sum of floats that begins with something else.")
  begin = _numbers.to_float(first).tensor
  if first.type is not float:
    begin = frame.check(begin, tf.abs(begin) <= 2.0**53, "an int beyond 53 bits among floats")
  (values,) = rows.tensors

  def add(index: tf.Tensor, result: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    value = Number(tf.gather(values, index), float)
    found = _numbers.binary(ast.Add, Number(result, float), value)
    assert found is not None  # Floats can be added.
    return index + 1, found.tensor

  frame.partial()
  _, result = tf.while_loop(
    lambda index, _: index < rows.length, add, [tf.constant(0), begin]
  )
  if first.type is not float:
    return IntOrFloat(Number(result, float), tf.equal(rows.length, 0))
  return Number(result, float)


# --- Loops of the graph


def _for_in_graph(ip: Any, node: ast.For, rows: Rows, until: str | None, scope: Scope) -> Any:
  if rows.form is None:
    return _fell()

  def test(index: tf.Tensor) -> tf.Tensor:
    return _and_not(ip, index < rows.length, until, scope)

  def body(index: tf.Tensor) -> None:
    ip.assign(node.target, _row(ip, rows, index), scope)
    ip.block(node.body, scope)

  _run_loop(ip, node, scope, test, body)
  return _fell()


def do_while(ip: Any, node: ast.While, scope: Scope) -> Any:
  """Runs a `while` loop."""
  until = annotation(node, Annotation.UNTIL)
  fell = _fell()
  is_changing = False
  for _ in range(200):  # As long as the test is known, in Python.
    flag = scope.names[until] if until else False
    if isinstance(flag, Number):
      break
    if flag:
      return fell
    pred, is_changing = ip.frame.changes(lambda: ip.test(node.test, scope))
    if isinstance(pred, Number):
      break
    if not ip.test(node.test, scope):
      return fell
    ip.block(node.body, scope)

  def test(index: tf.Tensor) -> Any:
    del index
    pred = ip.test(node.test, scope)
    tensor = pred.tensor if isinstance(pred, Number) else tf.constant(bool(pred))
    return _and_not(ip, tensor, until, scope)

  try:
    if is_changing:
      raise _ChangingTest
    _run_loop(ip, node, scope, test, lambda index: ip.block(node.body, scope), True)
  except _ChangingTest:
    _run_with_changing_test(ip, node, until, scope)
  return fell


class _ChangingTest(Exception):  # noqa: N818 - control flow, never reaches the user
  """The test of a loop changes something, which the test of a loop of the graph cannot."""


def _run_with_changing_test(ip: Any, node: ast.While, until: str | None, scope: Scope) -> None:
  """Runs a `while` loop whose test is done before the loop, and at the end of each turn."""

  def next_test() -> Any:
    go_on: Any = True if until is None else ip._not(scope.names[until])
    found = ip._both(go_on, True, lambda: ip.test(node.test, scope))
    return _forms.as_number(found if isinstance(found, Number) else bool(found))

  outcome = ip.frame.new(Scope({"test": next_test()}, None, ip.source))

  def turn(index: tf.Tensor) -> None:
    del index
    ip.block(node.body, scope)
    outcome.names["test"] = next_test()

  _run_loop(ip, node, scope, lambda index: outcome.names["test"].tensor, turn)


def _and_not(ip: Any, pred: tf.Tensor, until: str | None, scope: Scope) -> tf.Tensor:
  flag = scope.names[until] if until else False
  if isinstance(flag, Number):
    return tf.logical_and(pred, tf.logical_not(flag.tensor))
  return tf.logical_and(pred, tf.constant(not flag))


def _run_loop(
  ip: Any,
  node: ast.AST,
  scope: Scope,
  test: Callable[[tf.Tensor], Any],
  body: Callable[[tf.Tensor], Any],
  may_change: bool = False,
) -> None:
  """Runs `body` as a loop of the graph while `test` holds; it may change containers.

  Raises:
    _ChangingTest: If `may_change` and the test changes anything.
  """
  frame: Frame = ip.frame
  frame.partial()
  kept = annotation(node, Annotation.CARRIED, frozenset()) | annotation(
    node, Annotation.LIVE_AFTER, frozenset()
  )
  facts = Carried()
  try:
    carried = _settle(ip, scope, kept, facts, test if may_change else None, body)
  except Bottom:  # The body raises, or waits for a result: there must be no turn.
    frame.demand(tf.logical_not(test(tf.constant(0))))
    return
  for name in annotation(node, Annotation.ASSIGNED, frozenset()) - kept:
    scope.names.pop(name, None)

  def flat() -> list[tf.Tensor]:
    return [
      tensor
      for (owner, key), form in carried.items()
      for tensor in _forms.flatten(_get(owner, key), form, frame)
    ]

  def load(tensors: list[tf.Tensor]) -> None:
    source = iter(tensors)
    for (owner, key), form in carried.items():
      _set(owner, key, frame.adopt(_forms.unflatten(form, source)))
    facts.apply(frame.sharing, _values(carried))

  def in_layer(function: Callable[[], Any], tensors: list[tf.Tensor]) -> Any:
    def trace() -> Any:
      load(tensors)
      return function()

    return frame.isolated(trace)

  def one_turn(index: tf.Tensor, *tensors: tf.Tensor) -> Any:
    def turn() -> Any:
      body(index)
      outputs = frame.tied([index + 1, *flat()])
      frame.conversion.budget.done(tf.compat.v1.get_default_graph())
      return outputs

    return in_layer(turn, list(tensors))

  specs = [spec for form in carried.values() for spec in _forms.specs(form)]
  found = tf.while_loop(
    lambda index, *tensors: in_layer(lambda: test(index), list(tensors)),
    one_turn,
    [tf.constant(0), *flat()],
    shape_invariants=[tf.TensorShape([]), *(spec.shape for spec in specs)],
  )
  frame.compute(tuple(found))
  load(list(found[1:]))


def _settle(
  ip: Any, scope: Scope, kept: frozenset[str], facts: Carried, test: Any, body: Any
) -> dict[Any, Any]:
  """Returns what the body changes, (container, name or None) -> form, by trying it out.

  What it finds out of containers that may be one object is added to `facts`, and to the frame.

  A test that might change something is tried out, too.
  """
  frame: Frame = ip.frame
  forms: dict[Any, Any] = {}
  before = {local for local in frame.locals if isinstance(local, Container)}
  for _ in range(_MAX_ROUNDS):
    graph = tfi.FuncGraph("loop")
    facts.see(frame.sharing, _values(forms), before)
    one_round = functools.partial(_one_round, ip, scope, kept, forms, facts, before, test, body)
    with graph.as_default():
      changed, is_new, book = frame.isolated(one_round)
    is_new |= frame.sharing.book.add(book.of(before))
    frame.conversion.budget.done(graph)
    joined = dict(forms)
    try:
      for place, form in changed.items():
        if place not in joined:
          initial = _forms.form_of(_get(*place), frame)
          joined[place] = _forms.join(initial, form)
        else:
          joined[place] = _forms.join(joined[place], form)
    except _forms.Mismatch as error:
      raise frame.refuse(
        Reason.KINDS_DIFFER, f"A loop carries {error} from turn to turn."
      ) from None
    if joined == forms and not is_new:
      return forms
    forms = joined
  raise ConversionRefused.of(Reason.NOT_SETTLED, "What the loop carries keeps changing its form.",
                             frame.origin)


def _one_round(
  ip: Any,
  scope: Scope,
  kept: frozenset[str],
  forms: dict[Any, Any],
  facts: Carried,
  outer: Set[Container],
  test: Any,
  body: Any,
) -> tuple[dict[Any, Any], bool, Book]:
  """Runs the body once on placeholders.

  Returns:
    The forms of what it changed; whether it found more of what may be one object; and the book.
  """
  frame: Frame = ip.frame
  for (owner, key), form in forms.items():
    tensors = [tf.compat.v1.placeholder(s.dtype, s.shape) for s in _forms.specs(form)]
    _set(owner, key, frame.adopt(_forms.unflatten(form, iter(tensors))))
  facts.apply(frame.sharing, _values(forms))
  count = len(frame.locals)
  places: dict[Any, Any] = {}
  before = frame.snapshot()
  index = tf.compat.v1.placeholder(tf.int32, [])
  if test is not None and frame.changes(lambda: test(index))[1]:
    raise _ChangingTest
  body(index)
  for local, old in zip(frame.locals[:count], before, strict=False):
    if local is frame.sharing:
      continue
    if isinstance(local, LocalList):
      new = local.snapshot()
      if not same_content(new, old):
        places[(local, None)] = _forms.form_of(local, frame)
      continue
    names = local.snapshot()
    for name, value in names.items():
      if local is scope and name not in kept:
        continue
      if old.get(name, _NOTHING) is not value:
        places[(local, name)] = _forms.form_of(value, frame)
  for place, form in places.items():
    if place in forms and _forms.join(forms[place], form) == forms[place]:
      _forms.flatten(_get(*place), forms[place], frame)  # What becomes an element is pinned.
  is_new = facts.see(frame.sharing, _values({**forms, **places}), outer)
  return places, is_new, frame.sharing.snapshot()


def _values(places: Iterable[Any]) -> dict[Any, Any]:
  return {place: _get(*place) for place in places}


_NOTHING = object()


def _get(owner: Any, key: Any) -> Any:
  if key is None:
    return owner
  names = owner.snapshot()
  return names[key] if key in names else Undefined(str(key))


def _set(owner: Any, key: Any, value: Any) -> None:
  owner.restore(value.content if key is None else Update({key: value}))


def applying(ip: Any, function: Any) -> Closure:
  """Returns `lambda x: function(x)`."""
  scope = ip.frame.new(Scope({"function": function}, None, ip.source))
  return ip.closure(_APPLYING, scope)


def _parsed(text: str) -> ast.FunctionDef:
  (made,) = ast.parse(text).body
  assert isinstance(made, ast.FunctionDef)
  return made


_APPLYING = _parsed("def map(x):\n  return function(x)")
_IDENTITY = _parsed("def read(x):\n  return x")


def read_each(ip: Any, rows: Rows) -> Rows:
  """Returns handles of numbers as these numbers."""
  identity = ip.closure(_IDENTITY, ip.frame.new(Scope({}, None, ip.source)))
  found: Rows = _each(ip, identity, rows)()
  return found


def one_by_one(ip: Any, rows: Rows, call: Callable[[Any], Any]) -> Rows:
  """Returns `call` of each of the rows, in their order: what the calls write may matter."""
  frame: Frame = ip.frame
  found = frame.new(LocalList([]))

  def body(index: tf.Tensor) -> None:
    result = call(_row(ip, rows, index))
    _sequences.method(ip, found, "append", [result], {})

  scope = Scope({}, None, ip.source)
  _run_loop(ip, ast.Pass(), scope, lambda index: index < rows.length, body)
  if isinstance(found.content, Rows):
    return found.content
  return _sequences.rows_of_items(ip, found.content)
