"""Files that are there completely or not at all."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable

from recursive_tf._errors import CheckpointError

REMEDY = "Make room, or make the directory writable; what was there before is as it was."


def write_atomically(path: pathlib.Path, content: str | bytes) -> None:
  """Writes `content` to `path`; who reads it meanwhile sees the old file or the new one.

  Raises:
    CheckpointError: If that is not possible; `path` is then as it was before.
  """
  data = content.encode("utf-8") if isinstance(content, str) else content
  try:
    partial = path.with_name(f"{path.name}.partial")
    try:
      with open(partial, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
      os.replace(partial, path)
    except BaseException:
      partial.unlink(missing_ok=True)
      raise
  except OSError as error:
    raise CheckpointError(f"{path}: cannot be written: {reason_of(error)}. {REMEDY}") from error


def read_text(path: pathlib.Path, remedy: str) -> str:
  """Returns the text of a file of a run.

  Args:
    path: the file, UTF-8.
    remedy: what to do if it cannot be read.

  Raises:
    CheckpointError: If it cannot be read.
  """
  try:
    return path.read_bytes().decode("utf-8")
  except OSError as error:
    raise CheckpointError(f"{path}: cannot be read: {reason_of(error)}. {remedy}") from error
  except UnicodeDecodeError as error:
    got = f"byte 0x{error.object[error.start]:02x} at offset {error.start}"
    raise CheckpointError(f"{path}: damaged: expected UTF-8 text, got {got}. {remedy}") from error


def reason_of(error: Exception) -> str:
  """Returns what the system said, in one line."""
  text = getattr(error, "strerror", None) or getattr(error, "message", None) or str(error)
  return (str(text).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def system_reason(error: Exception) -> str:
  """Returns what the system said, of the much that TensorFlow says around it."""
  return reason_of(error).rpartition("; ")[2].partition(" [Op:")[0]


def in_one_piece(write: Callable[[pathlib.Path], object], path: pathlib.Path) -> None:
  """Has `write` make a file of its own beside `path`, which then takes its name.

  A symbolic link stays one: what it leads to is written.

  Raises:
    OSError: If that is not possible; `path` is then as it was before.
  """
  path = path.resolve()
  partial = path.with_name(f".{path.stem}.partial{path.suffix}")
  try:
    write(partial)
    os.replace(partial, path)
  except BaseException:
    partial.unlink(missing_ok=True)
    raise
