"""Calls: of libraries as they are, of the user's functions by running them, of recursive ones."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import inspect
import operator
import types
from collections.abc import Callable, Collection, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame import _access
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._keys import may_be_none, with_default, with_none
from recursive_tf.convert.frame._sharing import containers
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.heap._acting import code_of
from recursive_tf.convert.semantics import (
  _attributes,
  _beside_tensors,
  _containers,
  _data,
  _entries,
  _generators,
  _heap_tensors,
  _items,
  _layers,
  _lazy,
  _list_methods,
  _opened,
  _spread,
  _tapes,
  _tensor_lists,
  _text_methods,
)
from recursive_tf.convert.semantics._in_python import naming_callers_line
from recursive_tf.convert.semantics._native import native, watch_code
from recursive_tf.convert.semantics._signatures import signature
from recursive_tf.convert.semantics._spread import spread
from recursive_tf.convert.semantics.builtins import _objects, _table
from recursive_tf.convert.semantics.ndarrays import _functions
from recursive_tf.convert.syntax.annotations import Annotation, annotation
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values._abstract import (
  VIEWS,
  Array,
  BoundMethod,
  Closure,
  LocalDict,
  LocalList,
  LocalObject,
  Made,
  Maybe,
  Raises,
  Ref,
  Rows,
  Scope,
  is_named_tuple,
  is_static,
  makes_its_own,
  named,
  tuple_of,
)
from recursive_tf.convert.values._operands import several
from recursive_tf.convert.values._signatures import check_count_of_function
from recursive_tf.subgraph import SubGraph, SubGraphFunction
from recursive_tf.subgraph._decorator import BoundMethod as SubGraphMethod

_SUBGRAPHS = (SubGraph, SubGraphFunction, SubGraphMethod)


def call(ip: Host, function: object, args: list[object], kwargs: dict[str, object]) -> object:
  """Returns `function(*args, **kwargs)`."""
  if function is None or isinstance(function, (tf.Tensor, Array)):
    raise Raises  # Nor is a variable or an array of NumPy a function.
  return ip.kind_of(function).call(args, kwargs)


def refuse_subgraph(ip: Host, *functions: object) -> None:
  """Refuses a call of a SubGraph, or of what is bound to one."""
  for graph in functions:
    if isinstance(graph, _SUBGRAPHS):
      raise _of_subgraph(ip, graph)


def call_no_function(ip: Host, value: object, args: list[object]) -> object:
  """Refuses a call of what is no function."""
  if spread(args) is not None:
    return _table.call_spread(ip, value, args, {})
  text = "Something that only the run knows is called."
  raise ip.frame.refuse(Reason.OPAQUE_CALL, text)


# What finds elements of a list, also of one in which Keras or TensorFlow keeps a model's.
_SEEKING = frozenset(getattr(k, name) for k in (list, Sequence) for name in ("count", "index"))


def _seeks_in_list(function: object, args: list[object], kwargs: dict[str, object]) -> bool:
  """Tells whether `count` or `index` of a known list or tuple is called."""
  owner, name = getattr(function, "__self__", None), getattr(function, "__name__", None)
  if name not in ("count", "index") or len(args) != 1 or kwargs or spread(args) is not None:
    return False
  if type(owner) in (list, tuple):
    return True
  kind = type(owner)
  return isinstance(owner, list) and _libraries.is_library(kind) and getattr(kind, name) in _SEEKING


def call_known(ip: Host, function: Any, args: list[object], kwargs: dict[str, object]) -> object:
  """Calls what is known at conversion: a function, a class, or an object."""
  refuse_subgraph(ip, function, getattr(function, "__self__", None))
  if isinstance(function, functools.partial):
    guards = ip.conversion.guards
    target, given = (guards.attribute(function, name) for name in ("func", "args"))
    keywords = guards.items(guards.attribute(function, "keywords"))
    return call(ip, target, [*given, *args], {**keywords, **kwargs})
  if type(function) in _GETTERS and len(args) == 1 and not kwargs and spread(args) is None:
    return _get(ip, function, args[0])
  plain = getattr(function, "python", None)
  if plain is not None and getattr(type(function), "_is_decorated", False):
    return call(ip, plain, args, kwargs)
  if isinstance(function, types.MethodType) and is_named_tuple(function.__self__):
    is_make = function.__name__ == "_make" and spread(args) is None
    kind = function.__self__
    if is_make and len(args) == 1 and not kwargs and isinstance(kind, type):
      return tuple_of(kind, ip.fixed_items(args[0]))
  if _seeks_in_list(function, args, kwargs):
    return _list_methods.sought(ip, function.__self__, function.__name__, args[0])
  if isinstance(function, types.MethodType) and not _libraries.is_library(function.__func__):
    return call(ip, function.__func__, [function.__self__, *args], kwargs)
  if _objects.is_replacing(function) and len(args) == 1 and spread(args) is None:
    return _objects.fields_replaced(ip, args[0], **kwargs)
  if _is_written_out(function):
    return call_function(ip, function, args, kwargs)
  own = _attributes.by_class(ip.conversion.guards.type_of(function), "__call__")
  if _libraries.is_users(own):
    return call_function(ip, own, [function, *args], kwargs)
  is_class = isinstance(function, type) and not _table.knows(function)
  is_own_class = is_class and not _libraries.is_library(function)
  if spread(args) is not None and not is_own_class:
    return _table.call_spread(ip, function, args, kwargs)
  if _table.knows(function):
    check_count_of_function(function, args, kwargs)
    check_fit(ip, function.__name__, _table.implementation(function), [ip, *args], kwargs)
    if kwargs and not _table.takes(function, kwargs):
      raise Raises  # A TypeError.
    with _going_over(ip, args, kwargs):
      return _table.call(ip, function, args, kwargs)
  if is_own_class:
    return _construct(ip, function, args, kwargs)
  if isinstance(function, keras.layers.Layer):
    return _layers.call(ip, function, args, kwargs)
  if isinstance(function, tf.types.experimental.PolymorphicFunction):
    return native(ip, function, args, kwargs)
  return _call_library(ip, function, args, kwargs)


_GETTERS = (operator.attrgetter, operator.itemgetter)


def _get(ip: Host, getter: object, owner: object) -> object:
  """Calls what `operator.attrgetter` or `itemgetter` gives."""
  parts = getter.__reduce__()[1]
  found = [_read_part(ip, getter, owner, part) for part in parts]
  return found[0] if len(found) == 1 else tuple(found)


def _read_part(ip: Host, getter: object, owner: object, part: object) -> object:
  if isinstance(getter, operator.itemgetter):
    return ip.item(owner, part)
  assert isinstance(part, str)  # An attrgetter takes nothing else.
  for name in part.split("."):
    owner = ip.attribute(owner, name)
  return owner


def _going_over(
  ip: Host, args: Sequence[object], kwargs: dict[str, object]
) -> contextlib.ExitStack:
  """Fails the run if lists that are given are changed by functions that are, as `map` shows it."""
  stack = contextlib.ExitStack()
  given = [*args, *kwargs.values()]
  if any(map(_runs_code, given)):
    for value in given:
      stack.enter_context(ip.conversion.effects.going_over(ip, value))
  return stack


def _runs_code(value: object) -> bool:
  if isinstance(value, type):
    return value.__module__ != "builtins"
  if callable(value) or isinstance(value, (Closure, BoundMethod)):
    return True
  return any(map(_runs_code, several(value)))


def check_fit(
  ip: Host,
  name: str,
  function: Callable[..., object],
  args: list[object],
  kwargs: dict[str, object],
) -> None:
  """Refuses arguments that what stands for a builtin function or method does not take."""
  try:
    inspect.signature(function).bind(*args, **kwargs)
  except TypeError as error:
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION, f"{name}() with these arguments: {error}."
    ) from None


def call_entry(ip: Host, function: Ref, args: list[object], kwargs: dict[str, object]) -> object:
  """Calls the function that a table of the user's has for something read from the heap."""
  frame = ip.frame
  _, table, *default = function.path[-1]
  key = Ref(function.base, function.path[:-1])
  entries = list(ip.conversion.guards.items(table.value).items())

  def choose(position: int) -> object:
    if position < len(entries):
      name, found = entries[position]
      return frame.cond(
        ip.truth(ip.compare(ast.Eq, key, name)),
        lambda: call(ip, found, list(args), kwargs),
        lambda: choose(position + 1),
      )
    if default:
      return call(ip, default[0].value, args, kwargs)
    raise Raises

  return choose(0)


