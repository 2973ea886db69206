"""What a second inter-op thread gives: recursion on one core against the same on two.

TreeLSTM inference and training on 25 trees at a time, and a balanced recursion of frames that each
multiply two small matrices. Intra-op threads are one in both arms, so that only frames run at once.
"""

from __future__ import annotations

import contextlib
import os

from benchmarks import worker
from benchmarks.harness import Arm, measure
from benchmarks.options import Options
from benchmarks.peers import weights as w
from benchmarks.report import Report, print_table
from benchmarks.treebanks import load_trees

_TREES = "benchmarks.workloads.parallel:ParallelTrees"
_PRODUCTS = "benchmarks.workloads.parallel:ParallelProducts"


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report; `options.threads` does not matter."""
  report = Report("concurrency", options)
  if not options.in_process and len(os.sched_getaffinity(0)) < 2:
    report.notes.append("one core only: nothing to compare")
    return report
  num_trees = options.pick(50, 25, 3)
  packed, vocab_size = load_trees(options, num_trees)
  sizes = options.pick(w.FULL_SIZES, w.FULL_SIZES, w.SMALL_SIZES)["treelstm"]
  weights = w.make_weights("treelstm", vocab_size, sizes, options.seed)
  batch = min(25, num_trees)
  batches = [list(range(i, i + batch)) for i in range(0, num_trees - batch + 1, batch)]
  depth, width = options.pick((9, 64), (8, 64), (2, 4))
  arms = []
  with contextlib.ExitStack() as stack:
    for threads in (1, 2):

      def start(target, threads=threads, **arguments):
        return stack.enter_context(
          worker.start(target, threads, in_process=options.in_process, **arguments)
        )

      trees = start(_TREES, model="treelstm", weights=weights, packed=packed)
      for mode in ("infer", "train"):
        trees.call("add", mode, mode, batches)
        labels = {"work": f"treelstm {mode}, batch {batch}", "threads": threads}
        arms.append(Arm(labels, _timer(trees, mode), work=batch * len(batches)))
      products = start(_PRODUCTS, depth=depth, width=width)
      labels = {"work": f"products {width} x {width}, depth {depth}", "threads": threads}
      arms.append(Arm(labels, _timer(products, "forward"), work=2 ** (depth + 1) - 1))
    report.timings = measure(
      arms,
      repetitions=options.repetitions,
      seed=options.seed,
      min_seconds=options.min_seconds,
      description="concurrency",
    )
  one = {t.labels["work"]: t for t in report.timings if t.labels["threads"] == 1}
  two = {t.labels["work"]: t for t in report.timings if t.labels["threads"] == 2}
  rows = []
  for name, single in one.items():
    double = two[name]
    speedup = double.per_second / single.per_second
    spread = 100 * max(single.spread, double.spread)
    rows.append([name, single.per_second, double.per_second, speedup, spread])
    report.figures[f"speed-up, {name}"] = speedup
  header = ["work", "1 thread, units/s", "2 threads, units/s", "speed-up", "spread %"]
  print_table(header, rows, "A second inter-op thread (units: sentences, frames)")
  return report


def _timer(each, name: str):
  return lambda loops: each.call("time", name, loops)
