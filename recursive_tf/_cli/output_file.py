"""Files that a command writes where the user says."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

from recursive_tf._errors import ConfigError
from recursive_tf.training.files import in_one_piece, reason_of


def check_writable(path: pathlib.Path, option: str) -> None:
  """Checks, before anything is computed, that there is a place for the file.

  Raises:
    ConfigError: If there is not; names `option`, such as "--out".
  """
  if path.is_dir():
    raise ConfigError(f"{option} {path}: this is a directory. Give the name of a file.")
  if path.exists() and not path.is_file():  # A device, a pipe: the file would take its place.
    raise ConfigError(f"{option} {path}: this is no ordinary file. Give the name of one.")
  try:
    path.parent.mkdir(parents=True, exist_ok=True)
  except OSError as error:
    raise _cannot_write(path, option, error) from error


def write_output(path: pathlib.Path, option: str, write: Callable[[pathlib.Path], object]) -> None:
  """Has `write` make the file, which is there completely or not at all.

  Raises:
    ConfigError: If that is not possible.
  """
  try:
    in_one_piece(write, path)
  except OSError as error:
    raise _cannot_write(path, option, error) from error


def _cannot_write(path: pathlib.Path, option: str, error: OSError) -> ConfigError:
  return ConfigError(
    f"{option} {path}: cannot be written: {reason_of(error)}. Make room, or give another {option}."
  )
