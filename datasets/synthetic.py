"""Synthetic trees of a given size and shape, for tests and benchmarks."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Literal, get_args

from recursive_tf._errors import DataError
from recursive_tf.datasets.tree import Tree

Shape = Literal["balanced", "moderate", "linear", "random"]


def synthetic_tree(
  num_leaves: int,
  shape: Shape = "balanced",
  seed: int = 0,
  *,
  num_words: int = 100,
  num_labels: int = 5,
) -> Tree:
  """Makes a binary tree; a pure function of its arguments.

  Args:
    num_leaves: n >= 1; the tree has 2 n - 1 nodes.
    shape: "balanced": halves at every node, height ceil(log2 n). "moderate": cut at a uniformly
      drawn place at every node, height about 4.3 ln n for large n. "random": uniform over all
      binary trees, height about 3.5 sqrt(n). "linear": every right child is a leaf, height n - 1.
    seed: decides words, labels, and the shape where it is drawn.
    num_words: leaves are "w0" .. "w{num_words - 1}".
    num_labels: labels run from 0 to `num_labels` - 1.

  Raises:
    DataError: If an argument is out of range.
  """
  if min(num_leaves, num_words, num_labels) < 1:
    raise DataError(
      "synthetic_tree: num_leaves, num_words and num_labels must be at least 1, got "
      f"{num_leaves}, {num_words} and {num_labels}."
    )
  rng = random.Random(seed)
  if shape == "random":
    num_children = _uniform_shape(num_leaves, rng)
  elif shape in _CUTS:
    num_children = _cut_shape(num_leaves, _CUTS[shape], rng)
  else:
    raise DataError(f"synthetic_tree: `shape` must be one of {get_args(Shape)}, got {shape!r}.")
  words = [None if count else f"w{rng.randrange(num_words)}" for count in num_children]
  labels = [rng.randrange(num_labels) for _ in num_children]
  return Tree.from_post_order(labels, words, num_children)


# Leaves n >= 2 of a node -> leaves of its left child, 1 .. n - 1.
_Cut = Callable[[int, random.Random], int]
_CUTS: dict[str, _Cut] = {
  "balanced": lambda n, rng: n // 2,
  "moderate": lambda n, rng: rng.randrange(1, n),
  "linear": lambda n, rng: n - 1,
}


def _cut_shape(num_leaves: int, cut: _Cut, rng: random.Random) -> list[int]:
  """Returns the number of children of each node in post-order, cutting from the root down."""
  num_children, stack = [], [num_leaves]
  while stack:
    size = stack.pop()
    num_children.append(2 if size > 1 else 0)
    if size > 1:
      left = cut(size, rng)
      stack += (left, size - left)
  num_children.reverse()
  return num_children


def _uniform_shape(num_leaves: int, rng: random.Random) -> list[int]:
  """Returns the number of children of each node in post-order, every shape as likely.

  By the cycle lemma: of the rotations of a random row of n leaves and n - 1 inner nodes, exactly
  one is a tree in post-order (Dvoretzky and Motzkin, 1947).
  """
  row = [0] * num_leaves + [2] * (num_leaves - 1)
  rng.shuffle(row)
  # Trees complete so far: +1 at a leaf, -1 at an inner node. It must stay above 0 after the start,
  # so the row starts after its last lowest point.
  height, lowest, start = 0, 0, 0
  for position, count in enumerate(row, 1):
    height += -1 if count else 1
    if height <= lowest:
      lowest, start = height, position
  return row[start:] + row[:start]
