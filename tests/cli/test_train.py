import json
import re

import pytest

from recursive_tf.training.history import read_history
from tests.cli.runs import TINY


@pytest.mark.parametrize("model", ["treelstm", "treernn", "rntn", "mvrnn"])
def test_train_writes_a_run_that_eval_reads(run, tmp_path, model):
  status, out, _ = run("train", model, *TINY, "--out", "a")
  assert status == 0
  assert "epoch 2/2" in out and "Test, with the weights of the best epoch" in out
  rows = read_history(tmp_path / "a")
  assert [row["epoch"] for row in rows] == [1, 2]
  assert rows[1]["train_loss"] < rows[0]["train_loss"]
  assert (tmp_path / "a" / "curves.png").read_bytes().startswith(b"\x89PNG")
  result = json.loads((tmp_path / "a" / "test.json").read_text())

  status, out, _ = run("eval", "a")
  assert status == 0
  task = "binary" if model == "treelstm" else "fine"
  assert ("5 classes, root" in out) == (task == "fine")
  shown = float(re.search(r"binary, all nodes +([\d.]+)%", out)[1])
  assert shown == pytest.approx(100 * result["binary_node"], abs=0.06)


def test_a_generator_is_trained_evaluated_and_resumed(run, tmp_path):
  arguments = ["train", "top-down-treelstm", *TINY, "--embedding-size", "6"]
  status, out, _ = run(*arguments, "--out", "a")
  assert status == 0
  assert "epoch 2/2" in out and "right word of five" in out and "exact trees" in out
  first, second = read_history(tmp_path / "a")
  assert second["dev_perplexity"] < first["dev_perplexity"]
  assert 0 <= second["dev_completion"] <= 1 and "train_completion" not in second
  assert (tmp_path / "a" / "curves.png").read_bytes().startswith(b"\x89PNG")
  result = json.loads((tmp_path / "a" / "test.json").read_text())
  assert result["num_completions"] == 24

  status, out, _ = run("eval", "a")
  assert status == 0
  shown = float(re.search(r"perplexity of words +([\d.]+)", out)[1])
  assert shown == pytest.approx(result["perplexity"], abs=6e-4)
  status, out, _ = run("train", "top-down-treelstm", "--out", "a", "--resume")
  assert status == 0 and "Test, with the weights" in out


def test_a_generator_learns_from_conllu_files(run, tmp_path):
  (tmp_path / "trees").mkdir()
  line = "{}\t{}\t_\tNOUN\t_\t_\t{}\t_\t_\t_\n"
  sentence = line.format(1, "Cats", 2) + line.format(2, "sleep", 0)
  for split in ("train", "dev", "test"):
    (tmp_path / "trees" / f"x-{split}.conllu").write_text(f"{sentence}\n" * 5)
  arguments = ["--data", "trees", "--min-count", "1", "--epochs", "1", "--state-size", "4"]
  status, out, _ = run("train", "top-down-treelstm", *arguments)
  assert status == 0 and "5 sentences, 3 words" in out
  # No conditions: nothing to be exact about; two words: nothing to choose from.
  assert "exact" not in out and "right word" not in out


def test_runs_without_out_get_names_of_their_own(run, tmp_path):
  for _ in range(2):
    run("train", "treernn", *TINY, "--epochs", "1")
  names = sorted(path.name for path in (tmp_path / "runs").iterdir())
  assert names == ["treernn-sample-fine", "treernn-sample-fine-2"]
  _, out, _ = run("train", "treernn", "--resume")
  assert "writing to runs/treernn-sample-fine-2" in out


def make_treebank(directory, line):
  directory.mkdir()
  for split in ("train", "dev", "test"):
    text = "(3 (2 a) (4 b))\n(1 (2 a) (0 c))\n"
    (directory / f"{split}.txt").write_text(text + (line if split == "train" else ""))


def test_malformed_lines_are_errors_or_counted(run, tmp_path):
  make_treebank(tmp_path / "trees", "(3 (2 a)\n")
  status, _, err = run("train", "treernn", "--data", "trees", "--epochs", "1")
  assert status == 2 and "train.txt:3:" in err and "Traceback" not in err
  assert not (tmp_path / "runs").exists()
  status, out, err = run("train", "treernn", "--data", "trees", "--epochs", "1", "--skip-bad")
  assert status == 0 and "Skipped 1 malformed line" in err
  assert "2 sentences" in out
