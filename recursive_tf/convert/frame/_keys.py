"""Keys of dicts and members of sets that only the run knows: what they are, and where one is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._kinds import has_own_key
from recursive_tf.convert.values import _forms, _numbers, _scalars
from recursive_tf.convert.values._abstract import (
  Base,
  IntOrFloat,
  Maybe,
  Missing,
  Raises,
  Ref,
  Rows,
  named,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._scalars import KINDS, Scalar
from recursive_tf.convert.values._text import Text, tensor_of


def demand_hash(ip: Host, key: object) -> None:
  """Lets the run fail where what is read is a list or the like, of which no dict has an item."""
  if not isinstance(key, Ref):
    return
  frame = ip.frame
  kinds = frame.types_of(key) - {Missing}
  bare = frozenset(kind for kind in kinds if kind.__hash__ is None)
  if not bare or bare == kinds or any(issubclass(kind, tuple(bare)) for kind in kinds - bare):
    return
  frame.demand(tf.logical_not(_is_any(ip, key, bare)))
  frame.narrow([(key, kinds - bare)])


def _as_scalar(ip: Host, key: object) -> object:
  """Returns what is read as a scalar, if it may be one, or a tuple, or None: else the run fails."""
  if not isinstance(key, Ref):
    return key
  frame = ip.frame
  kinds = frame.types_of(key) - {Missing}
  scalars = _scalars_beside(kinds)
  if scalars is None:
    return key
  frame.demand(_is_any(ip, key, scalars))
  frame.narrow([(key, scalars)])
  return _clamped(ip, key, scalars) if NoneType in kinds and not key.path else key


def _is_any(ip: Host, ref: Ref, kinds: frozenset[type]) -> tf.Tensor:
  """Returns whether what is read is of one of some types, none of which is that of None."""
  frame, step = ip.frame, ("isinstance", tuple(sorted(kinds, key=repr)))
  types = frame.types_of(ref)
  if ref.path or NoneType not in types:
    return frame.number(ref.step(*step)).tensor
  there = _clamped(ip, ref, types - {NoneType})
  is_there = frame.base(ref).handle >= 0
  return tf.logical_and(is_there, frame.number(there.step(*step)).tensor)


def _clamped(ip: Host, ref: Ref, kinds: frozenset[type]) -> Ref:
  """Returns an object that may be None as one of some types: any one where it is None."""
  return Ref(Base(tf.maximum(ip.frame.base(ref).handle, 0), kinds))


def scalar_elements(ip: Host, rows: Rows) -> Rows:
  """Returns elements to be keys, of which the run fails where one is none but might be."""
  form = rows.form
  scalars = _scalars_beside(form.types) if isinstance(form, _forms.RefForm) else None
  return rows if scalars is None else ip.frame.elements_of(rows, scalars)


def _scalars_beside(kinds: frozenset[type]) -> frozenset[type] | None:
  """Returns those of some types that are scalars', if the others are what it takes no key from."""
  scalars = kinds & {*KINDS}
  return scalars if scalars and kinds > scalars and kinds - scalars <= _NO_SCALARS else None


_NO_SCALARS = frozenset([NoneType, tuple, list, dict, set])


def key_of(ip: Host, key: object) -> object:
  """Returns a key as what rows of keys have: a number, a string, an object, or a tuple of these."""
  demand_hash(ip, key)
  key = ip.frame.concrete(_as_scalar(ip, key))
  if isinstance(key, Ref):
    kinds = ip.frame.types_of(key) - {Missing}
    if len(kinds) > 1 and kinds <= {*KINDS}:
      return ip.frame.scalar(key)
  if isinstance(key, (Scalar, IntOrFloat)):
    return ip.frame.scalar(key)
  if _numbers.type_of(key) in (bool, float):
    return _forms.as_number(key)
  return _plain_key(ip, key)


