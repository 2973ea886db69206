import pytest
from hypothesis import example, given

from recursive_tf._errors import DataError
from recursive_tf.datasets.ptb_nltk import parse_line_with_nltk
from recursive_tf.datasets.ptb_syntax import parse_line
from tests.datasets.tree_strategies import any_trees, chain, damaged_lines


def outcome(parse, line, **options):
  """The tree, or the text of the error."""
  try:
    return parse(line, source="train.txt", line_number=3, **options)
  except DataError as error:
    return str(error)


@given(any_trees)
def test_both_readers_read_the_same_tree(tree):
  line = str(tree)
  assert parse_line_with_nltk(line, binary=False) == parse_line(line, binary=False) == tree


@example("(9 a)")
@example("(3 (2 a))")
@example("(\u00a02 a)")
@example("(02 a)")
@example("(2 a\u00a0b)")
@example("((2 a)(2 b))")
@example("(\u0662 a)")
@given(damaged_lines())
def test_both_readers_agree_on_nearly_trees_and_on_the_error(line):
  for binary in (True, False):
    assert outcome(parse_line_with_nltk, line, binary=binary) == outcome(
      parse_line, line, binary=binary
    )


def test_a_tree_too_deep_for_nltk_names_the_other_reader():
  with pytest.raises(DataError, match="train.txt:9: nltk cannot read .*\n.*reader='fast'"):
    parse_line_with_nltk(str(chain(1000)), source="train.txt", line_number=9)
