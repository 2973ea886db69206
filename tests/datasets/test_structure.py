import pytest

from recursive_tf._errors import ConfigError, DataError
from recursive_tf.datasets import Tree, binarise, parse_brackets, tokenize, tree_of_words
from recursive_tf.datasets.structure import dependency_tree_of_words


@pytest.mark.parametrize(
  ("structure", "expected"),
  [
    ("right", "(a (b (c (d e))))"),
    ("left", "((((a b) c) d) e)"),
    ("balanced", "(((a b) c) (d e))"),
  ],
)
def test_words_are_joined_as_the_structure_says(structure, expected):
  assert tree_of_words(list("abcde"), structure) == parse_brackets(expected)
  assert tree_of_words(["a"], structure) == parse_brackets("(a)")


@pytest.mark.parametrize("structure", ["right", "left", "balanced"])
def test_long_texts_are_joined(structure):
  words = [str(k) for k in range(20_000)]
  assert tree_of_words(words, structure).words() == words


def test_words_are_split_as_in_treebanks():
  assert tokenize("I don't like it (much).") == "I do n't like it -LRB- much -RRB- .".split()
  assert tokenize("  ") == []


def test_wide_nodes_are_split_and_single_ones_left_out_keeping_words_and_labels():
  tree, num_split, num_collapsed = binarise(parse_brackets("(3 (1 (a b c)) (2 ((4 d))) (e f))"))
  assert str(tree) == "(3 (1 (_ a) (_ (_ b) (_ c))) (_ (4 d) (_ (_ e) (_ f))))"
  assert (num_split, num_collapsed) == (2, 3)
  assert binarise(parse_brackets("(a b c d)"), "left").tree == parse_brackets("(((a b) c) d)")


def test_a_binary_tree_stays_as_it_is():
  tree = parse_brackets("(1 (2 not) (3 (3 very) (4 good)))")
  assert binarise(tree) == (tree, 0, 0)
  assert binarise(Tree(2, "a")) == (Tree(2, "a"), 0, 0)


def test_an_unknown_structure_and_no_words_are_refused():
  with pytest.raises(ConfigError, match="structure is 'up', expected one of right, left, balanced"):
    tree_of_words(["a", "b"], "up")
  with pytest.raises(DataError, match="no words"):
    tree_of_words([])


@pytest.mark.parametrize(
  ("structure", "heads"),
  [
    ("right", (-1, 0, 1, 2, 3)),
    ("left", (1, 2, 3, 4, -1)),
    ("balanced", (1, 2, -1, 4, 2)),
  ],
)
def test_words_without_a_parse_have_a_dependency_tree(structure, heads):
  tree = dependency_tree_of_words("a b c d e".split(), structure)
  assert tree.words == tuple("abcde") and tree.heads == heads
  assert dependency_tree_of_words(["a"], structure).heads == (-1,)
  with pytest.raises(DataError, match="there are no words"):
    dependency_tree_of_words([], structure)
