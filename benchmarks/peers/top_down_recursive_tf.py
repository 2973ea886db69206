"""recursive_tf itself: `recursive_tf.models.TopDownTreeLSTM` as it is, on `DependencyBatch`es.

What runs: the packed trees are sliced to a batch; one tf.function computes the model's loss (and
its counts), gradients and Adagrad. Inference is the model's `generate`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from benchmarks.peers import tf_cells, top_down_cells
from benchmarks.peers.peer import Peer
from recursive_tf.datasets import DependencyBatch, PackedDependencies
from recursive_tf.models.treelstm import TopDownTreeLSTM, TopDownTreeLSTMConfig


class TopDownRecursion(Peer):
  """The model as a recursive graph.

  `infer` returns the fingerprint of each generated tree in place of a class.
  """

  def __init__(self, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__()
    self._packed = PackedDependencies(**packed)
    config = TopDownTreeLSTMConfig(
      embedding_size=weights["embedding"].shape[1],
      state_size=weights["output_weights"].shape[0],
      num_conditions=len(weights["conditions"]),
    )
    self._model = TopDownTreeLSTM(len(weights["embedding"]), config)
    by_name = {v.name.removesuffix(":0"): v for v in self._model.variables}
    self._variables = {name: by_name[name] for name in weights}
    for name, value in weights.items():
      self._variables[name].assign(value)
    self._optimizer = top_down_cells.optimizer(self._variables)
    self._train, self._infer, self._gradients = (
      tf.function(fn, input_signature=[DependencyBatch.spec()], autograph=False)
      for fn in (self._train_step, self._generate, self._loss_and_gradients)
    )

  def train(self, indices):
    self._train(self._packed.batch(indices)).numpy()

  def infer(self, indices):
    return self._infer(self._packed.batch(indices))[0].numpy()

  def loss_and_gradients(self, indices):
    loss, gradients = self._gradients(self._packed.batch(indices))
    return float(loss), {name: tf_cells.dense(value) for name, value in gradients.items()}

  def fit(self, num_steps: int, batch_size: int, seed: int) -> dict[str, np.ndarray]:
    """Trains on random batches and returns the weights."""
    rng = np.random.default_rng(seed)
    for _ in range(num_steps):
      self.train(rng.integers(0, len(self._packed), batch_size))
    return {name: variable.numpy() for name, variable in self._variables.items()}

  def quality(self, indices: Sequence[int]) -> tuple[float, float]:
    """Returns (share of generated trees that are the right ones, their mean number of nodes)."""
    fingerprint, num_nodes = self._infer(self._packed.batch(indices))
    is_right = fingerprint.numpy() == self._packed.fingerprint[np.asarray(indices)]
    return float(is_right.mean()), float(num_nodes.numpy().mean())

  def _train_step(self, batch):
    with tf.GradientTape() as tape:
      loss, _ = self._model.loss_and_metrics(batch, training=True)
    gradients = tape.gradient(loss, self._optimizer.variables_to_train)
    self._optimizer.apply(gradients, tf.constant(1.0))
    return loss

  def _loss_and_gradients(self, batch):
    with tf.GradientTape() as tape:
      loss, _ = self._model.loss_and_metrics(batch, training=True)
    return loss, tape.gradient(loss, self._variables)

  def _generate(self, batch):
    trees = self._model.generate(batch.condition)
    return trees.fingerprint, trees.num_nodes
