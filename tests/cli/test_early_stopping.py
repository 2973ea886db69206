"""`train --early-stopping N` ends a run by what dev says, and by nothing else."""

import itertools

import pytest

from recursive_tf.training.config import RunConfig
from recursive_tf.training.history import read_history
from recursive_tf.training.registry import MODELS
from tests.cli.dependency_data import make_pairs, make_treebank
from tests.cli.runs import (
  TINY,
  assert_one_line,
  contents,
  interrupt_after,
  trainer_of,
  without_times,
)

# Such that dev accuracy goes up and down.
LONG = ["train", "treernn", *TINY, "--epochs", "12", "--decay-epochs", "30"]
FIXED = ["--lr", "0", "--embedding-learning-rate", "0", "--epochs", "9"]


def end_of(rows, patience, column="dev_node"):
  """Returns after which epoch a run with these epochs ends, by counting."""
  best, best_epoch = float("-inf"), 0
  for row in rows:
    if row[column] > best:
      best, best_epoch = row[column], row["epoch"]
    if row["epoch"] - best_epoch >= patience:
      return row["epoch"]
  return rows[-1]["epoch"]


def epochs_of(directory):
  return [row["epoch"] for row in read_history(directory)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
  """Rows of a run without early stopping, and a patience that would have ended it in the middle."""
  from recursive_tf import cli
  from tests.cli.conftest import settle_threads

  path = tmp_path_factory.mktemp("whole") / "a"
  with pytest.MonkeyPatch.context() as monkeypatch:
    settle_threads(monkeypatch)
    assert cli.main([*LONG, "--out", str(path)]) == 0
  rows = read_history(path)
  patience = next(n for n in itertools.count(1) if end_of(rows, n) > 4)
  assert end_of(rows, patience) < end_of(rows, patience + 1) == 12  # One more is tested, too.
  return rows, patience


@pytest.mark.one_in(2)
@pytest.mark.parametrize("model", [*MODELS, "child-sum-treelstm ud"])
def test_a_run_ends_when_dev_has_not_improved(run, tmp_path, model):
  name, _, is_ud = model.partition(" ")
  options = []
  if name in ("child-sum-treelstm", "nary-treelstm"):
    (make_treebank if is_ud else make_pairs)(tmp_path / "data", 12)
    options = ["--data", "data"]
  rates = [*FIXED, *(["--tensor-learning-rate", "0"] if name == "rntn" else [])]
  if name == "top-down-treelstm":
    options = ["--embedding-size", "6"]
  status, out, err = run("train", name, *TINY, *options, *rates, "--early-stopping", "2")
  assert status == 0, err
  # The first epoch is better than none; of a correlation that cannot be told, not even that.
  rows = read_history(next((tmp_path / "runs").iterdir()))
  assert len(rows) in (2, 3) and f"Stopped early after epoch {len(rows)}: " in out
  assert "has not improved for 2 epochs" in out and "Test, with the weights" in out


def test_a_run_ends_where_its_history_says(run, tmp_path, whole):
  rows, patience = whole
  status, out, _ = run(*LONG, "--early-stopping", patience, "--out", "a")
  end = end_of(rows, patience)
  best = max(rows[: int(end)], key=lambda row: row["dev_node"])["epoch"]
  assert status == 0 and epochs_of(tmp_path / "a")[-1] == end
  epochs = "1 epoch" if patience == 1 else f"{patience} epochs"
  assert (
    f"Stopped early after epoch {end:.0f}: the score on dev (node) has not improved for {epochs}, "
    f"since epoch {best:.0f}.\n" in out
  )
  assert f"best epoch on dev ({best:.0f})" in out


@pytest.mark.slow
def test_a_resumed_run_ends_where_an_undisturbed_one_does(run, tmp_path, whole):
  rows, patience = whole
  (tmp_path / "parts").mkdir()
  run(*LONG, "--early-stopping", patience, "--out", "a")
  RunConfig.load(tmp_path / "a").save(tmp_path / "parts")
  for num_steps in (3, 4, 7, 1):  # Within epochs, at the end of one, and at once again.
    interrupt_after(tmp_path / "parts", num_steps)
  status, out, _ = run("train", "treernn", "--out", "parts", "--resume")
  assert status == 0 and "Going on with" in out and "Stopped early" in out
  a, parts = (without_times(read_history(tmp_path / name)) for name in ("a", "parts"))
  assert len(a) == len(parts) == end_of(rows, patience)
  for one, other in zip(a, parts, strict=True):
    assert one == pytest.approx(other, rel=1e-4)


def test_a_run_that_stopped_early_says_so_instead_of_training_on(run, tmp_path, whole):
  rows, patience = whole
  run(*LONG, "--early-stopping", patience, "--out", "a")
  before = contents(tmp_path / "a")
  for options in ([], ["--epochs", "50"], ["--early-stopping", patience]):
    status, out, _ = run("train", "treernn", "--out", "a", "--resume", *options)
    assert status == 0 and "To train on, give --resume a larger --early-stopping." in out
    assert f"Stopped early after epoch {end_of(rows, patience):.0f}: " in out
    after = contents(tmp_path / "a")
    assert {name for name in after if before.get(name) != after[name]} <= {"config.json"}

  status, out, _ = run(
    "train", "treernn", "--out", "a", "--resume", "--early-stopping", patience + 1, "--epochs", "12"
  )
  assert status == 0 and "epoch 12/12" in out
  longer = without_times(read_history(tmp_path / "a"))
  assert len(longer) == end_of(rows, patience + 1)
  for one, other in zip(longer, without_times(rows), strict=False):
    assert one == pytest.approx(other, rel=1e-4)


def test_patience_that_would_have_ended_the_run_before_is_refused(run, tmp_path, finished):
  before = contents(finished)
  resume = ["train", "treernn", "--out", "a", "--resume", "--epochs", "4", "--early-stopping"]
  status, out, err = run(*resume, "1")
  assert (status, out) == (2, "") and contents(finished) == before
  assert_one_line(err, "a was started without --early-stopping, which cannot become 1")
  run("train", "treernn", *TINY, "--early-stopping", "3", "--out", "b")
  status, out, err = run("train", "treernn", "--out", "b", "--resume", "--early-stopping", "2")
  assert (status, out) == (2, "")
  assert_one_line(err, "b was started with --early-stopping 3, which cannot become 2, only more")


@pytest.mark.parametrize("resumed", [[], ["--resume"]])
@pytest.mark.parametrize("value", ["0", "-1"])
def test_no_patience_is_one_clear_line(run, tmp_path, resumed, value, finished):
  before = contents(tmp_path)
  out = ["--out", "a"] if resumed else []
  status, output, err = run("train", "treernn", "--early-stopping", value, *out, *resumed)
  assert (status, output) == (2, "")
  assert_one_line(err, f"--early-stopping is {value}, expected at least 1. Leave it out to train")
  assert contents(tmp_path) == before


def test_runs_of_older_versions_do_not_stop_early(finished):
  path = finished / "config.json"
  text = path.read_text()
  assert '"early_stopping": 0' in text
  path.write_text(text.replace(',\n  "early_stopping": 0', ""))
  assert not trainer_of(finished).stopped_early and RunConfig.load(finished).early_stopping == 0


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_workers_stop_after_the_same_epoch(run, tmp_path):
  make_pairs(tmp_path / "data", 12)  # Each worker answers all of dev for itself.
  options = ["--data", "data", "--limit", "12", "--state-size", "4", "--batch-size", "5"]
  train = ["train", "child-sum-treelstm", *options, "--epochs", "60", "--early-stopping", "2"]
  run(*train, "--out", "one")
  status, out, err = run(*train, "--out", "two", "--workers", "2", "--threads", "1")
  assert status == 0, err
  assert "Stopped early after epoch" in out and "Test, with the weights" in out
  one, two = (epochs_of(tmp_path / name) for name in ("one", "two"))
  assert one == two and len(one) < 60
  resume = ["train", "child-sum-treelstm", "--data", "data", "--out", "two", "--resume"]
  status, out, err = run(*resume)
  assert status == 0 and "Stopped early after epoch" in out
