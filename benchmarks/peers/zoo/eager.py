"""The reference that all arms are held to: the definitions, node by node, in eager TensorFlow.

Written from the equations with a tape around them, with no batching and nothing of recursive_tf.
It is never timed.
"""

from __future__ import annotations

import abc

import numpy as np
import tensorflow as tf

from benchmarks.peers import tf_cells
from benchmarks.peers import weights as w
from benchmarks.peers.peer import Peer


class Eager(Peer):
  """A model sample by sample."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__()
    self.weights = {name: tf.Variable(value) for name, value in weights.items()}
    self.packed = packed
    self._sums: dict[str, np.ndarray] = {}

  @abc.abstractmethod
  def outputs(self, index: int) -> tuple[list[tf.Tensor], list[int], list[int]]:
    """Returns states [1, D] that have a class, these classes, and which `infer` asks for."""

  def train(self, indices):
    _, gradients = self.loss_and_gradients(indices)
    for name, gradient in gradients.items():
      sums = self._sums.setdefault(name, np.full_like(gradient, w.INITIAL_SUM))
      sums += gradient * gradient
      rate = w.EMBEDDING_LEARNING_RATE if name == "embedding" else w.LEARNING_RATE
      self.weights[name].assign_sub(rate * gradient / (np.sqrt(sums) + w.EPSILON))

  def infer(self, indices):
    found = []
    for index in indices:
      states, _, asked = self.outputs(index)
      found += [int(tf.argmax(self._logits(states[i])[0])) for i in asked]
    return np.array(found)

  def loss_and_gradients(self, indices):
    with tf.GradientTape() as tape:
      total = tf.constant(0.0)
      for index in indices:
        states, labels, _ = self.outputs(index)
        for h, label in zip(states, labels, strict=True):
          total -= tf.nn.log_softmax(self._logits(h))[0, label]
      loss = total / len(indices)
    gradients = tape.gradient(loss, self.weights)
    return float(loss), {name: tf_cells.dense(value) for name, value in gradients.items()}

  def _logits(self, h: tf.Tensor) -> tf.Tensor:
    return h @ self.weights["output_weights"] + self.weights["output_bias"]


class EagerTrees(Eager):
  """A model over trees; `node` makes the states, h first."""

  @abc.abstractmethod
  def node(
    self, x: tf.Tensor | None, children: list[tuple[tf.Tensor, ...]]
  ) -> tuple[tf.Tensor, ...]:
    """Returns the state of a node from its word's vector [1, D_word] and its children."""

  def outputs(self, index):
    begin, end = self.packed["node_splits"][index : index + 2]
    word, label, children = (self.packed[n][begin:end] for n in ("word", "label", "children"))
    states: list[tuple[tf.Tensor, ...]] = []
    for i in range(end - begin):
      x = tf.gather(self.weights["embedding"], [word[i]]) if word[i] >= 0 else None
      states.append(self.node(x, [states[child] for child in children[i] if child >= 0]))
    return [state[0] for state in states], label.tolist(), [len(states) - 1]


class TreeGRU(EagerTrees):
  """h = (1 - z) u at leaves; h = z (h_l + h_r) + (1 - z) tanh([r h_l; r h_r] U + b) above."""

  def node(self, x, children):
    v = self.weights
    if not children:
      z, u = tf.split(x @ v["leaf_weights"] + v["leaf_bias"], 2, axis=1)
      return ((1 - tf.sigmoid(z)) * tf.tanh(u),)
    left, right = (state[0] for state in children)
    gates = tf.concat([left, right], 1) @ v["gate_weights"] + v["gate_bias"]
    r, z = tf.split(tf.sigmoid(gates), 2, axis=1)
    u = tf.tanh(tf.concat([r * left, r * right], 1) @ v["weights"] + v["bias"])
    return (z * (left + right) + (1 - z) * u,)


