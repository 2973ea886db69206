"""What training on several workers costs on one machine: processor time, bytes, and waiting.

For each number of workers, processes that take the steps of `recursive-tf train` on shares of the
same batches, 25 trees for each worker, over loopback. Cores are shared, so wall times say little:
what counts is the processor time of a sentence, all threads of all workers together, and what
crosses the network, counted at their own loopback device where Linux lets them have one. Beside
them run as many processes that do not talk, which shows what sharing the machine costs, and
workers on hosts of their own (network namespaces) with links of a given rate and delay. What the
collective ops of a step take with nothing beside them is what no step goes below. A model of the
cost is fitted to some configurations on loopback, checked on the others, and carried to 1,000
workers.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from benchmarks.distributed_cost import Configuration, CostModel
from benchmarks.harness import Timing
from benchmarks.network import hosts
from benchmarks.options import Options
from benchmarks.report import Report, print_table

MODELS = ("treelstm", "rntn")
TREES_PER_WORKER = 25
GOAL = 0.9
# The others are there for the cost model.
_TREES = (TREES_PER_WORKER, 10, 50)
# What the cost model is checked on: this number of workers, and several workers with 50 trees.
_HELD_OUT = 3
# What workers talk through.
_LOOPBACK, _APART = "loopback", "apart"
# By name: rate and delay in seconds; 0 is what the machine itself takes.
_LINKS = {
  rate + (f", {1e3 * delay:g} ms" if delay else ""): (rate, delay)
  for rate in ("10gbit", "1gbit")
  for delay in (0.0, 1e-4, 1e-3)
}
_OF_LINKS = 4  # Workers.
# Of the table: what of the figures, and in which unit.
_COLUMNS = {
  "processor, ms a step": ("processor", 1e3),
  "scale factor": ("scale", 1.0),
  "least": ("scale, least", 1.0),
  "most": ("scale, most", 1.0),
  "ops alone, ms": ("messages", 1e3),
  "scale factor with these only": ("scale, bound", 1.0),
  "MB sent a step": ("sent", 1e-6),
  "ideal": ("ideal", 1e-6),
  "ms a step": ("wall", 1e3),
  "ms in collective ops": ("collective", 1e3),
}
_CARRIED_TO = (1, 2, 4, 8, 16, 32, 64, 125, 250, 500, 1000)
_FAR = (4, 8, 64, 1000)
_TICKS = (1, 2, 4, 8, 16, 64, 250, 1000)
_REPOSITORY = pathlib.Path(__file__).parent.parent

# (model, workers, trees of a worker) -> one dict for each worker of each repetition.
_Found = dict[tuple[str, int, int], list[list[dict[str, Any]]]]
# The same by what they talk through, for `TREES_PER_WORKER` trees.
_FoundBy = dict[str, _Found]


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("distributed", options)
  counts = options.pick((1, 2, 3, 4, 8), (1, 2, 3, 4, 8), (1, 2))
  tree_counts = options.pick(_TREES, _TREES, (TREES_PER_WORKER,))
  _report_imbalance(report, options, counts)
  found: _FoundBy = {}
  # Interleaved: whatever else runs here hits all.
  for _ in range(options.pick(options.repetitions, min(3, options.repetitions), 1)):
    for count in counts:
      _measure(_LOOPBACK, count, tree_counts, options, report, found)
    if options.size != "smoke":
      for through in (_APART, *_LINKS):
        _measure(through, _OF_LINKS, (TREES_PER_WORKER,), options, report, found)
  _report_scale(report, options, found)
  if options.size != "smoke":
    _report_costs(report, options, found[_LOOPBACK])
  return report


def _processor(found: list[list[dict[str, Any]]], of: str = "processor") -> list[float]:
  """Returns processor seconds of a step of one worker, the mean of all, one for each block.

  Args:
    found: figures of the workers of each repetition.
    of: "processor": of the whole step; "messages": of its collective ops alone.
  """
  return [
    statistics.mean(blocks)
    for repetition in found
    for blocks in zip(*(worker[of] for worker in repetition), strict=True)
  ]


def _mean(found: list[list[dict[str, Any]]], name: str) -> float:
  return statistics.mean(worker[name] for repetition in found for worker in repetition)


def _configuration(
  model: str, num_workers: int, found: list[list[dict[str, Any]]]
) -> Configuration:
  figures = (_mean(found, name) for name in ("nodes", "dense_bytes", "row_bytes"))
  return Configuration(model, num_workers, *figures)


def _report_scale(report: Report, options: Options, found: _FoundBy) -> None:
  """Prints what each number of workers costs with the usual batch."""
  rows = []
  for through, (model, count, trees), each in _usual(found):
    name: dict[str, object] = {"model": model, "workers": str(count), "through": through}
    seconds = tuple(of_a_step / trees for of_a_step in _processor(each))
    report.timings.append(Timing(name, 1.0, 1, seconds))
    figures = _scale(each, _processor(found[_LOOPBACK][model, 1, trees]))
    ideal = _configuration(model, count, each).num_bytes if through != _APART else 0.0
    figures |= {
      "ideal": ideal,
      "dense": _mean(each, "dense_bytes"),
      "rows": _mean(each, "row_bytes"),
    }
    where = "" if through == _LOOPBACK else f", {through}"
    report.figures[f"{model}, {count} workers{where}"] = figures
    rows.append([model, count, through, *(figures[key] * unit for key, unit in _COLUMNS.values())])
    if count == 4 and through == _LOOPBACK:
      scale = figures["scale"]
      report.goal(f"{model}: scale factor of 4 workers at least {GOAL}", scale, scale >= GOAL)
  header = ["model", "workers", "through", *_COLUMNS]
  print_table(header, rows, f"{TREES_PER_WORKER} trees a worker and step, {options.data}")


def _scale(found: list[list[dict[str, Any]]], of_one: list[float]) -> dict[str, float]:
  """Returns figures of a step of a worker, beside the seconds `of_one` that is alone."""
  seconds, messages = _processor(found), statistics.median(_processor(found, "messages"))
  alone = statistics.median(of_one)
  return {
    "processor": statistics.median(seconds),
    "scale": alone / statistics.median(seconds),
    "scale, least": alone / max(seconds),
    "scale, most": alone / min(seconds),
    "messages": messages,
    "scale, bound": alone / (alone + messages),
    **{key: _mean(found, key) for key in ("sent", "collective", "wall")},
  }


def _usual(
  found: _FoundBy,
) -> Iterator[tuple[str, tuple[str, int, int], list[list[dict[str, Any]]]]]:
  """Goes through what was measured with the usual number of trees."""
  for through, by_key in found.items():
    for key, each in by_key.items():
      if key[2] == TREES_PER_WORKER:
        yield through, key, each


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
  _report_reach(report, costs, {key: configuration for key, (configuration, _) in measured.items()})
  _draw(report, options, found, carried)


def _report_reach(
  report: Report, costs: CostModel, measured: dict[tuple[str, int, int], Configuration]
) -> None:
  """Prints how many workers are near-linear, and how many trees of a worker would make them so."""
  rows = []
  for model in MODELS:
    usual = measured[model, 1, TREES_PER_WORKER]
    few, many = (measured[model, 1, trees].row_bytes for trees in (min(_TREES), max(_TREES)))
    growth = math.log(many / few) / math.log(max(_TREES) / min(_TREES))
    near = [
      count
      for count in range(1, max(_CARRIED_TO) + 1)
      if costs.scale_factor(dataclasses.replace(usual, num_workers=count)) >= GOAL
    ]
    trees = [
      costs.trees_for(GOAL, dataclasses.replace(usual, num_workers=count), TREES_PER_WORKER, growth)
      for count in _FAR
    ]
    report.figures[f"{model}, reach"] = {"near-linear": max(near), "trees": trees, "rows": growth}
    rows.append([model, max(near), *(f"{each:.0f}" for each in trees)])
  header = ["model", f"workers to {GOAL}", *(f"trees for {count} workers" for count in _FAR)]
  print_table(header, rows, f"By the cost model, with {TREES_PER_WORKER} trees and with more")


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
    axis.set_xticks(_TICKS, [str(count) for count in _TICKS])
    axis.minorticks_off()
    axis.legend()
  report.notes.append(f"plot: {path}")


def _measure(
  through: str,
  num_workers: int,
  trees: tuple[int, ...],
  options: Options,
  report: Report,
  found: _FoundBy,
) -> None:
  """Runs the workers, in a network of their own if possible; adds their figures to `found`."""
  given = {"models": MODELS, "num_workers": num_workers, "trees": trees, "hosts": []}
  given |= {"together": num_workers > 1 and through != _APART, "bytes_per_message": None}
  given |= {"seed": options.seed, "data": options.data}
  given |= {"num_steps": options.pick(20, 10, 1), "num_blocks": options.pick(5, 4, 2)}
  prefix: list[str] = []
  with contextlib.ExitStack() as stack:
    try:
      if through in _LINKS:
        members = stack.enter_context(hosts(num_workers, *_LINKS[through]))
        given["hosts"] = [{"prefix": host.prefix, "address": host.address} for host in members]
      else:
        prefix = _own_network()
    except OSError as error:
      note = f"not in a network of their own, so bytes are those of the whole machine: {error}"
      report.notes += [] if note in report.notes else [note]
      if through in _LINKS:
        return
    for figures in _run_workers(given, prefix):
      key = figures[0]["model"], num_workers, figures[0]["trees"]
      found.setdefault(through, {}).setdefault(key, []).append(figures)


def _own_network() -> list[str]:
  """Returns what comes before a command to give it a loopback device that nobody else uses."""
  prefix = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
  tried = subprocess.run([*prefix, "true"], capture_output=True, text=True)
  if tried.returncode:
    raise OSError(tried.stderr.strip())
  return prefix


def _run_workers(given: dict[str, Any], prefix: list[str]) -> list[list[dict[str, Any]]]:
  """Returns, for each model and number of trees, the figures of all workers."""
  with tempfile.TemporaryDirectory(prefix="distributed_") as folder:
    out = pathlib.Path(folder) / "found"
    command = [sys.executable, "-m", "benchmarks.distributed_worker"]
    command.append(json.dumps({**given, "out": str(out)}))
    environ = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
    process = subprocess.run(
      prefix + command, cwd=_REPOSITORY, env=environ, capture_output=True, text=True
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
