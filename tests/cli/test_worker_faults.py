"""Workers that are killed, slow, cut off, or have no room: the run ends as an undisturbed one."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from benchmarks.network import Host, hosts
from recursive_tf.distribute.addresses import Addresses
from recursive_tf.distribute.watchdog import LOST_WORKER
from recursive_tf.training.history import read_history
from tests.cli.processes import children, is_running, read_until, start, stop, wait_until
from tests.cli.runs import TINY, trainer_of, without_times

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]

TWO = ["--workers", "2", "--threads", "1"]
TRAIN = ["train", "treelstm", *TINY, "--embedding-size", "6", "--epochs", "60"]
TRAIN += ["--save-every", "3"]
KILLS = 10  # Of one run.


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
  """The directory of a run of two workers that nothing happens to."""
  path = tmp_path_factory.mktemp("undisturbed") / "run"
  process = start(*TRAIN, "--out", path, *TWO)
  _, err = process.communicate(timeout=600)
  assert process.returncode == 0, err
  return path


def assert_same_run(one, other):
  """Checks that two runs have the same weights and the same record."""
  for a, b in zip(*(trainer_of(path).model.variables for path in (one, other)), strict=True):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-6)
  rows = [without_times(read_history(path)) for path in (one, other)]
  assert len(rows[0]) == len(rows[1]) == 60
  for a, b in zip(*rows, strict=True):
    assert a == pytest.approx(b, rel=1e-5)


def workers_of(process):
  """Returns the ids of the workers that run, none if their launcher has ended."""
  return children(process) if process.poll() is None else []


def kill_often(process, num_kills):
  """Ends one of the two workers again and again, while they start or train; returns how often."""
  gone = set()
  kills = 0

  def workers_or_end():
    return process.poll() is not None or len(set(workers_of(process)) - gone) == 2

  while kills < num_kills:
    wait_until(workers_or_end, 300)
    if kills % 2:
      time.sleep(8 * random.random())
    elif any(line.startswith("epoch ") for line in process.stdout):
      time.sleep(random.random())
    workers = set(workers_of(process)) - gone
    if len(workers) < 2 or not stop(worker := random.choice(sorted(workers))):
      return kills  # It was done before.
    os.kill(worker, signal.SIGKILL)
    gone.update(workers)
    kills += 1
  return kills


@pytest.mark.parametrize("number", range(10))
def test_many_kills_of_one_run_change_nothing_about_the_end(undisturbed, tmp_path, number):
  seed = time.time_ns() % 2**32
  random.seed(seed)
  process = start(*TRAIN, "--out", "a", "--max-restarts", KILLS, *TWO)
  kills = kill_often(process, KILLS)
  print(f"random.seed({seed}): {kills} kills")
  _, err = process.communicate(timeout=600)
  assert process.returncode == 0 and "Traceback" not in err, err
  assert kills and err.count("was ended by SIGKILL: all workers start anew") == kills, err
  assert_same_run(undisturbed, tmp_path / "a")


def test_a_worker_that_is_slow_is_waited_for(undisturbed, tmp_path):
  process = start(*TRAIN, "--out", "a", *TWO)
  read_until(process, "epoch 2/")
  for _ in range(3):
    worker = random.choice(children(process))
    assert stop(worker)
    time.sleep(2)
    os.kill(worker, signal.SIGCONT)
  _, err = process.communicate(timeout=600)
  assert process.returncode == 0 and "restart" not in err, err
  assert_same_run(undisturbed, tmp_path / "a")


def start_on(host, index, addresses, *options):
  """Starts one worker on a host of a network."""
  environ = {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONUNBUFFERED": "1"}
  environ["TF_CONFIG"] = Addresses(addresses, index).tf_config()
  command = [*host.prefix, sys.executable, "-m", "recursive_tf.cli", *TRAIN, "--threads", "1"]
  return subprocess.Popen(
    [*command, "--out", "a", "--resume-or-start", "--timeout", "10", *options],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
    env={**os.environ, **environ},
  )


@pytest.fixture
def members():
  """Two hosts of a network."""
  with contextlib.ExitStack() as stack:
    try:
      found = stack.enter_context(hosts(2))
    except OSError as error:
      pytest.skip(f"no network of namespaces can be made here: {error}")
    yield found


@pytest.mark.parametrize("cut", [Host.set_link, Host.set_heard])
def test_workers_that_are_cut_off_stop_and_go_on_later(undisturbed, members, tmp_path, cut):
  processes = []
  try:
    addresses = tuple(host.address for host in members)
    processes = [start_on(host, k, addresses) for k, host in enumerate(members)]
    read_until(processes[0], "epoch 2/")
    cut(members[1], False)
    began = time.monotonic()
    for process in processes:
      _, err = process.communicate(timeout=120)
      assert process.returncode == LOST_WORKER and "Traceback" not in err, err
    assert time.monotonic() - began < 60
    assert len(read_history(tmp_path / "a")) < 60
    cut(members[1], True)
    processes = [start_on(host, k, addresses) for k, host in enumerate(members)]
    for process in processes:
      _, err = process.communicate(timeout=600)
      assert process.returncode == 0, err
  finally:
    for process in processes:
      process.kill()
    wait_until(lambda: not any(is_running(process.pid) for process in processes))
  assert_same_run(undisturbed, tmp_path / "a")
