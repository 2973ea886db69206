"""SICK: pairs of sentences with their relatedness, and the dependency parses of both.

Marelli et al., "A SICK cure for the evaluation of compositional distributional semantic models",
LREC 2014. The parses are in the layout that Tai et al. (ACL 2015) wrote for their Child-Sum
Tree-LSTM: in a folder for each split, a line for each pair, a.toks and b.toks (words), a.parents
(number of each word's head, 0 for the root), a.rels (relations), sim.txt and id.txt.
"""

from __future__ import annotations

import dataclasses
import io
import os
import pathlib
import re
import tarfile
import zlib
from collections.abc import Callable

import numpy as np

from recursive_tf._errors import DataError
from recursive_tf.datasets import _locations
from recursive_tf.datasets.dependencies import DependencyTree
from recursive_tf.datasets.ptb import decode_line, read_bytes
from recursive_tf.datasets.ptb_syntax import malformed, shorten
from recursive_tf.datasets.treebank import SPLITS

LEAST, MOST = 1.0, 5.0  # Of relatedness.
_ARCHIVE = "sick_dep.tar.gz"
_SCORE = re.compile(r"[0-9](\.[0-9]+)?", re.ASCII)
_PIECE = re.compile(r"[^ ]+")
_COLUMNS = ("a.toks", "a.parents", "a.rels", "b.toks", "b.parents", "b.rels", "sim.txt", "id.txt")


@dataclasses.dataclass(frozen=True)
class SickPair:
  """Two sentences.

  Attributes:
    number: of the pair in SICK.
    a, b: the sentences; `relations` are set, `tags` are 0.
    relatedness: mean of ten people's answers, 1 (unrelated) .. 5 (the same meaning).
  """

  number: int
  a: DependencyTree
  b: DependencyTree
  relatedness: float


def load_sick(path: str | os.PathLike[str] | None = None) -> dict[str, list[SickPair]]:
  """Reads train, dev (SICK's trial) and test.

  Args:
    path: a folder that holds sick_dep.tar.gz, or train, dev and test unpacked from it; else
      $RECURSIVE_TF_DATA/sick.

  Returns:
    {"train": 4500 pairs, "dev": 500, "test": 4927}.

  Raises:
    DataError: If files are missing, damaged or malformed; names file, line and column.
  """
  folder, read = _open(path)
  return {split: _read_split(folder / split, read) for split in SPLITS}


def load_sick_split(path: str | os.PathLike[str] | None, split: str) -> list[SickPair]:
  """Reads one split, "train", "dev" or "test"; arguments and errors as `load_sick`."""
  folder, read = _open(path)
  return _read_split(folder / split, read)


def _open(
  path: str | os.PathLike[str] | None,
) -> tuple[pathlib.Path, Callable[[pathlib.Path], bytes]]:
  """Returns the folder of the splits, and what reads files below it."""
  folder = pathlib.Path(path) if path is not None else _find()
  if (folder / _ARCHIVE).is_file():
    return folder / _ARCHIVE, _read_archive(folder / _ARCHIVE).__getitem__
  return folder, read_bytes


def relatedness_distribution(relatedness: np.ndarray) -> np.ndarray:
  """Returns the distribution over 1 .. 5 that Tai et al. train on; its mean is the relatedness.

  Args:
    relatedness: float [B], 1 .. 5.

  Returns:
    float32 [B, 5]; section 4.2 of the paper: all weight is on the two whole numbers next to it.

  Raises:
    DataError: If a number is out of range.
  """
  scores = np.asarray(relatedness, np.float64)
  if not ((scores >= LEAST) & (scores <= MOST)).all():
    raise DataError("relatedness_distribution: a score is not in 1 .. 5.")
  lower = np.minimum(np.floor(scores), MOST - 1).astype(np.int64)
  rows = np.arange(len(scores))
  found = np.zeros([len(scores), int(MOST)], np.float32)
  found[rows, lower - 1] = lower + 1 - scores
  found[rows, lower] = scores - lower
  return found


