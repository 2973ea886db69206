"""Makes tensors of Python values by form: the state that a run begins with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._forms import (
  ArrayForm,
  Form,
  IntOrFloatForm,
  MaybeForm,
  NestForm,
  NumberForm,
  RefForm,
  RowsForm,
  StaticForm,
  TensorForm,
  TextForm,
  UnsetForm,
  WeakForm,
)


class DoesNotFit(Exception):  # noqa: N818 - control flow, becomes an outdated assumption
  """A value is not of the form."""


_MAX_PARTS = 64  # Of a list or dict that is taken by its parts.


def form_of_python(value: Any, by_parts: bool = False) -> Form:
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
  if isinstance(value, tf.Tensor):
    return TensorForm(tf.TensorSpec(value.shape, tf.as_dtype(value.dtype)))
  if isinstance(value, tuple) and not isinstance(value, tf.TensorShape):
    parts = tuple(form_of_python(part, by_parts) for part in value)
    return NestForm(type(value), tuple(range(len(parts))), parts)
  if by_parts and type(value) in (list, dict) and _holds_tensors(value):
    items = value.values() if type(value) is dict else value
    keys = tuple(value) if type(value) is dict else tuple(range(len(value)))
    return NestForm(type(value), keys, tuple(form_of_python(part, by_parts) for part in items))
  if value is not None and _forms.is_heap_object(value):
    return RefForm(frozenset([type(value)]))
  return StaticForm(value)


def _holds_tensors(value: Any) -> bool:
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
    for part, inner in zip(form.parts, _parts(form, value), strict=True):
      yield from containers_in(part, inner)


def joined_rows(values: list[object]) -> RowsForm:
  """Returns the form of a list of Python values.

  Raises:
    _forms.Mismatch: If they have none in common.
  """
  element: object = None
  shapes: dict[int, tf.TensorShape] = {}  # By position among the tensors of an element.
  for value in values:
    form = form_of_python(value)
    element = form if element is None else _forms.join(element, form)
    for position, spec in enumerate(_forms.specs(form)):
      first = shapes.setdefault(position, spec.shape)
      if first.rank != spec.shape.rank or first.as_list() != spec.shape.as_list():
        raise _forms.Mismatch(f"tensors of the shapes {first} and {spec.shape}")
  return RowsForm(element)


def objects_in(form: Form, value: Any) -> Iterator[Any]:
  """Yields the objects in a value that need handles, in the order in which `encode` asks."""
  if isinstance(form, RefForm):
    yield value
  elif isinstance(form, MaybeForm):
    if value is not None:
      yield from objects_in(form.value, value)
  elif isinstance(form, NestForm):
    for part, inner in zip(form.parts, _parts(form, value), strict=True):
      yield from objects_in(part, inner)
  elif isinstance(form, RowsForm) and form.element is not None:
    for inner in value:
      yield from objects_in(form.element, inner)


def encode(form: Form, value: Any, handles: Iterator[int]) -> list[Any]:
  """Returns the tensors of a value.

  Args:
    form: its form.
    value: the value.
    handles: the handles of its objects, from `objects_in`.

  Raises:
    DoesNotFit: If it is not of this form.
  """
  if isinstance(form, TensorForm):  # Most of all.
    if not isinstance(value, tf.Tensor) or not _fits(form.spec, value):
      raise DoesNotFit
    return [value]
  if isinstance(form, UnsetForm):
    return []
  if isinstance(form, StaticForm):
    if not _forms.same_static(form.value, value):
      raise DoesNotFit
    return []
  if isinstance(form, MaybeForm):
    if value is None:
      return [np.False_, *zeros(form.value)]
    return [np.True_, *encode(form.value, value, handles)]
  if isinstance(form, NumberForm):
    if not _is_number(form.type, value):
      raise DoesNotFit
    return [np.asarray(value, _forms.dtype_of_number(form.type).as_numpy_dtype)]
  if isinstance(form, IntOrFloatForm):
    if type(value) not in (int, float) or (type(value) is int and abs(value) >= 2**53):
      raise DoesNotFit
    return [np.float64(value), np.bool_(type(value) is int)]
  if isinstance(form, WeakForm):
    return _encode_weak(form, value)
  if isinstance(form, RefForm):
    if type(value) not in form.types:
      raise DoesNotFit
    return [np.int32(next(handles))]
  if isinstance(form, NestForm):
    parts = _parts(form, value)
    return [
      tensor
      for part, inner in zip(form.parts, parts, strict=True)
      for tensor in encode(part, inner, handles)
    ]
  if isinstance(form, RowsForm):
    return _encode_rows(form, value, handles)
  if isinstance(form, TextForm):
    return [_encode_text(value)]
  if not isinstance(form, ArrayForm) or type(value) not in form.types:
    raise DoesNotFit
  if not _fits(form.spec, value):
    raise DoesNotFit
  return [value]


def _fits(spec: tf.TensorSpec, value: Any) -> bool:
  """Tells whether a tensor or an array is one of these."""
  if value.dtype is not spec.dtype and tf.as_dtype(value.dtype) != spec.dtype:
    return False
  shape = spec.shape
  if shape.rank is None or not isinstance(value, tf.Tensor):
    return shape.is_compatible_with(value.shape)
  sizes = tfi.sizes_of(value)
  return len(sizes) == shape.rank and all(
    size is None or size == own for size, own in zip(shape.as_list(), sizes, strict=True)
  )


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


def _encode_text(value: object) -> object:
  if type(value) is not str:
    raise DoesNotFit
  try:
    return np.array(value.encode(), object)
  except UnicodeEncodeError:  # Half of a surrogate pair.
    raise DoesNotFit from None


def _encode_weak(form: WeakForm, value: object) -> list[object]:
  """Returns the tensors of what is a tensor, or a number in a tensor's place."""
  dtype, shape = form.spec.dtype, form.spec.shape
  if isinstance(value, tf.Tensor):
    if value.dtype != dtype or not shape.is_compatible_with(value.shape):
      raise DoesNotFit
    return [value, np.False_]
  if type(value) is not form.type or not _forms.is_exact(value, dtype):
    raise DoesNotFit
  sizes = [1 if size is None else size for size in shape.as_list()]
  return [np.full(sizes, value, dtype.as_numpy_dtype), np.True_]


