import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursive_tf._errors import DataError
from recursive_tf.datasets import Tree, binarise, parse_brackets, tree_of_nltk
from recursive_tf.datasets.brackets import NO_LABEL, is_bracketed
from tests.datasets.tree_strategies import binary_trees


def leaf(word, label=NO_LABEL):
  return Tree(label, word)


def inner(*children, label=NO_LABEL):
  return Tree(label, None, children)


NOT_GOOD = inner(leaf("not"), leaf("good"))


@pytest.mark.parametrize(
  "text",
  [
    "(not good)",
    "((not) (good))",
    "(_ (_ not) (_ good))",
    "(ADJP (RB not) (JJ good))",
    "(ADJP-PRD=2 not (JJ good))",
    "( \t( not ) good )",
  ],
)
def test_labels_are_optional_and_those_of_the_penn_treebank_are_known(text):
  assert parse_brackets(text) == NOT_GOOD


@given(binary_trees.filter(lambda tree: "\t" not in str(tree)))
def test_a_treebank_tree_is_read_as_read_ptb_reads_it(tree):
  assert parse_brackets(str(tree)) == tree


@pytest.mark.parametrize(
  ("text", "words"),
  [
    ("(I (love it))", ["I", "love", "it"]),
    ("(, and)", [",", "and"]),
    ("(S (NP it) (VP works) (. !))", ["it", "works", "!"]),
    ("(S (NP it) (VP works) .)", ["it", "works", "."]),
    ("(it works (.))", ["it", "works", "."]),
    ("(_ 7 dwarfs)", ["7", "dwarfs"]),
    ("(about 7)", ["about", "7"]),
    ("(TO)", ["TO"]),
    ("(2 (2 3))", ["3"]),
  ],
)
def test_no_word_is_taken_for_a_label(text, words):
  assert parse_brackets(text).words() == words


def test_whole_numbers_are_labels_and_others_are_none():
  tree = parse_brackets("(1 (RB not) (3 good))")
  assert tree == inner(leaf("not"), leaf("good", 3), label=1)


@pytest.mark.parametrize(
  ("text", "column", "message"),
  [
    ("(2 (3 a)", 9, "expected a ')', the first for the '(' in column 1, got the end of the line"),
    ("((a b", 6, "expected 2 more ')', the first for the '(' in column 2"),
    ("(7 a)", 2, "expected a label 0..4 at the beginning of a bracket"),
    ("(-1 a)", 2, "expected a label 0..4"),
    ("(a (2))", 6, "a word or '(' after the label '2' (a number that is a word is written (_ 2))"),
    ("(a ())", 5, "expected a word or '(', got ')'"),
    ("(a b) c", 7, "expected the end of the line after the last ')', got 'c'"),
    ("(a b))", 6, "expected the end of the line after the last ')', got ')'"),
    ("a b", 1, "expected '(', got 'a'"),
    ("", 1, "expected '(', got the end of the line"),
  ],
)
def test_an_error_names_the_column_and_points_at_it(text, column, message):
  with pytest.raises(DataError) as error_info:
    parse_brackets(text, source="f.txt", line_number=3)
  first, shown, caret, remedy = str(error_info.value).split("\n")
  assert first.startswith(f"f.txt:3:{column}: malformed tree: ") and message in first
  assert shown == "  " + text and caret == " " * (column + 1) + "^"
  assert remedy == "Correct the line."


@given(st.text(alphabet="()ab2_. ", max_size=20))
def test_any_text_is_a_tree_or_an_error(text):
  try:
    tree = parse_brackets(text)
  except DataError:
    return
  # No word is lost: what is no bracket and no label is a word.
  assert 0 < len(tree.words()) <= len(text.replace("(", " ").replace(")", " ").split())
  assert parse_brackets(str(binarise(tree).tree)) == binarise(tree).tree


def test_depth_is_no_limit():
  depth = 20_000
  tree = parse_brackets("(a " * depth + "b" + ")" * depth)
  assert tree.height == depth and parse_brackets(str(tree)) == tree


def test_trees_of_nltk_of_any_labels_are_converted():
  text = "(S (2 it) (VP (VBZ is) not (4 good)) (. .))"
  tree = tree_of_nltk(nltk.Tree.fromstring(text))
  assert tree == parse_brackets(text)
  assert tree_of_nltk(nltk.Tree("9", ["a"])).label == NO_LABEL
  assert tree_of_nltk(tree.children[0].to_nltk()) == tree.children[0]


@pytest.mark.parametrize("tree", [nltk.Tree("S", []), nltk.Tree("S", [3]), nltk.Tree("S", [[]])])
def test_what_is_no_tree_of_words_is_refused(tree):
  with pytest.raises(DataError, match="nltk.Tree: expected a node with words or trees below it"):
    tree_of_nltk(tree)


def test_brackets_are_told_from_plain_text():
  assert is_bracketed("  (a b)") and not is_bracketed("a (b)") and not is_bracketed("")
