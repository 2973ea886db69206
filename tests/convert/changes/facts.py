"""What a program reads from around it, piece by piece, and how each piece may be changed.

Nothing here knows what a converter compares: whatever can be reached from a function is a piece,
by what Python's data model says of the object that holds it.
"""

import builtins
import collections
import dataclasses
import dis
import enum
import functools
import types
from collections.abc import Callable, Iterator

import numpy as np
import tensorflow as tf

from recursive_tf.convert.decorated._decorated import Decorated

_OF_TESTS = "fuzzed_"  # How the modules of programs are named.
_FIXED = frozenset(  # What only makes a class, and is not looked at later.
  (
    "__dict__ __weakref__ __module__ __doc__ __qualname__ __annotations__ __slots__ "
    "__firstlineno__ __static_attributes__ __match_args__ __dataclass_fields__ "
    "__dataclass_params__ __abstractmethods__ _abc_impl __orig_bases__ __parameters__ __new__ "
    "__class_getitem__ __init_subclass__ __replace__ _fields _field_defaults _member_names_ "
    "_member_map_ _value2member_map_ _member_type_ _unhashable_values_ _new_member_ _use_args_ "
    "_value_repr_ _hashable_values_ _unhashable_values_map_ _generate_next_value_ __reduce_ex__"
  ).split()
)


@dataclasses.dataclass(frozen=True)
class Fact:
  """One piece, and one change of it.

  Attributes:
    text: what and how, the same in each world.
    apply: changes it in its world.
    undo: takes the change back where it reaches beyond its world; else None.
  """

  text: str
  apply: Callable[[], object]
  undo: Callable[[], object] | None = None


def facts(roots: list[object]) -> list[Fact]:
  """Returns all changes of what can be reached from functions, arguments and other objects."""
  found: list[Fact] = []
  seen: dict[int, object] = {}
  agenda = collections.deque((f"root {i}", root) for i, root in enumerate(roots))
  while agenda:
    where, value = agenda.popleft()
    value = _plain(value)
    if id(value) in seen or len(seen) > 150:
      continue
    seen[id(value)] = value
    for item in _look(where, value):
      if isinstance(item, Fact):
        found.append(item)
      else:
        agenda.append(item)
  return found


def _plain(value):
  """Returns a decorated function's own function; anything else as it is."""
  return value.python if isinstance(value, Decorated) else value


def _look(where: str, value: object) -> Iterator[Fact | tuple[str, object]]:
  if isinstance(value, types.FunctionType):
    if _is_users(value):
      yield from _function(where, value)
  elif isinstance(value, types.MethodType):
    yield f"{where}.__func__", value.__func__
    yield f"{where}.__self__", value.__self__
  elif isinstance(value, functools.partial):
    yield f"{where}.func", value.func
    yield f"{where}.keywords", value.keywords
    state = (_changed(value.func), value.args, value.keywords, vars(value))
    yield Fact(f"{where} does more", functools.partial(value.__setstate__, state))
  elif isinstance(value, type):
    if _is_users(value):
      yield from _class(where, value)
  elif isinstance(value, tf.Variable):
    yield Fact(f"{where}: assigned", lambda: value.assign(_near(tf.convert_to_tensor(value))))
  elif isinstance(value, np.ndarray):
    if value.size and value.dtype.kind in "fi":
      yield Fact(f"{where}: first number", lambda: value.__setitem__(tuple([0] * value.ndim), 3))
  elif isinstance(value, dict):
    yield from _dict(where, value)
  elif isinstance(value, (list, collections.deque)):
    yield from _list(where, value)
  elif isinstance(value, set):
    yield Fact(f"{where}: with 'far'", lambda: value.add("far"))
    yield Fact(f"{where}: emptied", value.clear)
  elif isinstance(value, tuple):
    for i, part in enumerate(value):
      yield f"{where}[{i}]", part
  if _is_users(type(value)):
    yield from _object(where, value)
  elif isinstance(value, (tf.keras.layers.Layer, tf.keras.optimizers.Optimizer)):
    yield from _of_keras(where, value)


def _of_keras(where, value):
  """What a user may set on a layer or an optimizer: what is no variable and has a plain name."""
  names = [name for name in vars(value) if not name.startswith("_") and name != "name"]
  for name in [*names, *(n for n in ("trainable", "learning_rate") if hasattr(value, n))]:
    part = getattr(value, name)
    if part is None or isinstance(part, (bool, int, float, str, types.FunctionType)):
      for how, other in _others(part):
        yield Fact(f"{where}.{name} {how}", functools.partial(setattr, value, name, other))
    elif name == "learning_rate":
      yield Fact(f"{where}.{name} another", functools.partial(setattr, value, name, 0.7))
  for variable in value.variables:
    yield f"{where}.{variable.name}", variable.value


def _is_users(value) -> bool:
  return str(getattr(value, "__module__", "")).startswith((_OF_TESTS, "namedtuple_"))


