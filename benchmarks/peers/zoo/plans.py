"""Levels of trees with up to K children: what the peers that batch trees by hand plan for a batch.

A level is all nodes at one distance from their root; inner nodes stand before leaves. A node's
children are all in the next level, at the places that `children` has. All that depends on the batch
is numpy over whole arrays; what belongs to a tree alone is done once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np


@dataclasses.dataclass(frozen=True)
class Plan:
  """One batch of B trees with M inner nodes and L leaves; both are ordered by level.

  Attributes:
    inner_counts, leaf_counts: of each level, the roots' first; the last has leaves only.
    inner_words, leaf_words: int64 [M] and [L], word ids, -1 where there is none.
    labels: int64 [M + L], of the inner nodes, then of the leaves.
    children: int64 [M, K], places in the next level, its number of nodes where there is no child.
    roots: int64 [B], places of the trees' roots in the first level.
  """

  inner_counts: list[int]
  leaf_counts: list[int]
  inner_words: np.ndarray
  leaf_words: np.ndarray
  labels: np.ndarray
  children: np.ndarray
  roots: np.ndarray


class ResidentForest:
  """Packed trees, with the distance of each node from its root."""

  def __init__(self, packed: dict[str, np.ndarray]):
    self._splits = packed["node_splits"]
    self._word = packed["word"].astype(np.int64)
    self._label = packed["label"].astype(np.int64)
    self._children = packed["children"].astype(np.int64)
    self._is_leaf = self._children[:, 0] < 0
    self._depth = np.zeros(len(self._word), np.int64)
    for begin, end in zip(self._splits[:-1], self._splits[1:], strict=True):
      for node in range(end - 1, begin - 1, -1):  # Parents stand after their children.
        below = self._children[node]
        self._depth[begin + below[below >= 0]] = self._depth[node] + 1

  def plan(self, indices: Sequence[int]) -> Plan:
    """Plans the levels for the trees at `indices`."""
    indices = np.asarray(indices)
    starts = self._splits[indices]
    lengths = self._splits[indices + 1] - starts
    ends = np.cumsum(lengths)
    shift = np.repeat(ends - lengths, lengths)  # From places in a tree to those in the batch.
    nodes = np.arange(ends[-1]) + np.repeat(starts, lengths) - shift
    depth, is_leaf = self._depth[nodes], self._is_leaf[nodes]
    num_levels = int(depth.max()) + 1
    order = np.argsort(2 * depth + is_leaf, kind="stable")
    counts = np.bincount((2 * depth + is_leaf)[order], minlength=2 * num_levels).reshape(-1, 2)
    sizes = counts.sum(1)
    place = np.empty(len(nodes), np.int64)  # Of each node in its level.
    place[order] = np.arange(len(nodes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    inner, leaves = order[~is_leaf[order]], order[is_leaf[order]]
    below = self._children[nodes[inner]]
    found = place[np.maximum(below, 0) + shift[inner][:, None]]
    missing = np.append(sizes, 0)[depth[inner] + 1][:, None]
    return Plan(
      inner_counts=counts[:, 0].tolist(),
      leaf_counts=counts[:, 1].tolist(),
      inner_words=self._word[nodes[inner]],
      leaf_words=self._word[nodes[leaves]],
      labels=self._label[nodes[np.concatenate([inner, leaves])]],
      children=np.where(below < 0, missing, found),
      roots=place[ends - 1],
    )
