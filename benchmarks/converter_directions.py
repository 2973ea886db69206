"""What it would give to assume that branches and loops of the run go the way that they always went.

JANUS (Jeong et al., NSDI 2019) inlines a branch that has always gone one way, and unrolls a loop
that always has as many turns, with a check. `rtf.function` does not. "as it is": a conditional, or
a loop, of the graph. "one way": the same step as such an assumption would leave it, written by
hand, with its check. And how many conditionals and loops the graphs of the programs of `converter`
have: those are what there is to gain from.
"""

from __future__ import annotations

from benchmarks import worker
from benchmarks.converter import PROGRAMS, TARGET
from benchmarks.harness import Arm, Timing, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table
from benchmarks.workloads.directions import ARMS, KINDS

_TARGET = "benchmarks.workloads.directions:Directions"
_SAME = 1e-4


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report; the last of `options.threads` counts."""
  report = Report("converter_directions", options)
  threads = options.threads[-1]
  with worker.start(_TARGET, threads, in_process=options.in_process) as program:
    results = program.call("results")
    for kind in KINDS:
      first, *others = (results[f"{kind}, {arm}"] for arm in ARMS)
      if any(abs(found - first) > _SAME * abs(first) for found in others):
        raise AssertionError(f"calls give other results: {results}")
    num_graph, num_plain = program.call("runs")
    report.goal("runs left to plain Python", num_plain, num_plain == 0 < num_graph)
    names = [(kind, arm) for kind in KINDS for arm in ARMS]
    timings = measure(
      [_arm(program, kind, arm) for kind, arm in names],
      repetitions=options.repetitions,
      seed=options.seed,
      min_seconds=options.min_seconds,
      description="directions",
    )
  report.timings += timings
  _table(dict(zip(names, timings, strict=True)), threads)
  counts = [[name, *_counted(name, options)] for name in _programs(options)]
  report.figures["conditionals and loops"] = {name: found for name, *found in counts}
  print_table(
    ["program", "conditionals", "loops"], counts, "Of the run, in graphs of small programs"
  )
  return report


def _arm(program, kind: str, arm: str) -> Arm:
  name = f"{kind}, {arm}"
  return Arm({"kind": kind, "arm": arm}, lambda loops: program.call("time", name, loops), 1)


def _table(timings: dict[tuple[str, str], Timing], threads: int) -> None:
  rows: list[list[object]] = []
  for (kind, arm), timing in timings.items():
    # The fastest of the repetitions: what others do on the machine only ever adds.
    micros, as_it_is = (1e6 * min(t.seconds) for t in (timing, timings[kind, "as it is"]))
    rows.append([kind, arm, micros, as_it_is / micros, timing.spread])
  header = ["of the run", "arm", "us", "as fast", "spread"]
  print_table(header, rows, f"A call, {threads} threads, the fastest repetition")


def _programs(options: Options) -> tuple[str, ...]:
  return options.named(options.pick(PROGRAMS, PROGRAMS, ("a3c",)))


def _counted(name: str, options: Options) -> list[object]:
  """Returns how many conditionals and loops the graphs of a program have."""
  with worker.start(
    TARGET, options.threads[-1], in_process=options.in_process, program=name, size="small"
  ) as program:
    if program.call("missing"):
      return ["-", "-"]
    program.call("train", "eager", 1)
    program.call("train", "rtf.function", 2)
    return list(program.call("conditionals_and_loops"))
