import collections

import numpy as np
import pytest

from recursive_tf.datasets import sample_grammar
from recursive_tf.datasets.sample import load_sample, sample_path
from recursive_tf.datasets.vocabulary import Vocabulary

FUNCTION_WORDS = {"and", "although", "but", "never", "nobody", "not", "rather", "slightly", "truly"}
FUNCTION_WORDS |= {"very"}


@pytest.fixture(scope="module")
def sample():
  return load_sample()


def test_the_files_are_what_the_grammar_writes(tmp_path):
  sample_grammar.write_sample(tmp_path)
  for split in sample_grammar.NUM_TREES:
    written = tmp_path / f"sample_{split}.txt"
    assert written.read_bytes() == sample_path(split).read_bytes()


def test_another_seed_gives_other_trees():
  assert sample_grammar.generate(20, seed=1) != sample_grammar.generate(20, seed=2)


def test_no_sentence_is_in_the_sample_twice(sample):
  sentences = [" ".join(tree.words()) for trees in sample.values() for tree in trees]
  assert len(set(sentences)) == len(sentences) == sum(sample_grammar.NUM_TREES.values())


def test_the_training_split_knows_every_word_and_every_label(sample):
  vocabulary = Vocabulary.from_trees(sample["train"])
  held_out = sample["dev"] + sample["test"]
  assert all(word in vocabulary for tree in held_out for word in tree.words())
  for trees in sample.values():
    assert {tree.label for tree in trees} == {0, 1, 2, 3, 4}


def test_no_side_makes_up_more_than_three_fifths_of_any_split(sample):
  for trees in sample.values():
    positive = np.mean([tree.label > 2 for tree in trees if tree.label != 2])
    assert 0.4 <= positive <= 0.6


def polar(trees):
  return [tree for tree in trees if tree.label != 2]


def bag_of_words_accuracy(train, test):
  """Test accuracy of logistic regression on word counts, positive against negative."""
  vocabulary = Vocabulary.from_trees(train)

  def features(trees):
    counts = np.zeros((len(trees), vocabulary.size))
    for row, tree in enumerate(trees):
      np.add.at(counts[row], [vocabulary.lookup(word) for word in tree.words()], 1)
    return counts

  x = features(train)
  mean, scale = x.mean(0), x.std(0) + 1e-6
  x = np.c_[(x - mean) / scale, np.ones(len(x))]
  y = np.array([tree.label > 2 for tree in train])
  weights = np.zeros(x.shape[1])
  for _ in range(300):
    error = 1 / (1 + np.exp(-x @ weights)) - y
    weights -= 0.3 * (x.T @ error / len(x) + 1e-2 * weights)
  scores = np.c_[(features(test) - mean) / scale, np.ones(len(test))] @ weights
  return np.mean((scores > 0) == [tree.label > 2 for tree in test])


def rule_accuracy(train, test):
  """Test accuracy of the tables (word -> label) and (left, right -> label) read off the trees.

  A side of a node is its predicted label and its first word where that is a function word.
  """
  tables = collections.defaultdict(collections.Counter)
  for tree in train:
    evaluate(tree, lambda key, label: tables[key].update([label]) or label)
  best = {key: counts.most_common(1)[0][0] for key, counts in tables.items()}
  predicted = [evaluate(tree, lambda key, label: best.get(key, 2)) for tree in test]
  return np.mean([(p > 2) == (t.label > 2) for p, t in zip(predicted, test, strict=True)])


def evaluate(root, decide):
  """Label of the root, from the leaves up; `decide(key, true label)` gives each node's."""
  stack = []
  for node in root.post_order():
    if node.is_leaf:
      key, first = node.word, node.word
    else:
      right, left = stack.pop(), stack.pop()
      key, first = (left, right), left[1]
    label = decide(key, node.label)
    stack.append((label, first if first in FUNCTION_WORDS else None))
  return stack[0][0]


def test_composition_solves_the_sample_and_a_bag_of_words_does_not(sample):
  train, test = polar(sample["train"] + sample["dev"]), polar(sample["test"])
  assert rule_accuracy(train, test) >= 0.95
  assert bag_of_words_accuracy(train, test) <= 0.65


def test_a_bag_of_words_does_solve_sentences_without_composition():
  """The classifier of the test above is no straw man."""
  rng = np.random.default_rng(0)
  leaves = [sample_grammar.Tree(label, word) for label, word in [(0, "bad"), (4, "good")]]
  film = sample_grammar.Tree(2, "film")
  trees = [sample_grammar.Tree(leaf.label, None, (leaf, film)) for leaf in rng.choice(leaves, 100)]
  assert bag_of_words_accuracy(trees[:50], trees[50:]) == 1.0


@pytest.mark.parametrize(
  ("rule", "labels", "expected"),
  [
    (sample_grammar.negate, [0, 1, 2, 3, 4], [3, 3, 2, 1, 1]),
    (sample_grammar.intensify, [0, 1, 2, 3, 4], [0, 0, 2, 4, 4]),
    (sample_grammar.diminish, [0, 1, 2, 3, 4], [1, 1, 2, 3, 3]),
  ],
)
def test_rules_give_their_tables(rule, labels, expected):
  assert [rule(label) for label in labels] == expected


@pytest.mark.parametrize(
  ("left", "right", "expected"), [(0, 3, 0), (3, 0, 0), (1, 3, 2), (4, 0, 2), (2, 3, 3), (3, 4, 4)]
)
def test_and_takes_the_stronger_side(left, right, expected):
  assert sample_grammar.conjoin(left, right) == expected
