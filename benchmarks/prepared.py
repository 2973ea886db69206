"""One tree a call: a `tf.function` against what `rtf.prepare` makes of it, in one process.

Inference at batch 1, all trees one by one, each from an array of NumPy to the class of its root;
the same prepared, but run by TensorFlow's executor ("not in order"); and a graph that does nothing,
which is what a call costs by itself.
"""

from __future__ import annotations

from benchmarks import worker
from benchmarks.harness import Arm, measure
from benchmarks.options import Options
from benchmarks.peers import weights as w
from benchmarks.report import Report, print_table
from benchmarks.treebanks import load_trees

GOAL = 1.2
_ARMS = ("tf.function", "prepare", "not in order", "empty, tf.function", "empty, prepare")
_TARGET = "benchmarks.workloads.prepared:PreparedCalls"


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("prepared", options)
  num_trees = options.pick(50, 20, 3)
  packed, vocab_size = load_trees(options, num_trees)
  sizes = options.pick(w.FULL_SIZES, w.FULL_SIZES, w.SMALL_SIZES)
  rows = []
  for threads in options.threads:
    for model in options.pick(w.MODELS, w.MODELS, w.MODELS[:1]):
      with worker.start(
        _TARGET,
        threads,
        in_process=options.in_process,
        num_trees=num_trees,
        model=model,
        weights=w.make_weights(model, vocab_size, sizes[model], options.seed),
        packed=packed,
      ) as calls:
        results = calls.call("results")
        if results["prepare"] != results["tf.function"]:
          raise AssertionError(f"{model}: a prepared call gives other classes.")
        timings = measure(
          [
            Arm(
              {"model": model, "threads": threads, "arm": arm},
              lambda loops, arm=arm: calls.call("time", arm, loops),
              num_trees,
            )
            for arm in _ARMS
          ],
          repetitions=options.repetitions,
          seed=options.seed,
          min_seconds=options.min_seconds,
          description=f"{model}, {threads} threads",
        )
      report.timings += timings
      # The fastest of the repetitions: what others do on the machine only ever adds.
      times = [1e6 * min(timing.seconds) / timing.work for timing in timings]
      ratio = times[0] / times[1]
      claim = f"{model}, {threads} threads: at least {GOAL} times the calls of tf.function"
      report.goal(claim, ratio, ratio >= GOAL)
      rows.append([model, threads, *times, ratio, max(timing.spread for timing in timings)])
  header = ["model", "threads", *_ARMS, "times as fast", "spread"]
  print_table(header, rows, "Microseconds a call, the fastest repetition")
  return report
