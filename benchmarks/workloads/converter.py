"""One imperative program, run in each way that TensorFlow programs are run."""

from __future__ import annotations

import itertools

from benchmarks.worker import Workload

ARMS = ("eager", "rtf.function", "by hand", "AutoGraph")


class Converter(Workload):
  """Calls: one step by each of `ARMS`, each with weights of its own."""

  def __init__(self, program, size):
    super().__init__()
    from benchmarks.peers import imperative

    self._make = lambda: imperative.make(program, size)
    for arm in ARMS:
      made, step = self._started(arm)
      batches = itertools.cycle(made.batches)
      for _ in range(3):  # Conversion, tracing, and what comes once.
        step(*next(batches))
      self.calls[arm] = lambda step=step, batches=batches: step(*next(batches)).numpy()

  def _started(self, arm):
    import tensorflow as tf

    import recursive_tf as rtf

    made = self._make()
    if arm == "eager":
      return made, made.step
    if arm == "rtf.function":
      self.converted = rtf.function(made.step, verify=False)
      return made, self.converted
    if arm == "by hand":
      return made, tf.function(made.graph_step, autograph=False)
    return made, tf.function(made.step)

  def losses(self, count):
    """Returns the losses of the first steps of each arm, from the same weights."""
    found = {}
    for arm in ARMS:
      made, step = self._started(arm)
      made.reset()
      batches = itertools.cycle(made.batches)
      found[arm] = [float(step(*next(batches))) for _ in range(count)]
    return found

  def runs(self):
    """Returns how many runs of the converted step were graphs, and how many plain Python."""
    stats = self.converted.stats
    return stats.num_converted_runs, stats.num_fallback_runs
