"""Treebank files for programs without recursive_tf: brackets to the arrays of a `PackedTrees`.

So that a peer that is timed from its start to its end reads its data itself.
"""

from __future__ import annotations

import collections
import gzip
import pathlib
import re
from collections.abc import Mapping, Sequence

import numpy as np

Packed = dict[str, np.ndarray]

_SAMPLE_SEED = 2013  # That of recursive_tf.training.data.

# The label of a node that opens; a node that closes; a word. Only ' ' separates: some words hold
# white space of another kind.
_TOKEN = re.compile(r"\( *(\d+)|(\))|([^ ()]+)")


class _Text:
  """The trees of one file, their nodes in post-order; words are not numbered yet."""

  def __init__(self, lines: Sequence[str]):
    self.words: list[str | None] = []
    self.label: list[int] = []
    self.left: list[int] = []
    self.right: list[int] = []
    self.splits = [0]
    for line in lines:
      self._read(line)
      self.splits.append(len(self.words))

  def _read(self, line: str) -> None:
    first = self.splits[-1]
    labels: list[int] = []  # Of the nodes that are open.
    complete: list[int] = []  # Nodes whose parent is still open.
    word = None
    for label, closes, text in _TOKEN.findall(line):
      if label:
        labels.append(int(label))
      elif not closes:
        word = text
      else:
        is_leaf = word is not None
        self.right.append(-1 if is_leaf else complete.pop())
        self.left.append(-1 if is_leaf else complete.pop())
        self.words.append(word)
        self.label.append(labels.pop())
        complete.append(len(self.words) - 1 - first)
        word = None


def read_splits(files: Mapping[str, pathlib.Path], limit: int = 0) -> tuple[dict[str, Packed], int]:
  """Reads a treebank as `recursive-tf train --task binary` does.

  Args:
    files: of "train" and of other splits, as text or gzipped, one binary tree a line.
    limit: trees to keep of each, 0 for all; the sample that the command takes.

  Returns:
    (splits, vocab_size): the trees that are not neutral at the root, by split; the vocabulary is
    that of all training trees, in lower case, the most frequent word first, 0 for unknown words.
  """
  texts = {split: _Text(_sample(_lines(path), limit)) for split, path in files.items()}
  counts = collections.Counter(word.lower() for word in texts["train"].words if word is not None)
  ordered = sorted((-count, word) for word, count in counts.items())
  ids = {word: number for number, (_, word) in enumerate(ordered, 1)}
  return {split: _not_neutral(_pack(text, ids)) for split, text in texts.items()}, len(ids) + 1


def _lines(path: pathlib.Path) -> list[str]:
  content = path.read_bytes()
  text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
  # Not splitlines, which also splits inside words.
  lines = (line.removesuffix("\r") for line in text.split("\n"))
  return [line for line in lines if line.strip()]


def _sample(lines: list[str], limit: int) -> list[str]:
  if not limit or limit >= len(lines):
    return lines
  bits = np.random.PCG64(np.random.SeedSequence([_SAMPLE_SEED, 0])).random_raw(len(lines))
  return [lines[index] for index in sorted(np.argsort(bits, kind="stable")[:limit])]


def _pack(text: _Text, ids: Mapping[str, int]) -> Packed:
  words = [-1 if word is None else ids.get(word.lower(), 0) for word in text.words]
  columns = {"word": words, "label": text.label, "left": text.left, "right": text.right}
  arrays = {name: np.array(column, np.int32) for name, column in columns.items()}
  return {**arrays, "node_splits": np.array(text.splits, np.int64)}


def _not_neutral(packed: Packed) -> Packed:
  """Returns the trees that have a class at the root."""
  splits = packed.pop("node_splits")
  lengths = np.diff(splits)
  kept = packed["label"][splits[1:] - 1] != 2
  nodes = np.repeat(kept, lengths)
  columns = {name: column[nodes] for name, column in packed.items()}
  return {**columns, "node_splits": np.concatenate([[0], np.cumsum(lengths[kept])])}
