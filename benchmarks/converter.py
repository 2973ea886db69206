"""Imperative training steps by `rtf.function`, against eager execution, graphs by hand, AutoGraph.

After table 3.4 of JANUS (Jeong et al., NSDI 2019): the same source is run as it is, by
`rtf.function`, and by `tf.function` with AutoGraph; beside it the graph that one would write by
hand. One process for each program and thread count, arms interleaved. Before the timing each arm
trains from the same weights: "differs" is the largest relative difference of a loss from eager
execution's, which shows what an arm gets wrong, such as AutoGraph the state of the language model.
"""

from __future__ import annotations

import statistics

from benchmarks import worker
from benchmarks.harness import Arm, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table
from benchmarks.workloads.converter import ARMS

PROGRAMS = ("lenet", "resnet", "lstm", "lm", "a3c", "an")
SIZES = ("small", "large")
GOAL_OF_HAND = 0.95
_SAME = 1e-3
_TARGET = "benchmarks.workloads.converter:Converter"


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("converter", options)
  rows: list[list[object]] = []
  for threads in options.threads:
    for program in options.pick(PROGRAMS, PROGRAMS, ("lstm", "lm")):
      for size in options.pick(SIZES, SIZES[:1], SIZES[:1]):
        rows += _measured(program, size, threads, report)
  header = ["program", "size", "threads", "arm", "steps/s", "of eager", "of hand", "spread"]
  print_table([*header, "differs"], rows, "Training steps")
  return report


def _measured(program: str, size: str, threads: int, report: Report) -> list[list[object]]:
  options = report.options
  with worker.start(
    _TARGET, threads, in_process=options.in_process, program=program, size=size
  ) as steps:
    losses = steps.call("losses", options.pick(20, 8, 3))
    arms = [
      Arm(
        {"program": program, "size": size, "arm": arm, "threads": threads},
        lambda loops, arm=arm: steps.call("time", arm, loops),
        1,
      )
      for arm in ARMS
    ]
    timings = measure(
      arms,
      repetitions=options.repetitions,
      seed=options.seed,
      min_seconds=options.min_seconds,
      description=f"{program}, {size}",
    )
    num_graph, num_plain = steps.call("runs")
  report.timings += timings
  named = dict(zip(ARMS, timings, strict=True))
  differs = {
    arm: max(abs(a - b) / max(abs(b), 1e-6) for a, b in zip(found, losses["eager"], strict=True))
    for arm, found in losses.items()
  }
  where = f"{program}, {size}, {threads} threads"
  report.figures[f"{where}: losses"] = losses
  report.goal(f"{where}: losses as eager", differs["rtf.function"], differs["rtf.function"] < _SAME)
  report.goal(f"{where}: runs left to plain Python", num_plain, num_plain == 0 < num_graph)
  ratio = _ratio(named["by hand"], named["rtf.function"])
  claim = f"{where}: at least {GOAL_OF_HAND} of the graph by hand"
  report.goal(claim, ratio, ratio >= GOAL_OF_HAND)
  return [
    [program, size, threads, arm, each.per_second, _ratio(named["eager"], each)]
    + [_ratio(named["by hand"], each), each.spread, differs[arm]]
    for arm, each in named.items()
  ]


def _ratio(base, other) -> float:
  """Returns the median over rounds of how many times as fast `other` was."""
  pairs = zip(base.seconds, other.seconds, strict=True)
  return statistics.median(before / after for before, after in pairs)
