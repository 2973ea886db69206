"""Whether an object of the heap is exactly of some types, asked or demanded in the run."""

from __future__ import annotations

import functools

import tensorflow as tf

from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values._abstract import Missing, Ref
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number


def is_exactly(ip: Host, ref: Ref, kinds: frozenset[type]) -> Number:
  """Tells whether the object is of one of these types and not of a subclass that occurs."""
  others = ip.frame.types_of(ref) - kinds - {NoneType, Missing}
  if any(issubclass(other, tuple(kinds)) for other in others):
    if not any(issubclass(kind, tuple(others)) for kind in kinds):
      inner = ip.frame.number(ref.step("isinstance", tuple(sorted(others, key=repr))))
      return Number(tf.logical_not(inner.tensor), bool)
    each = [_is_just(ip, ref, kind, kinds | others) for kind in sorted(kinds, key=repr)]
    return Number(functools.reduce(tf.logical_or, each), bool)
  return ip.frame.number(ref.step("isinstance", tuple(sorted(kinds, key=repr))))


def demand_exactly(ip: Host, ref: Ref, kinds: frozenset[type]) -> None:
  """Lets the run fail where the object is of another type; from here on it is of one of these."""
  is_none = ip.frame.is_none(ref) if NoneType not in kinds else False
  if isinstance(is_none, Number):  # Of None the row of another one is read.
    ip.frame.demand(tf.logical_not(is_none.tensor))
  ip.frame.demand(is_exactly(ip, ref, kinds).tensor)
  ip.frame.narrow([(ref, kinds)])


def _is_just(ip: Host, ref: Ref, kind: type, known: frozenset[type]) -> tf.Tensor:
  """Tells whether the object is of a type, and of none of those known that derive from it."""
  found = ip.frame.number(ref.step("isinstance", (kind,))).tensor
  derived = [one for one in known if one is not kind and issubclass(one, kind)]
  if not derived:
    return found
  inner = ip.frame.number(ref.step("isinstance", tuple(sorted(derived, key=repr))))
  return tf.logical_and(found, tf.logical_not(inner.tensor))
