"""Whether both schedulers learn the same: the loss of each training step on SST, in float64.

TreeLSTM, the same weights and batches under both schedulers, each in a process of its own. The
schedulers add up gradients in other orders, so the losses drift apart by rounding, and no faster.
"""

from __future__ import annotations

import numpy as np

from benchmarks import arms, plot
from benchmarks.options import Options
from benchmarks.report import Report, print_table
from benchmarks.treebanks import load_trees

GOAL = 1e-5
BATCH = 25


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report; the last of `options.threads` counts."""
  report = Report("loss_curve", options)
  num_trees = options.pick(2_000, 500, 5)
  num_steps = options.pick(200, 20, 3)
  batch_size = min(BATCH, num_trees)
  rng = np.random.default_rng(options.seed)
  batches = [rng.integers(0, num_trees, batch_size).tolist() for _ in range(num_steps)]
  trees = load_trees(options, num_trees)
  with arms.Arms(
    arms.SCHEDULERS, "treelstm", *trees, options.threads[-1], options, dtype="float64"
  ) as workers:
    workers.check_schedulers()
    losses = {
      arm: np.array([worker.call("train", batch) for batch in batches])
      for arm, worker in workers.workers.items()
    }
  batched, concurrent = (losses[arm] for arm in arms.SCHEDULERS)
  difference = abs(batched - concurrent) / abs(concurrent)
  worst = float(difference.max())
  report.figures = {
    **{f"loss, {arm}": curve.tolist() for arm, curve in losses.items()},
    "relative difference": difference.tolist(),
  }
  shown = np.linspace(0, num_steps - 1, min(num_steps, 9)).astype(int)
  rows = [[int(i) + 1, concurrent[i], batched[i], f"{difference[i]:.1e}"] for i in shown]
  print_table(["step", "concurrent", "batched", "difference"], rows, "Loss, float64")
  claim = f"largest relative difference of the loss in {num_steps} steps at most {GOAL}"
  report.goal(claim, worst, worst <= GOAL)
  if options.size != "smoke":
    _plot(report, losses, difference)
  return report


def _plot(report: Report, losses, difference) -> None:
  path = report.options.out / "loss_curve.png"
  with plot.figure(path, 2, "TreeLSTM on SST, float64") as (curves, differences):
    for arm, curve in losses.items():
      curves.plot(curve, label=arm, alpha=0.7)
    curves.set(xlabel="step", ylabel="loss")
    curves.legend()
    differences.plot(np.maximum(difference, 1e-17))
    differences.set(xlabel="step", ylabel="relative difference", yscale="log")
