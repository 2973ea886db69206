"""Standard output that is held back while plain Python is run to be compared."""

from __future__ import annotations

import io
import sys
import threading
from typing import TextIO


class HeldOutput:
  """Holds back what this thread prints; other threads print as before.

  Attributes:
    released: whether it is printed at the end.
  """

  def __init__(self) -> None:
    self.released = True
    self._text = io.StringIO()
    self._thread = threading.get_ident()
    self._stdout: TextIO = sys.stdout

  def __enter__(self) -> HeldOutput:
    self._stdout, sys.stdout = sys.stdout, self
    return self

  def __exit__(self, *error: object) -> None:
    sys.stdout = self._stdout
    if self.released:
      self._stdout.write(self.text)

  @property
  def text(self) -> str:
    """What was printed."""
    return self._text.getvalue()

  def write(self, text: str) -> int:
    """Holds text back."""
    held = threading.get_ident() == self._thread
    return self._text.write(text) if held else self._stdout.write(text)

  def flush(self) -> None:
    """Flushes what is not held back."""
    self._stdout.flush()

  def __getattr__(self, name: str) -> object:
    return getattr(self._stdout, name)
