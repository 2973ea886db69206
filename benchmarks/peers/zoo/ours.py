"""What the zoo's models have in common as recursive graphs: tables, training step, inference."""

from __future__ import annotations

import abc

import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks.peers import weights as w
from benchmarks.peers.prepared import PreparedPeer
from recursive_tf.models.optimizer import Adagrad, ParameterGroup


class Ours(PreparedPeer):
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

  @abc.abstractmethod
  def prepare(self, packed: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Returns what the graph reads, from the packed data."""

  @abc.abstractmethod
  def losses(self, indices: tf.Tensor) -> tf.Tensor:
    """Returns the loss of each sample at `indices` [B], in any shape."""

  def logits(self, h: tf.Tensor) -> tf.Tensor:
    """Returns the softmax layer's result for states [.., D], float [.., K]."""
    product = rtf.nn.matmul(h, self.weights["output_weights"])
    return tf.nn.bias_add(product, self.weights["output_bias"])

  def cross_entropy(self, h: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    """Returns the cross-entropy of states [.., D] whose classes are `labels`, float [..]."""
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.logits(h))

  def _loss(self, indices: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(self.losses(indices)) / tf.cast(tf.size(indices), tf.float32)

  def train_step(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(indices)
    self._optimizer.apply(tape.gradient(loss, self._optimizer.variables_to_train), 1.0)
    return loss

  def compute_gradients(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(indices)
    return loss, tape.gradient(loss, self.weights)
