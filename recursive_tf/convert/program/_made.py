"""Objects that a run has made, as Python has them: from the table of a call."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf._ops import kernels
from recursive_tf.convert.values import _forms

# By the name of a type of tensors: the "numbers" of objects, and the "values" of their tensors.
Traces = dict[str, dict[str, tf.Tensor]]
_FIRST = -3  # The number of the first one, as in kernels/runtime/made_objects.h.


def new_table() -> tf.Tensor:
  """Returns the number of a table for the objects of one call, which lasts as long as it."""
  with tf.init_scope():
    table = kernels.recursive_tf_new_made()
  weakref.finalize(table, _drop, int(table)).atexit = False
  return table


def _drop(number: int) -> None:
  with tf.init_scope():
    kernels.recursive_tf_drop_made(tf.constant(number, tf.int64))


class Objects(list[object]):
  """The objects of a run by handle, and the table of those that it makes."""

  table: object = None


class _Unmade:
  """Stands for what could not be made."""

  def __init__(self, error: Exception):
    self.error = error


def with_made(
  objects: Sequence[object],
  forms: Sequence[_forms.BaseForm],
  object_of: Callable[[int], object],
  traces: Traces | None = None,
) -> Callable[[int], object]:
  """Returns what gives the object of a number, also of one that a run has made.

  Args:
    objects: those of the run.
    forms: of what runs make, by site.
    object_of: gives the others.
    traces: what a tape sees of the tensors in them; None if none is to see them.
  """
  table = getattr(objects, "table", None)
  if table is None:
    return object_of
  made: list[object] = []

  def found(number: int) -> object:
    value = made[_FIRST - number] if number <= _FIRST else object_of(number)
    if isinstance(value, _Unmade):
      raise value.error
    return value

  source = _Numbers(found)
  sites = kernels.recursive_tf_made_sites(table).numpy().tolist()
  rows = {site: _rows(table, site, forms[site], count) for site, count in Counter(sites).items()}
  parts: Iterator[Iterator[object]] = (next(rows[site]) for site in sites)
  if traces is not None:
    parts = iter(_traced([forms[site] for site in sites], [*map(list, parts)], traces))
  for site, own in zip(sites, parts, strict=True):  # Each is made after what it is made of.
    try:
      made.append(forms[site].rebuild(own, source))
    except Exception as error:  # Of what is not there on the run's way, and nothing else has.
      made.append(_Unmade(error))
  return found


def _rows(
  table: tf.Tensor, site: int, form: _forms.BaseForm, count: int
) -> Iterator[Iterator[object]]:
  """Yields the parts of each object of a site, as NumPy has them."""
  dtypes = [spec.dtype for spec in _forms.specs(form)]
  if not dtypes:
    return iter([iter(())] * count)
  columns = kernels.recursive_tf_made_columns(
    table=table, T=dtypes, num_columns=len(dtypes), site=site
  )
  parts = [_parts(*column) for column in zip(columns.values, columns.shapes, strict=True)]
  return (iter(row) for row in zip(*parts, strict=True))


def _parts(values: tf.Tensor, shapes: tf.Tensor) -> object:
  """Returns one part of all objects."""
  numbers, sizes = values.numpy(), shapes.numpy()
  if (sizes == sizes[:1]).all():
    return numbers.reshape([len(sizes), *sizes[0]])
  ends = np.cumsum(sizes.prod(axis=1, dtype=np.int64))
  starts = [0, *ends[:-1]]
  return [
    numbers[start:end].reshape(size) for start, end, size in zip(starts, ends, sizes, strict=True)
  ]


class _Traced(np.ndarray):
  """What a tensor holds, with the tensor as a tape sees it."""

  of_tape: tf.Tensor | None = None


def _traced(
  forms: Sequence[_forms.BaseForm], parts: list[list[object]], traces: Traces
) -> list[Iterator[object]]:
  """Returns the parts of all objects, of which those that may have gradients are traced.

  Args:
    forms: of the objects.
    parts: theirs.
    traces: what a tape sees of them. Making an object of which it does not see all is an error,
      which is told only if anything holds it.
  """
  lost: set[int] = set()
  places: dict[str, dict[int, list[int]]] = {}
  for i, form in enumerate(forms):
    if _forms.has_gradients(form):
      for j, dtype in enumerate(spec.dtype for spec in _forms.specs(form)):
        if dtype.is_floating:
          places.setdefault(dtype.name, {}).setdefault(i, []).append(j)
  for dtype, wanted in places.items():
    order = [_FIRST - number for number in traces[dtype]["numbers"].numpy().tolist()]
    if len({*order}) != len(order) or not {*order} <= {*wanted}:
      raise AssertionError("A tape sees tensors that are in nothing that a run has made.")
    lost |= {*wanted} - {*order}
    found = [(i, j) for i in order for j in wanted[i]]
    pieces = tf.split(traces[dtype]["values"], [np.asarray(parts[i][j]).size for i, j in found])
    for (i, j), piece in zip(found, pieces, strict=True):
      parts[i][j] = _with_trace(parts[i][j], tf.reshape(piece, np.asarray(parts[i][j]).shape))
  return [_lost() if i in lost else iter(own) for i, own in enumerate(parts)]


def _lost() -> Iterator[object]:
  """Stands for the parts of an object that was made on the way to something else."""
  raise AssertionError("A tape does not see all tensors in what a run has made.")
  yield


def _with_trace(part: object, tensor: tf.Tensor) -> _Traced:
  found = np.asarray(part).view(_Traced)
  found.of_tape = tensor
  return found


class _Numbers(_forms.Source):
  """Where Python values are made of parts that NumPy has already."""

  def numbers(self, part: object) -> object:
    return part

  def tensor(self, part: object, dtype: tf.DType) -> object:
    return part.of_tape if isinstance(part, _Traced) else tf.constant(part, dtype)

  def elements(self, part: Any, length: int) -> Sequence[object]:
    if isinstance(part, _Traced):
      return [*map(_with_trace, part, tf.unstack(part.of_tape, num=length))]
    found: Sequence[object] = part
    return found
