"""`isinstance`, `type`, `getattr` and the like: what programs ask of an object."""

from __future__ import annotations

import abc
import dataclasses
import types
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import _arrays, _attributes, _entries, _items
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  ABSTRACT,
  Array,
  BoundMethod,
  Builtin,
  Closure,
  IntOrFloat,
  LocalDict,
  LocalList,
  LocalObject,
  Made,
  Maybe,
  Missing,
  Raises,
  Ref,
  Rows,
  Weak,
  shown,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import ByKey, ByType
from recursive_tf.convert.values._text import Text


def is_instance(ip: Host, value: Any, classes: object) -> object:
  frame = ip.frame
  flat = _flat_classes(ip, classes)
  if isinstance(value, Ref):
    kinds = frame.types_of(value) - {Missing}
    inside = frozenset(kind for kind in kinds if _is_subclass(ip, kind, flat))
    if len(inside) in (0, len(kinds)):
      _attributes.demand_there(ip, value)
      return bool(inside)
    found = frame.number(value.step("isinstance", tuple(sorted(inside, key=repr))))
    return frame.note(found, [(value, inside)], [(value, frame.types_of(value) - inside)])
  kinds_of: dict[type, Callable[[], type]] = {
    Number: lambda: value.type,
    LocalList: lambda: value.type,
    LocalDict: lambda: dict,
    LocalObject: lambda: value.type,
    Text: lambda: str,
  }
  if isinstance(value, Rows) and value.type is not None:
    return _is_subclass(ip, value.type, flat)
  for abstract, kind in kinds_of.items():
    if isinstance(value, abstract):
      return _is_subclass(ip, kind(), flat)
  if isinstance(value, Array):
    return _arrays.is_instance(ip, value, flat)
  if isinstance(value, IntOrFloat):
    is_int, is_float = (_is_subclass(ip, kind, flat) for kind in (int, float))
    if is_int is is_float:
      return is_int
    return Number(value.is_int if is_int else tf.logical_not(value.is_int), bool)
  if isinstance(value, Weak):
    value = frame.strong(value)
  if isinstance(value, Maybe):
    is_value = is_instance(ip, value.value, classes)
    if is_value is issubclass(NoneType, flat):
      return is_value
    return frame.cond(
      Number(value.is_there, bool), lambda: is_value, lambda: issubclass(NoneType, flat)
    )
  if isinstance(value, ByKey):
    return _entries.for_each(ip, value, lambda one: is_instance(ip, one, classes))
  if isinstance(value, Made):
    raise frame.refuse(Reason.MADE_OBJECT, f"isinstance: {value.description}.")
  if isinstance(value, ABSTRACT) and not isinstance(value, tf.Tensor):
    raise frame.refuse(Reason.UNSUPPORTED_OPERATION, "isinstance of what only the run knows.")
  _is_subclass(ip, type(value), flat)  # Guards it.
  return isinstance(value, flat)


def _flat_classes(ip: Host, classes: object) -> tuple[type, ...]:
  found = classes if isinstance(classes, tuple) else (classes,)
  flat: list[type] = []
  for one in found:
    if isinstance(one, tuple):
      flat += _flat_classes(ip, one)
    elif isinstance(one, type):
      if not _has_known_check(one):
        raise ip.frame.refuse(
          Reason.OPAQUE_CALL, f"isinstance asks {type(one).__name__}, the class of {one.__name__}."
        )
      flat.append(one)
    elif isinstance(one, types.UnionType):
      flat += _flat_classes(ip, one.__args__)
    else:
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"isinstance of {shown(one)}.")
  return tuple(flat)


def _is_subclass(ip: Host, kind: type, flat: tuple[type, ...]) -> bool:
  if _attributes.by_class(kind, "__class__") is not vars(object)["__class__"]:
    raise ip.frame.refuse(
      Reason.OPAQUE_READ, f"{kind.__name__} has its own __class__, which isinstance asks."
    )
  found = [ip.conversion.guards.is_subclass(kind, one) for one in flat]  # Guards all of them.
  return any(found)


