"""What it costs a graph of `rtf.function` to check what Python would raise for, or do itself.

Eight small layers, of each of which the program asks whether what it gets is too large: with an
`if` that raises, an `assert`, or an `if` around what no graph can have ("file": it writes one),
which is left out of the graph and checked. Beside it the same without, and graphs by hand, with
eight `tf.debugging.Assert`. What a check costs is the difference, by eight; its condition (two ops
and a comparison) is in it.

"one of four fails": a round of three calls that pass and one that does not, which plain Python does
again, from its start; by hand it fails with TensorFlow's own error.
"""

from __future__ import annotations

from benchmarks import worker
from benchmarks.harness import Arm, Timing, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table

_TARGET = "benchmarks.workloads.checks:Checks"
ARMS = ("eager", "rtf.function", "by hand")
GOAL_OF_HAND = 1.25
_FAILS = "fails"


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("converter_checks", options)
  for threads in options.threads:
    with worker.start(_TARGET, threads, in_process=options.in_process) as program:
      results = program.call("results")
      if len({str(found) for found in results.values()}) > 1:
        raise AssertionError(f"calls give other results: {results}")
      kinds, num_checks, cycle = program.call("sizes")
      runs = program.call("runs")
      for kind, (num_graph, num_plain) in runs.items():
        claim = f"{kind}, {threads} threads: runs that pass, left to plain Python"
        report.goal(claim, num_plain, num_plain == 0 < num_graph)
      passing = _measured(program, kinds, "", 1, threads, report)
      failing = _measured(program, kinds[1:], f", {_FAILS}", cycle, threads, report)
    _table(passing, failing, num_checks, threads, report)
  return report


def _measured(
  program, kinds: list[str], ending: str, work: int, threads: int, report: Report
) -> dict[tuple[str, str], Timing]:
  options = report.options
  names = [(kind, arm) for kind in kinds for arm in ARMS]
  timings = measure(
    [
      Arm(
        {"check": kind, "arm": arm, "threads": threads, "of four fail": int(bool(ending))},
        lambda loops, name=f"{kind}, {arm}{ending}": program.call("time", name, loops),
        work,
      )
      for kind, arm in names
    ],
    repetitions=options.repetitions,
    seed=options.seed,
    min_seconds=options.min_seconds,
    description=f"checks{ending}, {threads} threads",
  )
  report.timings += timings
  return dict(zip(names, timings, strict=True))


def _table(
  passing: dict[tuple[str, str], Timing],
  failing: dict[tuple[str, str], Timing],
  num_checks: int,
  threads: int,
  report: Report,
) -> None:
  rows: list[list[object]] = []
  cost: dict[tuple[str, str], float] = {}
  for (kind, arm), timing in passing.items():
    # The fastest of the repetitions: what others do on the machine only ever adds.
    micros, without = (1e6 * min(t.seconds) for t in (timing, passing["none", arm]))
    cost[kind, arm] = (micros - without) / num_checks
    rows.append([kind, arm, micros])
    if kind == "none":
      rows[-1] += ["-", "-", timing.spread]
    else:
      fails = failing[kind, arm]
      rows[-1] += [cost[kind, arm], 1e6 * min(fails.seconds) / fails.work, timing.spread]
  report.figures[f"microseconds a check, {threads} threads"] = {
    f"{kind}, {arm}": value for (kind, arm), value in cost.items() if kind != "none"
  }
  for kind in dict.fromkeys(kind for kind, _ in failing):
    ours, hand = (1e6 * min(passing[kind, arm].seconds) for arm in ("rtf.function", "by hand"))
    claim = f"{kind}, {threads} threads: a call at most {GOAL_OF_HAND} of one by hand"
    report.goal(claim, ours / hand, ours <= GOAL_OF_HAND * hand)
  header = ["check", "arm", "us", "us a check", "us, one of four fails", "spread"]
  print_table(header, rows, f"A call, {threads} threads, the fastest repetition")
