import os
import re
import signal
import subprocess
import sys

import pytest

from recursive_tf._cli import trace
from recursive_tf.training.checkpoint import Checkpoints
from recursive_tf.training.evaluate import Evaluator
from recursive_tf.training.history import read_history
from recursive_tf.training.trainer import Trainer
from tests.cli.runs import TINY, interrupt_after

TRAIN = ["train", "treernn", *TINY, "--out", "a"]
RESUME = ["train", "treernn", "--out", "a", "--resume"]


@pytest.fixture(autouse=True)
def _signal_is_heard():
  """Hears SIGINT in the background as well, where shells let processes ignore it."""
  before = signal.signal(signal.SIGINT, signal.default_int_handler)
  yield
  signal.signal(signal.SIGINT, before)


@pytest.fixture
def ctrl_c(monkeypatch):
  """`ctrl_c(Trainer, "_run_step", call=2)`: Ctrl-C, once or more, in that call alone."""

  def install(owner, name, call=1, presses=1):
    original = getattr(owner, name)
    calls = []

    def interrupted(*arguments, **options):
      calls.append(name)
      if len(calls) == call:
        for _ in range(presses):
          signal.raise_signal(signal.SIGINT)
      return original(*arguments, **options)

    monkeypatch.setattr(owner, name, interrupted)

  return install


def step_of(output):
  return int(re.search(r"Saved after step (\d+)", output)[1])


def assert_ends_as_usual(run, tmp_path):
  """Checks that the run goes on to its end; other tests check that it is the same end."""
  status, out, _ = run(*RESUME)
  assert status == 0 and "Test, with the weights" in out
  assert [row["epoch"] for row in read_history(tmp_path / "a")] == [1, 2]


@pytest.mark.parametrize(
  "place, step",
  [
    ((Trainer, "_run_step", 1), 1),  # While the first batch is traced and run,
    ((Trainer, "_run_step", 7), 7),
    ((Evaluator, "__call__", 1), 5),  # on dev after the first epoch,
    ((Checkpoints, "save_best", 1), 5),
    ((Checkpoints, "save", 1), 5),
  ],
)
def test_ctrl_c_at_any_moment_saves(run, ctrl_c, tmp_path, place, step):
  ctrl_c(*place)
  status, out, err = run(*TRAIN)
  assert status == 130 and "Traceback" not in err
  assert "saving after this step" in err
  assert step_of(out) == step
  assert "recursive-tf train treernn --out a --resume" in out
  assert_ends_as_usual(run, tmp_path)


@pytest.mark.parametrize(
  "place",
  [(Trainer, "_run_step", 2), (Evaluator, "__call__", 1), (Checkpoints, "save", 2)],
)
def test_ctrl_c_twice_stops_at_once_and_harms_nothing(run, ctrl_c, tmp_path, place):
  ctrl_c(*place, presses=2)
  status, out, err = run(*TRAIN)
  assert status == 130 and "Traceback" not in err
  assert "Stopped without saving" in err and "--out a --resume" in err
  assert_ends_as_usual(run, tmp_path)


def test_ctrl_c_during_the_test_leaves_a_complete_run(run, ctrl_c, tmp_path):
  ctrl_c(Evaluator, "__call__", call=3)
  status, _, err = run(*TRAIN)
  assert status == 130 and "--out a --resume" in err and "Traceback" not in err
  assert not (tmp_path / "a" / "test.json").exists()
  assert_ends_as_usual(run, tmp_path)


@pytest.mark.parametrize("command", [["eval", "a"], ["trace", "treernn", "--out", "x.svg"]])
def test_ctrl_c_in_other_commands_says_so(run, ctrl_c, finished, tmp_path, command):
  ctrl_c(Evaluator, "__call__")
  ctrl_c(trace, "make_dataset")
  status, out, err = run(*command)
  assert (status, out, err) == (130, "", "\nrecursive-tf: stopped.\n")
  assert not list(tmp_path.glob("*x*.svg"))


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path):
  command = [sys.executable, "-m", "recursive_tf.cli", "train", "treelstm", "--out", "a"]
  options = ["--limit", "60", "--state-size", "8", "--epochs", "500", "--threads", "1"]
  process = subprocess.Popen(
    command + options,
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
    env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
  )
  for line in process.stdout:
    if line.startswith("epoch 1/"):
      break
  process.send_signal(signal.SIGINT)
  out, err = process.communicate(timeout=120)
  assert process.returncode == 130, err
  assert "saving after this step" in err and "Traceback" not in err
  assert "recursive-tf train treelstm --out a --resume" in out
  step = step_of(out)
  trainer = interrupt_after(tmp_path / "a", 1)
  assert int(trainer.state.step) == step + 1
