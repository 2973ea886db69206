"""The top-down Tree-LSTM's cells in plain TensorFlow ops, for the TensorFlow peers; any rows."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from benchmarks.peers import weights as w
from recursive_tf.datasets import dependencies as dep
from recursive_tf.models.optimizer import Adagrad, ParameterGroup

# Which edges a node may have, by its side (0 root, 1 left, 2 right).
ALLOWED = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 1]], np.bool_)
FULL_SIZES = {"embedding": 300, "state": 150}
SMALL_SIZES = {"embedding": 6, "state": 4}


def make_weights(
  vocab_size: int, num_conditions: int, sizes: dict[str, int], seed: int
) -> dict[str, np.ndarray]:
  """Draws weights, named and laid out as the variables of `models.TopDownTreeLSTM`."""
  rng = np.random.default_rng(seed)
  word, width = sizes["embedding"], sizes["state"]

  def glorot(rows: int, columns: int, num_blocks: int = 1) -> np.ndarray:
    bound = np.sqrt(6 / (rows + columns))
    return rng.uniform(-bound, bound, (rows, columns * num_blocks)).astype(np.float32)

  forget = np.repeat(np.array([0, 0, 1, 0], np.float32), width)
  weights = {
    "embedding": rng.uniform(-0.1, 0.1, (vocab_size, word)).astype(np.float32),
    "conditions": rng.uniform(-0.1, 0.1, (num_conditions, width)).astype(np.float32),
    "output_weights": glorot(width, vocab_size),
    "output_bias": np.zeros(vocab_size, np.float32),
    "hidden_weights": glorot(word + width, width),
    "hidden_bias": np.zeros(width, np.float32),
    "edge_weights": glorot(width, 4),
    "edge_bias": np.full(4, -1.0, np.float32),
  }
  for edge in dep.EDGES:
    weights[f"{edge}_weights"] = glorot(word + width, width, 4)
    weights[f"{edge}_bias"] = forget
  return weights


def optimizer(variables: dict[str, tf.Variable]) -> Adagrad:
  """Returns Adagrad; `apply` takes gradients in the order of its `variables_to_train`."""
  tables = ("embedding", "conditions")
  groups = [
    ParameterGroup(tuple(v for n, v in variables.items() if n not in tables), w.LEARNING_RATE),
    ParameterGroup(tuple(variables[n] for n in tables), w.EMBEDDING_LEARNING_RATE),
  ]
  return Adagrad(groups, initial_sum=w.INITIAL_SUM, epsilon=w.EPSILON)


class TopDownModel:
  """Variables and cells.

  Attributes:
    variables: by name, see `make_weights`.
    width: D.
  """

  def __init__(self, arrays: dict[str, np.ndarray]):
    self.variables = {name: tf.Variable(value, name=name) for name, value in arrays.items()}
    self.width = arrays["output_weights"].shape[0]
    self.word_width = arrays["embedding"].shape[1]

  def root_states(self, condition: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns (h, c) of the roots, float [B, D] each."""
    c = tf.reduce_sum(tf.gather(self.variables["conditions"], condition), 1)
    return tf.tanh(c), c

  def step(self, edge: int, inputs: tf.Tensor, c: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns (h, c) over an edge, from [x; h] and c of the nodes before."""
    name = dep.EDGES[edge]
    gates = self._dense(inputs, f"{name}_weights", f"{name}_bias")
    # One sigmoid for the three gates that need it.
    i, o, f = tf.split(tf.sigmoid(gates[:, : 3 * self.width]), 3, axis=1)
    c = i * tf.tanh(gates[:, 3 * self.width :]) + f * c
    return o * tf.tanh(c), c

  def words(self, h: tf.Tensor) -> tf.Tensor:
    """Returns unnormalised log-probabilities of words, float [n, V]."""
    return self._dense(h, "output_weights", "output_bias")

  def edges(self, inputs: tf.Tensor) -> tf.Tensor:
    """Returns log-odds of edges, float [n, 4]."""
    hidden = tf.tanh(self._dense(inputs, "hidden_weights", "hidden_bias"))
    return self._dense(hidden, "edge_weights", "edge_bias")

  def losses(
    self, h: tf.Tensor, x: tf.Tensor, word: tf.Tensor, exists: tf.Tensor, allowed: tf.Tensor
  ) -> tf.Tensor:
    """Returns -log P of given words and edges, summed, float []."""
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(word, self.words(h))
    odds = self.edges(tf.concat([x, h], 1))
    edge_losses = tf.nn.sigmoid_cross_entropy_with_logits(tf.cast(exists, odds.dtype), odds)
    return tf.reduce_sum(loss) + tf.reduce_sum(edge_losses * tf.cast(allowed, odds.dtype))

  def _dense(self, x: tf.Tensor, weights: str, bias: str) -> tf.Tensor:
    return tf.nn.bias_add(tf.matmul(x, self.variables[weights]), self.variables[bias])
