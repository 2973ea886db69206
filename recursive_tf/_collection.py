"""Python's garbage collection while graphs are made.

Making graphs makes some hundred thousand objects, of which few are garbage before the end. Python
looks through all of them again and again, and, as they are many, through all that TensorFlow and
the program have: a tenth of a conversion's time, and more in a large program.
"""

import contextlib
import gc
import threading
from collections.abc import Iterator

_MANY = 20_000  # Objects made since the last look, some 2 MB.


class _Pause:
  """Whether collection waits, and for how many."""

  def __init__(self) -> None:
    self._lock = threading.Lock()
    self._num_inside = 0
    self._is_ours = False

  def enter(self) -> None:
    """Has collection wait, if it does not yet."""
    with self._lock:
      if self._num_inside == 0:
        self._is_ours = gc.isenabled()  # Else it stays as the program wants it.
        gc.disable()
      self._num_inside += 1

  def leave(self) -> None:
    """Has collection go on, if nobody else has it wait."""
    with self._lock:
      self._num_inside -= 1
      if self._num_inside == 0 and self._is_ours:
        gc.enable()

  def look(self, generation: int) -> None:
    """Frees garbage of that age, if much was made since the last look."""
    if self._is_ours and self._num_inside and gc.get_count()[0] > _MANY:
      gc.collect(generation)


_pause = _Pause()


@contextlib.contextmanager
def paused() -> Iterator[None]:
  """Has the garbage collection of the process wait."""
  _pause.enter()
  try:
    yield
  finally:
    _pause.leave()


def look(is_end: bool) -> None:
  """Frees what has become garbage inside of `paused`, if that may be much.

  Args:
    is_end: whether something has ended, so that what was in use at a look before may be garbage.
  """
  _pause.look(1 if is_end else 0)