def _function(where, function):
  for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
    try:
      value = cell.cell_contents
    except ValueError:
      continue
    yield f"{where}<{name}>", value
    for how, other in _others(value):
      yield Fact(f"{where}<{name}> {how}", functools.partial(setattr, cell, "cell_contents", other))
  space = function.__globals__
  codes = [function.__code__]
  for code in codes:
    codes += [const for const in code.co_consts if isinstance(const, types.CodeType)]
  names = {i.argval for c in codes for i in dis.get_instructions(c) if "GLOBAL" in i.opname}
  for name in sorted(names):
    value = space.get(name, getattr(builtins, name, None))
    for how, other in _others(value):
      # Builtins are hidden by a global of that name.
      yield Fact(f"{name} {how}", functools.partial(space.__setitem__, name, other))
    if isinstance(value, types.ModuleType):
      for attribute in sorted({n for c in codes for n in c.co_names}):
        known = vars(value).get(attribute)
        if isinstance(known, types.ModuleType) or known is None:
          continue
        for how, other in _others(known):
          yield Fact(
            f"{name}.{attribute} {how}",
            functools.partial(setattr, value, attribute, other),
            functools.partial(setattr, value, attribute, known),
          )
    elif name in space:
      yield name, value
  yield Fact(f"{where} has other code", functools.partial(_recode, function))
  for i, value in enumerate(function.__defaults__ or ()):
    yield f"{where} default {i}", value
    for how, other in _others(value):
      yield Fact(f"{where} default {i} {how}", functools.partial(_set_default, function, i, other))
  for name, value in (function.__kwdefaults__ or {}).items():
    for how, other in _others(value):
      yield Fact(
        f"{where} default {name} {how}",
        functools.partial(function.__kwdefaults__.__setitem__, name, other),
      )
  for name, value in vars(function).items():
    for how, other in _others(value):
      yield Fact(f"{where}.{name} {how}", functools.partial(setattr, function, name, other))


def _recode(function):
  """Gives a function the code of one that gives something else, if both fit."""
  if not function.__closure__:
    function.__code__ = (lambda *args, **kwargs: 7).__code__


def _set_default(function, i, value):
  defaults = list(function.__defaults__)
  defaults[i] = value
  function.__defaults__ = tuple(defaults)


# Methods a class may get later, and what they do then.
_LATER = {
  "__getattr__": lambda self, name: 7,
  "__getattribute__": lambda self, name: _added(object.__getattribute__(self, name)),
  "__setattr__": lambda self, name, value: object.__setattr__(self, name, _added(value)),
  "__delattr__": lambda self, name: None,
  "__bool__": lambda self: False,
  "__len__": lambda self: 0,
  "__eq__": lambda self, other: True,
  "__ne__": lambda self, other: True,
  "__lt__": lambda self, other: True,
  "__iter__": lambda self: iter(()),
  "__contains__": lambda self, item: True,
  "__getitem__": lambda self, key: 7,
  "__setitem__": lambda self, key, value: None,
  "__call__": lambda self, *args: 7,
  "__add__": lambda self, other: 7,
  "__radd__": lambda self, other: 7,
  "__iadd__": lambda self, other: 7,
  "__mul__": lambda self, other: 7,
  "__neg__": lambda self: 7,
  "__str__": lambda self: "later",
  "__format__": lambda self, spec: "later",
  "__hash__": lambda self: 7,
  "__index__": lambda self: 1,
  "__float__": lambda self: 7.0,
  "__enter__": lambda self: self,
  "__post_init__": lambda self: None,
  "__init__": lambda self, *args, **kwargs: None,
  "__del__": lambda self: None,
}


def _class(where, kind):
  for name, value in list(vars(kind).items()):
    if name == "__new__":
      yield f"{where}.__new__", getattr(value, "__func__", value)
    if name in _FIXED or isinstance(value, types.MemberDescriptorType):
      continue
    if isinstance(value, (staticmethod, classmethod)):
      yield f"{where}.{name}", value.__func__
      other = type(value)(_changed(value.__func__))
      yield Fact(f"{where}.{name} does more", functools.partial(setattr, kind, name, other))
    elif isinstance(value, property):
      if value.fget is not None:
        yield f"{where}.{name}.fget", value.fget
        other = property(_changed(value.fget), value.fset)
        yield Fact(f"{where}.{name} does more", functools.partial(setattr, kind, name, other))
    elif isinstance(kind, enum.EnumMeta):
      continue
    else:
      yield f"{where}.{name}", value
      for how, other in _others(value):
        yield Fact(f"{where}.{name} {how}", functools.partial(setattr, kind, name, other))
    yield Fact(f"{where}.{name} deleted", functools.partial(delattr, kind, name))
  if isinstance(kind, enum.EnumMeta):
    for member in kind:
      yield Fact(
        f"{where}.{member.name}._value_", functools.partial(setattr, member, "_value_", 77)
      )
    return
  for name, does in _LATER.items():
    if name not in vars(kind):
      yield Fact(f"{where} gets {name}", functools.partial(setattr, kind, name, does))
  for base in kind.__mro__[1:]:
    yield f"{where} base {base.__name__}", base
  meta = type(kind)
  if _is_users(meta):
    yield f"{where} metaclass", meta


