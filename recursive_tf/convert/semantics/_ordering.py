"""The order that `sorted` brings as many elements into as the run finds."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _class_comparison, _maps, _text
from recursive_tf.convert.values import _forms, _scalars
from recursive_tf.convert.values._abstract import Missing, Rows
from recursive_tf.convert.values._forms import NoneType


def order(ip: Host, by: Rows, reverse: bool, by_less: bool = True) -> tf.Tensor:
  """Returns the positions of elements in the order of `sorted`, equal ones as they were.

  Tuples are compared part by part. What has no order, or none that is done here, may be a part
  behind others by which no two elements are equal: then Python never comes to it.

  Args:
    ip: the interpreter.
    by: what the elements are put in order by.
    reverse: whether the greatest comes first.
    by_less: whether Python asks for `<`, and for nothing else.
  """
  if by_less and have_own_order(by.form):
    return _in_order([_ranks_by_pairs(ip, by)], by.length, reverse)
  return _in_order(_comparable(ip, by), by.length, reverse)


def ranks(ip: Host, by: Rows) -> tf.Tensor:
  """Returns how many different elements are less than each, int32 [N]; the run fails as `order`'s.

  Args:
    ip: the interpreter.
    by: the elements.
  """
  if have_own_order(by.form):
    return _ranks_by_pairs(ip, by)
  keys = _comparable(ip, by)
  order = _positions(keys)
  in_order = [tf.gather(key, order) for key in keys]
  are_more = tf.reduce_any([tf.not_equal(key[1:], key[:-1]) for key in in_order], 0)
  found = tf.concat([[0], tf.cumsum(tf.cast(are_more, tf.int32))], 0)[: by.length]
  return tf.scatter_nd(order[:, None], found, [by.length])


def _comparable(ip: Host, by: Rows) -> list[tf.Tensor]:
  """Returns what elements are compared by, the first first."""
  keys: list[tf.Tensor] = []
  for key in _keys(ip, by.form, list(by.tensors), by.length):
    if key is None:
      if not keys:
        what = "An order (of sorted, or max and min by a key) by anything but numbers and strings."
        raise ip.frame.refuse(Reason.DYNAMIC_LIST, what)
      keys[0] = _without_equals(ip, keys)
      break
    keys.append(key)
  return keys


def _in_order(keys: Sequence[tf.Tensor], length: tf.Tensor, reverse: bool) -> tf.Tensor:
  if not reverse:
    return _positions(keys)
  # As Python does it: backwards, sorted, and backwards again.
  return length - 1 - tf.reverse(_positions([tf.reverse(key, [0]) for key in keys]), [0])


def have_own_order(form: _forms.Form) -> bool:
  """Tells whether elements, or parts of tuples, are of classes of the user's that say `<`."""
  if isinstance(form, _forms.NestForm):
    if form.type is tuple:
      return any(have_own_order(part) for part in form.parts)
    return _class_comparison.has_say([form.type], ast.Lt)
  if not isinstance(form, _forms.RefForm):
    return False
  return _class_comparison.has_say(form.types - {NoneType, Missing}, ast.Lt)


_MOST_IN_PAIRS = 300  # Elements of which each is compared with each.


def _ranks_by_pairs(ip: Host, by: Rows) -> tf.Tensor:
  """Returns how many elements are less than each, as they say themselves: each is asked for each.

  If what they say is an order at all, it is the order of these numbers; then there is one way to
  sort them, whichever `sorted` asks. Else the run fails.
  """
  count = ip.frame.check(
    by.length, by.length <= _MOST_IN_PAIRS, "many objects in an order of their own"
  )
  asked = tf.where(count > 1, count, 0)  # Python asks one element alone for nothing.
  first = tf.repeat(tf.range(asked), asked)
  second = tf.tile(tf.range(asked), [asked])
  tensors = tuple(tf.gather(t, index) for index in (first, second) for t in by.tensors)
  assert by.form is not None  # It is of classes that have an order.
  form = _forms.NestForm(tuple, (0, 1), (by.form, by.form))
  less = _maps.written(ip, "def less(pair): return is_true(pair[0] < pair[1])", {"is_true": bool})
  pairs = Rows(asked * asked, tensors, form)
  if _maps.is_ordered(ip, pairs, less):
    raise ip.frame.refuse(Reason.EFFECT_ORDER, "`<` of what is sorted has effects.")
  found = _maps.map_function(ip, less, pairs)
  if found.form is None:
    return tf.range(by.length)  # As far as is known yet.
  are_less = tf.reshape(found.tensors[0], [asked, asked])
  counts = tf.reduce_sum(tf.cast(are_less, tf.int32), 0)
  is_order = tf.reduce_all(tf.equal(are_less, counts[:, None] < counts[None, :]))
  key = tf.concat([counts, tf.zeros([count - asked], tf.int32)], 0)
  return ip.frame.assume(key, is_order, "objects whose `<` is no order")


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
  return ip.frame.assume(keys[0], is_fine, "a comparison of what has no order here")


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
  elif form == _forms.TextForm() or (isinstance(form, _forms.RefForm) and form.is_of_strings()):
    (strings,) = _forms.TextForm().widened(form, iter(tensors), length, ip.frame)
    yield _text.ranks_of(strings)
  elif form is not None and form.scalar_kinds() and NoneType not in form.scalar_kinds():
    ip.frame.partial()
    parts = _forms.ScalarForm(form.scalar_kinds()).widened(form, iter(tensors), length, ip.frame)
    kinds, bits, *texts = parts
    yield _scalars.ranks([kinds, bits, *(texts or [_scalars.no_text()])])
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
  size = ip.frame.assume(size, is_fine, "a NaN in what is put in order")
  return tf.where(bits < 0, -size, size)


_SIZE = 2**63 - 1  # All bits of a double but the sign.
_INFINITY = 0x7FF0000000000000
