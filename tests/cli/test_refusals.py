import os

import pytest

from recursive_tf import cli
from tests.cli.runs import TINY, assert_one_line, contents

TREE = "(3 (2 a) (4 b))\n"
TRAIN = ["train", "treelstm"]


@pytest.mark.parametrize(
  "arguments, message",
  [
    ([*TRAIN, "--data", "nowhere"], "--data nowhere: no such directory"),
    ([*TRAIN, "--data", "SSt"], "no such directory. Did you mean sst? Expected sample, sst,"),
    (["train", "top-down-treelstm", "--data", "gramar"], "Did you mean grammar?"),
    ([*TRAIN, "--data", ""], "--data is empty"),
    ([*TRAIN, "--data", "file"], "--data file: this is a file, which has no training split"),
    (["train", "top-down-treelstm", "--data", "file"], "--data file: this is a file"),
    (["train", "top-down-treelstm", "--data", "sst"], "--data sst: no such directory"),
    (["train", "treernn", "--embedding-size", "3"], "model treernn has no such hyperparameter"),
    ([*TRAIN, "--batch-size", "0"], "--batch-size is 0, expected at least 1"),
    ([*TRAIN, "--epochs", "0"], "--epochs is 0, expected at least 1"),
    ([*TRAIN, "--decay-epochs", "0"], "--decay-epochs is 0, expected at least 1"),
    ([*TRAIN, "--state-size", "-3"], "--state-size is -3, expected at least 1"),
    ([*TRAIN, "--state-size", "99999999"], "--state-size is 99999999, expected at most"),
    ([*TRAIN, "--dropout", "1"], "expected less than 1"),
    ([*TRAIN, "--dropout", "nan"], "--dropout is nan, expected a finite number"),
    ([*TRAIN, "--lr", "nan"], "--learning-rate is nan, expected a finite number"),
    ([*TRAIN, "--learning-rate", "inf"], "--learning-rate is inf, expected a finite number"),
    ([*TRAIN, "--embedding-learning-rate", "-1"], "is -1.0, expected 0 or more"),
    ([*TRAIN, "--lr", "1e300"], "beyond what 32-bit weights can hold"),
    ([*TRAIN, "--l2=-inf"], "--l2 is -inf, expected a finite number"),
    ([*TRAIN, "--seed", "-1"], "--seed is -1, expected 0 or more"),
    ([*TRAIN, "--seed", str(2**63)], "expected at most 9223372036854775807"),
    ([*TRAIN, "--limit", "-1"], "--limit is -1, expected 0 or more"),
    ([*TRAIN, "--min-count", "0"], "--min-count is 0, expected at least 1"),
    ([*TRAIN, "--min-count", "99999"], "no word of the training sentences occurs as often"),
    ([*TRAIN, "--threads", "0"], "--threads is 0, expected 1 to"),
    ([*TRAIN, "--threads", "1000000"], "--threads is 1000000, expected 1 to"),
    ([*TRAIN, "--out", ""], "--out is empty"),
    ([*TRAIN, "--out", "file"], "--out file: this is a file"),
    ([*TRAIN, "--out", "file/below"], "--out file/below: cannot make this directory"),
    ([*TRAIN, "--out", "x" * 300], "File name too long"),
    ([*TRAIN, "--resume"], "--resume: there is no run"),
    ([*TRAIN, "--resume", "--out", "b"], "b: no training run here: no such directory"),
    ([*TRAIN, "--resume", "--out", "file"], "--out file: this is a file"),
    ([*TRAIN, "--resume", "--out", "."], ".: no training run here: no config.json in it"),
    ([*TRAIN, "--task", "generation"], "treelstm does not learn it, expected one of fine, binary"),
    (["train", "top-down-treelstm", "--task", "fine"], "expected one of generation"),
    (["eval", "nowhere"], "nowhere: no training run here: no such directory"),
    (["eval", "file"], "file: no training run here: this is a file"),
    (["eval", ""], "no training run here"),
    (["trace", "treelstm", "--batch-size", "0"], "--batch-size is 0, expected at least 1"),
    (["trace", "treelstm", "--out", "schedule.txt"], "expected a name that ends in .svg"),
    (["trace", "treelstm", "--out", "file/a.svg"], "--out file/a.svg: cannot be written"),
  ],
)
def test_bad_input_is_one_clear_line(run, tmp_path, arguments, message):
  (tmp_path / "file").write_text(TREE)
  status, out, err = run(*arguments)
  assert status == 2 and out == ""
  assert_one_line(err, message)
  assert contents(tmp_path).keys() == {"file"} and os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize(
  "arguments, message",
  [
    ([], "the following arguments are required: COMMAND"),
    (["trian"], "invalid choice: 'trian'"),
    (["train", "lstm"], "invalid choice: 'lstm'"),
    ([*TRAIN, "--task", "sentiment"], "argument --task: invalid choice: 'sentiment'"),
    ([*TRAIN, "--epochs", "x"], "argument --epochs: invalid int value: 'x'"),
    ([*TRAIN, "--epochs", "1.5"], "argument --epochs: invalid int value: '1.5'"),
    ([*TRAIN, "--lr", ""], "argument --learning-rate/--lr: invalid float value: ''"),
    (["eval"], "the following arguments are required: RUN_DIR"),
  ],
)
def test_wrong_words_are_one_clear_line(capsys, arguments, message):
  with pytest.raises(SystemExit) as caught:
    cli.main(arguments)
  assert caught.value.code == 2
  assert_one_line(capsys.readouterr().err, message, "--help")


