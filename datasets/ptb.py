"""Treebank files: one tree in PTB brackets a line, plain or gzipped; or folders of them."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import gzip
import os
import pathlib
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import tqdm

from recursive_tf._errors import DataError
from recursive_tf.datasets import ptb_syntax
from recursive_tf.datasets.tree import Tree

Reader = Literal["fast", "nltk"]
_GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MAX_ERRORS_KEPT = 20
_SUFFIXES = (".txt", ".ptb", ".mrg")
_BAR_DELAY_SECONDS = 1.0


@dataclasses.dataclass
class ReadReport:
  """What reading did; give the same report to several reads to sum over files.

  Attributes:
    num_trees: trees read.
    num_skipped: malformed lines left out under `skip_bad`.
    errors: the errors of the first malformed lines, at most 20.
  """

  num_trees: int = 0
  num_skipped: int = 0
  errors: list[DataError] = dataclasses.field(default_factory=list)

  def skip(self, error: DataError) -> None:
    """Counts one malformed line."""
    self.num_skipped += 1
    if len(self.errors) < _MAX_ERRORS_KEPT:
      self.errors.append(error)

  @property
  def note(self) -> str:
    """What was left out, in words; empty if nothing was."""
    if not self.num_skipped:
      return ""
    lines = "1 malformed line" if self.num_skipped == 1 else f"{self.num_skipped:,} malformed lines"
    first, _, _ = str(self.errors[0]).rpartition("\n")  # Without advice: it has been followed.
    return f"Skipped {lines}; the first: {first or self.errors[0]}"


def read_ptb(
  path: str | os.PathLike[str],
  *,
  reader: Reader = "fast",
  binary: bool = True,
  num_labels: int = 5,
  skip_bad: bool = False,
  progress: bool = False,
  report: ReadReport | None = None,
) -> list[Tree]:
  """Reads all trees of a file; blank lines are passed over.

  Args:
    path: UTF-8 text, gzipped or not (told by content); or a folder, of which all files are read
      that end in .txt, .ptb or .mrg, and these with .gz, in the order of their names.
    reader: "fast", or "nltk" for nltk's tree reader; both give the same trees and errors.
    binary: whether an inner node must have exactly two children, else it may have one or more.
    num_labels: labels run from 0 to `num_labels` - 1.
    skip_bad: leave malformed lines out and count them, instead of raising at the first.
    progress: show a bar for reads over a second, where stderr is a terminal.
    report: counts are added to it. Without one, skipped lines give a warning.

  Returns:
    The trees in the order of the file.

  Raises:
    DataError: If the file cannot be read, or holds a malformed line and `skip_bad` is false.
  """
  path = pathlib.Path(path)
  if path.is_dir():
    return [
      tree
      for part in _files_of(path)
      for tree in read_ptb(
        part,
        reader=reader,
        binary=binary,
        num_labels=num_labels,
        skip_bad=skip_bad,
        progress=progress,
        report=report,
      )
    ]
  parse = _parser(reader)
  counts = ReadReport() if report is None else report
  lines = read_bytes(path).removeprefix(BYTE_ORDER_MARK).split(b"\n")
  trees: list[Tree] = []
  num_skipped_before = counts.num_skipped
  bar = tqdm.tqdm(
    lines,
    desc=f"read {path.name}",
    unit=" lines",
    delay=_BAR_DELAY_SECONDS,
    disable=None if progress else True,  # None: shown only on a terminal.
    leave=False,
  )
  options = {"binary": binary, "num_labels": num_labels, "source": str(path)}
  with _collector_paused():
    for line_number, line in enumerate(bar, 1):
      if not line.strip(b" \r"):
        continue
      try:
        text = decode_line(line.removesuffix(b"\r"), path, line_number)
        trees.append(parse(text, line_number=line_number, **options))
      except DataError as error:
        if not skip_bad:
          raise
        counts.skip(error)
  counts.num_trees += len(trees)
  num_skipped = counts.num_skipped - num_skipped_before
  if num_skipped and report is None:
    warnings.warn(
      f"{path}: skipped {num_skipped} malformed lines, read {len(trees)} trees. "
      "Pass `report=ReadReport()` to see them.",
      stacklevel=2,
    )
  return trees


def write_ptb(path: str | os.PathLike[str], trees: Iterable[Tree]) -> None:
  """Writes one tree a line, UTF-8; what `read_ptb` reads back."""
  text = "".join(f"{tree}\n" for tree in trees)
  pathlib.Path(path).write_text(text, encoding="utf-8", newline="\n")


def _files_of(folder: pathlib.Path) -> list[pathlib.Path]:
  """Returns the treebank files of a folder.

  Raises:
    DataError: If there are none.
  """
  files = (path for path in sorted(folder.iterdir()) if path.is_file())
  found = [path for path in files if path.name.removesuffix(".gz").endswith(_SUFFIXES)]
  if not found:
    raise DataError(f"{folder}: no file in this folder ends in {', '.join(_SUFFIXES)}, or .gz.")
  return found


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
  """Stops the cyclic garbage collector: trees hold no cycles, and it took 2/3 of the time.

  It walks every object alive, TensorFlow's included, again and again while trees are made.
  """
  was_enabled = gc.isenabled()
  gc.disable()
  try:
    yield
  finally:
    if was_enabled:
      gc.enable()


def _parser(reader: Reader) -> Callable[..., Tree]:
  if reader == "fast":
    return ptb_syntax.parse_line
  if reader == "nltk":
    # Here, because importing nltk takes longer than reading a treebank.
    from recursive_tf.datasets.ptb_nltk import parse_line_with_nltk

    return parse_line_with_nltk
  raise DataError(f"read_ptb: `reader` must be 'fast' or 'nltk', got {reader!r}.")


def read_bytes(path: pathlib.Path) -> bytes:
  """Returns the content of a treebank file, gzipped or not.

  Raises:
    DataError: If it cannot be read.
  """
  try:
    content = path.read_bytes()
    return gzip.decompress(content) if content.startswith(_GZIP_MAGIC) else content
  except (EOFError, zlib.error, gzip.BadGzipFile) as error:
    raise DataError(
      f"{path}: the gzip data is damaged or cut short: {error}. Fetch the file again."
    ) from error
  except OSError as error:
    reason = error.strerror or str(error)
    raise DataError(f"{path}: cannot read the trees: {reason}. Check the path.") from error


def decode_line(
  line: bytes, path: pathlib.Path, line_number: int, unit: str = "line", can_skip: bool = True
) -> str:
  """Returns the text of a line.

  Raises:
    DataError: If it is not UTF-8; `unit` and `can_skip` as in `malformed`.
  """
  try:
    return line.decode("utf-8")
  except UnicodeDecodeError as error:
    readable = line[: error.start].decode("utf-8")
    got = f"byte 0x{line[error.start]:02x}"
    text = line.decode("utf-8", errors="replace")
    column = len(readable) + 1
    raise ptb_syntax.malformed(
      str(path), line_number, column, "UTF-8 text", got, text, unit, can_skip
    ) from error
