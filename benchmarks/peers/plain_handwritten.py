"""The hand-written model of `recursive_tf.models`, called as the plain programs are.

What runs: one tf.function computes the loss, with the SubGraph in it; the GradientTape around it is
eager, and Adagrad is a tf.function of its own. `recursive_tf_models` has all three in one.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from benchmarks.peers.recursive_tf_models import RecursiveTF


class HandwrittenEagerTape(RecursiveTF):
  """A hand-written model with an eager tape."""

  def __init__(self, *args, **kwargs):
    super().__init__(*args, **kwargs)
    self._loss = tf.function(
      lambda indices: self._model.loss(self._table.select(indices), training=True),
      input_signature=[tf.TensorSpec([None], tf.int32)],
    )
    self._apply = tf.function(
      lambda gradients: self._optimizer.apply(gradients, 1.0), reduce_retracing=True
    )

  def train(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(np.asarray(indices, np.int32))
    self._apply(tape.gradient(loss, self._optimizer.variables_to_train))

  def _loss_and_gradients(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(indices)
    return loss, tape.gradient(loss, self._variables)