def _find() -> pathlib.Path:
  data = _locations.data_directory()
  if data is None or not (data / "sick").is_dir():
    raise DataError(
      f"SICK is not in ${_locations.DATA_VARIABLE}/sick. Get its parses, as stanfordnlp/treelstm's "
      f"scripts write them, in folders train, dev and test or as {_ARCHIVE}, and set "
      f"{_locations.DATA_VARIABLE} to the directory that holds sick/, or give the path: "
      "load_sick('DIR')."
    )
  return data / "sick"


def _read_archive(path: pathlib.Path) -> dict[pathlib.Path, bytes]:
  """Returns the files of the archive, by split and name below its own path."""
  found: dict[pathlib.Path, bytes] = {}
  try:
    with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as archive:
      for member in archive:
        file = archive.extractfile(member)
        place = pathlib.PurePosixPath(member.name)
        if file is not None and place.parent.name in SPLITS:
          found[path / place.parent.name / place.name] = file.read()
  except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
    reason = str(error).splitlines()[0].rstrip(":")
    raise DataError(f"{path}: cannot read this archive: {reason}. Fetch it again.") from error
  for split in SPLITS:
    for name in _COLUMNS:
      if path / split / name not in found:
        raise DataError(f"{path}: the archive lacks {split}/{name}. Fetch it again.")
  return found


def _read_split(folder: pathlib.Path, read: Callable[[pathlib.Path], bytes]) -> list[SickPair]:
  files = {name: _File.read(folder / name, read) for name in _COLUMNS}
  counts = {name: len(file.lines) for name, file in files.items()}
  if len(set(counts.values())) > 1:
    raise DataError(f"{folder}: files of one split have a line for each pair, got {counts}.")
  return [_pair(files, index) for index in range(counts["id.txt"])]


def _pair(files: dict[str, _File], index: int) -> SickPair:
  score, number = files["sim.txt"], files["id.txt"]
  text = score.lines[index]
  if not _SCORE.fullmatch(text) or not LEAST <= float(text) <= MOST:
    raise score.error(index, 0, "a relatedness of 1 to 5", shorten(text))
  if not re.fullmatch("[0-9]{1,9}", number.lines[index]):
    raise number.error(index, 0, "the number of a pair", shorten(number.lines[index]))
  a, b = (_tree(files, side, index) for side in "ab")
  return SickPair(int(number.lines[index]), a, b, float(text))


def _tree(files: dict[str, _File], side: str, index: int) -> DependencyTree:
  words, parents, relations = (files[f"{side}.{name}"] for name in ("toks", "parents", "rels"))
  found = _PIECE.findall(words.lines[index])
  if not found:
    raise words.error(index, 0, "the words of a sentence", "nothing")
  for file in (parents, relations):
    count = len(file.lines[index].split())
    if count != len(found):
      end = len(file.lines[index])
      raise file.error(
        index, end, f"{len(found)}, one for each word of {words.path.name}", str(count)
      )
  heads: list[int] = []
  for match in _PIECE.finditer(parents.lines[index]):
    text = match.group()
    if not re.fullmatch("[0-9]{1,4}", text) or int(text) > len(found):
      expected = f"the number of the word's head, 0 to {len(found)}"
      raise parents.error(index, match.start(), expected, shorten(text))
    heads.append(int(text) - 1)
  try:
    return DependencyTree(
      tuple(found),
      tuple(heads),
      (0,) * len(found),
      relations=tuple(_PIECE.findall(relations.lines[index])),
    )
  except DataError as error:
    what = "heads that lead to one root, a word with head 0"
    raise parents.error(index, 0, what, shorten(parents.lines[index])) from error


@dataclasses.dataclass(frozen=True)
class _File:
  """A file with a line for each pair."""

  path: pathlib.Path
  lines: list[str]

  @classmethod
  def read(cls, path: pathlib.Path, read: Callable[[pathlib.Path], bytes]) -> _File:
    lines = read(path).removesuffix(b"\n").split(b"\n")
    texts = [
      decode_line(line.removesuffix(b"\r"), path, number, can_skip=False)
      for number, line in enumerate(lines, 1)
    ]
    return cls(path, texts)

  def error(self, index: int, offset: int, expected: str, got: str) -> DataError:
    text = self.lines[index]
    return malformed(str(self.path), index + 1, offset + 1, expected, got, text, can_skip=False)
