"""The top-down Tree-LSTM in plain eager TensorFlow: a Python function calls itself on each edge.

What runs: Python recursion from each root, one cell a node, each a handful of eager ops on [1, D].
In training, the softmax layers and the loss run once for all nodes of the batch; one GradientTape,
fused Adagrad kernels. There is no tf.function anywhere.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from benchmarks.peers import tf_cells, top_down_cells
from benchmarks.peers.peer import Peer
from recursive_tf.datasets import PackedDependencies
from recursive_tf.datasets import dependencies as dep

_MAX_NODES = 1000  # As in the model's `generate`.


class TopDownEager(Peer):
  """The model as eager recursion.

  `infer` returns the fingerprint of each generated tree in place of a class.
  """

  def __init__(self, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__()
    self._packed = PackedDependencies(**packed)
    self._model = top_down_cells.TopDownModel(weights)
    self._optimizer = top_down_cells.optimizer(self._model.variables)
    self._one = tf.constant(1.0)

  def train(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(indices)
    trained = self._optimizer.variables_to_train
    self._optimizer.apply(tape.gradient(loss, trained), self._one)

  def infer(self, indices):
    roots = self._root_states(self._packed.condition[np.asarray(indices)])
    found = [self._generate(*state, 0, _MAX_NODES, dep.ROOT_KEY) for state in roots]
    return np.array([dep.join_fingerprints(value) for value in found])

  def loss_and_gradients(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(indices)
    gradients = tape.gradient(loss, self._model.variables)
    return float(loss), {name: tf_cells.dense(value) for name, value in gradients.items()}

  def _root_states(self, condition) -> list[tuple[tf.Tensor, tf.Tensor]]:
    h, c = self._model.root_states(condition)
    return list(zip(tf.split(h, len(condition)), tf.split(c, len(condition)), strict=True))

  def _loss(self, indices) -> tf.Tensor:
    arrays, model = self._packed.batch_arrays(indices), self._model
    edges = arrays["edges"].tolist()
    x = tf.gather(model.variables["embedding"], arrays["word"])
    vectors = tf.split(x, len(edges))
    states: list[tf.Tensor] = []

    def visit(node: int, h: tf.Tensor, c: tf.Tensor) -> None:
      states.append(h)
      inputs = None
      for edge, target in enumerate(edges[node]):
        if target >= 0:
          inputs = tf.concat([vectors[node], h], 1) if inputs is None else inputs
          visit(target, *model.step(edge, inputs, c))

    for root, state in zip(arrays["root"], self._root_states(arrays["condition"]), strict=True):
      visit(int(root), *state)  # Pre-order, as the arrays.
    allowed = top_down_cells.ALLOWED[arrays["side"]]
    losses = model.losses(tf.concat(states, 0), x, arrays["word"], arrays["edges"] >= 0, allowed)
    return losses / len(indices)

  def _generate(self, h: tf.Tensor, c: tf.Tensor, side: int, share: int, key: int) -> int:
    """Returns the sum of the fingerprints of a node and those that follow."""
    model = self._model
    word = tf.argmax(model.words(h), 1)
    inputs = tf.concat([tf.gather(model.variables["embedding"], word), h], 1)
    wanted = np.flatnonzero((model.edges(inputs).numpy()[0] > 0) & top_down_cells.ALLOWED[side])
    below = (share - 1) // max(len(wanted), 1)
    total = dep.node_fingerprint(key, int(word[0]))
    for edge in wanted.tolist() if below > 0 else ():
      state = model.step(edge, inputs, c)
      total += self._generate(*state, dep.SIDE_OF_EDGE[edge], below, dep.child_key(key, edge))
    return total
