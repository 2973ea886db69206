"""How long a failure takes to surface: a bad index in the deepest frame, a cancelled call.

An error is measured from call to exception, so it holds the time to get down to the frame that
fails; the same call without an error stands beside it. A cancellation is measured from
`start_cancel` to the exception, 0.2 s into a call that would run for ever.
"""

from __future__ import annotations

from benchmarks import worker
from benchmarks.harness import Arm, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table

_TARGET = "benchmarks.workloads.failures:Failures"
GOAL_SECONDS = 1.0


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("errors", options)
  depths = options.pick([10_000, 100_000], [1_000, 100_000], [20])
  delay = options.pick(0.2, 0.2, 0.05)
  for threads in options.threads:
    with worker.start(_TARGET, threads, in_process=options.in_process) as failures:
      cases = [("too_deep", ()), ("cancel", (delay,))]
      for depth in depths:
        cases += [(kind, (depth,)) for kind in ("bad_index", "bad_index_under_tape", "good_call")]
      arms = [
        Arm(
          {"kind": kind, "argument": args[0] if args else "", "threads": threads},
          _timer(failures, kind, args),
        )
        for kind, args in cases
      ]
      timings = measure(
        arms,
        repetitions=options.repetitions,
        seed=options.seed,
        min_seconds=0.0,  # One loop: a failure happens once.
        description=f"errors, {threads} threads",
      )
      report.figures["message"] = failures.call("message", depths[0])
      live_runs, live_entries = failures.call("live")
    report.timings += timings
    rows = [
      [t.labels["kind"], str(t.labels["argument"]), 1e3 * t.median, 1e3 * max(t.seconds)]
      for t in timings
    ]
    print_table(
      ["failure", "depth or delay", "median ms", "max ms"], rows, f"Failures, {threads} threads"
    )
    for timing in timings:
      if timing.labels["kind"] != "good_call":
        what = f"{timing.labels['kind']} {timing.labels['argument']}".strip()
        worst = max(timing.seconds)
        claim = f"{what}, {threads} threads: the slowest takes less than {GOAL_SECONDS} s"
        report.goal(claim, worst, worst < GOAL_SECONDS)
    report.goal(f"runs left after failures, {threads} threads", live_runs, live_runs == 0)
    report.goal(f"stash entries left, {threads} threads", live_entries, live_entries == 0)
  return report


def _timer(failures, kind: str, args: tuple):
  return lambda loops: failures.call(kind, *args, loops)
