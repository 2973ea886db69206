import dataclasses

import numpy as np
import pytest

from recursive_tf._errors import DataError
from recursive_tf.datasets import DependencyTree, PackedNaryTrees, Tree, Vocabulary

VOCABULARY = Vocabulary(["a", "b", "c"])
TREES = [
  Tree(4, None, (Tree(0, "a"), Tree(1, "b", (Tree(2, "c"),)), Tree(3, "unheard"))),
  Tree(1, "c"),
  Tree(2, "a", (Tree(0, "b"), Tree(1, "c"))),
]
PACKED = PackedNaryTrees.pack(TREES, VOCABULARY)


def unpacked(batch, node):
  """Returns a node of a batch as a Tree, its words as ids."""
  word, label, first, count = (int(value) for value in batch.nodes[node])
  below = [int(child) for child in batch.children[first : first + count]]
  return (label, word, tuple(unpacked(batch, child) for child in below))


def plain(tree):
  word = -1 if tree.word is None else VOCABULARY.lookup(tree.word)
  return (tree.label, word, tuple(plain(child) for child in tree.children))


@pytest.mark.parametrize("indices", [[0], [2, 1, 0], [1, 1], [0, 0, 2]])
def test_batches_hold_the_trees_in_the_order_given(indices):
  batch = PACKED.batch(indices)
  assert [unpacked(batch, int(root)) for root in batch.root] == [plain(TREES[t]) for t in indices]
  assert int(batch.num_nodes) == sum(TREES[t].num_nodes for t in indices)


def test_no_trees_are_an_empty_batch():
  batch = PACKED.batch([])
  assert batch.root.shape == (0,) and batch.nodes.shape == (0, 4) and batch.children.shape == (0,)
  assert len(PackedNaryTrees.pack([], VOCABULARY)) == 0


def test_the_nodes_of_a_dependency_tree_are_its_words():
  tree = DependencyTree(("a", "b", "c", "b"), (1, -1, 3, 1), (5, 6, 7, 8))
  batch = PackedNaryTrees.pack([tree], VOCABULARY).batch([0])
  a, b, c = (VOCABULARY.lookup(word) for word in "abc")
  expected = (6, b, ((5, a, ()), (8, b, ((7, c, ()),))))
  assert unpacked(batch, int(batch.root[0])) == expected


def test_an_index_that_is_not_there_is_refused():
  with pytest.raises(DataError, match="not in 0..2"):
    PACKED.batch([3])


@pytest.mark.parametrize(
  ("field", "change"),
  [
    ("nodes", lambda nodes: nodes[:, :3]),
    ("nodes", lambda nodes: nodes + [0, 0, 1, 0]),
    ("nodes", lambda nodes: nodes + [0, 0, 0, 1]),
    ("nodes", lambda nodes: nodes * [1, 1, 1, -1]),
    ("children", lambda children: children[1:]),
    ("children", lambda children: children + 10),
    ("children", lambda children: children - 1),
    ("node_splits", lambda splits: splits[1:]),
    ("node_splits", lambda splits: splits[:0]),
  ],
)
def test_arrays_that_are_no_trees_are_refused(field, change):
  arrays = {f.name: getattr(PACKED, f.name) for f in dataclasses.fields(PACKED)}
  with pytest.raises(DataError, match="PackedNaryTrees"):
    PackedNaryTrees(**{**arrays, field: np.asarray(change(arrays[field]))})
