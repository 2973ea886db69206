"""What a call of `rtf.function` costs above its graph, and whether calls leave anything.

Cost: two graphs of a few ops. "tensor" doubles a tensor; "model" reads eight variables of a module
and a number of it, and writes one: arguments, guards and what is fed. By a `tf.function`, by its
ConcreteFunction, by `rtf.function` with one program and with as many as it keeps for different
models, and by `f.concrete`.

Growth: a step that counts in an attribute, keeps a tensor in another, writes a variable and reads a
number that changes, over sequences of 24 lengths; then new models, twenty calls each.
"""

from __future__ import annotations

import numpy as np
import tqdm

from benchmarks import worker
from benchmarks.harness import Arm, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table

_TARGET = "benchmarks.workloads.function_calls:FunctionCalls"
GOAL_MICROS = 25.0
GOAL_MICROS_RECURSIVE = 30.0
GOAL_FLAT = 1.1
GOAL_OBJECTS = 1_000
GOAL_MIB = 1.0
_CASES = {"tensor": 1, "model": 16, "leaf": 1}  # With how many programs.
_INTERVALS = 10


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("function_calls", options)
  for threads in options.threads:
    with worker.start(_TARGET, threads, in_process=options.in_process) as program:
      results = program.call("results")
      for case in _CASES:
        if len({str(found) for name, found in results.items() if name.startswith(case)}) > 1:
          raise AssertionError(f"{case}: calls give other results: {results}")
      _cost(program, threads, report)
      if threads == max(options.threads):
        _growth(program, report)
  return report


def _cost(program, threads: int, report: Report) -> None:
  options = report.options
  rows = []
  for case, count in _CASES.items():
    ours, goal = "rtf.function", GOAL_MICROS
    kinds = ["ConcreteFunction", "tf.function", ours, f"rtf.function, {count} programs"]
    kinds += ["rtf.function, concrete"] * (case == "model")
    if case == "leaf":
      ours, goal = "rtf.recursive", GOAL_MICROS_RECURSIVE
      kinds = ["ConcreteFunction", ours]
    timings = measure(
      [
        Arm(
          {"case": case, "threads": threads, "arm": kind},
          lambda loops, name=f"{case}, {kind}": program.call("time", name, loops),
          1,
        )
        for kind in kinds
      ],
      repetitions=options.repetitions,
      seed=options.seed,
      min_seconds=options.min_seconds,
      description=f"{case}, {threads} threads",
    )
    report.timings += timings
    # The fastest of the repetitions: what others do on the machine only ever adds.
    micros = {k: 1e6 * min(t.seconds) / t.work for k, t in zip(kinds, timings, strict=True)}
    rows += [[case, kind, micros[kind], t.spread] for kind, t in zip(kinds, timings, strict=True)]
    above = micros[ours] - micros["ConcreteFunction"]
    claim = f"{case}, {threads} threads: at most {goal:.0f} us above a ConcreteFunction"
    report.goal(claim, above, above <= goal)
    if count > 1:
      flat = micros[f"rtf.function, {count} programs"] / micros["rtf.function"]
      claim = f"{case}, {threads} threads: {count} programs at most {GOAL_FLAT} times one's call"
      report.goal(claim, flat, flat <= GOAL_FLAT)
  header = ["case", "call", "us", "spread"]
  print_table(header, rows, f"A call, {threads} threads, the fastest repetition")


def _growth(program, report: Report) -> None:
  options = report.options
  rows = []
  num_calls, num_models = options.pick(100_000, 10_000, 300), options.pick(200, 30, 3)
  for what, count in ("many", num_calls), ("models", num_models):
    program.call(what, max(count // 10, 1))  # The conversions, and what grows once.
    curve = [(0, program.call("state"))]
    step = count // min(_INTERVALS, count)
    for done in tqdm.tqdm(
      range(step, count + 1, step), desc=f"growth, {what}", disable=None, leave=False
    ):
      program.call(what, step)
      curve.append((done, program.call("state")))
    report.figures[f"growth, {what}"] = curve
    begin, end = curve[0][1], curve[-1][1]
    new = {key: end[key] - begin[key] for key in end}
    mib = [state["resident_bytes"] / 2**20 for _, state in curve]
    slope = float(np.polyfit([done for done, _ in curve], mib, 1)[0]) * count
    unit = "calls" if what == "many" else "models"
    rows.append(
      [
        f"{count:,} {unit}",
        *(new[k] for k in ("num_graphs", "num_fallback_runs", "models", "objects")),
        slope,
      ]
    )
    if what == "many":
      report.goal(f"{count:,} calls: new graphs", new["num_graphs"], new["num_graphs"] == 0)
      num_plain = new["num_fallback_runs"]
      report.goal(f"{count:,} calls: plain runs", num_plain, num_plain == 0)
    report.goal(f"{count:,} {unit}: more models alive", new["models"], new["models"] == 0)
    if what == "many":
      claim = f"{count:,} {unit}: new tracked objects, fewer than {GOAL_OBJECTS}"
      report.goal(claim, new["objects"], new["objects"] < GOAL_OBJECTS)
    if options.size == "full" and what == "many":
      claim = f"{count:,} {unit}: below {GOAL_MIB} MiB more"
      report.goal(claim, slope, slope < GOAL_MIB)
  header = ["", "graphs", "plain runs", "models alive", "objects", "MiB"]
  print_table(header, rows, "What is more after calls than before")
