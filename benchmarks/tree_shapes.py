"""Sentences a second by the shape of the trees: balanced, moderate, linear; both schedulers.

As table 5.1 of Jeong's thesis and table 2 of Jeong et al., EuroSys 2018: sentences as long as those
of the Stanford Sentiment Treebank, the trees over them balanced, cut at random places, or linear. A
linear tree has nothing to run at once but its leaves: only other trees of the batch help.
"""

from __future__ import annotations

from benchmarks import arms, throughput
from benchmarks.options import Options
from benchmarks.report import Report
from benchmarks.treebanks import lengths_of, load_trees, reshaped_trees

SHAPES = ("balanced", "moderate", "linear")
GOAL = 5.0


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("tree_shapes", options)
  num_trees = options.pick({1: 25, 10: 50, 25: 50}, {1: 10, 25: 25}, {2: 2})
  lengths = lengths_of(load_trees(options, max(num_trees.values()))[0])
  for threads in options.threads:
    for model in options.pick(("treernn", "treelstm"), ("treelstm",), ("treelstm",)):
      timings = []
      for shape in SHAPES:
        trees = reshaped_trees(options, shape, lengths)
        timings += throughput.measure_model(
          arms.SCHEDULERS, model, trees, num_trees, threads, report, shape=shape
        )
      title = f"{model}, {threads} threads"
      throughput.print_rates(timings, "batched", title, "shape", "mode", "batch")
      groups = throughput.groups_of(timings, "shape", "mode", "batch")
      for (shape, mode, batch), group in groups.items():
        if (shape, batch) == ("linear", 25):
          value = throughput.ratio(group, "batched", "concurrent")
          claim = f"{title}: linear trees, {mode}, batch 25: at least {GOAL} x concurrent"
          report.goal(claim, value, value >= GOAL)
  return report
