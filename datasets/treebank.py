"""A treebank directory: the splits train, dev and test as one file each."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence

from recursive_tf._errors import DataError
from recursive_tf.datasets.ptb import Reader, ReadReport, read_ptb
from recursive_tf.datasets.tree import Tree

SPLITS = ("train", "dev", "test")
_SUFFIXES = (".txt", ".txt.gz")


def find_splits(directory: str | os.PathLike[str]) -> dict[str, pathlib.Path]:
  """Returns the files of the splits that exist in `directory`; `.txt` goes before `.txt.gz`."""
  found = {}
  for split in SPLITS:
    for suffix in _SUFFIXES:
      path = pathlib.Path(directory) / f"{split}{suffix}"
      if path.is_file():
        found[split] = path
        break
  return found


def load_treebank(
  directory: str | os.PathLike[str],
  *,
  reader: Reader = "fast",
  num_labels: int = 5,
  skip_bad: bool = False,
  progress: bool = False,
  report: ReadReport | None = None,
) -> dict[str, list[Tree]]:
  """Reads train, dev and test of a directory of binary trees.

  Args:
    directory: holds train, dev and test, each as .txt or .txt.gz.
    reader: "fast" or "nltk", as in `read_ptb`.
    num_labels: labels run from 0 to `num_labels` - 1.
    skip_bad: leave malformed lines out and count them, instead of raising at the first.
    progress: show bars for what takes long, where stderr is a terminal.
    report: counts are added to it.

  Returns:
    {"train": trees, "dev": trees, "test": trees}.

  Raises:
    DataError: If a file is missing, unreadable, malformed, or without a tree.
  """
  paths = find_splits(directory)
  missing = [split for split in SPLITS if split not in paths]
  if missing:
    raise _lacks(directory, missing)
  return {
    split: load_trees_of(
      path,
      reader=reader,
      num_labels=num_labels,
      skip_bad=skip_bad,
      progress=progress,
      report=report,
    )
    for split, path in paths.items()
  }


def find_split(directory: str | os.PathLike[str], split: str) -> pathlib.Path:
  """Returns the file of one split.

  Raises:
    DataError: If `directory` lacks it.
  """
  found = find_splits(directory)
  if split not in found:
    raise _lacks(directory, [split], list(found))
  return found[split]


def load_trees_of(
  path: str | os.PathLike[str],
  *,
  reader: Reader = "fast",
  num_labels: int = 5,
  skip_bad: bool = False,
  progress: bool = False,
  report: ReadReport | None = None,
) -> list[Tree]:
  """Reads one file of binary trees; arguments as `load_treebank`.

  Raises:
    DataError: If it is missing, unreadable, malformed, or without a tree.
  """
  trees = read_ptb(
    path,
    reader=reader,
    num_labels=num_labels,
    skip_bad=skip_bad,
    progress=progress,
    report=report,
  )
  if not trees:
    raise DataError(f"{path}: holds no tree. Expected one a line: (3 (2 good) (2 film)).")
  return trees


def _lacks(
  directory: str | os.PathLike[str], missing: Sequence[str], found: Sequence[str] = ()
) -> DataError:
  path = pathlib.Path(directory)
  names = ", ".join(f"{split}.txt (or .txt.gz)" for split in missing)
  state = "lacks" if path.is_dir() else "does not exist; expected in it:"
  if path.is_file():
    state = "is a file; expected a directory with"
  rest = f" It has {' and '.join(found)}." if found else ""
  return DataError(
    f"{directory}: the treebank directory {state} {names}.{rest}\n"
    "Put one tree a line there, in brackets: (3 (2 good) (2 film))."
  )
