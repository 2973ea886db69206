"""What the zoo's models have in common as recursive graphs: tables, training step, inference.

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
from benchmarks.peers import weights as w
from benchmarks.peers.peer import Peer
from recursive_tf.models.optimizer import Adagrad, ParameterGroup


class Ours(Peer):
  """A model as a recursive graph; the packed data are constants of it.

  Attributes:
    weights: variables by name.
    data: constants by name.
  """

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__()
    self.weights = {name: tf.Variable(value, name=name) for name, value in weights.items()}
    self.data = {name: tf.constant(value) for name, value in self.prepare(packed).items()}
    dense = tuple(v for name, v in self.weights.items() if name != "embedding")
    groups = [ParameterGroup(dense, w.LEARNING_RATE)]
    if "embedding" in weights:
      embedding = (self.weights["embedding"],)
      groups.append(ParameterGroup(embedding, w.EMBEDDING_LEARNING_RATE))
    self._optimizer = Adagrad(groups, initial_sum=w.INITIAL_SUM, epsilon=w.EPSILON)
    spec = [tf.TensorSpec([None], tf.int32)]
    self._train = tf.function(self._train_step, input_signature=spec)
    self._classes = tf.function(self.classes, input_signature=spec)
    self._gradients = tf.function(self._loss_and_gradients, input_signature=spec)

  @abc.abstractmethod
  def prepare(self, packed: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Returns what the graph reads, from the packed data."""

  @abc.abstractmethod
  def losses(self, indices: tf.Tensor) -> tf.Tensor:
    """Returns the loss of each sample at `indices` [B], in any shape."""

  @abc.abstractmethod
  def classes(self, indices: tf.Tensor) -> tf.Tensor:
    """Returns what is predicted for the samples at `indices` [B], int64, one after the other."""

  def train(self, indices: Sequence[int]) -> None:
    float(self._prepared_train(np.asarray(indices, np.int32)))

  def infer(self, indices: Sequence[int]) -> np.ndarray:
    return self._prepared_classes(np.asarray(indices, np.int32)).numpy()

  @functools.cached_property
  def _prepared_train(self):
    return rtf.prepare(self._train, tf.TensorSpec([None], tf.int32))

  @functools.cached_property
  def _prepared_classes(self):
    return rtf.prepare(self._classes, tf.TensorSpec([None], tf.int32))

  def loss_and_gradients(self, indices):
    loss, gradients = self._gradients(np.asarray(indices, np.int32))
    return float(loss), {name: tf_cells.dense(value) for name, value in gradients.items()}

  def steps(self) -> int:
    """Returns the steps of inference on one sample: none under the concurrent scheduler."""
    self.infer([0])
    return rtf.last_run_stats().steps

  def logits(self, h: tf.Tensor) -> tf.Tensor:
    """Returns the softmax layer's result for states [.., D], float [.., K]."""
    product = rtf.nn.matmul(h, self.weights["output_weights"])
    return tf.nn.bias_add(product, self.weights["output_bias"])

  def cross_entropy(self, h: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    """Returns the cross-entropy of states [.., D] whose classes are `labels`, float [..]."""
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.logits(h))

  def _loss(self, indices: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(self.losses(indices)) / tf.cast(tf.size(indices), tf.float32)

  def _train_step(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(indices)
    self._optimizer.apply(tape.gradient(loss, self._optimizer.variables_to_train), 1.0)
    return loss

  def _loss_and_gradients(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(indices)
    return loss, tape.gradient(loss, self.weights)
