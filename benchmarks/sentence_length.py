"""Time for one sentence against its length, one sentence at a time: both schedulers and the loop.

As figure 5.11 of Jeong's thesis: TreeLSTM, batch 1. Parses of the Stanford Sentiment Treebank, a
few for each length, and balanced trees, whose height is the logarithm of their length. The exponent
is the slope of log time over log length, by least squares: 1 is linear growth, below is less.
"""

from __future__ import annotations

import numpy as np

from benchmarks import arms, plot
from benchmarks.harness import Arm, Timing, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table
from benchmarks.throughput import MODES, groups_of
from benchmarks.treebanks import joined, reshaped_trees, trees_by_length

ARMS = (*arms.SCHEDULERS, "while_loop")
MODEL = "treelstm"


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("sentence_length", options)
  lengths = {
    "sst": options.pick([5, 10, 15, 20, 25, 30, 35, 40, 45], [5, 15, 30, 45], [3, 6]),
    "balanced": options.pick([4, 8, 16, 32, 64, 128], [8, 32, 128], [2, 4]),
  }
  count = options.pick(5, 3, 1)
  sst, vocab_size = trees_by_length(options, lengths["sst"], count)
  repeated = [length for length in lengths["balanced"] for _ in range(count)]
  balanced, _ = reshaped_trees(options, "balanced", repeated)
  vocab_size = max(vocab_size, int(balanced["word"].max()) + 1)
  trees = joined(sst, balanced)
  for threads in options.threads:
    timings = _measure(trees, vocab_size, lengths, count, threads, report)
    report.timings += timings
    _print(timings, threads)
    _check_growth(timings, threads, report)
  if options.size != "smoke":
    _plot(report)
  return report


def _measure(trees, vocab_size, lengths, count: int, threads: int, report: Report) -> list[Timing]:
  options = report.options
  timed = []
  with arms.Arms(ARMS, MODEL, trees, vocab_size, threads, options) as workers:
    workers.check([0, count * len(lengths["sst"])])
    first = 0
    for source, own in lengths.items():
      for length in own:
        batches = [[tree] for tree in range(first, first + count)]
        first += count
        for mode in MODES:
          for arm in ARMS:
            labels = {"trees": source, "mode": mode, "length": length, "arm": arm}
            run = workers.add(arm, f"{source} {length} {mode}", mode, batches)
            timed.append(Arm({**labels, "threads": threads}, run, work=count))
    return measure(
      timed,
      repetitions=options.repetitions,
      seed=options.seed,
      min_seconds=options.min_seconds,
      description=f"sentence_length, {threads} threads",
    )


def _print(timings: list[Timing], threads: int) -> None:
  rows = []
  for key, group in groups_of(timings, "trees", "mode", "length").items():
    cells = []
    for arm in ARMS:
      millis = [1e3 * seconds / group[arm].work for seconds in group[arm].seconds]
      cells.append(f"{np.median(millis):7.2f} ({min(millis):.2f}-{max(millis):.2f})")
    rows.append([*key, *cells])
  title = f"ms for a sentence, batch 1, {threads} threads: median (range)"
  print_table(["trees", "mode", "words", *ARMS], rows, title)


def _check_growth(timings: list[Timing], threads: int, report: Report) -> None:
  rows = []
  lines: dict[tuple, list[Timing]] = {}
  for timing in timings:
    key = tuple(timing.labels[name] for name in ("trees", "mode", "arm"))
    lines.setdefault(key, []).append(timing)
  for (source, mode, arm), line in lines.items():
    lengths = [timing.labels["length"] for timing in line]
    slope = float(np.polyfit(np.log(lengths), np.log([t.median for t in line]), 1)[0])
    rows.append([source, mode, arm, slope])
    report.figures[f"exponent, {source}, {mode}, {arm}, {threads} threads"] = slope
    if source == "balanced" and arm in arms.SCHEDULERS:
      claim = f"balanced trees, {mode}, {arm}, {threads} threads: exponent below 1"
      report.goal(claim, slope, slope < 1.0)
  print_table(["trees", "mode", "arm", "exponent"], rows, f"Growth with length, {threads} threads")


def _plot(report: Report) -> None:
  threads = max(report.options.threads)
  panels = [(source, mode) for source in ("sst", "balanced") for mode in MODES]
  path = report.options.out / "sentence_length.png"
  title = f"TreeLSTM, one sentence at a time, {threads} threads: median and range"
  with plot.figure(path, len(panels), title) as axes:
    for axis, (source, mode) in zip(axes, panels, strict=True):
      for arm in ARMS:
        wanted = {"trees": source, "mode": mode, "arm": arm, "threads": threads}
        line = [t for t in report.timings if wanted.items() <= t.labels.items()]
        millis = [[1e3 * seconds / t.work for seconds in t.seconds] for t in line]
        plot.ranges(axis, [t.labels["length"] for t in line], millis, arm)
      axis.set(xlabel="words", ylabel="ms", ylim=(0, None), title=f"{source} trees, {mode}")
      axis.legend(fontsize=7)