def _encode_rows(form: RowsForm, value: Any, handles: Iterator[int]) -> list[object]:
  values = list(value)
  if form.element is None:
    if values:
      raise DoesNotFit
    return [np.int32(0)]
  rows = [encode(form.element, inner, handles) for inner in values]
  tensors: list[object] = []
  for position, spec in enumerate(_forms.specs(form.element)):
    if rows:
      column = [row[position] for row in rows]
      if not spec.shape.is_fully_defined() and len({tuple(value.shape) for value in column}) > 1:
        raise DoesNotFit
      is_tensor = any(isinstance(value, tf.Tensor) for value in column)
      tensors.append(tf.stack(column) if is_tensor else np.stack(column))
    else:
      tensors.append(np.zeros([0, *(s or 0 for s in spec.shape)], spec.dtype.as_numpy_dtype))
  return [np.int32(len(values)), *tensors]


def zeros(form: Form) -> list[Any]:
  """Returns tensors of a form that nobody will read."""
  found = []
  for spec in _forms.specs(form):
    shape = [] if spec.shape.rank is None else [size or 0 for size in spec.shape]
    is_text = spec.dtype == tf.string
    dtype: tf.DType = spec.dtype.as_numpy_dtype
    found.append(np.full(shape, b"", object) if is_text else np.zeros(shape, dtype))
  return found


def _is_number(kind: type, value: object) -> bool:
  """Tells whether a value is a number of exactly this type that a tensor can hold."""
  if kind is int and type(value) is int:
    return -(2**63) <= value < 2**63
  return type(value) is kind


def _parts(form: NestForm, value: Any) -> list[object]:
  kind: object = type(value)
  if kind is not form.type or len(value) != len(form.parts):
    raise DoesNotFit
  if kind is not dict:
    return list(value)
  if [(type(key), key) for key in value] != [(type(key), key) for key in form.keys]:
    raise DoesNotFit
  return list(value.values())