def _plain_key(ip: Host, key: object) -> object:
  """Returns a key, or a part of one, that is equal to others where its tensors are."""
  frame = ip.frame
  if type(key) is tuple and key:
    return tuple(_plain_key(ip, frame.concrete(part)) for part in key)
  if isinstance(key, Number) and key.type is int:
    return Number(tf.cast(key.tensor, tf.int64), int)
  if isinstance(key, Ref):
    kinds = frame.types_of(key) - {Missing}
    if kinds == {str}:
      return Text((frame.string(key),))
    if not any(has_own_key(kind) for kind in kinds):
      return Ref(frame.base(key))
    if kinds == {tuple}:
      parts = ip.fixed_items(key, num_parts(ip, key))
      return tuple(_plain_key(ip, frame.concrete(part)) for part in parts)
  # No key has an int where another one has a bool: `check_alike`.
  if type(key) is int or _numbers.type_of(key) is bool:
    return _forms.as_number(key)
  if type(key) is str or isinstance(key, Text):
    return Text((tensor_of(key, frame),))
  raise frame.refuse(Reason.UNSUPPORTED_OPERATION, not_a_key(ip, key))


def num_parts(ip: Host, key: Ref) -> int:
  """Returns how many parts the tuples have that are read; refuses those of several lengths."""
  for count in itertools.count():
    kinds = ip.frame.types_of(key.step("item", count))
    if kinds <= {Missing} and count:
      return count
    if Missing in kinds or not kinds:
      break
  raise ip.frame.refuse(
    Reason.UNSUPPORTED_OPERATION, "A key that may be tuples of several lengths."
  )


def unless_none(
  ip: Host,
  keys: Rows,
  key: object,
  then: Callable[[], object],
  otherwise: Callable[[], object] | None,
) -> object:
  """Looks for a key that may be None among keys of which none is.

  Args:
    ip: the interpreter.
    keys: the keys of a dict.
    key: what is looked for.
    then: looks for it.
    otherwise: gives what is there for None; without it Python raises.
  """
  frame = ip.frame
  if keys.form is None or keys.form.covers_none() or isinstance(keys.form, _forms.MaybeForm):
    return then()
  if key is None:
    if otherwise is None:
      raise Raises
    return otherwise()
  if not isinstance(key, Ref):
    return then()
  kinds = frame.types_of(key) - {Missing}
  if NoneType not in kinds or len(kinds) < 2:
    return then()
  is_none = frame.is_none(key)
  assert isinstance(is_none, Number)  # There are other kinds.

  def narrowed() -> object:
    frame.narrow([(key, kinds - {NoneType})])
    return then()

  if otherwise is not None:
    return frame.cond(is_none, otherwise, narrowed)
  frame.demand(tf.logical_not(is_none.tensor))
  return narrowed()


def with_none(ip: Host, key: object, then: Callable[[object], object]) -> object:
  """Does `then` with a key, and with None where the run finds that it is None.

  Where that is refused of None a run that finds it fails.
  """
  frame = ip.frame
  if isinstance(key, Maybe):
    value = key.value
    return frame.cond(Number(key.is_there, bool), lambda: then(value), lambda: _of_none(then))
  if not isinstance(key, Ref) or key.path:  # What objects have the walk looks for, None as well.
    return then(key)
  return _unless_none(ip, key, then) if may_be_none(ip, key) else then(key)


def _unless_none(ip: Host, ref: Ref, then: Callable[[object], object]) -> object:
  frame = ip.frame
  kinds = frame.types_of(ref) - {Missing, NoneType}

  def narrowed() -> object:
    frame.narrow([(ref, kinds)])
    return then(ref)

  return frame.cond(frame.is_none(ref), lambda: _of_none(then), narrowed)


def may_be_none(ip: Host, value: object) -> bool:
  """Tells whether a value is None or something else, as the run finds it."""
  if isinstance(value, Maybe):
    return True
  kinds = ip.frame.types_of(value) - {Missing} if isinstance(value, Ref) else frozenset()
  return NoneType in kinds and len(kinds) > 1


def with_default(ip: Host, value: object, then: Callable[[object], object]) -> object:
  """Does `then` with what may be None, and with None: the default of an argument.

  Where that is refused of None a run that finds it fails.
  """
  if not isinstance(value, Ref):
    return with_none(ip, value, then)
  return _unless_none(ip, value, then)


def _of_none(then: Callable[[object], object]) -> object:
  try:
    return then(None)
  except ConversionRefused:
    raise Raises from None


