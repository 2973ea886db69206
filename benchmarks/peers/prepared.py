"""What our arms have in common whose batches are numbers of samples that are constants of a graph.

Steps and predictions are tf.functions, called by what `rtf.prepare` makes of them.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks.peers import tf_cells
from benchmarks.peers.peer import Peer

SAMPLES = tf.TensorSpec([None], tf.int32)


class PreparedPeer(Peer):
  """A model as a recursive graph.

  Attributes:
    classes: the tf.function that predicts.
  """

  def __init__(self) -> None:
    super().__init__()
    self.classes = tf.function(self.predict, [SAMPLES])

  @abc.abstractmethod
  def predict(self, indices: tf.Tensor) -> tf.Tensor:
    """Returns what is predicted for the samples at `indices` [B], int64, one after the other."""

  @abc.abstractmethod
  def train_step(self, indices: tf.Tensor) -> tf.Tensor:
    """Takes a step on the samples at `indices` [B], and returns the loss."""

  @abc.abstractmethod
  def compute_gradients(self, indices: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """Returns the loss of the samples at `indices` [B], and the gradients by name."""

  def train(self, indices: Sequence[int]) -> float:
    return float(self._prepared_train(np.asarray(indices, np.int32)))

  def infer(self, indices: Sequence[int]) -> np.ndarray:
    return self._prepared_classes(np.asarray(indices, np.int32)).numpy()

  def loss_and_gradients(self, indices: Sequence[int]) -> tuple[float, dict[str, np.ndarray]]:
    loss, gradients = self._gradients(np.asarray(indices, np.int32))
    return float(loss), {name: tf_cells.dense(value) for name, value in gradients.items()}

  def steps(self) -> int:
    """Returns the steps of inference on one sample: none under the concurrent scheduler."""
    self.infer([0])
    return rtf.last_run_stats().steps

  @functools.cached_property
  def _prepared_train(self):
    return rtf.prepare(tf.function(self.train_step, [SAMPLES]), SAMPLES)

  @functools.cached_property
  def _prepared_classes(self):
    return rtf.prepare(self.classes, SAMPLES)

  @functools.cached_property
  def _gradients(self):
    return tf.function(self.compute_gradients, [SAMPLES])
