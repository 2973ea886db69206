"""`recursive-tf bench`: how many trees a second this machine trains on, and predicts."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import itertools
import math
import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import tensorflow as tf
from tqdm import tqdm

from recursive_tf._cli.progress import count, print_json
from recursive_tf._cli.threads import check_threads, set_threads
from recursive_tf._errors import ConfigError
from recursive_tf.datasets import PackedTrees, Tree, Vocabulary, load_sample
from recursive_tf.datasets.structure import Binarised
from recursive_tf.models import Adagrad, TreeClassifier
from recursive_tf.training.data import make_vocabulary
from recursive_tf.training.runs import make_model, make_run_config
from recursive_tf.training.step import make_train_step
from recursive_tf.training.tree_prediction import TreePredictor

_MODELS = ("treelstm", "treernn", "rntn")  # Those that learn from the bundled sample.
_BATCH_SIZES = (1, 25)
_REPETITIONS = 9
_UNSTEADY = 0.1
_LONGEST = 3600.0

Act: TypeAlias = Callable[[Iterator[range]], int]


@dataclasses.dataclass(frozen=True)
class Arm:
  """One thing to time.

  Attributes:
    model: its name.
    mode: "train" or "predict".
    batch_size: trees that are computed together.
    act: does it once, with the trees of the next batch, which it packs, too; returns how many.
    rates: trees a second, of each timing.
  """

  model: str
  mode: str
  batch_size: int
  act: Callable[[], int]
  rates: list[float] = dataclasses.field(default_factory=list)

  @property
  def median(self) -> float:
    """Trees a second."""
    return statistics.median(self.rates)

  @property
  def spread(self) -> float:
    """What lies between the quartiles, as a share of the median."""
    first, _, third = statistics.quantiles(self.rates, n=4, method="inclusive")
    return (third - first) / self.median

  def run(self, seconds: float) -> None:
    """Does it for at least so long, and notes how fast it was."""
    started = time.perf_counter()
    num_trees = 0
    while (passed := time.perf_counter() - started) < seconds or not num_trees:
      num_trees += self.act()
    self.rates.append(num_trees / passed)


def bench(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  check_threads(args.threads)
  if not (math.isfinite(args.seconds) and 0 < args.seconds <= _LONGEST):
    raise ConfigError(f"--seconds is {args.seconds:g}, expected more than 0, up to {_LONGEST:g}.")
  set_threads(args.threads)
  trees = load_sample()["train"]
  arms = [arm for name in _MODELS for arm in _arms_of(name, trees)]
  _measure(arms, args.seconds / (_REPETITIONS * len(arms)), args.quiet)
  if args.json:
    for arm in arms:
      print_json(_as_json(arm, args.threads))
  else:
    print(_table(arms, trees, args.threads))
  return 0


def _arms_of(name: str, trees: list[Tree]) -> list[Arm]:
  """Returns what is timed of a model with its usual sizes, beginning with random weights."""
  config = make_run_config(name, "sample", task="fine")
  vocabulary = make_vocabulary(trees, lowercase=True, min_count=1)
  model = make_model(config, vocabulary.size)
  if not isinstance(model, TreeClassifier):
    raise AssertionError(f"{name} is no classifier.")
  train = _training(model, PackedTrees.pack(trees, vocabulary))
  predict = _predicting(model, vocabulary, trees)
  return [
    Arm(name, mode, size, functools.partial(act, itertools.cycle(_places(len(trees), size))))
    for mode, act in (("train", train), ("predict", predict))
    for size in _BATCH_SIZES
  ]


def _places(num_trees: int, size: int) -> list[range]:
  """Returns the places of the trees of each batch."""
  return [range(start, min(start + size, num_trees)) for start in range(0, num_trees, size)]


def _training(model: TreeClassifier, packed: PackedTrees) -> Act:
  """Returns what takes a step of `recursive-tf train`."""
  num_steps = itertools.count()
  # The rates fall to a tenth at once: what they are takes no time.
  step = make_train_step(model, Adagrad(model.parameter_groups()), 1.0, seed=0)

  def train(batches: Iterator[range]) -> int:
    batch = packed.batch(next(batches))
    loss, _ = step(batch, tf.constant(next(num_steps), tf.int64))
    loss.numpy()
    return int(batch.num_trees)

  return train


def _predicting(model: TreeClassifier, vocabulary: Vocabulary, trees: list[Tree]) -> Act:
  """Returns what `recursive-tf predict` computes: probabilities of all nodes."""
  predictor = TreePredictor(model, vocabulary)
  binary = [Binarised(tree, 0, 0) for tree in trees]

  def predict(batches: Iterator[range]) -> int:
    return len(list(predictor.predict([binary[place] for place in next(batches)])))

  return predict


def _measure(arms: list[Arm], seconds: float, is_quiet: bool) -> None:
  """Times all, each for `seconds` and several times, in an order of its own each time."""
  generator = random.Random(0)
  disable = True if is_quiet else None  # None: where stderr is no terminal.
  with tqdm(total=len(arms) * (_REPETITIONS + 1), disable=disable, leave=False) as bar:
    for repetition in range(_REPETITIONS + 1):
      for arm in generator.sample(arms, len(arms)):
        bar.set_description(f"{arm.model}, {arm.mode}, batches of {arm.batch_size}")
        arm.run(seconds if repetition else 0.0)
        if not repetition:
          arm.rates.clear()  # Its graph was made.
        bar.update()


def _as_json(arm: Arm, threads: int) -> dict[str, Any]:
  return {
    "model": arm.model,
    "mode": arm.mode,
    "batch_size": arm.batch_size,
    "threads": threads,
    "trees_per_second": arm.median,
    "spread": arm.spread,
    "timings": arm.rates,
  }


def _table(arms: list[Arm], trees: list[Tree], threads: int) -> str:
  words = statistics.mean(len(tree.words()) for tree in trees)
  heads = [f"{mode}, {size}" for mode in ("train", "predict") for size in _BATCH_SIZES]
  lines = [
    f"Trees a second, {count(threads, 'thread')}, by model, work and trees in a batch. The bundled "
    f"sample:\n{len(trees)} trees of {words:.1f} words on average; what stands behind +- is the "
    "spread.",
    f"{'':<10}" + "".join(f"{head:>18}" for head in heads),
  ]
  for name in _MODELS:
    own = [arm for arm in arms if arm.model == name]
    cells = (f"{arm.median:,.0f} +-{arm.spread:>4.0%}" for arm in own)
    lines.append(f"{name:<10}" + "".join(f"{cell:>18}" for cell in cells))
  unsteady = sum(arm.spread >= _UNSTEADY for arm in arms)
  if unsteady:
    lines.append(
      f"{unsteady} of {len(arms)} spread by {_UNSTEADY:.0%} or more: read factors, not digits.\n"
      "Less other work on this machine, or a larger --seconds, makes them steadier."
    )
  return "\n".join(lines)
