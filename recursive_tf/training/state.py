"""Where a run stands, beside its weights: part of every checkpoint."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class TrainingState(tf.Module):
  """Counters of a run, in variables so that a checkpoint holds them.

  Attributes:
    step: steps done since the run began; epoch and place in it follow from it.
    loss_sum: sum of the losses of the trees of the epoch under way.
    counts: the model's counts of the epoch under way, [K].
    seconds: time spent on the epoch under way.
    best_quality, best_epoch: of the epoch that is best on dev; 1 is the first epoch.
  """

  def __init__(self, metrics_class: Any, metrics_dtype: tf.DType) -> None:
    self._metrics_class = metrics_class
    super().__init__(name="training_state")
    self.step = tf.Variable(0, dtype=tf.int64, trainable=False)
    self.loss_sum = tf.Variable(0.0, dtype=tf.float64, trainable=False)
    zeros = list(metrics_class.zeros())
    self.counts = tf.Variable(zeros, dtype=metrics_dtype, trainable=False)
    self.seconds = tf.Variable(0.0, dtype=tf.float64, trainable=False)
    self.best_quality = tf.Variable(-float("inf"), dtype=tf.float64, trainable=False)
    self.best_epoch = tf.Variable(0, dtype=tf.int64, trainable=False)

  def metrics(self) -> Any:
    """Returns the counts of the epoch under way."""
    return self._metrics_class(*self.counts.numpy().tolist())

  def start_epoch(self) -> None:
    """Sets what belongs to one epoch back to zero."""
    self.loss_sum.assign(0.0)
    self.counts.assign(list(self._metrics_class.zeros()))
    self.seconds.assign(0.0)
