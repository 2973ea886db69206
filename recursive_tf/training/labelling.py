"""The relations of words to their heads: treebanks of Universal Dependencies."""

from __future__ import annotations

import pathlib
from typing import Any

from recursive_tf._errors import DataError
from recursive_tf.datasets import DependencyTree, PackedRelations, ReadReport, Vocabulary
from recursive_tf.training.config import RunConfig
from recursive_tf.training.dependencies import (
  UD,
  check_dependents,
  load_dependencies,
  load_dependencies_to_test,
  make_vocabulary,
)
from recursive_tf.training.problem import Curve, Panel, Problem, Score, Splits


class Labelling(Problem):
  """Dependency trees with relations: the models that predict these."""

  tasks = ("relation",)
  default_data = UD
  train_scores = dev_scores = ("relation",)
  shown = (Score("relations", "relation", "num_words"),)
  panels = (
    Panel(
      "loss of a sentence",
      (
        Curve("train_loss", "train", "--", "tab:purple"),
        Curve("dev_loss", "dev", color="tab:purple"),
      ),
    ),
    Panel(
      "right relations, %",
      (
        Curve("train_relation", "train", "--", "tab:blue"),
        Curve("dev_relation", "dev", color="tab:blue"),
      ),
      is_share=True,
    ),
  )

  def load_splits(
    self, config: RunConfig, vocabulary: Vocabulary | None, report: ReadReport
  ) -> Splits:
    """Loads and packs the sentences."""
    trees = load_dependencies(config, (UD,), report)
    if vocabulary is None:
      vocabulary = make_vocabulary(trees["train"], config)
    packed = {split: _pack(part, vocabulary, config, split) for split, part in trees.items()}
    return Splits(packed["train"], packed["dev"], packed["test"], vocabulary)

  def load_test(
    self,
    config: RunConfig,
    split: str,
    vocabulary: Vocabulary,
    report: ReadReport,
    trained_on: RunConfig,
  ) -> PackedRelations:
    """Loads and packs one split, or a single file."""
    trees = load_dependencies_to_test(config, split, (UD,), report)
    return _pack(trees, vocabulary, config, split)

  def make_model(self, config: RunConfig, model: Any, hyperparameters: Any, vocab_size: int) -> Any:
    """Makes a labeller."""
    return model(vocab_size, hyperparameters, seed=config.seed)

  def table(self, task: str) -> tuple[Score, ...]:
    """Returns the scores that a test reports."""
    return (Score("right relations", "relation", "num_words"),)

  def knows(self, data: str) -> bool:
    """Tells whether `data` is named ud, or holds or is a CoNLL-U file."""
    path = pathlib.Path(data)
    return data == UD or any(path.glob("*.conllu*"))

  def defaults(self, data: str) -> dict[str, Any]:
    """Returns what the words of a treebank need."""
    return {"min_count": 2}


def _pack(
  trees: list[DependencyTree], vocabulary: Vocabulary, config: RunConfig, split: str
) -> PackedRelations:
  """Packs trees.

  Raises:
    DataError: If no word has a relation that can be predicted, or one has too many dependents.
  """
  check_dependents(trees, config, f"--data {config.data}, split {split}")
  packed = PackedRelations.pack(trees, vocabulary)
  if not packed.num_classified:
    raise DataError(
      f"--data {config.data}: no word but roots has a relation of Universal Dependencies, as nsubj "
      "is: column 8 of CoNLL-U."
    )
  return packed
