import dataclasses
import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from recursive_tf import cli
from recursive_tf._cli import evaluate, trace, train
from recursive_tf.training import registry
from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import load_splits
from recursive_tf.training.history import read_history
from recursive_tf.training.trainer import Trainer

TINY = ["--limit", "24", "--state-size", "4", "--batch-size", "5", "--epochs", "2"]
TIMES = ("sentences_per_second", "seconds")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  for module in (train, evaluate, trace):  # TensorFlow has started: its threads are settled.
    monkeypatch.setattr(module, "set_threads", lambda num_threads: None)


@pytest.fixture
def run(capsys):
  """Runs the command line in this process: `run("info")` -> (status, stdout, stderr)."""

  def call(*arguments):
    status = cli.main([str(argument) for argument in arguments])
    output = capsys.readouterr()
    return status, output.out, output.err

  return call


class Silent:
  """Reports nothing, and counts steps."""

  def __init__(self):
    self.num_steps = 0

  def start_epoch(self, epoch, num_trees, trees_done):
    pass

  def step(self, num_trees, loss, metrics):
    self.num_steps += 1

  def end_epoch(self, row, is_best):
    pass


def interrupt_after(directory, num_steps):
  """Goes on with a run for some steps, as if Ctrl-C came then."""
  config = RunConfig.load(directory)
  reporter = Silent()
  splits = load_splits(config.data, config.task_object, limit=config.limit)
  trainer = Trainer(config, splits, directory, lambda: reporter.num_steps >= num_steps)
  assert not trainer.run(reporter)
  return trainer


def without_times(rows):
  return [{name: v for name, v in row.items() if name not in TIMES} for row in rows]


@pytest.mark.parametrize("model", ["treelstm", "treernn", "rntn"])
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


def test_a_resumed_run_ends_as_an_uninterrupted_one(run, tmp_path):
  arguments = ["train", "treelstm", *TINY, "--embedding-size", "6", "--dropout", "0.5"]
  run(*arguments, "--out", "whole")
  (tmp_path / "parts").mkdir()
  RunConfig.load(tmp_path / "whole").save(tmp_path / "parts")
  interrupt_after(tmp_path / "parts", 2)  # In the middle of the first epoch,
  interrupt_after(tmp_path / "parts", 4)  # and of the second.
  assert len(read_history(tmp_path / "parts")) == 1
  status, out, _ = run("train", "treelstm", "--out", "parts", "--resume")
  assert status == 0 and "Going on with" in out

  whole, parts = (without_times(read_history(tmp_path / name)) for name in ("whole", "parts"))
  assert len(whole) == len(parts) == 2
  for a, b in zip(whole, parts, strict=True):
    # Two threads may add up gradients in either order, which can change the last digit.
    assert a == pytest.approx(b, rel=1e-4)
  models = []
  for name in ("whole", "parts"):
    config = RunConfig.load(tmp_path / name)
    splits = load_splits(config.data, config.task_object, limit=config.limit)
    models.append(Trainer(config, splits, tmp_path / name).model)
  for a, b in zip(*(model.variables for model in models), strict=True):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_a_complete_run_is_not_trained_further(run, tmp_path):
  run("train", "treernn", *TINY, "--out", "a")
  before = (tmp_path / "a" / "history.csv").read_text()
  status, out, _ = run("train", "treernn", "--out", "a", "--resume")
  assert status == 0 and "Test, with the weights" in out
  assert (tmp_path / "a" / "history.csv").read_text() == before


def test_rows_past_the_last_checkpoint_are_written_again(run, tmp_path):
  run("train", "treernn", *TINY, "--epochs", "3", "--out", "a")
  rows = read_history(tmp_path / "a")
  for path in (tmp_path / "a" / "checkpoints").glob("*"):
    if path.name.startswith(f"ckpt-{int(rows[-1]['step'])}"):
      path.unlink()
  state = tmp_path / "a" / "checkpoints" / "checkpoint"
  last, before = (int(row["step"]) for row in (rows[-1], rows[-2]))
  lines = state.read_text().replace(
    f'model_checkpoint_path: "ckpt-{last}"', f'model_checkpoint_path: "ckpt-{before}"', 1
  )
  state.write_text(lines)
  status, _, _ = run("train", "treernn", "--out", "a", "--resume")
  assert status == 0
  assert [row["epoch"] for row in read_history(tmp_path / "a")] == [1, 2, 3]


