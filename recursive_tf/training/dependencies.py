"""From the name of a dependency treebank to trees and words."""

from __future__ import annotations

import collections
import pathlib
from collections.abc import Sequence

from recursive_tf._errors import DataError
from recursive_tf.datasets import (
  DependencyTree,
  ReadReport,
  Vocabulary,
  load_conllu_treebank,
  load_grammar,
  load_ud,
)
from recursive_tf.datasets.conllu import find_conllu, load_conllu
from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import check_directory, take_sample, vocabulary_class

GRAMMAR, UD = "grammar", "ud"


def load_dependencies(
  config: RunConfig, names: Sequence[str], report: ReadReport
) -> dict[str, list[DependencyTree]]:
  """Loads all splits.

  Args:
    config: the run.
    names: of data that it may name, GRAMMAR or UD; else it is a directory.
    report: counts of the reader are added to it.

  Raises:
    DataError: If the data is missing or malformed.
  """
  data, skip_bad = config.data, config.skip_bad
  if data in names:
    trees = load_grammar() if data == GRAMMAR else load_ud(skip_bad=skip_bad, report=report)
  else:
    check_directory(data, _expected(names), names)
    trees = load_conllu_treebank(data, skip_bad=skip_bad, report=report)
  return {split: take_sample(part, config.limit) for split, part in trees.items()}


def load_dependencies_to_test(
  config: RunConfig, split: str, names: Sequence[str], report: ReadReport
) -> list[DependencyTree]:
  """Loads one split, or a single file; arguments and errors as `load_dependencies`."""
  if config.data in names:
    return load_dependencies(config, names, report)[split]
  path = pathlib.Path(config.data)
  if not path.is_file():
    check_directory(config.data, _expected(names), names)
    path = find_conllu(path, split)
  trees = load_conllu(path, skip_bad=config.skip_bad, report=report)
  return take_sample(trees, config.limit)


def check_dependents(trees: Sequence[DependencyTree], config: RunConfig, source: str) -> None:
  """Checks that the model of a run takes as many dependents as words have: an N-ary one has places.

  Args:
    trees: what it is to learn from, or to predict on.
    config: the run.
    source: names the trees in errors.

  Raises:
    DataError: If a word has more.
  """
  places = config.hyperparameters.get("max_children")
  if places is None:
    return
  for tree in trees:
    counts = collections.Counter(tree.heads[: tree.root] + tree.heads[tree.root + 1 :])
    word, most = max(counts.items(), key=lambda item: item[1], default=(0, 0))
    if most > places:
      raise DataError(
        f"{source}: {most} words depend on {tree.words[word]!r} in {' '.join(tree.words)[:60]!r}, "
        f"expected at most {places}: {config.model} has places for so many. Train one with "
        f"--max-children {most}, or child-sum-treelstm, which takes any number."
      )


def make_vocabulary(trees: Sequence[DependencyTree], config: RunConfig) -> Vocabulary:
  """Collects words; the same trees give the same ids."""
  words = (word.lower() if config.lowercase else word for tree in trees for word in tree.words)
  counts = collections.Counter(words)
  kept = sorted((-count, word) for word, count in counts.items() if count >= config.min_count)
  return vocabulary_class(config.lowercase)(word for _, word in kept)


def _expected(names: Sequence[str]) -> str:
  return (
    f"Expected {', '.join(names)}, or a directory with CoNLL-U files of train, dev and test: "
    "NAME-train.conllu or .conllu.gz, and so on."
  )
