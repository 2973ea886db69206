"""Trained models that serve: the C++ program of `examples/serve_cpp` against Python.

One TreeLSTM, trained for an epoch and exported, and the same trees in brackets, one at a time and
64: what a program is asked, and what it answers. All arms run in turn on the same cores, and have
to give the same probabilities before any of them is timed.
"""

from __future__ import annotations

import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

from benchmarks import worker
from benchmarks.harness import Arm, Timing, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table
from benchmarks.treebanks import load_lines

ARMS = ("C++", "predict", "SavedModel", "SavedModel, tables")
_TARGET = "benchmarks.workloads.served:Served"
_REPOSITORY = pathlib.Path(__file__).parent.parent
_PROGRAM = _REPOSITORY / "examples" / "serve_cpp"
# All compute in float32: what is left is the order of sums.
_MOST_APART = 1e-6


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("serving", options)
  batches = options.pick((1, 64), (1, 64), (1, 2))
  lines = load_lines(options, options.pick(512, 128, 4))
  rows: list[list[object]] = []
  with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder)
    program = _build_program(place / "build")
    _train_and_export(options, place)
    for threads in options.threads:
      with worker.start(
        _TARGET,
        threads,
        in_process=options.in_process,
        run=str(place / "run"),
        export=str(place / "export"),
        program=str(program),
        lines=lines,
        batches=batches,
        threads_of_program=threads,
      ) as served:
        apart = largest_difference(served.call("probabilities"), batches)
        report.figures[f"{threads} threads: largest difference of a probability"] = apart
        claim = f"{threads} threads: probabilities differ at most {_MOST_APART}"
        report.goal(claim, apart, apart <= _MOST_APART)
        for batch in batches:
          timings = _time(served, batch, threads, len(lines), options)
          report.timings += timings
          rows += [_row(each, timings[0]) for each in timings]
        served.call("stop")
  header = ["threads", "batch", "arm", "trees/s", "us a tree", "spread", "C++ is times as fast"]
  title = f"TreeLSTM, {len(lines)} trees of {options.data}, from text to probabilities"
  print_table(header, rows, title)
  return report


def _time(served, batch: int, threads: int, num_trees: int, options: Options) -> list[Timing]:
  """Returns the timings of all arms, that of the C++ program first."""
  arms = [
    Arm(
      {"arm": arm, "batch": batch, "threads": threads},
      lambda loops, name=f"{arm}, {batch}": served.call("time", name, loops),
      num_trees,
    )
    for arm in ARMS
  ]
  return measure(
    arms,
    repetitions=options.repetitions,
    seed=options.seed,
    min_seconds=options.min_seconds,
    description=f"batch {batch}",
  )


def _row(timing: Timing, program: Timing) -> list[object]:
  """Returns a row of the table; the last figure is the median over the rounds."""
  pairs = zip(timing.seconds, program.seconds, strict=True)
  ratio = statistics.median(own / other for own, other in pairs)
  labels = [timing.labels[name] for name in ("threads", "batch", "arm")]
  return [*labels, timing.per_second, timing.micros_per_unit, timing.spread, ratio]


def largest_difference(probabilities: dict[str, np.ndarray], batches) -> float:
  """Returns by how much two arms differ at most; raises where that is more than rounding."""
  expected = probabilities[f"predict, {batches[0]}"]
  apart = 0.0
  for name, found in probabilities.items():
    if found.shape != expected.shape:
      raise AssertionError(f"{name}: answers {found.shape}, expected {expected.shape}.")
    difference = float(np.max(np.abs(found - expected)))
    if not difference <= _MOST_APART:  # Not a number is no agreement either.
      raise AssertionError(f"{name}: a probability is {difference} from that of `predict`.")
    apart = max(apart, difference)
  return apart


def _build_program(out: pathlib.Path) -> pathlib.Path:
  """Returns the C++ program, compiled and linked: half a minute."""
  _do("make", "-s", "-C", str(_PROGRAM), f"PYTHON={sys.executable}", f"OUT={out}")
  return out / "serve_trees"


def _train_and_export(options: Options, place: pathlib.Path) -> None:
  command = [sys.executable, "-m", "recursive_tf.cli"]
  sizes = options.pick((), (), ("--state-size", "4", "--embedding-size", "4"))
  data = ("--data", options.data, "--limit", str(options.pick(500, 500, 20)))
  seed = ("--seed", str(options.seed))
  out = str(place / "run")
  _do(*command, "train", "treelstm", *data, *sizes, *seed, "--epochs", "1", "--out", out)
  _do(*command, "export", out, str(place / "export"))


def _do(*command: str) -> None:
  done = subprocess.run(command, capture_output=True, text=True, check=False)
  if done.returncode:
    raise RuntimeError(f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
