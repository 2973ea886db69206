"""Python's stack: what is left of it, and room for decorated functions that run as plain Python.

A function that calls itself by its name goes through the decorated function at each level. On
Python's stack that is up to two entries more, so that a third of its recursion limit was left.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import types

_MOST = 1_000  # Levels that get room: more would need more of C's stack than a thread may have.
# The frame of the decorated function and, before Python 3.12, the entry for calling an object.
_PER_LEVEL = 2 if sys.version_info < (3, 12) else 1


class Deeper:
  """A larger recursion limit while plain Python runs, in any thread. Thread-safe."""

  def __init__(self) -> None:
    self._lock = threading.Lock()
    self._num_runs = 0
    self._before = self._now = 0

  def __enter__(self) -> None:
    with self._lock:
      self._num_runs += 1
      if self._num_runs == 1:
        self._before = sys.getrecursionlimit()
        levels = min(max(self._before - frames_in_use(), 0), _MOST)
        self._now = self._before + _PER_LEVEL * levels
        sys.setrecursionlimit(self._now)

  def limit(self) -> int:
    """Returns the recursion limit, without what it has been raised by here."""
    with self._lock:
      limit = sys.getrecursionlimit()
      return self._before if self._num_runs and limit == self._now else limit

  def left(self) -> int:
    """Returns how many frames there may be more before that limit is met."""
    return self.limit() - frames_in_use()

  def __exit__(self, *error: object) -> None:
    with self._lock:
      self._num_runs -= 1
      # What the program has set stays.
      if self._num_runs == 0 and sys.getrecursionlimit() == self._now:
        with contextlib.suppress(RecursionError):
          sys.setrecursionlimit(self._before)


def frames_in_use() -> int:
  """Returns how many frames are on Python's stack, about."""
  frame: types.FrameType | None = sys._getframe()
  count = 0
  while frame is not None:
    count, frame = count + 1, frame.f_back
  return count


DEEPER = Deeper()  # The limit is the process's.
