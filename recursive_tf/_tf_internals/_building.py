"""TensorFlow's faster way of making ops, while graphs are made."""

import contextlib
import threading
from collections.abc import Iterator

from tensorflow.core.config import flags


class _Switch:
  """The switch, and how many want it to be on."""

  def __init__(self) -> None:
    self._lock = threading.Lock()
    self._num_inside = 0
    self._was_on = False

  def enter(self) -> None:
    """Switches it on, if nobody has."""
    switch = flags.config().graph_building_optimization
    with self._lock:
      if self._num_inside == 0:
        self._was_on = switch.value()
        switch.reset(True)
      self._num_inside += 1

  def leave(self) -> None:
    """Leaves it as it was, if nobody else wants it."""
    with self._lock:
      self._num_inside -= 1
      if self._num_inside == 0:
        flags.config().graph_building_optimization.reset(self._was_on)


_switch = _Switch()


@contextlib.contextmanager
def building() -> Iterator[None]:
  """Has TensorFlow find out the types of an op in C++.

  It does so in Python, which takes as long as all else of an op. This is a switch of the whole
  process, off as TensorFlow comes. What other threads trace meanwhile is the same either way.
  """
  _switch.enter()
  try:
    yield
  finally:
    _switch.leave()
