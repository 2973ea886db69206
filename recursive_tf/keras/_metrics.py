"""The counts of `models.Metrics` as Keras metrics."""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from recursive_tf.models.metrics import Metrics


class Share(keras.metrics.Metric):
  """A share of right answers: a pair of fields of `models.Metrics`, summed over batches."""

  def __init__(self, name: str, correct: str, total: str):
    # Counts of nodes pass the integers that float32 holds; int64 has no place on some devices.
    super().__init__(name=name, dtype="float64")
    self._fields = correct, total
    self._correct = self.add_variable((), initializer="zeros", name="correct")
    self._total = self.add_variable((), initializer="zeros", name="total")

  def update_state(self, counts: Metrics) -> None:
    """Adds the counts of a batch."""
    for field, variable in zip(self._fields, (self._correct, self._total), strict=True):
      variable.assign_add(tf.cast(getattr(counts, field), tf.float64))

  def result(self) -> Any:
    """Returns the share in 0..1; 0 where nothing was counted, as `Metrics.scores` does."""
    return tf.math.divide_no_nan(self._correct.value, self._total.value)


def shares() -> list[Share]:
  """Returns the metrics "root", "node", "binary_root" and "binary_node"."""
  return [
    Share(f"{prefix}{place}", f"{prefix}correct_{place}s", f"{prefix}num_{place}s")
    for prefix in ("", "binary_")
    for place in ("root", "node")
  ]
