import pytest

from recursive_tf.datasets import load_sample, write_ptb
from tests.cli.runs import assert_one_line

SENTENCE = "1\tCats\t_\tNOUN\t_\t_\t2\t_\t_\t_\n2\tsleep\t_\tVERB\t_\t_\t0\t_\t_\t_\n\n"


@pytest.fixture
def few(tmp_path):
  """Seven trees as a file, and as one split of a directory."""
  (tmp_path / "few").mkdir()
  for path in ("few.txt", "few/test.txt"):
    write_ptb(tmp_path / path, load_sample()["dev"][:7])


@pytest.mark.usefixtures("finished", "few")
def test_a_single_file_or_a_single_split_is_evaluated(run):
  status, out, _ = run("eval", "a", "--data", "few.txt")
  assert status == 0 and out.startswith("treernn (a) on few.txt: 7 sentences\n")
  status, split, _ = run("eval", "a", "--data", "few")
  assert status == 0 and split.startswith("treernn (a) on few, split test: 7 sentences\n")
  assert out.splitlines()[1:] == split.splitlines()[1:]


@pytest.mark.usefixtures("finished", "few")
def test_a_split_that_is_not_there_is_named_beside_those_that_are(run):
  status, out, err = run("eval", "a", "--data", "few", "--split", "dev")
  assert status == 2 and out == ""
  assert "few: the treebank directory lacks dev.txt (or .txt.gz). It has test." in err


@pytest.mark.usefixtures("finished")
def test_the_limit_of_the_run_is_not_one_of_other_data(run):
  assert "split test: 24 sentences" in run("eval", "a")[1]
  whole = len(load_sample()["test"])
  assert f"split test: {whole} sentences" in run("eval", "a", "--data", "sample")[1]
  assert f"split test: {whole} sentences" in run("eval", "a", "--limit", "0")[1]
  assert "split dev: 9 sentences" in run("eval", "a", "--limit", "9", "--split", "dev")[1]


@pytest.mark.usefixtures("finished")
def test_malformed_lines_of_other_data_are_errors_or_counted(run, tmp_path):
  (tmp_path / "bad.txt").write_text("(3 (2 a) (4 b))\n(3 (2 a)\n")
  status, _, err = run("eval", "a", "--data", "bad.txt")
  assert status == 2 and "bad.txt:2:9: malformed tree" in err
  status, out, err = run("eval", "a", "--data", "bad.txt", "--skip-bad")
  assert status == 0 and "on bad.txt: 1 sentence\n" in out and "Skipped 1 malformed line" in err


def test_a_generator_is_evaluated_on_a_single_file(run, tmp_path):
  (tmp_path / "trees").mkdir()
  for split in ("train", "dev", "test"):
    (tmp_path / "trees" / f"x-{split}.conllu").write_text(SENTENCE * 5)
  options = ["--min-count", "1", "--epochs", "1", "--state-size", "4", "--embedding-size", "4"]
  assert run("train", "top-down-treelstm", "--data", "trees", *options, "--out", "b")[0] == 0
  (tmp_path / "one").mkdir()
  for path in ("one.conllu", "one/y-test.conllu"):
    (tmp_path / path).write_text(SENTENCE * 3)
  status, out, _ = run("eval", "b", "--data", "one.conllu")
  assert status == 0 and "on one.conllu: 3 sentences" in out
  status, out, _ = run("eval", "b", "--data", "one")
  assert status == 0 and "on one, split test: 3 sentences" in out
  status, _, err = run("eval", "b", "--data", "one", "--split", "dev")
  assert status == 2
  assert_one_line(err, "one: expected a file NAME-dev.conllu or .conllu.gz. It has test.")
  # Its sentences say no meaning: a number for those that do would mean nothing.
  status, _, err = run("eval", "b", "--data", "grammar")
  assert status == 2
  assert_one_line(err, "--data grammar: the model was trained on trees")
