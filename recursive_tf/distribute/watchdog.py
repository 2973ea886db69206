"""Ends a worker that makes no progress, and one whose launcher is gone.

A worker waits inside TensorFlow, where no Python signal handler runs, so threads watch over it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

# sysexits.h: EX_TEMPFAIL. The same command, given again, may well go on.
LOST_WORKER = 75
_POLL_SECONDS = 0.25


class Watchdog:
  """Ends the process when `progress` has not been called for so long. Thread-safe."""

  def __init__(self, end: Callable[[str], None] | None = None):
    """Starts to watch with the first call of `progress`.

    Args:
      end: what is done with the message; None: print it and leave at once.
    """
    self._end = end or _leave
    self._deadline = float("inf")
    self._what = ""
    self._thread: threading.Thread | None = None

  def progress(self, seconds: float, what: str) -> None:
    """Tells that the process is alive.

    Args:
      seconds: until when it has to tell so again.
      what: what it does meanwhile, for the message.
    """
    self._what = what
    self._deadline = time.monotonic() + seconds
    if self._thread is None:
      self._thread = threading.Thread(target=self._watch, daemon=True, name="watchdog")
      self._thread.start()

  def rest(self) -> None:
    """Stops watching until `progress` is called again."""
    self._deadline = float("inf")

  def _watch(self) -> None:
    while True:
      time.sleep(_POLL_SECONDS)
      if time.monotonic() > self._deadline:
        self._deadline = float("inf")
        self._end(f"no progress in time: {self._what}.")


def _leave(message: str) -> None:
  sys.stderr.write(f"recursive-tf: error: {message}\n")
  sys.stderr.flush()
  os._exit(LOST_WORKER)  # Nothing else ends a process that waits inside TensorFlow.


def stop_with_launcher(pipe: int, seconds: float) -> None:
  """Stops this process when the other end of `pipe` is closed: whoever launched it is gone.

  Args:
    pipe: its file descriptor; nothing is ever written to it. Not a Python file: those have locks,
      at which Python fails when it ends while a thread still reads.
    seconds: time to save and stop as for Ctrl-C, before the process is ended.
  """

  def watch() -> None:
    while os.read(pipe, 1):
      pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(seconds)
    _leave("the process that launched this worker is gone.")

  threading.Thread(target=watch, daemon=True, name="launcher watch").start()