def _is_written_out(function: object) -> bool:
  """Tells whether a function is Python of the user's, or of a library that is looked into."""
  is_function = isinstance(function, types.FunctionType)
  return is_function and not _libraries.is_library(function) and not _table.knows(function)


def _call_library(ip: Host, function: Any, args: list[object], kwargs: dict[str, object]) -> object:
  frame = ip.frame
  name = getattr(function, "__qualname__", None) or f"A {named(function)}"
  if _libraries.is_changing(function):
    raise frame.refuse(Reason.OPAQUE_CALL, f"{name} gives another value at each call.")
  if function is tf.GradientTape and ip.conversion.is_step and frame.key is None:
    return _tapes.new(ip, args, kwargs)
  if _libraries.makes_state(function):
    raise frame.refuse(Reason.STATEFUL_OP, f"{name} is made anew in each call.")
  owner = getattr(function, "__self__", None)
  if isinstance(owner, tf.GradientTape):
    return _tapes.call(ip, function, args, kwargs)
  if _text_methods.is_method(function) and args:
    return _text_methods.of_class(ip, function, args, kwargs)
  if type(owner) is str:
    return _text_methods.of_known(ip, owner, function, args, kwargs)
  method = name.rpartition(".")[2]
  is_plain_get = isinstance(owner, dict) and method == "get" and type(owner).get is dict.get
  if is_plain_get and args and isinstance(args[0], Maybe):
    return with_none(ip, args[0], lambda key: _call_library(ip, function, [key, *args[1:]], kwargs))
  if isinstance(owner, (list, dict, set)) or not _libraries.is_library(function):
    state = _lazy.interleaved(
      ip,
      args[0] if args else None,
      lambda: ip.conversion.effects.call_static(ip, owner, method, args, kwargs),
    )
    if state is not None:
      return state.value
    if isinstance(owner, dict) and method in (*VIEWS, "copy") and not (args or kwargs):
      return _containers.method_of_static(ip, owner, method)
    if is_plain_get and isinstance(owner, dict) and args and not kwargs:
      if len(args) > 2:
        raise Raises  # A TypeError.
      return _items.get_of_static(ip, owner, *args)
    what = name if is_static(function) else f"A {named(function)}"
    raise frame.refuse(Reason.OPAQUE_CALL, f"{what} has no Python source to look into.")
  number = _tensor_lists.of_number(ip, function, args, kwargs)
  if number is not None:
    return number
  if _libraries.is_of(function, "tensorflow"):
    optional = _optional(ip, function, args, kwargs)
    if optional is not None:
      return _call_with_default(ip, function, args, kwargs, optional)
    given = [*args, *kwargs.values()]
    taken = _data.all_taken(ip, given)
    if any(new is not old for new, old in zip(taken, given, strict=True)):
      return _call_with(ip, function, taken, kwargs)
    number = _tensor_lists.of_number(ip, function, args, kwargs)  # More is known of reads by now.
    if number is not None:
      return number
    if ip.conversion.made_kinds.has_ranks and any(isinstance(value, Made) for value in given):
      return _call_for_each(ip, function, args, kwargs)
    args, kwargs = _beside_tensors.typed(ip, function, args, kwargs)
  if any(map(_entries.is_weight, (*args, *kwargs.values()))):
    given = [*args, *kwargs.values()]
    return _entries.with_weights(ip, given, lambda all_: _call_with(ip, function, all_, kwargs))
  _check_computes(ip, function, name, args, kwargs)
  if _functions.knows(function) and not all(map(_is_known, (*args, *kwargs.values()))):
    return _functions.call(ip, function, args, kwargs)
  args = _heap_tensors.with_tensors(ip, function, args, kwargs)
  found = _tensor_lists.call_on_rows(ip, function, args, kwargs)
  if found is not None:
    return found
  found = native(ip, function, args, kwargs)
  if _functions.makes_new(function) and not kwargs.keys() & {"copy", "like"}:
    ip.conversion.guards.note_new(found)
  return found


