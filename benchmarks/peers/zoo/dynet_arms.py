"""DyNet with automatic batching, the zoo's models: a graph for every batch, sample by sample.

What runs: Python adds expressions for every node of every sample; DyNet groups alike operations;
one forward and one backward over the batch; Adagrad, sparse for the embedding. One thread. Its
Adagrad starts from sums of zero and has one learning rate, so steps differ a little; loss and
gradients do not.
"""

from __future__ import annotations

import abc

import dynet_config
import numpy as np

# Before dynet is imported: it reads its options then. Memory in MB: it cannot grow later.
dynet_config.set(autobatch=1, mem=4096)

import dynet as dy  # noqa: E402

from benchmarks.peers import weights as w  # noqa: E402
from benchmarks.peers.peer import Peer  # noqa: E402

State = tuple[dy.Expression, ...]


class DynetModel(Peer):
  """A model in DyNet. A product is matrix times column here, so matrices are transposed."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__()
    self._collection = dy.ParameterCollection()
    self.embedding = None
    if "embedding" in weights:
      self.embedding = self._collection.lookup_parameters_from_numpy(weights["embedding"])
    self.weights = {
      name: self._collection.parameters_from_numpy(np.ascontiguousarray(value.T))
      for name, value in weights.items()
      if name != "embedding"
    }
    self.width, self._num_classes = weights["output_weights"].shape
    self._trainer = dy.AdagradTrainer(self._collection, w.LEARNING_RATE, eps=w.EPSILON)
    self._trainer.set_clip_threshold(0)
    # Gradients add up until an update takes them.
    self._nothing = dy.SimpleSGDTrainer(self._collection, 0.0)
    self._nothing.set_clip_threshold(0)

  @abc.abstractmethod
  def outputs(self, index: int) -> tuple[list[dy.Expression], list[int], list[int]]:
    """Returns states that have a class, these classes, and which of them `infer` asks for."""

  def train(self, indices):
    loss = self._loss(indices)
    loss.forward()
    loss.backward()
    self._trainer.update()

  def infer(self, indices):
    dy.renew_cg()
    logits = []
    for index in indices:
      states, _, asked = self.outputs(index)
      logits += [self._logits(states[i]) for i in asked]
    return dy.concatenate_cols(logits).npvalue().reshape(self._num_classes, -1).argmax(0)

  def loss_and_gradients(self, indices):
    loss = self._loss(indices)
    value = loss.scalar_value()
    loss.backward()
    gradients = {name: weight.grad_as_array().T for name, weight in self.weights.items()}
    if self.embedding is not None:
      gradients["embedding"] = self.embedding.grad_as_array()
    result = value, {name: np.array(gradient) for name, gradient in gradients.items()}
    self._nothing.update()
    return result

  def affine(self, x: dy.Expression, weights: str, bias: str) -> dy.Expression:
    """Returns the matrix named `weights` times x, plus the bias."""
    return dy.affine_transform([self.weights[bias], self.weights[weights], x])

  def _loss(self, indices) -> dy.Expression:
    dy.renew_cg()
    losses = []
    for index in indices:
      states, labels, _ = self.outputs(index)
      losses += [
        dy.pickneglogsoftmax(self._logits(h), label)
        for h, label in zip(states, labels, strict=True)
      ]
    return dy.esum(losses) / len(indices)

  def _logits(self, h: dy.Expression) -> dy.Expression:
    return self.affine(h, "output_weights", "output_bias")


class Trees(DynetModel):
  """A model over trees: nodes in post-order, h first in a state."""

  def __init__(self, model, weights, packed):
    super().__init__(model, weights, packed)
    self._trees = []
    for begin, end in zip(packed["node_splits"][:-1], packed["node_splits"][1:], strict=True):
      children = [[c for c in row if c >= 0] for row in packed["children"][begin:end].tolist()]
      word, label = (packed[name][begin:end].tolist() for name in ("word", "label"))
      self._trees.append((list(zip(word, children, strict=True)), label))

  @abc.abstractmethod
  def node(self, x: dy.Expression | None, children: list[State]) -> State:
    """Returns the state of a node from its word's vector and its children's states."""

  def outputs(self, index):
    nodes, labels = self._trees[index]
    states: list[State] = []
    for word, children in nodes:
      x = self.embedding[word] if word >= 0 else None
      states.append(self.node(x, [states[child] for child in children]))
    return [state[0] for state in states], labels, [len(states) - 1]


class TreeGRU(Trees):
  """Binary TreeGRU."""

  def node(self, x, children):
    width = self.width
    if not children:
      gates = self.affine(x, "leaf_weights", "leaf_bias")
      kept = dy.logistic(-dy.pick_range(gates, 0, width))  # 1 - z
      return (dy.cmult(kept, dy.tanh(dy.pick_range(gates, width, 2 * width))),)
    left, right = (state[0] for state in children)
    both = dy.concatenate([left, right])
    gates = dy.logistic(self.affine(both, "gate_weights", "gate_bias"))
    r, z = dy.pick_range(gates, 0, width), dy.pick_range(gates, width, 2 * width)
    kept = dy.cmult(dy.concatenate([r, r]), both)
    u = dy.tanh(self.affine(kept, "weights", "bias"))
    return (u + dy.cmult(z, left + right - u),)


class NaryTreeLSTM(Trees):
  """N-ary TreeLSTM."""

  def node(self, x, children):
    width, v = self.width, self.weights
    own = v["word_weights"] * x
    i, o, f, u = (dy.pick_range(own, k * width, (k + 1) * width) for k in range(4))
    if not children:
      bias = v["bias"]
      size = bias.shape()[0]
      i += dy.pick_range(bias, 0, width)
      o += dy.pick_range(bias, width, 2 * width)
      u += dy.pick_range(bias, size - width, size)
      c = dy.cmult(dy.logistic(i), dy.tanh(u))
      return dy.cmult(dy.logistic(o), dy.tanh(c)), c
    max_children = v["weights"].shape()[1] // width
    nothing = [dy.zeros(width)] * (max_children - len(children))
    h = dy.concatenate([state[0] for state in children] + nothing)
    gates = self.affine(h, "weights", "bias") + dy.concatenate([i, o, *[f] * max_children, u])
    squashed = dy.logistic(dy.pick_range(gates, 0, (2 + max_children) * width))
    i, o, *f = (
      dy.pick_range(squashed, k * width, (k + 1) * width) for k in range(2 + len(children))
    )
    u = dy.tanh(dy.pick_range(gates, (2 + max_children) * width, (3 + max_children) * width))
    c = dy.cmult(i, u)
    for gate, state in zip(f, children, strict=True):
      c += dy.cmult(gate, state[1])
    return dy.cmult(o, dy.tanh(c)), c


class MVRNN(Trees):
  """Matrix-vector network; matrices are kept transposed, as products are turned around."""

  def node(self, x, children):
    width = self.width
    if not children:
      size = (x.dim()[0][0] - 2 * width) // 2
      h, diagonal = dy.pick_range(x, 0, width), dy.pick_range(x, width, 2 * width)
      left, right = (
        dy.pick_range(x, begin, begin + size) for begin in (2 * width, 2 * width + size)
      )
      # DyNet fills columns first.
      left = dy.reshape(left, (size // width, width))
      right = dy.reshape(right, (width, size // width))
      spread = dy.cmult(diagonal * dy.ones((1, width)), dy.inputTensor(np.eye(width)))
      return h, right * left + spread
    (h_left, m_left), (h_right, m_right) = children
    both = dy.concatenate([dy.transpose(m_right) * h_left, dy.transpose(m_left) * h_right])
    matrix = dy.concatenate_cols([m_left, m_right]) * self.weights["matrix_weights"]
    return dy.tanh(self.affine(both, "weights", "bias")), matrix


class Tagger(DynetModel):
  """Bidirectional LSTM tagger."""

  def __init__(self, model, weights, packed):
    super().__init__(model, weights, packed)
    self._packed = {name: packed[name].tolist() for name in ("word", "label", "node_splits")}

  def outputs(self, index):
    begin, end = self._packed["node_splits"][index : index + 2]
    words = [self.embedding[word] for word in self._packed["word"][begin:end]]
    forward = self._states("forward", words)
    backward = self._states("backward", words[::-1])[::-1]
    states = [dy.concatenate(list(both)) for both in zip(forward, backward, strict=True)]
    return states, self._packed["label"][begin:end], list(range(len(states)))

  def _states(self, direction, words):
    own, recurrent, bias = (
      self.weights[f"{direction}_{name}"] for name in ("words", "weights", "bias")
    )
    width = self.width // 2
    states = []
    h = c = None
    for x in words:
      known = [] if h is None else [recurrent, h]
      gates = dy.affine_transform([bias, own, x, *known])
      squashed = dy.logistic(dy.pick_range(gates, 0, 3 * width))
      i, o, f = (dy.pick_range(squashed, k * width, (k + 1) * width) for k in range(3))
      new = dy.cmult(i, dy.tanh(dy.pick_range(gates, 3 * width, 4 * width)))
      c = new if c is None else new + dy.cmult(f, c)
      h = dy.cmult(o, dy.tanh(c))
      states.append(h)
    return states


class DagRNN(DynetModel):
  """DAG-RNN over a grid."""

  def __init__(self, model, weights, packed):
    super().__init__(model, weights, packed)
    self._patches, self._label = packed["patches"], packed["label"].tolist()

  def outputs(self, index):
    v, patches = self.weights, self._patches[index]
    states: dict[tuple[int, int], dy.Expression] = {}
    for row, column in np.ndindex(patches.shape[:2]):
      before = [(row - 1, column), (row, column - 1), (row - 1, column - 1)]
      known = [states[place] for place in before if place in states]
      total = [v["weights"], dy.esum(known)] if known else []
      x = dy.inputTensor(patches[row, column])
      gates = dy.affine_transform([v["bias"], v["input_weights"], x, *total])
      states[row, column] = dy.tanh(gates)
    return [states[row, column]], [self._label[index]], [0]


class Spinn(DynetModel):
  """SPINN over given parses, with a stack of Python."""

  def __init__(self, model, weights, packed):
    super().__init__(model, weights, packed)
    self._packed = {name: packed[name].tolist() for name in ("word", "label", "node_splits")}

  def outputs(self, index):
    v, width = self.weights, self.width
    begin, end = self._packed["node_splits"][index : index + 2]
    words = self._packed["word"][begin:end]
    vectors = [self.embedding[word] for word in words if word >= 0]
    buffer = [self.affine(x, "word_weights", "word_bias") for x in reversed(vectors)]
    vectors.reverse()
    size = v["tracker_bias"].shape()[0] // 4
    tracker = memory = dy.zeros(size)
    nothing = dy.zeros(width)
    stack: list[State] = [(nothing, nothing)] * 2
    states = []
    for word in words:
      front = buffer[-1] if buffer else nothing
      seen = dy.concatenate([stack[-1][0], stack[-2][0], tracker])
      terms = [v["tracker_bias"], v["front_weights"], front, v["tracker_weights"], seen]
      tracker, memory = _lstm(dy.affine_transform(terms), [memory], size)
      if word >= 0:
        stack.append((buffer.pop(), self.affine(vectors.pop(), "memory_weights", "memory_bias")))
      else:
        (h_right, c_right), (h_left, c_left) = stack.pop(), stack.pop()
        both = dy.concatenate([h_left, h_right, tracker])
        stack.append(_lstm(self.affine(both, "weights", "bias"), [c_left, c_right], width))
      states.append(stack[-1][0])
    return states, self._packed["label"][begin:end], [len(states) - 1]


def _lstm(gates: dy.Expression, memories: list[dy.Expression], width: int) -> State:
  num = len(memories)
  squashed = dy.logistic(dy.pick_range(gates, 0, (2 + num) * width))
  i, o, *f = (dy.pick_range(squashed, k * width, (k + 1) * width) for k in range(2 + num))
  c = dy.cmult(i, dy.tanh(dy.pick_range(gates, (2 + num) * width, (3 + num) * width)))
  for gate, memory in zip(f, memories, strict=True):
    c += dy.cmult(gate, memory)
  return dy.cmult(o, dy.tanh(c)), c


class Lattice(DynetModel):
  """Lattice LSTM."""

  def __init__(self, model, weights, packed):
    super().__init__(model, weights, packed)
    names = ("char", "label", "node_splits", "words", "word_splits")
    self._packed = {name: packed[name].tolist() for name in names}

  def outputs(self, index):
    v, width, packed = self.weights, self.width, self._packed
    begin, end = packed["node_splits"][index : index + 2]
    h = c = dy.zeros(width)
    states: list[State] = []
    for char in range(begin, end):
      x = self.embedding[packed["char"][char]]
      gates = dy.affine_transform([v["bias"], v["char_weights"], x, v["weights"], h])
      squashed = dy.logistic(dy.pick_range(gates, 0, 3 * width))
      i, o, f = (dy.pick_range(squashed, k * width, (k + 1) * width) for k in range(3))
      u = dy.tanh(dy.pick_range(gates, 3 * width, 4 * width))
      first, last = packed["word_splits"][char : char + 2]
      if first == last:
        c = dy.cmult(f, c) + dy.cmult(i, u)
      else:
        shares, memories = [dy.exp(i)], [u]
        for word, length in packed["words"][first:last]:
          memories.append(self._memory(word, *states[char - begin + 1 - length]))
          terms = [v["link_bias"], v["link_weights"], x, v["memory_weights"], memories[-1]]
          shares.append(dy.exp(dy.logistic(dy.affine_transform(terms))))
        c = dy.cdiv(
          dy.esum([dy.cmult(*pair) for pair in zip(shares, memories, strict=True)]), dy.esum(shares)
        )
      h = dy.cmult(o, dy.tanh(c))
      states.append((h, c))
    return [h for h, _ in states], packed["label"][begin:end], list(range(len(states)))

  def _memory(self, word: int, h_start: dy.Expression, c_start: dy.Expression) -> dy.Expression:
    v, width, y = self.weights, self.width, self.embedding[word]
    terms = [v["word_bias"], v["word_weights"], y, v["start_weights"], h_start]
    gates = dy.affine_transform(terms)
    squashed = dy.logistic(dy.pick_range(gates, 0, 2 * width))
    i, f = dy.pick_range(squashed, 0, width), dy.pick_range(squashed, width, 2 * width)
    return dy.cmult(f, c_start) + dy.cmult(i, dy.tanh(dy.pick_range(gates, 2 * width, 3 * width)))
