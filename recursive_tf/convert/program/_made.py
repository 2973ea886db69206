"""Objects that a run has made, as Python has them: from the table of a call."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf._ops import kernels
from recursive_tf.convert.values import _forms, _results

_FIRST = -3  # The number of the first one, as in kernels/runtime/made_objects.h.


def new_table() -> tf.Tensor:
  """Returns the number of a table for the objects of one call; it is there as long as the tensor."""
  with tf.init_scope():
    table = kernels.recursive_tf_new_made()
  weakref.finalize(table, _drop, int(table))
  return table


def _drop(number: int) -> None:
  with tf.init_scope():
    kernels.recursive_tf_drop_made(tf.constant(number, tf.int64))


class Objects(list[Any]):
  """The objects of a run by handle, and the table of those that it makes."""

  table: Any = None


def with_made(
  objects: Sequence[Any], forms: Sequence[Any], object_of: Callable[[int], Any]
) -> Callable[[int], Any]:
  """Returns what gives the object of a number, also of one that a run has made.

  Args:
    objects: those of the run.
    forms: of what runs make, by site.
    object_of: gives the others.
  """
  table = getattr(objects, "table", None)
  if table is None:
    return object_of
  made: list[Any] = []

  def found(number: int) -> Any:
    return made[_FIRST - number] if number <= _FIRST else object_of(number)

  sites = kernels.recursive_tf_made_sites(table).numpy().tolist()
  rows = {site: _rows(table, site, forms[site], sites.count(site)) for site in set(sites)}
  for site in sites:  # Each is made after what it is made of.
    made.append(_results.rebuild(forms[site], next(rows[site]), found))
  return found


def _rows(table: tf.Tensor, site: int, form: Any, count: int) -> Iterator[Iterator[Any]]:
  """Yields the tensors of each object of a site."""
  dtypes = [spec.dtype for spec in _forms.specs(form)]
  if not dtypes:
    return iter([iter(())] * count)
  columns = kernels.recursive_tf_made_columns(
    table=table, T=dtypes, num_columns=len(dtypes), site=site
  )
  parts = [_parts(*column) for column in zip(columns.values, columns.shapes, strict=True)]
  return (iter(row) for row in zip(*parts, strict=True))


def _parts(values: tf.Tensor, shapes: tf.Tensor) -> list[tf.Tensor]:
  """Returns one part of all objects."""
  sizes = shapes.numpy()
  count = len(sizes)
  if (sizes == sizes[:1]).all():
    return tf.unstack(tf.reshape(values, [count, *sizes[0]]), num=count)
  ends = np.cumsum(sizes.prod(axis=1, dtype=np.int64))
  starts = [0, *ends[:-1]]
  return [
    tf.reshape(values[start:end], size)
    for start, end, size in zip(starts, ends, sizes, strict=True)
  ]