def _call_with(
  ip: Host, function: object, given: Sequence[object], names: Collection[str]
) -> object:
  """Calls a function with other arguments, of which the last ones are given by names."""
  count = len(given) - len(names)
  return call(ip, function, [*given[:count]], dict(zip(names, given[count:], strict=True)))


def _call_for_each(
  ip: Host, function: Callable[..., object], args: list[object], kwargs: dict[str, object]
) -> object:
  """Calls a function of TensorFlow's with what the run finds: no tensor is of several ranks."""
  given = [*args, *kwargs.values()]
  place = next(i for i, value in enumerate(given) if isinstance(value, Made))
  made = given[place]
  assert isinstance(made, Made)

  def of_one(value: object) -> object:
    return _call_with(ip, function, [*given[:place], value, *given[place + 1 :]], kwargs)

  return _opened.for_each(ip, made, of_one)


def _optional(
  ip: Host, function: Callable[..., object], args: list[object], kwargs: dict[str, object]
) -> int | str | None:
  """Returns the place or name of an argument that may be None, which is its default."""
  given = [i for i, value in enumerate(args) if may_be_none(ip, value)]
  named = [name for name, value in kwargs.items() if may_be_none(ip, value)]
  if not given and not named:
    return None
  try:
    parameters = inspect.signature(function).parameters
  except (TypeError, ValueError):
    return None  # Of what is not written in Python.
  defaults = {name: one.default for name, one in parameters.items()}
  names = list(defaults)
  for i in given:
    if i < len(names) and defaults[names[i]] is None:
      return i
  return next((name for name in named if defaults.get(name, 0) is None), None)


