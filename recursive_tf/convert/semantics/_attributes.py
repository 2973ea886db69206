"""Attributes: of heap objects, of what the program makes, and of what is known at conversion."""

from __future__ import annotations

import collections
import functools
import inspect
import types
from collections.abc import Callable, Collection

import keras
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame import _enums
from recursive_tf.convert.frame._access import by_class as by_class
from recursive_tf.convert.frame._access import has_own_getattr as has_own_getattr
from recursive_tf.convert.frame._access import in_class as in_class
from recursive_tf.convert.frame._access import is_of_all_objects
from recursive_tf.convert.frame._host import ELEMENT, Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import _tables, _text_methods
from recursive_tf.convert.semantics._exactly import is_exactly
from recursive_tf.convert.semantics._native import lifted, watch
from recursive_tf.convert.values._abstract import (
  BoundMethod,
  Builtin,
  Held,
  LocalObject,
  Missing,
  Raises,
  Ref,
  Scope,
  has_more,
  is_named_tuple,
  is_static,
  named,
  tuple_of,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number

_TUPLE_FIELD = type(vars(collections.namedtuple("_Example", "field"))["field"])
_PURE_METHODS = frozenset(  # Of strings; they give a string, a number or a bool.
  """lower upper strip lstrip rstrip casefold title capitalize swapcase isdigit isalpha isupper
  islower isspace isalnum istitle isnumeric isdecimal isidentifier startswith endswith count find
  rfind index rindex replace removeprefix removesuffix zfill""".split()
)
NEEDS_VALUE = ("numpy", "eval", "__array__", "tolist", "item")
# What tensors of graphs have, or say otherwise than those of eager execution.
OF_GRAPHS = frozenset(
  """backing_device block_host_until_ready consumers device experimental_ref graph is_packed name op
  value_index""".split()
)


def read(ip: Host, owner: object, name: str) -> object:
  """Returns `owner.name`."""
  return ip.kind_of(owner).attribute(name)


def of_static(ip: Host, owner: object, name: str) -> object:
  """Returns an attribute of an object that is known at conversion, and guards it."""
  frame = ip.frame
  if isinstance(owner, tuple) and not isinstance(owner, tf.TensorShape):
    if name == "_replace" and is_named_tuple(type(owner)):
      return Builtin(name, functools.partial(_replaced, ip, owner))
    if type(owner) is not tuple:
      ip.conversion.guards.of_class(type(owner), name)
      if has_own_getattr(type(owner)):
        raise frame.refuse(Reason.OPAQUE_READ, f"A {named(owner)} has its own way to attributes.")
    found = inspect.getattr_static(type(owner), name, None)
    if _libraries.is_users(found):
      return BoundMethod(found, owner)
    if isinstance(found, property):
      return ip.call(found.fget, [owner], {})
    if has_more(owner):
      raise frame.refuse(Reason.OPAQUE_READ, f"A {named(owner)} with attributes of its own.")
    if not hasattr(owner, name):
      raise Raises
    return getattr(owner, name)
  if isinstance(owner, (types.ModuleType, type, tf.Tensor)) or _libraries.is_library(owner):
    state = ip.conversion.effects.read_variable(ip, owner, name)
    if state is not None:  # Of a class.
      return state.value
    if not hasattr(owner, name):
      raise frame.refuse(Reason.TENSORFLOW_ERROR, f"A {named(owner)} has no attribute {name!r}.")
    return _of_library(ip, owner, name)
  if name == "__dict__":
    text = f"The attributes of a {named(owner)} are read as a dict."
    raise frame.refuse(Reason.OPAQUE_READ, text)
  name = _behind_enum(ip, [type(owner)], name)
  found = by_class(ip.conversion.guards.type_of(owner), name)
  ip.conversion.guards.of_class(type(owner), name)
  if isinstance(found, property):
    return ip.call(found.fget, [owner], {})
  if isinstance(found, (types.FunctionType, classmethod)):
    ip.conversion.guards.own(owner, name)
  if isinstance(found, classmethod) and not _is_shadowed(owner, name):
    return BoundMethod(found.__func__, type(owner))
  if isinstance(found, functools.cached_property) and name not in vars(owner):
    raise frame.refuse(Reason.OPAQUE_READ, f"The cached property {name!r} is not filled yet.")
  if isinstance(found, types.FunctionType) and not _is_shadowed(owner, name):
    return BoundMethod(found, owner)
  if isinstance(found, types.MethodDescriptorType) and not _is_shadowed(owner, name):
    return getattr(owner, name)  # Of a builtin class: nothing can put another in its place.
  if isinstance(found, (types.MethodDescriptorType, types.WrapperDescriptorType)):
    return getattr(owner, name)
  state = ip.conversion.effects.read_static(ip, owner, name)
  if state is not None:
    return state.value
  _check_runs_nothing(ip, owner, name, found)
  if not hasattr(owner, name):
    raise Raises
  return ip.conversion.guards.attribute(owner, name)


def _replaced(ip: Host, owner: tuple[object, ...], /, **new: object) -> object:
  """Does what `_replace` of a named tuple does, by the `_make` of its class."""
  names: tuple[str, ...] = getattr(owner, "_fields", ())
  if by_class(type(owner), "__len__") is not tuple.__len__:  # Python asks what it has made.
    raise ip.frame.refuse(Reason.OPAQUE_READ, f"{type(owner).__name__} has its own __len__.")
  if not new.keys() <= {*names}:
    raise Raises
  return tuple_of(type(owner), [new.get(n, v) for n, v in zip(names, owner, strict=True)])


def _of_library(ip: Host, owner: object, name: str) -> object:
  """Returns and guards an attribute of a module, a class, a tensor or an object of a library."""
  guards = ip.conversion.guards
  value = getattr(owner, name)
  if isinstance(owner, tf.Tensor):
    return value
  if isinstance(owner, type) and isinstance(value, types.MethodType):
    guards.of_class(owner, name)
    return value
  if isinstance(owner, (types.ModuleType, type)):
    # Modules that load parts of themselves when they are asked for have these not as attributes.
    is_plain = not _libraries.is_library(owner) or name in vars(owner)
    return guards.attribute(owner, name) if is_plain else value
  if any(isinstance(owner, kind) and hasattr(kind, name) for kind in (list, dict, set)):
    return value  # Methods of containers; what these read and change is seen to when called.
  watch(ip, owner)
  if name in getattr(owner, "__dict__", {}):
    return guards.attribute(owner, name)
  if isinstance(owner, keras.layers.Layer) and name == "losses":
    _check_no_losses(ip, owner)
  is_new = type(value) in (list, dict) and getattr(owner, name) is not value
  return lifted(ip, value) if is_new else value


def _check_no_losses(ip: Host, layer: keras.layers.Layer) -> None:
  """Refuses to read losses that calls have left in layers, and guards that there are none."""
  for part in layer._flatten_layers():
    for left in (part._losses, part._losses_override):
      if ip.conversion.guards.length(left):
        raise ip.frame.refuse(Reason.OPAQUE_READ, f"Calls have left losses in layer {part.name!r}.")


def _is_shadowed(owner: object, name: str) -> bool:
  return name in getattr(owner, "__dict__", {})


def is_plain_read(value: object, name: str) -> bool:
  """Tells whether reading an attribute of a known object runs no code of the user's."""
  kind = type(value)
  has_code = isinstance(by_class(kind, name), (property, functools.cached_property))
  return is_static(value) and not has_code and not has_own_getattr(kind)


# --- Heap objects


def _lacks(ip: Host, kinds: frozenset[type], kind: type, name: str) -> bool:
  """Tells whether objects of a class have no attribute of a name, as far as is known.

  Strings and lists are beside others in trees: their methods are none that these have.
  """
  if kind in _PLAIN:
    return not in_class(kind, name)
  is_method = any(one in _PLAIN and in_class(one, name) for one in kinds)
  if not (is_method or str in kinds) or in_class(kind, name) or has_own_getattr(kind):
    return False
  return ip.frame.profile.facts([kind], (("attr", name),)).types == {Missing}


_PLAIN = frozenset([str, int, float, bool, list, tuple, dict, set, frozenset])


def of_ref(ip: Host, ref: Ref, name: str) -> object:
  """Returns an attribute of an object of the heap."""
  frame, ref = ip.frame, by_itself(ip, ref, name)
  kinds = frame.types_of(ref) - {NoneType, Missing}
  value = frame.concrete(ref)
  if not isinstance(value, Ref):
    return read(ip, value, name)
  having = frozenset(kind for kind in kinds if not _lacks(ip, kinds, kind, name))
  if not having:
    raise Raises  # None has no such attribute.
  if having != kinds:  # The others have none, in which Python fails.
    frame.demand(is_exactly(ip, ref, having).tensor)
    frame.narrow([(ref, having | (frame.types_of(ref) & {NoneType, Missing}))])
    return of_ref(ip, ref, name)
  if name == "__class__" and all(is_of_all_objects(k, name) for k in kinds):
    demand_there(ip, ref)
    return ip.kind_of(ref).class_of()
  if kinds == {str}:
    return _string_method(ip, ref, name)
  effects = ip.conversion.effects
  name = _behind_enum(ip, kinds, name)
  groups: dict[object, list[type]] = {}
  for kind in sorted(kinds, key=lambda t: t.__qualname__):
    found = _resolution(ip, kind, name)
    key = (found, kind) if isinstance(found, classmethod) else found  # It is given its class.
    groups.setdefault(key, []).append(kind)
  if list(groups) == ["plain"]:
    state = effects.read_heap(ip, ref, name)
    return frame.resolve(ref.step("attr", name)) if state is None else state.value
  if len(groups) == 1:
    demand_object(ip, ref)
    return _bound(ip, ref, name, _resolution(ip, next(iter(groups.values()))[0], name))
  if all(isinstance(found, (types.FunctionType, staticmethod, tuple)) for found in groups):
    return Builtin(
      name,
      lambda *args, **kwargs: by_type(
        ip,
        ref,
        list(groups.values()),
        lambda narrowed, _: ip.call(read(ip, narrowed, name), list(args), kwargs),
      ),
      tuple(groups),
    )
  return by_type(ip, ref, list(groups.values()), lambda narrowed, group: read(ip, narrowed, name))


def by_itself(ip: Host, ref: Ref, name: str) -> Ref:
  """Returns an object as one whose attribute is read as its own, where code may give it to others.

  By a path the walk reads an attribute of all that lies there, of whatever class.
  """
  if ref.path and any(_runs_code(kind, name) for kind in ip.frame.types_at(ref)):
    return ip.frame.unchecked(ref)
  return ref


def _runs_code(kind: type, name: str) -> bool:
  """Tells whether code of the user's may give an attribute to objects of a class."""
  if _libraries.is_library(kind):
    return False
  found = by_class(kind, name)
  getter = inspect.getattr_static(type(found), "__get__", None)
  is_code = isinstance(found, (property, functools.cached_property)) or _libraries.is_users(getter)
  return is_code or has_own_getattr(kind)


def _behind_enum(ip: Host, kinds: Collection[type], name: str) -> str:
  """Returns the attribute that `name` and `value` of members of enumerations read."""
  if name not in _enums.FIELDS:
    return name
  fields = {_enums.field(kind, name, by_class(kind, name)) for kind in kinds}
  if len(fields) > 1 or None in fields:
    return name
  for kind in kinds:
    ip.conversion.guards.of_class(kind, name)
  return _enums.FIELDS[name]


def has_static(ip: Host, owner: object, name: str) -> bool:
  """Tells whether a known object has an attribute, running no code of the user's, and guards it."""
  found = by_class(type(owner), name)
  if isinstance(found, property):
    return True
  _check_runs_nothing(ip, owner, name, found)
  if hasattr(owner, name):
    ip.conversion.guards.has(owner, name)
    return True
  ip.conversion.guards.lacks(owner, name)
  return False


def _check_runs_nothing(ip: Host, owner: object, name: str, found: object) -> None:
  """Refuses to read what code of the user's gives that is neither a property nor a method."""
  kind = type(owner)
  if has_own_getattr(kind):
    raise ip.frame.refuse(
      Reason.OPAQUE_READ, f"{kind.__name__} has its own __getattr__ for {name!r}."
    )
  getter = inspect.getattr_static(type(found), "__get__", None)
  if _libraries.is_users(getter):
    if not isinstance(found, functools.cached_property):
      text = f"{kind.__name__}.{name} is a {type(found).__name__}, which has its own __get__."
      raise ip.frame.refuse(Reason.OPAQUE_READ, text)


def _resolution(ip: Host, kind: type, name: str) -> object:
  """Returns what an attribute is by the class: a property, a function, or plain data."""
  if has_own_getattr(kind):
    raise ip.frame.refuse(Reason.OPAQUE_READ, f"{kind.__name__} has its own __getattr__.")
  found = by_class(kind, name)
  if not _libraries.is_library(kind):
    ip.conversion.guards.of_class(kind, name)
  if isinstance(found, (property, types.FunctionType, staticmethod, classmethod)):
    return found
  if isinstance(found, functools.cached_property):
    raise ip.frame.refuse(
      Reason.OPAQUE_READ, f"{kind.__name__}.{name} is a cached property: reading writes it."
    )
  if isinstance(found, (types.MethodDescriptorType, types.WrapperDescriptorType)):
    return found
  if hasattr(type(found), "__get__") and not isinstance(
    found, (types.MemberDescriptorType, types.GetSetDescriptorType, _TUPLE_FIELD)
  ):
    raise ip.frame.refuse(
      Reason.OPAQUE_READ, f"{kind.__name__}.{name} is a {type(found).__name__}."
    )
  return "plain"


def is_plain(ip: Host, kind: type, name: str) -> bool:
  """Tells whether objects of a type have the attribute as data, if they have it."""
  return _resolution(ip, kind, name) == "plain"


def _check_not_hidden(ip: Host, ref: Ref, name: str) -> None:
  """Relies on that objects have no attributes of their own that hide a method of the class."""
  frame = ip.frame
  for kind in frame.types_of(ref) - {NoneType, Missing}:
    if kind.__dictoffset__ == 0:
      continue  # Its objects have the attributes that the class names, no others.
    found = inspect.getattr_static(kind, name)
    facts = frame.profile.facts([kind], (("method", name, Held(found)),))
    if Missing in facts.types:
      raise frame.refuse(Reason.OPAQUE_READ, f"An object hides {kind.__name__}.{name}.")


def _bound(ip: Host, ref: Ref, name: str, found: object) -> object:
  if isinstance(found, property):
    return ip.call(found.fget, [ref], {})
  _check_not_hidden(ip, ref, name)
  if isinstance(found, staticmethod):
    return found.__func__
  if isinstance(found, types.FunctionType):
    return BoundMethod(found, ref)
  if isinstance(found, (types.MethodDescriptorType, types.WrapperDescriptorType)):
    return _method_of_builtin(ip, ref, name)
  if isinstance(found, classmethod):
    kinds = list(ip.frame.types_of(ref) - {NoneType, Missing})
    if len(kinds) == 1:
      return BoundMethod(found.__func__, kinds[0])
  raise ip.frame.refuse(Reason.OPAQUE_READ, f"{name} is a {type(found).__name__}.")


def by_type(
  ip: Host, ref: Ref, groups: list[list[type]], then: Callable[[Ref, list[type]], object]
) -> object:
  """Does `then` for the group of types that the object belongs to when the program runs."""
  frame = ip.frame
  if not any(NoneType in group for group in groups):
    demand_object(ip, ref)
  group, *others = groups
  narrowed = frozenset(group)

  def first() -> object:
    frame.narrow([(ref, narrowed)])
    return then(ref, group)

  if not others:
    return first()

  def rest() -> object:
    frame.narrow([(ref, frame.types_of(ref) - narrowed)])
    return by_type(ip, ref, others, then)

  return frame.cond(is_exactly(ip, ref, narrowed), first, rest)


def unless_none(
  ip: Host, ref: Ref, of_none: Callable[[], object], then: Callable[[Ref], object]
) -> object:
  """Does `then` for an object, `of_none` where it is None."""
  frame = ip.frame
  kinds = frame.types_of(ref)
  if NoneType not in kinds:
    return then(ref)
  if kinds == {NoneType}:
    return of_none()

  def there() -> object:
    frame.narrow([(ref, kinds - {NoneType})])
    return then(ref)

  return frame.cond(frame.is_none(ref), of_none, there)


def demand_object(ip: Host, ref: Ref) -> None:
  """Lets the run fail where a read gives None, or nothing: no method is called of that."""
  frame = ip.frame
  kinds = frame.types_of(ref)
  if Missing in kinds:
    demand_there(ip, ref)
  if NoneType in kinds:
    is_none = frame.is_none(ref)
    frame.demand(tf.logical_not(is_none.tensor if isinstance(is_none, Number) else is_none))
  if kinds & {Missing, NoneType}:
    frame.narrow([(ref, kinds - {Missing, NoneType})])


def demand_there(ip: Host, ref: Ref) -> None:
  """Lets the run fail where a read gives nothing.

  Raises:
    Raises: If it never gives anything.
  """
  is_there = ip.frame.is_there(ref)
  if isinstance(is_there, Number):
    ip.frame.demand(is_there.tensor)
  elif not is_there:
    raise Raises


def is_one_of(ip: Host, ref: Ref, inside: frozenset[type]) -> Number:
  """Tells whether the class of an object is one of some; it is of none other than those known."""
  frame = ip.frame
  kinds = frame.types_of(ref) - {Missing}
  inside &= kinds
  if len(inside) in (0, len(kinds)):
    demand_there(ip, ref)
    return Number(tf.constant(bool(inside)), bool)
  if NoneType in kinds:
    is_none = frame.is_none(ref)
    assert isinstance(is_none, Number)  # There are other kinds.
    if inside == {NoneType}:
      return is_none

    def among_others() -> Number:
      frame.narrow([(ref, kinds - {NoneType})])
      return is_one_of(ip, ref, inside - {NoneType})

    if NoneType in inside:
      return ip.both(is_none, False, among_others)
    return ip.both(ip.negated(is_none), True, among_others)
  found = is_exactly(ip, ref, inside)
  return frame.note(found, [(ref, inside)], [(ref, frame.types_of(ref) - inside)])


def _string_method(ip: Host, ref: Ref, name: str) -> object:

  def call(*args: object, **kwargs: object) -> object:
    if kwargs or name not in _PURE_METHODS or not all(type(arg) in (str, int) for arg in args):
      return _text_methods.call(ip, ref, name, args, kwargs)
    return ip.frame.resolve(ref.step("call", name, *map(Held, args)))

  return Builtin(f"str.{name}", call)


def _method_of_builtin(ip: Host, ref: Ref, name: str) -> object:
  if name in _tables.READING_SETS and _tables.kind_on_heap(ip, ref) is not None:
    return Builtin(name, lambda *args: _tables.method_of_heap(ip, ref, name, args))
  is_copy = name == "copy" and ip.frame.types_of(ref) - {Missing} <= {dict}
  if is_copy or name in ("__getitem__", "get", "keys", "values", "items", "index", "count"):
    return Builtin(name, lambda *args: ip.method_of_heap(ref, name, args), owner=ref)
  if name == "__len__":
    return Builtin(name, lambda: ip.kind_of(ref).length())
  effects = ip.conversion.effects
  return Builtin(name, lambda *args, **kwargs: effects.call_method(ip, ref, name, args, kwargs))


# --- What the program makes


def of_object(ip: Host, owner: LocalObject, name: str) -> object:
  """Returns an attribute of an object that the program makes."""
  ip.conversion.guards.methods(owner.type)
  if name == "__class__":
    return owner.type
  if name in owner.fields:
    return owner.fields[name]
  found = by_class(owner.type, name)
  held = ip.conversion.guards.of_class(owner.type, name)
  if isinstance(found, property):
    return ip.call(found.fget, [owner], {})
  if isinstance(found, types.FunctionType):
    return BoundMethod(found, owner)
  if isinstance(found, staticmethod):
    return found.__func__
  if isinstance(found, classmethod):
    return BoundMethod(found.__func__, owner.type)
  if found is None:
    raise Raises
  if hasattr(type(found), "__get__") and not isinstance(found, type):
    raise ip.frame.refuse(Reason.OPAQUE_READ, f"{owner.type.__name__}.{name} is a descriptor.")
  return held


def super_of(ip: Host, scope: Scope) -> object:
  """Returns what `super()` gives in a method."""
  cell = scope.source.cells.get("__class__")
  first = next(iter(scope.source.signature.parameters), None)
  while ELEMENT in scope.names and scope.outer is not None:
    scope = scope.outer  # What is a loop or a block in Python is no function of its own.
  if cell is None or first not in scope.names:
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "super() outside of a method.")
  return Super(cell.cell_contents, scope.names[first], ip)


