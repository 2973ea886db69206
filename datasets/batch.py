"""Batches of packed trees: as one value that `tf.function` and `tf.data` take, or by number."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

FIELD_DTYPES = {
  "word": tf.int32,
  "label": tf.int32,
  "left": tf.int32,
  "right": tf.int32,
  "is_leaf": tf.bool,
  "root": tf.int32,
}


# The columns of a table of nodes, in order.
NODE_COLUMNS = ("word", "left", "right", "label")


class TreeSelection(NamedTuple):
  """Trees of a table of nodes that may hold many more.

  Attributes:
    nodes: int32 [N, 4], a row of NODE_COLUMNS for each node.
    root: int32 [B], the rows of the trees' roots.
  """

  nodes: tf.Tensor
  root: tf.Tensor

  @property
  def num_trees(self) -> tf.Tensor:
    """B, int32 []."""
    return tf.shape(self.root)[0]

  @property
  def places(self) -> tf.Tensor:
    """int32 [N], 0 .. N - 1; see `TreeBatch.places`."""
    return tf.range(tf.shape(self.nodes)[0])


class TreeTable:
  """A packed treebank as a constant of the graph, so that a batch is only the numbers of its trees.

  A recursion finds the nodes from the roots by itself: nothing has to be cut out, renumbered or fed
  for a batch. What a step pays for one sentence in Python falls to that of one small array.

  ```python
  table = TreeTable(packed)

  @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
  def classify(numbers):
    return model.logits(table.select(numbers))
  ```
  """

  def __init__(self, node_splits: np.ndarray, **columns: np.ndarray):
    """Makes the table; `PackedTrees.table` is how to get one.

    Args:
      node_splits: int [T + 1], tree t has the nodes from node_splits[t] to node_splits[t + 1].
      **columns: NODE_COLUMNS, int [N] each, children as positions in the whole.
    """
    stacked = np.stack([columns[name] for name in NODE_COLUMNS], axis=1)
    self._nodes = tf.constant(stacked, tf.int32)
    self._roots = tf.constant(node_splits[1:] - 1, tf.int32)

  def select(self, numbers: tf.Tensor) -> TreeSelection:
    """Returns the trees with these numbers, int32 [B]."""
    return TreeSelection(self._nodes, tf.gather(self._roots, numbers))


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
  def places(self) -> tf.Tensor:
    """int32 [N], where the nodes are in the whole batch, of which this may be a part."""
    return tf.range(self.num_nodes)

  @property
  def num_trees(self) -> tf.Tensor:
    """B, int32 []."""
    return tf.shape(self.root)[0]

  @property
  def num_nodes(self) -> tf.Tensor:
    """N, int32 []."""
    return tf.shape(self.label)[0]

  @property
  def nodes(self) -> tf.Tensor:
    """int32 [N, 4], a row of NODE_COLUMNS for each node."""
    return tf.stack([getattr(self, name) for name in NODE_COLUMNS], axis=1)

  def __tf_tracing_type__(self, context: Any) -> Any:
    # The default type holds N and B, so that tf.function would trace again for nearly every batch.
    return type(self).spec().__tf_tracing_type__(context)


class TreeBatchPart(TreeBatch):
  """Some trees of a batch, with the places that their nodes have in it.

  Attributes:
    place: int32 [N].
  """

  place: tf.Tensor

  @classmethod
  def field_specs(cls) -> dict[str, tf.TensorSpec]:
    """Returns the types of the fields of any part: N and B unknown."""
    return super().field_specs() | {"place": tf.TensorSpec([None], tf.int32)}

  @property
  def places(self) -> tf.Tensor:
    """int32 [N], where the nodes are in the whole batch."""
    return self.place
