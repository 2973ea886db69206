"""Pretrained word vectors as text: GloVe's format, and word2vec's.

A line is a word and its numbers, divided by spaces. word2vec's format begins with a line of its
own, the number of words and their size; GloVe's does not. A file is read once, line by line, and
only what the vocabulary has is kept: files are far larger than memory.

Pennington, Socher and Manning, "GloVe: Global Vectors for Word Representation", EMNLP 2014;
Mikolov et al., "Efficient Estimation of Word Representations in Vector Space", 2013.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gzip
import hashlib
import os
import pathlib
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import tqdm

from recursive_tf._errors import DataError
from recursive_tf.datasets.ptb import BYTE_ORDER_MARK
from recursive_tf.datasets.vocabulary import UNKNOWN, Vocabulary

_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_BAR_DELAY_SECONDS = 1.0
_MAX_SHOWN_BYTES = 40
# No line of a text file is as long; a binary one may have no line at all.
_MOST_DIGITS = 12
_LONGEST_LINE = 1 << 20


@dataclasses.dataclass(frozen=True, eq=False)
class WordVectors:
  """The vectors that a file has for V words.

  Attributes:
    path: the file.
    vectors: float32 [V, D]; zeros where there is none.
    is_found: whether the file has a vector for each word, bool [V].
    num_lines: words in the file.
  """

  path: pathlib.Path
  vectors: np.ndarray
  is_found: np.ndarray
  num_lines: int

  @property
  def size(self) -> int:
    """D, the numbers of a vector."""
    return self.vectors.shape[1]

  @property
  def coverage(self) -> float:
    """Share of the vocabulary's words that have a vector; the unknown word does not count."""
    return float(self.is_found[1:].mean()) if len(self.is_found) > 1 else 0.0

  @property
  def digest(self) -> str:
    """A number that other vectors do not have."""
    digest = hashlib.sha256(np.packbits(self.is_found).tobytes())
    digest.update(np.ascontiguousarray(self.vectors).tobytes())
    return digest.hexdigest()

  def __str__(self) -> str:
    found, words = int(self.is_found[1:].sum()), len(self.is_found) - 1
    return (
      f"{found:,} of {words:,} words ({self.coverage:.1%}) have a vector in {self.path} "
      f"({self.num_lines:,} x {self.size})"
    )


def vector_size(path: str | os.PathLike[str]) -> int:
  """Returns the numbers of a vector in a file, from its first line.

  Raises:
    DataError: If the file cannot be read or its first line is malformed.
  """
  path = pathlib.Path(path)
  with _opened(path, progress=False) as lines:
    return _Format.of(path, next(lines, b"")).size


def read_vectors(
  path: str | os.PathLike[str],
  vocabulary: Vocabulary,
  *,
  size: int | None = None,
  progress: bool = False,
) -> WordVectors:
  """Reads the vectors of a vocabulary's words.

  A word that is in the file more than once has its first vector. A vocabulary in lower case takes
  "the" before "The"; a word that is only there in another case, it takes from there.

  Args:
    path: UTF-8 text in GloVe's or word2vec's format, gzipped or not (told by content).
    vocabulary: the V words. `UNKNOWN` has the vector of a word spelled so, if there is one.
    size: D, the numbers of a vector; what the file has if None.
    progress: show a bar, where stderr is a terminal.

  Raises:
    DataError: If the file cannot be read, a line is malformed (named as file:line), it is of
      another size, or it has none of the words.
  """
  path = pathlib.Path(path)
  with _opened(path, progress) as lines:
    first = next(lines, b"")
    form = _Format.of(path, first)
    if size is not None and form.size != size:
      raise DataError(f"{path}:1: vectors of {form.size} numbers, expected {size}.")
    table = _Table(vocabulary, form)
    number = 1
    if form.num_words is None:
      table.take(number, first)
    for line in lines:
      number += 1
      table.take(number, line)
  num_lines = number - (form.num_words is not None)
  if form.num_words is not None and num_lines != form.num_words:
    raise DataError(
      f"{path}:1: says that {form.num_words:,} words follow, got {num_lines:,}. Is the file cut "
      "short? Fetch it again."
    )
  if not table.is_found[1:].any():
    raise DataError(
      f"{path}: has none of the {vocabulary.size - 1:,} words of the vocabulary. Are they of "
      "another language, or in upper case?"
    )
  return WordVectors(path, table.vectors, table.is_found, num_lines)


