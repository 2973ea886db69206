"""Methods by a name that only the run knows: `getattr(self, "visit_" + node.kind)`.

The methods of the owner's class that the name can be, by what it surely begins with, are a table
(`_entries.py`). Where the run finds none of them, and there is no default, it fails.
"""

from __future__ import annotations

import types

import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import _attributes, _entries
from recursive_tf.convert.values._abstract import ABSTRACT, Missing, Ref, named
from recursive_tf.convert.values._text import Text, is_string

_MOST = 32  # Methods, for each of which there is a branch.
_METHODS = (types.FunctionType, staticmethod, classmethod)


def get(ip: Host, owner: object, name: object, *default: object) -> object:
  """Returns `getattr(owner, name)`, or `getattr(owner, name, default)`."""
  found = _methods(ip, owner, name, "getattr", is_whole=bool(default))
  index, is_one = _entries.position(ip, list(found), name)
  if default:
    index = tf.where(is_one, index, len(found))
  else:
    index = ip.frame.check(index, is_one, "an object has no method of such a name")
  return _entries.pick(ip, index, [*(ip.attribute(owner, one) for one in found), *default])


def has(ip: Host, owner: object, name: object) -> object:
  """Returns `hasattr(owner, name)`."""
  found = _methods(ip, owner, name, "hasattr", is_whole=True)
  for one in found:
    ip.attribute(owner, one)  # Guards that it is there.
  return _entries.has_key(ip, found, name)


def _methods(ip: Host, owner: object, name: object, asked: str, is_whole: bool) -> list[str]:
  """Returns the methods that a name may be.

  Args:
    ip: the interpreter.
    owner: whose.
    name: the name, not known.
    asked: the builtin that looks for it.
    is_whole: whether the owner has nothing else of the name: the run fails if it has.
  """

  def refused(why: str) -> ConversionRefused:
    text = f"{asked}() with a name that only the run knows{why}."
    return ip.frame.refuse(Reason.OPAQUE_READ, text)

  if not is_string(name, ip.frame):
    raise refused("")
  kind = _class_of(ip, owner)
  if kind is None:
    raise refused(f", of a {named(owner)}")
  start = name.parts[0] if isinstance(name, Text) and isinstance(name.parts[0], str) else ""
  guards = ip.conversion.guards
  names = guards.names_of_class(kind, start)
  methods = [
    one
    for one in names
    if isinstance(_attributes.by_class(kind, one), _METHODS) and not one.startswith("__")
  ]
  own = guards.names(owner, start) if type(owner) is kind else ()
  others = {*own, *ip.conversion.effects.written_names(start)}
  if others & {*methods}:
    raise refused(f", where an object has its own {min(others & {*methods})!r}")
  if not 0 < len(methods) <= _MOST:
    raise refused(f", of {len(methods)} methods")
  if is_whole:
    if type(owner) is not kind:
      raise refused(", and may be any attribute's")
    others |= {*names} - {*methods}
    ip.frame.demand(tf.logical_not(_entries.position(ip, sorted(others), name)[1]))
  return methods


def _class_of(ip: Host, owner: object) -> type | None:
  """Returns the class whose methods an owner has; None if it is not one of the user's."""
  if isinstance(owner, Ref):
    kinds = ip.frame.types_of(owner) - {Missing}
    kind = next(iter(kinds)) if len(kinds) == 1 else object
  elif isinstance(owner, ABSTRACT):
    return None
  else:
    kind = owner if isinstance(owner, type) else type(owner)
  is_own = not _libraries.is_library(kind) and type(kind) is type
  return kind if is_own and not _attributes.has_own_getattr(kind) else None
