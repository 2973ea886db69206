"""Entries of tables that are known at conversion, by a key or place that only the run knows.

Weights, layers and functions by the kinds or the number of children: `W[left.kind, right.kind]`,
`cells[len(node.kids)](states)`. A key is compared with all keys of the table at once. Weights of
any shapes are chosen by conditionals, so that only the one that is used is read. What is no value
of the graph, as a layer is none, is chosen where it is called.
"""

from __future__ import annotations

import functools
import math
import operator
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._kinds import has_own_key
from recursive_tf.convert.heap._columns import NONE
from recursive_tf.convert.values import _scalars
from recursive_tf.convert.values._abstract import (
  Base,
  BoundMethod,
  Builtin,
  Closure,
  Held,
  IntOrFloat,
  Maybe,
  Missing,
  Raises,
  Ref,
  named,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import ByKey
from recursive_tf.convert.values._scalars import KINDS, Scalar
from recursive_tf.convert.values._text import Text, tensor_of

_MOST = 4096  # Keys of a table, which each frame compares.
_VARIABLES = (tf.Variable, keras.Variable)
_WEIGHTS = (*_VARIABLES, tf.Tensor, np.ndarray, np.generic)
_FUNCTIONS = (
  types.FunctionType,
  types.BuiltinFunctionType,
  functools.partial,
  np.ufunc,
  type,
  keras.layers.Layer,
  tf.types.experimental.PolymorphicFunction,
)
_PLAIN = (int, bool, str, NoneType)
_Lanes: TypeAlias = "tf.Tensor | np.ndarray"  # Which keys equal one, bool [N].


def of_dict(
  ip: Host, table: dict[object, object], key: object, *default: object, is_any: bool = False
) -> tuple[object] | None:
  """Returns `table[key]`, or `table.get(key, default)`, alone; None if it is not done here.

  Args:
    ip: the interpreter.
    table: the dict.
    key: the key.
    *default: what there is for other keys, if anything.
    is_any: whether it is done of any table that no call gives.
  """
  if is_given(ip, table) or (type(key) is not tuple and not is_any and not is_chosen(ip, table)):
    return None
  return (of_table(ip, ip.conversion.guards.items(table), key, *default),)


def of_table(ip: Host, items: Mapping[object, object], key: object, *default: object) -> object:
  """Returns `items[key]` of a dict whose keys are known, or `items.get(key, default)`."""
  index, found = position(ip, list(items), key)
  if default:
    index = tf.where(found, index, len(items))
  else:
    index = ip.frame.check(index, found, "a dict has no such key")
  return pick(ip, index, [*items.values(), *default])


def of_list(ip: Host, items: Sequence[object], key: Number) -> tuple[object] | None:
  """Returns `items[key]`, alone; None if it is not done here."""
  if not _are_chosen(items):
    return None
  index = ip.frame.place(key, tf.constant(len(items)), "list index out of range")
  return (pick(ip, index, items),)


def has_key(ip: Host, table: Collection[object], key: object) -> object:
  """Returns `key in table`, of a key that only the run knows."""
  found = position(ip, ip.conversion.guards.elements(table), key)[1]
  return Number(found, bool)


def is_chosen(ip: Host, table: dict[object, object]) -> bool:
  """Tells whether the entries of a table, which no call gives, are chosen by conditionals."""
  values = list(table.values())
  return not is_given(ip, table) and (_are_chosen(values) or any(map(has_variable, values)))


def is_given(ip: Host, table: object) -> bool:
  """Tells whether a dict is that of each call."""
  return any(table is given for given in ip.conversion.given)


def _are_chosen(values: Sequence[object]) -> bool:
  """Tells whether the entries of a table are chosen by conditionals.

  They are called, or are weights of several shapes, which cannot be stacked.
  """
  return bool(values) and (any(map(is_used_only, values)) or _have_shapes(values))


def has_variable(value: object) -> bool:
  """Tells whether a value is a variable, or a tuple with one."""
  if type(value) is tuple:
    return any(map(has_variable, value))
  return isinstance(value, _VARIABLES)


def is_used_only(value: object) -> bool:
  """Tells whether a value is none of the graph's: something that is called, or a tuple of such."""
  if type(value) is tuple:
    return any(map(is_used_only, value))
  if isinstance(value, (BoundMethod, Builtin, Closure)):
    return True
  return callable(value) and not isinstance(value, _WEIGHTS)


def are_functions(values: Iterable[object]) -> bool:
  """Tells whether all are known functions or classes, or None."""
  known = types.FunctionType, types.BuiltinFunctionType, type, NoneType
  return all(isinstance(value, known) for value in values)


def _have_shapes(values: Sequence[tf.Tensor | tf.Variable]) -> bool:
  if all(isinstance(value, _WEIGHTS) for value in values):
    return len({(tf.as_dtype(v.dtype), str(v.shape)) for v in values}) > 1
  if all(type(v) is tuple and len(v) == len(values[0]) for v in values):
    return any(map(_have_shapes, zip(*values, strict=True)))
  return False


def position(ip: Host, keys: Sequence[object], key: object) -> tuple[tf.Tensor, tf.Tensor]:
  """Returns where a key is among a table's keys, int32 [], and whether it is there, bool []."""
  if len(keys) > _MOST:
    text = f"A table of {len(keys)} entries is looked into by what only the run makes."
    raise ip.frame.refuse(Reason.NEEDS_VALUE, text)
  ip.frame.partial()
  equal = tf.convert_to_tensor(_equal(ip, keys, key)) if keys else tf.zeros([0], tf.bool)
  index = tf.argmax(tf.concat([tf.cast(equal, tf.int32), [0]], 0), output_type=tf.int32)
  return index, tf.reduce_any(equal)


def _equal(ip: Host, keys: Sequence[Any], key: Any) -> _Lanes:
  """Returns which of some known keys, or parts of keys, equal one of the run."""
  key = ip.frame.resolve(key)
  if type(key) is tuple:
    fits = [type(known) is tuple and len(known) == len(key) for known in keys]
    _check_plain(ip, [k for k, is_one in zip(keys, fits, strict=True) if not is_one])
    found: _Lanes = np.array(fits)
    for i, part in enumerate(key):
      # What cannot be equal is compared, too, as anything of the kind of the others.
      parts = [known[i] if is_one else _OTHER for known, is_one in zip(keys, fits, strict=True)]
      found = tf.logical_and(found, _equal(ip, parts, part))
    return found
  if _is_scalar(ip, key) or any(type(known) is float for known in keys):
    found = _equal_scalars(ip, keys, key)
    if found is not None:
      return found
  if isinstance(key, Number) and key.type in (int, bool):
    _check_plain(ip, keys)
    numbers = [isinstance(known, int) and -(2**63) <= known < 2**63 for known in keys]
    wanted = np.array([k if is_one else 0 for k, is_one in zip(keys, numbers, strict=True)])
    same = tf.equal(tf.cast(key.tensor, tf.int64), tf.constant(wanted, tf.int64))
    return tf.logical_and(same, np.array(numbers))
  kinds = ip.frame.types_of(key) - {Missing} if isinstance(key, Ref) else frozenset()
  if isinstance(key, Text) or kinds == {str}:
    _check_plain(ip, keys)
    strings = [isinstance(known, str) for known in keys]
    names = [k if is_one else "" for k, is_one in zip(keys, strings, strict=True)]
    return tf.logical_and(tf.equal(tensor_of(key, ip.frame), names), np.array(strings))
  if kinds and not any(map(has_own_key, kinds)):  # Found by which object they are.
    _check_plain(ip, [k for k in keys if has_own_key(type(k))])
    objects = [k is not _OTHER and not has_own_key(type(k)) for k in keys]
    handle = ip.frame.base(key).handle
    same = [
      tf.equal(handle, ip.frame.base(k).handle) if is_one else tf.constant(False)
      for k, is_one in zip(keys, objects, strict=True)
    ]
    return tf.stack(same)
  if type(key) in _PLAIN:
    _check_plain(ip, keys)
    return np.array([k is not _OTHER and k == key for k in keys])
  text = f"A table is looked into by a {named(key)} that only the run knows."
  raise ip.frame.refuse(Reason.NEEDS_VALUE, text)


def _is_scalar(ip: Host, key: object) -> bool:
  """Tells whether a key is a float, or a scalar of which only the run knows the kind."""
  if isinstance(key, Number):
    return key.type is float
  return isinstance(key, (Scalar, IntOrFloat)) or _of_several_kinds(ip, key)


def _of_several_kinds(ip: Host, key: object) -> bool:
  kinds = ip.frame.types_of(key) - {Missing} if isinstance(key, Ref) else frozenset()
  return len(kinds) > 1 and kinds - {NoneType} <= {*KINDS}


def _equal_scalars(ip: Host, keys: Sequence[object], key: object) -> _Lanes | None:
  """Returns which of some known keys equal a scalar, or None; None if that is not known here."""
  if any(isinstance(known, float) and math.isnan(known) for known in keys):
    return None  # It is found by which object it is.
  optional = ip.frame.scalar_or_none(key)
  wanted = ip.frame.as_scalar(optional.value if isinstance(optional, Maybe) else optional)
  if wanted is None:
    return None
  are_scalars = [type(known) in KINDS for known in keys]
  _check_plain(ip, [k for k, is_one in zip(keys, are_scalars, strict=True) if not is_one])
  known = _scalars.constants([k if i else 0 for k, i in zip(keys, are_scalars, strict=True)])
  if known is None:
    return None
  equal = tf.logical_and(_scalars.equal(known, wanted.tensors), are_scalars)
  if not isinstance(optional, Maybe):
    return equal
  return tf.where(optional.is_there, equal, [key is None for key in keys])


class _Other:
  """The type of what no key of the run equals."""


_OTHER = _Other()


def _check_plain(ip: Host, keys: Sequence[object]) -> None:
  """Refuses keys that are not told apart from all others by their types alone."""
  for key in keys:
    parts = key if type(key) is tuple else (key,)
    if any(p is not _OTHER and type(p) not in _PLAIN and has_own_key(type(p)) for p in parts):
      text = f"A table with a {type(key).__name__} as a key is looked into in the run."
      raise ip.frame.refuse(Reason.NEEDS_VALUE, text)


def pick(ip: Host, index: tf.Tensor, values: Sequence[object]) -> object:
  """Returns the value at an index, which is one of theirs."""
  found = ByKey(index, tuple(values))
  return found if _is_late(ip, values) else for_one(ip, found, lambda value: value)


def _is_late(ip: Host, values: Sequence[object]) -> bool:
  """Tells whether an entry is chosen where it is used.

  In a step that is where variables are, which may be written until then; a tape asks for them.
  """
  is_step = ip.conversion.is_step and any(map(has_variable, values))
  return is_step or any(map(is_used_only, values))


def function_of_heap(ip: Host, ref: Ref) -> ByKey | None:
  """Returns the function that is read from the heap as one of those seen; None if it is none.

  What no conversion has seen is in no table: the walk finds it, and another conversion follows.
  """
  frame = ip.frame
  kinds = frame.types_of(ref) - {Missing, NoneType}
  if not kinds or not all(issubclass(kind, _FUNCTIONS) for kind in kinds):
    return None
  handle = frame.base(ref).handle
  table = ip.conversion.profile.functions(kinds)
  if table is None:
    text = "A function of the heap is called, and there are more of them than branches."
    raise frame.refuse(Reason.OPAQUE_CALL, text)
  if not table:
    return None
  if NoneType in frame.types_of(ref):
    frame.demand(tf.not_equal(handle, NONE))
  index = frame.number(Ref(Base(handle, kinds), (("lookup", Held(table)),)))
  return ByKey(tf.cast(index.tensor, tf.int32), tuple(table))


def is_weight(value: object) -> TypeGuard[ByKey]:
  """Tells whether a value is an entry of a table of weights, which operations are done with."""
  return isinstance(value, ByKey) and all(
    one is None or is_failing(one) or isinstance(one, _WEIGHTS) for one in value.values
  )


def with_weights(ip: Host, args: list[object], then: Callable[[list[object]], object]) -> object:
  """Does `then` with arguments of which one is such an entry, as the weight that it is."""
  place, entry = next((i, arg) for i, arg in enumerate(args) if is_weight(arg))
  return for_one(ip, entry, lambda value: then([*args[:place], value, *args[place + 1 :]]))


def for_one(ip: Host, entry: ByKey, then: Callable[[object], object]) -> object:
  """Does `then` with the value that the run finds, and with no other."""
  return _among(ip, entry, then, 0, len(entry.values))


def _among(
  ip: Host, entry: ByKey, then: Callable[[object], object], first: int, end: int
) -> object:
  values = entry.values[first:end]
  if not values:
    raise Raises  # Of a table without entries.
  if all(value is values[0] for value in values):
    if is_failing(values[0]):
      raise Raises
    return then(values[0])
  middle = (first + end) // 2
  return ip.frame.cond(
    Number(entry.index < middle, bool),
    lambda: _among(ip, entry, then, first, middle),
    lambda: _among(ip, entry, then, middle, end),
  )


class _Fails:
  """Stands for a value at which Python would raise."""


def is_failing(value: object) -> bool:
  """Tells whether Python would raise where a value is read."""
  return isinstance(value, _Fails)


def are_tuples(entry: ByKey) -> bool:
  """Tells whether an entry is a tuple, whichever it is."""
  return all(is_failing(value) or type(value) is tuple for value in entry.values)


def parts(ip: Host, entry: ByKey) -> list[object]:
  """Returns the elements of an entry that is a tuple, as many in each."""
  known = [value for value in entry.values if not is_failing(value)]
  sizes = {len(value) if type(value) is tuple else -1 for value in known}
  if len(sizes) > 1 or -1 in sizes:
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{entry.description} is taken apart.")
  return [for_each(ip, entry, operator.itemgetter(i)) for i in range(sizes.pop())]


def for_each(ip: Host, entry: ByKey, compute: Callable[[Any], Any]) -> object:
  """Returns what is computed of each value, of which no effect is seen; chosen where it is used."""
  found = [_or_fails(compute, value) for value in entry.values]
  if all(is_failing(value) for value in found):
    raise Raises
  known = [value for value in found if not is_failing(value)]
  if all(isinstance(value, bool) for value in known):
    if len(known) < len(found):
      return for_one(ip, ByKey(entry.index, tuple(found)), lambda value: value)
    if len(set(known)) == 1:
      return known[0]
    return Number(tf.gather(tf.constant(found), entry.index), bool)
  if _is_late(ip, known):
    return ByKey(entry.index, tuple(found))
  return for_one(ip, ByKey(entry.index, tuple(found)), lambda value: value)


def _or_fails(compute: Callable[[object], object], value: object) -> object:
  if is_failing(value):
    return value
  try:
    return compute(value)
  except Raises:
    return _Fails()
