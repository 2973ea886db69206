"""Keys of dicts and members of sets that only the run knows: what they are, and where one is."""

from __future__ import annotations

from collections.abc import Iterator

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._kinds import has_own_key
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Missing, Ref, Rows, named
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._text import Text, tensor_of


def key_of(ip: Host, key: object) -> object:
  """Returns a key as what rows of keys have: an int, a string, an object, or a tuple of these."""
  frame = ip.frame
  key = frame.concrete(key)
  if type(key) is tuple and key:
    return tuple(key_of(ip, part) for part in key)
  if isinstance(key, Number) and key.type is int:
    return Number(tf.cast(key.tensor, tf.int64), int)
  if isinstance(key, Ref):
    kinds = frame.types_of(key) - {Missing}
    if kinds == {str}:
      return Text((frame.string(key),))
    if not any(has_own_key(kind) for kind in kinds):
      return Ref(frame.base(key))
  if type(key) is int:
    return _forms.as_number(key)
  if type(key) is str or isinstance(key, Text):
    return Text((tensor_of(key, frame),))
  raise frame.refuse(Reason.UNSUPPORTED_OPERATION, not_a_key(ip, key))


def not_a_key(ip: Host, key: object) -> str:
  """Returns why a value that only the run knows cannot be a key."""
  names = [named(key)]
  if isinstance(key, Ref):  # Not what it is read of.
    names = sorted(kind.__name__ for kind in ip.frame.types_of(key) - {Missing})
  text = f"A key or member that only the run knows is a {' or '.join(names)}."
  if "tuple" in names:
    return f"{text} Make the tuple of its parts where it is the key: (x[0], x[1]) in place of x."
  return f"{text} Use an int, a string, an object without its own __eq__, or a tuple of these."


def find(ip: Host, keys: Rows, key: object) -> tuple[Number, tf.Tensor]:
  """Returns whether a key is among others, and where.

  Args:
    ip: the interpreter.
    keys: the others; none of them is there twice.
    key: the key, as `key_of` gives it.
  """
  parts = [*_parts(ip, key)]
  check_alike(ip, keys.form, _forms.form_of(key, ip.frame))
  ip.frame.partial()
  equal = tf.ones([keys.length], tf.bool)
  for tensor, wanted in zip(keys.tensors, parts, strict=True):
    equal = tf.logical_and(equal, tf.equal(tensor, wanted))
  index = tf.argmax(tf.concat([tf.cast(equal, tf.int32), [0]], 0), output_type=tf.int32)
  return Number(tf.reduce_any(equal), bool), index


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
