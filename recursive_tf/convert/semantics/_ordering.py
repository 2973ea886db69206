"""The order that `sorted` brings as many elements into as the run finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _text
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Rows


def order(ip: Host, by: Rows, reverse: bool) -> tf.Tensor:
  """Returns the positions of elements in the order of `sorted`, equal ones as they were.

  Tuples are compared part by part. What has no order, or none that is done here, may be a part
  behind others by which no two elements are equal: then Python never comes to it.
  """
  keys: list[tf.Tensor] = []
  for key in _keys(ip, by.form, list(by.tensors), by.length):
    if key is None:
      if not keys:
        what = "An order (of sorted, or max and min by a key) by anything but numbers and strings."
        raise ip.frame.refuse(Reason.DYNAMIC_LIST, what)
      keys[0] = _without_equals(ip, keys)
      break
    keys.append(key)
  if not reverse:
    return _positions(keys)
  # As Python does it: backwards, sorted, and backwards again.
  return by.length - 1 - tf.reverse(_positions([tf.reverse(key, [0]) for key in keys]), [0])


def _positions(keys: Sequence[tf.Tensor]) -> tf.Tensor:
  found = tf.argsort(keys[-1], stable=True)
  for key in reversed(keys[:-1]):
    found = tf.gather(found, tf.argsort(tf.gather(key, found), stable=True))
  return found


def _without_equals(ip: Host, keys: Sequence[tf.Tensor]) -> tf.Tensor:
  """Returns the first of some keys; the run fails if two elements are equal by all of them."""
  in_order = [tf.gather(key, _positions(keys)) for key in keys]
  are_equal = tf.reduce_all([tf.equal(key[1:], key[:-1]) for key in in_order], 0)
  is_fine = tf.logical_not(tf.reduce_any(are_equal))
  return ip.frame.assume(keys[0], is_fine, "sorted() compares what has no order here")


def _keys(
  ip: Host, form: _forms.Form, tensors: list[tf.Tensor], length: tf.Tensor
) -> Iterator[tf.Tensor | None]:
  """Yields what elements are put in order by, the first first; None for what is not done."""
  if isinstance(form, _forms.NestForm) and form.type is tuple:
    for part in form.parts:
      count = len([*_forms.specs(part)])
      yield from _keys(ip, part, tensors[:count], length)
      tensors = tensors[count:]
  elif isinstance(form, _forms.NumberForm):
    yield _key_of_numbers(ip, form.type, tensors[0])
  elif form == _forms.TextForm() or form == _forms.RefForm(frozenset([str])):
    assert form is not None
    (strings,) = _forms.TextForm().widened(form, iter(tensors), length, ip.frame)
    yield _text.ranks_of(strings)
  else:
    yield None


def _key_of_numbers(ip: Host, kind: type, values: tf.Tensor) -> tf.Tensor:
  ip.frame.partial()
  if kind is bool:
    return tf.cast(values, tf.int32)
  return _key_of_floats(ip, values) if kind is float else values


def _key_of_floats(ip: Host, values: tf.Tensor) -> tf.Tensor:
  """Returns ints in the order of floats: TensorFlow's threads take very small ones for zero.

  -0.0 is as 0.0. In which order NaNs come is Python's own.
  """
  bits = tf.bitcast(values, tf.int64)
  size = tf.bitwise.bitwise_and(bits, _SIZE)
  is_fine = tf.reduce_all(size <= _INFINITY)
  size = ip.frame.assume(size, is_fine, "sorted() of NaN")
  return tf.where(bits < 0, -size, size)


_SIZE = 2**63 - 1  # All bits of a double but the sign.
_INFINITY = 0x7FF0000000000000