def _object(where, value):
  kind = type(value)
  own = getattr(value, "__dict__", {})
  slots = [s for k in kind.__mro__ for s in _slots(k)]
  for name in [*own, *(s for s in slots if hasattr(value, s))]:
    if name.startswith("__"):
      continue
    part = own[name] if name in own else getattr(value, name)
    yield f"{where}.{name}", part
    for how, other in _others(part):
      yield Fact(f"{where}.{name} {how}", functools.partial(object.__setattr__, value, name, other))
    yield Fact(f"{where}.{name} deleted", functools.partial(object.__delattr__, value, name))
    if name in own and not isinstance(kind, enum.EnumMeta):
      hiding = property(lambda self: 7, lambda self, value: None)
      yield Fact(f"class of {where} hides {name}", functools.partial(setattr, kind, name, hiding))
      plain = functools.partial(setattr, kind, name, 7)
      yield Fact(f"class of {where} has {name}, too", plain)
  if own is not None and not isinstance(value, (enum.Enum, type)) and hasattr(value, "__dict__"):
    for name in dir(kind):
      known = getattr(kind, name, None)
      if not name.startswith("__") and isinstance(known, (types.FunctionType, int, str, float)):
        yield Fact(f"{where} hides {name}", functools.partial(own.__setitem__, name, _hidden))
    other = type(kind.__name__, (kind,), {"__module__": kind.__module__})
    yield Fact(
      f"{where} of a subclass", functools.partial(object.__setattr__, value, "__class__", other)
    )
  yield f"class of {where}", kind


def _hidden(*args, **kwargs):
  return 7


def _slots(kind):
  slots = vars(kind).get("__slots__", ())
  return (slots,) if isinstance(slots, str) else slots


def _dict(where, value):
  for key in list(value)[:3]:
    yield f"{where}[{key!r}]", value[key]
    for how, other in _others(value[key]):
      yield Fact(f"{where}[{key!r}] {how}", functools.partial(value.__setitem__, key, other))
    yield Fact(f"{where} without {key!r}", functools.partial(value.pop, key))
  yield Fact(f"{where} with 'far'", functools.partial(value.__setitem__, "far", 1))


def _list(where, value):
  for i, part in list(enumerate(value))[:3]:
    yield f"{where}[{i}]", part
    for how, other in _others(part):
      yield Fact(f"{where}[{i}] {how}", functools.partial(value.__setitem__, i, other))
  yield Fact(f"{where} longer", lambda: value.append(value[0] if value else 1))
  yield Fact(f"{where} shorter", lambda: value.pop() if value else None)
  yield Fact(f"{where} reversed", value.reverse)


def _others(value) -> Iterator[tuple[str, object]]:
  """Yields what may come in a value's place: how it differs, and the other value."""
  value = _plain(value)
  near = _near(value)
  if near is not None:
    yield "another", near
  if not isinstance(value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)):
    yield "None" if value is not None else "3", None if value is not None else 3
    if not isinstance(value, str):
      yield "a string", "far"


def _near(value):
  """Returns another value of the same kind, or None."""
  if isinstance(value, enum.Enum):
    members = list(type(value))
    return members[(members.index(value) + 1) % len(members)]
  if isinstance(value, bool):
    return not value
  if isinstance(value, (int, float, np.number)):
    return value + 1
  if isinstance(value, str):
    return value + "x"
  if isinstance(value, tf.Variable):
    return tf.Variable(_near(tf.convert_to_tensor(value)))
  if tf.is_tensor(value):
    return value + 1 if value.dtype.is_floating or value.dtype.is_integer else None
  if isinstance(value, np.ndarray):
    return value + 1 if value.dtype.kind in "fi" else None
  if type(value) is tuple:
    return (*value, value[0]) if value else (1,)
  if type(value) is list:
    return [*value, *value[:1]] or [1]
  if type(value) is dict:
    return {**value, "far": 1}
  if isinstance(value, type):
    return _another_class(value)
  if isinstance(value, types.FunctionType | types.BuiltinFunctionType | np.ufunc):
    return _changed(value)
  return None


def _another_class(kind):
  if issubclass(kind, (enum.Enum, BaseException, tf.Module)) or kind in (bool, type, type(None)):
    return None
  try:
    return type(kind.__name__, (kind,), {"__module__": kind.__module__})
  except TypeError:
    return None


def _changed(function):
  """Returns a function that gives something else than another one."""

  def changed(*args, **kwargs):
    return _added(function(*args, **kwargs))

  return changed


def _added(value):
  if isinstance(value, bool):
    return not value
  if isinstance(value, (int, float)) or tf.is_tensor(value) and value.dtype.is_floating:
    return value + 1
  if isinstance(value, str):
    return value + "x"
  if isinstance(value, list):
    return value[:-1]
  return value
