"""Levels hold every node once, and a level's children are the next level, in pairs."""

import numpy as np
import pytest

from benchmarks.options import Options
from benchmarks.peers.levels import ResidentTrees
from benchmarks.treebanks import joined, load_trees, reshaped_trees


@pytest.fixture(scope="module")
def packed():
  options = Options(size="smoke", data="sample")
  shapes = [reshaped_trees(options, shape, [7, 1, 12])[0] for shape in ("linear", "moderate")]
  return joined(load_trees(options, 6)[0], *shapes)


def evaluate(plan):
  """Returns a code of each root that depends on words, labels and the order of children."""
  codes = [0] * plan.num_nodes
  for slot, word in zip(plan.leaves.tolist(), plan.words.tolist(), strict=True):
    codes[slot] = hash((word, int(plan.labels[slot])))
  num_roots = plan.splits[1]
  for j in range(len(plan.inner) - 1, -1, -1):
    slot = int(plan.inner[j])
    left = num_roots + 2 * j
    codes[slot] = hash((codes[left], codes[left + 1], int(plan.labels[slot])))
  return codes[:num_roots]


def oracle(packed, tree):
  begin, end = packed["node_splits"][tree : tree + 2]
  codes = []
  for n in range(begin, end):
    left, right, label = (int(packed[name][n]) for name in ("left", "right", "label"))
    if left < 0:
      codes.append(hash((int(packed["word"][n]), label)))
    else:
      codes.append(hash((codes[left], codes[right], label)))
  return codes[-1]


@pytest.mark.parametrize("indices", [[3], [7], [0, 1, 2], [11, 7, 7, 4, 6, 0, 9]])
def test_children_stand_in_pairs_in_the_next_level(indices, packed):
  plan = ResidentTrees(packed).plan(indices)
  assert evaluate(plan) == [oracle(packed, tree) for tree in indices]
  assert sorted([*plan.leaves, *plan.inner]) == list(range(plan.num_nodes))
  np.testing.assert_array_equal(np.diff(plan.splits)[1:], 2 * np.diff(plan.inner_splits)[:-1])


def test_merged_puts_leaves_and_inner_nodes_in_their_slots(packed):
  plan = ResidentTrees(packed).plan([0, 8, 5])
  merged = plan.merged()
  for level in range(plan.num_levels):
    begin, end = plan.splits[level : level + 2]
    leaves = plan.leaves[slice(*plan.leaf_splits[level : level + 2])]
    inner = plan.inner[slice(*plan.inner_splits[level : level + 2])]
    own = np.concatenate([leaves, inner])
    np.testing.assert_array_equal(own[merged[begin:end]], np.arange(begin, end))
