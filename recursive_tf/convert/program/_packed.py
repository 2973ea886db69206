"""Objects read into tensors, as an argument of a tf.function."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import tensorflow as tf


@dataclasses.dataclass(frozen=True, eq=False)
class PackedType(tf.types.experimental.TraceType):
  """What a tf.function is traced for: all packed objects of a program are of one type.

  Equal only to itself.

  Attributes:
    function: the recursive function that they are for.
    version: which of its programs.
    mapped: the arguments of which there are several rows.
    specs: of the tensors; what depends on the number of objects is None.
    rows: which of the tensors have a row for each tree.
  """

  function: Callable[..., object]
  version: int
  mapped: frozenset[str]
  specs: tuple[tf.TensorSpec, ...]
  rows: frozenset[int]

  def is_subtype_of(self, other: object) -> bool:
    """Tells whether a tf.function traced for `other` can be used."""
    return self is other

  def most_specific_common_supertype(self, others: Sequence[object]) -> PackedType | None:
    """Returns what covers all; there is none but themselves."""
    return self if all(self is other for other in others) else None

  def placeholder_value(self, placeholder_context: object) -> Packed:
    """Returns what stands for the objects while a graph is made."""
    tensors = tuple(spec.placeholder_value(placeholder_context) for spec in self.specs)
    return Packed(tensors, self)

  def to_tensors(self, value: Packed) -> list[tf.Tensor]:
    """Returns the tensors."""
    return list(value.tensors)

  def from_tensors(self, tensors: Iterator[tf.Tensor]) -> Packed:
    """Makes packed objects of tensors."""
    return Packed(tuple(next(tensors) for _ in self.specs), self)

  def flatten(self) -> list[tf.TensorSpec]:
    """Returns the types of the tensors."""
    return list(self.specs)

  def __eq__(self, other: object) -> bool:
    """Tells whether it is the same."""
    return self is other

  def __hash__(self) -> int:
    """Returns a hash of its identity."""
    return id(self)

  def cast(self, value: Packed, cast_context: object) -> Packed:
    """Returns the objects as they are."""
    del cast_context
    return value


class Packed(NamedTuple):
  """Objects read into tensors, to be passed into a tf.function; from `pack`.

  Attributes:
    tensors: what a run is fed.
    type: what they are for.
  """

  tensors: tuple[tf.Tensor, ...]
  type: PackedType

  def take(self, indices: object) -> Packed:
    """Returns some of the packed trees, to be mapped over; nothing is read again.

    ```python
    trees = encode.pack(all_trees)  # Once.
    step = rtf.prepare(lambda batch: train(trees.take(batch)), tf.TensorSpec([None], tf.int32))
    ```

    Args:
      indices: their numbers among those given to `pack`, int32 or int64 [B]; repeated as they are.

    Returns:
      B trees, as of `pack`, in this order.

    Raises:
      tf.errors.InvalidArgumentError: If there is no such tree, when the trees are used.
    """
    found = tf.convert_to_tensor(indices)
    if isinstance(indices, (list, tuple)) and not indices:
      found = tf.zeros([0], tf.int32)  # Of no type of its own.
    if not (found.dtype.is_integer and found.shape.rank == 1):
      raise ValueError(
        f"take: indices are {found.dtype.name}{found.shape}. Give numbers of trees: ints [B]."
      )
    tensors = enumerate(self.tensors)
    return Packed(
      tuple(tf.gather(one, found) if i in self.type.rows else one for i, one in tensors), self.type
    )

  def __tf_tracing_type__(self, context: object) -> PackedType:
    """Returns the type, by which a tf.function is traced once for all trees."""
    return self.type
