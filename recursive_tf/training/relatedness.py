"""How related two sentences are: SICK."""

from __future__ import annotations

import collections
import pathlib
from typing import Any

from recursive_tf._errors import ConfigError, DataError
from recursive_tf.datasets import (
  PackedPairs,
  ReadReport,
  SickPair,
  Vocabulary,
  load_sick,
  load_sick_split,
)
from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import check_directory, take_sample, vocabulary_class
from recursive_tf.training.dependencies import check_dependents
from recursive_tf.training.problem import Curve, Panel, Problem, Score, Splits

_SICK = "sick"
_EXPECTED = (
  "Expected sick, or a directory with sick_dep.tar.gz or with train, dev and test unpacked from it."
)
_CORRELATIONS = (("pearson", "Pearson", "tab:blue"), ("spearman", "Spearman", "tab:orange"))


class Relatedness(Problem):
  """Pairs of sentences with their relatedness: the models that compare them."""

  tasks = ("relatedness",)
  default_data = _SICK
  example = "pair"
  train_scores = ("pearson", "mse")
  dev_scores = ("pearson", "spearman", "mse")
  shown = (
    Score("Pearson", "pearson", "num_pairs", is_share=False),
    Score("MSE", "mse", "num_pairs", is_share=False),
  )
  panels = (
    Panel(
      "correlation with people's answers",
      (
        Curve("train_pearson", "train, Pearson", "--", "tab:blue"),
        *(Curve(f"dev_{name}", f"dev, {what}", "-", color) for name, what, color in _CORRELATIONS),
      ),
    ),
    Panel(
      "mean squared error",
      (
        Curve("train_mse", "train", "--", "tab:purple"),
        Curve("dev_mse", "dev", color="tab:purple"),
      ),
    ),
  )

  def load_splits(
    self, config: RunConfig, vocabulary: Vocabulary | None, report: ReadReport
  ) -> Splits:
    """Loads and packs the pairs."""
    _check(config)
    whole = load_sick(None if config.data == _SICK else config.data)
    pairs = {split: take_sample(part, config.limit) for split, part in whole.items()}
    for split, part in pairs.items():
      _check_dependents(part, config, split)
    if vocabulary is None:
      vocabulary = _make_vocabulary(pairs["train"], config)
    packed = {split: PackedPairs.pack(part, vocabulary) for split, part in pairs.items()}
    return Splits(packed["train"], packed["dev"], packed["test"], vocabulary)

  def load_test(
    self,
    config: RunConfig,
    split: str,
    vocabulary: Vocabulary,
    report: ReadReport,
    trained_on: RunConfig,
  ) -> PackedPairs:
    """Loads and packs one split."""
    _check(config)
    pairs = load_sick_split(None if config.data == _SICK else config.data, split)
    pairs = take_sample(pairs, config.limit)
    _check_dependents(pairs, config, split)
    return PackedPairs.pack(pairs, vocabulary)

  def make_model(self, config: RunConfig, model: Any, hyperparameters: Any, vocab_size: int) -> Any:
    """Makes a model that compares sentences."""
    return model(vocab_size, hyperparameters, seed=config.seed)

  def table(self, task: str) -> tuple[Score, ...]:
    """Returns the scores that a test reports."""
    return (
      Score("Pearson's r", "pearson", "num_pairs", is_share=False),
      Score("Spearman's rho", "spearman", "num_ranked", is_share=False),
      Score("mean squared error", "mse", "num_pairs", is_share=False),
    )


def _check(config: RunConfig) -> None:
  """Checks that there can be pairs in `--data`, and options that make sense of them.

  Raises:
    ConfigError, DataError: If not.
  """
  if config.skip_bad:
    raise ConfigError(
      "--skip-bad: the files of SICK have a line for each pair, of which none can be left out. "
      "Leave the option out."
    )
  if pathlib.Path(config.data).is_file():
    raise DataError(f"--data {config.data}: this is a file; a split of SICK is eight. {_EXPECTED}")
  if config.data != _SICK:
    check_directory(config.data, _EXPECTED, (_SICK,))


def _check_dependents(pairs: list[SickPair], config: RunConfig, split: str) -> None:
  trees = [tree for pair in pairs for tree in (pair.a, pair.b)]
  check_dependents(trees, config, f"--data {config.data}, split {split}")


def _make_vocabulary(pairs: list[SickPair], config: RunConfig) -> Vocabulary:
  """Collects words; the same pairs give the same ids."""
  words = (word for pair in pairs for tree in (pair.a, pair.b) for word in tree.words)
  counts = collections.Counter(word.lower() if config.lowercase else word for word in words)
  kept = sorted((-count, word) for word, count in counts.items() if count >= config.min_count)
  return vocabulary_class(config.lowercase)(word for _, word in kept)
