"""Sentences a second of the top-down Tree-LSTM, whose trees are known only when they are made.

Training takes given trees (the sentences of `datasets.grammar_sentences`); inference generates the
trees of as many meanings, word by word, by what the network computes. It has been trained for a few
hundred steps before, so that the trees are of the right kind: the report says how many are exactly
right. Memory 150, word vectors 300, batch 64 as in the thesis.

Arms: recursive_tf under both schedulers; tf.while_loop with one node an iteration, with one node of
each tree, and with one level of all trees (batched by hand); eager recursion. Each in a process of
its own, held to the same cores. All start from the same weights and must agree in loss, gradient
norms and generated trees before anything is timed.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping

import numpy as np

from benchmarks import throughput, worker
from benchmarks.arms import SCHEDULERS, check_agreement
from benchmarks.harness import Arm, measure
from benchmarks.options import Options
from benchmarks.report import Report


@dataclasses.dataclass(frozen=True)
class Contender:
  """One way to run the model.

  Attributes:
    target: "module:class" of a `Peer`.
    environ: environment variables of its process.
    arguments: for the class.
  """

  target: str
  environ: Mapping[str, str] = dataclasses.field(default_factory=dict)
  arguments: Mapping[str, str] = dataclasses.field(default_factory=dict)

  def start(self, threads: int, options: Options, **arguments):
    """Returns a worker."""
    return worker.start(
      self.target,
      threads,
      in_process=options.in_process,
      environ=self.environ,
      **self.arguments,
      **arguments,
    )


_RECURSION = "benchmarks.peers.top_down_recursive_tf:TopDownRecursion"
_LOOP = "benchmarks.peers.top_down_while_loop:TopDownWhileLoop"
ARMS = {
  **{name: Contender(_RECURSION, {"RECURSIVE_TF_SCHEDULER": name}) for name in SCHEDULERS},
  "loop_one_node": Contender(_LOOP, arguments={"by": "one"}),
  "loop_one_each": Contender(_LOOP, arguments={"by": "node"}),
  "loop_levels": Contender(_LOOP, arguments={"by": "level"}),
  "eager": Contender("benchmarks.peers.top_down_eager:TopDownEager"),
}
GOAL = 18.6


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("top_down", options)
  packed, weights = _prepare(options, report)
  for threads in options.threads:
    _run_threads(threads, packed, weights, options, report)
  return report


def load_trees(num_trees: int) -> tuple[dict[str, np.ndarray], int, int]:
  """Returns the fields of a `PackedDependencies`, the sizes of vocabulary and conditions."""
  # Here, because it imports TensorFlow, which `--list` and `--help` do not need.
  from recursive_tf.datasets import PackedDependencies, Vocabulary
  from recursive_tf.datasets.grammar_sentences import NUM_CONDITIONS, generate

  trees = generate(num_trees)
  vocabulary = Vocabulary(sorted({word for tree in trees for word in tree.words}))
  packed = PackedDependencies.pack(trees, vocabulary)
  fields = {name: np.array(value) for name, value in vars(packed).items()}
  return fields, vocabulary.size, NUM_CONDITIONS


def _prepare(options: Options, report: Report):
  """Returns trees, and weights trained on them."""
  from benchmarks.peers import top_down_cells as cells

  packed, vocab_size, num_conditions = load_trees(options.pick(8000, 8000, 6))
  sizes = options.pick(cells.FULL_SIZES, cells.FULL_SIZES, cells.SMALL_SIZES)
  weights = cells.make_weights(vocab_size, num_conditions, sizes, options.seed)
  threads = max(options.threads)
  with Contender(_RECURSION).start(threads, options, weights=weights, packed=packed) as trainer:
    weights = trainer.call("fit", options.pick(800, 500, 1), options.pick(64, 64, 3), options.seed)
    exact, num_nodes = trainer.call("quality", list(range(options.pick(640, 64, 3))))
  report.figures |= {"share of exact trees": exact, "mean nodes of a generated tree": num_nodes}
  report.notes.append(f"generated trees: {exact:.0%} exactly right, {num_nodes:.1f} nodes each")
  return packed, weights


def _run_threads(threads: int, packed, weights, options: Options, report: Report) -> None:
  batch_size = options.pick(64, 64, 3)
  num_trees = options.pick(256, 64, 3)
  batches = throughput.batches_of(batch_size, num_trees)
  with contextlib.ExitStack() as stack:
    workers = {
      arm: stack.enter_context(each.start(threads, options, weights=weights, packed=packed))
      for arm, each in ARMS.items()
    }
    sample = list(range(min(10, num_trees)))
    check_agreement({arm: each.call("check", sample) for arm, each in workers.items()})
    timed = []
    for mode in throughput.MODES:
      for arm, each in workers.items():
        each.call("add", mode, mode, batches)
        labels = {"mode": mode, "batch": batch_size, "arm": arm, "threads": threads}
        timed.append(Arm(labels, _timer(each, mode), work=num_trees))
    timings = measure(
      timed,
      repetitions=options.repetitions,
      seed=options.seed,
      min_seconds=options.min_seconds,
      description=f"top_down, {threads} threads",
    )
  report.timings += timings
  title = f"top-down TreeLSTM, {threads} threads"
  throughput.print_rates(timings, "batched", title, "mode", "batch")
  for (mode,), group in throughput.groups_of(timings, "mode").items():
    # Both are iterative versions; the stricter one is that with a node of each tree.
    for other in ("loop_one_node", "loop_one_each"):
      ratio = throughput.ratio(group, "batched", other)
      claim = f"batched over {other}, {mode}, {threads} threads: at least {GOAL}"
      report.goal(claim, ratio, ratio >= GOAL)


def _timer(each, name: str):
  return lambda loops: each.call("time", name, loops)