def _call_with_default(
  ip: Host, function: object, args: list[object], kwargs: dict[str, object], which: int | str
) -> object:
  """Calls a function of TensorFlow's with an argument, and with None where that is found."""

  def then(value: object) -> object:
    if isinstance(which, str):
      return call(ip, function, args, {**kwargs, which: value})
    return call(ip, function, [*args[:which], value, *args[which + 1 :]], kwargs)

  return with_default(ip, args[which] if isinstance(which, int) else kwargs[which], then)


def _is_known(value: object) -> bool:
  """Tells whether a value is known at conversion, lists of the program and their parts, too."""
  if isinstance(value, LocalList):
    items = None if value.is_iterator or isinstance(value.content, Rows) else value.items
    return items is not None and all(map(_is_known, items))
  if type(value) is tuple:
    return all(map(_is_known, value))
  return is_static(value) and not isinstance(value, np.ndarray)  # Which may change.


def _check_computes(
  ip: Host, function: object, name: str, args: list[object], kwargs: dict[str, object]
) -> None:
  """Refuses a library's function that does more than compute with what it is given."""
  has_output = isinstance(function, np.ufunc) and len(args) > function.nin
  if _libraries.is_of(function, "numpy"):
    has_output |= not kwargs.keys().isdisjoint(("out", "copy"))
  if has_output or not _libraries.only_computes(function):
    raise ip.frame.refuse(Reason.OPAQUE_CALL, f"{name} may read or change what a run does not see.")
  if _libraries.is_of(function, "keras"):
    ip.conversion.guards.settings()
  values = (*args, *kwargs.values())
  for value in values:
    if _libraries.is_users(value):
      code = code_of(value)
      if code.acting is not None:
        raise ip.frame.refuse(
          Reason.OPAQUE_CALL, f"{name} calls {value.__name__}, which has effects: {code.acting}."
        )
      watch_code(ip, code)
  if _libraries.returns_python(function) and any(map(_layers.is_lowered, values)):
    raise ip.frame.refuse(Reason.OPAQUE_CALL, f"{name} of what only the run knows.")


