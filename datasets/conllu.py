"""Dependency treebanks in CoNLL-U, the format of Universal Dependencies.

A line is a word in ten columns, divided by tabs. A blank line ends a sentence, `#` begins a
comment.
https://universaldependencies.org/format.html
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
from collections.abc import Iterator

from recursive_tf._errors import DataError
from recursive_tf.datasets import _locations
from recursive_tf.datasets.dependencies import DependencyTree
from recursive_tf.datasets.ptb import BYTE_ORDER_MARK, ReadReport, decode_line, read_bytes
from recursive_tf.datasets.ptb_syntax import malformed, shorten
from recursive_tf.datasets.treebank import SPLITS

# The universal parts of speech; a word of any other is "X".
UPOS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
_TAG = {name: index for index, name in enumerate(UPOS)}
_UD_FOLDER = "ud_ewt"
_NUM_COLUMNS = 10
_ID, _FORM, _UPOS, _XPOS, _FEATS, _HEAD, _DEPREL = 0, 1, 3, 4, 5, 6, 7
_NONE = "_"
_RANGE_OR_EMPTY_NODE = re.compile(r"\d+-\d+|\d+\.\d+", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_MAX_SHOWN_WORDS = 8
_SUFFIXES = (".conllu", ".conllu.gz")


def read_conllu(
  path: str | os.PathLike[str], *, skip_bad: bool = False, report: ReadReport | None = None
) -> list[DependencyTree]:
  """Reads trees, with relations, both parts of speech and features of their words.

  Ranges (1-2) and empty nodes (1.1) are not part of them.

  Args:
    path: a file, gzipped or not (told by content).
    skip_bad: leave malformed sentences out and count them, instead of raising at the first.
    report: counts are added to it.

  Raises:
    DataError: If the file cannot be read or is malformed.
  """
  return parse_conllu(read_bytes(pathlib.Path(path)), path, skip_bad=skip_bad, report=report)


def parse_conllu(
  content: bytes,
  source: str | os.PathLike[str],
  *,
  skip_bad: bool = False,
  report: ReadReport | None = None,
) -> list[DependencyTree]:
  """Reads trees from what a file holds; `source` names it in errors, as `read_conllu` else."""
  path = pathlib.Path(source)
  report = report if report is not None else ReadReport()
  trees = []
  for lines in _sentences(content):
    try:
      trees.append(_tree([_Row.read(path, number, line) for number, line in lines]))
    except DataError as error:
      if not skip_bad:
        raise
      report.skip(error)
  report.num_trees += len(trees)
  return trees


def is_conllu(content: bytes) -> bool:
  """Tells whether a text is meant to be CoNLL-U: its first line that is no comment has tabs."""
  for line in content.removeprefix(BYTE_ORDER_MARK).split(b"\n"):
    if line.strip() and not line.startswith(b"#"):
      return line.count(b"\t") > 1
  return False


def load_conllu(
  path: str | os.PathLike[str], *, skip_bad: bool = False, report: ReadReport | None = None
) -> list[DependencyTree]:
  """Reads a file as `read_conllu`; one without a tree is an error, too."""
  trees = read_conllu(path, skip_bad=skip_bad, report=report)
  if not trees:
    raise DataError(f"{path}: holds no tree. Expected sentences in CoNLL-U, a line for each word.")
  return trees


def find_conllu(directory: str | os.PathLike[str], split: str) -> pathlib.Path:
  """Returns the file of a split: NAME-test.conllu or .conllu.gz, the former if there are both.

  Raises:
    DataError: If there is none, or more than one NAME.
  """
  expected = f"expected a file NAME-{split}.conllu or .conllu.gz"
  found: dict[str, pathlib.Path] = {}
  for suffix in _SUFFIXES:
    for path in sorted(pathlib.Path(directory).glob(f"*{split}{suffix}")):
      found.setdefault(path.name.removesuffix(suffix), path)
  if len(found) > 1:
    names = " and ".join(path.name for path in found.values())
    raise DataError(f"{directory}: {expected}, got {names}. Leave one of them there.")
  if not found:
    others = [other for other in SPLITS if any(pathlib.Path(directory).glob(f"*{other}.conllu*"))]
    rest = f" It has {' and '.join(others)}." if others else ""
    raise DataError(f"{directory}: {expected}.{rest}")
  return next(iter(found.values()))


def load_conllu_treebank(
  directory: str | os.PathLike[str],
  *,
  skip_bad: bool = False,
  report: ReadReport | None = None,
) -> dict[str, list[DependencyTree]]:
  """Reads train, dev and test of a directory: NAME-train.conllu or .conllu.gz, and so on.

  Arguments and errors as `load_conllu`.
  """
  paths = {split: find_conllu(directory, split) for split in SPLITS}
  return {
    split: load_conllu(path, skip_bad=skip_bad, report=report) for split, path in paths.items()
  }


def load_ud(
  *, skip_bad: bool = False, report: ReadReport | None = None
) -> dict[str, list[DependencyTree]]:
  """Reads the English Web Treebank of Universal Dependencies from $RECURSIVE_TF_DATA/ud_ewt.

  Arguments and errors as `load_conllu`.
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


