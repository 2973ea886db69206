"""A batch of trees as levels of nodes: what the peers that batch by hand plan for each step.

A level is all nodes at one distance from their root, in the order of a breadth-first walk. Then the
children of a level are exactly the next level, in pairs: no child is looked up. Grouped by height
above the leaves instead, children come from all lower levels and have to be gathered from them.

The walk belongs to a tree, not to a batch: it is done when the trees become resident. All that
depends on the batch is numpy over whole arrays, no Python a node.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np


@dataclasses.dataclass(frozen=True)
class Plan:
  """One batch of B trees: N nodes in slots, level by level from the roots, L leaves, M others.

  The children of the j-th inner node stand in slots B + 2 j and B + 2 j + 1; the first B slots are
  the roots in the order of the trees.

  Attributes:
    splits: level d is slots `splits[d]` up to `splits[d + 1]`.
    leaf_splits, inner_splits: the same for the leaves, and for the inner nodes, of each level.
    leaves, inner: int64 [L] and [M], their slots, ascending.
    words: int32 [L], word ids of the leaves.
    labels: int64 [N].
  """

  splits: list[int]
  leaf_splits: list[int]
  inner_splits: list[int]
  leaves: np.ndarray
  inner: np.ndarray
  words: np.ndarray
  labels: np.ndarray

  @property
  def num_levels(self) -> int:
    """Levels, of which the last has leaves only."""
    return len(self.splits) - 1

  @property
  def num_nodes(self) -> int:
    """N."""
    return self.splits[-1]

  def merged(self) -> np.ndarray:
    """Returns int64 [N]: where each slot stands in its level if leaves stood before the others."""
    row = np.empty(self.num_nodes, np.int64)
    splits, leaf_splits, inner_splits = map(
      np.asarray, (self.splits, self.leaf_splits, self.inner_splits)
    )
    num_leaves, num_inner = np.diff(leaf_splits), np.diff(inner_splits)
    row[self.leaves] = np.arange(len(self.leaves)) - np.repeat(leaf_splits[:-1], num_leaves)
    row[self.inner] = np.arange(len(self.inner)) + np.repeat(
      num_leaves - inner_splits[:-1], num_inner
    )
    return row


class ResidentTrees:
  """A packed treebank with the nodes of each tree in breadth-first order; immutable."""

  def __init__(self, packed: dict[str, np.ndarray]):
    self._splits = packed["node_splits"]
    # Small integers: numpy then sorts them by radix.
    self._depth = np.zeros(len(packed["word"]), np.int16)
    order = np.zeros(len(packed["word"]), np.int64)
    for begin, end in zip(self._splits[:-1], self._splits[1:], strict=True):
      nodes, depths = _walk(packed["left"][begin:end], packed["right"][begin:end])
      order[begin:end] = begin + np.array(nodes)
      self._depth[begin:end] = depths
    self._word = packed["word"][order]
    self._label = packed["label"][order].astype(np.int64)

  def __len__(self) -> int:
    return len(self._splits) - 1

  def plan(self, indices: Sequence[int]) -> Plan:
    """Plans the levels for the trees at `indices`."""
    indices = np.asarray(indices)
    starts = self._splits[indices]
    lengths = self._splits[indices + 1] - starts
    ends = np.cumsum(lengths)
    nodes = np.arange(ends[-1]) + np.repeat(starts - ends + lengths, lengths)
    if len(indices) > 1:
      nodes = nodes[np.argsort(self._depth[nodes], kind="stable")]
    depth, word = self._depth[nodes], self._word[nodes]
    is_leaf = word >= 0
    leaves, inner = np.flatnonzero(is_leaf), np.flatnonzero(~is_leaf)
    splits = np.zeros(int(depth[-1]) + 2, np.int64)
    np.cumsum(np.bincount(depth), out=splits[1:])
    leaf_splits = np.searchsorted(leaves, splits)
    return Plan(
      splits=splits.tolist(),
      leaf_splits=leaf_splits.tolist(),
      inner_splits=(splits - leaf_splits).tolist(),
      leaves=leaves,
      inner=inner,
      words=word[leaves],
      labels=self._label[nodes],
    )


def _walk(left: np.ndarray, right: np.ndarray) -> tuple[list[int], list[int]]:
  """Returns the nodes of a tree in breadth-first order, and how far each is from the root."""
  left, right = left.tolist(), right.tolist()
  nodes, depths = [len(left) - 1], [0]  # In post-order the root is last.
  for node, depth in zip(nodes, depths, strict=False):  # Grows as it is read.
    if left[node] >= 0:
      nodes += (left[node], right[node])
      depths += (depth + 1, depth + 1)
  return nodes, depths
