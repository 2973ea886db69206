"""What is damaged on the disk: one clear line, an older checkpoint if there is one, no harm."""

import json
import shutil

import pytest
import tensorflow as tf

from recursive_tf.training.history import read_history
from recursive_tf.training.prediction import load_run
from tests.cli.runs import assert_one_line, contents, trainer_of

RESUME = ["train", "treernn", "--out", "a", "--resume"]


def cut(path):
  path.write_bytes(path.read_bytes()[:100])


def checkpoints(directory):
  """Returns the data files of checkpoints, the last first."""
  files = (directory / "checkpoints").glob("*.data*")
  return sorted(files, key=lambda path: int(path.name.split(".")[0][5:]), reverse=True)


def assert_refused_and_unharmed(run, directory, arguments, *parts):
  before = contents(directory)
  status, out, err = run(*arguments)
  assert status == 2 and out == ""
  assert_one_line(err, *parts)
  assert contents(directory) == before


def test_a_checkpoint_of_another_configuration_is_an_error(run, finished):
  path = finished / "config.json"
  path.write_text(path.read_text().replace('"state_size": 4', '"state_size": 5'))
  for arguments in (["eval", "a"], RESUME):
    assert_refused_and_unharmed(run, finished, arguments, "cannot be restored", "another --out")


def test_tensorflow_s_list_of_checkpoints_does_not_matter(run, finished):
  for folder in ("checkpoints", "best"):
    (finished / folder / "checkpoint").write_bytes(b"\xff\x00 garbage {")
  status, expected, _ = run("eval", "a")
  assert status == 0
  status, out, _ = run(*RESUME)
  assert status == 0 and "Going on with" in out
  assert "of the best epoch on dev" in out
  assert run("eval", "a")[1] == expected


@pytest.mark.parametrize("kind", ["cut", "empty", "missing", "other bytes", "no index"])
def test_of_damaged_checkpoints_the_one_before_is_used(run, finished, kind):
  last, before = checkpoints(finished)
  rows = read_history(finished)
  if kind == "cut":
    cut(last)
  elif kind == "empty":
    last.write_bytes(b"")
  elif kind == "missing":
    last.unlink()
  elif kind == "other bytes":
    content = bytearray(last.read_bytes())
    content[200:204] = b"\xff\xff\xff\xff"
    last.write_bytes(content)
  else:
    cut(last.with_name(last.name.split(".")[0] + ".index"))
  status, out, err = run(*RESUME)
  assert status == 0
  assert f"{last.with_suffix('')} is damaged: " in err
  assert f"Using a/checkpoints/{before.stem}, of step {int(rows[0]['step'])}" in err
  assert "epoch 2/2" in out and "epoch 1/2" not in out
  assert read_history(finished)[1]["train_loss"] == pytest.approx(rows[1]["train_loss"], rel=1e-4)
  assert len(checkpoints(finished)) == 2
  trainer_of(finished)  # What was damaged is written anew.


def test_the_weights_to_evaluate_are_the_last_ones_if_the_best_are_damaged(run, finished):
  for path in (finished / "best").glob("*.data*"):
    cut(path)
  status, out, err = run("eval", "a")
  assert status == 0 and "5 classes, root" in out
  assert "is damaged" in err and "Using a/checkpoints/ckpt-10, of step 10" in err
  status, out, err = run(*RESUME)
  assert status == 0 and "is damaged" in err
  assert "Test, with the weights of " in out
  assert json.loads((finished / "test.json").read_text())["epoch"] == 2


def test_weights_that_are_not_of_the_best_epoch_are_never_used_in_silence(run, finished):
  assert "no weights" not in run("eval", "a")[2]
  shutil.rmtree(finished / "best")
  note = "a/best: no weights of a best epoch here. Using a/checkpoints/ckpt-10, of step 10."
  for command, *rest in (["eval"], ["predict", "(a b)"]):
    status, _, err = run(command, "a", *rest)
    assert status == 0 and err.count(note) == 1
  with pytest.warns(UserWarning, match="no weights of a best epoch here"):
    load_run("a")


