"""Batches of trees as a `tf.data.Dataset`, in an order that (seed, epoch) alone decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from recursive_tf._errors import DataError


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
    prefetch: whether to make batches ahead, in a thread of its own.
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

  def generate() -> Iterator[dict[str, np.ndarray]]:
    first = start_batch
    for k in range(epoch, epoch + epochs):
      order = epoch_order(len(packed), seed, k) if shuffle else np.arange(len(packed))
      for index in range(first, per_epoch):
        yield packed.batch_arrays(order[index * batch_size : (index + 1) * batch_size])
      first = 0

  batch_class = packed.batch_class
  signature = batch_class.field_specs()
  dataset = tf.data.Dataset.from_generator(generate, output_signature=signature)
  dataset = dataset.map(lambda fields: batch_class(**fields))
  cardinality = max(0, epochs * per_epoch - start_batch)
  dataset = dataset.apply(tf.data.experimental.assert_cardinality(cardinality))
  return dataset.prefetch(tf.data.AUTOTUNE) if prefetch else dataset


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
