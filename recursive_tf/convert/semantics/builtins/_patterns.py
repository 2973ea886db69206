"""What `match` asks of sequences and mappings (`syntax/matches.py`)."""

from __future__ import annotations

import collections
from collections.abc import Collection, Mapping, Sequence

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _attributes, _items, _opened
from recursive_tf.convert.semantics.builtins import _objects
from recursive_tf.convert.values._abstract import (
  LocalObject,
  Made,
  Missing,
  Raises,
  Ref,
  has_changed,
)
from recursive_tf.convert.values._stand_ins import python_type

_TEXTS = (str, bytes, bytearray)
_SEQUENCES = (list, tuple, range, collections.deque)
_MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict)


def is_sequence(ip: Host, value: object) -> object:
  """Returns whether a sequence pattern may match a value."""
  _check_items(ip, value, Sequence, _SEQUENCES, ("__iter__", "__len__", "__getitem__"))
  found = _objects.is_instance(ip, value, Sequence)
  return ip.both(found, True, lambda: ip.negated(_objects.is_instance(ip, value, _TEXTS)))


def is_mapping(ip: Host, value: object) -> object:
  """Returns whether a mapping pattern may match a value."""
  _check_items(ip, value, Mapping, _MAPPINGS, ("__contains__", "__getitem__", "get", "keys"))
  return _objects.is_instance(ip, value, Mapping)


def has_read(ip: Host, value: object, *names: object) -> bool:
  """Reads what a pattern asks for and only a property gives: it may raise, where no test is yet."""
  kinds = _classes(ip, value)
  for name in names:
    if not isinstance(name, str):
      raise Raises  # A TypeError.
    if not any(isinstance(_attributes.by_class(kind, name), property) for kind in kinds):
      continue
    before = ip.frame.snapshot()
    ip.frame.compute(ip.attribute(value, name))
    if has_changed(before, ip.frame.snapshot()):
      raise ip.frame.refuse(
        Reason.EFFECT_ORDER, f"A pattern asks for {name!r}, a property that changes something."
      )
  return True


def without(ip: Host, value: object, *keys: object) -> object:
  """Returns a dict of what a mapping holds, without some keys."""
  rest = ip.call(dict, [value], {})
  for key in keys:
    _items.delete_item(ip, rest, key)
  return rest


def _check_items(
  ip: Host, value: object, kind: type, builtin: Collection[type], names: Collection[str]
) -> None:
  """Refuses classes whose elements a pattern may find in another way than an index does."""
  for one in _classes(ip, value):
    for name in names if issubclass(one, kind) and not issubclass(one, _TEXTS) else ():
      found = _attributes.by_class(one, name)
      if found not in [_attributes.by_class(base, name) for base in builtin]:
        raise ip.frame.refuse(
          Reason.OPAQUE_READ, f"match asks {name} of {one.__name__}, which has its own."
        )
      ip.conversion.guards.of_class(one, name)


def _classes(ip: Host, value: object) -> frozenset[type]:
  """Returns the classes of what may be an object of a class of the program's own."""
  if isinstance(value, Ref):
    return ip.frame.types_of(value) - {Missing}
  if isinstance(value, Made):
    return _opened.classes(ip, value)
  kind = python_type(value.type) if isinstance(value, LocalObject) else type(value)
  return frozenset([kind])
