"""Sentences a second on the Stanford Sentiment Treebank: three models, four ways to run each.

Arms: recursive_tf, eager TensorFlow recursion, the papers' tf.while_loop, PyTorch recursion; each
in a process of its own, held to the same cores. TreeLSTM: memory 150, word vectors 300; TreeRNN and
RNTN: 25; five classes, loss at every node, Adagrad, no dropout, no L2. `throughput.py` says how.

The sentences repeat, so what a framework caches by shape is warm in all arms. A training step of
recursive_tf whose number of nodes is new was measured to be about 10% slower than that: oneDNN
compiles its matrix products anew.
"""

from __future__ import annotations

from benchmarks import arms, throughput
from benchmarks.harness import Timing
from benchmarks.options import Options
from benchmarks.peers import weights as w
from benchmarks.report import Report
from benchmarks.treebanks import load_trees

ARMS = ("recursive_tf", "eager", "while_loop", "torch")
GOAL_BATCH = 25
GOAL_OVER_WHILE_LOOP = 10.0
GOALS_OVER_EAGER = {"treernn": 47.6, "treelstm": 18.4}  # In training: Jeong et al., NSDI 2019.


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("sst_throughput", options)
  names = arms.present(ARMS, report)
  num_trees = options.pick({1: 50, 10: 50, 25: 50}, {1: 25, 25: 25}, {3: 3})
  trees = load_trees(options, max(num_trees.values()))
  for threads in options.threads:
    for model in w.MODELS:
      timings = throughput.measure_model(names, model, trees, num_trees, threads, report)
      title = f"{model}, {threads} threads"
      throughput.print_rates(timings, "recursive_tf", title, "mode", "batch")
      _check_goals(timings, model, threads, report)
  if options.size != "smoke":
    for mode in throughput.MODES:
      throughput.plot_rates(report, mode)
  return report


def _check_goals(timings: list[Timing], model: str, threads: int, report: Report) -> None:
  for (mode, batch), group in throughput.groups_of(timings, "mode", "batch").items():
    if batch != GOAL_BATCH:
      continue
    goals = {"while_loop": GOAL_OVER_WHILE_LOOP}
    if mode == "train" and model in GOALS_OVER_EAGER:
      goals["eager"] = GOALS_OVER_EAGER[model]
    for other, goal in goals.items():
      value = throughput.ratio(group, "recursive_tf", other)
      claim = f"{model} {mode}, batch {batch}, {threads} threads: at least {goal} x {other}"
      report.goal(claim, value, value >= goal)
