"""The state that a program can reach: what it was before a run, and what changed.

Verification compares what plain Python did to the world with what the graph would have done. So all
that the function can reach from its arguments, closures, globals and classes is noted before the
run, object by object, shallowly. Libraries, modules, strings, iterators and data sets are left out.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert.effects._commit import Write
from recursive_tf.convert.heap import _libraries

_MAX_OBJECTS = 100_000
_MAX_ARRAY_BYTES = 1 << 24  # A larger array is known by identity alone.
_ABSENT = object()
_SEQUENCES = (list, collections.deque)
# What has no parts of its own that a program could change.
_ATOMS = (
  str, bytes, bytearray, int, float, complex, type(None), type(Ellipsis), range, slice,
  types.ModuleType, types.BuiltinFunctionType, types.GeneratorType, types.CodeType, np.generic,
  np.dtype, tf.Tensor, tf.DType, tf.TensorShape, tf.TensorSpec, tf.data.Dataset,
)  # fmt: skip

_ITERABLES: dict[Any, str] = {
  list: "item", tuple: "item", collections.deque: "item", set: "member", frozenset: "member"
}  # fmt: skip
_PLAIN = frozenset([str, bytes, int, float, bool, type(None)])
# Plain objects though their classes are Python's own.
_RECORDS = (types.SimpleNamespace, collections.UserDict, collections.UserList)

# The content of one object by slot: ("attr", name), ("item", key or position), ("cell", None),
# ("member", element) of a set, ("value", None) of an array or a variable.
_Slot = tuple[str, Any]
Contents = dict[_Slot, object]


class Snapshot:
  """The state of all that can be reached from some objects.

  Attributes:
    is_complete: whether there were few enough objects to look at all.
    tensors, variables: those that were met.
  """

  def __init__(self, roots: Iterable[tuple[str, object]]):
    """Notes the state.

    Args:
      roots: names, for messages, and objects; functions stand for all that they can reach.
    """
    self.is_complete = True
    self.tensors: list[tf.Tensor] = []
    self.variables: list[tf.Variable] = []
    self._before: dict[int, Contents] = {}
    self._objects: dict[int, object] = {}  # Kept alive, so that no id is given twice.
    # The owner, or the name, and the slot.
    self._found_at: dict[int, tuple[object, _Slot | None]] = {}
    self._atoms: dict[int, object] = {}
    self._spaces: dict[int, list[_Globals]] = {}  # By the namespace.
    self._add(collections.deque((value, name, None) for name, value in roots))

  def __contains__(self, value: object) -> bool:
    """Tells whether an object that can be changed was there before."""
    return id(value) in self._before and not isinstance(value, tuple)

  def add(self, owners: Iterable[object]) -> None:
    """Adds objects that a run writes to."""
    agenda = [owner for owner in owners if id(owner) not in self._spaces]
    self._add(collections.deque((owner, type(owner).__name__, None) for owner in agenda))
    for owner in agenda:
      if self._atoms.pop(id(owner), None) is not None:  # Of a library, and written all the same.
        self._before[id(owner)] = contents_of(owner)
        self._objects[id(owner)] = owner
        self._found_at[id(owner)] = type(owner).__name__, None

  def predicted(self, writes: Iterable[Write]) -> dict[int, Contents]:
    """Returns what the objects that are written will contain, by id."""
    found: dict[int, Contents] = {}
    for write in writes:
      owner = write.owner
      kind, name = write.slot
      if id(owner) in self._spaces:
        for space in self._spaces[id(owner)]:
          if name in space.names:
            known = found.setdefault(id(space), dict(self._before[id(space)]))
            known[write.slot] = write.value
        continue
      contents = found.setdefault(id(owner), dict(self._before[id(owner)]))
      length = sum(kind == "item" for kind, _ in contents)
      if kind == "head":
        left = [contents.pop(("item", i)) for i in range(length)][name:]
        contents |= {("item", i): value for i, value in enumerate(left)}
        continue
      if kind == "items":
        contents = {slot: own for slot, own in contents.items() if slot[0] != "item"}
        found[id(owner)] = contents | {("item", key): own for key, own in write.value}
        continue
      if kind == "member":
        contents.setdefault(write.slot, write.value)  # Of equals the first stays.
        continue
      if kind == "history":
        for member, is_added in write.value:
          if is_added:
            contents.setdefault(("member", member), member)
          else:
            contents.pop(("member", member), None)
        continue
      if kind != "tail":
        contents[write.slot] = write.value
        continue
      for position in range(length if name is None else name, length):
        del contents["item", position]
      start = length if name is None else name
      contents |= {("item", start + i): value for i, value in enumerate(write.value)}
    return found

  def compared(
    self, predicted: dict[int, Contents]
  ) -> Iterator[tuple[object, Contents, Contents, Contents]]:
    """Yields what changed or was to: (object, before, now, as predicted)."""
    for key, before in self._before.items():
      owner = self._objects[key]
      now, expected = contents_of(owner), predicted.get(key, before)
      if not _is_same(now, before) or not _is_same(expected, before):
        yield owner, before, now, expected

  def restore(self) -> None:
    """Puts back what changed since."""
    for key, before in self._before.items():
      owner = self._objects[key]
      if not _is_same(contents_of(owner), before):
        _put_back(owner, before)

  def place(self, owner: object, slot: tuple[str, object]) -> str:
    """Returns what a user would call a slot of an object."""
    parts = [slot]
    for _ in range(12):
      owner, own = self._found_at.get(id(owner), ("...", None))
      if own is None:
        break
      parts.append(own)
    return (owner if isinstance(owner, str) else "...") + "".join(map(_text, reversed(parts)))

  def _add(self, agenda: collections.deque[tuple[object, object, _Slot | None]]) -> None:
    while agenda:
      value, owner, slot = agenda.popleft()
      if id(value) in self._before or id(value) in self._atoms:
        continue
      if isinstance(value, _ATOMS) or _is_left_out(value):
        self._atoms[id(value)] = value
        if isinstance(value, tf.Tensor):
          self.tensors.append(value)
        continue
      if len(self._before) >= _MAX_OBJECTS:
        self.is_complete = False
        return
      if isinstance(value, tf.Variable):
        self.variables.append(value)
      elif isinstance(value, _Globals):
        self._spaces.setdefault(id(value.namespace), []).append(value)
      contents = contents_of(value)
      self._before[id(value)] = contents
      self._objects[id(value)] = value
      self._found_at[id(value)] = owner, slot
      for inner, part in contents.items():
        if inner[0] != "value" and type(part) not in _PLAIN:
          agenda.append((part, value, inner))
          if isinstance(value, dict) and inner[0] == "item" and not isinstance(inner[1], str):
            agenda.append((inner[1], value, inner))
      for name, part in _behind(value):
        agenda.append((part, name, None))


def contents_of(value: object) -> Contents:
  """Returns what an object holds itself."""
  found: Contents = {}
  if type(value).__name__ in ("_DictWrapper", "_TupleWrapper"):  # Of tf.Module: proxies.
    return {("attr", "__wrapped__"): getattr(value, "__wrapped__", None)}
  # By the base classes' own methods: a user's subclass may do anything in its own.
  for kind, slot in _ITERABLES.items():
    if isinstance(value, kind):
      parts = list(kind.__iter__(value))
      found.update(((slot, part if slot == "member" else i), part) for i, part in enumerate(parts))
  if isinstance(value, collections.defaultdict):  # Not behind the items: these have an order.
    found["attr", "default_factory"] = value.default_factory
  if isinstance(value, dict):
    found.update((("item", key), part) for key, part in dict.items(value))
  if isinstance(value, np.ndarray):
    if value.nbytes <= _MAX_ARRAY_BYTES:
      found["value", None] = value.copy()
    return found
  if isinstance(value, tf.Variable):
    found["value", None] = value.read_value() if _has_value(value) else None
    return found
  if isinstance(value, types.CellType):
    try:
      found["cell", None] = value.cell_contents
    except ValueError:  # Not set yet.
      pass
    return found
  if isinstance(value, _Globals):
    found.update((("item", name), part) for name, part in value.values().items())
    return found
  if isinstance(value, types.FunctionType):
    found["attr", "__defaults__"] = value.__defaults__
    found["attr", "__kwdefaults__"] = value.__kwdefaults__
  elif hasattr(type(value), "_is_decorated"):
    own = ("python", "stats")
    values = vars(value).items()
    return {("attr", n): p for n, p in values if not n.startswith("_") and n not in own}
  found.update((("attr", name), part) for name, part in _attributes(value))
  return found


@dataclasses.dataclass(frozen=True)
class _Globals:
  """The variables of a module that functions name."""

  namespace: dict[str, object]
  names: tuple[str, ...]

  def values(self) -> dict[str, object]:
    return {name: self.namespace[name] for name in self.names if name in self.namespace}


def _attributes(value: object) -> Iterator[tuple[str, object]]:
  kind: object = type(value)
  hidden = _own_names(kind)
  for name, part in getattr(value, "__dict__", {}).items():
    if isinstance(value, type) and (name.startswith("__") or _is_code(part)):
      continue
    if name not in hidden:
      yield name, part
  if isinstance(value, type):
    return
  for cls in type(value).__mro__:
    for name, descriptor in vars(cls).items():
      if isinstance(descriptor, types.MemberDescriptorType) and not name.startswith("__"):
        part = _slot(descriptor, value)
        if part is not _ABSENT:
          yield name, part


def _slot(descriptor: types.MemberDescriptorType, value: object) -> object:
  try:
    return descriptor.__get__(value)
  except AttributeError:
    return _ABSENT


def _is_code(value: object) -> bool:
  return isinstance(
    value,
    (types.FunctionType, staticmethod, classmethod, property, types.MemberDescriptorType)
    + (types.GetSetDescriptorType, functools.cached_property),
  )


def _behind(value: object) -> Iterator[tuple[str, object]]:
  """Yields what an object's code can reach: closures, globals by name, classes."""
  if isinstance(value, types.FunctionType):
    yield from _of_function(value)
  elif isinstance(value, types.MethodType):
    yield value.__func__.__name__, value.__func__
    yield "self", value.__self__
  elif isinstance(value, functools.partial):
    yield from (("function", value.func), ("arguments", value.args), ("keywords", value.keywords))
  elif isinstance(value, type):
    for base in value.__mro__[:-1]:
      yield base.__name__, base
    for name, part in vars(value).items():
      part = getattr(part, "__func__", part)
      accessors = (part.fget, part.fset) if isinstance(part, property) else (part,)
      for code in accessors:
        if isinstance(code, types.FunctionType):
          yield f"{value.__name__}.{name}", code
  elif hasattr(type(value), "_is_decorated"):
    yield getattr(value, "__name__", ""), getattr(value, "python", None)
  elif not isinstance(value, types.CellType):
    yield type(value).__name__, type(value)


