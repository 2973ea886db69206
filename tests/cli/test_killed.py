"""A run that is killed again and again ends as one that was not, bit for bit with one thread."""

import json
import random
import signal
import subprocess
import sys

import pytest
import tensorflow as tf

from recursive_tf.training.history import read_history
from tests.cli.runs import without_times

NUM_KILLS = 20
# A checkpoint is written every 3 steps of more than 500.
TRAIN = [
  *("train", "treelstm", "--limit", "165", "--state-size", "6", "--embedding-size", "6"),
  *("--dropout", "0.5", "--batch-size", "5", "--epochs", "20"),
  *("--threads", "1", "--save-every", "3"),
]
# Each line of standard input is a life: after how many steps SIGKILL comes, how much later (in a
# step, or while it is saved), and arguments. Children are forked, as imports take longer than they.
LIVES = """
import json, os, signal, sys, threading
from recursive_tf import cli
from recursive_tf._cli import train  # What is imported here, children need not.
from recursive_tf.training.trainer import Trainer

def live(steps, delay, arguments):
  run_step, calls = Trainer._run_step, []
  def step(self, *given):
    calls.append(1)
    if len(calls) == steps:
      threading.Timer(delay, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return run_step(self, *given)
  Trainer._run_step = step
  status = cli.main(arguments)
  sys.stdout.flush()
  os._exit(status)

for line in sys.stdin:
  child = os.fork()
  if not child:
    live(*json.loads(line))
  status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
  print(f"ended {status}", flush=True)
"""


@pytest.fixture
def train(tmp_path):
  """`train("--out", "a", steps=2)`: the exit status, -9 where it was killed."""
  with subprocess.Popen(
    [sys.executable, "-c", LIVES], cwd=tmp_path, stdin=-1, stdout=-1, text=True
  ) as process:

    def call(*arguments, steps=0, delay=0.0):
      print(json.dumps([steps, delay, [*TRAIN, *arguments]]), file=process.stdin, flush=True)
      for line in process.stdout:
        if line.startswith("ended "):
          return int(line.split()[1])
      raise AssertionError("it ended")

    yield call
    process.stdin.close()


def last_checkpoint(directory):
  """Returns the step of the last checkpoint, and its values but for times."""
  paths = (directory / "checkpoints").glob("ckpt-*.index")
  step = max((int(path.stem.removeprefix("ckpt-")) for path in paths), default=0)
  if not step:
    return 0, {}
  reader = tf.train.load_checkpoint(str(directory / "checkpoints" / f"ckpt-{step}"))
  names = [name for name in reader.get_variable_to_shape_map() if "seconds" not in name]
  return step, {name: reader.get_tensor(name) for name in names if "OBJECT_GRAPH" not in name}


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_run_killed_twenty_times_ends_as_one_that_was_not(train, tmp_path):
  assert train("--out", "whole") == 0
  draw = random.Random(20)
  reached = []
  for _ in range(NUM_KILLS):
    steps, delay = draw.randint(2, 6), draw.uniform(0.0, 0.03)
    status = train("--resume-or-start", "--out", "parts", steps=steps, delay=delay)
    assert status == -signal.SIGKILL
    reached.append(last_checkpoint(tmp_path / "parts")[0])
  assert reached == sorted(reached) and 0 < reached[-1], reached
  assert train("--resume", "--out", "parts") == 0
  print(f"killed {NUM_KILLS} times; checkpoints then: {reached}")

  (step, whole), (other, parts) = (last_checkpoint(tmp_path / name) for name in ("whole", "parts"))
  assert step == other > reached[-1] and whole.keys() == parts.keys() and len(whole) > 12
  assert [name for name in whole if whole[name].tobytes() != parts[name].tobytes()] == []
  rows = [without_times(read_history(tmp_path / name)) for name in ("whole", "parts")]
  assert rows[0] == rows[1] and len(rows[0]) == 20
  results = [json.loads((tmp_path / name / "test.json").read_text()) for name in ("whole", "parts")]
  assert results[0] == results[1]
