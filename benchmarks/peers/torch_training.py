"""`recursive-tf train treelstm` as a PyTorch program: the levels of a batch by hand, autograd.

What runs: the forward pass of `torch_level_batched.py` with the recipe of `models/treelstm`: binary
sentiment, a loss at every node that is not neutral, dropout on h as the softmax layer sees it,
Adagrad with L2 on the weight matrices, sparse for the embedding, learning rates that fall linearly
to a tenth, dev and a checkpoint after each epoch, test with the best. Planning is inside the step.
It writes history.csv and test.json with the names that `recursive-tf train` uses, and prints a line
when training starts and one for each epoch.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import json
import pathlib
import time

import numpy as np
import torch

from benchmarks.peers import weights as w
from benchmarks.peers.levels import Plan, ResidentTrees
from benchmarks.peers.torch_level_batched import TorchLevelBatched
from benchmarks.peers.treebank_text import Packed, read_splits

_CLASS = np.array([0, 0, -1, 1, 1])  # Of each label; a neutral node has none.
_MATRICES = ("leaf_weights", "inner_weights", "output_weights")
_BIASES = ("leaf_bias", "inner_bias", "output_bias")
_FINAL_LEARNING_RATE = 0.1  # Share that is left in the last step.
_EVALUATION_BATCH = 256


@dataclasses.dataclass(frozen=True)
class Recipe:
  """Hyperparameters; names and defaults are those of `TreeLSTMConfig`."""

  embedding_size: int = 300
  state_size: int = 150
  dropout: float = 0.5
  embedding_range: float = 0.05
  forget_bias: float = 1.0
  learning_rate: float = w.LEARNING_RATE
  embedding_learning_rate: float = w.EMBEDDING_LEARNING_RATE
  l2: float = 1e-4
  batch_size: int = 25
  epochs: int = 4


def make_weights(vocab_size: int, recipe: Recipe, seed: int) -> dict[str, np.ndarray]:
  """Draws weights from the distributions of `TreeLSTM`."""
  rng = np.random.default_rng(seed)
  word, width = recipe.embedding_size, recipe.state_size

  def uniform(rows: int, columns: int, bound: float) -> np.ndarray:
    return rng.uniform(-bound, bound, (rows, columns)).astype(np.float32)

  def glorot(rows: int, columns: int, num_blocks: int = 1) -> np.ndarray:
    return uniform(rows, num_blocks * columns, np.sqrt(6 / (rows + columns)))

  forget = np.array([0, 0, recipe.forget_bias, recipe.forget_bias, 0], np.float32)
  return {
    "embedding": uniform(vocab_size, word, recipe.embedding_range),
    "output_weights": glorot(width, 2),
    "output_bias": np.zeros(2, np.float32),
    "leaf_weights": glorot(word, width, 3),
    "leaf_bias": np.zeros(3 * width, np.float32),
    "inner_weights": np.concatenate([glorot(width, width, 5), glorot(width, width, 5)]),
    "inner_bias": np.repeat(forget, width),
  }


@dataclasses.dataclass
class Scores:
  """Sums over trees: the loss; nodes and roots that have a class, and those that are right."""

  num_trees: int = 0
  loss: float = 0.0
  nodes: int = 0
  correct_nodes: int = 0
  roots: int = 0
  correct_roots: int = 0

  def row(self, split: str) -> dict[str, float]:
    """Returns the columns of a split in history.csv."""
    return {
      f"{split}_loss": self.loss / self.num_trees,
      f"{split}_root": self.correct_roots / self.roots,
      f"{split}_node": self.correct_nodes / self.nodes,
    }


class TorchTrainer(TorchLevelBatched):
  """The model with the recipe's loss and optimizer."""

  def __init__(
    self, weights: dict[str, np.ndarray], packed: Packed, recipe: Recipe, num_steps: float
  ):
    """Makes the optimizers.

    Args:
      weights: initial values.
      packed: the training trees.
      recipe: hyperparameters.
      num_steps: steps over which the learning rates fall.
    """
    super().__init__("treelstm", weights, packed)
    self._recipe = recipe
    self._num_steps = num_steps
    self._step = 0
    common = {"initial_accumulator_value": w.INITIAL_SUM, "eps": w.EPSILON}
    groups = [
      {"params": [self.weights[name] for name in _MATRICES], "weight_decay": recipe.l2},
      {"params": [self.weights[name] for name in _BIASES]},
    ]
    self._optimizers = [
      torch.optim.Adagrad(groups, lr=recipe.learning_rate, fused=True, **common),
      torch.optim.Adagrad([self.weights["embedding"]], lr=recipe.embedding_learning_rate, **common),
    ]
    self._rates = (recipe.learning_rate, recipe.embedding_learning_rate)

  def loss(self, indices):
    return self._scored_loss(self._trees.plan(indices), Scores(), self._recipe.dropout)

  def train(self, indices, scores: Scores | None = None):
    """Takes a step; adds to `scores`, if given, what the step saw."""
    self._step += 1
    scale = 1 - (1 - _FINAL_LEARNING_RATE) * min(self._step / self._num_steps, 1.0)
    for optimizer, rate in zip(self._optimizers, self._rates, strict=True):
      optimizer.zero_grad()
      for group in optimizer.param_groups:
        group["lr"] = rate * scale
    scores = Scores() if scores is None else scores
    self._scored_loss(self._trees.plan(indices), scores, self._recipe.dropout).backward()
    for optimizer in self._optimizers:
      optimizer.step()

  def evaluate(self, trees: ResidentTrees) -> Scores:
    """Returns the scores of all `trees`, without dropout."""
    scores = Scores()
    with torch.inference_mode():
      for begin in range(0, len(trees), _EVALUATION_BATCH):
        batch = np.arange(begin, min(begin + _EVALUATION_BATCH, len(trees)))
        self._scored_loss(trees.plan(batch), scores, 0.0)
    return scores

  def save(self, path: pathlib.Path, with_optimizers: bool) -> None:
    """Writes a checkpoint."""
    optimizers = [each.state_dict() for each in self._optimizers] if with_optimizers else []
    torch.save({"weights": self.weights, "step": self._step, "optimizers": optimizers}, path)

  def restore_weights(self, path: pathlib.Path) -> None:
    """Reads the weights of a checkpoint."""
    with torch.no_grad():
      for name, value in torch.load(path)["weights"].items():
        self.weights[name].copy_(value)

  def _scored_loss(self, plan: Plan, scores: Scores, dropout: float) -> torch.Tensor:
    """Returns the loss of a batch, and adds it and the counts to `scores`."""
    num_trees = plan.splits[1]
    _, states = self._states(plan)
    # Only rows with a class get to the softmax layer: most nodes are neutral.
    slots = np.concatenate([plan.leaves, plan.inner])
    classes = _CLASS[plan.labels[slots]]
    rows = np.flatnonzero(classes >= 0)
    h = torch.cat(states).index_select(0, torch.from_numpy(rows))
    logits = self._logits(torch.nn.functional.dropout(h, dropout, dropout > 0))
    labels = torch.from_numpy(classes[rows])
    loss = torch.nn.functional.cross_entropy(logits, labels, reduction="sum")
    hits = (logits.detach().argmax(1) == labels).numpy()
    is_root = slots[rows] < num_trees
    scores.num_trees += num_trees
    scores.loss += loss.item()
    scores.nodes += len(rows)
    scores.correct_nodes += int(hits.sum())
    scores.roots += int(is_root.sum())
    scores.correct_roots += int(hits[is_root].sum())
    return loss / num_trees