def _of_function(function: types.FunctionType) -> Iterator[tuple[str, object]]:
  names = set(itertools.chain.from_iterable(code.co_names for code in _codes(function.__code__)))
  for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
    yield name, cell
  space = function.__globals__
  yield "global", _Globals(space, tuple(sorted(names)))
  for name in sorted(names):
    module = space.get(name)
    if isinstance(module, types.ModuleType) and not _is_foreign(module.__name__):
      yield name, _Globals(vars(module), tuple(sorted(names)))


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
  agenda = [code]
  while agenda:
    code = agenda.pop()
    yield code
    agenda += [const for const in code.co_consts if isinstance(const, types.CodeType)]


def _is_left_out(value: object) -> bool:
  """Tells whether an object belongs to a library, so that no program writes to it."""
  if isinstance(value, (tuple, list, dict, set, frozenset, collections.deque, np.ndarray)):
    return False
  if isinstance(value, (tf.Variable, types.CellType, _Globals, functools.partial)):
    return False
  if isinstance(value, (type, types.FunctionType)):
    return _is_foreign(getattr(value, "__module__", None) or "")
  if isinstance(value, types.MethodType):
    return False
  kind = type(value)
  if hasattr(kind, "_is_decorated") or issubclass(kind, _RECORDS):
    return False
  return _is_foreign(kind.__module__) and not _is_data(kind)


