"""A class at every node of binary trees: sentiment treebanks."""

from __future__ import annotations

from typing import Any

from recursive_tf.datasets import PackedTrees, ReadReport, Vocabulary
from recursive_tf.models.labels import TASKS
from recursive_tf.nn._precision import PRECISIONS, check_precision
from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import load_splits, load_trees_to_test, pack_for_task
from recursive_tf.training.problem import Curve, Panel, Problem, Score, Splits

_NAMES = ("root", "node", "binary_root", "binary_node")
_TABLE = (
  Score("5 classes, root", "root", "num_roots"),
  Score("5 classes, all nodes", "node", "num_nodes"),
  Score("binary, root", "binary_root", "binary_num_roots"),
  Score("binary, all nodes", "binary_node", "binary_num_nodes"),
)


class Classification(Problem):
  """Binary trees with labels: the models `TreeClassifier`."""

  tasks = tuple(TASKS)
  default_data = "sample"
  train_scores = dev_scores = _NAMES
  shown = (Score("root", "root", "num_roots"), Score("nodes", "node", "num_nodes"))
  panels = (
    Panel(
      "loss of a tree",
      (
        Curve("train_loss", "train", "--", "tab:purple"),
        Curve("dev_loss", "dev", color="tab:purple"),
      ),
    ),
    Panel(
      "accuracy, %",
      tuple(
        Curve(f"{split}_{name}", f"{split}, {what}", style, color)
        for split, style in (("train", "--"), ("dev", "-"))
        for name, what, color in (
          ("root", "roots", "tab:blue"),
          ("node", "all nodes", "tab:orange"),
        )
      ),
      is_share=True,
    ),
  )

  def load_splits(
    self, config: RunConfig, vocabulary: Vocabulary | None, report: ReadReport
  ) -> Splits:
    """Loads and packs the trees that have a class at the root."""
    return load_splits(
      config.data,
      config.task_object,
      limit=config.limit,
      skip_bad=config.skip_bad,
      lowercase=config.lowercase,
      min_count=config.min_count,
      vocabulary=vocabulary,
      report=report,
    )

  def load_test(
    self,
    config: RunConfig,
    split: str,
    vocabulary: Vocabulary,
    report: ReadReport,
    trained_on: RunConfig,
  ) -> PackedTrees:
    """Loads and packs one split, or a single file."""
    trees = load_trees_to_test(config.data, split, config.limit, config.skip_bad, report)
    name = f"{config.data}, split {split}"
    return pack_for_task(trees, vocabulary, config.task_object, name)

  def make_model(self, config: RunConfig, model: Any, hyperparameters: Any, vocab_size: int) -> Any:
    """Makes a classifier."""
    made = model(vocab_size, hyperparameters, task=config.task_object, seed=config.seed)
    if config.products != "float32":
      check_precision(config.products)
      made.precision = config.products
    return made

  def precisions(self) -> tuple[str, ...]:
    """Returns all: `rtf.nn.matmul` computes the products of these models."""
    return PRECISIONS

  def table(self, task: str) -> tuple[Score, ...]:
    """Returns the accuracies; in the binary task there are none for five classes."""
    return _TABLE[2:] if task == "binary" else _TABLE

  def defaults(self, data: str) -> dict[str, Any]:
    """Returns more, smaller steps for the sample treebank, which is small."""
    return {"epochs": 8, "batch_size": 5} if data == "sample" else {}
