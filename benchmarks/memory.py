"""Resident memory and runs left over: training, inference, errors and tapes dropped unused.

2,000 training steps of a small TreeLSTM on batches of random sizes; memory after step 200, when
everything has been traced and the allocator has settled, against memory at the end. Then the other
phases, each with its own start and end. After every phase no run and no stash entry may be left.
"""

from __future__ import annotations

import tqdm

from benchmarks import plot, worker
from benchmarks.options import Options
from benchmarks.report import Report, print_table
from benchmarks.treebanks import load_trees

_TARGET = "benchmarks.workloads.training:Training"
_PHASES = ("train", "infer", "fail", "drop_tape")
GOAL_GROWTH = 0.02


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("memory", options)
  packed, vocab_size = load_trees(options, options.pick(500, 200, 5))
  num_steps = options.pick(2_000, 400, 4)
  warm_up = num_steps // 10
  batch_size = options.pick(10, 10, 2)
  curves: dict[str, list[tuple[int, int]]] = {}
  for threads in options.threads:
    with worker.start(
      _TARGET,
      threads,
      in_process=options.in_process,
      packed=packed,
      vocab_size=vocab_size,
      batch_size=batch_size,
      seed=options.seed,
    ) as training:
      rows = []
      for phase in _PHASES:
        curve = run_phase(training, phase, num_steps, warm_up, threads)
        curves[f"{phase}, {threads} threads"] = curve
        start, end = curve[1][1], curve[-1][1]
        growth = end / start - 1
        live_runs, live_entries = training.call("live")
        rows.append([phase, start / 2**20, end / 2**20, 100 * growth, live_runs, live_entries])
        name = f"{phase}, {threads} threads"
        claim = f"{name}: growth from step {warm_up} to {num_steps} below {GOAL_GROWTH}"
        report.goal(claim, growth, growth < GOAL_GROWTH)
        report.goal(f"{name}: runs left", live_runs, live_runs == 0)
        report.goal(f"{name}: stash entries left", live_entries, live_entries == 0)
    header = ["phase", f"MiB at {warm_up}", f"MiB at {num_steps}", "growth %", "runs", "stash"]
    print_table(header, rows, f"Resident memory, {threads} threads")
  report.figures["resident bytes by step"] = curves
  if options.size != "smoke":
    _plot(report, curves)
  return report


def run_phase(
  training, phase: str, num_steps: int, warm_up: int, threads: int
) -> list[tuple[int, int]]:
  """Returns (step, resident bytes) from step 0 on, in intervals of `warm_up` steps."""
  curve = [(0, training.call("resident"))]
  with tqdm.tqdm(
    total=num_steps, desc=f"{phase}, {threads} threads", unit="step", disable=None, leave=False
  ) as bar:
    for step in range(max(warm_up, 1), num_steps + 1, max(warm_up, 1)):
      training.call(phase, step - curve[-1][0])
      bar.update(step - curve[-1][0])
      curve.append((step, training.call("resident")))
  return curve


def _plot(report: Report, curves: dict[str, list[tuple[int, int]]]) -> None:
  with plot.figure(report.options.out / "memory.png", 1, "Resident memory") as (axis,):
    for name, curve in curves.items():
      steps, resident = zip(*curve, strict=True)
      axis.plot(steps, [value / 2**20 for value in resident], marker=".", label=name)
    axis.set(xlabel="steps of the phase", ylabel="MiB", ylim=(0, None))
    axis.legend(fontsize=7)
