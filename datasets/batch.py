"""A batch of packed trees as one value that `tf.function` and `tf.data` take."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

FIELD_DTYPES = {
  "word": tf.int32,
  "label": tf.int32,
  "left": tf.int32,
  "right": tf.int32,
  "is_leaf": tf.bool,
  "root": tf.int32,
}


class TreeBatch(tf.experimental.ExtensionType):
  """B trees with N nodes in all, flat: post-order within each tree, trees back to back.

  Batches of any sizes are one type to `tf.function`: it traces once for all of them.

  Attributes:
    word: int32 [N], vocabulary id at leaves, -1 at inner nodes.
    label: int32 [N], class of each node.
    left, right: int32 [N], index of the children in these arrays, -1 at leaves.
    is_leaf: bool [N].
    root: int32 [B], index of each tree's root, which is its last node.
  """

  word: tf.Tensor
  label: tf.Tensor
  left: tf.Tensor
  right: tf.Tensor
  is_leaf: tf.Tensor
  root: tf.Tensor

  def __validate__(self) -> None:
    for name, dtype in FIELD_DTYPES.items():
      value = getattr(self, name)
      if isinstance(value, tf.Tensor):
        tf.debugging.assert_type(value, dtype, f"TreeBatch.{name}")
        value.shape.assert_has_rank(1)

  @classmethod
  def field_specs(cls) -> dict[str, tf.TensorSpec]:
    """Returns the types of the fields of any batch: N and B unknown."""
    return {name: tf.TensorSpec([None], dtype) for name, dtype in FIELD_DTYPES.items()}

  @classmethod
  def spec(cls) -> tf.TypeSpec:
    """Returns the type of any batch."""
    return cls.Spec(**cls.field_specs())

  @property
  def num_trees(self) -> tf.Tensor:
    """B, int32 []."""
    return tf.shape(self.root)[0]

  @property
  def num_nodes(self) -> tf.Tensor:
    """N, int32 []."""
    return tf.shape(self.label)[0]

  def __tf_tracing_type__(self, context: Any) -> Any:
    # The default type holds N and B, so that tf.function would trace again for nearly every batch.
    return TreeBatch.spec().__tf_tracing_type__(context)
