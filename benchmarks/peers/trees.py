"""Resident trees for peers: Python nodes for recursion, flat arrays for planning."""

from __future__ import annotations

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True, slots=True)
class Node:
  """A node as Python recursion takes it.

  Attributes:
    leaf: position among the leaves of its tree, -1 at an inner node.
    left, right: children, None at a leaf.
  """

  leaf: int
  left: Node | None
  right: Node | None


@dataclasses.dataclass(frozen=True)
class Sentence:
  """One tree.

  Attributes:
    root: the nodes.
    words: int32 [leaves], word ids from left to right.
    labels: int32 [nodes], classes in post-order.
    left, right: int32 [nodes], children counted in post-order, -1 at leaves.
  """

  root: Node
  words: np.ndarray
  labels: np.ndarray
  left: np.ndarray
  right: np.ndarray


def sentences(packed: dict[str, np.ndarray]) -> list[Sentence]:
  """Returns the trees of a packed treebank, given as the arrays of a `PackedTrees`."""
  splits = packed["node_splits"]
  return [_sentence(packed, a, b) for a, b in zip(splits[:-1], splits[1:], strict=True)]


def _sentence(packed: dict[str, np.ndarray], begin: int, end: int) -> Sentence:
  word, label, left, right = (packed[k][begin:end] for k in ("word", "label", "left", "right"))
  nodes: list[Node] = []
  num_leaves = 0
  for a, b in zip(left, right, strict=True):  # Post-order: children come first.
    if a < 0:
      nodes.append(Node(num_leaves, None, None))
      num_leaves += 1
    else:
      nodes.append(Node(-1, nodes[a], nodes[b]))
  return Sentence(nodes[-1], word[word >= 0], label, left, right)
