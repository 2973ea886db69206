"""Objects read into tensors, as an argument of a tf.function."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence

import tensorflow as tf


@dataclasses.dataclass(frozen=True, eq=False)
class PackedType(tf.types.experimental.TraceType):
  """What a tf.function is traced for: all packed objects of a program are of one type.

  Equal only to itself.

  Attributes:
    function: the recursive function that they are for.
    owner: returns the object whose method it is, where it is one; () otherwise.
    version: which of its programs.
    mapped: the arguments of which there are several rows.
    specs: of the tensors; what depends on the number of objects is None.
    rows: which of the tensors have a row for each tree.
  """

  function: Callable[..., object]
  owner: Callable[[], object]
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


class Packed:
  """Objects read into tensors, to be passed into a tf.function; from `pack`.

  `len` of it is the number of trees.

  Attributes:
    tensors: what a run is fed.
    type: what they are for.
  """

  def __init__(self, tensors: Sequence[tf.Tensor], type: PackedType):
    self.tensors = tuple(tensors)
    self.type = type

  def __len__(self) -> int:
    """Returns the number of trees.

    Raises:
      ValueError: While a tf.function is traced, where it is not known.
    """
    count: int | None = self.tensors[min(self.type.rows)].shape[0]
    if count is None:
      raise ValueError("How many trees are packed is not known while a tf.function is traced.")
    return count

  def __bool__(self) -> bool:
    """Packed trees are true, while a tf.function is traced, too: `pack` takes at least one."""
    return True

  def __repr__(self) -> str:
    """Describes what is packed."""
    return f"<objects packed for '{self.type.function.__name__}'>"

  def take(self, indices: object) -> Packed:
    """Returns some of the packed trees, to be mapped over; nothing is read again.

    ```python
    trees = encode.pack(all_trees)  # Once.
    step = rtf.prepare(lambda batch: train(trees.take(batch)), tf.TensorSpec([None], tf.int32))
    ```

    Args:
      indices: their numbers among those given to `pack`, ints [B]; repeated as they are.

    Returns:
      B trees, as of `pack`, in this order.

    Raises:
      ValueError: If these are no ints [B].
      tf.errors.InvalidArgumentError: If there is no such tree; in a graph, when it runs.
    """
    numbers = _numbers(indices)
    if tf.executing_eagerly():
      wrong = [n for n in numbers.numpy().tolist() if not 0 <= n < len(self)]
      if wrong:
        raise tf.errors.InvalidArgumentError(
          None, None, f"take: there is no tree {wrong[0]}; {len(self)} are packed, from 0 on."
        )
    tensors = enumerate(self.tensors)
    return Packed(
      [tf.gather(one, numbers) if i in self.type.rows else one for i, one in tensors], self.type
    )

  def __tf_flatten__(self) -> tuple[PackedType, tuple[tuple[tf.Tensor, ...]]]:
    """Returns what tf.nest keeps, and what it maps over: the tensors."""
    return self.type, (self.tensors,)

  @classmethod
  def __tf_unflatten__(cls, type_: PackedType, components: tuple[Sequence[tf.Tensor]]) -> Packed:
    """Makes it of what `__tf_flatten__` gave."""
    return cls(components[0], type_)

  def __tf_tracing_type__(self, context: object) -> PackedType:
    """Returns the type, by which a tf.function is traced once for all trees."""
    return self.type


def _numbers(indices: object) -> tf.Tensor:
  """Returns numbers of trees as a tensor, int32 or int64 [B]."""
  if isinstance(indices, (list, tuple)) and not indices:
    return tf.zeros([0], tf.int32)  # Of no type of its own.
  if isinstance(indices, (tf.RaggedTensor, tf.SparseTensor)):
    found, kind = None, type(indices).__name__
  else:
    found = tf.convert_to_tensor(indices)
    kind = f"{found.dtype.name}{found.shape}"
  if found is None or not (found.dtype.is_integer and found.shape.rank == 1):
    raise ValueError(f"take: indices are {kind}. Give numbers of trees: ints [B].")
  return found if found.dtype in (tf.int32, tf.int64) else tf.cast(found, tf.int64)
