"""`isinstance`, `type`, `getattr` and the like: what programs ask of an object."""

from __future__ import annotations

import abc
import ast
import collections
import dataclasses
import functools
import types

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._access import is_of_all_objects
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._kinds import ARRAYS
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import (
  _arrays,
  _attributes,
  _entries,
  _items,
  _maps,
  _named_methods,
)
from recursive_tf.convert.values import _numbers
from recursive_tf.convert.values._abstract import (
  ABSTRACT,
  LocalDict,
  LocalList,
  LocalObject,
  LocalTable,
  Missing,
  Partial,
  Raises,
  Ref,
  shown,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import ByKey
from recursive_tf.convert.values._text import Text
from recursive_tf.convert.values._tuples import is_named_tuple, tuple_of


def is_instance(ip: Host, value: object, classes: object) -> object:
  if isinstance(classes, ByKey):
    return _entries.for_one(ip, classes, lambda one: is_instance(ip, value, one))
  return ip.kind_of(value).is_instance(_flat_classes(ip, classes))


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
    elif one is None:
      raise Raises  # A TypeError.
    elif isinstance(one, types.UnionType):
      flat += _flat_classes(ip, one.__args__)
    else:
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"isinstance of {shown(one)}.")
  return tuple(flat)


def is_subclass_of(ip: Host, kind: type, flat: tuple[type, ...]) -> bool:
  """Tells whether a class derives from one of some, and guards that."""
  if not is_of_all_objects(kind, "__class__"):
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
  return is_subclass_of(ip, kind, flat)


def _has_known_check(kind: type) -> bool:
  """Tells whether `isinstance` goes by classes alone, not by code of a metaclass."""
  return type(kind).__instancecheck__ in (type.__instancecheck__, abc.ABCMeta.__instancecheck__)


def get_attribute(ip: Host, owner: object, name: object, *default: object) -> object:
  if not isinstance(name, str):
    return _named_methods.get(ip, owner, name, *default)
  found = ip.frame.resolve(owner) if default and isinstance(owner, Ref) else owner
  if default and isinstance(found, Ref):

    def read(there: Ref) -> object:
      there = _attributes.by_itself(ip, there, name)
      if not _is_plain(ip, there, name):
        return ip.attribute(there, name)
      read_now = functools.partial(ip.attribute, there, name)
      return _items.read_or(ip, there, ("attr", name), read_now, lambda: default[0])

    return _attributes.unless_none(ip, found, lambda: getattr(None, name, default[0]), read)
  if default and isinstance(owner, LocalObject) and not has_attribute(ip, owner, name):
    return default[0]
  if default and not may_have(owner, name):
    return default[0]
  if default and not isinstance(owner, ABSTRACT) and not _attributes.has_static(ip, owner, name):
    return default[0]
  return ip.attribute(owner, name)


def kind_of_made(value: object) -> type | None:
  """Returns the class of a list, dict or string of the run; None of all else."""
  if isinstance(value, LocalList):
    return None if value.is_iterator else value.type
  if isinstance(value, LocalTable):
    return value.type
  return {LocalDict: dict, Text: str}.get(type(value))


def may_have(value: object, name: str) -> bool:
  """Tells whether a list, dict or string of the run may have an attribute; True of all else."""
  kind = kind_of_made(value)
  return kind is None or _attributes.in_class(kind, name)


def has_attribute(ip: Host, owner: object, name: object) -> object:
  frame = ip.frame
  if isinstance(owner, Ref) and isinstance(name, str):
    return _attributes.unless_none(
      ip, owner, lambda: hasattr(None, name), lambda there: _heap_has(ip, there, name)
    )
  if isinstance(owner, LocalObject) and isinstance(name, str):
    is_slot = isinstance(_attributes.by_class(owner.type, name), types.MemberDescriptorType)
    return name in owner.fields or (not is_slot and _class_has(ip, owner, owner.type, name))
  if isinstance(name, str) and not may_have(owner, name):
    return False
  if not isinstance(owner, ABSTRACT) and isinstance(name, str):
    if not _attributes.has_static(ip, owner, name):
      return False
    _class_has(ip, owner, type(owner), name)  # A property may raise.
    return True
  if not isinstance(name, str):
    return _named_methods.has(ip, owner, name)
  raise frame.refuse(Reason.OPAQUE_READ, f"hasattr() of {name!r}.")


def _heap_has(ip: Host, owner: Ref, name: str) -> object:
  frame, owner = ip.frame, _attributes.by_itself(ip, owner, name)
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
  return ip.kind_of(value).class_of()


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