def _is_data(kind: type) -> bool:
  """Tells whether a library's class is one of plain objects, as trees are."""
  root = kind.__module__.partition(".")[0]
  is_looked_into = not _libraries.is_library(kind)
  return is_looked_into and root not in sys.stdlib_module_names and hasattr(kind, "__dict__")


@functools.cache
def _is_foreign(module: str) -> bool:
  """Tells whether a module is part of Python or of an installed library."""
  root = module.partition(".")[0]
  if root == "recursive_tf":
    return not module.startswith(("recursive_tf.models", "recursive_tf.datasets"))
  if root in _libraries.LIBRARIES or (root in sys.stdlib_module_names and root != "__main__"):
    return True
  file = getattr(sys.modules.get(root), "__file__", None) or ""
  return "site-packages" in file or "dist-packages" in file


@functools.cache
def _own_names(kind: type) -> frozenset[str]:
  """Returns the names of attributes that a library's base class keeps for itself."""
  if issubclass(kind, keras.Model):
    return frozenset(vars(keras.Model()))
  if issubclass(kind, keras.layers.Layer):
    return frozenset(vars(keras.layers.Layer()))
  if issubclass(kind, tf.Module):
    return frozenset(vars(tf.Module()))
  return frozenset()


def _has_value(variable: tf.Variable) -> bool:
  return variable.dtype not in (tf.resource, tf.variant)


