import numpy as np
import pytest

from recursive_tf._errors import DataError
from recursive_tf.datasets import (
  DependencyBatch,
  DependencyTree,
  PackedDependencies,
  Vocabulary,
  dependencies,
  make_dataset,
)

#        the old dog near cats chased a boy .
WORDS = ("the", "old", "dog", "near", "cats", "chased", "a", "boy", ".")
HEADS = (2, 2, 5, 2, 3, -1, 7, 5, 5)
TREE = DependencyTree(WORDS, HEADS, (0, 1, 2, 0, 2, 3, 0, 2, 0))
SMALL = DependencyTree(("cats",), (-1,), (2,))
VOCABULARY = Vocabulary(sorted(set(WORDS)))


def packed(trees=(TREE, SMALL), **options):
  return PackedDependencies.pack(trees, VOCABULARY, **options)


def test_edges_lead_outwards_from_the_nearest_dependent():
  edges = {WORDS[i]: list(row) for i, row in enumerate(TREE.edges())}
  assert edges["chased"] == [2, 7, -1, -1]
  assert edges["dog"] == [1, 3, -1, -1]
  assert edges["old"] == [-1, -1, 0, -1]
  assert edges["boy"] == [6, -1, -1, 8]
  assert edges["the"] == edges["."] == [-1] * 4


def test_pre_order_goes_left_then_right_then_on():
  order = dependencies.pre_order(TREE.edges(), TREE.root)
  said = [(WORDS[position], side) for position, side, _ in order]
  assert said == [
    ("chased", 0),
    ("dog", 1),
    ("old", 1),
    ("the", 1),
    ("near", 2),
    ("cats", 2),
    ("boy", 2),
    ("a", 1),
    (".", 2),
  ]
  assert len({key for _, _, key in order}) == len(order)


def test_a_batch_holds_trees_back_to_back():
  batch = packed().batch([1, 0, 1])
  assert int(batch.num_trees) == 3 and int(batch.num_nodes) == 11
  np.testing.assert_array_equal(batch.root, [0, 1, 10])
  np.testing.assert_array_equal(batch.edges[1], [2, 7, -1, -1])
  words = [VOCABULARY.words[i] for i in batch.word.numpy()]
  assert words[:4] == ["cats", "chased", "dog", "old"] and words[-1] == "cats"
  assert (batch.edges.numpy()[[0, 10]] == -1).all()


@pytest.mark.parametrize("index", [-1, 2])
def test_a_tree_that_is_not_there_is_an_error(index):
  with pytest.raises(DataError, match="not in 0..1"):
    packed().batch([index])


def test_equal_trees_have_equal_fingerprints_and_others_do_not():
  variants = [TREE, SMALL]
  for place in range(len(WORDS)):
    words = list(WORDS)
    words[place] = "boy" if words[place] != "boy" else "dog"
    variants.append(DependencyTree(tuple(words), HEADS, TREE.tags))
  variants.append(DependencyTree(WORDS, (2, 0, *HEADS[2:]), TREE.tags))
  prints = packed(variants).fingerprint
  assert len(set(prints)) == len(variants)
  assert packed([TREE]).fingerprint[0] == prints[0]


def test_decode_undoes_codes():
  for tree in (TREE, SMALL):
    edges = tree.edges()
    codes = [
      16 * (VOCABULARY.lookup(tree.words[i]) + 1) + sum(2**e for e in range(4) if edges[i, e] >= 0)
      for i, _, _ in dependencies.pre_order(edges, tree.root)
    ]
    found = dependencies.decode(np.array(codes + [0, 0]), VOCABULARY)
    assert found.words == tree.words and found.heads == tree.heads
  cut = dependencies.decode(np.array(codes[:1] * 0 + [16 * 3 + 15]), VOCABULARY)
  assert len(cut.words) == 1


def test_completions_offer_other_words_of_the_class():
  pools = [["the", "near", "a", ".", "a"], ["old"], ["dog", "cats", "boy", "the", "old"], []]
  trees = [TREE] * 20
  first, again, other = (packed(trees, distractors=pools, seed=s) for s in (1, 1, 2))
  np.testing.assert_array_equal(first.alternatives, again.alternatives)
  assert (first.alternatives != other.alternatives).any()
  ids = [{VOCABULARY.lookup(word) for word in pool} for pool in pools]
  for index, row in enumerate(first.alternatives):
    node = first.node_splits[index] + first.blank[index]
    tag = TREE.tags[first.position[node]]
    assert tag == 2  # The other classes have fewer than five words.
    assert row[0] == first.word[node]
    assert len(set(row)) == 5 and set(row) <= ids[tag]
  assert first.has_completions and not packed().has_completions


def test_dataset_gives_every_tree_once_in_one_type():
  trees = [TREE, SMALL, SMALL, TREE, SMALL]
  dataset = make_dataset(packed(trees), batch_size=2)
  assert dataset.element_spec == DependencyBatch.spec()
  batches = list(dataset)
  assert [int(b.num_trees) for b in batches] == [2, 2, 1]
  assert sum(int(b.num_nodes) for b in batches) == 2 * 9 + 3


@pytest.mark.parametrize(
  "heads, message",
  [
    ((-1, -1, 0), "expected one root"),
    ((1, 2, 0), "expected one root"),
    ((-1, 2, 1), "does not lead up"),
    ((-1, 0, 7), "does not lead up"),
    ((-1, 0), "equally long"),
  ],
)
def test_what_is_no_tree_is_an_error(heads, message):
  with pytest.raises(DataError, match=message):
    DependencyTree(("a", "b", "c"), heads, (0, 0, 0))


def test_conditions_of_different_lengths_are_an_error():
  with pytest.raises(DataError, match="different lengths"):
    packed([TREE, DependencyTree(("a",), (-1,), (0,), (1, 2))])
