"""Tuples, and what named ones have beside their elements."""

from __future__ import annotations

import inspect
from collections.abc import Iterable


def is_named_tuple(type_: object) -> bool:
  """Tells whether something is a class made by `namedtuple` or `NamedTuple`."""
  return isinstance(type_, type) and issubclass(type_, tuple) and hasattr(type_, "_fields")


def makes_its_own(type_: type) -> bool:
  """Tells whether a class of named tuples has code of the user's for making them."""
  owner = next(kind for kind in type_.__mro__ if "__new__" in vars(kind))
  return (
    "_fields" not in vars(owner) or inspect.getattr_static(type_, "__init__") is not object.__init__
  )


def tuple_of(kind: type, parts: Iterable[object]) -> object:
  """Makes a tuple, or a named one of this class; no `__new__` of its own is run."""
  return tuple.__new__(kind if hasattr(kind, "_fields") else tuple, parts)


def has_more(value: tuple[object, ...]) -> bool:
  """Tells whether a tuple has attributes beside its elements: one made of elements lacks them."""
  return bool(getattr(value, "__dict__", None))
