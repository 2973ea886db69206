"""Accuracy of a model over a treebank."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf.datasets import PackedTrees, TreeBatch, make_dataset
from recursive_tf.models import Metrics
from recursive_tf.models.classifier import TreeClassifier

_BATCH_SIZE = 50


class Evaluator:
  """Runs a model without dropout; traced once for all treebanks."""

  def __init__(self, model: TreeClassifier):
    @tf.function(autograph=False)
    def step(batch: TreeBatch) -> tuple[tf.Tensor, tf.Tensor]:
      loss, metrics = model.loss_and_metrics(batch)
      return loss, tf.stack(metrics)

    self._step = step

  def __call__(self, packed: PackedTrees) -> tuple[float, Metrics]:
    """Returns (mean loss of a tree, counts) over all trees of `packed`."""
    loss_sum, counts = 0.0, Metrics.zeros()
    for batch in make_dataset(packed, _BATCH_SIZE, shuffle=False):
      loss, found = self._step(batch)
      loss_sum += float(loss) * int(batch.num_trees)
      counts = counts.plus(Metrics(*found.numpy().tolist()))
    return loss_sum / len(packed), counts