class NaryTreeLSTM(EagerTrees):
  """Tai et al. 2015, section 3.2: places without a child count as zeros."""

  def node(self, x, children):
    v = self.weights
    width = v["output_weights"].shape[0]
    max_children = v["weights"].shape[0] // width
    nothing = (tf.zeros([1, width]),) * 2
    h, c = zip(*(children + [nothing] * (max_children - len(children))), strict=True)
    i, o, f, u = tf.split(x @ v["word_weights"], 4, axis=1)
    gates = tf.concat([i, o, *[f] * max_children, u], 1) + v["bias"]
    gates += tf.concat(h, 1) @ v["weights"]
    i, o, *f, u = tf.split(gates, 3 + max_children, axis=1)
    memory = tf.sigmoid(i) * tf.tanh(u)
    for gate, below in zip(f, c, strict=True):
      memory += tf.sigmoid(gate) * below
    return tf.sigmoid(o) * tf.tanh(memory), memory


class MVRNN(EagerTrees):
  """Socher et al. 2012: h = tanh([M_r h_l; M_l h_r] W + b), M = W_M [M_l; M_r]."""

  def node(self, x, children):
    v = self.weights
    width = v["bias"].shape[0]
    if not children:
      h, diagonal, rest = tf.split(x, [width, width, -1], axis=1)
      left, right = tf.split(rest[0], 2)
      matrix = tf.reshape(left, [width, -1]) @ tf.reshape(right, [-1, width])
      return h, matrix + tf.linalg.diag(diagonal[0])
    (h_left, m_left), (h_right, m_right) = children
    both = tf.concat([h_left @ tf.transpose(m_right), h_right @ tf.transpose(m_left)], 1)
    h = tf.tanh(both @ v["weights"] + v["bias"])
    return h, v["matrix_weights"] @ tf.concat([m_left, m_right], 0)


class Tagger(Eager):
  """Two LSTMs over a sentence, one from each end; the class of each word from both."""

  def outputs(self, index):
    begin, end = self.packed["node_splits"][index : index + 2]
    x = tf.gather(self.weights["embedding"], self.packed["word"][begin:end])
    words = list(tf.split(x, end - begin))
    forward = self._states("forward", words)
    backward = self._states("backward", words[::-1])[::-1]
    states = [tf.concat(both, 1) for both in zip(forward, backward, strict=True)]
    labels = self.packed["label"][begin:end].tolist()
    return states, labels, list(range(len(states)))

  def _states(self, direction: str, words: list[tf.Tensor]) -> list[tf.Tensor]:
    own, recurrent, bias = (
      self.weights[f"{direction}_{name}"] for name in ("words", "weights", "bias")
    )
    h = c = tf.zeros([1, recurrent.shape[0]])
    states = []
    for x in words:
      i, o, f, u = tf.split(x @ own + h @ recurrent + bias, 4, axis=1)
      c = tf.sigmoid(i) * tf.tanh(u) + tf.sigmoid(f) * c
      h = tf.sigmoid(o) * tf.tanh(c)
      states.append(h)
    return states


class DagRNN(Eager):
  """Shuai et al. 2016: h = tanh(x W + (sum of the predecessors' h) U + b), above, left and both."""

  def outputs(self, index):
    v, patches = self.weights, self.packed["patches"][index]
    states: dict[tuple[int, int], tf.Tensor] = {}
    for row, column in np.ndindex(patches.shape[:2]):
      before = [(row - 1, column), (row, column - 1), (row - 1, column - 1)]
      known = [states[place] for place in before if place in states]
      gates = patches[row, column][None] @ v["input_weights"] + v["bias"]
      if known:
        gates += tf.add_n(known) @ v["weights"]
      states[row, column] = tf.tanh(gates)
    return [states[row, column]], [int(self.packed["label"][index])], [0]


