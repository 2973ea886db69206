import gzip
import tracemalloc

import numpy as np
import pytest

from recursive_tf._errors import DataError
from recursive_tf.datasets import Vocabulary, read_vectors
from recursive_tf.datasets.vectors import vector_size
from recursive_tf.training.data import LowercaseVocabulary

WORDS = Vocabulary(["the", "film", "not", "New York"])
GLOVE = b"the 0.1 -2 3e-1\nof 1 1 1\nfilm 4 5 6\n"


@pytest.fixture
def write(tmp_path):
  def make(content, name="v.txt"):
    path = tmp_path / name
    path.write_bytes(content)
    return path

  return make


@pytest.mark.parametrize(
  "content",
  [GLOVE, b"3 3\n" + GLOVE, GLOVE.replace(b"\n", b" \r\n"), gzip.compress(GLOVE), GLOVE[:-1]]
  + [b"\xef\xbb\xbf" + GLOVE, b"\xef\xbb\xbf3 3\n" + GLOVE],
  ids=["glove", "word2vec", "other ends", "gzip", "no last line feed", "mark", "word2vec, mark"],
)
def test_both_formats_are_read(write, content):
  found = read_vectors(write(content), WORDS)
  expected = np.zeros([5, 3], np.float32)
  expected[1], expected[2] = [0.1, -2, 0.3], [4, 5, 6]
  np.testing.assert_array_equal(found.vectors, expected)
  assert found.is_found.tolist() == [False, True, True, False, False]
  assert found.size == vector_size(found.path) == 3 and found.num_lines == 3
  assert found.coverage == 0.5
  assert str(found) == f"2 of 4 words (50.0%) have a vector in {found.path} (3 x 3)"


def test_words_may_hold_spaces_and_bytes_that_are_no_text(write):
  content = b"the 1 2\nNew York 3 4\n\xff\xfe 5 6\n. . . 7 8\n"
  found = read_vectors(write(content), WORDS)
  assert found.vectors[4].tolist() == [3, 4] and found.num_lines == 4


def test_the_first_vector_of_a_word_counts_and_its_own_case_before_others(write):
  path = write(b"The 1 1\nthe 2 2\nthe 3 3\nTHE 4 4\nFilm 5 5\nFILM 6 6\n")
  found = read_vectors(path, LowercaseVocabulary(["the", "film"]))
  assert found.vectors[1:].tolist() == [[2, 2], [5, 5]]
  found = read_vectors(path, Vocabulary(["the", "film"]))
  assert found.vectors[1:].tolist() == [[2, 2], [0, 0]]


def test_the_unknown_word_has_a_vector_only_if_it_is_spelled_so(write):
  found = read_vectors(write(b"the 1 1\nelse 3 3\n<unk> 2 2\n"), WORDS)
  assert found.vectors[0].tolist() == [2, 2] and found.coverage == 0.25


@pytest.mark.parametrize(
  ("content", "message"),
  [
    (b"", "v.txt:1: expected a word and its finite numbers, or .* got an empty file"),
    (b"the\n", "v.txt:1: expected a word and its finite numbers, .* got 'the'"),
    (b"the one two\n", "v.txt:1: expected a word and its finite numbers, .* got 'the one two'"),
    (b"the 1 nan\n", "v.txt:1: expected a word and its finite numbers, .* got 'the 1 nan'"),
    (b"0 5\n", "v.txt:1: expected the number of words and the size"),
    (b"the 1 2\nof 1\n", "v.txt:2: expected a word and 2 numbers .* got 2 pieces: 'of 1'"),
    (b"the 1 2\n\nof 1 2\n", "v.txt:2: expected a word and 2 numbers .* got 0 pieces: ''"),
    (b"the 1 2\n 1 2\n", "v.txt:2: expected a word and 2 numbers .* got 2 pieces"),
    (b"the 1 2\nfilm 1 x\n", "v.txt:2: expected 2 finite numbers after the word, got 'film 1 x'"),
    (b"the 1 2\nfilm 1 nan\n", "v.txt:2: expected 2 finite numbers"),
    (b"the 1 2\nfilm 1 1e60\n", "v.txt:2: expected 2 finite numbers"),
    (b"2 2\nthe 1 2\n", "v.txt:1: says that 2 words follow, got 1. Is the file cut short"),
    (b"of 1 2\nand 1 2\n", "v.txt: has none of the 4 words"),
    (b"PK\x03\x04rest", "v.txt: this is a zip archive"),
    (gzip.compress(GLOVE, mtime=0)[:-9], "v.txt: the gzip data is damaged or cut short"),
    (b"9 300\n" + b"\x01" * (1 << 21), "v.txt:2: this line is too long for text. Is it word2vec's"),
  ],
)
def test_a_bad_line_is_named(write, content, message):
  with pytest.raises(DataError, match=message):
    read_vectors(write(content), WORDS)


def test_another_size_and_a_missing_file_are_errors(write, tmp_path):
  with pytest.raises(DataError, match="v.txt:1: vectors of 3 numbers, expected 4"):
    read_vectors(write(GLOVE), WORDS, size=4)
  with pytest.raises(DataError, match="cannot read the vectors: No such file"):
    vector_size(tmp_path / "nothing")
  with pytest.raises(DataError, match="cannot read the vectors: Is a directory"):
    read_vectors(tmp_path, WORDS)


def test_only_the_vocabulary_is_kept_in_memory(write):
  numbers = b" 0.25" * 100
  path = write(
    b"".join(b"w%d%s\n" % (k, numbers) for k in range(20_000)) + b"the" + numbers + b"\n"
  )
  assert path.stat().st_size > 10_000_000
  tracemalloc.start()
  found = read_vectors(path, WORDS)
  peak = tracemalloc.get_traced_memory()[1]
  tracemalloc.stop()
  assert found.vectors[1].tolist() == [0.25] * 100 and peak < 1_000_000


def test_the_digest_tells_other_vectors_apart(write):
  first = read_vectors(write(GLOVE), WORDS)
  assert first.digest == read_vectors(write(GLOVE + b"more 1 2 3\n"), WORDS).digest
  assert first.digest != read_vectors(write(GLOVE.replace(b"4", b"5")), WORDS).digest
  zero = read_vectors(write(GLOVE + b"not 0 0 0\n"), WORDS)
  assert first.digest != zero.digest
