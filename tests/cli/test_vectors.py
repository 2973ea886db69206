import numpy as np
import pytest

import recursive_tf as rtf
from recursive_tf.datasets import load_sample
from tests.cli.runs import TINY

OPTIONS = ["train", "treelstm", *TINY, "--vectors", "v.txt"]


@pytest.fixture
def words(tmp_path):
  """Vectors of six numbers for half of the sample's words; returns them by word."""
  found = sorted({word for tree in load_sample()["train"] for word in tree.words()})[::2]
  values = {w: np.round(np.random.RandomState(k).normal(size=6), 3) for k, w in enumerate(found)}
  lines = [f"{w} {' '.join(map(str, values[w]))}\n" for w in found]
  (tmp_path / "v.txt").write_text("".join(lines))
  return values


def test_training_begins_with_the_vectors_and_says_how_many_words_have_one(run, words):
  # Nothing is learnt, so they are still there in the end.
  rates = ["--lr", "0", "--embedding-learning-rate", "0"]
  status, out, _ = run(*OPTIONS, *rates, "--out", "a")
  assert status == 0 and "words (" in out and "have a vector in v.txt" in out
  trained = rtf.load_run("a")
  assert trained.config.vectors == "v.txt" and trained.config.hyperparameters["embedding_size"] == 6
  embedding = trained.model.embedding.numpy()
  is_given = [word in words for word in trained.vocabulary.words]
  assert 5 < sum(is_given) < len(is_given) - 5
  for word, row, known in zip(trained.vocabulary.words, embedding, is_given, strict=True):
    if known:
      np.testing.assert_allclose(row, words[word], rtol=1e-6)
    else:
      assert np.abs(row).max() <= 0.05 and row.any()  # As without vectors.


def test_words_that_are_more_than_a_vector_begin_with_one(run, words):
  options = ["--limit", "9", "--epochs", "1", "--state-size", "6", "--rank", "2", "--vectors"]
  rates = ["--lr", "0", "--embedding-learning-rate", "0"]
  assert run("train", "mvrnn", *options, "v.txt", *rates, "--out", "a")[0] == 0
  trained = rtf.load_run("a")
  rows = trained.model.embedding.numpy()
  found = [row for word, row in zip(trained.vocabulary.words, rows, strict=True) if word in words]
  given = [words[word] for word in trained.vocabulary.words if word in words]
  assert len(found) > 5 and rows.shape[1] == 6 + 6 + 2 * 6 * 2
  np.testing.assert_allclose(np.stack(found)[:, :6], given, rtol=1e-6)
  # The matrices of these words are as they would be: about the identity, their diagonals ones.
  np.testing.assert_array_equal(np.stack(found)[:, 6:12], 1.0)


def test_a_resumed_run_needs_the_file_no_more(run, words, tmp_path):
  assert run(*OPTIONS, "--out", "whole")[0] == 0
  assert run(*OPTIONS, "--epochs", "1", "--decay-epochs", "2", "--out", "a")[0] == 0
  (tmp_path / "v.txt").unlink()
  status, out, _ = run("train", "treelstm", "--resume", "--epochs", "2", "--out", "a")
  assert status == 0 and "have a vector" not in out
  whole, resumed = (rtf.load_run(path).model.embedding.numpy() for path in ("whole", "a"))
  np.testing.assert_array_equal(whole, resumed)


def test_a_run_without_a_checkpoint_begins_with_the_same_vectors_or_not_at_all(
  run, words, tmp_path
):
  assert run(*OPTIONS, "--out", "a")[0] == 0
  for folder in ("checkpoints", "best"):
    for path in (tmp_path / "a" / folder).iterdir():
      path.unlink()
  (tmp_path / "a" / "history.csv").unlink()
  (tmp_path / "v.txt").write_text((tmp_path / "v.txt").read_text().replace("0.", "1."))
  status, _, err = run("train", "treelstm", "--resume", "--out", "a")
  assert status == 2 and "the vectors are not those that the run was begun with" in err


@pytest.mark.usefixtures("words")
@pytest.mark.parametrize(
  ("arguments", "message"),
  [
    (["--embedding-size", "7"], "--embedding-size is 7, but the vectors in v.txt have 6 numbers"),
    (["--vectors", "none.txt"], "none.txt: cannot read the vectors: No such file"),
    (["--vectors", "bad.txt"], "bad.txt:2: expected a word and 2 numbers"),
    (["--vectors", ""], "cannot read the vectors"),
  ],
)
def test_bad_vectors_are_one_clear_line_and_no_run(run, tmp_path, arguments, message):
  (tmp_path / "bad.txt").write_text("the 1 2\nof 1\n")
  status, _, err = run(*OPTIONS, *arguments, "--out", "a")
  assert status == 2 and err.count("\n") == 1 and message in err and not (tmp_path / "a").exists()


@pytest.mark.usefixtures("words")
def test_states_as_wide_as_words_have_to_be_asked_for(run):
  status, _, err = run("train", "treernn", "--vectors", "v.txt", "--out", "a")
  assert status == 2 and "Add --state-size 6." in err
  options = ["--limit", "9", "--epochs", "1", "--state-size", "6", "--out", "a"]
  assert run("train", "treernn", "--vectors", "v.txt", *options)[0] == 0
