"""What workers tell one another: TensorFlow's collective ops, and gradients made of few of them.

The ops take a key for each use. One key means one shape for the life of the process, and a new key
for each step would be remembered for ever; so where shapes vary, the key is made of the shape.

No op has a time limit of its own: TensorFlow keeps a thread asleep for each until it is over, which
are thousands for short steps, until no more can be had. `Cluster.guarded` watches over them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

Gradient = Any  # tf.Tensor or tf.IndexedSlices.

# tf.distribute numbers its groups from 1.
_GROUP_KEY = 1_000_000
_LENGTHS_KEY = 1
_FIRST_KEY = 2
# Keys of one place where shapes vary: the place's number times this, and the length.
_LONGEST = 1 << 24
_PLACE_OF_MESSAGES = 1
_LARGEST_PLACE = (1 << 31) // _LONGEST - 1


class Total(NamedTuple):
  """Sums over all workers.

  Attributes:
    gradients: as they were given; rows with the same index of one worker are one row now.
    extras: the same of the other numbers.
    seconds: float64 [], from when this worker was ready to when it had the sums.
  """

  gradients: list[Gradient]
  extras: list[tf.Tensor]
  seconds: tf.Tensor


class Collectives:
  """Collective ops of one worker. All workers have to make the same calls in the same order."""

  def __init__(self, num_workers: int, index: int):
    self._num_workers = num_workers
    self._index = index
    self._options = {"group_size": num_workers, "group_key": _GROUP_KEY, "timeout_seconds": 0.0}
    self._keys = itertools.count(_FIRST_KEY)
    self._places = itertools.count(_PLACE_OF_MESSAGES + 1)
    self._gather_lengths = tf.function(
      lambda value: self._gather(value, _LENGTHS_KEY),
      input_signature=[tf.TensorSpec([1], tf.int32)],
      autograph=False,
    )
    self._gather_words = tf.function(
      lambda value: self._gather(value, _PLACE_OF_MESSAGES * _LONGEST + tf.shape(value)[1]),
      input_signature=[tf.TensorSpec([1, None], tf.int32)],
      autograph=False,
    )

  def total(self, gradients: Sequence[Gradient], extras: Sequence[tf.Tensor]) -> Total:
    """Adds up gradients: dense ones in one reduction, sparse ones as rows, a gather each.

    Args:
      gradients: of one floating type; the dense ones have static shapes.
      extras: of that type, [] or [K], with static shapes: they travel with the dense gradients.
    """
    rows = [_merge_rows(g) for g in gradients if isinstance(g, tf.IndexedSlices)]
    dense = [g for g in gradients if not isinstance(g, tf.IndexedSlices)]
    dtype = gradients[0].dtype
    # How many rows each worker has: its own number in its own place, so that the sum tells all.
    own_place = tf.one_hot(self._index, self._num_workers, dtype=dtype)
    counts = [own_place * tf.cast(tf.shape(g.indices)[0], dtype) for g in rows]
    parts = [*dense, *extras, *counts]
    flat = tf.concat([tf.reshape(part, [-1]) for part in parts], 0)
    with tf.control_dependencies([flat]):
      began = tf.timestamp()
    summed = _split(self._reduce(flat), parts)
    sums, rest = summed[: len(dense)], summed[len(dense) :]
    found = [
      self._gather_rows(g, tf.cast(tf.round(count), tf.int32))
      for g, count in zip(rows, rest[len(extras) :], strict=True)
    ]
    with tf.control_dependencies([*rest, *(g.values for g in found)]):
      seconds = tf.timestamp() - began
    both = {False: iter(sums), True: iter(found)}
    ordered: list[Gradient] = [next(both[isinstance(g, tf.IndexedSlices)]) for g in gradients]
    return Total(ordered, rest[: len(extras)], seconds)

  def exchange(self, message: bytes) -> list[bytes]:
    """Returns the messages of all workers, by their index. Eager."""
    lengths = self._gather_lengths(tf.constant([len(message)])).numpy()
    # Powers of two, so that there are few lengths.
    num_words = 1 << int(np.ceil(np.log2(max(1, lengths.max() / 4))))
    words = np.frombuffer(message.ljust(4 * num_words, b"\0"), np.int32)
    found = self._gather_words(tf.constant(words[np.newaxis])).numpy()
    return [row.tobytes()[:length] for row, length in zip(found, lengths, strict=True)]

  def broadcast(self, variables: Sequence[tf.Variable]) -> None:
    """Gives the variables of all workers the values that those of the first one have. Eager."""
    # A sum in which all others have zeros: TensorFlow's broadcast leaves receivers waiting for ever
    # where several follow one another.
    by_type: dict[tf.DType, list[tf.Variable]] = {}
    for variable in variables:
      by_type.setdefault(variable.dtype, []).append(variable)

    @tf.function(autograph=False)
    def assign() -> None:
      for alike in by_type.values():
        flat = tf.concat([tf.reshape(variable, [-1]) for variable in alike], 0)
        flat = self._reduce(flat if self._index == 0 else tf.zeros_like(flat))
        for variable, value in zip(alike, _split(flat, alike), strict=True):
          variable.assign(value)

    assign()

  def _reduce(self, value: tf.Tensor) -> tf.Tensor:
    return tf.raw_ops.CollectiveReduceV2(
      input=value,
      instance_key=next(self._keys),
      ordering_token=[],
      merge_op="Add",
      final_op="Id",
      communication_hint="ring",
      **self._options,
    )

  def _gather(self, value: tf.Tensor, key: Any) -> tf.Tensor:
    """Returns the values of all workers, one after the other along the first axis."""
    return tf.raw_ops.CollectiveGatherV2(
      input=value,
      instance_key=key,
      ordering_token=[],
      communication_hint="ring",
      **self._options,
    )

  def _gather_rows(self, own: tf.IndexedSlices, counts: tf.Tensor) -> tf.IndexedSlices:
    """Returns the rows of all workers; `counts` [W] says how many each has."""
    place = next(self._places)
    if place > _LARGEST_PLACE:
      raise AssertionError(f"{place} places exchange rows: no keys are left for more.")
    values, dtype = own.values, own.values.dtype
    width = values.shape[1]
    index_type = tf.int64 if dtype.size == 8 else tf.int32
    # An index is one more column of its row, bit by bit: one gather in place of two.
    bits = tf.bitcast(tf.cast(own.indices, index_type), dtype)
    rows = tf.concat([values, bits[:, tf.newaxis]], 1)
    longest = tf.reduce_max(counts)
    padded = tf.pad(rows, [[0, longest - tf.shape(rows)[0]], [0, 0]])
    found = self._gather(padded, place * _LONGEST + longest)
    is_row = tf.reshape(tf.sequence_mask(counts, longest), [-1])
    found = tf.boolean_mask(tf.ensure_shape(found, [None, width + 1]), is_row)
    indices = tf.bitcast(found[:, width], index_type)
    return tf.IndexedSlices(found[:, :width], tf.cast(indices, own.indices.dtype), own.dense_shape)


def _merge_rows(gradient: tf.IndexedSlices) -> tf.IndexedSlices:
  """Adds up rows with the same index: a word that occurs twice travels once."""
  indices, place = tf.unique(gradient.indices)
  values = tf.math.unsorted_segment_sum(gradient.values, place, tf.shape(indices)[0])
  return tf.IndexedSlices(values, indices, gradient.dense_shape)


def _split(flat: tf.Tensor, parts: Sequence[tf.Tensor | tf.Variable]) -> list[tf.Tensor]:
  """Takes apart what was put together from `parts`."""
  sizes = [part.shape.num_elements() for part in parts]
  pieces = tf.split(flat, sizes)
  return [tf.reshape(piece, part.shape) for piece, part in zip(pieces, parts, strict=True)]
