"""A model whose calls are timed by the clock and by the processor time of all threads."""

from __future__ import annotations

import time

from benchmarks.peers.recursive_tf_models import RecursiveTF


class TimedModel(RecursiveTF):
  """A model of `recursive_tf.models`; a timing is the fastest of many short ones."""

  def fastest(self, name: str, seconds: float) -> tuple[float, float]:
    """Runs call `name` again and again for some time.

    Returns:
      The seconds of the fastest call, and the processor seconds of the one that took least.
    """
    call = self.calls[name]
    walls, processors = [], []
    end = time.perf_counter() + seconds
    while not walls or time.perf_counter() < end:
      wall, processor = time.perf_counter(), time.process_time()
      call()
      walls.append(time.perf_counter() - wall)
      processors.append(time.process_time() - processor)
    return min(walls), min(processors)
