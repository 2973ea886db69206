"""Generators of the user's, consumed where they are made.

Each is a function that gives a list, or one that calls its consumer with each element, as
`syntax/generators.py` makes it. The list is for what runs a generator to its end: `_lazy` refuses
it where Python would show that the elements are made one by one. A loop that may end early, or that
changes what the generator reads, is the consumer: it runs where Python runs it, between elements.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import types
from collections.abc import Callable, Sequence
from typing import TypeVar

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._host import ELEMENT, Consumer, Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import _lazy, _written
from recursive_tf.convert.semantics._in_python import run_written
from recursive_tf.convert.semantics._protocols import as_index
from recursive_tf.convert.syntax.annotations import Annotation, annotation
from recursive_tf.convert.values._abstract import (
  Bottom,
  BoundMethod,
  Builtin,
  Closure,
  LocalList,
  LocalObject,
  Missing,
  Raises,
  Ref,
  Scope,
  Undefined,
  has_changed,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._operands import ByType, Once
from recursive_tf.convert.values._value import Value

_T = TypeVar("_T")
_NEXT = "_rtf_next"
_TAKING = ("extend", "join")  # Methods.
_FOUND = "_rtf_found"
_VARIANT = "handing on"  # Beside the generator as a list.
_DONE_AT_ONCE = frozenset([ast.iter_child_nodes])  # Generators that are builtins here.


@dataclasses.dataclass(frozen=True, eq=False)
class Suspended:
  """A call of a generator of which nothing has run yet.

  Attributes:
    function, args, kwargs: the call.
    start: the number of the first element, where they are numbered; else None.
  """

  function: object
  args: list[object]
  kwargs: dict[str, object]
  start: object = None


def is_generator(function: object) -> bool:
  """Tells whether calls of a function give generators, whatever the run finds it to be."""
  functions = _choice(_unbound(function))
  return bool(functions) and all(_is_one(_unbound(one)) for one in functions)


def _unbound(function: object) -> object:
  """Returns what a method, or a decorated function, calls."""
  while True:
    if getattr(type(function), "_is_recursive_function", False):
      function = getattr(function, "python", None)
    elif isinstance(function, BoundMethod):
      function = function.function
    elif isinstance(function, types.MethodType):
      function = function.__func__
    else:
      return function


def _is_one(function: object) -> bool:
  if isinstance(function, Closure):
    return annotation(function.node, Annotation.GENERATOR) is not None
  if not isinstance(function, types.FunctionType) or _libraries.is_library(function):
    return False
  if function in _DONE_AT_ONCE:
    return False
  return bool(function.__code__.co_flags & inspect.CO_GENERATOR)


def _choice(function: object) -> Sequence[object]:
  """Returns the functions of which the run finds one."""
  if isinstance(function, Builtin):
    return function.functions
  return [*function.values.values()] if isinstance(function, ByType) else [function]


def iterable(ip: Host, value: object) -> object:
  """Returns what can be iterated over: for an object what its own `__iter__` goes over.

  A generator of its own is a call of that.
  """
  kinds = _classes(ip, value)
  methods = [getattr(kind, "__iter__", None) for kind in kinds]
  if len(methods) == 1 and isinstance(methods[0], types.FunctionType) and isinstance(value, Value):
    if not is_generator(methods[0]):
      return own_iterable(ip, value, methods[0])
  if not methods or not all(map(is_generator, methods)):
    return value
  for kind in kinds:
    ip.conversion.guards.of_class(kind, "__iter__")
  is_one = all(method is methods[0] for method in methods)
  function = BoundMethod(methods[0], value) if is_one else ip.attribute(value, "__iter__")
  return Suspended(function, [], {})


def own_iterable(ip: Host, value: object, method: object) -> object:
  """Returns what an object goes over whose class has an `__iter__` that is no generator."""
  found = ip.call(BoundMethod(method, value), [], {})
  if not isinstance(found, Once):
    raise ip.frame.refuse(Reason.OPAQUE_READ, "__iter__ that does not return iter(...).")
  return found.value


def _classes(ip: Host, value: object) -> frozenset[type]:
  """Returns the classes of what may have an `__iter__` of its own."""
  if isinstance(value, Ref):
    return ip.frame.types_of(value) - {NoneType, Missing}
  if isinstance(value, LocalObject):
    return frozenset([value.type])
  is_known = not isinstance(value, Value) and not _libraries.is_library(type(value))
  return frozenset([type(value)] if is_known else [])


def gone_over(ip: Host, value: object) -> object:
  """Returns what an object that the program makes goes over by its own `__iter__`; else itself."""
  found = iterable(ip, value) if isinstance(value, LocalObject) else value
  return value if isinstance(found, Suspended) else found


def listed(ip: Host, value: object) -> object:
  """Returns the elements of a suspended call, as an iterator over a list; all else as it is."""
  if not isinstance(value, Suspended):
    return value
  args = {f"{i}": arg for i, arg in enumerate([*value.args, *value.kwargs.values()])}
  scope = Scope(args, None, None)
  reads = [(scope, name) for name in args]
  for function in _choice(value.function):
    reads += [*_lazy.reads_of_function(function)]
    if isinstance(function, BoundMethod):
      args[f"owner {len(args)}"] = function.owner
      reads.append((scope, f"owner {len(args) - 1}"))

  def make() -> object:
    found = _call(ip, value, None)
    if isinstance(found, LocalList):
      return found
    rows = ip.rows_of(found)
    return ip.frame.new(LocalList(ip.fixed_items(found) if rows is None else rows))

  return _lazy.made_by(ip, make, tuple(reads), (), of_generator=True)


def _call(
  ip: Host, call: Suspended, consumer: Closure | None, block: ast.With | None = None
) -> object:
  with ip.generating(Consumer(consumer, block)):
    return ip.call(call.function, list(call.args), dict(call.kwargs))


def kept(ip: Host) -> ConversionRefused:
  """Returns the refusal of a generator whose elements are not taken where it is called."""
  text = "A generator is called, and its elements are not taken there. Make it a list: list(...)."
  return ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)


def takes_elements(function: object) -> bool:
  """Tells whether a function takes the elements of what it is given; builtin ones say themselves.

  One of the user's is refused an iterator, except where it begins by going over it.
  """
  if isinstance(function, BoundMethod):
    return takes_elements(function.function)
  if isinstance(function, Builtin):
    return function.name.rpartition(".")[2] in _TAKING
  if isinstance(function, types.BuiltinMethodType):
    return isinstance(function.__self__, (str, list)) and function.__name__ in _TAKING
  return isinstance(function, (Closure, types.FunctionType, types.MethodType))


def is_within(ip: Host, call: Suspended) -> bool:
  """Tells whether a generator is called in itself.

  A consumer there would be another one in each call, of which there would be no end.
  """
  plain = [_unbound(one) for one in _choice(_unbound(call.function))]
  nodes = [f.node if isinstance(f, Closure) else ip.conversion.source(f).node for f in plain]
  active = {(one.name, one.lineno) for one in ip.active if isinstance(one, ast.FunctionDef)}
  return any((node.name, node.lineno) in active for node in nodes)


def or_in_turn(ip: Host, node: object, value: object, consume: Callable[[], _T]) -> _T:
  """Returns what `consume` gives, of all elements at once.

  Where that is refused, and they are those of a generator, the next attempt has them one by one.

  Args:
    ip: the interpreter.
    node: the loop.
    value: what it goes over.
    consume: does it.
  """
  try:
    return consume()
  except ConversionRefused:
    is_call = isinstance(value, Suspended) and not is_within(ip, value)
    if is_call and ip.conversion.note_consumer(node):
      raise Bottom from None
    raise


def called(ip: Host, node: ast.FunctionDef, consumer: Consumer) -> tuple[ast.FunctionDef, object]:
  """Returns a generator as a function of its own for what it is called for, and that."""
  if consumer.block is not None:
    return ip.conversion.variant(node, (_VARIANT, consumer.block)), consumer.function
  if annotation(node, Annotation.ENTERED):
    text = f"{node.name} yields inside of try or with, and is no context manager here."
    raise ip.frame.refuse(Reason.SYNTAX, text)
  if consumer.function is None:
    if any(isinstance(part, ast.While) for part in ast.walk(node)):
      ip.conversion.note_generator(may_be_endless=True)
    return node, None
  return ip.conversion.variant(node, _VARIANT), consumer.function


def hand_on(ip: Host, node: ast.Call, scope: Scope) -> object:
  """Gives a consumer all elements of an iterable; returns whether it wants no more."""
  consumer = ip.eval(node.func, scope)
  values = iterable(ip, ip.iterable(node.args[0], scope))
  if not isinstance(values, Suspended):
    return run_written(ip, _written.handed_on, values=values, consumer=consumer)
  assert isinstance(consumer, Closure)  # Nobody else calls a generator so.
  return _call(ip, values, consumer)


def consume(
  ip: Host, call: Suspended, node: ast.For, scope: Scope, block: ast.With | None = None
) -> None:
  """Runs a loop over a generator in the generator; or a block, which is one of one turn, so."""
  kept = annotation(node, Annotation.CARRIED) | annotation(node, Annotation.LIVE_AFTER)
  assigned = annotation(node, Annotation.ASSIGNED)
  outside = assigned & kept
  for name in assigned - scope.outer_names:
    if name not in outside:
      scope.names.pop(name, None)
    elif name not in scope.names:
      scope.names[name] = Undefined(name)
  index = None
  if call.start is not None:
    index = f"_rtf_index_{node.lineno}_{node.col_offset}"
    scope.names[index] = call.start
  _call(ip, call, ip.closure(_loop_body(node, sorted(outside), index), scope), block)
  if index is not None:
    scope.names.pop(index)


def _loop_body(node: ast.For, outside: list[str], index: str | None) -> ast.FunctionDef:
  """Returns the body of a loop as a function of an element; the same one each time."""
  made: ast.FunctionDef | None = getattr(node, "_rtf_consumer", None)
  if made is not None:
    return made
  until = annotation(node, Annotation.UNTIL)
  result = ast.Constant(False) if until is None else ast.Name(until, ast.Load())
  first: list[ast.stmt] = [_taken(node.target)]
  if index is not None:
    number, one = ast.Name(index, ast.Load()), ast.Constant(1)
    first = [
      ast.Assign([node.target], ast.Tuple([number, _element()], ast.Load())),
      ast.Assign([ast.Name(index, ast.Store())], ast.BinOp(number, ast.Add(), one)),
    ]
  declared = [*outside, *([index] if index is not None else [])]
  names: list[ast.stmt] = [ast.Nonlocal(declared)] if declared else []
  made = _function(node, [*names, *first, *node.body, ast.Return(result)])
  node._rtf_consumer = made  # type: ignore[attr-defined]
  return made


def _function(node: ast.AST, body: list[ast.stmt]) -> ast.FunctionDef:
  args = ast.arguments([], [ast.arg(ELEMENT)], None, [], [], None, [])
  made = ast.FunctionDef("<loop>", args, body, [], lineno=getattr(node, "lineno", 1))
  for part in ast.walk(made):
    if "lineno" in part._attributes and not hasattr(part, "lineno"):
      ast.copy_location(part, node)
  return made


def search(
  ip: Host,
  call: Suspended,
  elt: ast.expr,
  generators: list[ast.comprehension],
  is_all: bool,
  scope: Scope,
) -> object:
  """Returns `any(...)` or `all(...)` of an expression over a generator, which ends with it."""
  generator, *others = generators
  if others:
    inner = ast.GeneratorExp(elt, others)
    elt = ast.Call(ast.Constant(all if is_all else any), [inner], [])  # type: ignore[arg-type]
  elt = ast.UnaryOp(ast.Not(), elt)
  is_last = _all_of([*generator.ifs, elt if is_all else ast.UnaryOp(ast.Not(), elt)])
  result = ast.Return(ast.IfExp(is_last, ast.Constant(True), ast.Constant(False)))
  function = _once(generator, _function(elt, [_taken(generator.target), result]))
  found = ip.truth(_call(ip, call, ip.closure(function, scope)))
  return ip.negated(found) if is_all else found


def first(ip: Host, call: Suspended, node: ast.expr, scope: Scope, default: list[object]) -> object:
  """Returns `next` of a generator, or of an expression over one."""
  value: ast.expr = _element()
  if isinstance(node, ast.GeneratorExp):
    value = node.elt
  is_listed = node in ip.conversion.consumers
  found = ip.frame.new(LocalList([]))
  names = {_FOUND: found, _NEXT: [*default, Undefined(_NEXT)][0]}
  inner = ip.frame.new(Scope(names, scope, scope.source))
  add = ast.Call(ast.Attribute(ast.Name(_FOUND, ast.Load()), "append", ast.Load()), [value], [])
  keep = ast.Expr(add) if is_listed else ast.Assign([ast.Name(_NEXT, ast.Store())], value)
  body: list[ast.stmt] = [keep, ast.Return(ast.Constant(True))]
  if isinstance(node, ast.GeneratorExp):
    (generator,) = node.generators
    test = _all_of(generator.ifs)
    body = [_taken(generator.target), ast.If(test, body, [ast.Return(ast.Constant(False))])]
  function = _function(node, [ast.Nonlocal([_NEXT]), *body])
  is_any = _call(ip, call, ip.closure(_once(node, function, is_listed), inner))
  if is_any is False and not default:
    raise Raises  # A StopIteration.
  if not is_listed:
    result = inner.names[_NEXT]
    if isinstance(result, Undefined) and ip.conversion.note_consumer(node):
      raise Bottom  # What has no form beside nothing has one in a list.
    return ip.lookup(_NEXT, inner)
  if not default:
    return ip.item(found, 0)
  return ip.frame.cond(ip.truth(is_any), lambda: ip.item(found, 0), lambda: default[0])


def numbered(ip: Host, node: ast.expr, scope: Scope) -> bool:
  """Tells whether an expression is `enumerate` of a call of a generator."""
  return (
    isinstance(node, ast.Call)
    and isinstance(node.func, ast.Name)
    and 1 <= len(node.args) <= 2
    and not node.keywords
    and ip.eval(node.func, scope) is enumerate
    and is_call(ip, node.args[0], scope)
  )


def numbered_call(ip: Host, node: ast.expr, scope: Scope) -> Suspended:
  """Returns the call of a generator that `enumerate` goes over."""
  assert isinstance(node, ast.Call)  # As was asked before.
  call = ip.iterable(node.args[0], scope)
  assert isinstance(call, Suspended)
  start = as_index(ip, ip.eval(node.args[1], scope)) if len(node.args) > 1 else 0
  return dataclasses.replace(call, start=start)


def collected(
  ip: Host, call: Suspended, elt: ast.expr, generators: list[ast.comprehension], scope: Scope
) -> LocalList:
  """Returns the list that a comprehension makes, which runs in the generator."""
  generator, *others = generators
  found = ip.frame.new(LocalList([]))
  inner = ip.frame.new(Scope({_FOUND: found}, scope, scope.source))
  value = ast.ListComp(elt, others) if others else elt
  method = ast.Attribute(ast.Name(_FOUND, ast.Load()), "extend" if others else "append", ast.Load())
  add = ast.Expr(ast.Call(method, [value], []))
  body = [_taken(generator.target), ast.If(_all_of(generator.ifs), [add], [])]
  body.append(ast.Return(ast.Constant(False)))
  _call(ip, call, ip.closure(_once(generator, _function(elt, body)), inner))
  return found


def _all_of(tests: list[ast.expr]) -> ast.expr:
  if len(tests) == 1:
    return tests[0]
  return ast.BoolOp(ast.And(), tests) if tests else ast.Constant(True)


def _element() -> ast.Name:
  return ast.Name(ELEMENT, ast.Load())


def _taken(target: ast.expr) -> ast.Assign:
  return ast.Assign([target], _element())


def _once(node: ast.AST, function: ast.FunctionDef, variant: object = None) -> ast.FunctionDef:
  """Returns a function that is made of an expression; the same one each time."""
  known: dict[object, ast.FunctionDef] = node.__dict__.setdefault("_rtf_consumers", {})
  return known.setdefault(variant, function)


def is_call(ip: Host, node: ast.expr, scope: Scope) -> bool:
  """Tells whether an expression is a call of a generator; nothing is evaluated for good."""
  if not isinstance(node, ast.Call):
    return False
  function: ast.expr = node.func
  while isinstance(function, ast.Attribute):
    function = function.value
  if not isinstance(function, ast.Name) or function.id == "super":
    return False
  before = ip.frame.snapshot()
  found = ip.eval(node.func, scope)
  if has_changed(before, ip.frame.snapshot()):
    ip.frame.restore(before)
    return False
  return is_generator(found)
