"""Scores of a model over a treebank."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from recursive_tf.datasets import make_dataset
from recursive_tf.datasets.pipeline import Packed
from recursive_tf.models import Trainable

_BATCH_SIZE = 50


class Evaluator:
  """Runs a model without dropout; traced once for all treebanks."""

  def __init__(self, model: Trainable):
    self._metrics_class = model.metrics_class

    @tf.function(autograph=False)
    def step(batch: Any) -> tuple[tf.Tensor, tf.Tensor]:
      loss, metrics = model.evaluate(batch)
      return loss, tf.stack(metrics)

    self._step = step

  def __call__(self, packed: Packed) -> tuple[float, Any]:
    """Returns (mean loss of a tree, counts) over all trees of `packed`."""
    loss_sum, counts = 0.0, self._metrics_class.zeros()
    for batch in make_dataset(packed, _BATCH_SIZE, shuffle=False):
      loss, found = self._step(batch)
      loss_sum += float(loss) * int(batch.num_trees)
      counts = counts.plus(self._metrics_class(*found.numpy().tolist()))
    return loss_sum / len(packed), counts
