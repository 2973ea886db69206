"""Whether a function of the user's that a library calls does more than compute.

A library calls it while the graph is made, once or as often as there are attempts, not at each run.
What it reads is watched; what it changes, prints or draws would be lost. It is not looked into as
the program is, so this goes by the names in its code, and rather says yes.
"""

from __future__ import annotations

import builtins
import dataclasses
import dis
import functools
import inspect
import types
from collections.abc import Iterable

import keras

from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.heap._fingerprint import is_bookkeeping, is_users

_STORES = frozenset(
  """STORE_ATTR STORE_GLOBAL STORE_SUBSCR STORE_SLICE DELETE_ATTR DELETE_GLOBAL DELETE_SUBSCR
  IMPORT_NAME SEND""".split()
)
# Methods by which containers, variables, layers, files and the like are changed.
_ACTING_METHODS = frozenset(
  """add add_loss add_metric add_weight append appendleft assign assign_add assign_sub build cancel
  clear close compile critical debug dequeue difference_update discard emit enqueue error exception
  extend extendleft fill fit flush info insert intersection_update item load_weights log next numpy
  pop popitem popleft put random read readline remove reset reset_state resize reverse rotate
  scatter_add scatter_nd_add scatter_nd_sub scatter_nd_update scatter_sub scatter_update send
  set_value set_weights setdefault setflags sort start stop tofile tolist update update_state
  warning write writelines __delitem__ __setattr__ __setitem__""".split()
)
_BUILTINS = frozenset(
  """abs all any bool callable complex dict divmod enumerate filter float frozenset getattr hasattr
  hash int isinstance issubclass len list map max min pow range reversed round set slice sorted str
  sum super tuple type zip None True False Ellipsis NotImplemented __debug__""".split()
)


# What a library asks an object for that it is given.
_ASKED = (
  *("__call__", "__array__", "__tf_tensor__", "__index__", "__int__", "__float__", "__bool__"),
  *("__len__", "__iter__", "__getitem__"),
)
# And a container one that it looks for. What Python's own library has for these only computes.
_COMPARED = ("__hash__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")


@dataclasses.dataclass(frozen=True)
class Code:
  """What is known of the user's code that a library may run.

  Attributes:
    acting: what in it may do more than compute; None if nothing.
    functions: all functions in it.
    members: what of the user's classes it may read: the class and the name.
  """

  acting: str | None
  functions: tuple[types.FunctionType, ...]
  members: tuple[tuple[type, str], ...]


def code_of(function: types.FunctionType) -> Code:
  """Returns what is known of a function of the user's that a library is given."""
  search = _Search()
  return search.found(search.function(function, None))


def code_of_parts(layer: keras.layers.Layer) -> Code:
  """Returns what is known of the users' layers inside a library's layer."""
  search = _Search()
  handed: list[object] = []
  for part in layer._flatten_layers():
    own = [value for name, value in vars(part).items() if not is_bookkeeping(name)]
    handed += (types.MethodType(type(part).call, part), *own)
    for value in (part, *own):
      search.note_class(type(value))
  for value in handed:
    acting = search.handed(value)
    if acting is not None:
      return search.found(acting)
  return search.found(None)


def code_of_objects(objects: Iterable[object]) -> Code:
  """Returns what is known of the users' code in objects that a library has; but for layers."""
  search, objects = _Search(), tuple(objects)
  for value in objects:
    search.note_class(type(value))
  for value in objects:
    is_layer = isinstance(value, keras.layers.Layer)
    acting = search.handed(value) or (None if is_layer else search.asked(value))
    if acting is not None:
      return search.found(acting)
  return search.found(None)


