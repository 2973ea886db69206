"""recursive_tf itself: the models of `recursive_tf.models` as they are, on a `TreeTable`.

What runs: the packed treebank is a constant of the graph, and a batch is the numbers of its trees:
there is nothing to plan, the recursion finds the nodes by itself. One tf.function computes the
model's loss, gradients and Adagrad; another its `logits` at the roots. Both are called by what
`rtf.prepare` makes of them.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import tensorflow as tf

from benchmarks.peers import weights as w
from benchmarks.peers.prepared import PreparedPeer
from recursive_tf.datasets import PackedTrees
from recursive_tf.models import labels
from recursive_tf.models.optimizer import Adagrad, ParameterGroup
from recursive_tf.models.treelstm import TreeLSTM, TreeLSTMConfig
from recursive_tf.models.treernn import RNTN, RNTNConfig, TreeRNN, TreeRNNConfig

_MODELS = {
  "treelstm": (TreeLSTM, TreeLSTMConfig),
  "treernn": (TreeRNN, TreeRNNConfig),
  "rntn": (RNTN, RNTNConfig),
}


class RecursiveTF(PreparedPeer):
  """A model as a recursive graph; what it predicts is the class of each root."""

  def __init__(
    self,
    model: str,
    weights: dict[str, np.ndarray],
    packed: dict[str, np.ndarray],
    dtype: str = "float32",
    precision: str | None = None,
  ):
    super().__init__()
    self._table = PackedTrees(**packed).table()
    make, config = _MODELS[model]
    sizes = {"state_size": weights["output_weights"].shape[0], "dropout": 0.0}
    if "embedding_size" in {field.name for field in dataclasses.fields(config)}:
      sizes["embedding_size"] = weights["embedding"].shape[1]
    self._model = make(
      len(weights["embedding"]), config(**sizes), task=labels.FINE, dtype=tf.as_dtype(dtype)
    )
    self._model.precision = precision
    self._variables = {name: getattr(self._model, name) for name in weights}
    for name, value in weights.items():
      self._variables[name].assign(value)
    groups = [
      ParameterGroup(
        tuple(v for name, v in self._variables.items() if name != "embedding"), w.LEARNING_RATE
      ),
      ParameterGroup((self._model.embedding,), w.EMBEDDING_LEARNING_RATE),
    ]
    self._optimizer = Adagrad(groups, initial_sum=w.INITIAL_SUM, epsilon=w.EPSILON)

  def train_step(self, indices):
    with tf.GradientTape() as tape:
      loss = self._model.loss(self._table.select(indices), training=True)
    self._optimizer.apply(tape.gradient(loss, self._optimizer.variables_to_train), 1.0)
    return loss

  def compute_gradients(self, indices):
    with tf.GradientTape() as tape:
      loss = self._model.loss(self._table.select(indices), training=True)
    return loss, tape.gradient(loss, self._variables)

  def predict(self, indices):
    return tf.argmax(self._model.logits(self._table.select(indices)), 1)