def _construct(ip: Host, type_: type, args: list[Any], kwargs: dict[str, object]) -> object:
  """Makes an instance of a class of the user's."""
  frame = ip.frame
  if is_named_tuple(type_):
    if makes_its_own(type_):
      raise frame.refuse(Reason.OPAQUE_CALL, f"{type_.__name__} has its own __new__ or __init__.")
    ip.conversion.guards.methods(type_)
    ip.conversion.guards.function(type_.__new__)
    if spread(args) is not None:
      return _construct_by_name(ip, type_, args, kwargs)
    _bound(type_, args, kwargs)
    return type_(*args, **kwargs)
  if type_ in (contextlib.suppress, contextlib.nullcontext):
    return type_(*args, **kwargs)
  if issubclass(type_, BaseException) or type_.__module__ == "builtins":
    raise frame.refuse(Reason.OPAQUE_CALL, f"{type_.__name__}(...) is not converted.")
  if type_.__new__ is not object.__new__ or type(type_) is not type:
    raise frame.refuse(Reason.OPAQUE_CALL, f"{type_.__name__} has its own __new__ or metaclass.")
  own = _access.own_access(type_)
  if own is not None:
    raise frame.refuse(Reason.OPAQUE_CALL, f"{type_.__name__} has its own {own}.")
  ip.conversion.guards.methods(type_)
  ip.conversion.guards.function(type_.__init__)
  generated = getattr(type_.__init__, "__module__", "") == type_.__module__ and not hasattr(
    type_.__init__, "__code__"
  )
  has_fields = generated or _access.is_generated(type_.__init__)
  fields = getattr(type_, "__dataclass_fields__", None) if has_fields else None
  if fields is not None and spread(args) is not None:
    return _construct_by_name(ip, type_, args, kwargs)
  made = frame.new(LocalObject(type_, {}))
  if fields is not None:
    bound = _bound(type_, args, kwargs)
    values: dict[str, object] = {}
    for name, parameter in inspect.signature(type_).parameters.items():
      if name in bound.arguments:
        values[name] = bound.arguments[name]
      elif fields[name].default_factory is not inspect.Parameter.empty and callable(
        fields[name].default_factory
      ):
        values[name] = call(ip, fields[name].default_factory, [], {})
      else:
        values[name] = parameter.default
    made.fields = values
    code = getattr(type_.__init__, "__code__", None)
    if code is not None and "__post_init__" in code.co_names:  # Of a class that had one at first.
      call(ip, ip.attribute(made, "__post_init__"), [], {})
  elif isinstance(type_.__init__, types.FunctionType):
    if call_function(ip, type_.__init__, [made, *args], kwargs) is not None:
      raise Raises  # A TypeError: __init__() should return None.
  elif args or kwargs:
    raise frame.refuse(Reason.OPAQUE_CALL, f"{type_.__name__}(...) takes no arguments.")
  return made


def _bound(type_: type, args: list[object], kwargs: dict[str, object]) -> inspect.BoundArguments:
  """Returns the arguments of a class with fields by their names."""
  try:
    return inspect.signature(type_).bind(*args, **kwargs)
  except TypeError:
    raise Raises from None


def _construct_by_name(
  ip: Host, type_: type, args: list[object], kwargs: dict[str, object]
) -> object:
  """Makes an instance of a class with fields, which elements of `*rows` become."""

  def construct(given: list[object]) -> object:
    return _construct(ip, type_, given, kwargs)

  return _spread.by_name(ip, inspect.signature(type_), args, kwargs, construct)


def _of_subgraph(ip: Host, graph: object) -> Exception:
  """Returns the refusal of a call of a graph function, which has no Python to look into."""
  name = getattr(graph, "__name__", None) or getattr(graph, "name", "It")
  return ip.frame.refuse(
    Reason.OPAQUE_CALL,
    f"{name} is a SubGraph already, made of a graph and not of Python. Call it outside, or call the"
    " function that it was made of, undecorated: that becomes a SubGraph here.",
  )


# --- The user's functions


def call_function(
  ip: Host,
  function: object,
  args: list[object],
  kwargs: dict[str, object],
  ask: bool = False,
  variant: object = None,
) -> object:
  """Calls a function of the user's: run here, or as a call of the graph if it is recursive.

  With `ask` a recursive one is not called: returns whether it changes anything. Under each
  `variant` it is a function of its own, which knows other things of its arguments.
  """
  source, node, outer = _definition(ip, function)
  consumer = ip.consumer
  generator = annotation(node, Annotation.GENERATOR)
  if spread(args) is not None and _spread.is_by_name(signature(ip, function), args):
    if generator is not None:
      what = "* of a list whose length only the run knows, in a call of a generator."
      raise ip.frame.refuse(Reason.DYNAMIC_LIST, what)

    def call_with(given: list[object]) -> object:
      return call_function(ip, function, given, kwargs, ask, variant)

    return _spread.by_name(ip, signature(ip, function), args, kwargs, call_with)
  if generator is None:
    if variant is not None:
      node = ip.conversion.variant(node, variant)
    names = _bind(ip, function, args, kwargs)
  elif consumer is None:
    raise _generators.kept(ip)
  else:
    names = _bind(ip, function, args, kwargs)
    node, names[generator[0]] = _generators.called(ip, node, consumer)
  with ip.generating(None), naming_callers_line(ip, source):
    return _call_definition(ip, function, source, node, outer, names, ask)