class _Search:
  """Looks through functions and those that they name."""

  def __init__(self) -> None:
    self._seen: set[int] = set()
    self._kinds: dict[type, None] = {}  # Of objects that the functions may use.
    self._functions: list[types.FunctionType] = []
    self._members: dict[tuple[type, str], None] = {}

  def found(self, acting: str | None) -> Code:
    """Returns what there is by now."""
    return Code(acting, tuple(self._functions), tuple(self._members))

  def note_class(self, kind: type) -> None:
    """Notes that objects of a class are at hand."""
    if is_users(kind) and kind not in self._kinds:
      self._kinds[kind] = None

  def handed(self, value: object) -> str | None:
    """Returns what acts in a function, method or partial function; None of all else."""
    kind = None
    while isinstance(value, functools.partial):
      value = value.func
    if isinstance(value, types.MethodType):
      kind, value = type(value.__self__), value.__func__
    if not isinstance(value, types.FunctionType) or _libraries.is_library(value):
      return None
    return self.function(value, kind)

  def asked(self, value: object) -> str | None:
    """Returns what acts in what a library asks an object for; None if nothing."""
    kind = type(value)
    for name in (*_ASKED, *_COMPARED) if is_users(kind) else ():
      method = inspect.getattr_static(kind, name, None)
      is_known = name in _COMPARED and isinstance(method, types.FunctionType)
      if is_known and _libraries.is_standard(method):
        continue
      if _libraries.is_users(method):
        acting = self.function(method, kind)
        if acting is not None:
          return acting
    return None

  def function(self, function: types.FunctionType, kind: type | None) -> str | None:
    """Returns what acts in a function; `kind` is the class that it is a method of."""
    if kind is not None:
      self.note_class(kind)
    if id(function.__code__) in self._seen:
      return None
    self._seen.add(id(function.__code__))
    self._functions.append(function)
    names = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    known: dict[str, object] = {}
    for name, cell in names.items():
      try:
        known[name] = cell.cell_contents
      except ValueError:
        return f"{name!r}, which is not set"
    return self._code(function.__code__, {**function.__globals__, **known}, kind)

  def _code(self, code: types.CodeType, space: dict[str, object], kind: type | None) -> str | None:
    for instruction in dis.get_instructions(code):
      name, operation = instruction.argval, instruction.opname
      if operation in _STORES or (operation == "STORE_DEREF" and name in code.co_freevars):
        return f"{operation} {name}"
      found = None
      if operation in ("LOAD_GLOBAL", "LOAD_NAME") or (
        operation == "LOAD_DEREF" and name in code.co_freevars
      ):
        found = self._value(name, space)
      elif operation in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
        found = self._method(name, kind)
      if found is not None:
        return found
    for constant in code.co_consts:
      if isinstance(constant, types.CodeType):
        found = self._code(constant, space, kind)
        if found is not None:
          return found
    return None

  def _value(self, name: str, space: dict[str, object]) -> str | None:
    if name not in space:
      is_plain = name in _BUILTINS or not callable(getattr(builtins, name, None))
      return None if is_plain else name
    value = space[name]
    if _libraries.is_users(value):
      return self.function(value, None)
    if isinstance(value, types.ModuleType):
      return None if _libraries.is_library(value) else f"the module {name}"
    if isinstance(value, type):
      return None if value.__module__ == "builtins" or _libraries.is_library(value) else name
    if _libraries.is_library(value) and not isinstance(value, keras.layers.Layer):
      return name if callable(value) and not _libraries.only_computes(value) else None
    self.note_class(type(value))
    is_data = not callable(value) or isinstance(value, keras.layers.Layer)
    return None if is_data else name

  def _method(self, name: str, kind: type | None) -> str | None:
    if name in _ACTING_METHODS:
      return f".{name}"
    nothing = object()
    for each in dict.fromkeys([*([] if kind is None else [kind]), *self._kinds]):
      found: object = inspect.getattr_static(each, name, nothing)
      if found is nothing:
        continue
      if is_users(each):
        self._members[each, name] = None
      if isinstance(found, property):
        found = found.fget
      elif isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
      if _libraries.is_users(found):
        acting = self.function(found, each)
        if acting is not None:
          return acting
    return None
