import json
import os
import random
import signal
import socket
import time

import numpy as np
import pytest

from recursive_tf.training.config import RunConfig
from recursive_tf.training.history import read_history
from tests.cli.processes import children, is_running, read_until, start, stop, wait_until
from tests.cli.runs import TINY, assert_one_line, interrupt_after, trainer_of, without_times

TWO = ["--workers", "2", "--threads", "1"]
TRAIN = ["train", "treelstm", *TINY, "--embedding-size", "6", "--epochs", "5"]


def assert_same_run(one, other):
  """Checks that two runs have the same weights and the same record."""
  for a, b in zip(*(trainer_of(path).model.variables for path in (one, other)), strict=True):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-6)
  rows = [without_times(read_history(path)) for path in (one, other)]
  assert len(rows[0]) == len(rows[1])
  for a, b in zip(*rows, strict=True):
    assert a == pytest.approx(b, rel=1e-5)


def kill_once(process, delay, number=signal.SIGKILL):
  """Waits for training, and `delay` more; ends one worker by a signal. Returns whether it could."""
  read_until(process, "epoch ")
  time.sleep(delay)
  workers = children(process)
  if len(workers) < 2:
    return False  # It was done before.
  worker = random.choice(workers)
  if not stop(worker):  # From here on it cannot end by itself.
    return False
  os.kill(worker, number)
  return True


def kill_and_compare(run, tmp_path, delay):
  """Has a run begun by one process go on with two, of which one is killed, to the usual end."""
  run(*TRAIN, "--out", "whole")
  (tmp_path / "parts").mkdir()
  RunConfig.load(tmp_path / "whole").save(tmp_path / "parts")
  interrupt_after(tmp_path / "parts", 2)
  process = start("train", "treelstm", "--out", "parts", "--resume", "--save-every", "3", *TWO)
  was_killed = kill_once(process, delay)
  out, err = process.communicate(timeout=600)
  assert process.returncode == 0, err
  assert "Test, with the weights" in out and "Traceback" not in err
  if was_killed:
    assert "was ended by SIGKILL: all workers start anew from the last checkpoint (restart 1" in err
  assert_same_run(tmp_path / "whole", tmp_path / "parts")
  return was_killed


@pytest.fixture
def seed():
  """Another one each time, and said where a test fails."""
  seed = time.time_ns() % 2**32
  print(f"random.seed({seed})")
  random.seed(seed)


@pytest.mark.timeout(900)
def test_a_killed_worker_changes_nothing_about_the_end(run, tmp_path):
  assert kill_and_compare(run, tmp_path, delay=random.random() * 0.1)


@pytest.mark.slow
def test_ctrl_c_stops_all_workers_and_saves(tmp_path):
  process = start(*TRAIN, "--epochs", "4000", "--out", "a", *TWO)
  read_until(process, "epoch 1/")
  workers = children(process)
  process.send_signal(signal.SIGINT)
  out, err = process.communicate(timeout=200)
  assert process.returncode == 130, err
  assert "saving after this step" in err and "Traceback" not in err
  step = int(out.partition("Saved after step ")[2].partition(".")[0])
  assert len(workers) == 2 and not any(map(is_running, workers))
  trainer = interrupt_after(tmp_path / "a", 1)
  assert int(trainer.state.step) == step + 1


def tf_config(index, *workers):
  task = {"type": "worker", "index": index}
  return json.dumps({"cluster": {"worker": workers}, "task": task})


@pytest.mark.parametrize(
  "options, message",
  [
    (["--workers", "0"], "--workers is 0, expected 1 to"),
    (["--workers", "-3"], "--workers is -3, expected 1 to"),
    (["--workers", "6"], "--batch-size is 5, which is that of all workers together"),
    (["--workers", "2", "--max-restarts", "-1"], "--max-restarts is -1, expected 0 or more"),
    (["--workers", "2", "--timeout", "nan"], "--timeout is nan, expected at least 5 s"),
    (["--workers", "2", "--state-size", "0"], "--state-size is 0, expected at least 1"),
    (["--cluster", "tf-config"], "TF_CONFIG is not set"),
    (["--cluster", "slurm"], "--cluster slurm: SLURM_PROCID not found"),
    (["--save-every", "-1"], "--save-every is -1"),
    (["--resume-or-start"], "--resume-or-start needs --out"),
  ],
)
def test_bad_options_are_one_clear_line(run, tmp_path, options, message):
  status, out, err = run("train", "treernn", *TINY, *options)
  assert (status, out) == (2, "")
  assert_one_line(err, message)
  assert not (tmp_path / "runs").exists()


def test_a_damaged_tf_config_is_said(run, monkeypatch):
  monkeypatch.setenv("TF_CONFIG", "{worker")
  status, _, err = run("train", "treernn", *TINY)
  assert status == 2 and "TF_CONFIG is no JSON" in err and "Traceback" not in err


def test_two_ways_to_name_the_workers_are_one_too_many(run, monkeypatch):
  monkeypatch.setenv("TF_CONFIG", tf_config(0, "127.0.0.1:1", "127.0.0.1:2"))
  status, _, err = run("train", "treernn", *TINY, "--workers", "2")
  assert status == 2
  assert_one_line(err, "--workers 2", "TF_CONFIG already makes this process one of 2 workers")


def test_a_port_that_is_taken_is_said(run, monkeypatch):
  with socket.socket() as other:
    other.bind(("127.0.0.1", 0))
    other.listen()
    address = f"127.0.0.1:{other.getsockname()[1]}"
    monkeypatch.setenv("TF_CONFIG", tf_config(0, address, "127.0.0.1:1"))
    status, _, err = run("train", "treernn", *TINY)
  assert status == 2
  assert_one_line(err, f"of worker 0 ({address}) is in use")


def test_a_cluster_of_one_is_one_process(run, monkeypatch, tmp_path):
  monkeypatch.setenv("TF_CONFIG", tf_config(0, "127.0.0.1:1"))
  status, out, _ = run("train", "treernn", *TINY, "--epochs", "1", "--out", "a")
  assert status == 0 and "workers" not in out


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("number", range(10))
def test_kills_at_any_moment_change_nothing_about_the_end(run, seed, tmp_path, number):
  kill_and_compare(run, tmp_path, delay=random.random())


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_worker_that_hangs_is_given_up(run, tmp_path):
  process = start(*TRAIN, "--epochs", "4000", "--out", "a", "--timeout", "5", *TWO)
  kill_once(process, 0.1, signal.SIGSTOP)
  read_until(process, "Going on with")  # All have started anew.
  process.send_signal(signal.SIGINT)
  _, err = process.communicate(timeout=120)
  assert process.returncode == 130 and "did not answer for 5 s" in err


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_workers_stop_and_save_when_their_launcher_is_killed(tmp_path):
  process = start(*TRAIN, "--epochs", "4000", "--out", "a", *TWO)
  read_until(process, "epoch 1/")
  workers = children(process)
  process.kill()
  process.wait()
  wait_until(lambda: not any(map(is_running, workers)), 60)
  interrupt_after(tmp_path / "a", 1)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_without_restarts_a_lost_worker_ends_the_run_with_a_message(tmp_path):
  process = start(*TRAIN, "--epochs", "4000", "--out", "a", "--max-restarts", "0", *TWO)
  kill_once(process, 0.1)
  began = time.monotonic()
  _, err = process.communicate(timeout=200)
  assert process.returncode == 1 and "given up after 0 restarts" in err
  assert time.monotonic() - began < 55  # Sooner than an answer is waited for.
