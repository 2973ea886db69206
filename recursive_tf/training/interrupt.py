"""Ctrl-C that lets the step under way finish; a second one ends the process at once."""

from __future__ import annotations

import os
import signal
from types import FrameType, TracebackType

MESSAGE = "\nInterrupted: saving after this step (Ctrl-C again to stop without saving).\n"
_STDERR = 2


class GracefulInterrupt:
  """Turns the first SIGINT or SIGTERM inside a `with` block into a flag.

  Attributes:
    requested: whether there was one.
  """

  def __init__(self) -> None:
    self.requested = False
    self._before: dict[int, object] = {}

  def __enter__(self) -> GracefulInterrupt:
    """Takes over the signals; in threads other than the main one, does nothing."""
    try:
      for number in (signal.SIGINT, signal.SIGTERM):
        self._before[number] = signal.signal(number, self._handle)
    except ValueError:  # Signals belong to the main thread.
      pass
    return self

  def __exit__(
    self,
    error_type: type[BaseException] | None,
    error: BaseException | None,
    traceback: TracebackType | None,
  ) -> None:
    """Gives the signals back."""
    for number, handler in self._before.items():
      signal.signal(number, handler)  # type: ignore[arg-type]

  def _handle(self, number: int, frame: FrameType | None) -> None:
    if self.requested:
      raise KeyboardInterrupt
    self.requested = True
    try:
      # Not print: the signal may come while the same stream is being written to.
      os.write(_STDERR, MESSAGE.encode())
    except OSError:  # The terminal is gone; the run is saved all the same.
      pass
