import numpy as np
import pytest

from recursive_tf.datasets import parse_brackets
from recursive_tf.display import shown_tree

BINARY = ("negative", "positive")
FINE = ("very negative", "negative", "neutral", "positive", "very positive")


def show(text, positive):
  """Shows a tree whose nodes, in post-order, are positive with these probabilities."""
  tree = parse_brackets(text)
  probabilities = np.array([[1 - p, p] for p in positive], np.float32)
  return shown_tree(tree, probabilities, BINARY, np.zeros(len(positive), bool))


def test_nodes_know_their_words_classes_and_scores():
  tree = show("((not good) film)", [0.8, 0.9, 0.1, 0.5, 0.2])
  assert tree.words == ("not", "good", "film")
  assert [tree.text_of(node) for node in tree.nodes] == [
    *("not", "good", "not good", "film", "not good film")
  ]
  assert [node.mark for node in tree.nodes] == ["+", "+", "−", "−", "−"]
  assert tree.root.score == pytest.approx(-0.6) and tree.root.probability == pytest.approx(0.8)
  assert tree.verdict(4) == "negative 80.0%, positive 20.0%"


def test_a_negation_is_a_flip_of_the_strongest_part_not_of_what_is_unsure():
  tree = show("((not good) film)", [0.8, 0.9, 0.1, 0.4, 0.2])
  assert [node.is_flip for node in tree.nodes] == [False, False, True, False, False]
  assert not show("(the film)", [0.26, 0.72, 0.73]).root.is_flip  # Unsure, all three.
  assert not show("(not film)", [0.4, 0.6, 0.05]).root.is_flip  # Nothing there to turn round.
  assert show("(hardly bad)", [0.3, 0.02, 0.95]).root.is_flip


def test_five_classes_have_sides_too():
  tree = parse_brackets("(not great)")
  rows = [[0, 0.1, 0.8, 0.1, 0], [0, 0, 0.1, 0.2, 0.7], [0.1, 0.7, 0.2, 0, 0]]
  shown = shown_tree(tree, np.array(rows), FINE, np.zeros(3, bool))
  assert [node.mark for node in shown.nodes] == ["○", "++", "−"]
  assert shown.root.is_flip and shown.root.side == pytest.approx(-0.8)
  assert shown.root.score == pytest.approx(-0.45)
