"""Lists of unknown length in a body: made of elements that are known, and put together."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import LocalList, Rows


def rows_of_items(frame: Frame, items: Sequence[object]) -> Rows:
  """Returns elements known at conversion as `Rows`."""
  try:
    form: _forms.Form = None
    for value in items:
      other = _forms.generalized(_forms.form_of(value, frame), is_argument=True)
      other = frame.conversion.made_kinds.ended(other)
      form = other if form is None else frame.join(form, other)
    rows = _forms.RowsForm(form)
    length, *tensors = _forms.flatten(LocalList(items), rows, frame)
  except _forms.Mismatch as error:
    raise frame.refuse(Reason.KINDS_DIFFER, f"The elements of a list are {error}.") from None
  return Rows(length, tuple(tensors), rows.element)


def read_numbers(frame: Frame, rows: Rows) -> Rows:
  """Returns elements of the heap that are numbers of one type as these; others as they are."""
  form = rows.form
  if not isinstance(form, _forms.RefForm) or len(form.types) != 1:
    return rows
  (kind,) = form.types
  if kind not in _forms.NUMBERS:
    return rows
  (numbers,) = frame.numbers(rows.tensors[0], form.types)
  numbers = tf.cast(numbers, _forms.dtype_of_number(kind))
  return Rows(rows.length, (numbers,), _forms.NumberForm(kind), rows.type)


def repeated(tensor: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
  """Returns `count` rows, each of which is this tensor."""
  if tensor.shape.rank is None:
    return tf.repeat(tensor[tf.newaxis], count, axis=0)
  return tf.tile(tf.expand_dims(tensor, 0), tf.stack([count, *[1] * tensor.shape.rank]))


def concatenated(frame: Frame, a: Rows, b: Rows) -> Rows:
  """Returns the rows of two lists, one after the other."""
  try:
    (form,) = frame.join(_forms.RowsForm(a.form), _forms.RowsForm(b.form)).children()
    parts = [_forms.flatten(rows, _forms.RowsForm(form), frame) for rows in (a, b)]
    for x, y in zip(parts[0][1:], parts[1][1:], strict=True):
      _forms.check_shapes([x.shape[1:], y.shape[1:]])
  except _forms.Mismatch as error:
    raise frame.refuse(Reason.KINDS_DIFFER, f"The elements of a list are {error}.") from None
  (n, *first), (m, *second) = parts
  tensors = tuple(_joined(x, y) for x, y in zip(first, second, strict=True))
  return Rows(n + m, tensors, form)


def _joined(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
  """Returns two tensors one after the other; without rows, one takes the shape of the other's."""
  if all(tensor.shape[1:].is_fully_defined() for tensor in (x, y)):
    return tf.concat([x, y], tfi.constant(0, tf.int32))
  if x.shape.rank is None or y.shape.rank is None:
    return tf.concat([x, y], tfi.constant(0, tf.int32))  # Their shapes cannot be chosen between.
  shapes = tf.shape(x), tf.shape(y)
  inner = tf.where(shapes[0][0] > 0, shapes[0][1:], shapes[1][1:])
  parts = []
  for tensor, shape in zip((x, y), shapes, strict=True):
    own = tf.where(shape[0] > 0, shape[1:], inner)
    part = tf.reshape(tensor, tf.concat([shape[:1], own], 0))
    part.set_shape([size or None for size in tensor.shape])
    parts.append(part)
  return tf.concat(parts, 0)


def rows_reversed(rows: Rows) -> Rows:
  """Returns rows from the last to the first."""
  return Rows(rows.length, tuple(tf.reverse(t, [0]) for t in rows.tensors), rows.form)


def rows_cleared(rows: Rows) -> Rows:
  """Returns no rows, of the same form."""
  return Rows(tf.constant(0), tuple(t[:0] for t in rows.tensors), rows.form)


def rows_without_last(rows: Rows) -> Rows:
  """Returns rows without the last, which must be there."""
  return Rows(rows.length - 1, tuple(t[:-1] for t in rows.tensors), rows.form)


def rows_without(frame: Frame, rows: Rows, index: tf.Tensor) -> Rows:
  """Returns rows without the one at `index`, which must be there."""
  none = Rows(tf.constant(0), tuple(t[:0] for t in rows.tensors), rows.form)
  return _spliced(frame, rows, index, none, index + 1)


def rows_inserted(frame: Frame, rows: Rows, index: object, value: object) -> Rows:
  """Returns rows with one more before row `index`, counted as `list.insert` does."""
  length = tf.cast(rows.length, tf.int64)
  wide = tf.cast(_forms.as_number(index).tensor, tf.int64)
  from_start = tf.where(wide < 0, tf.maximum(wide, -length) + length, wide)
  at = tf.cast(tf.minimum(from_start, length), tf.int32)
  return _spliced(frame, rows, at, rows_of_items(frame, [value]), at)


def rows_replaced(frame: Frame, rows: Rows, index: tf.Tensor, new: Rows) -> Rows:
  """Returns rows of which the one at `index`, which must be there, is a new one."""
  return _spliced(frame, rows, index, new, index + 1)


def _spliced(frame: Frame, rows: Rows, end: tf.Tensor, new: Rows, start: tf.Tensor) -> Rows:
  """Returns the rows before `end`, new ones, and those from `start` on."""
  before = Rows(end, tuple(t[:end] for t in rows.tensors), rows.form)
  after = Rows(rows.length - start, tuple(t[start:] for t in rows.tensors), rows.form)
  return concatenated(frame, concatenated(frame, before, new), after)


def all_there(frame: Frame, rows: Rows) -> Rows:
  """Returns elements of which none is None: else Python raises, and the run fails."""
  if not isinstance(rows.form, _forms.MaybeForm):
    return rows
  are_there, *tensors = rows.tensors
  frame.demand(tf.reduce_all(are_there))
  return Rows(rows.length, tuple(tensors), rows.form.value, rows.type)
