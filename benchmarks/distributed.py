"""What training on several workers costs on one machine: processor time, bytes, and waiting.

For each number of workers, processes that take the steps of `recursive-tf train` on shares of the
same batches, 25 trees for each worker, over loopback. Cores are shared, so wall times say little:
what counts is the processor time of a sentence, all threads of all workers together, and what
crosses the network, counted at their own loopback device where Linux lets them have one. A model of
the cost is fitted to some of the configurations, checked on the others, and carried to 1,000
workers.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks.distributed_cost import Configuration, CostModel
from benchmarks.harness import Timing
from benchmarks.options import Options
from benchmarks.report import Report, print_table

MODELS = ("treelstm", "rntn")
TREES_PER_WORKER = 25
GOAL = 0.9
# The others are there for the cost model.
_TREES = (TREES_PER_WORKER, 10, 50)
# What the cost model is checked on: this number of workers, and several workers with 50 trees.
_HELD_OUT = 3
_CARRIED_TO = (1, 2, 4, 8, 16, 32, 64, 125, 250, 500, 1000)
_REPOSITORY = pathlib.Path(__file__).parent.parent

# (model, workers, trees of a worker) -> one dict for each worker of each repetition.
_Found = dict[tuple[str, int, int], list[list[dict[str, Any]]]]


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("distributed", options)
  counts = options.pick((1, 2, 3, 4, 8), (1, 2, 3, 4), (1, 2))
  tree_counts = options.pick(_TREES, _TREES, (TREES_PER_WORKER,))
  _report_imbalance(report, options, counts)
  found: _Found = {}
  # Interleaved: whatever else runs here hits all.
  for _ in range(options.pick(options.repetitions, min(3, options.repetitions), 1)):
    for count in counts:
      for figures in _measure(count, tree_counts, options, report):
        key = figures[0]["model"], count, figures[0]["trees"]
        found.setdefault(key, []).append(figures)
  _report_scale(report, options, found)
  if options.size != "smoke":
    _report_costs(report, options, found)
  return report


def _processor(found: list[list[dict[str, Any]]]) -> list[float]:
  """Returns processor seconds of a step of one worker, the mean of all, one for each block."""
  return [
    statistics.mean(blocks)
    for repetition in found
    for blocks in zip(*(worker["processor"] for worker in repetition), strict=True)
  ]


def _mean(found: list[list[dict[str, Any]]], name: str) -> float:
  return statistics.mean(worker[name] for repetition in found for worker in repetition)


def _configuration(
  model: str, num_workers: int, found: list[list[dict[str, Any]]]
) -> Configuration:
  figures = (_mean(found, name) for name in ("nodes", "dense_bytes", "row_bytes"))
  return Configuration(model, num_workers, *figures)


def _report_scale(report: Report, options: Options, found: _Found) -> None:
  """Prints what each number of workers costs with the usual batch."""
  rows = []
  for (model, count, trees), each in found.items():
    if trees != TREES_PER_WORKER:
      continue
    seconds = [of_a_step / trees for of_a_step in _processor(each)]
    name: dict[str, object] = {"model": model, "workers": str(count)}
    report.timings.append(Timing(name, 1.0, 1, tuple(seconds)))
    own = statistics.median(seconds)
    scale = statistics.median(_processor(found[model, 1, trees])) / trees / own
    ideal = _configuration(model, count, each).num_bytes
    sent, collective = _mean(each, "sent"), _mean(each, "collective")
    report.figures[f"{model}, {count} workers"] = {
      "processor": own,
      "scale": scale,
      "sent": sent,
      "ideal": ideal,
      "dense": _mean(each, "dense_bytes"),
      "rows": _mean(each, "row_bytes"),
      "collective": collective,
      "wall": _mean(each, "wall"),
    }
    rows.append([model, count, 1e6 * own, scale, sent / 1e6, ideal / 1e6, 1e3 * collective])
    if count == 4:
      report.goal(f"{model}: scale factor of 4 workers at least {GOAL}", scale, scale >= GOAL)
  header = ["model", "workers", "processor, us a sentence", "scale factor"]
  header += ["MB a step, sent", "ideal", "ms in collective ops"]
  print_table(header, rows, f"{TREES_PER_WORKER} trees a worker and step, {options.data}")


def _report_costs(report: Report, options: Options, found: _Found) -> None:
  """Fits the cost model, prints its errors where it was not fitted, carries it far."""
  measured = {
    key: (_configuration(key[0], key[1], each), statistics.median(_processor(each)))
    for key, each in found.items()
  }
  held_out = {
    key for key in found if key[1] == _HELD_OUT or (key[1] > 1 and key[2] > TREES_PER_WORKER)
  }
  fitted_to = [measured[key] for key in found if key not in held_out]
  costs = CostModel(*zip(*fitted_to, strict=True))
  report.figures["cost model"] = costs.coefficients
  rows = []
  for key, (configuration, seconds) in measured.items():
    predicted = costs.seconds(configuration)
    where = "held out" if key in held_out else "fitted"
    rows.append([*key, where, 1e3 * seconds, 1e3 * predicted, predicted / seconds - 1])
  header = ["model", "workers", "trees", "", "ms a step", "cost model", "error"]
  print_table(header, rows, "Processor time of one worker's step")
  coefficients = [[name, 1e6 * value] for name, value in costs.coefficients.items()]
  print_table(["coefficient", "us"], coefficients, "Cost model")
  worst = max(abs(row[-1]) for row in rows if row[3] == "held out")
  report.figures["cost model, worst error held out"] = worst
  print(f"worst error where it was not fitted: {worst:.1%}")
  carried = {
    model: [
      costs.scale_factor(
        dataclasses.replace(measured[model, 1, TREES_PER_WORKER][0], num_workers=n)
      )
      for n in _CARRIED_TO
    ]
    for model in MODELS
  }
  report.figures["scale factor, carried"] = {"workers": _CARRIED_TO, **carried}
  rows = [[count, *(carried[model][k] for model in MODELS)] for k, count in enumerate(_CARRIED_TO)]
  print_table(["workers", *MODELS], rows, "Scale factor by the cost model")
  _draw(report, options, found, carried)


def _draw(report: Report, options: Options, found: _Found, carried: dict[str, list[float]]) -> None:
  # Imports matplotlib, which `--list` and `--help` do not need.
  from benchmarks import plot

  path = options.out / "distributed.png"
  with plot.figure(path, title="Processor time per sentence, 1 worker over N") as (axis,):
    for model in MODELS:
      (line,) = axis.plot(_CARRIED_TO, carried[model], label=f"{model}, cost model")
      counts = [key[1] for key in found if key[0] == model and key[2] == TREES_PER_WORKER]
      scales = [report.figures[f"{model}, {count} workers"]["scale"] for count in counts]
      axis.plot(counts, scales, "o", color=line.get_color(), label=f"{model}, measured")
    axis.axhline(GOAL, color="gray", linestyle="--", label="goal at 4")
    axis.set(xscale="log", xlabel="workers", ylabel="scale factor", ylim=(0, 1.05))
    axis.legend()
  report.notes.append(f"plot: {path}")


def _measure(
  num_workers: int, trees: tuple[int, ...], options: Options, report: Report
) -> list[list[dict[str, Any]]]:
  """Runs the workers in a network of their own if possible.

  Returns:
    For each model and number of trees, the figures of all workers.
  """
  with tempfile.TemporaryDirectory(prefix="distributed_") as folder:
    out = pathlib.Path(folder) / "found"
    command = [sys.executable, "-m", "benchmarks.distributed_worker"]
    given = {"models": MODELS, "num_workers": num_workers, "trees": trees, "out": str(out)}
    given |= {"seed": options.seed, "data": options.data}
    given |= {"num_steps": options.pick(20, 10, 1), "num_blocks": options.pick(5, 4, 2)}
    command.append(json.dumps(given))
    own_network = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    can_unshare = subprocess.run(own_network + ["true"], capture_output=True).returncode == 0
    if not can_unshare:
      note = "bytes are those of the whole machine's loopback: no network of their own (not root?)"
      report.notes += [] if note in report.notes else [note]
    environ = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    process = subprocess.run(
      (own_network if can_unshare else []) + command,
      cwd=_REPOSITORY,
      env=environ,
      capture_output=True,
      text=True,
    )
    if process.returncode:
      raise RuntimeError(f"{command}: exit {process.returncode}\n{process.stderr[-2000:]}")
    found = [json.loads(path.read_text()) for path in sorted(out.parent.glob("found*"))]
  return [list(figures) for figures in zip(*found, strict=True)]


def _report_imbalance(report: Report, options: Options, counts: tuple[int, ...]) -> None:
  """Prints how many times the mean the nodes of the busiest worker are, of all of an epoch."""
  # Imports TensorFlow, which `--list` and `--help` do not need.
  import numpy as np

  from benchmarks.distributed_worker import load
  from recursive_tf.datasets import epoch_order
  from recursive_tf.distribute.sharding import divide, imbalance

  _, splits = load("treelstm", options.data, options.seed, 0)
  sizes = np.diff(splits.train.node_splits)
  order = epoch_order(len(sizes), options.seed, 0)
  rows = []
  for count in (count for count in counts if count > 1):
    batch_size = min(TREES_PER_WORKER * count, len(order))
    batches = [
      sizes[order[k : k + batch_size]] for k in range(0, len(order) - batch_size + 1, batch_size)
    ]
    by_count = [imbalance(b, np.array_split(np.arange(len(b)), count)) for b in batches]
    by_nodes = [imbalance(b, divide(b, count)) for b in batches]
    row = [float(np.mean(by_count)), float(np.mean(by_nodes)), max(by_count), max(by_nodes)]
    report.figures[f"imbalance, {count} workers"] = row
    rows.append([count, *(f"{value:.4f}" for value in row)])
  header = ["workers", "by count, mean", "by nodes, mean", "by count, worst", "by nodes, worst"]
  print_table(header, rows, f"Nodes of the busiest worker over the mean, {options.data}")
