"""How soon `recursive-tf` answers what needs no TensorFlow: help, the version, a typo.

Against the same answer by an entry point as pip would make one, which imports the package, and so
TensorFlow, before it looks at the arguments. A process for each timing, interleaved.
"""

from __future__ import annotations

import pathlib
import resource
import statistics
import subprocess
import sys
import time

from benchmarks.harness import Arm, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table

GOAL_SECONDS = 0.3
_SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "bin" / "recursive-tf"
_EAGER = "import sys; from recursive_tf.cli import main; sys.exit(main())"
_LATE = "after `import recursive_tf`"
# What is typed, and the exit status.
_QUESTIONS = {"--help": 0, "--version": 0, "trian": 2}


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("command_line", options)
  programs = {"recursive-tf": [str(_SCRIPT)], _LATE: ["-c", _EAGER]}
  processor: dict[str, list[float]] = {}

  def arm(name: str, typed: str) -> Arm:
    used = processor.setdefault(f"{name} {typed}", [])
    return Arm(
      {"program": name, "typed": typed},
      lambda loops: _seconds([*programs[name], typed], loops, used),
    )

  arms = [arm("recursive-tf", typed) for typed in _QUESTIONS]
  arms.append(arm(_LATE, "--help"))  # The import is all that counts there: one question will do.
  report.timings = measure(arms, repetitions=options.repetitions, seed=options.seed, min_seconds=0)
  rows = []
  for arm, timing in zip(arms, report.timings, strict=True):
    used = statistics.median(processor[" ".join(map(str, arm.labels.values()))])
    rows.append([*arm.labels.values(), timing.median, timing.spread, used])
    if arm.labels["program"] == "recursive-tf":
      claim = f"{timing.name}: seconds below {GOAL_SECONDS}"
      report.goal(claim, timing.median, timing.median < GOAL_SECONDS)
  report.figures["processor seconds"] = processor
  print_table(
    ["program", "typed", "seconds", "spread", "processor"], rows, "From the call to the answer"
  )
  return report


def _seconds(arguments: list[str], loops: int, used: list[float]) -> float:
  """Runs Python with `arguments`, the last of which is typed; returns the time that took.

  `used` gets the processor time of each run, which says more where others are at work, too.
  """
  start = time.perf_counter()
  for _ in range(loops):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    answer = done.stderr if done.returncode else done.stdout
    if done.returncode != _QUESTIONS[arguments[-1]] or "recursive-tf" not in answer:
      raise RuntimeError(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
  return time.perf_counter() - start
