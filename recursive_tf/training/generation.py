"""Dependency trees to generate: from meanings by a grammar, or as a treebank has them."""

from __future__ import annotations

from typing import Any

from recursive_tf._errors import DataError
from recursive_tf.datasets import DependencyTree, PackedDependencies, ReadReport, Vocabulary
from recursive_tf.datasets.dependencies import words_by_tag
from recursive_tf.datasets.grammar_sentences import NUM_CONDITIONS
from recursive_tf.training.config import RunConfig
from recursive_tf.training.dependencies import (
  GRAMMAR,
  UD,
  load_dependencies,
  load_dependencies_to_test,
  make_vocabulary,
)
from recursive_tf.training.problem import Curve, Panel, Problem, Score, Splits

_NAMES = (GRAMMAR, UD)
# Completions are drawn with seeds of their own, which stay the same in all runs.
_SEEDS = {"train": 1, "dev": 2, "test": 3}


class Generation(Problem):
  """Dependency trees with conditions: the models that generate them."""

  tasks = ("generation",)
  default_data = "grammar"
  train_scores = ("perplexity", "tree_perplexity", "word", "edges")
  dev_scores = (*train_scores, "completion", "exact")
  shown = (
    Score("perplexity", "perplexity", "num_nodes", is_share=False),
    Score("completion", "completion", "num_completions"),
    Score("exact", "exact", "num_generated"),
  )
  panels = (
    Panel(
      "perplexity of a word",
      (
        Curve("train_perplexity", "train", "--", "tab:purple"),
        Curve("dev_perplexity", "dev", color="tab:purple"),
      ),
      is_log=True,
    ),
    Panel(
      "dev, %",
      (
        Curve("dev_edges", "given tree: all edges of a node"),
        Curve("dev_completion", "right word among five"),
        Curve("dev_exact", "generated tree is exactly right"),
      ),
      is_share=True,
    ),
  )

  def load_splits(
    self, config: RunConfig, vocabulary: Vocabulary | None, report: ReadReport
  ) -> Splits:
    """Loads and packs all splits; completions are drawn from the training words."""
    trees = load_dependencies(config, _NAMES, report)
    if vocabulary is None:
      vocabulary = make_vocabulary(trees["train"], config)
    packed = {split: _pack(trees[split], split, vocabulary, trees["train"]) for split in trees}
    return Splits(packed["train"], packed["dev"], packed["test"], vocabulary)

  def load_test(
    self,
    config: RunConfig,
    split: str,
    vocabulary: Vocabulary,
    report: ReadReport,
    trained_on: RunConfig,
  ) -> PackedDependencies:
    """Loads and packs one split, or a single file; completions are drawn from the training words.

    Raises:
      DataError: If it says meanings and the training sentences do not, or the other way round.
    """
    if (config.data == GRAMMAR) != (trained_on.data == GRAMMAR):
      raise DataError(
        f"--data {config.data}: the model was trained on {trained_on.data}. Sentences of {GRAMMAR}"
        " say a meaning that is given, those of other data say none: a model knows one kind only."
      )
    trees = load_dependencies_to_test(config, split, _NAMES, report)
    try:
      known = load_dependencies(trained_on, _NAMES, ReadReport())["train"]
    except DataError as error:
      raise DataError(
        f"The training sentences of the run are needed, too, for words to choose from: {error}"
      ) from error
    return _pack(trees, split, vocabulary, known)

  def make_model(self, config: RunConfig, model: Any, hyperparameters: Any, vocab_size: int) -> Any:
    """Makes a generator."""
    return model(vocab_size, hyperparameters, seed=config.seed)

  def table(self, task: str) -> tuple[Score, ...]:
    """Returns the scores that a test reports."""
    return (
      Score("perplexity of words", "perplexity", "num_nodes", is_share=False),
      Score("of words and edges", "tree_perplexity", "num_nodes", is_share=False),
      Score("all edges of a node", "edges", "num_nodes"),
      Score("right word of five", "completion", "num_completions"),
      Score("exact trees", "exact", "num_generated"),
    )

  def defaults(self, data: str) -> dict[str, Any]:
    """Returns what the grammar's meanings, or the words of a treebank, need."""
    if data == GRAMMAR:
      return {"num_conditions": NUM_CONDITIONS}
    return {"min_count": 3, "epochs": 5}


def _pack(
  trees: list[DependencyTree], split: str, vocabulary: Vocabulary, known: list[DependencyTree]
) -> PackedDependencies:
  """Packs a split; what stands beside a blanked word are words of the trees in `known`."""
  return PackedDependencies.pack(trees, vocabulary, words_by_tag(known), _SEEDS[split])
