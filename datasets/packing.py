"""A whole treebank in flat arrays: packed once, batched by slices."""

from __future__ import annotations

import dataclasses
import os
import zipfile
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from recursive_tf._errors import DataError
from recursive_tf.datasets.batch import TreeBatch, TreeTable
from recursive_tf.datasets.tree import Tree
from recursive_tf.datasets.vocabulary import Vocabulary

_NODE_FIELDS = ("word", "label", "left", "right")


@dataclasses.dataclass(frozen=True, eq=False)
class PackedTrees:
  """T binary trees with N nodes in all; post-order within each tree, trees back to back.

  Immutable, the arrays too; any number of threads may read it.

  Attributes:
    word: int32 [N], vocabulary id at leaves, -1 at inner nodes.
    label: int32 [N], class of each node.
    left, right: int32 [N], index of the children counted within the tree, -1 at leaves.
    node_splits: int64 [T + 1], tree t is nodes `node_splits[t]` up to `node_splits[t + 1]`.
  """

  word: np.ndarray
  label: np.ndarray
  left: np.ndarray
  right: np.ndarray
  node_splits: np.ndarray

  batch_class: ClassVar[type[TreeBatch]] = TreeBatch

  def __post_init__(self) -> None:
    for field in dataclasses.fields(self):
      dtype = np.int64 if field.name == "node_splits" else np.int32
      # A view, so that the caller's own array stays writable.
      array = np.asarray(getattr(self, field.name), dtype).view()
      array.flags.writeable = False
      object.__setattr__(self, field.name, array)
    _check(self)

  @classmethod
  def pack(cls, trees: Sequence[Tree], vocabulary: Vocabulary) -> PackedTrees:
    """Packs `trees`, of any depth.

    Args:
      trees: T binary trees with a word at each leaf.
      vocabulary: gives the ids; words it does not hold become 0.

    Raises:
      DataError: If a node has other than 0 or 2 children, or a leaf has no word.
    """
    columns: dict[str, list[int]] = {name: [] for name in _NODE_FIELDS}
    node_splits = [0]
    for index, tree in enumerate(trees):
      _pack_one(tree, index, vocabulary, columns)
      node_splits.append(len(columns["word"]))
    arrays = {name: np.array(column, np.int32) for name, column in columns.items()}
    return cls(**arrays, node_splits=np.array(node_splits, np.int64))

  def __len__(self) -> int:
    return len(self.node_splits) - 1

  @property
  def num_nodes(self) -> int:
    """Number of nodes of all trees."""
    return len(self.word)

  @property
  def root_label(self) -> np.ndarray:
    """Class of each tree's root, int32 [T]."""
    return self.label[self.node_splits[1:] - 1]

  def select(self, indices: Sequence[int] | np.ndarray) -> PackedTrees:
    """Returns the trees at `indices` [B], in that order, as a treebank of its own."""
    nodes, node_splits = self._gather_plan(indices)
    fields = {name: getattr(self, name)[nodes] for name in _NODE_FIELDS}
    return PackedTrees(**fields, node_splits=node_splits)

  def batch_arrays(self, indices: Sequence[int] | np.ndarray) -> dict[str, np.ndarray]:
    """Returns the fields of `batch(indices)` as numpy arrays; no Python work per node.

    Args:
      indices: int [B], trees to take; repeats are allowed.

    Raises:
      DataError: If an index is not in 0 .. T - 1.
    """
    nodes, splits = self._gather_plan(indices)
    return self._fields(nodes, splits, splits[:-1])

  def batches_arrays(
    self, parts: Sequence[np.ndarray]
  ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Returns the fields of several batches at once, which takes little longer than of one.

    Args:
      parts: P arrays of indices, each as `batch_arrays` takes them.

    Returns:
      (fields, splits): batch k has `field[splits[k] : splits[k + 1]]`, splits int64 [P + 1].
    """
    nodes, splits = self._gather_plan(np.concatenate(parts))
    of_trees = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    of_nodes = splits[of_trees]
    starts = splits[:-1] - np.repeat(of_nodes[:-1], np.diff(of_trees))
    fields = self._fields(nodes, splits, starts)
    return fields, {name: of_trees if name == "root" else of_nodes for name in fields}

  def _fields(
    self, nodes: np.ndarray, splits: np.ndarray, starts: np.ndarray
  ) -> dict[str, np.ndarray]:
    """Returns fields: of chosen nodes, by tree, and where each tree begins in its batch."""
    lengths = np.diff(splits)
    offset = np.repeat(starts.astype(np.int32), lengths)
    left, right = self.left[nodes], self.right[nodes]
    is_leaf = left < 0
    return {
      "word": self.word[nodes],
      "label": self.label[nodes],
      "left": np.where(is_leaf, left, left + offset),
      "right": np.where(is_leaf, right, right + offset),
      "is_leaf": is_leaf,
      "root": (starts + lengths - 1).astype(np.int32),
    }

  def batch(self, indices: Sequence[int] | np.ndarray) -> TreeBatch:
    """Returns the trees at `indices` [B] as one batch; arguments and errors as `batch_arrays`."""
    return TreeBatch(**self.batch_arrays(indices))

  def table(self) -> TreeTable:
    """Returns all trees as a constant of the graph, to take batches from by number."""
    first = np.repeat(self.node_splits[:-1], np.diff(self.node_splits)).astype(np.int32)
    left, right = (np.where(c < 0, c, c + first) for c in (self.left, self.right))
    return TreeTable(self.node_splits, word=self.word, label=self.label, left=left, right=right)

  def save(self, path: str | os.PathLike[str]) -> None:
    """Writes the arrays to `path`, compressed (numpy's .npz)."""
    with open(path, "wb") as file:
      np.savez_compressed(file, **{f.name: getattr(self, f.name) for f in dataclasses.fields(self)})

  @classmethod
  def load(cls, path: str | os.PathLike[str]) -> PackedTrees:
    """Reads what `save` wrote.

    Raises:
      DataError: If the file cannot be read, or does not hold packed trees.
    """
    try:
      with np.load(path, allow_pickle=False) as arrays:
        return cls(**{field.name: arrays[field.name] for field in dataclasses.fields(cls)})
    except (OSError, EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
      raise DataError(
        f"{path}: cannot read packed trees: {error}. Write the file with PackedTrees.save."
      ) from error

  def _gather_plan(self, indices: Sequence[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns (node [M], splits [B + 1]): where the nodes of the chosen trees lie, and will lie."""
    indices = np.asarray(indices, np.int64).reshape(-1)
    if indices.size and not (0 <= indices.min() and indices.max() < len(self)):
      wrong = indices[(indices < 0) | (indices >= len(self))][0]
      raise DataError(f"PackedTrees: tree index {wrong} is not in 0..{len(self) - 1}.")
    starts = self.node_splits[indices]
    lengths = self.node_splits[indices + 1] - starts
    splits = np.zeros(len(indices) + 1, np.int64)
    np.cumsum(lengths, out=splits[1:])
    nodes = np.arange(splits[-1]) + np.repeat(starts - splits[:-1], lengths)
    return nodes, splits


def _pack_one(
  tree: Tree, index: int, vocabulary: Vocabulary, columns: dict[str, list[int]]
) -> None:
  """Appends the nodes of one tree to `columns`; `index` is the tree's, for errors."""
  word, label, left, right = (columns[name] for name in _NODE_FIELDS)
  open_nodes: list[int] = []  # Nodes complete so far whose parent is still to come.
  for position, node in enumerate(tree.post_order()):
    label.append(node.label)
    if not node.children:
      if node.word is None:
        raise DataError(f"PackedTrees.pack: tree {index}, node {position}: a leaf without a word.")
      word.append(vocabulary.lookup(node.word))
      left.append(-1)
      right.append(-1)
    elif len(node.children) == 2:
      word.append(-1)
      right.append(open_nodes.pop())
      left.append(open_nodes.pop())
    else:
      raise DataError(
        f"PackedTrees.pack: tree {index}, node {position}: expected 0 or 2 children, got "
        f"{len(node.children)}. Binarise the tree first, or read it with binary=True to see where."
      )
    open_nodes.append(position)


def _check(packed: PackedTrees) -> None:
  """Raises DataError unless the arrays are trees: a wrong index would recurse for ever."""
  splits = packed.node_splits
  num_nodes = {name: getattr(packed, name).shape for name in _NODE_FIELDS}
  if splits.ndim != 1 or len(set(num_nodes.values())) != 1 or packed.word.ndim != 1:
    raise DataError(
      f"PackedTrees: expected arrays [N] and splits [T + 1], got {num_nodes} and {splits.shape}."
    )
  lengths = np.diff(splits)
  is_split = splits.size and splits[0] == 0 and splits[-1] == packed.num_nodes
  if not (is_split and (lengths > 0).all()):
    raise DataError(
      f"PackedTrees: `node_splits` must rise from 0 to the number of nodes, {packed.num_nodes}."
    )
  position = np.arange(packed.num_nodes) - np.repeat(splits[:-1], lengths)
  is_leaf = packed.left < 0
  leaf_ok = (packed.left == -1) & (packed.right == -1) & (packed.word >= 0)
  # In post-order the right child lies just before its parent, the left one before that.
  inner_ok = (packed.right == position - 1) & (packed.left < packed.right) & (packed.word == -1)
  wrong = np.flatnonzero(~np.where(is_leaf, leaf_ok, inner_ok))
  if wrong.size:
    node = int(wrong[0])
    raise DataError(
      f"PackedTrees: node {node} has word {packed.word[node]}, left {packed.left[node]} and right "
      f"{packed.right[node]}, which is neither a leaf nor an inner node in post-order."
    )
