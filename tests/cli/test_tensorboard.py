"""`train --tensorboard` writes each epoch once, however often the run is stopped."""

import collections
import resource
import shutil

import pytest
import tensorflow as tf

from recursive_tf.training.checkpoint import Checkpoints
from recursive_tf.training.history import read_history
from recursive_tf.training.scalars import Scalars
from tests.cli.dependency_data import make_pairs
from tests.cli.runs import TINY, assert_one_line, contents

TRAIN = ["train", "treernn", *TINY, "--out", "a"]
RESUME = ["train", "treernn", "--out", "a", "--resume"]


def curves(directory):
  """Returns {name: [(epoch, value), ...]} of all event files, what is there twice included."""
  found = collections.defaultdict(list)
  for path in sorted(directory.glob("*tfevents*")):
    for record in tf.data.TFRecordDataset(str(path)):
      event = tf.compat.v1.Event.FromString(record.numpy())
      for value in event.summary.value:
        assert value.metadata.plugin_data.plugin_name == "scalars"
        found[value.tag].append((event.step, float(tf.make_ndarray(value.tensor))))
  return {name: sorted(points) for name, points in found.items()}


def assert_curves_are_the_record(directory, run_directory, speed=""):
  """Checks that each epoch of the record is there once; curve `speed` may have other values."""
  rows = read_history(run_directory)
  found = curves(directory)
  for name, column in (
    ("loss/train", "train_loss"),
    ("loss/dev", "dev_loss"),
    ("node/dev", "dev_node"),
    ("root/train", "train_root"),
    ("sentences_per_second", "sentences_per_second"),
  ):
    assert [epoch for epoch, _ in found[name]] == [row["epoch"] for row in rows], name
    for (_, value), row in zip(found[name], rows, strict=True):
      # What was measured of an epoch that was trained twice is that of the first time.
      assert value == pytest.approx(row[column], rel=1e-4) or name == speed
  assert len(found["learning_rate"]) == len(rows)
  return found


def test_curves_are_those_of_the_record(run, tmp_path):
  status, _, err = run(*TRAIN, "--tensorboard", "--epochs", "3", "--lr", "0.01")
  assert (status, err) == (0, "")
  found = assert_curves_are_the_record(tmp_path / "a" / "tensorboard", tmp_path / "a")
  # It falls to a tenth, in as many parts as there are steps; 24 sentences are 4.8 batches of 5.
  rates = [0.01 * (1 - 0.9 * min(step / 14.4, 1)) for step in (5, 10, 15)]
  assert [rate for _, rate in found["learning_rate"]] == pytest.approx(rates, rel=1e-5)


def test_nothing_is_written_unless_it_is_asked_for(run, tmp_path):
  run(*TRAIN)
  assert not list(tmp_path.rglob("*tfevents*"))


def test_a_run_that_goes_on_writes_each_epoch_once(run, tmp_path):
  run(*TRAIN, "--tensorboard")
  run(*RESUME)  # Nothing to do.
  interrupt_after_epochs = [*RESUME, "--epochs", "4"]
  status, _, _ = run(*interrupt_after_epochs)  # Goes on with the events that are there.
  assert status == 0
  found = assert_curves_are_the_record(tmp_path / "a" / "tensorboard", tmp_path / "a")
  assert len(found["loss/dev"]) == 4


def test_epochs_from_before_are_taken_from_the_record(run, tmp_path):
  run(*TRAIN)
  status, _, _ = run(*RESUME, "--epochs", "3", "--tensorboard", "events/of/it")
  assert status == 0
  assert_curves_are_the_record(tmp_path / "events" / "of" / "it", tmp_path / "a")


@pytest.mark.slow
def test_an_epoch_that_is_trained_again_is_not_written_again(run, tmp_path):
  run(*TRAIN, "--tensorboard", "--epochs", "3")
  last = int(read_history(tmp_path / "a")[-1]["step"])
  for path in (tmp_path / "a" / "checkpoints").glob(f"ckpt-{last}.*"):
    path.unlink()
  run(*RESUME)
  folder = tmp_path / "a" / "tensorboard"
  assert_curves_are_the_record(folder, tmp_path / "a", speed="sentences_per_second")


