"""What workers tell one another: TensorFlow's collective ops, and gradients made of few of them.

The ops take a key for each use. One key means one shape for the life of the process, and a new key
for each step would be remembered for ever; so where shapes vary, the key is made of the shape.

No op has a time limit of its own: TensorFlow keeps a thread asleep for each until it is over, which
are thousands for short steps, until no more can be had. `Cluster.guarded` watches over them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from recursive_tf.distribute.traffic import BYTES_PER_MESSAGE, gathers_dense

Gradient = Any  # tf.Tensor or tf.IndexedSlices.
# From a sum of what is flat, the numbers of rows [W] of each table.
_CountsOf = Callable[[tf.Tensor], list[tf.Tensor]]

# tf.distribute numbers its groups from 1.
_GROUP_KEY = 1_000_000
_LENGTHS_KEY = 1
_FIRST_KEY = 2
# Keys of one place where shapes vary: the place's number times this, and the length.
_LONGEST = 1 << 24
_PLACE_OF_MESSAGES = 1
# There is room for a multiple of so many rows: each length is a key that is kept.
_ROOM_STEP = 64
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
  """Collective ops of one worker. All workers have to make the same calls in the same order.

  Attributes:
    bytes_per_message: how many bytes more are worth a message less, in graphs that are made later.
  """

  def __init__(self, num_workers: int, index: int):
    self._num_workers = num_workers
    self._index = index
    self._options = {"group_size": num_workers, "group_key": _GROUP_KEY, "timeout_seconds": 0.0}
    self.bytes_per_message: float = BYTES_PER_MESSAGE
    # By place, how many rows there is room for beside the dense gradients.
    self._room = tf.Variable(tf.zeros([_LARGEST_PLACE + 1], tf.int32), trainable=False)
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
    """Adds up gradients, sparse ones as rows: all in one gather, or in a reduction and gathers.

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
    tables = [_with_indices(g) for g in rows]
    with tf.control_dependencies([flat, *tables]):
      began = tf.timestamp()
    num_bytes = flat.shape.num_elements() * dtype.size
    is_gathered = gathers_dense(self._num_workers, num_bytes, self.bytes_per_message)
    add_up = self._gather_all if is_gathered else self._reduce_and_gather
    summed, found = add_up(flat, tables, lambda flat: _counts(_split(flat, parts), len(rows)))
    pieces = _split(summed, parts)
    sums, rest = pieces[: len(dense)], pieces[len(dense) :]
    with tf.control_dependencies([summed, *found]):
      seconds = tf.timestamp() - began
    merged = [_without_indices(own, table) for own, table in zip(rows, found, strict=True)]
    both = {False: iter(sums), True: iter(merged)}
    ordered: list[Gradient] = [next(both[isinstance(g, tf.IndexedSlices)]) for g in gradients]
    return Total(ordered, rest[: len(extras)], seconds)

  def _reduce_and_gather(
    self, flat: tf.Tensor, tables: Sequence[tf.Tensor], counts_of: _CountsOf
  ) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """Adds up `flat` [F] in a reduction; gathers the rows of each table, one after another."""
    summed = self._reduce(flat)
    found = []
    for table, counts in zip(tables, counts_of(summed), strict=True):
      rows = self._gather_rows(table, tf.reduce_max(counts), self._next_place())
      found.append(_rows_that_are(rows, counts))
    return summed, found

  def _gather_all(
    self, flat: tf.Tensor, tables: Sequence[tf.Tensor], counts_of: _CountsOf
  ) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """Adds up `flat` [F] and gathers the rows of all tables in one gather.

    How many rows others have is not known before. There is room for as many as anyone has had
    until now; what does not fit comes in a gather of its own, and next time there is room for it.
    """
    size = flat.shape.num_elements()
    widths = [table.shape[1] for table in tables]
    most = (_LONGEST - 1 - size) // max(1, sum(widths))
    places = [self._next_place() for _ in tables]
    room_now = tf.unstack(tf.gather(self._room, tf.constant(places, tf.int32)), len(tables))
    first = [_padded(table[:rows], rows) for table, rows in zip(tables, room_now, strict=True)]
    sizes = [rows * width for rows, width in zip(room_now, widths, strict=True)]
    message = tf.concat([flat, *(tf.reshape(rows, [-1]) for rows in first)], 0)
    key = self._next_place() * _LONGEST + tf.shape(message)[0]
    messages = self._gather(message[tf.newaxis], key)
    all_flat, *all_first = tf.split(messages, [size, *sizes], 1)
    # In the order of the workers on each of them: all have the same sum, bit by bit.
    summed = tf.ensure_shape(tf.reduce_sum(all_flat, 0), [size])
    all_counts = counts_of(summed)
    found = []
    for k, (table, counts) in enumerate(zip(tables, all_counts, strict=True)):
      longest = tf.reduce_max(counts)
      received = tf.reshape(all_first[k], [self._num_workers, room_now[k], table.shape[1]])
      rest = self._rest_of_rows(table, room_now[k], longest, places[k])
      found.append(_rows_that_are(tf.concat([received, rest], 1), counts))
      # All workers see the same numbers, so they have the same room.
      needed = tf.minimum(-(-longest // _ROOM_STEP) * _ROOM_STEP, most)
      self._room.scatter_max(tf.IndexedSlices(needed, tf.constant(places[k])))
    return summed, found

  def _rest_of_rows(
    self, table: tf.Tensor, room: tf.Tensor, longest: tf.Tensor, place: int
  ) -> tf.Tensor:
    """Returns the rows [W, R, D] of all workers that there was no room for; R may be 0."""
    nothing = tf.zeros([self._num_workers, 0, table.shape[1]], table.dtype)
    return tf.cond(
      longest > room,
      lambda: self._gather_rows(table[room:], longest - room, place),
      lambda: nothing,
    )

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

  def _gather_rows(self, table: tf.Tensor, longest: tf.Tensor, place: int) -> tf.Tensor:
    """Returns the rows [W, longest, D] of all workers, padded to the number of the longest."""
    found = self._gather(_padded(table, longest), place * _LONGEST + longest)
    return tf.reshape(found, [self._num_workers, longest, table.shape[1]])

  def _next_place(self) -> int:
    place = next(self._places)
    if place > _LARGEST_PLACE:
      raise AssertionError(f"{place} places exchange rows: no keys are left for more.")
    return place


def _with_indices(rows: tf.IndexedSlices) -> tf.Tensor:
  """Returns rows [K, D + 1]: an index is one more column, bit by bit."""
  bits = tf.bitcast(tf.cast(rows.indices, _index_type(rows.dtype)), rows.dtype)
  return tf.concat([rows.values, bits[:, tf.newaxis]], 1)


def _without_indices(like: tf.IndexedSlices, table: tf.Tensor) -> tf.IndexedSlices:
  """Takes apart what `_with_indices` has put together, of a table such as `like`."""
  width = like.values.shape[1]
  table = tf.ensure_shape(table, [None, width + 1])
  indices = tf.bitcast(table[:, width], _index_type(like.dtype))
  return tf.IndexedSlices(table[:, :width], tf.cast(indices, like.indices.dtype), like.dense_shape)


def _index_type(dtype: tf.DType) -> tf.DType:
  return tf.int64 if dtype.size == 8 else tf.int32


def _padded(table: tf.Tensor, num_rows: tf.Tensor) -> tf.Tensor:
  return tf.pad(table, [[0, num_rows - tf.shape(table)[0]], [0, 0]])


def _rows_that_are(padded: tf.Tensor, counts: tf.Tensor) -> tf.Tensor:
  """Returns the rows [K, D] of [W, R, D], of which worker w has `counts[w]`; by worker."""
  return tf.boolean_mask(padded, tf.sequence_mask(counts, tf.shape(padded)[1]))


def _counts(pieces: Sequence[tf.Tensor], num_tables: int) -> list[tf.Tensor]:
  """Returns how many rows each worker has [W], from the last pieces: one for each table."""
  last = pieces[len(pieces) - num_tables :]
  return [tf.cast(tf.round(count), tf.int32) for count in last]


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