def main() -> None:
  """Runs the program."""
  args = _parser().parse_args()
  torch.set_num_threads(args.threads)
  torch.manual_seed(args.seed)
  recipe = Recipe(**{field.name: getattr(args, field.name) for field in dataclasses.fields(Recipe)})
  files = {split: getattr(args, split) for split in ("train", "dev", "test")}
  splits, vocab_size = read_splits(files, args.limit)
  num_trees = len(splits["train"]["node_splits"]) - 1
  weights = make_weights(vocab_size, recipe, args.seed)
  num_steps = recipe.epochs * num_trees / recipe.batch_size
  trainer = TorchTrainer(weights, splits["train"], recipe, num_steps)
  dev, test = (ResidentTrees(splits[split]) for split in ("dev", "test"))
  args.out.mkdir(parents=True, exist_ok=True)
  print(f"Training on {num_trees} sentences, {vocab_size} words", flush=True)
  rows: list[dict[str, float]] = []
  best = -1.0
  for epoch in range(recipe.epochs):
    order = np.random.default_rng([args.seed, epoch]).permutation(num_trees)
    scores, started = Scores(), time.perf_counter()
    for begin in range(0, num_trees, recipe.batch_size):
      trainer.train(order[begin : begin + recipe.batch_size], scores)
    seconds = time.perf_counter() - started
    row = {"epoch": epoch + 1, **scores.row("train"), **trainer.evaluate(dev).row("dev")}
    row |= {"sentences_per_second": num_trees / seconds, "seconds": seconds}
    rows.append(row)
    if row["dev_root"] > best:
      best, best_epoch = row["dev_root"], epoch + 1
      trainer.save(args.out / "best.pt", with_optimizers=False)
    trainer.save(args.out / "last.pt", with_optimizers=True)
    with open(args.out / "history.csv", "w", newline="") as file:
      writer = csv.DictWriter(file, list(row))
      writer.writeheader()
      writer.writerows(rows)
    print(f"epoch {epoch + 1}/{recipe.epochs}  {row}", flush=True)
  trainer.restore_weights(args.out / "best.pt")
  found = trainer.evaluate(test).row("test")
  result = {"root": found["test_root"], "node": found["test_node"], "epoch": best_epoch}
  (args.out / "test.json").write_text(json.dumps(result))


def _parser() -> argparse.ArgumentParser:
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  for name in ("train", "dev", "test", "out"):
    parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
  for name, default in (("seed", 0), ("limit", 0), ("threads", 2)):
    parser.add_argument(f"--{name}", type=int, default=default)
  for field in dataclasses.fields(Recipe):
    name = f"--{field.name.replace('_', '-')}"
    parser.add_argument(name, type=type(field.default), default=field.default)
  return parser


if __name__ == "__main__":
  main()
