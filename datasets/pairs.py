"""Pairs of sentences with their relatedness, in flat arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import tensorflow as tf

from recursive_tf.datasets.nary import NARY_COLUMNS, PackedNaryTrees
from recursive_tf.datasets.sick import SickPair
from recursive_tf.datasets.vocabulary import Vocabulary


class PairBatch(tf.experimental.ExtensionType):
  """B pairs of trees with N nodes in all, flat as in `NaryBatch`: both trees of a pair in turn.

  Attributes:
    root: int32 [2 B], index of each tree's root.
    nodes: int32 [N, 4], a row of NARY_COLUMNS for each node.
    children: int32 [E].
    relatedness: float32 [B], 1 .. 5.
  """

  root: tf.Tensor
  nodes: tf.Tensor
  children: tf.Tensor
  relatedness: tf.Tensor

  @classmethod
  def field_specs(cls) -> dict[str, tf.TensorSpec]:
    """Returns the types of the fields of any batch: B, N and E unknown."""
    shapes = {"root": [None], "nodes": [None, len(NARY_COLUMNS)], "children": [None]}
    specs = {name: tf.TensorSpec(shape, tf.int32) for name, shape in shapes.items()}
    return {**specs, "relatedness": tf.TensorSpec([None], tf.float32)}

  @classmethod
  def spec(cls) -> tf.TypeSpec:
    """Returns the type of any batch."""
    return cls.Spec(**cls.field_specs())

  @property
  def num_trees(self) -> tf.Tensor:
    """B, int32 []: what a batch is counted in are pairs."""
    return tf.shape(self.relatedness)[0]

  def __tf_tracing_type__(self, context: Any) -> Any:
    # As in TreeBatch: one trace for all sizes.
    return PairBatch.spec().__tf_tracing_type__(context)


@dataclasses.dataclass(frozen=True, eq=False)
class PackedPairs:
  """T pairs of trees.

  Attributes:
    trees: 2 T trees, both of a pair in turn.
    relatedness: float32 [T], 1 .. 5.
  """

  trees: PackedNaryTrees
  relatedness: np.ndarray

  batch_class: ClassVar[type[PairBatch]] = PairBatch

  @classmethod
  def pack(cls, pairs: Sequence[SickPair], vocabulary: Vocabulary) -> PackedPairs:
    """Packs pairs; words that `vocabulary` does not hold become 0."""
    trees = PackedNaryTrees.pack([tree for pair in pairs for tree in (pair.a, pair.b)], vocabulary)
    return cls(trees, np.array([pair.relatedness for pair in pairs], np.float32))

  def __len__(self) -> int:
    return len(self.relatedness)

  @property
  def node_splits(self) -> np.ndarray:
    """Where the nodes of each pair begin, int64 [T + 1]."""
    return self.trees.node_splits[::2]

  def batch_arrays(self, indices: Sequence[int] | np.ndarray) -> dict[str, np.ndarray]:
    """Returns the fields of the batch of the pairs at `indices` [B]; errors as there."""
    indices = np.asarray(indices, np.int64).reshape(-1)
    both = np.stack([2 * indices, 2 * indices + 1], 1).reshape(-1)
    return {**self.trees.batch_arrays(both), "relatedness": self.relatedness[indices]}

  def batch(self, indices: Sequence[int] | np.ndarray) -> PairBatch:
    """Returns the pairs at `indices` [B] as one batch."""
    return PairBatch(**self.batch_arrays(indices))
