import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursive_tf._errors import DataError
from recursive_tf.datasets.ptb_syntax import parse_line
from recursive_tf.datasets.tree import Tree
from tests.datasets.tree_strategies import any_trees, binary_trees, chain


@given(binary_trees)
def test_parsing_what_str_wrote_gives_the_tree_back(tree):
  assert parse_line(str(tree)) == tree


@given(any_trees)
def test_any_number_of_children_is_read_when_binary_is_false(tree):
  assert parse_line(str(tree), binary=False) == tree


@given(binary_trees, st.randoms(use_true_random=False))
def test_spaces_around_brackets_do_not_matter(tree, random):
  line = "".join(
    " " * random.randrange(3) + char + " " * random.randrange(3) if char in "()" else char
    for char in str(tree)
  )
  assert parse_line(line) == tree


def test_no_space_is_needed_between_brackets():
  assert parse_line("(3(2 a)(1 b))") == Tree(3, None, (Tree(2, "a"), Tree(1, "b")))


def test_only_a_space_separates():
  assert parse_line("(2 2\u00a01\\/2)").word == "2\u00a01\\/2"
  assert parse_line("(2 a\tb)").word == "a\tb"


@pytest.mark.parametrize("spacing", ["", " "])
def test_100000_levels_are_read(spacing):
  tree = chain(100_000)
  # A leading space takes the line to the parser that looks at single brackets.
  assert parse_line(spacing + str(tree)) == tree


@pytest.mark.parametrize(
  ("line", "column", "expected"),
  [
    ("", 1, "expected '(', got the end of the line"),
    ("good", 1, "expected '(', got 'good'"),
    ("()", 2, "expected a label 0..4 or _, got ')'"),
    ("(x a)", 2, "expected a label 0..4 or _, got 'x'"),
    ("(5 a)", 2, "expected a label 0..4 or _, got '5'"),
    ("(2", 3, "expected a word or '(' after the label, got the end of the line"),
    ("(2)", 3, "expected a word or '(' after the label, got ')'"),
    ("(2 a b)", 6, "expected ')' after the word of a leaf, got 'b'"),
    ("(2 a (2 b))", 6, "expected ')' after the word of a leaf, got '('"),
    ("(3 (2 a))", 9, "expected '(' of the second child, got ')'"),
    ("(3 (2 a) b)", 10, "expected '(' of the second child, got 'b'"),
    ("(3 (2 a) (2 b) (2 c))", 16, "expected ')' after the second child, got '('"),
    ("(3 (2 a) (2 b)", 15, "expected ')' after the second child, got the end of the line"),
    ("(2 a))", 6, "expected the end of the line, got ')'"),
    ("(2 a) (2 b)", 7, "expected the end of the line, got '('"),
    ("(2 a)b)", 6, "expected the end of the line, got 'b'"),
    ("(2 (2 a)b)", 9, "expected '(' of the second child, got 'b'"),
    ("(2 (3 (2 a) b))", 13, "expected '(' of the second child, got 'b'"),
    ("(2 a(b)", 5, "expected ')' after the word of a leaf, got '('"),
  ],
)
def test_a_malformed_line_names_column_and_what_was_expected(line, column, expected):
  with pytest.raises(DataError) as caught:
    parse_line(line, source="train.txt", line_number=7)
  message, shown, caret, fix = str(caught.value).split("\n")
  assert message == f"train.txt:7:{column}: malformed tree: {expected}."
  assert shown == f"  {line}"
  assert caret.index("^") == 2 + column - 1
  assert "--skip-bad" in fix


@pytest.mark.parametrize(
  ("line", "expected"),
  [("(3 (2 a) b)", "'(' or ')' after a child, got 'b'"), ("(3)", "a word or '(' after the label")],
)
def test_a_malformed_line_is_named_when_binary_is_false(line, expected):
  with pytest.raises(DataError) as caught:
    parse_line(line, binary=False)
  assert expected in str(caught.value)


def test_labels_follow_num_labels():
  assert parse_line("(11 a)", num_labels=12).label == 11
  with pytest.raises(DataError, match="a label 0..1 or _, got '2'"):
    parse_line("(2 a)", num_labels=2)


def test_of_a_long_line_the_error_shows_only_the_surroundings():
  line = f"(3 (2 {'a' * 500}) {'b' * 500})"
  with pytest.raises(DataError) as caught:
    parse_line(line)
  _, shown, caret, _ = str(caught.value).split("\n")
  assert len(shown) < 100 and shown.startswith("  ...") and shown.endswith("...")
  assert shown[caret.index("^")] == "b" and shown[caret.index("^") - 1] == " "