_Generated = collections.namedtuple("_Generated", "")
_REPLACE = _Generated._replace.__code__
_MAKE = getattr(_Generated._make, "__func__", None)


def is_replacing(function: object) -> bool:
  """Tells whether a function is the `_replace` that classes of named tuples are given."""
  return getattr(function, "__code__", None) is _REPLACE


def fields_replaced(ip: Host, value: object, /, **changes: object) -> object:
  """Returns `value._replace(**changes)` of a named tuple: its elements, but for some."""
  frame = ip.frame
  kinds = {type(value)}
  if isinstance(value, Ref):
    kinds = set(frame.types_of(value) - {NoneType, Missing})
  kind = kinds.pop()
  fields = ip.conversion.guards.of_class(kind, "_fields")
  own = {name: ip.conversion.guards.of_class(kind, name) for name in ("__iter__", "__getitem__")}
  make = getattr(ip.conversion.guards.of_class(kind, "_make"), "__func__", None)
  is_plain = all(found is vars(tuple)[name] for name, found in own.items())
  is_plain &= getattr(make, "__code__", None) is getattr(_MAKE, "__code__", _MAKE)
  if kinds or not is_plain or not is_named_tuple(kind) or not isinstance(fields, tuple):
    text = "_replace of what may be of several classes, or has elements of its own."
    raise frame.refuse(Reason.OPAQUE_CALL, text)
  if not changes.keys() <= {*fields}:
    raise Raises  # A ValueError or a TypeError.
  return tuple_of(
    kind,
    [changes[name] if name in changes else ip.item(value, i) for i, name in enumerate(fields)],
  )


def is_tensor(ip: Host, value: object) -> object:
  return _arrays.is_tensor(ip, ip.frame.resolve(value))


_WITH_KEYWORDS = (
  "def partial(*args, **kwargs): return function(*given, *args, **{**keywords, **kwargs})"
)


def partial(ip: Host, function: object, /, *args: object, **kwargs: object) -> object:
  if ip.kind_of(function).is_callable() is False:
    raise Raises  # A TypeError.
  if kwargs:
    keywords = ip.frame.new(LocalDict(dict(kwargs)))
    names = {"function": function, "given": args, "keywords": keywords}
    return _maps.written(ip, _WITH_KEYWORDS, names)
  for arg in args:
    function = Partial(function, arg)
  return function


def show(ip: Host, /, *values: object, **kwargs: object) -> None:
  ip.conversion.effects.print(ip, values, kwargs)


def set_attribute(ip: Host, owner: object, name: object, value: object) -> None:
  if not isinstance(name, str):
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, "setattr() with a name of the run.")
  ip.write_attribute(owner, name, value)


def is_callable(ip: Host, value: object) -> object:
  return ip.kind_of(value).is_callable()


_WITHOUT_IDENTITY = (str, int, float, bool, complex, bytes, NoneType, types.MethodType, type)


def identity(ip: Host, value: object) -> object:
  """Does `id`, of objects of the heap, which stay where they are."""
  frame = ip.frame
  kinds = frame.types_of(value) - {Missing} if isinstance(value, Ref) else frozenset()
  if not kinds or any(issubclass(kind, (*_WITHOUT_IDENTITY, *ARRAYS)) for kind in kinds):
    raise frame.refuse(Reason.OPAQUE_CALL, "id() of what is not surely an object of the heap.")
  place = Ref(frame.base(value)).step("id")  # More than 32 bits.
  return Number(frame.wide(frame.number(place.step("float")).tensor), int)


def has_item(ip: Host, owner: object, key: object, error: object) -> object:
  """Tells whether reading an item raises no error of a class, of a dict, list or tuple of Python's.

  True of all else, and of other errors: then the read itself says what it does.
  """
  if not all(isinstance(one, type) for one in (error if isinstance(error, tuple) else [error])):
    return True
  assert isinstance(error, (type, tuple))  # As has been asked.
  owner = ip.frame.resolve(owner)
  classes = {*(ip.kind_of(owner).classes() or ())} - {Missing}
  if isinstance(owner, LocalTable) or type(owner) in (dict, list):
    classes = {owner.type if isinstance(owner, LocalTable) else type(owner)}
  if classes == {dict} and issubclass(KeyError, error):
    return ip.truth(ip.contains(owner, key))
  if classes and classes <= {list, tuple} and issubclass(IndexError, error):
    key = ip.frame.resolve(key)
    if _numbers.type_of(key) is not int:
      return True
    count = ip.call(len, [owner], {})
    is_before = ip.compare(ast.Lt, key, count)
    return ip.both(is_before, True, lambda: ip.compare(ast.GtE, ip.binary(ast.Add, key, count), 0))
  return True
