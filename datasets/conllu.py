"""Dependency treebanks in CoNLL-U, the format of Universal Dependencies."""

from __future__ import annotations

import gzip
import os
import pathlib
from collections.abc import Iterator

from recursive_tf._errors import DataError
from recursive_tf.datasets import _locations
from recursive_tf.datasets.dependencies import DependencyTree
from recursive_tf.datasets.ptb import ReadReport
from recursive_tf.datasets.treebank import SPLITS

# The universal parts of speech; a word of any other is "X".
UPOS = (
  "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
)
_TAG = {name: index for index, name in enumerate(UPOS)}
_UD_FOLDER = "ud_ewt"


def read_conllu(
  path: str | os.PathLike[str], *, skip_bad: bool = False, report: ReadReport | None = None
) -> list[DependencyTree]:
  """Reads trees; ranges (1-2) and empty nodes (1.1) are not part of them.

  Args:
    path: a file, gzipped if its name ends in .gz.
    skip_bad: leave malformed sentences out and count them, instead of raising at the first.
    report: counts are added to it.

  Raises:
    DataError: If the file cannot be read or is malformed.
  """
  report = report if report is not None else ReadReport()
  trees = []
  for number, rows in _sentences(pathlib.Path(path)):
    try:
      trees.append(_tree(rows))
    except (DataError, ValueError, IndexError) as error:
      located = DataError(f"{path}:{number}: {error}")
      if not skip_bad:
        raise located from error
      report.skip(located)
  report.num_trees += len(trees)
  return trees


def load_conllu_treebank(
  directory: str | os.PathLike[str],
  *,
  skip_bad: bool = False,
  report: ReadReport | None = None,
) -> dict[str, list[DependencyTree]]:
  """Reads train, dev and test of a directory: NAME-train.conllu or .conllu.gz, and so on.

  Arguments and errors as `read_conllu`.
  """
  splits = {}
  for split in SPLITS:
    files = sorted(pathlib.Path(directory).glob(f"*{split}.conllu*"))
    if not files:
      raise DataError(f"{directory}: expected a file NAME-{split}.conllu or .conllu.gz.")
    splits[split] = read_conllu(files[0], skip_bad=skip_bad, report=report)
  return splits


def load_ud(
  *, skip_bad: bool = False, report: ReadReport | None = None
) -> dict[str, list[DependencyTree]]:
  """Reads the English Web Treebank of Universal Dependencies from $RECURSIVE_TF_DATA/ud_ewt.

  Arguments and errors as `read_conllu`.
  """
  data = _locations.data_directory()
  if data is None or not (data / _UD_FOLDER).is_dir():
    raise DataError(
      f"The English Web Treebank is not in ${_locations.DATA_VARIABLE}/{_UD_FOLDER}.\n"
      "Get en_ewt-ud-{train,dev,test}.conllu from\n"
      "  https://github.com/UniversalDependencies/UD_English-EWT\n"
      f"and set {_locations.DATA_VARIABLE} to the directory that holds {_UD_FOLDER}/, or name the "
      "directory of these files: --data DIR."
    )
  return load_conllu_treebank(data / _UD_FOLDER, skip_bad=skip_bad, report=report)


def _sentences(path: pathlib.Path) -> Iterator[tuple[int, list[list[str]]]]:
  """Yields (number of its first line, rows of its words) of each sentence."""
  rows: list[list[str]] = []
  start = 0
  try:
    opened = gzip.open(path, "rt", encoding="utf-8", newline="\n") if path.suffix == ".gz" else None
    with opened or open(path, encoding="utf-8", newline="\n") as file:
      for number, line in enumerate(file, 1):
        line = line.rstrip("\r\n")
        if not line and rows:
          yield start, rows
          rows = []
        elif line and not line.startswith("#"):
          start = start if rows else number
          rows.append(line.split("\t"))
  except (OSError, EOFError, UnicodeDecodeError) as error:
    raise DataError(f"{path}: cannot read the treebank: {error}.") from error
  if rows:
    yield start, rows


def _tree(rows: list[list[str]]) -> DependencyTree:
  rows = [row for row in rows if "-" not in row[0] and "." not in row[0]]
  if any(int(row[0]) != place for place, row in enumerate(rows, 1)):
    raise DataError("the words are not numbered 1, 2, ...")
  return DependencyTree(
    words=tuple(row[1] for row in rows),
    heads=tuple(int(row[6]) - 1 for row in rows),
    tags=tuple(_TAG.get(row[3], _TAG["X"]) for row in rows),
  )
