"""Functions of one element, for each of as many as the run finds: maps of the graph."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterable

import tensorflow as tf

from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics._signatures import signature
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  Bottom,
  BoundMethod,
  Builtin,
  Closure,
  Rows,
  Scope,
  has_changed,
)
from recursive_tf.convert.values._forms import part_of
from recursive_tf.convert.values._operands import Mapped


def body_function(
  node: ast.AST, target: ast.expr, assignments: Iterable[ast.stmt], values: list[ast.expr]
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


def map_function(ip: Host, function: Closure, rows: Rows) -> Rows:
  """Returns what a function of one element gives for each of the rows."""
  if rows.form is None:
    return rows
  found = _projection(ip, function, rows)
  if found is None:
    call = _direct_call(ip, function, rows) or _each(ip, function, rows)
    found = _of_each(call())
  if all(map(_forms.has_containers, (rows.form, found.form))):
    ip.conversion.note_doubled(None)  # They may be the elements themselves.
  return found


def is_ordered(ip: Host, rows: Rows, *functions: Closure) -> bool:
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


def _each(ip: Host, function: Closure, rows: Rows) -> _MappedCall:
  """Returns the call of a function of one argument as a SubGraph, for each of the rows."""
  (parameter,) = function.node.args.args
  names: dict[str, object] = {parameter.arg: Mapped(rows)}
  return functools.partial(
    ip.conversion.call_instance,
    ip,
    function,
    function.source,
    function.node,
    function.scope,
    names,
  )


_MappedCall = Callable[..., object]  # With ask=True it tells whether the function changes anything.


def _of_each(found: object) -> Rows:
  """Returns the results of a mapped call, a constant as the number that it is for each."""
  assert isinstance(found, Rows)  # One argument is mapped.
  kind = _forms.number_type(found.form)
  if kind is None or found.tensors:
    return found
  assert isinstance(found.form, _forms.StaticForm)  # It has no tensors.
  number = _forms.as_number(found.form.value)  # The same for each.
  return Rows(found.length, (tf.fill([found.length], number.tensor),), _forms.NumberForm(kind))


def _projection(ip: Host, function: Closure, rows: Rows) -> Rows | None:
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


def _pick(ip: Host, node: ast.expr | None, picked: dict[str, Rows]) -> Rows | None:
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


def _direct_call(ip: Host, function: Closure, rows: Rows) -> _MappedCall | None:
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
    method = callee
    callee, args = method.function, [method.owner, *args]
  if getattr(type(callee), "_is_recursive_function", False):
    callee = callee.python
  if not ip.conversion.is_recursive(ip, callee):
    return None
  if any(p.kind in _STARRED for p in signature(ip, callee).parameters.values()):
    return None
  call = functools.partial(ip.call_function, callee, args, {})
  return None if len(others) > 1 and _is_changing(call) else call


_STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_SIMPLE = (ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.operator, ast.expr_context)


def _mentions(node: ast.expr, name: str) -> bool:
  return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def numbers_of(ip: Host, rows: Rows) -> Rows:
  """Returns rows that are numbers, all the same or read from the heap, as those numbers."""
  form = rows.form
  if isinstance(form, _forms.StaticForm) and type(form.value) in _forms.NUMBERS:
    number = _forms.as_number(form.value)
    return Rows(
      rows.length, (tf.fill([rows.length], number.tensor),), _forms.NumberForm(number.type)
    )
  if isinstance(form, _forms.RefForm) and (
    form.types == {int, float} or (len(form.types) == 1 and form.types <= {*_forms.NUMBERS})
  ):
    rows = read_each(ip, rows)
  return rows


def applying(ip: Host, function: object, is_order: bool = False) -> Closure:
  """Returns `lambda x: function(x)`.

  Args:
    ip: the interpreter.
    function: what is called.
    is_order: whether what it gives is compared, which None is not: of `d.get` an item is wanted.
  """
  if isinstance(function, Builtin) and function.name == "get" and function.owner is not None:
    found = "assert x in owner; return owner[x]" if is_order else "return owner.get(x)"
    return written(ip, f"def map(x): {found}", {"owner": function.owner})
  scope = ip.frame.new(Scope({"function": function}, None, ip.source))
  return ip.closure(_APPLYING, scope)


@functools.lru_cache(maxsize=256)
def parsed(text: str, line: int = 1) -> ast.FunctionDef:
  """Returns the definition of a function of one element; messages name that line."""
  (made,) = ast.parse(text).body
  assert isinstance(made, ast.FunctionDef)
  ast.increment_lineno(made, line - 1)
  return made


def written(ip: Host, text: str, names: dict[str, object]) -> Closure:
  """Returns a function of one element that is written here, which sees other values by names."""
  origin = ip.frame.origin
  node = parsed(text, 1 if origin is None else origin.line)
  return ip.closure(node, ip.frame.new(Scope(names, None, ip.source)))


_APPLYING = parsed("def map(x):\n  return function(x)")
_IDENTITY = parsed("def read(x):\n  return x")


def read_each(ip: Host, rows: Rows) -> Rows:
  """Returns handles of numbers as these numbers."""
  identity = ip.closure(_IDENTITY, ip.frame.new(Scope({}, None, ip.source)))
  found = _each(ip, identity, rows)()
  assert isinstance(found, Rows)
  return found