class Super:
  """`super()`: reads attributes of the classes after one."""

  def __init__(self, after: type, owner: object, ip: Host):
    self._after = after
    self._owner = owner
    self._ip = ip

  def read(self, name: str) -> object:
    """Returns the method of the next class that has it."""
    type_ = self._class_of_known()
    if isinstance(self._owner, Ref):
      kinds = self._ip.frame.types_of(self._owner) - {NoneType, Missing}
      if len(kinds) != 1:
        raise self._ip.frame.refuse(
          Reason.UNSUPPORTED_OPERATION, f"super().{name} of objects of several types."
        )
      (type_,) = kinds
    self._ip.conversion.guards.methods(type_)
    order = type_.__mro__
    for base in order[order.index(self._after) + 1 :]:
      if name in vars(base):
        found = by_class(base, name)
        if isinstance(found, types.FunctionType) and type_ is not self._owner:
          return BoundMethod(found, self._owner)
        if isinstance(found, classmethod):
          return BoundMethod(found.__func__, type_)
        if isinstance(found, staticmethod):
          return found.__func__
        break
    raise self._ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"super().{name}.")

  def _class_of_known(self) -> type:
    """Returns the class whose bases are asked: in a class method it is the owner itself."""
    if isinstance(self._owner, LocalObject):
      return self._owner.type
    if isinstance(self._owner, type) and self._after in self._owner.__mro__:
      return self._owner
    return type(self._owner)


# --- Writes


def write(ip: Host, owner: object, name: str, value: object) -> None:
  """Does `owner.name = value`."""
  if isinstance(owner, LocalObject):
    found = inspect.getattr_static(owner.type, name, None)
    if isinstance(found, property) or getattr(
      getattr(owner.type, "__dataclass_params__", None), "frozen", False
    ):
      raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f"{owner.type.__name__}.{name} is not plain.")
    has_place = owner.type.__dictoffset__ or isinstance(found, types.MemberDescriptorType)
    if not has_place:
      raise Raises  # An AttributeError: its class has `__slots__`.
    owner.fields = {**owner.fields, name: value}
    return
  ip.conversion.effects.write_attribute(ip, owner, name, value)