@pytest.mark.parametrize(
  "options, message",
  [
    (["--limit", "-1"], "--limit is -1, expected 0 or more"),
    (["--data", ""], "--data is empty"),
    (["--data", "nowhere"], "--data nowhere: no such directory"),
    (["--data", "a", "--split", "dev"], "lacks dev.txt"),
    (["--data", "file", "--split", "dev"], "--data file is a single file. Leave --split out"),
    (["--threads", "-1"], "--threads is -1"),
  ],
)
def test_bad_input_of_eval_is_one_clear_message(run, finished, tmp_path, options, message):
  (tmp_path / "file").write_text(TREE)
  status, out, err = run("eval", finished, *options)
  assert status == 2 and out == "" and message in err and "Traceback" not in err


def test_part_of_a_run_is_not_written_over(run, finished, tmp_path):
  (finished / "config.json").unlink()
  before = contents(tmp_path)
  status, _, err = run("train", "treernn", *TINY, "--out", "a")
  assert status == 2
  assert_one_line(err, "history.csv and vocabulary.txt and checkpoints, but no config.json")
  assert contents(tmp_path) == before


def test_what_cannot_be_written_to_is_named(run, monkeypatch, tmp_path):
  def refuse(*arguments, **options):
    raise PermissionError(13, "Permission denied", "runs")

  monkeypatch.setattr("pathlib.Path.mkdir", refuse)
  status, _, err = run(*TRAIN, *TINY, "--out", "a/b")
  assert status == 2
  assert_one_line(err, "--out a/b: cannot make this directory: Permission denied")


@pytest.mark.parametrize(
  "error, message",
  [
    (MemoryError(), "there is not enough memory"),
    (OSError(28, "No space left on device"), "output: No space left on device"),
    (PermissionError(13, "Permission denied", "x/y"), "x/y: Permission denied"),
  ],
)
def test_what_the_system_refuses_is_one_line(run, monkeypatch, error, message):
  def fail(args):
    raise error

  monkeypatch.setattr(cli, "_drop_output", lambda: None)
  monkeypatch.setattr("recursive_tf._cli.info.info", fail)
  status, _, err = run("info")
  assert status == 2
  assert_one_line(err, message)
