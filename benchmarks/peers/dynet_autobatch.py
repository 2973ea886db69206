"""DyNet with automatic batching: a graph is built for every batch, DyNet groups alike operations.

What runs: Python recursion adds expressions for each node of each tree, the loss at every node
among them; one forward and one backward over the whole batch; Adagrad, sparse for the embedding.
DyNet keeps one thread, whatever it is given. Its Adagrad starts from sums of zero and has one
learning rate, so steps differ a little from those of the other arms; loss and gradients are the
same. TreeLSTM only.
"""

from __future__ import annotations

import dynet_config
import numpy as np

# Before dynet is imported: it reads its options then. Memory in MB, to start with.
dynet_config.set(autobatch=1, mem=512)

import dynet as dy  # noqa: E402

from benchmarks.peers import weights as w  # noqa: E402
from benchmarks.peers.peer import Peer  # noqa: E402
from benchmarks.peers.trees import Node, sentences  # noqa: E402


class DynetAutobatch(Peer):
  """The TreeLSTM in DyNet."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    if model != "treelstm":
      raise ValueError(f"no cell is written for {model}")
    super().__init__()
    self._sentences = sentences(packed)
    self._width = weights["output_weights"].shape[0]
    self._collection = dy.ParameterCollection()
    self._embedding = self._collection.lookup_parameters_from_numpy(weights["embedding"])
    # A product is matrix times column here.
    self._weights = {
      name: self._collection.parameters_from_numpy(np.ascontiguousarray(value.T))
      for name, value in weights.items()
      if name != "embedding"
    }
    self._trainer = dy.AdagradTrainer(self._collection, w.LEARNING_RATE, eps=w.EPSILON)
    self._trainer.set_clip_threshold(0)
    # Gradients add up until an update takes them.
    self._nothing = dy.SimpleSGDTrainer(self._collection, 0.0)
    self._nothing.set_clip_threshold(0)

  def train(self, indices):
    loss = self._loss(indices)
    loss.forward()
    loss.backward()
    self._trainer.update()

  def infer(self, indices):
    dy.renew_cg()
    logits = []
    for index in indices:
      states: list[dy.Expression] = []
      h, _ = self._states(index, states)
      logits.append(self._logits(h))
    return dy.concatenate_cols(logits).npvalue().reshape(w.NUM_CLASSES, -1).argmax(0)

  def loss_and_gradients(self, indices):
    loss = self._loss(indices)
    value = loss.scalar_value()
    loss.backward()
    gradients = {name: weight.grad_as_array().T for name, weight in self._weights.items()}
    gradients["embedding"] = self._embedding.grad_as_array()
    result = value, {name: np.array(gradient) for name, gradient in gradients.items()}
    self._nothing.update()
    return result

  def _loss(self, indices) -> dy.Expression:
    dy.renew_cg()
    losses = []
    for index in indices:
      states: list[dy.Expression] = []
      self._states(index, states)
      labels = self._sentences[index].labels.tolist()
      losses += [
        dy.pickneglogsoftmax(self._logits(h), label)
        for h, label in zip(states, labels, strict=True)
      ]
    return dy.esum(losses) / len(indices)

  def _states(self, index: int, states: list[dy.Expression]):
    """Returns (h, c) of a tree's root; adds h of all its nodes to `states` in post-order."""
    words = self._sentences[index].words.tolist()

    def visit(node: Node):
      if node.left is None:
        state = self._leaf(self._embedding[words[node.leaf]])
      else:
        state = self._inner(visit(node.left), visit(node.right))
      states.append(state[0])
      return state

    return visit(self._sentences[index].root)

  def _leaf(self, x: dy.Expression):
    v, width = self._weights, self._width
    gates = dy.affine_transform([v["leaf_bias"], v["leaf_weights"], x])
    squashed = dy.logistic(dy.pick_range(gates, 0, 2 * width))
    u = dy.tanh(dy.pick_range(gates, 2 * width, 3 * width))
    c = dy.cmult(dy.pick_range(squashed, 0, width), u)
    return dy.cmult(dy.pick_range(squashed, width, 2 * width), dy.tanh(c)), c

  def _inner(self, left, right):
    v, width = self._weights, self._width
    children = dy.concatenate([left[0], right[0]])
    gates = dy.affine_transform([v["inner_bias"], v["inner_weights"], children])
    squashed = dy.logistic(dy.pick_range(gates, 0, 4 * width))
    i, o, f_left, f_right = (dy.pick_range(squashed, k * width, (k + 1) * width) for k in range(4))
    u = dy.tanh(dy.pick_range(gates, 4 * width, 5 * width))
    c = dy.cmult(i, u) + dy.cmult(f_left, left[1]) + dy.cmult(f_right, right[1])
    return dy.cmult(o, dy.tanh(c)), c

  def _logits(self, h: dy.Expression) -> dy.Expression:
    v = self._weights
    return dy.affine_transform([v["output_bias"], v["output_weights"], h])
