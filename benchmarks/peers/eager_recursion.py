"""Plain eager TensorFlow: a Python function calls itself on the children of each node.

What runs: for each tree, one gather of its word vectors; Python recursion, one cell a node, each
cell a handful of eager ops on [1, D]. The softmax layer and the loss then run once for all nodes of
the batch. One GradientTape around the batch, and fused Adagrad kernels, sparse for the embedding.
There is no tf.function anywhere.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from benchmarks.peers import tf_cells
from benchmarks.peers.peer import Peer
from benchmarks.peers.trees import Node, sentences


class EagerRecursion(Peer):
  """A model as eager recursion."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__()
    self._model = tf_cells.Model(model, weights)
    self._optimizer = tf_cells.optimizer(self._model)
    self._sentences = sentences(packed)
    self._embedding = self._model.variables["embedding"]
    self._one = tf.constant(1.0)

  def train(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(indices)
    trained = self._optimizer.variables_to_train
    self._optimizer.apply(tape.gradient(loss, trained), self._one)

  def infer(self, indices):
    states: list[tf.Tensor] = []
    roots = [self._states(i, states)[0] for i in indices]
    return tf.argmax(self._model.logits(tf.concat(roots, 0)), 1).numpy()

  def loss_and_gradients(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(indices)
    gradients = tape.gradient(loss, self._model.variables)
    return float(loss), {name: tf_cells.dense(value) for name, value in gradients.items()}

  def _loss(self, indices) -> tf.Tensor:
    states: list[tf.Tensor] = []
    for index in indices:
      self._states(index, states)
    labels = np.concatenate([self._sentences[i].labels for i in indices])
    logits = self._model.logits(tf.concat(states, 0))
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    return tf.reduce_sum(losses) / len(indices)

  def _states(self, index: int, states: list[tf.Tensor]) -> tf_cells.State:
    """Returns the root's state of a tree; adds h of all its nodes to `states` in post-order."""
    sentence, model = self._sentences[index], self._model
    rows = tf.split(tf.gather(self._embedding, sentence.words), len(sentence.words))

    def visit(node: Node) -> tf_cells.State:
      if node.left is None:
        state = model.leaf(rows[node.leaf])
      else:
        state = model.inner(visit(node.left), visit(node.right))
      states.append(state[0])
      return state

    return visit(sentence.root)
