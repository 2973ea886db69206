"""Files that are there completely or not at all."""

from __future__ import annotations

import os
import pathlib


def write_atomically(path: pathlib.Path, text: str) -> None:
  """Writes `text` to `path`; who reads it meanwhile sees the old file or the new one."""
  partial = path.with_name(f"{path.name}.partial")
  partial.write_text(text, encoding="utf-8")
  os.replace(partial, path)