def not_a_key(ip: Host, key: object) -> str:
  """Returns why a value that only the run knows cannot be a key."""
  names = [named(key)]
  if isinstance(key, Ref):  # Not what it is read of.
    names = sorted(kind.__name__ for kind in ip.frame.types_of(key) - {Missing})
  text = f"A key or member that only the run knows is a {' or '.join(names)}."
  if "tuple" in names:
    return f"{text} Make the tuple of its parts where it is the key: (x[0], x[1]) in place of x."
  return (
    f"{text} Use an int, a bool, a string, an object without its own __eq__, or a tuple of these."
  )


def find(ip: Host, keys: Rows, key: object) -> tuple[Number, tf.Tensor]:
  """Returns whether a key is among others, and where.

  Args:
    ip: the interpreter.
    keys: the others; none of them is there twice.
    key: the key, as `key_of` gives it.
  """
  form = _forms.form_of(key, ip.frame)
  if _are_scalars(keys.form, form):
    equal = equal_scalars(ip, _as_scalars(ip, keys), ip.frame.scalar(key))
  else:
    check_alike(ip, keys.form, form)
    equal = _equal(ip, keys, key)
  index = tf.argmax(tf.concat([tf.cast(equal, tf.int32), [0]], 0), output_type=tf.int32)
  return Number(tf.reduce_any(equal), bool), index


def keeps_its_own(form: _forms.Form, other: _forms.Form) -> bool:
  """Tells whether a key that is there may differ from an equal one that is written: 1 from True."""
  kinds = [frozenset() if one is None else one.scalar_kinds() for one in (form, other)]
  return kinds[0] != kinds[1] or not kinds[0] <= {int, str}


def _are_scalars(form: _forms.Form, other: _forms.BaseForm) -> bool:
  """Tells whether keys are Python scalars, and not all ints, or all strings."""
  kinds = other.scalar_kinds() | (frozenset() if form is None else form.scalar_kinds())
  if form is None or not form.scalar_kinds() or not other.scalar_kinds() or NoneType in kinds:
    return False
  return len(kinds) > 1 or kinds <= {bool, float}


def equal_scalars(ip: Host, keys: tuple[tf.Tensor, tf.Tensor, tf.Tensor], key: Scalar) -> tf.Tensor:
  """Returns which keys equal one of any kind, bool [N]; the run fails where it is a NaN.

  Python finds a NaN by which object it is.

  Args:
    ip: the interpreter.
    keys: the parts of scalars [N].
    key: the one.
  """
  kinds, bits, texts = keys
  ip.frame.partial()
  if float in key.kinds:
    is_nan = tf.logical_and(key.is_of([float]), tf.math.is_nan(key.number(float).tensor))
    bits = ip.frame.assume(bits, tf.logical_not(is_nan), "a NaN as the key of a dict")
  return _scalars.equal((kinds, bits, texts), key.tensors)


def _as_scalars(ip: Host, keys: Rows) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
  """Returns keys, which are scalars, as such: their kinds, bits and texts."""
  assert keys.form is not None  # It has kinds.
  form = _forms.ScalarForm(keys.form.scalar_kinds())
  kinds, bits, *texts = form.widened(keys.form, iter(keys.tensors), keys.length, ip.frame)
  return kinds, bits, texts[0] if texts else _scalars.no_text()


def _equal(ip: Host, keys: Rows, key: object) -> tf.Tensor:
  """Returns which keys equal one of their own type, bool [N]."""
  parts = [*_parts(ip, key)]
  ip.frame.partial()
  equal = tf.ones([keys.length], tf.bool)
  for tensor, wanted in zip(keys.tensors, parts, strict=True):
    equal = tf.logical_and(equal, tf.equal(tensor, wanted))
  return equal


def check_alike(ip: Host, form: _forms.Form, other: _forms.Form) -> None:
  """Refuses to compare keys of several types."""
  assert form is not None and other is not None  # There are some.
  if form.skeleton() != other.skeleton() or form.dtypes() != other.dtypes():
    raise ip.frame.refuse(Reason.KINDS_DIFFER, "A dict has keys of several types.")


def _parts(ip: Host, key: object) -> Iterator[tf.Tensor]:
  """Yields the tensors of a key of `key_of`."""
  if isinstance(key, tuple):
    for part in key:
      yield from _parts(ip, part)
  elif isinstance(key, Ref):
    yield key.base.handle
  else:
    yield key.tensor if isinstance(key, Number) else tensor_of(key, ip.frame)