class Spinn(Eager):
  """Bowman et al. 2016 with given transitions: a stack, a buffer, and a tracking LSTM."""

  def outputs(self, index):
    v = self.weights
    begin, end = self.packed["node_splits"][index : index + 2]
    word = self.packed["word"][begin:end]
    buffer = [tf.gather(v["embedding"], [word_id]) for word_id in word if word_id >= 0][::-1]
    stack: list[tuple[tf.Tensor, tf.Tensor]] = []
    nothing = (tf.zeros([1, v["word_bias"].shape[0]]),) * 2
    tracker = memory = tf.zeros([1, v["tracker_bias"].shape[0] // 4])
    states = []
    for word_id in word:
      front = buffer[-1] @ v["word_weights"] + v["word_bias"] if buffer else nothing[0]
      first, second = ([nothing, nothing, *stack][-k] for k in (1, 2))
      seen = tf.concat([first[0], second[0], tracker], 1)
      gates = front @ v["front_weights"] + seen @ v["tracker_weights"] + v["tracker_bias"]
      tracker, memory = _lstm(gates, [memory])
      if word_id >= 0:
        stack.append((front, buffer.pop() @ v["memory_weights"] + v["memory_bias"]))
      else:
        (h_right, c_right), (h_left, c_left) = stack.pop(), stack.pop()
        both = tf.concat([h_left, h_right, tracker], 1)
        stack.append(_lstm(both @ v["weights"] + v["bias"], [c_left, c_right]))
      states.append(stack[-1][0])
    return states, self.packed["label"][begin:end].tolist(), [len(states) - 1]


def _lstm(gates: tf.Tensor, memories: list[tf.Tensor]) -> tuple[tf.Tensor, tf.Tensor]:
  i, o, *f, u = tf.split(gates, 3 + len(memories), axis=1)
  kept = [tf.sigmoid(gate) * c for gate, c in zip(f, memories, strict=True)]
  memory = tf.add_n([tf.sigmoid(i) * tf.tanh(u), *kept])
  return tf.sigmoid(o) * tf.tanh(memory), memory


class Lattice(Eager):
  """Zhang and Yang 2018: an LSTM over characters whose memory is mixed with those of words.

  c = (exp(i) u + sum over words of exp(g_w) c_w) / (exp(i) + sum of exp(g_w)), f c + i u without.
  """

  def outputs(self, index):
    v, packed = self.weights, self.packed
    begin, end = packed["node_splits"][index : index + 2]
    h = c = tf.zeros([1, v["link_bias"].shape[0]])
    states: list[tuple[tf.Tensor, tf.Tensor]] = []
    for char in range(begin, end):
      x = tf.gather(v["embedding"], [packed["char"][char]])
      i, o, f, u = tf.split(x @ v["char_weights"] + h @ v["weights"] + v["bias"], 4, axis=1)
      i, f, u = tf.sigmoid(i), tf.sigmoid(f), tf.tanh(u)
      c = f * c + i * u
      total, mixed = tf.exp(i), tf.exp(i) * u
      words = packed["words"][slice(*packed["word_splits"][char : char + 2])]
      for word, length in words:
        h_start, c_start = states[char - begin + 1 - length]
        y = tf.gather(v["embedding"], [word])
        gates = y @ v["word_weights"] + h_start @ v["start_weights"] + v["word_bias"]
        i_word, f_word, u_word = tf.split(gates, 3, axis=1)
        memory = tf.sigmoid(f_word) * c_start + tf.sigmoid(i_word) * tf.tanh(u_word)
        link = x @ v["link_weights"] + memory @ v["memory_weights"] + v["link_bias"]
        total += tf.exp(tf.sigmoid(link))
        mixed += tf.exp(tf.sigmoid(link)) * memory
      if len(words):
        c = mixed / total
      h = tf.sigmoid(o) * tf.tanh(c)
      states.append((h, c))
    return [h for h, _ in states], packed["label"][begin:end].tolist(), list(range(len(states)))
