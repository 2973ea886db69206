"""Dependency trees whose words have a class: their relation to their head."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import tensorflow as tf

from recursive_tf.datasets.dependencies import DependencyTree
from recursive_tf.datasets.nary import NARY_COLUMNS, PackedNaryTrees
from recursive_tf.datasets.vocabulary import Vocabulary

# The relations of Universal Dependencies 2, all but "root". A treebank may divide them further
# ("acl:relcl"); what stands after the colon does not count here.
# https://universaldependencies.org/u/dep/
UD_RELATIONS = tuple(
  "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse"
  " dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis"
  " punct reparandum vocative xcomp".split()
)
_NUMBER = {name: number for number, name in enumerate(UD_RELATIONS)}
_NO_CLASS = -1


class RelationBatch(tf.experimental.ExtensionType):
  """B dependency trees with N words in all, flat as in `NaryBatch`.

  Attributes:
    root, children: as there.
    nodes: as there; a word's class is the place of its relation in UD_RELATIONS, -1 of roots, and
      of words whose relation is not of them.
    is_left: int32 [N], 1 for words left of their head, else 0.
  """

  root: tf.Tensor
  nodes: tf.Tensor
  children: tf.Tensor
  is_left: tf.Tensor

  @classmethod
  def field_specs(cls) -> dict[str, tf.TensorSpec]:
    """Returns the types of the fields of any batch: N, B and E unknown."""
    shapes = {"nodes": [None, len(NARY_COLUMNS)]}
    names = ("root", "nodes", "children", "is_left")
    return {name: tf.TensorSpec(shapes.get(name, [None]), tf.int32) for name in names}

  @classmethod
  def spec(cls) -> tf.TypeSpec:
    """Returns the type of any batch."""
    return cls.Spec(**cls.field_specs())

  @property
  def num_trees(self) -> tf.Tensor:
    """B, int32 []."""
    return tf.shape(self.root)[0]

  def __tf_tracing_type__(self, context: Any) -> Any:
    # As in TreeBatch: one trace for all sizes.
    return RelationBatch.spec().__tf_tracing_type__(context)


@dataclasses.dataclass(frozen=True, eq=False)
class PackedRelations:
  """T dependency trees with N words in all.

  Attributes:
    trees: the trees, classes as in `RelationBatch`.
    is_left: int32 [N].
  """

  trees: PackedNaryTrees
  is_left: np.ndarray

  batch_class: ClassVar[type[RelationBatch]] = RelationBatch

  @classmethod
  def pack(cls, trees: Sequence[DependencyTree], vocabulary: Vocabulary) -> PackedRelations:
    """Packs trees that have relations; words that `vocabulary` does not hold become 0."""
    # Packing changes the order of the words, so what is known of each goes along as its tag.
    coded = [dataclasses.replace(tree, tags=_codes(tree)) for tree in trees]
    packed = PackedNaryTrees.pack(coded, vocabulary)
    nodes = packed.nodes.copy()
    codes = nodes[:, NARY_COLUMNS.index("label")]
    is_left = codes % 2
    codes[:] = np.where(codes < 2 * len(UD_RELATIONS), codes // 2, _NO_CLASS)
    return cls(dataclasses.replace(packed, nodes=nodes), is_left.astype(np.int32))

  def __len__(self) -> int:
    return len(self.trees)

  @property
  def node_splits(self) -> np.ndarray:
    """Where the words of each tree begin, int64 [T + 1]."""
    return self.trees.node_splits

  @property
  def num_classified(self) -> int:
    """Words that have a class."""
    return int((self.trees.nodes[:, NARY_COLUMNS.index("label")] >= 0).sum())

  def batch_arrays(self, indices: Sequence[int] | np.ndarray) -> dict[str, np.ndarray]:
    """Returns the fields of the batch of the trees at `indices` [B]; errors as there."""
    is_left = self.is_left[self.trees.places(indices)]
    return {**self.trees.batch_arrays(indices), "is_left": is_left}

  def batch(self, indices: Sequence[int] | np.ndarray) -> RelationBatch:
    """Returns the trees at `indices` [B] as one batch."""
    return RelationBatch(**self.batch_arrays(indices))


def _codes(tree: DependencyTree) -> tuple[int, ...]:
  """Returns twice the class of each word, plus 1 left of its head; what has none comes last."""
  names = (relation.partition(":")[0] for relation in tree.relations)
  return tuple(
    2 * (len(UD_RELATIONS) if head < 0 else _NUMBER.get(name, len(UD_RELATIONS)))
    + (position < head)
    for position, (name, head) in enumerate(zip(names, tree.heads, strict=True))
  )
