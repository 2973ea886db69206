"""Programs of `@rtf.recursive` functions over objects, as layers run them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf._errors import DataError, DefinitionError
from recursive_tf.convert import ConversionRefused
from recursive_tf.convert.program._packed import Packed, PackedType
from recursive_tf.datasets.pipeline import epoch_order, num_batches


class ObjectProgram:
  """A recursive function, and the one program of it that a layer runs.

  Which columns are read of objects is found out from objects: `adapt` shows it some. All that are
  given later have to be of that kind.
  """

  def __init__(self, function: Any):
    self._function = function
    self._type: PackedType | None = None

  @property
  def is_adapted(self) -> bool:
    """Whether there is a program yet."""
    return self._type is not None

  @property
  def specs(self) -> tuple[tf.TensorSpec, ...]:
    """Types and shapes of the columns."""
    return self._known_type().specs

  def adapt(self, objects: Sequence[Any]) -> None:
    """Makes the program that reads these objects, and any of their kind."""
    self._type = self._pack(objects).type

  def pack(self, objects: Sequence[Any]) -> tuple[tf.Tensor, ...]:
    """Reads objects into columns; adapts the program to them if that was not done.

    Raises:
      ConversionRefused: If the function cannot be converted.
      DataError: If they are of another kind than those it was adapted to.
    """
    packed = self._pack(objects)
    if self._type is None:
      self._type = packed.type
    return self.unpacked(packed)

  def unpacked(self, packed: Packed) -> tuple[tf.Tensor, ...]:
    """Returns the columns of what `f.pack` returned; errors as `pack`."""
    if self._type is None:
      self._type = packed.type
    if packed.type is not self._type:
      raise DataError(
        f"{self._function.__name__}: these objects need another program than those before: they"
        " have other classes, attributes or shapes. Call `adapt` once with objects of all kinds,"
        " before the layer is used."
      )
    return packed.tensors

  def run(self, columns: Any) -> Any:
    """Runs the program on columns, in any graph."""
    return self._function.map(Packed(tuple(columns), self._known_type()))

  def dataset(
    self,
    objects: Sequence[Any],
    targets: Any,
    batch_size: int,
    shuffle: bool,
    seed: int,
  ) -> tf.data.Dataset:
    """Returns batches (columns, targets), or (columns,); each pass is in another order."""
    if batch_size < 1:
      raise DataError(f"dataset: batch_size must be at least 1, got {batch_size}.")
    if not len(objects):
      raise DataError("dataset: no objects; give at least one.")
    if not self.is_adapted:
      self.adapt(objects)
    labels = None if targets is None else np.asarray(targets)
    if labels is not None and len(labels) != len(objects):
      raise DataError(f"dataset: {len(objects)} objects, but {len(labels)} targets.")
    epochs = iter(range(2**31))

    def generate() -> Iterator[Any]:
      order = np.arange(len(objects))
      if shuffle:
        order = epoch_order(len(objects), seed, next(epochs))
      for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        columns = self.pack([objects[i] for i in chosen])
        # Columns in a tuple: Keras takes a bare pair for inputs and targets.
        yield (columns,) if labels is None else (columns, labels[chosen])

    signature: tuple[Any, ...] = (self.specs,)
    if labels is not None:
      signature += (tf.TensorSpec([None, *labels.shape[1:]], labels.dtype),)
    found = tf.data.Dataset.from_generator(generate, output_signature=signature)
    count = num_batches(len(objects), batch_size)
    return found.apply(tf.data.experimental.assert_cardinality(count)).prefetch(1)

  def _known_type(self) -> PackedType:
    if self._type is None:
      raise DefinitionError(
        f"{self._function.__name__} has no program yet: which columns it reads is found out from"
        " objects. Call the layer's `adapt(objects)`, or `dataset(objects, ...)`, before it is"
        " used in a model."
      )
    return self._type

  def _pack(self, objects: Sequence[Any]) -> Packed:
    objects = list(objects)
    if not objects:
      raise DataError(f"{self._function.__name__}: no objects; give at least one.")
    try:
      return self._function.pack(objects)
    except ConversionRefused:
      # Layers that have no weights yet make them in a plain run; that is the only cure there is.
      function = getattr(self._function, "__func__", self._function)
      function._run_plain(lambda: self._function.python(objects[0]))
      return self._function.pack(objects)
