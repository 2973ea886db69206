"""Where the time of a training step goes: TreeLSTM, SST, one thread.

Blocks of the recursion as the recorded schedule has them (medians over repetitions); the products
for the weights' gradients, the optimizer and an empty call timed apart; the rest is what the whole
step takes beyond these: reading weights, gathering and stacking rows, bookkeeping.
"""

from __future__ import annotations

import statistics

from benchmarks import plot, worker
from benchmarks.harness import Arm, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table
from benchmarks.treebanks import load_trees

_TARGET = "benchmarks.workloads.profile:TrainingStep"
_ENVIRON = {"RECURSIVE_TF_SCHEDULER": "batched"}
_TITLES = {
  "tree_lstm": "reading nodes",
  "tree_lstm.true": "cell, leaves",
  "tree_lstm.false": "cell, inner nodes",
  "tree_lstm:2": "softmax and loss",
  "tree_lstm.false:2": "sums of losses",
  "tree_lstm:3": "sums of losses",
}
_APART = {"weights": "products for weights' gradients", "optimizer": "optimizer", "call": "call"}


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("step_profile", options)
  shares: dict[int, dict[str, float]] = {}
  for batch in options.pick((1, 25, 256), (1, 25), (2,)):
    packed, vocab_size = load_trees(options, batch)
    with worker.start(
      _TARGET,
      1,
      in_process=options.in_process,
      environ=_ENVIRON,
      packed=packed,
      vocab_size=vocab_size,
      batch=batch,
    ) as profile:
      shares[batch] = _profile(report, options, profile, batch)
  _print(shares)
  if options.size != "smoke":
    _plot(report, shares)
  return report


def _profile(report: Report, options: Options, profile, batch: int) -> dict[str, float]:
  """Returns microseconds by part of a step."""
  timed = [
    Arm({"part": name, "batch": batch}, _timer(profile, name), work=1) for name in ("step", *_APART)
  ]
  timings = measure(
    timed,
    repetitions=options.repetitions,
    seed=options.seed,
    min_seconds=options.min_seconds,
    description=f"step_profile, batch {batch}",
  )
  report.timings += timings
  recorded = [profile.call("steps") for _ in range(max(3, options.repetitions))]
  parts: dict[str, float] = {}
  for name in sorted({name for each in recorded for name in each}, reverse=True):
    direction, block = name.split(" ", 1)
    title = f"{direction}: {_TITLES.get(block, block)}"
    times = [each.get(name, 0.0) for each in recorded]
    parts[title] = parts.get(title, 0.0) + statistics.median(times)
  medians = {str(timing.labels["part"]): 1e6 * timing.median for timing in timings}
  for name, title in _APART.items():
    parts[title] = medians[name]
  parts["rest"] = max(0.0, medians["step"] - sum(parts.values()))
  report.figures[f"microseconds, batch {batch}"] = parts
  return parts


def _timer(profile, name: str):
  return lambda loops: profile.call("time", name, loops)


def _print(shares: dict[int, dict[str, float]]) -> None:
  titles = list(dict.fromkeys(title for parts in shares.values() for title in parts))
  rows = []
  for title in titles:
    row: list[object] = [title]
    for parts in shares.values():
      value = parts.get(title, 0.0)
      row += [value, 100 * value / sum(parts.values())]
    rows.append(row)
  header = ["part"] + [text for batch in shares for text in (f"us, batch {batch}", "%")]
  print_table(header, rows, "A training step, 1 thread")


def _plot(report: Report, shares: dict[int, dict[str, float]]) -> None:
  path = report.options.out / "step_profile.png"
  titles = list(dict.fromkeys(title for parts in shares.values() for title in parts))
  with plot.figure(path, 1, "A training step of the TreeLSTM, one thread") as (axis,):
    left = [0.0] * len(shares)
    for i, title in enumerate(titles):
      widths = [100 * p.get(title, 0.0) / sum(p.values()) for p in shares.values()]
      names = [f"batch {batch}" for batch in shares]
      axis.barh(names, widths, left=left, label=title, color=f"C{i % 10}", hatch="//" * (i // 10))
      left = [a + b for a, b in zip(left, widths, strict=True)]
    axis.set(xlabel="share of the time, %")
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