def test_a_process_that_dies_before_or_after_the_checkpoint_loses_no_epoch(
  run, tmp_path, monkeypatch
):
  def die(*arguments):
    raise KeyboardInterrupt

  for owner, name in ((Checkpoints, "save"), (Scalars, "add")):
    shutil.rmtree(tmp_path / "a", ignore_errors=True)
    with monkeypatch.context() as patch:
      patch.setattr(owner, name, die)
      status, _, err = run(*TRAIN, "--tensorboard")
      assert status == 130, err
    status, _, err = run(*RESUME, "--tensorboard")
    assert status == 0, err
    assert_curves_are_the_record(tmp_path / "a" / "tensorboard", tmp_path / "a")


@pytest.mark.slow
def test_a_file_that_ends_within_a_value_is_completed_by_the_next(run, tmp_path):
  run(*TRAIN, "--tensorboard")
  (path,) = (tmp_path / "a" / "tensorboard").glob("*tfevents*")
  whole = path.read_bytes()
  path.write_bytes(whole[: len(whole) - 100])
  with pytest.raises(tf.errors.DataLossError):
    curves(path.parent)
  assert run(*RESUME)[0] == 0
  length = len(whole) - 100  # What is left of the first file, up to the last whole value.
  while True:
    try:
      assert_curves_are_the_record(path.parent, tmp_path / "a")
      break
    except tf.errors.DataLossError:
      length -= 1
      path.write_bytes(whole[:length])


def test_ctrl_c_says_how_to_go_on_with_the_events(run, tmp_path, monkeypatch):
  run(*TRAIN, "--tensorboard", "events", "--epochs", "1")
  with monkeypatch.context() as patch:
    patch.setattr("recursive_tf.training.trainer.Trainer.run", lambda self, reporter: False)
    status, out, _ = run(*RESUME, "--epochs", "2", "--tensorboard", "events")
  assert status == 130
  command = out.rstrip("\n").splitlines()[-1].split()[1:]
  assert run(*command)[0] == 0
  assert_curves_are_the_record(tmp_path / "events", tmp_path / "a")


def test_two_runs_do_not_share_events(run, tmp_path):
  run(*TRAIN, "--tensorboard", "events")
  before = contents(tmp_path)
  for options in (["--dry-run"], []):
    status, out, err = run(
      "train", "treernn", *TINY, "--out", "b", "--tensorboard", "events", *options
    )
    assert (status, out) == (2, "") and contents(tmp_path) == before
    assert_one_line(err, "--tensorboard events: it has the events of another run")
  run("train", "treernn", *TINY, "--seed", "5", "--out", "b")
  status, _, err = run(
    "train", "treernn", "--out", "b", "--resume", "--epochs", "3", "--tensorboard", "events"
  )
  assert status == 2
  assert_one_line(err, "--tensorboard events: it has the events of another run")
  assert len(read_history(tmp_path / "b")) == 2


@pytest.mark.parametrize(
  ("place", "message"),
  [
    ("file", "--tensorboard file: this is a file"),
    ("file/below", "--tensorboard file/below: cannot make this directory: "),
    # Where root, too, may write, but nobody can.
    ("/proc/a/b", "--tensorboard /proc/a/b: cannot make this directory: /proc cannot be written"),
  ],
)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_a_place_that_cannot_be_is_one_clear_line(run, tmp_path, place, message, dry):
  (tmp_path / "file").write_text("")
  status, out, err = run(*TRAIN, "--tensorboard", place, *dry)
  assert (status, out) == (2, "")
  assert_one_line(err, message)
  assert contents(tmp_path) == {"file": b""}


def test_a_full_disk_is_one_clear_line_and_the_run_goes_on_later(run, finished):
  limits = resource.getrlimit(resource.RLIMIT_FSIZE)
  resource.setrlimit(resource.RLIMIT_FSIZE, (200, limits[1]))
  try:
    status, _, err = run(*RESUME, "--tensorboard")
  finally:
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
  assert status == 2
  assert_one_line(err, "events cannot be written: ", "Make room")
  assert run(*RESUME, "--tensorboard")[0] == 0


def test_other_problems_have_their_scores(run, tmp_path):
  make_pairs(tmp_path / "data", 12)
  train = ["train", "child-sum-treelstm", "--data", "data", *TINY, "--out", "b", "--tensorboard"]
  assert run(*train)[0] == 0
  found = curves(tmp_path / "b" / "tensorboard")
  assert {"pearson/dev", "mse/dev", "loss/train"} <= found.keys()