def _sentences(content: bytes) -> Iterator[list[tuple[int, bytes]]]:
  """Yields (number, line) of the lines of each sentence, without comments."""
  lines: list[tuple[int, bytes]] = []
  for number, line in enumerate(content.removeprefix(BYTE_ORDER_MARK).split(b"\n"), 1):
    if not line.strip(b" \r"):
      if lines:
        yield lines
      lines = []
    elif not line.startswith(b"#"):
      lines.append((number, line.removesuffix(b"\r")))
  if lines:
    yield lines


@dataclasses.dataclass(slots=True)
class _Row:
  """One line of a sentence."""

  path: pathlib.Path
  number: int
  text: str
  columns: list[str]

  @classmethod
  def read(cls, path: pathlib.Path, number: int, line: bytes) -> _Row:
    text = decode_line(line, path, number, "sentence")
    row = cls(path, number, text, text.split("\t"))
    count = len(row.columns)
    if count != _NUM_COLUMNS:
      offset = len(text) if count < _NUM_COLUMNS else row.offset(_NUM_COLUMNS)
      raise row.error_at(offset, f"{_NUM_COLUMNS} columns divided by tabs", str(count))
    return row

  def offset(self, column: int) -> int:
    """Returns where a column begins."""
    return sum(len(text) + 1 for text in self.columns[:column])

  def error(self, column: int, expected: str, got: str | None = None) -> DataError:
    shown = shorten(self.columns[column]) if got is None else got
    return self.error_at(self.offset(column), expected, shown)

  def error_at(self, offset: int, expected: str, got: str) -> DataError:
    path, number = str(self.path), self.number
    return malformed(path, number, offset + 1, expected, got, self.text, "sentence")


def _tree(rows: list[_Row]) -> DependencyTree:
  words: list[_Row] = []
  for row in rows:
    if _RANGE_OR_EMPTY_NODE.fullmatch(row.columns[_ID]):
      continue
    if row.columns[_ID] != str(len(words) + 1):
      raise row.error(_ID, f"word number {len(words) + 1}")
    if not row.columns[_FORM]:
      raise row.error(_FORM, "a word", "nothing")
    words.append(row)
  if not words:
    raise rows[0].error(_ID, "word number 1")
  return DependencyTree(
    words=tuple(row.columns[_FORM] for row in words),
    heads=_heads(words),
    tags=tuple(_TAG.get(row.columns[_UPOS], _TAG["X"]) for row in words),
    relations=tuple(row.columns[_DEPREL] for row in words),
    xpos=tuple(row.columns[_XPOS] for row in words),
    features=tuple(map(_features, words)),
  )


def _features(row: _Row) -> tuple[tuple[str, str], ...]:
  """Returns (name, value) of each feature: Case=Nom|Number=Sing."""
  text = row.columns[_FEATS]
  if text in (_NONE, ""):
    return ()
  pairs = []
  offset = row.offset(_FEATS)
  for feature in text.split("|"):
    name, sign, value = feature.partition("=")
    if not (name and sign and value):
      raise row.error_at(offset, "a feature, NAME=VALUE, divided by '|'", shorten(feature))
    pairs.append((name, value))
    offset += len(feature) + 1
  return tuple(pairs)


def _heads(words: list[_Row]) -> tuple[int, ...]:
  """Returns the place of each word's head, -1 for the root; they form a tree."""
  heads: list[int] = []
  for row in words:
    text = row.columns[_HEAD]
    if not _NUMBER.fullmatch(text) or int(text) > len(words):
      raise row.error(_HEAD, f"the number of the word's head, 0 to {len(words)}")
    if int(text) == 0 and -1 in heads:
      first = words[heads.index(-1)].number
      raise row.error(_HEAD, f"one root, the word with head 0 of line {first}", "a second one")
    heads.append(int(text) - 1)
  leads_to_root: set[int] = {-1}
  for start in range(len(heads)):
    way: dict[int, None] = {}  # A set that keeps its order.
    place = start
    while place not in leads_to_root and place not in way:
      way[place] = None
      place = heads[place]
    if place in way:
      circle = list(way)[list(way).index(place) :]
      shown = ", ".join(str(k + 1) for k in circle[:_MAX_SHOWN_WORDS])
      shown += ", ..." if len(circle) > _MAX_SHOWN_WORDS else ""
      got = f"a circle: {shown}, {place + 1}"
      raise words[place].error(_HEAD, "heads that lead to a root, the word with head 0", got)
    leads_to_root.update(way)
  return tuple(heads)