def _is_same(a: Contents, b: Contents) -> bool:
  if a.keys() != b.keys() or list(a) != list(b):
    return False
  pairs = zip(a.items(), b.values(), strict=True)
  return all(x is y or _is_same_value(slot, x, y) for (slot, x), y in pairs)


def _is_same_value(slot: tuple[str, object], a: Any, b: Any) -> bool:
  if slot[0] != "value":
    return isinstance(a, (int, float, str)) and type(a) is type(b) and a == b
  if isinstance(a, np.ndarray):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
  if a is None or b is None or a.shape != b.shape:
    return a is b
  if bool(tf.reduce_all(tf.equal(a, b))):
    return True
  return a.dtype != tf.string and np.array_equal(a, b, equal_nan=True)


def _put_back(owner: object, before: Contents) -> None:
  def values(kind: str) -> dict[Any, object]:
    return {name: part for (slot, name), part in before.items() if slot == kind}

  if isinstance(owner, np.ndarray):
    owner[...] = before["value", None]
    return
  if isinstance(owner, tf.Variable):
    owner.assign(before["value", None])
    return
  if isinstance(owner, types.CellType):
    owner.cell_contents = before["cell", None]
    return
  if isinstance(owner, _Globals):
    known = values("item")
    for name in owner.names:
      if name in known:
        owner.namespace[name] = known[name]
      else:
        owner.namespace.pop(name, None)
    return
  if isinstance(owner, _SEQUENCES):
    owner.clear()
    owner.extend(values("item").values())
  elif isinstance(owner, dict):
    owner.clear()
    owner.update(values("item"))
  elif isinstance(owner, set):
    owner.clear()
    owner.update(values("member"))
  known = values("attr")
  now = {name: part for (slot, name), part in contents_of(owner).items() if slot == "attr"}
  is_in_order = [*now][: len(known)] == [*known]
  for name in now if not is_in_order else now.keys() - known.keys():
    delattr(owner, name)
  for name, part in known.items():
    if not is_in_order or now.get(name, _ABSENT) is not part:
      (type if isinstance(owner, type) else object).__setattr__(owner, name, part)


def _text(slot: tuple[str, object]) -> str:
  kind, name = slot
  if kind == "attr":
    return f".{name}"
  if kind in ("item", "member"):
    return f"[{name!r}]" if isinstance(name, (str, int, float)) else "[...]"
  return ""
