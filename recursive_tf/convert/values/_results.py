"""Makes Python values of what a run returns."""

from __future__ import annotations

from collections.abc import Iterator

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._containers import container
from recursive_tf.convert.values._forms import Form, NestForm, StaticForm


def as_tensors(form: Form, tensors: Iterator[tf.Tensor], count: tf.Tensor) -> object:
  """Returns the values of `count` rows inside a graph, where Python's numbers stay tensors."""
  if isinstance(form, StaticForm):
    kind = type(form.value)
    dtype = _forms.dtype_of_number(kind) if kind in _forms.NUMBERS else None
    return tf.repeat(tf.convert_to_tensor(form.value, dtype)[tf.newaxis], count, axis=0)
  if isinstance(form, NestForm):
    return container(
      form.type, form.keys, [as_tensors(part, tensors, count) for part in form.parts]
    )
  found, *_ = [next(tensors) for _ in _forms.specs(form)]  # A `Weak` is its number as a tensor.
  return found


def not_of_tensors(form: Form) -> Iterator[Form]:
  """Yields the parts of results that cannot be tensors in a graph: objects, lists, what is None."""
  if isinstance(form, NestForm):
    for part in form.parts:
      yield from not_of_tensors(part)
  elif form is None or not form.is_of_tensors():
    yield form


def is_same(old: object, new: object) -> bool:
  """Tells whether a value that a run returned is the one that was there before."""
  if isinstance(new, tf.Tensor) or isinstance(old, tf.Tensor):
    if not isinstance(new, tf.Tensor) or not isinstance(old, tf.Tensor):
      return False
    same = old.dtype == new.dtype and old.shape == new.shape
    return same and bool(tf.reduce_all(tf.equal(old, new)))
  if type(old) is not type(new) or not isinstance(old, (int, float, bool, str, bytes, tuple)):
    return old is new
  if isinstance(old, tuple) and isinstance(new, tuple):
    return len(old) == len(new) and all(map(is_same, old, new))
  return bool(old == new)


def may_stay(old: object, new: object) -> bool:
  """Tells whether what was there before may stay in place of what a run gave for it.

  To a tape two equal tensors are two: gradients with respect to what the new one was made of are
  the new one's.
  """
  if old is new:
    return True
  return is_same(old, new) and not (tfi.is_recording() and _has_gradients(new))


def _has_gradients(value: object) -> bool:
  if isinstance(value, tuple):
    return any(map(_has_gradients, value))
  if not isinstance(value, tf.Tensor):
    return False
  return bool(value.dtype.is_floating or value.dtype.is_complex)
