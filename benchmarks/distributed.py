"""What training on several workers costs on one machine: processor time, bytes, and waiting.

For each number of workers, processes that take the steps of `recursive-tf train` on shares of the
same batches, 25 trees for each worker, over loopback. Cores are shared, so wall times say little:
what counts is the processor time of a sentence, all threads of all workers together, and what
crosses the network, counted at their own loopback device where Linux lets them have one.
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from benchmarks.harness import Timing
from benchmarks.options import Options
from benchmarks.report import Report, print_table

MODELS = ("treelstm", "rntn")
TREES_PER_WORKER = 25
GOAL = 0.9
_REPOSITORY = pathlib.Path(__file__).parent.parent


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("distributed", options)
  counts = options.pick((1, 2, 4, 8), (1, 2, 4), (1, 2))
  num_steps = options.pick(60, 20, 3)
  _report_imbalance(report, options, counts)
  rows = []
  for model in MODELS:
    seconds: dict[int, list[float]] = {count: [] for count in counts}
    found: dict[int, dict[str, float]] = {}
    for _ in range(options.repetitions):  # Interleaved: whatever else runs here hits all.
      for count in counts:
        found[count] = _measure(model, count, num_steps, options, report)
        seconds[count].append(found[count]["processor"] / (TREES_PER_WORKER * count))
    for count in counts:
      name = {"model": model, "workers": str(count)}
      report.timings.append(Timing(name, 1.0, 1, tuple(seconds[count])))
      one, all_of_them = statistics.median(seconds[1]), statistics.median(seconds[count])
      scale = one / all_of_them
      figures = {**found[count], "scale": scale}
      report.figures[f"{model}, {count} workers"] = figures
      rows.append(
        [model, count, 1e6 * all_of_them, scale]
        + [figures["sent"] / 1e6, figures["ideal"] / 1e6, 1e3 * figures["collective"]]
      )
      if count == 4:
        report.goal(f"{model}: scale factor of 4 workers at least {GOAL}", scale, scale >= GOAL)
  header = ["model", "workers", "processor, us a sentence", "scale factor"]
  header += ["MB a step, sent", "ideal", "ms in collective ops"]
  print_table(header, rows, f"{TREES_PER_WORKER} trees a worker and step, {options.data}")
  return report


def _measure(
  model: str, num_workers: int, num_steps: int, options: Options, report: Report
) -> dict[str, float]:
  """Runs the workers in a network of their own if possible; returns figures of a step."""
  with tempfile.TemporaryDirectory(prefix="distributed_") as folder:
    out = pathlib.Path(folder) / "found"
    command = [sys.executable, "-m", "benchmarks.distributed_worker"]
    given = {"model": model, "num_workers": num_workers, "num_steps": num_steps, "out": str(out)}
    given |= {"seed": options.seed, "data": options.data, "trees": TREES_PER_WORKER}
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
  mean = {name: statistics.mean(each[name] for each in found) for name in found[0]}
  return {**mean, "processor": sum(each["processor"] for each in found)}


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