def test_runs_without_out_get_names_of_their_own(run, tmp_path):
  for _ in range(2):
    run("train", "treernn", *TINY, "--epochs", "1")
  names = sorted(path.name for path in (tmp_path / "runs").iterdir())
  assert names == ["treernn-sample-fine", "treernn-sample-fine-2"]
  _, out, _ = run("train", "treernn", "--resume")
  assert "writing to runs/treernn-sample-fine-2" in out


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path):
  command = [sys.executable, "-m", "recursive_tf.cli", "train", "treelstm", "--out", "a"]
  options = ["--limit", "60", "--state-size", "8", "--epochs", "500", "--threads", "1"]
  process = subprocess.Popen(
    command + options, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
  )
  for line in process.stdout:
    if line.startswith("epoch 1/"):
      break
  process.send_signal(signal.SIGINT)
  out, err = process.communicate(timeout=60)
  assert process.returncode == 130, err
  assert "saving after this step" in err and "Traceback" not in err
  assert "recursive-tf train treelstm --out a --resume" in out
  step = int(re.search(r"Saved after step (\d+)", out)[1])
  trainer = interrupt_after(tmp_path / "a", 1)
  assert int(trainer.state.step) == step + 1


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


@pytest.mark.parametrize(
  "arguments, message",
  [
    (["train", "treelstm", "--data", "nowhere"], "--data nowhere: no such directory"),
    (["train", "treernn", "--embedding-size", "3"], "model treernn has no such hyperparameter"),
    (["train", "treelstm", "--batch-size", "0"], "--batch-size is 0, expected at least 1"),
    (["train", "treelstm", "--dropout", "1"], "expected less than 1"),
    (["train", "treelstm", "--limit", "-1"], "--limit is -1, expected 0 or more"),
    (["train", "treelstm", "--resume"], "--resume: there is no run"),
    (["train", "treelstm", "--resume", "--out", "b"], "no training run here"),
    (["eval", "nowhere"], "no training run here"),
    (["train", "treelstm", "--task", "generation"], "expected one of fine, binary"),
    (["train", "top-down-treelstm", "--task", "fine"], "expected one of generation"),
    (["train", "top-down-treelstm", "--data", "sst"], "--data sst: no such directory"),
  ],
)
def test_bad_input_is_one_clear_message(run, tmp_path, arguments, message):
  status, out, err = run(*arguments)
  assert status == 2 and out == ""
  assert err.startswith("recursive-tf: error: ") and message in err
  assert not list(tmp_path.iterdir())


def test_a_run_is_neither_overwritten_nor_resumed_as_another(run, tmp_path):
  run("train", "treernn", *TINY, "--out", "a")
  status, _, err = run("train", "treernn", *TINY, "--out", "a")
  assert status == 2 and "already holds a training run. Add --resume" in err
  status, _, err = run("train", "treernn", "--out", "a", "--resume", "--seed", "4")
  assert status == 2 and "started with seed=0, which cannot become 4" in err
  status, _, err = run("train", "rntn", "--out", "a", "--resume")
  assert status == 2 and "model=treernn" in err


def test_a_checkpoint_of_another_configuration_is_an_error(run, tmp_path):
  run("train", "treernn", *TINY, "--epochs", "1", "--out", "a")
  path = tmp_path / "a" / "config.json"
  path.write_text(path.read_text().replace('"state_size": 4', '"state_size": 5'))
  status, _, err = run("eval", "a")
  assert status == 2 and "cannot be restored" in err and "Traceback" not in err


def test_the_options_are_those_of_the_models(run):
  assert cli.MODELS == tuple(registry.MODELS)
  names = {f.name for entry in registry.MODELS.values() for f in dataclasses.fields(entry.config)}
  args = cli.make_parser().parse_args(["train", "treelstm"])
  # Initial values are not worth an option.
  assert {name for name in names if not hasattr(args, name)} == {
    "embedding_range", "embedding_stddev", "forget_bias", "edge_bias", "num_conditions"
  }


@pytest.mark.parametrize("command", [[], ["train"], ["eval"], ["info"]])
def test_help_is_there(command, capsys):
  with pytest.raises(SystemExit) as exit_info:
    cli.main([*command, "--help"])
  assert exit_info.value.code == 0
  assert "usage: recursive-tf" in capsys.readouterr().out


def test_info_names_versions_kernels_and_data(run):
  status, out, _ = run("info")
  assert status == 0
  for name in ("TensorFlow", "_kernels.so", "threads", "data: sst"):
    assert name in out


@pytest.mark.parametrize("name", ["schedule.svg", "schedule.json"])
def test_trace_draws_a_schedule(run, name, tmp_path):
  path = tmp_path / "new" / name
  status, output, _ = run("trace", "treelstm", "--batch-size", 3, "--backward", "--out", path)
  assert status == 0 and "forward:" in output and "backward:" in output
  if name.endswith(".json"):
    events = json.loads(path.read_text())["traceEvents"]
    assert {event["cat"] for event in events} == {"forward", "backward"}
    assert all(event["dur"] >= 0 and event["args"]["frames"] > 0 for event in events)
  else:
    assert path.read_text().startswith("<?xml")


def test_trace_says_which_files_it_writes(run, tmp_path):
  status, _, error = run("trace", "treelstm", "--out", tmp_path / "schedule.txt")
  assert status == 2 and ".svg" in error and ".json" in error
