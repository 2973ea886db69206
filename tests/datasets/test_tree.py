import copy
import dataclasses
import pickle

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursive_tf._errors import DataError
from recursive_tf.datasets.tree import Tree
from tests.datasets.tree_strategies import any_trees, chain

THE_FILM = Tree(3, None, (Tree(2, "the"), Tree(1, None, (Tree(0, "dull"), Tree(2, "film")))))
DEPTH = 100_000


def recursive_post_order(tree):
  return [n for child in tree.children for n in recursive_post_order(child)] + [tree]


def recursive_height(tree):
  return 1 + max(map(recursive_height, tree.children)) if tree.children else 0


def test_a_tree_cannot_be_changed():
  with pytest.raises(dataclasses.FrozenInstanceError):
    THE_FILM.label = 0


def test_orders_and_counts_of_a_known_tree():
  assert [n.label for n in THE_FILM.post_order()] == [2, 0, 2, 1, 3]
  assert [n.label for n in THE_FILM.pre_order()] == [3, 2, 1, 0, 2]
  assert THE_FILM.words() == ["the", "dull", "film"]
  assert (THE_FILM.num_nodes, THE_FILM.num_leaves, THE_FILM.height) == (5, 3, 2)
  assert not THE_FILM.is_leaf and THE_FILM.children[0].is_leaf
  assert str(THE_FILM) == "(3 (2 the) (1 (0 dull) (2 film)))"


@given(any_trees)
def test_post_order_and_height_equal_their_recursive_definitions(tree):
  assert list(map(id, tree.post_order())) == list(map(id, recursive_post_order(tree)))
  assert tree.height == recursive_height(tree)


@given(any_trees)
def test_nltk_pickle_and_deepcopy_round_trips_give_an_equal_tree(tree):
  for copied in (
    Tree.from_nltk(tree.to_nltk()),
    pickle.loads(pickle.dumps(tree)),
    copy.deepcopy(tree),
  ):
    assert copied == tree and copied is not tree
    assert hash(copied) == hash(tree)


@given(any_trees, st.data())
def test_trees_that_differ_in_one_label_are_unequal(tree, data):
  nodes = tree.post_order()
  at = data.draw(st.integers(0, len(nodes) - 1))
  node_labels = [n.label + (index == at) for index, n in enumerate(nodes)]
  other = Tree.from_post_order(
    node_labels, [n.word for n in nodes], [len(n.children) for n in nodes]
  )
  assert other != tree
  assert tree != str(tree)


def test_trees_that_differ_in_a_word_or_in_shape_are_unequal():
  a, b = Tree(2, "a"), Tree(2, "b")
  assert a != b
  assert Tree(2, None, (a, b)) != Tree(2, None, (b, a))
  assert Tree(2, None, (a, b)) != Tree(2, None, (a,))


def test_a_tree_of_100000_levels_can_do_everything():
  tree = chain(DEPTH)
  assert tree.height == DEPTH - 1
  assert tree.num_leaves == DEPTH
  other = pickle.loads(pickle.dumps(tree))
  assert other == tree == copy.deepcopy(tree)
  assert hash(other) == hash(tree)
  assert str(tree).startswith("(4 (3 (2 (1 (0 ")  # The root's index is 99,999.
  assert repr(tree).startswith("<Tree (4 ")


def test_conversion_to_nltk_and_back_takes_10000_levels():
  tree = chain(10_000)
  assert Tree.from_nltk(tree.to_nltk()) == tree


def test_to_nltk_gives_what_nltk_reads():
  assert THE_FILM.to_nltk() == nltk.Tree.fromstring(str(THE_FILM))


@pytest.mark.parametrize(
  ("tree", "expected"),
  [
    (nltk.Tree("S", ["film"]), "integer label, got 'S'"),
    (nltk.Tree("-1", ["film"]), "integer label, got '-1'"),
    (nltk.Tree("01", ["film"]), "integer label, got '01'"),
    (nltk.Tree("2", []), "got 0 entries"),
    (nltk.Tree("2", ["a", "b"]), "got 2 entries"),
    (nltk.Tree("2", [nltk.Tree("2", ["a"]), "b"]), "got 2 entries"),
  ],
)
def test_from_nltk_refuses_what_is_no_labelled_tree(tree, expected):
  with pytest.raises(DataError, match=expected):
    Tree.from_nltk(tree)


@pytest.mark.parametrize(
  ("num_children", "expected"),
  [([0, 0], "2 trees"), ([0, 2], "node 1 has 2 children, but 1"), ([0, -1], "has -1 children")],
)
def test_from_post_order_refuses_nodes_that_form_no_tree(num_children, expected):
  with pytest.raises(DataError, match=expected):
    Tree.from_post_order([2] * 2, ["a"] * 2, num_children)


def test_from_post_order_refuses_columns_of_different_lengths():
  with pytest.raises(DataError, match="equally long, got 1, 2 and 1"):
    Tree.from_post_order([2], ["a", "b"], [0])