def _call_definition(
  ip: Host,
  function: object,
  source: FunctionSource,
  node: ast.FunctionDef,
  outer: Scope | None,
  names: dict[str, object],
  ask: bool,
) -> object:
  conversion = ip.conversion
  is_graph_call = node in conversion.recursive or node in ip.active
  for name, value in names.items():
    if is_graph_call or not _is_iterated_at_once(node, name):
      ip.keep(value)
  if node in ip.active:
    cycle = ip.active[ip.active.index(node) :]
    conversion.note_recursion(cycle)
  if is_graph_call:
    _layers.check_outside(ip)
    return conversion.call_instance(ip, function, source, node, outer, names, ask)
  if len(ip.active) > 60:
    raise ip.frame.refuse(Reason.TOO_MANY_VARIANTS, "Calls of different functions nest too deep.")
  if source.is_users:
    conversion.note_converted(source, node, "inlined")
  for value in names.values():  # Also one that it does not use.
    ip.frame.compute(value)
  return ip.run(node, ip.frame.new(Scope(names, outer, source)))


def _is_iterated_at_once(node: ast.FunctionDef, name: str) -> bool:
  """Tells whether all that a function does with a parameter is to loop over it, before all else.

  Such a parameter may be an iterator: nothing comes between its elements that Python would see.
  What is before the loop does nothing but set variables to constants and other parameters.
  """
  first = next((one for one in node.body if not _sets_only(one, node)), None)
  uses = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]
  if not isinstance(first, ast.For) or len(uses) != 1:
    return False
  counted = isinstance(first.iter, ast.Call) and ast.unparse(first.iter) == f"enumerate({name})"
  return first.iter is uses[0] or counted


def _sets_only(statement: ast.stmt, function: ast.FunctionDef) -> bool:
  """Tells whether a statement is a text, or sets a variable to a constant or a parameter."""
  if isinstance(statement, ast.Assign):
    if not all(isinstance(target, ast.Name) for target in statement.targets):
      return False
    if isinstance(statement.value, ast.Name):
      arguments = function.args
      return any(
        one.arg == statement.value.id
        for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
      )
  elif not isinstance(statement, ast.Expr):
    return False
  return isinstance(statement.value, ast.Constant)


def _definition(ip: Host, function: object) -> tuple[FunctionSource, ast.FunctionDef, Scope | None]:
  if isinstance(function, Closure):
    return function.source, function.node, function.scope
  source = ip.conversion.source(function)
  return source, source.node, None


def _bind(
  ip: Host, function: object, args: list[object], kwargs: dict[str, object]
) -> dict[str, object]:
  """Returns the arguments by the names of the parameters.

  Defaults that are numbers or such stand for themselves; others are objects as any other.
  """
  parameters = signature(ip, function)
  last = spread(args)
  if last is not None:
    args = args[:-1]
  try:
    bound = parameters.bind(*args, **kwargs)
  except TypeError:
    raise Raises from None
  bound.apply_defaults()
  names = dict(bound.arguments)
  if last is not None:
    (rest,) = (n for n, p in parameters.parameters.items() if p.kind is p.VAR_POSITIONAL)
    more = dataclasses.replace(last.rows, type=tuple)
    names[rest] = _containers.binary(ip, ast.Add, names[rest], more) if names[rest] else more
  for _, container in containers(tuple(names.values())):
    if container.sharing is not ip.frame.sharing:
      raise ip.frame.sharing.refuse("The default of a function that calls itself may be changed")
  for name, parameter in parameters.parameters.items():
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
      names[name] = ip.frame.new(LocalDict(names[name]))
  return names
