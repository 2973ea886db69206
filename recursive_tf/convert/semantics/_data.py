"""What TensorFlow takes of a place that holds numbers in some objects and nodes in others.

In `["num", 1.0]` beside `["+", [...], [...]]` item 1 is a number or a list. Where it goes to
TensorFlow a program has made sure that it is data, by a test that says so only to who reads it: the
run fails where it is not, and plain Python does the call. A list of numbers alone is data, too:
what is read there of it is not what such a program reads.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import tensorflow as tf

from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._kinds import is_plain_sequence
from recursive_tf.convert.frame._rows import read_numbers
from recursive_tf.convert.semantics._exactly import demand_exactly
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import IntOrFloat, LocalList, Missing, Ref, Rows
from recursive_tf.convert.values._forms import NoneType

_NUMBERS = frozenset([int, float])
_ARRAYS = (tf.Tensor, tf.Variable, np.ndarray, np.generic)


def taken(ip: Host, value: object) -> object:
  """Returns a read as the number, tensor or list of numbers that it has to be; else the value."""
  if isinstance(value, LocalList) and value.items is not None:
    parts = all_taken(ip, value.items)
    is_same = all(new is old for new, old in zip(parts, value.items, strict=True))
    return value if is_same else ip.frame.new(LocalList(parts))
  if isinstance(value, IntOrFloat):
    return _int_or_float(ip, value)
  if not isinstance(value, Ref):
    return value
  kinds = ip.frame.types_of(value) - {NoneType, Missing}
  found = _data_in(ip, value, kinds)
  if found is None:
    return value
  if found != kinds:
    demand_exactly(ip, value, found)
    if found <= _arrays_in(kinds):  # The row of another one is read before the run fails.
      return ip.frame.array_or_any(value)
  return _elements(ip, value) if all(map(is_plain_sequence, found)) else value


def _arrays_in(kinds: frozenset[type]) -> frozenset[type]:
  return frozenset(kind for kind in kinds if issubclass(kind, _ARRAYS))


def _int_or_float(ip: Host, value: IntOrFloat) -> object:
  """Returns an int or float of a list as what it is in those that are no mere lists of numbers."""
  ref = ip.frame.source(value)
  if ref is None or not ref.path or ip.frame.types_of(ref) != _NUMBERS:
    return value
  beside, _ = ip.frame.profile.data(ip.frame.types_of(Ref(ref.base)), ref.path)
  if len(beside & _NUMBERS) != 1:
    return value
  demand_exactly(ip, ref, beside & _NUMBERS)
  return ref


def _data_in(ip: Host, ref: Ref, kinds: frozenset[type]) -> frozenset[type] | None:
  """Returns those of the kinds of a read that are data; None if they are of several sorts."""
  numbers, arrays = kinds & _NUMBERS, _arrays_in(kinds)
  lists = frozenset(kind for kind in kinds if is_plain_sequence(kind))
  if lists and (numbers or arrays):
    beside, elements = ip.frame.profile.data(ip.frame.types_of(Ref(ref.base)), ref.path)
    if arrays and elements:  # Lists of numbers are data as well.
      return None
    numbers &= beside
  sorts = [sort for sort in (numbers, arrays) if sort]
  found = sorts[0] if sorts else lists
  is_one = len(sorts) < 2 and bool(found) and (found == kinds or found != _NUMBERS)
  return found if is_one else None


def _elements(ip: Host, ref: Ref) -> Ref | Rows:
  """Returns a list as the numbers in it, if lists in its place have other elements elsewhere."""
  frame = ip.frame
  _, numbers = frame.profile.data(frame.types_of(Ref(ref.base)), ref.path)
  if len(numbers) != 1:
    return ref
  rows = ip.rows_of(ref)
  form = None if rows is None else rows.form
  if rows is None or not isinstance(form, _forms.RefForm) or not numbers < form.types:
    return ref
  if any(issubclass(kind, tuple(numbers)) for kind in form.types - numbers):  # As bools are ints.
    return ref
  frame.demand(tf.reduce_all(frame.are_of(rows.tensors[0], form.types, numbers)))
  return read_numbers(frame, Rows(rows.length, rows.tensors, _forms.RefForm(numbers)))


def all_taken(ip: Host, values: Collection[object]) -> list[object]:
  """Returns the arguments of a function of TensorFlow's as it takes them."""
  return [taken(ip, value) for value in values]
