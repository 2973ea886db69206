"""`fit` of the models in Keras against the training loop of `recursive-tf train`.

The same model, trees and batches, one process for each model: epochs of the trainer's own steps, of
`model.fit`, and of `model.fit` with eight steps in one call of the graph, interleaved. And how much
of their processor time goes into making batches: an epoch of these is taken without training, less
what it takes where they are kept ready.
"""

from __future__ import annotations

import statistics

from benchmarks import worker
from benchmarks.harness import Arm, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table
from benchmarks.treebanks import load_trees

ARMS = ("trainer", "fit", "fit, 8 steps at once")
MODELS = ("treelstm", "treernn", "rntn")
BATCH = 25
GOAL = 0.9
GOAL_BATCHES = 0.05
_BATCHES = ("batches", "batches, ready")
_TARGET = "benchmarks.workloads.keras_training:KerasTraining"
# The same steps with the same dropout: what is left is the order of sums on several threads.
_SAME_LOSS = 0.01


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("keras_fit", options)
  packed, vocab_size = load_trees(options, options.pick(8_000, 2_000, 20))
  num_trees = len(packed["node_splits"]) - 1
  batch = min(BATCH, num_trees // 2)
  rows: list[list[object]] = []
  for threads in options.threads:
    for model in options.pick(MODELS, MODELS[:2], MODELS[1:2]):
      with worker.start(
        _TARGET,
        threads,
        in_process=options.in_process,
        model=model,
        packed=packed,
        vocab_size=vocab_size,
        batch_size=batch,
        sizes=options.pick({}, {}, {"state_size": 4}),
      ) as program:
        arms = [
          Arm(
            {"model": model, "arm": arm, "threads": threads},
            lambda loops, arm=arm: program.call("time", arm, loops),
            num_trees,
          )
          for arm in ARMS
        ]
        timings = measure(
          arms, repetitions=options.repetitions, seed=options.seed, min_seconds=0, description=model
        )
        for call in _BATCHES:  # The first one is traced, and kept.
          program.call("time", call, 1)
        processor = [
          {call: program.call("processor", call) for call in (*ARMS, *_BATCHES)}
          for _ in range(options.repetitions)
        ]
        losses = program.call("losses")
      report.timings += timings
      report.figures[f"{model}, {threads} threads: losses"] = losses
      spread = max(losses.values()) / min(losses.values()) - 1
      claim = f"{model}, {threads} threads: losses after the same steps differ at most {_SAME_LOSS}"
      report.goal(claim, spread, spread <= _SAME_LOSS)
      ratios = {arm: _ratio(timings[0], each) for arm, each in zip(ARMS, timings, strict=True)}
      claim = f"{model}, {threads} threads: fit at least {GOAL} times the trainer's trees/s"
      report.goal(claim, ratios["fit"], ratios["fit"] >= GOAL)
      report.figures[f"{model}, {threads} threads: processor"] = processor
      shares = {
        arm: statistics.median(each["trainer"] / each[arm] for each in processor) for arm in ARMS
      }
      claim = f"{model}, {threads} threads: the same by processor time"
      report.goal(claim, shares["fit"], shares["fit"] >= GOAL)
      made, ready = _BATCHES
      of_batches = {
        arm: statistics.median((each[made] - each[ready]) / each[arm] for each in processor)
        for arm in ARMS
      }
      claim = f"{model}, {threads} threads: making batches is below {GOAL_BATCHES:.0%} of fit"
      report.goal(claim, of_batches["fit"], of_batches["fit"] < GOAL_BATCHES)
      rows += [
        [
          *(model, threads, arm, each.per_second, ratios[arm], each.spread, shares[arm]),
          f"{of_batches[arm]:.1%}",
        ]
        for arm, each in zip(ARMS, timings, strict=True)
      ]
  header = ["model", "threads", "arm", "trees/s", "of the trainer's", "spread", "by processor"]
  header.append("batches")
  print_table(header, rows, f"Training, batch {batch}, epochs of {num_trees} trees")
  return report


def _ratio(base, other) -> float:
  """Returns the median over rounds of how many times as fast `other` was."""
  pairs = zip(base.seconds, other.seconds, strict=True)
  return statistics.median(before / after for before, after in pairs)
