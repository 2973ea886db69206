"""Dependency trees to generate: from meanings by a grammar, or as a treebank has them."""

from __future__ import annotations

import collections
import pathlib
from typing import Any

from recursive_tf._errors import DataError
from recursive_tf.datasets import (
  DependencyTree,
  PackedDependencies,
  ReadReport,
  Vocabulary,
  load_conllu_treebank,
  load_grammar,
  load_ud,
)
from recursive_tf.datasets.conllu import find_conllu, load_conllu
from recursive_tf.datasets.dependencies import words_by_tag
from recursive_tf.datasets.grammar_sentences import NUM_CONDITIONS
from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import check_directory, take_sample, vocabulary_class
from recursive_tf.training.problem import Curve, Panel, Problem, Score, Splits

_GRAMMAR, _UD = "grammar", "ud"
_EXPECTED = (
  "Expected grammar, ud, or a directory with CoNLL-U files of train, dev and test: "
  "NAME-train.conllu or .conllu.gz, and so on."
)
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
    trees = _load_trees(config, report)
    if vocabulary is None:
      vocabulary = _make_vocabulary(trees["train"], config)
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
    if (config.data == _GRAMMAR) != (trained_on.data == _GRAMMAR):
      raise DataError(
        f"--data {config.data}: the model was trained on {trained_on.data}. Sentences of {_GRAMMAR}"
        " say a meaning that is given, those of other data say none: a model knows one kind only."
      )
    trees = _load_trees_to_test(config, split, report)
    try:
      known = _load_trees(trained_on, ReadReport())["train"]
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
    if data == _GRAMMAR:
      return {"num_conditions": NUM_CONDITIONS}
    return {"min_count": 3, "epochs": 5}


def _load_trees(config: RunConfig, report: ReadReport) -> dict[str, list[DependencyTree]]:
  data, skip_bad = config.data, config.skip_bad
  if data == _GRAMMAR:
    trees = load_grammar()
  elif data == _UD:
    trees = load_ud(skip_bad=skip_bad, report=report)
  else:
    check_directory(data, _EXPECTED, (_GRAMMAR, _UD))
    trees = load_conllu_treebank(data, skip_bad=skip_bad, report=report)
  return {split: take_sample(part, config.limit) for split, part in trees.items()}


def _load_trees_to_test(config: RunConfig, split: str, report: ReadReport) -> list[DependencyTree]:
  if config.data in (_GRAMMAR, _UD):
    return _load_trees(config, report)[split]
  path = pathlib.Path(config.data)
  if not path.is_file():
    check_directory(config.data, _EXPECTED, (_GRAMMAR, _UD))
    path = find_conllu(path, split)
  trees = load_conllu(path, skip_bad=config.skip_bad, report=report)
  return take_sample(trees, config.limit)


def _make_vocabulary(trees: list[DependencyTree], config: RunConfig) -> Vocabulary:
  """Collects words; the same trees give the same ids."""
  words = (word.lower() if config.lowercase else word for tree in trees for word in tree.words)
  counts = collections.Counter(words)
  kept = sorted((-count, word) for word, count in counts.items() if count >= config.min_count)
  return vocabulary_class(config.lowercase)(word for _, word in kept)


def _pack(
  trees: list[DependencyTree], split: str, vocabulary: Vocabulary, known: list[DependencyTree]
) -> PackedDependencies:
  """Packs a split; what stands beside a blanked word are words of the trees in `known`."""
  return PackedDependencies.pack(trees, vocabulary, words_by_tag(known), _SEEDS[split])