@dataclasses.dataclass(frozen=True)
class _Format:
  """What the first line says.

  Attributes:
    path: the file.
    size: D.
    num_words: of word2vec's first line; None in GloVe's format.
  """

  path: pathlib.Path
  size: int
  num_words: int | None

  @classmethod
  def of(cls, path: pathlib.Path, line: bytes) -> _Format:
    if line.startswith(_ZIP):
      raise DataError(f"{path}: this is a zip archive. Unpack it, and give the file of one size.")
    pieces = line.split()
    if len(pieces) == 2 and all(piece.isdigit() for piece in pieces):
      # More digits are none that a file's size could bear; a vector has to fit into a line.
      is_count = all(len(piece) <= _MOST_DIGITS and int(piece) for piece in pieces)
      if not is_count or int(pieces[1]) > _LONGEST_LINE // 2:
        raise _bad(path, 1, "the number of words and the size of their vectors", line)
      return cls(path, int(pieces[1]), int(pieces[0]))
    # The word of a first line is taken for one piece, such as GloVe's "," or "the".
    if len(pieces) < 2 or _numbers(pieces[1:]) is None:
      expected = "a word and its finite numbers, or how many words and numbers there are"
      raise _bad(path, 1, expected, line)
    return cls(path, len(pieces) - 1, None)


class _Table:
  """The vectors as they are found."""

  def __init__(self, vocabulary: Vocabulary, form: _Format):
    self._vocabulary = vocabulary
    self._form = form
    self._is_exact = np.zeros(vocabulary.size, bool)
    self.is_found = np.zeros(vocabulary.size, bool)
    self.vectors = np.zeros([vocabulary.size, form.size], np.float32)

  def take(self, number: int, line: bytes) -> None:
    """Takes a line, or passes over it."""
    form = self._form
    pieces = line.rstrip(b" \r\n").rsplit(b" ", form.size)
    if len(pieces) != form.size + 1 or not pieces[0]:
      expected = f"a word and {form.size} numbers divided by spaces"
      raise _bad(form.path, number, expected, line, f"{len(line.split())} pieces")
    # GloVe has a few words with bytes that are no text; no vocabulary has them.
    word = pieces[0].decode("utf-8", "replace")
    index = self._vocabulary.lookup(word)
    is_exact = self._vocabulary.words[index] == word
    if (index == 0 and word != UNKNOWN) or self._is_exact[index]:
      return
    if self.is_found[index] and not is_exact:
      return
    values = _numbers(pieces[1:])
    if values is None:
      raise _bad(form.path, number, f"{form.size} finite numbers after the word", line)
    self.vectors[index] = values
    self.is_found[index] = True
    self._is_exact[index] = is_exact


def _numbers(pieces: list[bytes]) -> np.ndarray | None:
  """Returns the numbers, None if they are none, or beyond 32 bits."""
  try:
    with np.errstate(over="ignore"):
      values = np.array([float(piece) for piece in pieces], np.float32)
  except ValueError:
    return None
  return values if np.isfinite(values).all() else None


@contextlib.contextmanager
def _opened(path: pathlib.Path, progress: bool) -> Iterator[Iterator[bytes]]:
  """Opens a file as its lines; what fails while they are read is a DataError, too."""
  try:
    with open(path, "rb") as raw, _bar(path, progress) as bar:
      is_packed = raw.read(2) == _GZIP
      raw.seek(0)
      file = gzip.GzipFile(fileobj=raw) if is_packed else raw
      yield _lines(path, file, raw, bar)
  except (EOFError, zlib.error, gzip.BadGzipFile) as error:
    raise DataError(
      f"{path}: the gzip data is damaged or cut short: {error}. Fetch the file again."
    ) from error
  except OSError as error:
    reason = error.strerror or str(error)
    raise DataError(f"{path}: cannot read the vectors: {reason}. Check the path.") from error


def _lines(
  path: pathlib.Path, file: BinaryIO | gzip.GzipFile, raw: BinaryIO, bar: tqdm.tqdm
) -> Iterator[bytes]:
  number = 0
  while line := file.readline(_LONGEST_LINE):
    number += 1
    if len(line) == _LONGEST_LINE:
      raise DataError(
        f"{path}:{number}: this line is too long for text. Is it word2vec's binary format? Convert "
        "it to text first, with gensim's KeyedVectors.save_word2vec_format(binary=False) say."
      )
    if number % 1000 == 0:
      bar.update(raw.tell() - bar.n)
    yield line if number > 1 else line.removeprefix(BYTE_ORDER_MARK)


def _bar(path: pathlib.Path, progress: bool) -> tqdm.tqdm:
  return tqdm.tqdm(
    desc=f"read {path.name}",
    total=os.path.getsize(path),
    unit="B",
    unit_scale=True,
    delay=_BAR_DELAY_SECONDS,
    disable=None if progress else True,  # None: shown only on a terminal.
    leave=False,
  )


def _bad(
  path: pathlib.Path, number: int, expected: str, line: bytes, got: str | None = None
) -> DataError:
  """Makes the error for a malformed line."""
  shown = line[:_MAX_SHOWN_BYTES].decode("utf-8", "replace").rstrip("\r\n")
  if not line:
    return DataError(f"{path}:{number}: expected {expected}, got an empty file.")
  more = "..." if len(line.rstrip(b"\r\n")) > _MAX_SHOWN_BYTES else ""
  what = f"{got}: " if got else ""
  return DataError(f"{path}:{number}: expected {expected}, got {what}{shown!r}{more}.")
