"""Very wide and very deep recursion, batched: time and memory of a frame by size.

Frames that do next to nothing: a chain of up to 1,000,000 below one another, balanced trees of up
to 2^20 leaves, and Fibonacci's recursion, whose subtrees end at all depths, of up to 4,356,617
frames. More frames than kFrameBudget (kernels/core/agenda.h) are not all alive at a time: steps
then take the deepest. Each result is checked; memory is the peak beyond what was resident before,
in calls of their own.
"""

from __future__ import annotations

from benchmarks import worker
from benchmarks.harness import Arm, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table

_TARGET = "benchmarks.workloads.frames:Frames"
_ENVIRON = {"RECURSIVE_TF_SCHEDULER": "batched"}
# By shape and direction.
_SIZES = {
  ("chain", "forward"): (10_000, 100_000, 1_000_000),
  ("chain", "backward"): (10_000, 100_000, 1_000_000),
  ("wide", "forward"): (13, 16, 20),
  ("wide", "backward"): (13, 16, 20),
  ("fibonacci", "forward"): (20, 25, 31),
}
GOAL_RATIO = 1.5


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("large", options)
  for threads in options.threads:
    with worker.start(_TARGET, threads, in_process=options.in_process, environ=_ENVIRON) as frames:
      _run_threads(frames, threads, report)
  return report


def _run_threads(frames, threads: int, report: Report) -> None:
  options = report.options
  arms, found = [], {}
  for (shape, direction), sizes in _SIZES.items():
    for n in options.pick(sizes, sizes, (3, 4)):
      name = f"{shape} None {direction} {n}"
      labels = {"shape": shape, "direction": direction, "n": n, "threads": threads}
      count = frames.call("add", shape, None, direction, n)
      found[name] = {**frames.call("peak_and_stash", name), **frames.call("last_steps")}
      run = lambda loops, name=name: frames.call("time", name, loops)  # noqa: E731
      arms.append(Arm(labels, run, work=count))
  timings = measure(
    arms,
    repetitions=options.repetitions,
    seed=options.seed,
    min_seconds=options.min_seconds,
    description=f"large, {threads} threads",
  )
  report.timings += timings
  report.figures[f"peaks and steps, {threads} threads"] = found
  rows = []
  for timing in timings:
    label = timing.labels
    own = found[f"{label['shape']} None {label['direction']} {label['n']}"]
    rows.append(
      [label["shape"], label["direction"], label["n"], own["frames"]]
      + [1e3 * timing.micros_per_unit, 100 * timing.spread, own["rows"] / max(1, own["steps"])]
      + [own["peak_bytes"] / 2**20, own["peak_bytes"] / own["frames"]]
    )
  print_table(
    ["shape", "direction", "n", "frames", "ns/frame", "spread %", "rows/step", "peak MiB"]
    + ["B/frame"],
    rows,
    f"Small frames, batched, {threads} threads (backward: forward and backward)",
  )
  for shape, direction in _SIZES:
    group = [t for t in timings if (t.labels["shape"], t.labels["direction"]) == (shape, direction)]
    ratio = group[-1].micros_per_unit / min(t.micros_per_unit for t in group)
    claim = (
      f"{shape} {direction}, {threads} threads: time per frame at n ="
      f" {group[-1].labels['n']:,} over the least is at most {GOAL_RATIO}"
    )
    report.goal(claim, ratio, ratio <= GOAL_RATIO)
