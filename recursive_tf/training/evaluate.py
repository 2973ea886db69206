"""Scores of a model over a treebank."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf.datasets import make_dataset
from recursive_tf.datasets.pipeline import Packed
from recursive_tf.distribute.workers import ALONE, Workers
from recursive_tf.models import Trainable

_BATCH_SIZE = 50


class Evaluator:
  """Runs a model without dropout; traced once for all treebanks."""

  def __init__(self, model: Trainable, workers: Workers = ALONE):
    """Takes a model, and those who divide the trees."""
    self._metrics_class = model.metrics_class
    self._has_answers = model.has_answers
    # Ranks are those among all: each worker answers all, rather than send its answers around.
    self._workers = ALONE if model.has_answers else workers

    @tf.function(autograph=False)
    def step(batch: Any) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
      loss, metrics, answers = model.evaluate_all(batch)
      return loss, tf.stack(metrics), answers

    self._step = step

  def __call__(self, packed: Packed) -> tuple[float, Any]:
    """Returns (mean loss of a tree, counts) over all trees of `packed`."""
    workers, metrics_class = self._workers, self._metrics_class
    batch_size = _BATCH_SIZE * workers.num_workers
    loss_sum, counts, answers = 0.0, metrics_class.zeros(), []
    dataset = make_dataset(workers.share(packed), batch_size, shuffle=False)
    for number, batch in enumerate(dataset):
      # A worker without a tree of a batch has one that counts for nothing (see Share).
      if workers.index < len(packed) - number * batch_size:
        loss, found, answered = self._step(batch)
        answers.append(answered.numpy())
        loss_sum += float(loss) * int(batch.num_trees)
        counts = counts.plus(metrics_class(*found.numpy().tolist()))
    loss_sum, *totals = workers.total([loss_sum, *counts])
    counts = metrics_class(*totals)
    if self._has_answers:
      counts = counts.with_answers(np.concatenate(answers))
    return loss_sum / len(packed), counts
