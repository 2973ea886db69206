import pytest
from hypothesis import given
from hypothesis import strategies as st

from recursive_tf._errors import DataError
from recursive_tf.datasets.ptb_syntax import parse_line
from recursive_tf.datasets.vocabulary import UNKNOWN, Vocabulary
from tests.datasets.tree_strategies import binary_trees, words

TREES = [parse_line("(2 (2 b) (2 (2 a) (2 c)))"), parse_line("(2 (2 c) (2 c))")]


def test_ids_follow_frequency_and_then_the_alphabet():
  assert Vocabulary.from_trees(TREES).words == (UNKNOWN, "c", "a", "b")


def test_rare_words_are_left_out_and_look_up_as_0():
  vocabulary = Vocabulary.from_trees(TREES, min_count=2)
  assert vocabulary.words == (UNKNOWN, "c")
  assert [vocabulary.lookup(word) for word in "abc"] == [0, 0, 1]
  assert vocabulary.size == len(vocabulary) == 2
  assert "c" in vocabulary and "a" not in vocabulary


@given(st.lists(binary_trees, min_size=1, max_size=4))
def test_lookup_is_the_inverse_of_words(trees):
  vocabulary = Vocabulary.from_trees(trees)
  assert [vocabulary.lookup(word) for word in vocabulary.words] == list(range(vocabulary.size))
  assert all(vocabulary.lookup(w) > 0 for t in trees for w in t.words() if w != UNKNOWN)


def test_the_unknown_word_in_the_data_is_id_0():
  assert Vocabulary(["a", UNKNOWN, "b"]).words == (UNKNOWN, "a", "b")


def test_a_word_given_twice_is_refused():
  with pytest.raises(DataError, match="'a' is given 2 times"):
    Vocabulary(["a", "b", "a"])


@given(st.sets(words))
def test_loading_what_was_saved_gives_an_equal_vocabulary(tmp_path_factory, some_words):
  path = tmp_path_factory.mktemp("vocabulary") / "words.txt"
  vocabulary = Vocabulary(sorted(some_words))
  vocabulary.save(path)
  loaded = Vocabulary.load(path)
  assert loaded == vocabulary and hash(loaded) == hash(vocabulary)


def test_a_word_with_a_line_feed_cannot_be_saved(tmp_path):
  with pytest.raises(DataError, match="holds a line feed"):
    Vocabulary(["a\nb"]).save(tmp_path / "words.txt")


@pytest.mark.parametrize(
  "content, message",
  [
    (b"", ":1: expected '<unk>' on the first line, got ''"),
    (b"good\nbad\n", ":1: expected '<unk>' on the first line, got 'good'"),
    (b"<unk>\ngood", ":2: expected a line feed after the last word, 'good'. Is the file cut short"),
    (b"<unk>\n\xff\n", ": cannot read the vocabulary: 'utf-8' codec"),
  ],
)
def test_a_file_that_is_no_vocabulary_is_refused(tmp_path, content, message):
  path = tmp_path / "words.txt"
  path.write_bytes(content)
  with pytest.raises(DataError) as caught:
    Vocabulary.load(path)
  assert f"{path}{message}" in str(caught.value)


def test_a_missing_vocabulary_file_is_named(tmp_path):
  with pytest.raises(DataError, match="none.txt: cannot read the vocabulary: No such file"):
    Vocabulary.load(tmp_path / "none.txt")
