"""Makes tensors of Python values by form: the state that a run begins with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._forms import (
  ArrayForm,
  BaseForm,
  Form,
  MaybeForm,
  NestForm,
  NumberForm,
  RefForm,
  RowsForm,
  StaticForm,
  TensorForm,
)

_MAX_PARTS = 64  # Of a list or dict that is taken by its parts.


def form_of_python(value: object, by_parts: bool = False) -> BaseForm:
  """Returns the form of a Python value that may be another one in the next run.

  Args:
    value: the value.
    by_parts: whether lists and dicts of tensors are known by their parts, not as objects.
  """
  if type(value) in _forms.NUMBERS:
    return NumberForm(type(value))
  if isinstance(value, (np.ndarray, np.generic)):
    spec = tf.TensorSpec(value.shape, tf.as_dtype(value.dtype))
    return ArrayForm(spec, frozenset([type(value)]), False)
  if isinstance(value, tf.Variable):
    return ArrayForm(tf.TensorSpec(value.shape, value.dtype), frozenset([type(value)]), False, True)
  if isinstance(value, tf.Tensor):
    return TensorForm(tf.TensorSpec(value.shape, tf.as_dtype(value.dtype)))
  if isinstance(value, tuple) and not isinstance(value, tf.TensorShape):
    parts = tuple(form_of_python(part, by_parts) for part in value)
    return NestForm(type(value), tuple(range(len(parts))), parts)
  if by_parts and (type(value) is list or type(value) is dict) and _holds_tensors(value):
    items = value.values() if type(value) is dict else value
    keys = tuple(value) if type(value) is dict else tuple(range(len(value)))
    return NestForm(type(value), keys, tuple(form_of_python(part, by_parts) for part in items))
  if value is not None and _forms.is_heap_object(value):
    return RefForm(frozenset([type(value)]))
  return StaticForm(value)


def _holds_tensors(value: Collection[object]) -> bool:
  """Tells whether a list or dict may have tensors as parts, and has not too many parts."""
  if len(value) > _MAX_PARTS or (type(value) is dict and not {*map(type, value)} <= {str, int}):
    return False
  return not value or any(
    isinstance(part, (tf.Tensor, np.ndarray))
    or (isinstance(part, (list, dict, tuple)) and _holds_tensors(part))
    for part in (value.values() if isinstance(value, dict) else value)
  )


def containers_in(form: Form, value: Any) -> Iterator[Any]:
  """Yields the lists and dicts in a value that are known by their parts."""
  if isinstance(form, MaybeForm) and value is not None:
    yield from containers_in(form.value, value)
  if isinstance(form, RowsForm):
    if form.type is list:
      yield value
    for inner in value if form.element is not None else ():
      yield from containers_in(form.element, inner)
  if isinstance(form, NestForm):
    if form.type in (list, dict):
      yield value
    for part, inner in zip(form.parts, form.parts_in(value), strict=True):
      yield from containers_in(part, inner)


def joined_rows(
  values: list[object],
  join: Callable[[_forms.BaseForm, _forms.BaseForm], _forms.BaseForm] = _forms.join,
) -> RowsForm:
  """Returns the form of a list of Python values.

  Args:
    values: the list.
    join: what forms have in common.

  Raises:
    _forms.Mismatch: If they have none in common.
  """
  element: _forms.BaseForm | None = None
  shapes: dict[int, tf.TensorShape] = {}  # By position among the tensors of an element.
  for value in values:
    form = form_of_python(value)
    element = form if element is None else join(element, form)
    for position, spec in enumerate(_forms.specs(form)):
      first = shapes.setdefault(position, spec.shape)
      if first.rank != spec.shape.rank or first.as_list() != spec.shape.as_list():
        raise _forms.Mismatch(f"tensors of the shapes {first} and {spec.shape}")
  return RowsForm(element)


def strings(values: list[str]) -> tf.Tensor:
  """Returns strings as a tensor [N] to feed.

  Raises:
    ConversionRefused: If one has no UTF-8.
  """
  try:
    return tf.constant([value.encode() for value in values], tf.string, [len(values)])
  except UnicodeEncodeError:
    raise ConversionRefused.of(
      Reason.UNSUPPORTED_OPERATION, "A string of a node has half of a surrogate pair."
    ) from None


def as_array(value: object, dtype: tf.DType, what: str) -> np.ndarray:
  """Returns a Python number as an array to feed.

  Args:
    value: the number.
    dtype: of the array.
    what: what it is, for the message.

  Raises:
    ConversionRefused: If it is an int beyond 64 bits.
  """
  try:
    return np.asarray(value, dtype.as_numpy_dtype)
  except OverflowError:
    raise ConversionRefused.of(
      Reason.UNSUPPORTED_OPERATION, f"{what} is an int beyond 64 bits."
    ) from None
