import numpy as np
import pytest

from recursive_tf.datasets import PackedTrees, Tree, Vocabulary, load_sample
from recursive_tf.models import BINARY, FINE, TreeRNN, TreeRNNConfig
from recursive_tf.training.breakdown import Answers, Share, answer, confusion, shares_by
from tests.models.oracle import Oracle

TREES = load_sample()["dev"][:70]
WORDS = Vocabulary.from_trees(TREES)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("task", [FINE, BINARY], ids=lambda task: task.name)
def test_answers_are_those_of_the_oracle_at_nodes_that_have_a_class(task):
  model = TreeRNN(WORDS.size, TreeRNNConfig(state_size=4), task=task, seed=1)
  trees = [*TREES[:55], Tree(-1, None, (Tree(0, "the"), Tree(4, "film")))]
  answers = answer(model, PackedTrees.pack(trees, WORDS))
  rows = []
  for tree in trees:
    logits = Oracle(model, tree.post_order(), WORDS).logits
    for node, found in zip(tree.post_order(), logits, strict=True):
      expected = {0: 0, 1: 0, 3: 1, 4: 1}.get(node.label, -1) if task is BINARY else node.label
      if expected >= 0:
        size = (len(node.words()), node.height)
        rows.append((expected, int(np.argmax(found)), node is tree, *size))
  found = np.stack(
    [answers.expected, answers.predicted, answers.is_root, answers.length, answers.height], axis=1
  )
  np.testing.assert_array_equal(found, np.array(rows, int))
  assert len(rows) > 300 and len({row[1] for row in rows}) > 1


def test_ranges_hold_each_answer_once():
  values = np.array([1] * 10 + [2] * 3 + [3] * 4 + [5] * 6 + [9])
  is_right = values < 5
  assert shares_by(values, is_right, most=3) == [
    Share(1, 1, 10, 10),
    Share(2, 3, 7, 7),
    Share(5, 9, 0, 7),
  ]
  assert shares_by(values, is_right, most=1) == [Share(1, 9, 17, 24)]
  assert shares_by(np.array([4]), np.array([True])) == [Share(4, 4, 1, 1)]


def test_a_last_range_of_too_few_is_joined_to_the_one_before():
  values = np.array([1] * 10 + [2] * 2 + [3] * 18 + [4])
  assert shares_by(values, values > 3, most=3) == [Share(1, 2, 0, 12), Share(3, 4, 1, 19)]


def test_intervals_are_wilsons():
  low, high = Share(1, 1, 8, 10).interval  # Wilson 1927; the figures of R's prop.test without
  assert (low, high) == pytest.approx((0.4902, 0.9433), abs=1e-4)  # continuity correction.
  assert Share(1, 1, 0, 5).interval[0] == 0 and Share(1, 1, 5, 5).interval[1] == 1


def test_confusions_have_the_class_of_the_treebank_in_rows():
  nothing = np.zeros(4, int)
  answers = Answers(np.array([0, 0, 2, 1]), np.array([0, 2, 2, 2]), nothing, nothing, nothing)
  assert confusion(answers, 3).tolist() == [[1, 0, 1], [0, 0, 1], [0, 0, 1]]