def is_subclass(ip: Host, kind: object, classes: object) -> bool:
  flat = _flat_classes(ip, classes)
  checks = (type.__subclasscheck__, abc.ABCMeta.__subclasscheck__)
  if not isinstance(kind, type) or any(type(c).__subclasscheck__ not in checks for c in flat):
    raise ip.frame.refuse(Reason.OPAQUE_CALL, f"issubclass of {shown(kind)}.")
  return _is_subclass(ip, kind, flat)


def _has_known_check(kind: type) -> bool:
  """Tells whether `isinstance` goes by classes alone, not by code of a metaclass."""
  return type(kind).__instancecheck__ in (type.__instancecheck__, abc.ABCMeta.__instancecheck__)


def get_attribute(ip: Host, owner: object, name: object, *default: object) -> object:
  if not isinstance(name, str):
    raise ip.frame.refuse(Reason.OPAQUE_READ, "getattr() with a name that only the run knows.")
  found = ip.frame.resolve(owner) if default and isinstance(owner, Ref) else owner
  if default and isinstance(found, Ref):

    def read(there: Ref) -> Any:
      if not _is_plain(ip, there, name):
        return ip.attribute(there, name)
      is_there = ip.conversion.effects.is_there(ip, there, ("attr", name))
      if is_there is not None:
        return ip.frame.cond(is_there, lambda: ip.attribute(there, name), lambda: default[0])
      return _items.read_or(ip, there.step("attr", name), lambda: default[0])

    return _attributes.unless_none(ip, found, lambda: getattr(None, name, default[0]), read)
  if default and isinstance(owner, LocalObject) and not has_attribute(ip, owner, name):
    return default[0]
  if default and not isinstance(owner, ABSTRACT) and not _attributes.has_static(ip, owner, name):
    return default[0]
  return ip.attribute(owner, name)


def has_attribute(ip: Host, owner: Any, name: Any) -> object:
  frame = ip.frame
  if isinstance(owner, Ref) and isinstance(name, str):
    return _attributes.unless_none(
      ip, owner, lambda: hasattr(None, name), lambda there: _heap_has(ip, there, name)
    )
  if isinstance(owner, LocalObject):
    return name in owner.fields or _class_has(ip, owner, owner.type, name)
  if not isinstance(owner, ABSTRACT) and isinstance(name, str):
    if not _attributes.has_static(ip, owner, name):
      return False
    _class_has(ip, owner, type(owner), name)  # A property may raise.
    return True
  raise frame.refuse(Reason.OPAQUE_READ, f"hasattr() of {name!r}.")


def _heap_has(ip: Host, owner: Ref, name: str) -> object:
  frame = ip.frame
  kinds = frame.types_of(owner) - {Missing}
  for kind in kinds:
    if not _libraries.is_library(kind):
      ip.conversion.guards.of_class(kind, name)
  if all(_attributes.in_class(kind, name) and not _is_data(kind, name) for kind in kinds):
    if not any(isinstance(_attributes.by_class(kind, name), property) for kind in kinds):
      return True
    groups = [[kind] for kind in sorted(kinds, key=repr)]
    return _attributes.by_type(ip, owner, groups, lambda o, g: _class_has(ip, o, g[0], name))
  if _is_plain(ip, owner, name):
    there = ip.conversion.effects.is_there(ip, owner, ("attr", name))
    return frame.is_there(owner.step("attr", name)) if there is None else there
  raise frame.refuse(Reason.OPAQUE_READ, f"hasattr() of {name!r}.")


def _class_has(ip: Host, owner: object, kind: type, name: str) -> bool:
  """Tells whether a class has an attribute; a property is asked, which may raise."""
  if not _libraries.is_library(kind):
    ip.conversion.guards.of_class(kind, name)
  if isinstance(_attributes.by_class(kind, name), property):
    ip.attribute(owner, name)
    return True
  return _attributes.in_class(kind, name)


