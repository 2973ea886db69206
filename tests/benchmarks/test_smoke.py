"""Every benchmark runs once, as small as can be; their figures mean nothing here."""

import importlib
import importlib.util
import json

import pytest

from benchmarks import arms, recursive_python
from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.conversion import settling
from benchmarks.options import Options
from benchmarks.treebanks import load_trees

# They take half a minute each; what they measure runs in smaller ones, too.
_SLOW = (
  "batched_memory",
  "command_line",
  "conversion",
  "converter",
  "converter_ablation",
  "converter_checks",
  "converter_convergence",
  "converter_directions",
  "distributed",
  "frame_overhead",
  "function_calls",
  "keras_fit",
  "memory",
  "recursive_python",
  "serving",
  "top_down",
  "tree_shapes",
  "verification",
  "zoo",
)
_NAMES = [
  pytest.param(name, marks=pytest.mark.slow) if name in _SLOW else name for name in BENCHMARKS
]


@pytest.fixture
def options(tmp_path):
  if importlib.util.find_spec("torch") is not None:
    # Threads that wait for each other are slow where other tests run beside these.
    importlib.import_module("torch").set_num_threads(1)
  return Options(
    size="smoke", threads=(1,), repetitions=1, out=tmp_path, data="sample", in_process=True
  )


@pytest.mark.timeout(900)  # The longest has a dozen arms, each with a program to convert.
@pytest.mark.parametrize("name", _NAMES)
def test_benchmark_runs_and_writes_its_result(name, options):
  report = importlib.import_module(f"benchmarks.{name}").run(options)
  report.print()
  content = json.loads(report.write().read_text())
  assert content["benchmark"] == name
  assert {"commit", "cpu", "versions"} <= content["environment"].keys()
  assert content["options"]["seed"] == 0
  assert content["timings"] or content["figures"]
  # These goals do not depend on the machine; the benchmarks that have them are named.
  left = [value for claim, value, _ in report.goals if "left" in claim]
  assert left == [0] * {
    "memory": 8,
    "errors": 2,
    "batched_memory": 4,
    "converter": 2,
    "converter_convergence": 2,
    "converter_checks": 4,
    "converter_directions": 1,
  }.get(name, 0)


@pytest.mark.parametrize("model", ["treernn", pytest.param("treelstm", marks=pytest.mark.slow)])
def test_plain_programs_compute_what_the_hand_written_models_do(model, options):
  names = recursive_python.SLOW_ARMS + recursive_python.FAST_ARMS
  with arms.Arms(names, model, *load_trees(options, 4), 1, options) as workers:
    workers.check([0, 1, 2, 3])


def test_steady_state_is_reached_with_the_first_call_near_the_end_s():
  calls = [(3.0, 10), (1.0, 10), (0.23, 20), (0.1, 10), (0.5, 10), (0.1, 10), (0.1, 10)]
  assert settling(calls) == {
    "first": 3.0,
    "steady": 0.01,
    "calls": 2,
    "seconds": 4.0,
    "slowest later": 0.5,
  }


def test_schedulers_have_the_same_losses(options):
  report = importlib.import_module("benchmarks.loss_curve").run(options)
  (_, difference, holds) = report.goals[0]
  assert holds
  assert difference < 1e-10


def test_list_names_every_benchmark(capsys):
  assert main(["--list"]) == 0
  assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(BENCHMARKS)


def test_unknown_name_is_refused(capsys):
  assert main(["no_such_benchmark"]) == 2
  assert "sst_throughput" in capsys.readouterr().err
