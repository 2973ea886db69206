"""The harness interleaves, calibrates and knows an unstable result."""

import os
import sys
import time

import numpy as np
import pytest

from benchmarks import worker
from benchmarks.__main__ import main
from benchmarks.harness import Arm, Timing, measure
from benchmarks.options import Options
from benchmarks.report import print_table


class Adder(worker.Workload):
  """A workload without a framework."""

  def __init__(self, start):
    super().__init__()
    self.value = start
    self.calls["add"] = lambda: self.add(1)

  def add(self, number):
    self.value += number
    return self.value

  def fail(self):
    raise KeyError("what went wrong")


def arm(name, order, seconds_per_loop=1.0):
  def run(loops):
    order.append(name)
    return loops * seconds_per_loop

  return Arm({"arm": name}, run, work=10.0)


def test_each_repetition_times_each_arm_once_in_a_shuffled_order():
  order = []
  measure([arm(n, order) for n in "abcd"], repetitions=20, seed=3, min_seconds=0.0)
  rounds = ["".join(order[i : i + 4]) for i in range(4, len(order), 4)]  # The first is warm-up.
  assert len(rounds) == 20
  assert all(sorted(each) == list("abcd") for each in rounds)
  assert len(set(rounds)) > 5


def test_same_seed_gives_the_same_order():
  first, second = [], []
  for order in (first, second):
    measure([arm(n, order) for n in "abc"], repetitions=5, seed=1, min_seconds=0.0)
  assert first == second


def test_loops_are_added_until_a_timing_is_long_enough():
  (timing,) = measure([arm("a", [], 0.001)], repetitions=3, seed=0, min_seconds=0.1)
  assert timing.loops * 0.001 >= 0.1
  assert timing.median == pytest.approx(0.001)
  assert timing.per_second == pytest.approx(10_000)


def test_spread_of_a_tenth_is_unstable():
  steady = Timing({}, 1.0, 1, (1.0, 1.01, 1.02, 1.03, 5.0))
  shaky = Timing({}, 1.0, 1, (1.0, 1.0, 1.1, 1.3, 1.3))
  assert not steady.is_unstable  # One outlier does not move the quartiles.
  assert shaky.is_unstable
  assert steady.to_json()["max_seconds"] == 5.0


def test_worker_keeps_state_and_passes_errors_on():
  # Importable in the worker by name only if tests are a package, so a class of ours stands in.
  with worker.start("collections:Counter", 1) as counter:
    counter.call("update", "aab")
    assert counter.call("most_common", 1) == [("a", 2)]
    with pytest.raises(worker.WorkerError, match="no_such_method"):
      counter.call("no_such_method")
    assert counter.call("total") == 3


def test_worker_by_another_python_keeps_state_and_passes_errors_on():
  environ = {"WORKER_KIND": "other"}
  with worker.start("collections:Counter", 1, python=sys.executable, environ=environ) as counter:
    counter.call("update", "aab")
    assert counter.call("most_common", 1) == [("a", 2)]
    with pytest.raises(worker.WorkerError, match="no_such_method"):
      counter.call("no_such_method")
  with pytest.raises(worker.WorkerError, match="no_such_class"):
    worker.start("collections:no_such_class", 1, python=sys.executable)


def test_processor_time_does_not_count_waiting(monkeypatch):
  workload = worker.Workload()
  workload.calls["wait"] = lambda: time.sleep(0.2)
  assert workload.time("wait", 1) >= 0.2
  monkeypatch.setenv(worker.CLOCK, "processor")
  assert workload.time("wait", 1) < 0.1


def test_processor_time_is_for_one_thread(capsys):
  assert main(["zoo", "--threads", "1", "2", "--clock", "processor"]) == 2
  assert "--threads 1" in capsys.readouterr().err


def test_only_the_chosen_batches_run():
  assert Options().chosen({1: 5, 25: 6}) == {1: 5, 25: 6}
  assert Options(batches=(25, 7)).chosen({1: 5, 25: 6}) == {25: 6}


def test_worker_that_cannot_start_says_why():
  with pytest.raises(worker.WorkerError, match="no_such_class"):
    worker.start("collections:no_such_class", 1)


@pytest.mark.parametrize("in_process", [True, False])
def test_worker_has_its_own_environment(in_process, monkeypatch):
  monkeypatch.setenv("WORKER_KIND", "none")
  environ = {"WORKER_KIND": "batched"}
  # A string that is made in the worker stands in for a workload.
  with worker.start(
    "os.path:expandvars", 1, in_process=in_process, environ=environ, path="$WORKER_KIND"
  ) as text:
    assert text.call("strip") == "batched"
  assert os.environ["WORKER_KIND"] == "none"


@pytest.mark.parametrize("python", [None, sys.executable])
def test_no_thread_of_a_worker_has_more_cores_than_asked_for(python):
  before, number = os.sched_getaffinity(0), os.environ.get("OPENBLAS_NUM_THREADS")
  # The module `os` stands in for a workload. What an array brings with it makes threads at once.
  array = np.zeros(1)
  with worker.start(
    "importlib:import_module", 1, python=python, name="os", package=array
  ) as process:
    threads = process.call("listdir", "/proc/self/task")
    cores = {core for thread in threads for core in process.call("sched_getaffinity", int(thread))}
    assert cores == {min(before)}
    assert process.call("getenv", "OPENBLAS_NUM_THREADS") == "1"
  assert os.sched_getaffinity(0) == before
  assert os.environ.get("OPENBLAS_NUM_THREADS") == number


def test_workload_times_loops():
  adder = Adder(5)
  assert adder.time("add", 3) >= 0
  assert adder.value == 8


def test_table_aligns_columns(capsys):
  print_table(["arm", "rate"], [["eager", 1.5], ["recursive_tf", 1234.5]], "Title")
  lines = capsys.readouterr().out.splitlines()
  assert lines[1] == "Title"
  assert lines[-1].endswith("1234.5")
  assert len(lines[-1]) == len(lines[-2]) == len(lines[3])
