"""Trees of any number of children, with words at any node, in flat arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import tensorflow as tf

from recursive_tf._errors import DataError
from recursive_tf.datasets.dependencies import DependencyTree
from recursive_tf.datasets.tree import Tree
from recursive_tf.datasets.vocabulary import Vocabulary

# The columns of `NaryBatch.nodes`, in order.
NARY_COLUMNS = ("word", "label", "first_child", "num_children")


class NarySelection(NamedTuple):
  """B trees as three tensors: what `NaryBatch` has, as a model reads it.

  Attributes:
    root: int32 [B], index of each tree's root.
    nodes: int32 [N, 4], a row of NARY_COLUMNS for each node.
    children: int32 [E], the children of all nodes, those of a node side by side.
  """

  root: tf.Tensor
  nodes: tf.Tensor
  children: tf.Tensor

  @property
  def num_trees(self) -> tf.Tensor:
    """B, int32 []."""
    return tf.shape(self.root)[0]

  @property
  def num_nodes(self) -> tf.Tensor:
    """N, int32 []."""
    return tf.shape(self.nodes)[0]


class NaryBatch(tf.experimental.ExtensionType):
  """B trees with N nodes in all, flat: post-order within each tree, trees back to back.

  Attributes:
    root: int32 [B], index of each tree's root, which is its last node.
    nodes: int32 [N, 4], a row of NARY_COLUMNS for each node: vocabulary id of its word, -1 where it
      has none; its class, negative where it has none; where its children begin in `children`, and
      how many they are.
    children: int32 [E], indices of nodes, the children of a node side by side, from left to right.
  """

  root: tf.Tensor
  nodes: tf.Tensor
  children: tf.Tensor

  @classmethod
  def field_specs(cls) -> dict[str, tf.TensorSpec]:
    """Returns the types of the fields of any batch: N, B and E unknown."""
    shapes = {"root": [None], "nodes": [None, len(NARY_COLUMNS)], "children": [None]}
    return {name: tf.TensorSpec(shape, tf.int32) for name, shape in shapes.items()}

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
    return tf.shape(self.nodes)[0]

  def __tf_tracing_type__(self, context: Any) -> Any:
    # As in TreeBatch: one trace for all sizes.
    return NaryBatch.spec().__tf_tracing_type__(context)


@dataclasses.dataclass(frozen=True, eq=False)
class PackedNaryTrees:
  """T trees with N nodes in all; post-order within each tree, trees back to back.

  Attributes:
    nodes: int32 [N, 4], a row of NARY_COLUMNS for each node; `first_child` counts from the first
      child of the tree.
    children: int32 [E], indices of nodes counted within the tree. Each node but the roots is in it
      once.
    node_splits: int64 [T + 1], tree t is nodes `node_splits[t]` up to `node_splits[t + 1]`.
  """

  nodes: np.ndarray
  children: np.ndarray
  node_splits: np.ndarray

  batch_class: ClassVar[type[NaryBatch]] = NaryBatch

  def __post_init__(self) -> None:
    _check(self)

  @classmethod
  def pack(cls, trees: Iterable[Tree | DependencyTree], vocabulary: Vocabulary) -> PackedNaryTrees:
    """Packs trees, of any depth.

    Args:
      trees: constituency trees, with any number of children; or dependency trees, whose nodes are
        their words, with the words' tags as classes.
      vocabulary: gives the ids; words it does not hold become 0.
    """
    rows: list[tuple[int, int, int, int]] = []
    children: list[int] = []
    splits = [0]
    for tree in trees:
      own = _tree_of(tree) if isinstance(tree, DependencyTree) else tree
      _pack_one(own, vocabulary, rows, children, len(children))
      splits.append(len(rows))
    return cls(
      nodes=np.array(rows, np.int32).reshape(-1, len(NARY_COLUMNS)),
      children=np.array(children, np.int32),
      node_splits=np.array(splits, np.int64),
    )

  def __len__(self) -> int:
    return len(self.node_splits) - 1

  @property
  def num_nodes(self) -> int:
    """Number of nodes of all trees."""
    return len(self.nodes)

  @property
  def max_children(self) -> int:
    """The most children that a node has."""
    return int(self.nodes[:, 3].max(initial=0))

  def places(self, indices: Sequence[int] | np.ndarray) -> np.ndarray:
    """Returns where the nodes of the trees at `indices` are in these arrays, int64 [N of these].

    Raises:
      DataError: If an index is not in 0 .. T - 1.
    """
    indices = np.asarray(indices, np.int64).reshape(-1)
    if indices.size and not (0 <= indices.min() and indices.max() < len(self)):
      raise DataError(f"PackedNaryTrees: a tree index is not in 0..{len(self) - 1}: {indices}")
    starts = self.node_splits[indices]
    lengths = self.node_splits[indices + 1] - starts
    first_nodes = np.cumsum(lengths) - lengths
    return np.arange(lengths.sum()) + np.repeat(starts - first_nodes, lengths)

  def batch_arrays(self, indices: Sequence[int] | np.ndarray) -> dict[str, np.ndarray]:
    """Returns the fields of `batch(indices)` as numpy arrays; no Python work per node.

    Args:
      indices: int [B], trees to take; repeats are allowed.

    Raises:
      DataError: If an index is not in 0 .. T - 1.
    """
    indices = np.asarray(indices, np.int64).reshape(-1)
    places = self.places(indices)
    starts = self.node_splits[indices]
    lengths = self.node_splits[indices + 1] - starts
    first_nodes = np.cumsum(lengths) - lengths
    nodes = self.nodes[places]
    # A tree of n nodes has n - 1 children, so both lie where the nodes are, less a place a tree.
    edges = lengths - 1
    first_edges = np.cumsum(edges) - edges
    chosen = np.arange(edges.sum()) + np.repeat(starts - indices - first_edges, edges)
    shifts = np.stack([np.zeros_like(first_edges)] * 2 + [first_edges, np.zeros_like(edges)], 1)
    return {
      "root": (first_nodes + lengths - 1).astype(np.int32),
      "nodes": (nodes + np.repeat(shifts, lengths, axis=0)).astype(np.int32),
      "children": (self.children[chosen] + np.repeat(first_nodes, edges)).astype(np.int32),
    }

  def batch(self, indices: Sequence[int] | np.ndarray) -> NaryBatch:
    """Returns the trees at `indices` [B] as one batch; arguments and errors as `batch_arrays`."""
    return NaryBatch(**self.batch_arrays(indices))


def _check(packed: PackedNaryTrees) -> None:
  """Raises DataError unless the arrays are trees: a wrong index would recurse for ever."""
  nodes, children, splits = packed.nodes, packed.children, packed.node_splits
  num_trees = len(splits) - 1
  shapes = f"{nodes.shape}, {children.shape} and {splits.shape}"
  is_table = nodes.ndim == 2 and nodes.shape[1] == len(NARY_COLUMNS)
  if not is_table or children.ndim != 1 or splits.ndim != 1 or not splits.size:
    raise DataError(f"PackedNaryTrees: expected arrays [N, 4], [E] and [T + 1], got {shapes}.")
  lengths = np.diff(splits)
  is_split = splits[0] == 0 and splits[-1] == len(nodes) and (lengths > 0).all()
  if not is_split or len(children) != len(nodes) - num_trees:
    raise DataError(
      "PackedNaryTrees: `node_splits` must rise from 0 to the number of nodes, and each node but"
      f" the roots must be a child once; got arrays {shapes}."
    )
  tree = np.repeat(np.arange(num_trees), lengths)
  position = np.arange(len(nodes)) - splits[:-1][tree]
  counts, firsts = nodes[:, 3], nodes[:, 2]
  # In post-order the children of the nodes before come first, and children before their parents.
  before = np.cumsum(counts) - counts
  in_order = (counts >= 0).all() and (firsts == before - (splits[:-1] - np.arange(num_trees))[tree])
  below = np.zeros(len(children), bool)
  if np.all(in_order) and counts.sum() == len(children):
    parents = np.repeat(position, counts)
    below = (children >= 0) & (children < parents)
  if not below.all() or not np.all(in_order):
    raise DataError(
      "PackedNaryTrees: the nodes are not in post-order, or their children do not lie side by side"
      " before them. Make them with PackedNaryTrees.pack."
    )


def _pack_one(
  tree: Tree,
  vocabulary: Vocabulary,
  rows: list[tuple[int, int, int, int]],
  children: list[int],
  first_edge: int,
) -> None:
  """Appends the nodes and edges of one tree, whose edges begin at `first_edge`."""
  open_nodes: list[int] = []  # Nodes complete so far whose parent is still to come.
  for position, node in enumerate(tree.post_order()):
    word = -1 if node.word is None else vocabulary.lookup(node.word)
    count = len(node.children)
    start = len(open_nodes) - count
    rows.append((word, node.label, len(children) - first_edge, count))
    children += open_nodes[start:]
    open_nodes[start:] = [position]


def _tree_of(tree: DependencyTree) -> Tree:
  """Returns a dependency tree as nested nodes: its words, with their tags as labels."""
  dependents: list[list[int]] = [[] for _ in tree.words]
  for position, head in enumerate(tree.heads):
    if head >= 0:
      dependents[head].append(position)
  made: dict[int, Tree] = {}
  order, agenda = [], [tree.root]
  while agenda:
    position = agenda.pop()
    order.append(position)
    agenda += dependents[position]
  for position in reversed(order):
    below = tuple(made[child] for child in dependents[position])
    made[position] = Tree(tree.tags[position], tree.words[position], below)
  return made[tree.root]
