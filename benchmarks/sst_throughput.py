"""Sentences a second on the Stanford Sentiment Treebank: three models, four ways to run each.

Arms: recursive_tf, eager TensorFlow recursion, the papers' tf.while_loop, PyTorch recursion; each
in a process of its own, held to the same cores. All start from the same weights and must agree in
loss, gradient norms and predictions before anything is timed. TreeLSTM: memory 150, word vectors
300; TreeRNN and RNTN: 25; five classes, loss at every node, Adagrad, no dropout, no L2.

A timing runs the same sentences for every arm; batching, planning and padding are inside it. The
sentences repeat, so what a framework caches by shape is warm in all arms. A training step of
recursive_tf whose number of nodes is new was measured to be about 10% slower than that: oneDNN
compiles its matrix products anew.
"""

from __future__ import annotations

import contextlib
import importlib.util

import numpy as np

from benchmarks import plot, worker
from benchmarks.harness import Arm, Timing, measure
from benchmarks.options import Options
from benchmarks.peers import weights as w
from benchmarks.report import Report, print_table

ARMS = {
  "recursive_tf": "benchmarks.peers.recursive_tf_models:RecursiveTF",
  "eager": "benchmarks.peers.eager_recursion:EagerRecursion",
  "while_loop": "benchmarks.peers.while_loop:WhileLoop",
  "torch": "benchmarks.peers.torch_recursion:TorchRecursion",
}
TOLERANCE = 1e-4
_MODES = ("train", "infer")


class Disagreement(AssertionError):
  """Two arms do not compute the same."""


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("sst_throughput", options)
  arms = dict(ARMS)
  if importlib.util.find_spec("torch") is None:
    del arms["torch"]
    report.notes.append("arm torch left out: PyTorch is not installed")
  packed, vocab_size = load_trees(options, options.pick(50, 25, 3))
  for threads in options.threads:
    for model in w.MODELS:
      _run_model(model, threads, arms, packed, vocab_size, options, report)
  if options.size != "smoke":
    _plot(report)
  return report


def load_trees(options: Options, num_trees: int) -> tuple[dict[str, np.ndarray], int]:
  """Returns `num_trees` trees as the arrays of a `PackedTrees`, and the vocabulary's size.

  They are drawn by the seed from the training trees; the vocabulary is that of all of these.
  """
  # Here, because it imports TensorFlow, which `--list` and `--help` do not need.
  from recursive_tf.datasets import (
    PackedTrees,
    Vocabulary,
    load_sample,
    load_sst,
    load_treebank,
  )

  named = {"sst": load_sst, "sample": load_sample}
  load = named.get(options.data, lambda: load_treebank(options.data))
  trees = load()["train"]
  vocabulary = Vocabulary.from_trees(trees)
  chosen = np.random.default_rng(options.seed).permutation(len(trees))[:num_trees]
  packed = PackedTrees.pack([trees[i] for i in chosen], vocabulary)
  names = ("word", "label", "left", "right", "node_splits")
  return {name: np.array(getattr(packed, name)) for name in names}, vocabulary.size


def check_agreement(results: dict[str, dict]) -> None:
  """Checks that all arms computed the same.

  Args:
    results: what `Peer.check` returned, by arm.

  Raises:
    Disagreement: Names the two arms and the value.
  """
  (first, expected), *others = results.items()
  for arm, found in others:
    if found["norms"].keys() != expected["norms"].keys():
      raise Disagreement(f"{arm} and {first} have gradients of different weights.")
    for name, value in {"loss": expected["loss"], **expected["norms"]}.items():
      other = found["loss"] if name == "loss" else found["norms"][name]
      if not (np.isfinite(other) and value > 0 and abs(other - value) <= TOLERANCE * value):
        raise Disagreement(f"{name}: {arm} has {other:.8g}, {first} has {value:.8g}.")
    for name in ("classes", "classes one by one"):
      if found[name] != expected["classes"]:
        raise Disagreement(f"{name}: {arm} has {found[name]}, {first} has {expected['classes']}.")


