"""What of a class runs when attributes of its objects are read, written or dropped: one table."""

from __future__ import annotations

import dis
import gc
import inspect
import types
from typing import Final

from recursive_tf.convert.heap import _libraries

# The methods that see to all attributes, by what is done.
_READ = ("__getattribute__", "__getattr__")
_WRITE = ("__setattr__",)
_ALL = (*_WRITE, "__delattr__", *_READ, "__del__")
# What sees to one attribute, and runs no code of the user's that is not looked into.
_PLAIN_DESCRIPTORS = (property, types.MemberDescriptorType, types.GetSetDescriptorType)
_IN_C = (types.WrapperDescriptorType, types.MethodDescriptorType)


class _Opaque:
  """The type of `OPAQUE`."""

  def __repr__(self) -> str:
    return "None in the place of a method"


OPAQUE: Final = _Opaque()


def by_class(kind: type, name: str) -> object:
  """Returns what objects of a class find in it, a decorated recursive function as the plain one.

  What the class itself finds in its metaclass is not theirs.
  """
  found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
  return getattr(found, "python", found) if getattr(type(found), "_is_decorated", False) else found


def is_of_all_objects(kind: type, name: str) -> bool:
  """Tells whether what a class has under a name is what all objects have."""
  return by_class(kind, name) is vars(object)[name]


def in_class(kind: type, name: str) -> bool:
  """Tells whether objects of a class find something in it."""
  return any(name in vars(base) for base in kind.__mro__)


def has_own_getattr(kind: type) -> bool:
  """Tells whether reading an attribute runs code of the user's."""
  return not _libraries.is_library(kind) and has_users(kind, _READ)


def space_of(owner: object) -> object:
  """Returns what an owner's attributes are kept in, which may have other owners, too.

  A module's are the global variables of its functions, and two objects may have one `__dict__`.
  """
  if isinstance(owner, type) or not type(owner).__dictoffset__:
    return owner
  # An object makes its dict when it is asked for it: one that holds no dict has none in common.
  if isinstance(owner, types.ModuleType) or any(
    isinstance(r, dict) for r in gc.get_referents(owner)
  ):
    space = getattr(owner, "__dict__", None)
    return space if isinstance(space, dict) else owner
  return owner


def keeps_own_space(kind: type) -> bool:
  """Tells whether code of a class says what its objects keep attributes in (`self.__dict__ = ...`).

  That may be the object itself, a dict, or what it has in common with others.
  """
  functions = (found for base in kind.__mro__ for found in vars(base).values())
  return not _libraries.is_library(kind) and any(
    i.opname == "STORE_ATTR" and i.argval == "__dict__"
    for function in functions
    if isinstance(function, types.FunctionType) and "__dict__" in function.__code__.co_names
    for i in dis.get_instructions(function)
  )


def is_plain_write(kind: type, name: str) -> bool:
  """Tells whether setting an attribute does nothing else."""
  found = inspect.getattr_static(kind, name, None)
  has_setter = hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType)
  return not has_users(kind, _WRITE) and not has_setter


def own_access(kind: type) -> str | None:
  """Returns what runs any other code than Python's own, by whatever access; None if nothing."""
  for name in _ALL:
    found = inspect.getattr_static(kind, name, None)
    if found is not getattr(object, name, None) and not is_generated(found):
      return name
  for base in kind.__mro__:
    for name, found in vars(base).items():
      if hasattr(type(found), "__set__") and not isinstance(found, _PLAIN_DESCRIPTORS):
        return f"{type(found).__name__} {name!r}"
  return None


def has_users(kind: type, names: tuple[str, ...]) -> bool:
  """Tells whether one of these methods is the user's; one of a metaclass is not for its objects."""
  return any(_libraries.is_users(f) or is_opaque(f) for f in (users_method(kind, n) for n in names))


def users_method(kind: type, name: str) -> object:
  """Returns what a class of the user's gives its objects under a name; None if none does.

  What is no function is returned, too; `OPAQUE` for None, which says that there is no method.
  """
  for base in kind.__mro__:
    if name in vars(base):
      if base.__module__ == "builtins" or _libraries.is_library(base):
        return None
      found = by_class(kind, name)
      if found is None and name != "__hash__":  # Each class with an `__eq__` says it of that.
        return OPAQUE
      return None if isinstance(found, _IN_C) else found
  return None


def is_opaque(method: object) -> bool:
  """Tells whether something in the place of a method is none that can be looked into."""
  return method is not None and not isinstance(method, types.FunctionType)


def is_generated(init: object) -> bool:
  """Tells whether a function was made of a string, as those of dataclasses are."""
  return getattr(getattr(init, "__code__", None), "co_filename", "") == "<string>"
