"""From the name of a treebank to packed splits for one task."""

from __future__ import annotations

import collections
import pathlib
from collections.abc import Iterable

import numpy as np

from recursive_tf._errors import DataError
from recursive_tf.datasets import (
  PackedTrees,
  ReadReport,
  Tree,
  Vocabulary,
  load_sample,
  load_sst,
  load_treebank,
)
from recursive_tf.models.labels import NEUTRAL, Task
from recursive_tf.training.problem import Splits

VOCABULARY_NAME = "vocabulary.txt"


class LowercaseVocabulary(Vocabulary):
  """A vocabulary that knows words in lower case only, and looks every word up as such."""

  def lookup(self, word: str) -> int:
    """Returns the id of the word in lower case, 0 if it is unknown."""
    return super().lookup(word.lower())


def load_trees(
  data: str, limit: int = 0, skip_bad: bool = False, report: ReadReport | None = None
) -> dict[str, list[Tree]]:
  """Loads a treebank by name.

  Args:
    data: "sample", "sst" or a directory.
    limit: trees to keep of each split, 0 for all.
    skip_bad: leave malformed lines out and count them in `report`.
    report: counts are added to it.

  Returns:
    {"train": trees, "dev": trees, "test": trees}.

  Raises:
    DataError: If the data is missing or malformed.
  """
  if data == "sample":
    trees = load_sample()
  elif data == "sst":
    trees = load_sst(skip_bad=skip_bad, progress=True, report=report)
  elif pathlib.Path(data).exists():
    trees = load_treebank(data, skip_bad=skip_bad, progress=True, report=report)
  else:
    raise DataError(
      f"--data {data}: no such directory. Expected sample, sst, or a directory with train, dev and "
      "test, each as .txt or .txt.gz, one tree in brackets a line."
    )
  return {split: part[: limit or None] for split, part in trees.items()}


def make_vocabulary(trees: Iterable[Tree], lowercase: bool, min_count: int) -> Vocabulary:
  """Collects words; the same trees give the same ids."""
  words = (node.word for tree in trees for node in tree.post_order() if node.word is not None)
  counts = collections.Counter(word.lower() if lowercase else word for word in words)
  kept = sorted((-count, word) for word, count in counts.items() if count >= min_count)
  return vocabulary_class(lowercase)(word for _, word in kept)


def load_vocabulary(path: pathlib.Path, lowercase: bool) -> Vocabulary:
  """Reads the vocabulary of a run."""
  return vocabulary_class(lowercase).load(path)


def pack_for_task(trees: list[Tree], vocabulary: Vocabulary, task: Task, name: str) -> PackedTrees:
  """Packs the trees that have a class at the root in `task`.

  Raises:
    DataError: If there are none.
  """
  packed = PackedTrees.pack(trees, vocabulary)
  if task.is_binary:
    packed = packed.select(np.flatnonzero(packed.root_label != NEUTRAL))
  if not len(packed):
    raise DataError(f"{name}: no tree has a class at its root in the {task.name} task.")
  return packed


def load_splits(
  data: str,
  task: Task,
  *,
  limit: int = 0,
  skip_bad: bool = False,
  lowercase: bool = True,
  min_count: int = 1,
  vocabulary: Vocabulary | None = None,
  report: ReadReport | None = None,
) -> Splits:
  """Loads and packs a treebank; arguments as above.

  Args:
    data: "sample", "sst" or a directory.
    task: decides which trees have a class at the root.
    limit: trees to keep of each split, 0 for all.
    skip_bad: leave malformed lines out.
    lowercase: whether words are lowercased.
    min_count: words that occur less often in the training trees are unknown words.
    vocabulary: gives the ids, instead of one made of the training trees.
    report: counts of the reader are added to it.
  """
  trees = load_trees(data, limit, skip_bad, report)
  if vocabulary is None:
    vocabulary = make_vocabulary(trees["train"], lowercase, min_count)
  packed = {
    split: pack_for_task(part, vocabulary, task, f"{data}, split {split}")
    for split, part in trees.items()
  }
  return Splits(**packed, vocabulary=vocabulary)


def vocabulary_class(lowercase: bool) -> type[Vocabulary]:
  """Returns the type of vocabularies whose words are in lower case, or as they are."""
  return LowercaseVocabulary if lowercase else Vocabulary
