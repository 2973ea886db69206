"""`train` and `eval` as other programs run them: JSON on standard output, and nothing else."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios

import pytest

from recursive_tf._cli.progress import print_json
from recursive_tf.training.history import read_history
from tests.cli.dependency_data import make_pairs
from tests.cli.runs import TINY, assert_one_line


def objects(text):
  return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_train_writes_an_object_an_epoch_and_one_for_the_test(run, tmp_path, quiet):
  status, out, err = run("train", "treernn", *TINY, "--out", "a", "--json", *quiet)
  assert status == 0 and err == ""
  *epochs, result = objects(out)
  rows = read_history(tmp_path / "a")
  assert len(epochs) == len(rows) == 2
  for epoch, row in zip(epochs, rows, strict=True):
    assert epoch.pop("is_best") in (True, False)
    assert epoch == pytest.approx(row, rel=1e-4)
  assert result["test"] == json.loads((tmp_path / "a" / "test.json").read_text())
  told = {name: result[name] for name in ("run", "epochs", "stopped_early")}
  assert told == {"run": "a", "epochs": 2, "stopped_early": False}


def test_best_epochs_are_marked_and_early_stops_told(run, tmp_path):
  rates = ["--lr", "0", "--embedding-learning-rate", "0", "--epochs", "9"]
  train = ["train", "treernn", *TINY, *rates, "--early-stopping", "2", "--out", "a", "--json"]
  status, out, err = run(*train)
  *epochs, result = objects(out)
  assert (status, err) == (0, "")
  assert [epoch["is_best"] for epoch in epochs] == [True, False, False]
  assert result["stopped_early"] is True and result["epochs"] == 3 and result["test"]["epoch"] == 1
  status, out, err = run("train", "treernn", "--out", "a", "--resume", "--json")
  assert (status, err) == (0, "") and objects(out) == [result]


@pytest.mark.usefixtures("finished")
def test_eval_writes_the_scores_of_its_table(run):
  status, out, err = run("eval", "a", "--json", "--split", "dev")
  (scores,) = objects(out)
  assert (status, err) == (0, "")
  told = {name: scores[name] for name in ("run", "model", "task", "data", "split", "examples")}
  assert told == {
    "run": "a",
    "model": "treernn",
    "task": "fine",
    "data": "sample",
    "split": "dev",
    "examples": 24,
  }
  text = run("eval", "a", "--split", "dev", "--quiet")[1]
  assert f"{scores['node']:.1%}" in text and f"{scores['loss']:.3f}" in text
  assert "24 sentences" in text and scores["num_roots"] == 24


def test_what_was_left_out_is_said_beside_the_objects(run, tmp_path):
  (tmp_path / "trees").mkdir()
  for split in ("train", "dev", "test"):
    text = "(3 (2 a) (4 b))\n(1 (2 a) (0 c))\n(3 (2 a)\n"
    (tmp_path / "trees" / f"{split}.txt").write_text(text)
  train = ["train", "treernn", "--data", "trees", "--skip-bad", "--epochs", "1", "--out", "a"]
  status, out, err = run(*train, "--json", "--quiet")
  assert status == 0 and "Skipped 3 malformed lines" in err and len(objects(out)) == 2
  status, out, err = run("eval", "a", "--json", "--quiet")
  assert status == 0 and "Skipped 1 malformed line" in err and len(objects(out)) == 1


def test_quiet_leaves_the_test(run):
  status, out, err = run("train", "treernn", *TINY, "--out", "a", "--quiet")
  assert (status, err) == (0, "")
  assert out.startswith("Test, with the weights of the best epoch") and "epoch 1/2" not in out


def test_a_dry_run_is_one_object(run):
  status, out, err = run("train", "treernn", *TINY, "--dry-run", "--json")
  (told,) = objects(out)
  assert (status, err) == (0, "")
  assert told["batches_per_epoch"] == 5 and told["train"] == 24 and told["loss"] > 0
  text = run("train", "treernn", *TINY, "--dry-run")[1]
  assert f"{told['parameters']:,}\n" in text and f"loss {told['loss']:.3f}" in text


def test_numbers_that_json_does_not_have_are_null(capsys):
  print_json({"a": float("nan"), "b": {"c": -float("inf"), "d": 0.5}, "e": None})
  assert capsys.readouterr().out == '{"a": null, "b": {"c": null, "d": 0.5}, "e": null}\n'


def test_pairs_without_a_correlation_are_json(run, tmp_path):
  make_pairs(tmp_path / "data", 12)
  rates = ["--lr", "0", "--embedding-learning-rate", "0"]
  train = ["train", "child-sum-treelstm", "--data", "data", *TINY, *rates, "--out", "a", "--json"]
  status, out, err = run(*train)
  assert (status, err) == (0, "") and len(objects(out)) == 3
  assert "NaN" not in run("eval", "a", "--json")[1]


def start(repository, *arguments, **streams):
  script = repository / "bin" / "recursive-tf"
  environment = {**os.environ, "PYTHONPATH": str(repository), "TERM": "dumb"}
  return subprocess.run(
    [sys.executable, script, *arguments], env=environment, timeout=250, text=True, **streams
  )


@pytest.mark.parametrize("command", [["train", "treernn", *TINY, "--out", "b"], ["eval", "a"]])
def test_a_full_disk_is_one_clear_line(repository, finished, command):
  with open("/dev/full", "w") as full:
    done = start(repository, *command, "--json", stdout=full, stderr=subprocess.PIPE)
  assert done.returncode == 2
  assert_one_line(done.stderr, "output: No space left on device")


@pytest.mark.parametrize(
  ("quiet", "is_shown"), [([], True), pytest.param(["--quiet"], False, marks=pytest.mark.slow)]
)
def test_a_terminal_shows_how_it_goes_beside_the_objects(repository, quiet, is_shown):
  ours, theirs = pty.openpty()
  fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 120, 0, 0))
  try:
    train = ["train", "treernn", *TINY, "--out", "a", "--json", *quiet]
    done = start(repository, *train, stdout=subprocess.PIPE, stderr=theirs)
  finally:
    os.close(theirs)
  assert done.returncode == 0 and len(objects(done.stdout)) == 3
  shown = b""
  try:
    while more := os.read(ours, 1 << 16):
      shown += more
  except OSError:  # All was read.
    pass
  os.close(ours)
  assert (b"Training treernn" in shown and b"epoch 1/2" in shown) == is_shown
  assert shown == b"" or is_shown