def _run_model(model, threads, arms, packed, vocab_size, options: Options, report: Report) -> None:
  num_trees = len(packed["node_splits"]) - 1
  sizes = options.pick(w.FULL_SIZES, w.FULL_SIZES, w.SMALL_SIZES)[model]
  weights = w.make_weights(model, vocab_size, sizes, options.seed)
  batch_sizes = options.pick((1, 10, 25), (1, 25), (1, 3))
  arguments = {"model": model, "weights": weights, "packed": packed}
  with contextlib.ExitStack() as stack:
    workers = {
      arm: stack.enter_context(
        worker.start(target, threads, in_process=options.in_process, **arguments)
      )
      for arm, target in arms.items()
    }
    sample = list(range(min(10, num_trees)))
    check_agreement({arm: each.call("check", sample) for arm, each in workers.items()})
    timed = []
    for batch_size in batch_sizes:
      batches = [
        list(range(i, min(i + batch_size, num_trees))) for i in range(0, num_trees, batch_size)
      ]
      for mode in _MODES:
        for arm, each in workers.items():
          name = f"{mode} {batch_size}"
          each.call("add", name, mode, batches)
          labels = {"model": model, "mode": mode, "batch": batch_size, "arm": arm}
          timed.append(Arm({**labels, "threads": threads}, _timer(each, name), work=num_trees))
    timings = measure(
      timed,
      repetitions=options.repetitions,
      seed=options.seed,
      min_seconds=options.min_seconds,
      description=f"{model}, {threads} threads",
    )
  report.timings += timings
  _print(timings, list(arms), f"{model}, {threads} threads: sentences/s (spread in %, ! unstable)")


def _timer(each, name: str):
  return lambda loops: each.call("time", name, loops)


def _print(timings: list[Timing], arms: list[str], title: str) -> None:
  rows = []
  keys = dict.fromkeys((t.labels["mode"], t.labels["batch"]) for t in timings)
  for mode, batch in keys:
    group = {
      t.labels["arm"]: t for t in timings if (t.labels["mode"], t.labels["batch"]) == (mode, batch)
    }
    ours = group["recursive_tf"].per_second
    cells = [_rate(group[arm]) for arm in arms]
    ratios = [ours / group[arm].per_second for arm in arms if arm != "recursive_tf"]
    rows.append([mode, batch, *cells, *ratios])
  ratios = [f"x {arm}" for arm in arms if arm != "recursive_tf"]
  print_table(["mode", "batch", *arms, *ratios], rows, title)


def _rate(timing: Timing) -> str:
  mark = "!" if timing.is_unstable else ""
  return f"{timing.per_second:8.1f} ({100 * timing.spread:.0f}{mark})"


def _plot(report: Report) -> None:
  groups = list(dict.fromkeys((t.labels["model"], t.labels["threads"]) for t in report.timings))
  for mode in _MODES:
    path = report.options.out / f"sst_throughput_{mode}.png"
    with plot.figure(path, len(groups), f"SST, {mode}: median and range") as axes:
      for axis, (model, threads) in zip(axes, groups, strict=True):
        for arm in ARMS:
          line = [
            t
            for t in report.timings
            if (t.labels["model"], t.labels["threads"]) == (model, threads)
            and (t.labels["arm"], t.labels["mode"]) == (arm, mode)
          ]
          if line:
            rates = [t.per_second for t in line]
            low = [rate - t.work / max(t.seconds) for rate, t in zip(rates, line, strict=True)]
            high = [t.work / min(t.seconds) - rate for rate, t in zip(rates, line, strict=True)]
            batches = [t.labels["batch"] for t in line]
            axis.errorbar(batches, rates, yerr=[low, high], marker="o", capsize=3, label=arm)
        axis.set(yscale="log", xlabel="batch", ylabel="sentences/s")
        axis.set_title(f"{model}, {threads} threads")
        axis.legend(fontsize=7)
