"""The plain programs eagerly, as they are written: one tree after the other, one op at a time.

What runs: Python recursion; at each node the cell, the softmax layer and the loss, on rows [1, D].
One GradientTape around a batch, and the fused Adagrad of the other TensorFlow peers. There is no
tf.function anywhere. The arm `eager` is the same model with its eager recursion tuned: one gather
for a tree, one softmax layer for a batch.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from benchmarks.peers import plain_programs, tf_cells
from benchmarks.peers.peer import Peer


class PlainEager(Peer):
  """A plain program, run by Python."""

  def __init__(
    self,
    model: str,
    weights: dict[str, np.ndarray],
    packed: dict[str, np.ndarray],
    objects: str = "node",
    fused: bool = False,
  ):
    super().__init__()
    self._model = (plain_programs.FusedModel if fused else tf_cells.Model)(model, weights)
    self._program = plain_programs.program(self._model, objects)
    self._optimizer = tf_cells.optimizer(self._model)
    self._trees = plain_programs.trees(packed, objects)
    self._one = tf.constant(1.0)

  def train(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(indices)
    trained = self._optimizer.variables_to_train
    self._optimizer.apply(tape.gradient(loss, trained), self._one)

  def infer(self, indices):
    encode, model = self._program.encode, self._model
    return np.array(
      [int(tf.argmax(model.logits(encode(self._trees[i])[0]), 1)[0]) for i in indices]
    )

  def loss_and_gradients(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(indices)
    gradients = tape.gradient(loss, self._model.variables)
    return float(loss), {name: tf_cells.dense(value) for name, value in gradients.items()}

  def _loss(self, indices) -> tf.Tensor:
    losses = [self._program.encode_and_score(self._trees[i])[1] for i in indices]
    return tf.reduce_sum(tf.add_n(losses)) / len(indices)
