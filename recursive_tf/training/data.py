"""From the name of a treebank to packed splits for one task."""

from __future__ import annotations

import collections
import dataclasses
import difflib
import hashlib
import pathlib
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from recursive_tf._errors import CheckpointError, DataError
from recursive_tf.datasets import (
  PackedTrees,
  ReadReport,
  Tree,
  Vocabulary,
  epoch_order,
  load_sample,
  load_sst,
  load_treebank,
)
from recursive_tf.datasets.tree import NO_LABEL
from recursive_tf.datasets.treebank import find_split, load_trees_of
from recursive_tf.models.labels import NEUTRAL, Task
from recursive_tf.training import files
from recursive_tf.training.config import REMEDY, RunConfig
from recursive_tf.training.files import in_one_piece, reason_of
from recursive_tf.training.problem import Splits

VOCABULARY_NAME = "vocabulary.txt"
# Samples are drawn with a seed of their own: runs with different seeds see the same trees.
_SAMPLE_SEED = 2013
_NAMES = ("sample", "sst")
_EXPECTED = (
  "Expected sample, sst, or a directory with train, dev and test, each as .txt or .txt.gz, one "
  "tree in brackets a line."
)

_T = TypeVar("_T")


class QuietReport(ReadReport):
  """Of those who want no bars while a treebank is read."""


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
    limit: trees to keep of each split, a sample, 0 for all.
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
    trees = load_sst(skip_bad=skip_bad, progress=shows_bars(report), report=report)
  else:
    check_directory(data, _EXPECTED, _NAMES)
    trees = load_treebank(data, skip_bad=skip_bad, progress=shows_bars(report), report=report)
  return {split: take_sample(part, limit) for split, part in trees.items()}


def load_trees_to_test(
  data: str, split: str, limit: int = 0, skip_bad: bool = False, report: ReadReport | None = None
) -> list[Tree]:
  """Loads one split of a treebank, or a single file; arguments and errors as `load_trees`."""
  if data in ("sample", "sst"):
    return load_trees(data, limit, skip_bad, report)[split]
  path = pathlib.Path(data)
  if not path.is_file():
    check_directory(data, _EXPECTED, _NAMES)
    path = find_split(data, split)
  trees = load_trees_of(path, skip_bad=skip_bad, progress=shows_bars(report), report=report)
  return take_sample(trees, limit)


def shows_bars(report: ReadReport | None) -> bool:
  """Tells whether a bar is shown while a treebank is read, in a terminal."""
  return not isinstance(report, QuietReport)


def check_directory(data: str, expected: str, names: Sequence[str]) -> None:
  """Checks that `--data` names a directory.

  Raises:
    DataError: If it does not; ends with `expected`, after that of `names` which may be meant.
  """
  path = pathlib.Path(data)
  if not data:
    raise DataError(f"--data is empty. {expected}")
  if path.is_file():
    raise DataError(
      f"--data {data}: this is a file, which has no training split. {expected} A single file can "
      f"be evaluated: recursive-tf eval RUN_DIR --data {data}"
    )
  if not path.is_dir():
    close = difflib.get_close_matches(data.lower(), names, n=1)
    meant = f"Did you mean {close[0]}? " if close else ""
    raise DataError(f"--data {data}: no such directory. {meant}{expected}")


def take_sample(trees: Sequence[_T], limit: int) -> list[_T]:
  """Returns a sample of `limit` trees in their order, or all for 0; the same in every run.

  Treebanks are sorted, so the first trees would be of one kind. A smaller sample is part of every
  larger one.
  """
  if not limit or limit >= len(trees):
    return list(trees)
  chosen = epoch_order(len(trees), _SAMPLE_SEED, 0)[:limit]
  return [trees[index] for index in sorted(chosen)]


def make_vocabulary(trees: Iterable[Tree], lowercase: bool, min_count: int) -> Vocabulary:
  """Collects words; the same trees give the same ids."""
  words = (node.word for tree in trees for node in tree.post_order() if node.word is not None)
  counts = collections.Counter(word.lower() if lowercase else word for word in words)
  kept = sorted((-count, word) for word, count in counts.items() if count >= min_count)
  return vocabulary_class(lowercase)(word for _, word in kept)


def load_vocabulary(path: pathlib.Path, config: RunConfig) -> Vocabulary:
  """Reads the vocabulary of a run.

  Raises:
    CheckpointError: If it is not there, or not as it was written.
  """
  try:
    vocabulary = vocabulary_class(config.lowercase).load(path)
  except DataError as error:
    raise CheckpointError(f"{error} {REMEDY}") from error
  if config.vocabulary_digest not in ("", digest_of_vocabulary(vocabulary)):
    raise CheckpointError(
      f"{path}: damaged: these are not the words that the run was started with. {REMEDY}"
    )
  return vocabulary


def save_vocabulary(path: pathlib.Path, vocabulary: Vocabulary) -> None:
  """Writes the vocabulary of a run.

  Raises:
    CheckpointError: If that is not possible.
  """
  try:
    in_one_piece(vocabulary.save, path)
  except OSError as error:
    raise CheckpointError(
      f"{path}: cannot be written: {reason_of(error)}. {files.REMEDY}"
    ) from error


def pack_for_task(trees: list[Tree], vocabulary: Vocabulary, task: Task, name: str) -> PackedTrees:
  """Packs the trees that have a class at the root in `task`.

  Raises:
    DataError: If there are none.
  """
  packed = PackedTrees.pack(trees, vocabulary)
  has_class = packed.root_label != NO_LABEL
  if task.is_binary:
    has_class &= packed.root_label != NEUTRAL
  if not has_class.all():
    packed = packed.select(np.flatnonzero(has_class))
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
    limit: trees to keep of each split, a sample, 0 for all.
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
  return Splits(packed["train"], packed["dev"], packed["test"], vocabulary)


def digest_of_splits(splits: Splits) -> str:
  """Returns a number that other trees, or the same ones with other words, do not have."""
  digest = hashlib.sha256()
  for packed in (splits.train, splits.dev, splits.test):
    _add_arrays(packed, digest.update)
  return digest.hexdigest()


def digest_of_vocabulary(vocabulary: Vocabulary) -> str:
  """Returns a number that other words, or the same ones in another order, do not have."""
  return hashlib.sha256("\n".join(vocabulary.words).encode()).hexdigest()


def _add_arrays(packed: Any, add: Any) -> None:
  for field in dataclasses.fields(packed):
    array = getattr(packed, field.name)
    if dataclasses.is_dataclass(array):
      _add_arrays(array, add)
      continue
    add(f"{field.name} {array.shape} ".encode())
    add(np.ascontiguousarray(array).tobytes())


def vocabulary_class(lowercase: bool) -> type[Vocabulary]:
  """Returns the type of vocabularies whose words are in lower case, or as they are."""
  return LowercaseVocabulary if lowercase else Vocabulary
