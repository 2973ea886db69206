"""`train --dry-run` says what a run would be, takes a step, and leaves nothing behind."""

import json
import re

import numpy as np
import pytest

from recursive_tf.training.history import read_history
from recursive_tf.training.registry import MODELS
from tests.cli.dependency_data import make_pairs, make_treebank
from tests.cli.runs import TINY, assert_one_line, contents, interrupt_after, trainer_of


def shown(output, name):
  return re.search(rf"^  {name} +(.*)$", output, re.MULTILINE)[1]


def everything(directory):
  """Returns all that lies below a directory: names, contents and times."""
  paths = sorted(directory.rglob("*"))
  return [(p, p.stat().st_mtime_ns, p.read_bytes() if p.is_file() else None) for p in paths]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("model", [*MODELS, "child-sum-treelstm ud"])
def test_what_is_said_is_what_is_trained(run, tmp_path, model):
  name, _, is_ud = model.partition(" ")
  data = []
  if name in ("child-sum-treelstm", "nary-treelstm"):
    (make_treebank if is_ud else make_pairs)(tmp_path / "data", 24)
    data = ["--data", "data"]
  # One batch an epoch: the loss of an epoch is that of its only step.
  train = ["train", name, *data, "--limit", "24", "--batch-size", "100", "--epochs", "2"]
  before = everything(tmp_path)
  status, out, err = run(*train, "--dry-run")
  assert status == 0, err
  assert everything(tmp_path) == before

  status, trained, _ = run(*train)
  assert status == 0
  (directory,) = (tmp_path / "runs").iterdir()
  rows = read_history(directory)
  loss = float(re.search(r"loss ([\d.]+);", shown(out, "one step"))[1])
  assert loss == pytest.approx(rows[0]["train_loss"], rel=1e-3)
  assert shown(out, "an epoch").startswith("1 batch of up to ") and "2 epochs" in out
  assert shown(out, "directory") == f"{directory.relative_to(tmp_path)}, a new run"
  header = trained.splitlines()[0]  # "Training ... task binary: 24 sentences, 9 words, ..."
  sentences, words = header.partition(": ")[2].split(", ")[:2]
  assert f": {sentences} to train on, " in out and words in shown(out, "data")


def test_parameters_are_counted_and_batches(run, finished):
  status, out, _ = run("train", "treernn", *TINY, "--dry-run")
  trainer = trainer_of(finished)
  sizes = [int(np.prod(v.shape)) for v in trainer.model.variables]
  assert status == 0 and int(shown(out, "parameters").replace(",", "")) == sum(sizes)
  steps = int(read_history(finished)[-1]["step"])
  assert shown(out, "an epoch").startswith(f"{steps // 2} batches of up to 5 sentences; 2 epochs")


def test_a_run_that_was_begun_stays_as_it_was(run, finished, tmp_path):
  before = everything(tmp_path)
  status, out, _ = run("train", "treernn", "--out", "a", "--resume", "--dry-run")
  assert status == 0 and "a, begun before, at step 10" in out and "none is left" in out
  resume = ["train", "treernn", "--out", "a", "--resume", "--epochs", "3", "--dry-run"]
  status, out, _ = run(*resume)
  assert status == 0 and "forward and backward, loss" in out
  assert everything(tmp_path) == before
  interrupted = tmp_path / "b"
  interrupted.mkdir()
  for name in ("config.json", "vocabulary.txt"):
    (interrupted / name).write_bytes((finished / name).read_bytes())
  interrupt_after(interrupted, 2)
  before = everything(tmp_path)
  status, out, _ = run("train", "treernn", "--out", "b", "--resume", "--dry-run")
  assert status == 0 and "at step 2" in out and everything(tmp_path) == before


def test_workers_are_not_started(run, tmp_path, monkeypatch):
  workers = {"worker": ["127.0.0.1:1", "127.0.0.1:2"]}
  status, out, _ = run("train", "treernn", *TINY, "--workers", "3", "--dry-run")
  assert status == 0 and "each divided among 3 workers" in out
  task = {"type": "worker", "index": 1}
  monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": workers, "task": task}))
  status, out, _ = run("train", "treernn", *TINY, "--dry-run")
  assert status == 0 and "each divided among 2 workers" in out
  assert contents(tmp_path) == {}


@pytest.mark.parametrize(
  ("options", "message"),
  [
    (["--out", "file/b"], "--out file/b: cannot make this directory: "),
    (["--out", "a"], "a already holds a training run"),
    (["--data", "nowhere"], "--data nowhere: no such directory"),
    (["--workers", "6"], "there is not a sentence for each of 6 workers"),
    (["--vectors", "file"], "file"),
    (["--epochs", "0"], "--epochs is 0"),
  ],
)
def test_what_would_fail_is_one_clear_line_before(run, tmp_path, finished, options, message):
  (tmp_path / "file").write_text("no vectors\n")
  before = everything(tmp_path)
  status, out, err = run("train", "treernn", *TINY, *options, "--dry-run")
  assert status == 2
  assert_one_line(err, message)
  assert everything(tmp_path) == before


def test_vectors_are_read(run, tmp_path):
  (tmp_path / "vectors.txt").write_text("the 1 2 3\ngood 4 5 6\n")
  status, out, _ = run("train", "treelstm", *TINY, "--vectors", "vectors.txt", "--dry-run")
  assert status == 0 and "vectors.txt" in shown(out, "data")
