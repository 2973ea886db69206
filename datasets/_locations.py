"""Where data lies: the one file of `datasets` that reads environment variables."""

from __future__ import annotations

import os
import pathlib

DATA_VARIABLE = "RECURSIVE_TF_DATA"


def data_directory() -> pathlib.Path | None:
  """Returns the user's data directory, RECURSIVE_TF_DATA, or None where it is not set."""
  value = os.environ.get(DATA_VARIABLE)
  return pathlib.Path(value).expanduser() if value else None


def cache_directory() -> pathlib.Path:
  """Returns where downloads are kept: recursive_tf in XDG_CACHE_HOME, else in ~/.cache."""
  value = os.environ.get("XDG_CACHE_HOME")
  # The XDG specification says to ignore a relative path.
  base = pathlib.Path(value) if value and os.path.isabs(value) else pathlib.Path.home() / ".cache"
  return base / "recursive_tf"
