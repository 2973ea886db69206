"""What each of the converter's optimizations gives, after figure 3.7 of JANUS (NSDI 2019).

IMP is eager execution. BASE is `rtf.function` without any: loops over ranges are loops of the
graph, shapes are open and numbers inputs from the first call on, ops run one after the other. Then
one comes on after the other: +UNRL (unrolled loops), +SPCN (shapes and numbers as constants), +PARL
(independent ops in parallel, with the threads that there are). RECURSIVE_TF_OPTIMIZATIONS turns
them on and off, in a process for each. A program that is no graph without some of them runs as
plain Python: "plain" counts such runs, and the reason is noted.
"""

from __future__ import annotations

import contextlib
import statistics

from benchmarks import plot, worker
from benchmarks.converter import PROGRAMS, TARGET, differences
from benchmarks.harness import Arm, Timing, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table

LEVELS = {
  "BASE": "none",
  "+UNRL": "unroll",
  "+SPCN": "unroll,specialize",
  "+PARL": "unroll,specialize,parallel",
}
_SAME = 1e-3


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report; the last of `options.threads` counts."""
  report = Report("converter_ablation", options)
  rows: list[list[object]] = []
  for program in options.named(options.pick(PROGRAMS, PROGRAMS, ("a3c",))):
    rows += measured(program, report)
  header = ["program", "arm", "steps/s", "of IMP", "spread", "graphs", "plain", "loss"]
  print_table(header, rows, f"Optimizations one after the other, {options.threads[-1]} threads")
  if options.size != "smoke" and report.timings:
    plotted(report)
  return report


def measured(program: str, report: Report) -> list[list[object]]:
  """Times one program at all levels; returns the rows of the table."""
  options = report.options
  count = options.pick(8, 4, 2)
  with contextlib.ExitStack() as stack:
    workers = {
      level: stack.enter_context(
        worker.start(
          TARGET,
          options.threads[-1],
          in_process=options.in_process,
          environ={"RECURSIVE_TF_OPTIMIZATIONS": names},
          program=program,
          size="small",
        )
      )
      for level, names in LEVELS.items()
    }
    base = workers["BASE"]
    missing = base.call("missing")
    if missing:
      report.notes.append(f"{program}: left out: {missing}")
      return []
    eager = base.call("train", "eager", count)[0]
    arms = [_arm(program, "IMP", base, "eager")]
    found: dict[str, list[object]] = {"IMP": [0, 0, 0.0]}
    for level, steps in workers.items():
      steps.call("train", "eager", 1)  # What weights are compared with; losses are with `eager`.
      losses, _, _ = steps.call("train", "rtf.function", count)
      difference = max(differences(losses, eager))
      num_graph, num_plain = steps.call("runs")
      found[level] = [num_graph, num_plain, difference]
      claim = f"{program}, {level}: losses as eager"
      report.goal(claim, difference, difference <= _SAME)
      if num_plain:
        report.notes.append(f"{program}, {level}: {steps.call('explained')}")
      arms.append(_arm(program, level, steps, "rtf.function"))
    timings = measure(
      arms,
      repetitions=options.repetitions,
      seed=options.seed,
      min_seconds=options.min_seconds,
      description=program,
    )
  report.timings += timings
  report.figures[program] = {
    level: dict(zip(("graphs", "plain", "loss"), values, strict=True))
    for level, values in found.items()
  }
  return [
    [program, level, each.per_second, _speed_up(timings[0], each), each.spread, *values]
    for (level, values), each in zip(found.items(), timings, strict=True)
  ]


def _arm(program: str, level: str, steps, arm: str) -> Arm:
  work = steps.call("prepare", arm)
  labels = {"program": program, "arm": level}
  return Arm(labels, lambda loops: steps.call("time", arm, loops), work)


def _speed_up(base: Timing, other: Timing) -> float:
  pairs = zip(base.seconds, other.seconds, strict=True)
  return statistics.median(before / after for before, after in pairs)


def plotted(report: Report) -> None:
  """Draws the speed of each level against IMP."""
  programs = list(report.figures)
  levels = ["IMP", *LEVELS]
  by_name = {(t.labels["program"], t.labels["arm"]): t for t in report.timings}
  path = report.options.out / "converter_ablation.png"
  with plot.figure(path, 1, "Times as fast as eager execution") as (axis,):
    for position, level in enumerate(levels):
      places = [index + 0.16 * (position - 2) for index in range(len(programs))]
      heights = [_speed_up(by_name[p, "IMP"], by_name[p, level]) for p in programs]
      axis.bar(places, heights, 0.16, label=level)
    axis.set(yscale="log", xticks=range(len(programs)))
    axis.set_xticklabels(programs, rotation=45)
    axis.legend(fontsize="small")
