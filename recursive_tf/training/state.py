"""Where a run stands, beside its weights: part of every checkpoint."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf.models import Metrics


class TrainingState(tf.Module):
  """Counters of a run, in variables so that a checkpoint holds them.

  Attributes:
    step: steps done since the run began; epoch and place in it follow from it.
    loss_sum: sum of the losses of the trees of the epoch under way.
    counts: `Metrics` of the epoch under way, int64 [8].
    seconds: time spent on the epoch under way.
    best_accuracy, best_epoch: of the epoch with the best accuracy on dev; 1 is the first epoch.
  """

  def __init__(self) -> None:
    super().__init__(name="training_state")
    self.step = tf.Variable(0, dtype=tf.int64, trainable=False)
    self.loss_sum = tf.Variable(0.0, dtype=tf.float64, trainable=False)
    self.counts = tf.Variable(list(Metrics.zeros()), dtype=tf.int64, trainable=False)
    self.seconds = tf.Variable(0.0, dtype=tf.float64, trainable=False)
    self.best_accuracy = tf.Variable(-1.0, dtype=tf.float64, trainable=False)
    self.best_epoch = tf.Variable(0, dtype=tf.int64, trainable=False)

  def metrics(self) -> Metrics:
    """Returns the counts of the epoch under way."""
    return Metrics(*self.counts.numpy().tolist())

  def start_epoch(self) -> None:
    """Sets what belongs to one epoch back to zero."""
    self.loss_sum.assign(0.0)
    self.counts.assign(list(Metrics.zeros()))
    self.seconds.assign(0.0)
