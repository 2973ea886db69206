"""Which block runs next: steps and time of the batched scheduler's policies, by kind of workload.

trees: a TreeLSTM with a loss at every node, on parses of SST. dag: a chain of frames each of which
calls two other SubGraphs to varying depths, so that work of different kinds gets ready out of step.
top_down: trees that are generated, a node having children if a computed value says so. Fewer steps
mean larger ones; the rest is what deciding costs. `workloads/schedules.py` has the SubGraphs.
"""

from __future__ import annotations

from benchmarks import worker
from benchmarks.harness import Arm, Timing, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table
from benchmarks.treebanks import load_trees

_TARGET = "benchmarks.workloads.schedules:Schedules"
_ENVIRON = {"RECURSIVE_TF_SCHEDULER": "batched"}
POLICIES = ("look_ahead", "agenda", "depth")
WORKLOADS = ("trees", "dag", "top_down")


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("policies", options)
  batch = options.pick(25, 25, 3)
  packed, _ = load_trees(options, batch)
  width = options.pick(150, 150, 4)
  for threads in options.threads:
    with worker.start(
      _TARGET,
      threads,
      in_process=options.in_process,
      environ=_ENVIRON,
      packed=packed,
      width=width,
      seed=options.seed,
    ) as schedules:
      timed, counts = [], {}
      for workload in WORKLOADS:
        for policy in POLICIES:
          for direction in ("forward", "backward"):
            labels = {"workload": workload, "direction": direction, "policy": policy}
            name = " ".join(labels.values())
            counts[name] = schedules.call("add", name, *labels.values(), batch)
            run_arm = _timer(schedules, name)
            timed.append(Arm({**labels, "threads": threads}, run_arm, work=batch))
      timings = measure(
        timed,
        repetitions=options.repetitions,
        seed=options.seed,
        min_seconds=options.min_seconds,
        description=f"policies, {threads} threads",
      )
    report.timings += timings
    report.figures[f"counts, {threads} threads"] = counts
    _print(timings, counts, threads)
  return report


def _timer(schedules, name: str):
  return lambda loops: schedules.call("time", name, loops)


def _print(timings: list[Timing], counts: dict[str, dict[str, int]], threads: int) -> None:
  rows = []
  for timing in timings:
    keys = [str(timing.labels[key]) for key in ("workload", "direction", "policy")]
    count = counts[" ".join(keys)]
    mean_rows = count["rows"] / max(count["steps"], 1)
    rows.append([*keys, count["frames"], count["steps"], mean_rows])
    rows[-1] += [1e3 * timing.median, 100 * timing.spread]
  print_table(
    ["workload", "direction", "policy", "frames", "steps", "rows/step", "ms", "spread %"],
    rows,
    f"Policies, {threads} threads (backward: forward and backward; steps are those of forward)",
  )
