"""Samples a second of the recursive models by this checkout and by another one, in turn.

    git worktree add ../before HEAD~5 && make -C ../before setup
    python -m benchmarks against --old ../before --models nary treelstm

Each runs in a process of its own, with its own packages, models and kernels, from the same weights
and on the same data as in `batched_throughput` and the `zoo`. Both have to compute the same before
anything is timed. Without `--old` this checkout runs twice: how far two equal programs differ here.
"""

from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Mapping
from typing import Any

from benchmarks import arms, throughput, worker
from benchmarks.batched_throughput import num_trees_of
from benchmarks.harness import Arm, Timing, measure
from benchmarks.options import Options
from benchmarks.peers import weights as w
from benchmarks.peers.zoo import weights as zoo_weights
from benchmarks.peers.zoo.catalogue import MODELS as ZOO
from benchmarks.peers.zoo.catalogue import OURS
from benchmarks.report import Report
from benchmarks.treebanks import load_trees

_OLD, _NEW = "old", "new"
_NAMES = (*w.MODELS, *ZOO)


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("against", options)
  names = options.models or options.pick(_NAMES, _NAMES, ("treernn",))
  if unknown := sorted(set(names) - set(_NAMES)):
    raise ValueError(f"against: no model {', '.join(unknown)}; there are {', '.join(_NAMES)}.")
  for threads in options.threads:
    for name in names:
      timings = _measure(name, threads, report)
      throughput.print_rates(timings, _NEW, f"{name}, {threads} threads", "mode", "batch")
  return report


def _measure(name: str, threads: int, report: Report) -> list[Timing]:
  """Times one model of both checkouts and adds the timings to the report."""
  options = report.options
  target, counts, arguments = _of_zoo(name, options) if name in ZOO else _of_trees(name, options)
  checkouts: dict[str, pathlib.Path | None] = {_OLD: options.old, _NEW: None}
  available = len(arguments["packed"]["node_splits"]) - 1
  with contextlib.ExitStack() as stack:
    workers = {
      arm: stack.enter_context(
        worker.start(target, threads, in_process=options.in_process, checkout=checkout, **arguments)
      )
      for arm, checkout in checkouts.items()
    }
    some = list(range(min(6, available)))
    arms.check_agreement({arm: each.call("check", some) for arm, each in workers.items()})
    timed = []
    for batch_size, wanted in options.chosen(counts).items():
      count = min(wanted, available)
      batches = throughput.batches_of(batch_size, count)
      for mode in throughput.MODES:
        for arm, each in workers.items():
          call = f"{mode} {batch_size}"
          each.call("add", call, mode, batches)
          labels = {"model": name, "mode": mode, "batch": batch_size, "arm": arm}
          timed.append(Arm({**labels, "threads": threads}, worker.timer(each, call), count))
    timings = measure(
      timed,
      repetitions=options.repetitions,
      seed=options.seed,
      min_seconds=options.min_seconds,
      description=f"{name}, {threads} threads",
    )
  report.timings += timings
  return timings


def _of_trees(name: str, options: Options) -> tuple[str, Mapping[int, int], dict[str, Any]]:
  """Returns the workload of a model of `batched_throughput`, trees by batch, and its arguments."""
  counts = num_trees_of(options)
  packed, vocab_size = load_trees(options, max(counts.values()))
  sizes = options.pick(w.FULL_SIZES, w.FULL_SIZES, w.SMALL_SIZES)[name]
  weights = w.make_weights(name, vocab_size, sizes, options.seed)
  target = arms.CONTENDERS["recursive_tf"].target
  return target, counts, {"model": name, "weights": weights, "packed": packed}


def _of_zoo(name: str, options: Options) -> tuple[str, Mapping[int, int], dict[str, Any]]:
  """Returns the same of a model of the zoo."""
  entry = ZOO[name]
  counts = options.pick(entry.counts, {b: n // 2 for b, n in entry.counts.items()}, {3: 3})
  packed, vocab_size = entry.load(options, max(counts.values()))
  sizes = options.pick(zoo_weights.FULL_SIZES, zoo_weights.FULL_SIZES, zoo_weights.SMALL_SIZES)
  weights = zoo_weights.make_weights(name, vocab_size, sizes[name], options.seed)
  return entry.target(OURS), counts, {"model": name, "weights": weights, "packed": packed}