def _is_data(kind: type, name: str) -> bool:
  found = _attributes.by_class(kind, name)
  return isinstance(found, (types.MemberDescriptorType, types.GetSetDescriptorType))


def _is_plain(ip: Host, ref: Ref, name: str) -> bool:
  kinds = ip.frame.types_of(ref) - {NoneType, Missing}
  return all(_attributes.is_plain(ip, kind, name) for kind in kinds)


def type_of(ip: Host, value: object) -> object:
  if isinstance(value, Ref):
    kinds = ip.frame.types_of(value) - {Missing}
    if len(kinds) == 1:
      return next(iter(kinds))
    return ByType(value, {kind: kind for kind in sorted(kinds, key=repr)})
  if isinstance(value, (Number, LocalObject)):
    return value.type
  if isinstance(value, Rows) and value.type is not None:
    return value.type
  if isinstance(value, (LocalList, LocalDict)):
    return value.type if isinstance(value, LocalList) else dict
  if isinstance(value, Array) and len(value.types) == 1:
    return next(iter(value.types))
  if isinstance(value, tf.Tensor):
    return _forms.EAGER_TENSOR
  if isinstance(value, ABSTRACT) and not isinstance(value, Text):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "type() of what only the run knows.")
  return str if isinstance(value, Text) else ip.conversion.guards.type_of(value)


def replaced(ip: Host, value: object, /, **changes: object) -> object:
  """Returns `dataclasses.replace(value, **changes)`: a new object, made by its class."""
  kind = type_of(ip, value)
  if not isinstance(kind, type) or not dataclasses.is_dataclass(kind):
    raise ip.frame.refuse(Reason.OPAQUE_CALL, "dataclasses.replace of what is no dataclass.")
  fields = dataclasses.fields(kind)
  if len(fields) != len(kind.__dataclass_fields__):
    raise ip.frame.refuse(Reason.OPAQUE_CALL, "dataclasses.replace where there are InitVars.")
  names = {field.name for field in fields if field.init}
  if not changes.keys() <= names:
    raise Raises
  for field in fields:
    if field.init and field.name not in changes:
      changes[field.name] = ip.attribute(value, field.name)
  return ip.call(kind, [], changes)


def is_tensor(ip: Host, value: object) -> object:
  return _arrays.is_tensor(ip, ip.frame.resolve(value))


def partial(ip: Host, function: object, /, *args: object, **kwargs: object) -> Any:
  if kwargs:
    raise ip.frame.refuse(Reason.OPAQUE_CALL, "functools.partial with keywords, in the run.")
  for arg in args:
    function = BoundMethod(function, arg)
  return function


def show(ip: Host, /, *values: object, **kwargs: object) -> Any:
  ip.conversion.effects.print(ip, values, kwargs)


def set_attribute(ip: Host, owner: object, name: object, value: object) -> Any:
  if not isinstance(name, str):
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, "setattr() with a name of the run.")
  ip.write_attribute(owner, name, value)


def is_callable(ip: Host, value: object) -> object:
  if isinstance(value, Ref):
    kinds = ip.frame.types_of(value) - {Missing}
    found = {_attributes.by_class(kind, "__call__") is not None for kind in kinds}
    if len(found) != 1:
      raise ip.frame.refuse(
        Reason.UNSUPPORTED_OPERATION, "callable() of objects of several classes."
      )
    return found.pop()
  if isinstance(value, LocalObject):
    return _attributes.by_class(value.type, "__call__") is not None
  if isinstance(value, ByKey):
    return _entries.for_each(ip, value, lambda one: is_callable(ip, one))
  if isinstance(value, (ByType, Made, Maybe)):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "callable() of what only the run knows.")
  return callable(value) or isinstance(value, (BoundMethod, Builtin, Closure))
