"""Batches of trees as a `tf.data.Dataset`, in an order that (seed, epoch) alone decides."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from recursive_tf._errors import DataError
from recursive_tf.datasets.packing import PackedTrees

# Batches that Python makes in one call; fewer if they are large, so that the first need not wait.
_MOST_BATCHES_AT_ONCE = 32
_MOST_TREES_AT_ONCE = 1_000
_NUM_AHEAD = 8  # Batches that are made while one is used.


class Packed(Protocol):
  """Trees in flat arrays, such as `PackedTrees`.

  Attributes:
    batch_class: type of a batch of them, with `field_specs()`.
  """

  @property
  def batch_class(self) -> Any: ...  # noqa: D102

  def __len__(self) -> int: ...

  def batch_arrays(self, indices: Sequence[int] | np.ndarray) -> dict[str, np.ndarray]:
    """Returns the fields of the batch of the trees at `indices`."""


def epoch_order(num_trees: int, seed: int, epoch: int) -> np.ndarray:
  """Returns the order of the trees in one shuffled epoch: a permutation, int64 [num_trees].

  A pure function of its arguments, which is what lets a resumed run see what an uninterrupted one
  would have seen. It sorts raw bits because numpy keeps these the same in every version; what
  `Generator.permutation` returns it may change (NEP 19).
  """
  if seed < 0 or epoch < 0:
    raise DataError(f"epoch_order: seed and epoch must not be negative, got {seed} and {epoch}.")
  bits = np.random.PCG64(np.random.SeedSequence([seed, epoch])).random_raw(num_trees)
  return np.argsort(bits, kind="stable")


def num_batches(num_trees: int, batch_size: int, drop_remainder: bool = False) -> int:
  """Returns the number of batches in one epoch."""
  return num_trees // batch_size if drop_remainder else -(-num_trees // batch_size)


def make_dataset(
  packed: Packed,
  batch_size: int,
  shuffle: bool = True,
  seed: int = 0,
  prefetch: bool = True,
  epochs: int = 1,
  drop_remainder: bool = False,
  *,
  epoch: int = 0,
  start_batch: int = 0,
) -> tf.data.Dataset:
  """Makes a dataset of batches (`TreeBatch` for `PackedTrees`); they never span two epochs.

  To resume, give the epoch and batch to go on from: what follows is exactly what the
  uninterrupted dataset gives from there.

  Args:
    packed: the trees.
    batch_size: trees in a batch; the last of an epoch may be smaller.
    shuffle: whether epoch k runs in `epoch_order(len(packed), seed, k)`, else as packed.
    seed: non-negative integer.
    prefetch: whether to make batches ahead, in a thread of its own. Some are made at once anyway.
    epochs: number of epochs, the first one included.
    drop_remainder: whether to leave out an epoch's smaller last batch.
    epoch: number of the first epoch.
    start_batch: batches of the first epoch to leave out, at most all of them.

  Returns:
    A dataset with `element_spec` `batch_class.spec()` and known cardinality. It can be iterated any
    number of times, with the same result.

  Raises:
    DataError: If an argument is out of range.
  """
  per_epoch = _check_arguments(packed, batch_size, seed, epochs, drop_remainder, epoch, start_batch)

  @functools.lru_cache(maxsize=2)  # What is made at once may reach into the next epoch.
  def order_of(k: int) -> np.ndarray:
    return epoch_order(len(packed), seed, k) if shuffle else np.arange(len(packed))

  def trees_of(number: int) -> np.ndarray:
    k, index = divmod(number, per_epoch)
    return order_of(epoch + k)[index * batch_size : (index + 1) * batch_size]

  batch_class = packed.batch_class

  @tf.autograph.experimental.do_not_convert
  def as_batch(fields: dict[str, tf.Tensor]) -> Any:
    return batch_class(**fields)

  numbers = range(start_batch, epochs * per_epoch)
  at_once = max(1, min(_MOST_BATCHES_AT_ONCE, _MOST_TREES_AT_ONCE // batch_size))
  dataset = _some_at_once(packed, trees_of, numbers, at_once)
  dataset = dataset.map(as_batch)
  dataset = dataset.apply(tf.data.experimental.assert_cardinality(len(numbers)))
  dataset = dataset.prefetch(_NUM_AHEAD) if prefetch else dataset
  # tf.data's tuner sleeps for twice as long each time, and with one inter-op thread nothing wakes
  # it: who lets an iterator go waits for it, as long again as the epoch has taken.
  options = tf.data.Options()
  options.autotune.enabled = False
  return dataset.with_options(options)


def _some_at_once(
  packed: Packed, trees_of: Callable[[int], np.ndarray], numbers: range, at_once: int
) -> tf.data.Dataset:
  """Returns the fields of batches, for which Python is called once for several.

  A call of Python from TensorFlow, with its arrays, takes several times as long as making a batch;
  cutting batches out of what came together takes next to nothing. No state is kept between calls,
  so iterators may be dropped at any time.

  Args:
    packed: the trees.
    trees_of: gives the trees of a batch, int [B], by its number.
    numbers: those of the batches, in their order.
    at_once: how many are made in one call.
  """
  specs = packed.batch_class.field_specs()

  def make_some(first: np.ndarray) -> list[np.ndarray]:
    some = numbers[int(first) : int(first) + at_once]
    fields, splits = _arrays_of(packed, [trees_of(number) for number in some])
    arrays = [
      fields[name].astype(spec.dtype.as_numpy_dtype, copy=False) for name, spec in specs.items()
    ]
    return arrays + [splits[name] for name in specs]

  @tf.autograph.experimental.do_not_convert
  def cut(first: tf.Tensor) -> tf.data.Dataset:
    types = [spec.dtype for spec in specs.values()] + [tf.int64] * len(specs)
    made = tf.numpy_function(make_some, [first], types, stateful=False)
    rows = {}
    for index, (name, spec) in enumerate(specs.items()):
      values, splits = made[index], made[len(specs) + index]
      values.set_shape(spec.shape)
      splits.set_shape([None])
      rows[name] = tf.RaggedTensor.from_row_splits(values, splits, validate=False)
    return tf.data.Dataset.from_tensor_slices(rows)

  return tf.data.Dataset.range(0, len(numbers), at_once).flat_map(cut)


def _arrays_of(
  packed: Packed, parts: Sequence[np.ndarray]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
  """Returns the fields of batches one behind the other, and where each begins, as int64."""
  if isinstance(packed, PackedTrees):
    return packed.batches_arrays(parts)
  made = [packed.batch_arrays(indices) for indices in parts]
  fields = {name: [arrays[name] for arrays in made] for name in made[0]}
  return (
    {name: np.concatenate(arrays) for name, arrays in fields.items()},
    {name: np.cumsum([0, *map(len, arrays)], dtype=np.int64) for name, arrays in fields.items()},
  )


def _check_arguments(
  packed: Packed,
  batch_size: int,
  seed: int,
  epochs: int,
  drop_remainder: bool,
  epoch: int,
  start_batch: int,
) -> int:
  """Returns the number of batches in an epoch; raises DataError when an argument is wrong."""
  if batch_size < 1:
    raise DataError(f"make_dataset: batch_size must be at least 1, got {batch_size}.")
  if min(seed, epochs, epoch) < 0:
    raise DataError(
      "make_dataset: seed, epochs and epoch must not be negative, got "
      f"{seed}, {epochs} and {epoch}."
    )
  per_epoch = num_batches(len(packed), batch_size, drop_remainder)
  if not 0 <= start_batch <= per_epoch:
    raise DataError(
      f"make_dataset: start_batch must be in 0..{per_epoch}, the batches of an epoch of "
      f"{len(packed)} trees; got {start_batch}. Was the batch size changed since the checkpoint?"
    )
  return per_epoch
