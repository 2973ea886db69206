"""`with`: the context managers that a program may enter while it is made.

What a manager does when an exception leaves its block is never needed: a run in which one does
fails as a whole, and plain Python does it.
"""

from __future__ import annotations

import ast
import contextlib
import types
from collections.abc import Iterator

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import FELL, Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import _attributes, _generators, _tapes
from recursive_tf.convert.syntax.annotations import Annotation, annotate, annotation
from recursive_tf.convert.values._abstract import BoundMethod, LocalObject, Ref, Scope, named
from recursive_tf.convert.values._operands import Spread

# Libraries' managers that say something to the ops that are made inside, by the names of their
# classes, and of the functions where contextlib makes the class.
_CLASSES = frozenset(["name_scope", "name_scope_v2", "_ControlDependenciesController"])
_FUNCTIONS = frozenset(["device", "combined", "stop_recording"])  # The second: `device` in a graph.


# What `contextlib.contextmanager` makes of any function.
_MADE = contextlib.contextmanager(lambda: iter(())).__code__


def do_with(ip: Host, node: ast.With, scope: Scope) -> object:
  """Does a `with` of one context manager; nothing leaves its block but at the end."""
  (item,) = node.items
  manager = ip.manager(item.context_expr, scope)
  if isinstance(manager, _generators.Suspended):
    _generators.consume(ip, manager, _turn(node), scope, node)
    return FELL
  with _entered(ip, manager) as value:
    if item.optional_vars is not None:
      ip.assign(item.optional_vars, value, scope)
    return ip.block(node.body, scope)


def call_or_suspend(
  ip: Host, function: object, args: list[object], kwargs: dict[str, object]
) -> object:
  """Calls a function; where it makes a context manager of a generator, that call is not run yet."""
  generator = _generator_of(ip, function)
  if generator is None or any(isinstance(arg, Spread) for arg in args):
    return ip.call(function, args, kwargs)
  return _generators.Suspended(generator, args, kwargs)


def _generator_of(ip: Host, function: object) -> object:
  """Returns the generator, or method, of which `contextlib.contextmanager` made a function."""
  if isinstance(function, types.MethodType):
    function = BoundMethod(function.__func__, function.__self__)
  owner = function.owner if type(function) is BoundMethod else None
  plain = function.function if type(function) is BoundMethod else function
  if not isinstance(plain, types.FunctionType) or plain.__code__ is not _MADE:
    return None
  (cell,) = plain.__closure__ or ()
  generator = cell.cell_contents
  if not isinstance(generator, types.FunctionType) or _libraries.is_library(generator):
    return None
  ip.conversion.guards.function(plain)
  node = ip.conversion.source(generator).node
  problem = annotation(node, Annotation.MANAGER, "it is none")
  if problem:
    text = f"The context manager {generator.__name__} may not yield exactly once: {problem}."
    raise ip.frame.refuse(Reason.OPAQUE_CALL, text)
  return generator if plain is function else BoundMethod(generator, owner)


def _turn(node: ast.With) -> ast.For:
  """Returns the block of a context manager as a loop of one turn; the same one each time."""
  made: ast.For | None = getattr(node, "_rtf_turn", None)
  if made is not None:
    return made
  (item,) = node.items
  target = item.optional_vars or ast.Name("_rtf_entered", ast.Store())
  made = ast.For(target, item.context_expr, node.body, [], None)
  ast.copy_location(made, node)
  for key in (Annotation.ASSIGNED, Annotation.CARRIED, Annotation.LIVE_AFTER):
    annotate(made, key, annotation(node, key))
  node._rtf_turn = made  # type: ignore[attr-defined]
  return made


@contextlib.contextmanager
def _entered(ip: Host, manager: object) -> Iterator[object]:
  if isinstance(manager, tf.GradientTape):
    with _recording(ip, manager) as tape:
      yield tape
  elif isinstance(manager, contextlib.nullcontext):
    yield manager.enter_result
  elif isinstance(manager, contextlib.suppress):
    yield None
  elif _is_of_graphs(manager):
    assert isinstance(manager, contextlib.AbstractContextManager)  # It has both methods.
    ip.frame.partial()
    with manager as value:
      yield value
  else:
    enter, leave = (_method(ip, manager, name) for name in ("__enter__", "__exit__"))
    yield ip.call(enter, [], {})
    ip.call(leave, [None, None, None], {})


@contextlib.contextmanager
def _recording(ip: Host, tape: tf.GradientTape) -> Iterator[object]:
  """Lets a tape of the program record, while those around the conversion do not."""
  frame = ip.frame
  if frame.key is not None:
    raise frame.refuse(
      Reason.OPAQUE_CALL, "A tape in a function that calls itself, or that is called for each row."
    )
  _tapes.check_made(ip, tape)
  frame.partial()
  with tfi.resume_recording(), tape:
    yield tape


def _is_of_graphs(manager: object) -> bool:
  """Tells whether a manager only says something to the ops that are made inside."""
  if isinstance(manager, contextlib._GeneratorContextManager):
    code = getattr(manager.gen, "gi_code", None)
    space = getattr(getattr(manager.gen, "gi_frame", None), "f_globals", {})
    is_tensorflow = str(space.get("__name__")).startswith("tensorflow.")
    return is_tensorflow and getattr(code, "co_name", "") in _FUNCTIONS
  kind = type(manager)
  return _libraries.is_library(kind) and kind.__name__ in _CLASSES


def _method(ip: Host, manager: object, name: str) -> object:
  """Returns a method of a manager of the user's, which Python looks for in the class."""
  kind: type | None = type(manager)
  if isinstance(manager, LocalObject):
    kind = manager.type
  elif isinstance(manager, Ref):
    kinds = ip.frame.types_of(manager)
    kind = next(iter(kinds)) if len(kinds) == 1 else None
  found = None if kind is None else _attributes.by_class(kind, name)
  if kind is None or not isinstance(found, types.FunctionType) or _libraries.is_library(kind):
    raise ip.frame.refuse(Reason.OPAQUE_CALL, f"with of a {named(manager)} is not converted.")
  if found.__module__ == "contextlib":
    raise ip.frame.refuse(Reason.OPAQUE_CALL, "with of a generator is not converted.")
  ip.conversion.guards.methods(kind)
  return BoundMethod(found, manager)