def test_damaged_checkpoints_alone_are_an_error(run, finished):
  for path in finished.rglob("*.data*"):
    cut(path)
  assert_refused_and_unharmed(
    run, finished, RESUME, "ckpt-10 is damaged", "ckpt-5 is damaged", "No other checkpoint is left"
  )
  assert_refused_and_unharmed(run, finished, ["eval", "a"], "is damaged", "another --out")


def test_a_record_without_checkpoints_is_not_begun_anew(run, finished):
  shutil.rmtree(finished / "checkpoints")
  assert_refused_and_unharmed(run, finished, RESUME, "history.csv tells of epochs", "no checkpoint")
  assert run("eval", "a")[0] == 0  # The best weights are there.
  shutil.rmtree(finished / "best")
  assert_refused_and_unharmed(run, finished, ["eval", "a"], "no checkpoint yet")


@pytest.mark.parametrize(
  "name, content, part",
  [
    ("config.json", b"{", "config.json:1:2: damaged: expected JSON"),
    ("config.json", b"\xff\xfe", "config.json: damaged: expected UTF-8 text, got byte 0xff"),
    ("config.json", b"[1]", "expected an object of values, got list"),
    ("vocabulary.txt", b"<unk>\nb\na\n", "these are not the words that the run was started with"),
    ("vocabulary.txt", b"a\n", "vocabulary.txt:1: expected '<unk>'"),
    ("vocabulary.txt", b"\xff", "cannot read the vocabulary"),
  ],
)
def test_damaged_files_are_named(run, finished, name, content, part):
  (finished / name).write_bytes(content)
  for arguments in (["eval", "a"], RESUME):
    assert_refused_and_unharmed(run, finished, arguments, f"a/{name}", part, "from a copy")


def test_a_vocabulary_that_is_lost_is_made_again_but_not_to_evaluate(run, finished):
  path = finished / "vocabulary.txt"
  before = path.read_bytes()
  path.unlink()
  assert_refused_and_unharmed(run, finished, ["eval", "a"], "a/vocabulary.txt", "No such file")
  assert run(*RESUME)[0] == 0
  assert path.read_bytes() == before


@pytest.mark.parametrize(
  "content, part",
  [
    (b"\x00\xffgarbage", "history.csv: damaged: expected UTF-8"),
    (b"", "history.csv:1: damaged: expected the names of columns"),
    (b"epoch,step\n1,x\n", "history.csv:2: damaged: expected a number, got 'x'"),
  ],
)
def test_a_damaged_record_is_named_when_training_goes_on(run, finished, content, part):
  (finished / "history.csv").write_bytes(content)
  arguments = [*RESUME, "--epochs", "3"]
  assert_refused_and_unharmed(run, finished, arguments, f"a/{part}", "move the file away")
  assert run("eval", "a")[0] == 0


def test_a_directory_in_place_of_a_file_is_named(run, finished):
  (finished / "history.csv").unlink()
  (finished / "history.csv").mkdir()
  assert_refused_and_unharmed(run, finished, RESUME, "history.csv: cannot be read: Is a directory")


def test_weights_that_are_no_numbers_give_no_scores(run, finished):
  trainer = trainer_of(finished)
  trainer.model.bias.assign(tf.fill(trainer.model.bias.shape, float("nan")))
  (path,) = (finished / "best").glob("*.index")
  tf.train.Checkpoint(model=trainer.model).write(str(path.with_suffix("")))
  assert_refused_and_unharmed(run, finished, ["eval", "a"], "the loss with these weights is nan")


def test_training_that_diverges_stops_and_keeps_what_was_good(run, tmp_path):
  arguments = ["--limit", "24", "--state-size", "4", "--batch-size", "5", "--lr", "1e25"]
  status, out, err = run("train", "treernn", *arguments, "--l2", "1e9", "--out", "a")
  assert status == 2 and "Test" not in out
  assert_one_line(err, "The loss", "weights have become too large", "lower --learning-rate")
  assert not (tmp_path / "a" / "test.json").exists()
