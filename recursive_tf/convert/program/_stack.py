"""How much of Python's stack is in use."""

from __future__ import annotations

import sys
import types


def frames_in_use() -> int:
  """Returns how many frames are on Python's stack, that of the caller included."""
  frame: types.FrameType | None = sys._getframe(1)
  count = 0
  while frame is not None:
    count, frame = count + 1, frame.f_back
  return count
