"""The cells of Tree-LSTMs whose nodes have words, and any or up to N children.

Tai, Socher and Manning, "Improved Semantic Representations From Tree-Structured Long Short-Term
Memory Networks", ACL 2015, arXiv:1503.00075, sections 3.1 and 3.2.
"""

from __future__ import annotations

import dataclasses

import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.models.treelstm.cell import LSTMState


@dataclasses.dataclass(frozen=True)
class ChildSumCell:
  """One step of the Child-Sum Tree-LSTM, of width D; the order of children does not count.

    h~ = sum over k of h_k
    i, o = sigmoid(W x + U h~ + b), u = tanh(W x + U h~ + b)
    f_k = sigmoid(W_f x + U_f h_k + b_f)
    c = i u + sum over k of f_k c_k,   h = o tanh(c)

  Attributes:
    word_weights: float [D_in, 4 D], W of i, o and u, then W_f.
    weights: float [D, 3 D], U of i, o and u.
    forget_weights: float [D, D], U_f.
    bias: float [4 D], of i, o, u and f.
  """

  word_weights: tf.Tensor
  weights: tf.Tensor
  forget_weights: tf.Tensor
  bias: tf.Tensor

  @property
  def state_spec(self) -> LSTMState:
    """Types and shapes of a state."""
    spec = tf.TensorSpec([1, self.forget_weights.shape[0]], self.weights.dtype)
    return LSTMState(spec, spec)

  def gates(self, x: tf.Tensor) -> tf.Tensor:
    """Returns what a word, [1, D_in], adds to the gates, float [1, 4 D]."""
    return rtf.nn.matmul(x, self.word_weights) + self.bias

  def leaf(self, gates: tf.Tensor) -> LSTMState:
    """Computes the state of a node without children from what its word adds to the gates."""
    return LSTMState(*rtf.nn.lstm_gates(gates[:, : self._split], []))

  def inner(self, gates: tf.Tensor, children: LSTMState) -> LSTMState:
    """Computes the state of a node from its word's part of the gates and K children, [K, 1, D]."""
    h, c = (tf.squeeze(part, 1) for part in children)
    forget = tf.sigmoid(gates[:, self._split :] + tf.matmul(h, self.forget_weights))
    kept = tf.reduce_sum(forget * c, axis=0, keepdims=True)
    h_sum = tf.reduce_sum(h, axis=0, keepdims=True)
    i, o, u = tf.split(gates[:, : self._split] + rtf.nn.matmul(h_sum, self.weights), 3, axis=1)
    memory = tf.sigmoid(i) * tf.tanh(u) + kept
    return LSTMState(tf.sigmoid(o) * tf.tanh(memory), memory)

  @property
  def _split(self) -> int:
    return int(self.weights.shape[1])


@dataclasses.dataclass(frozen=True)
class NaryCell:
  """One step of the N-ary Tree-LSTM, of width D: children have places, 1 to N.

  Places without a child count as zeros; each forget gate sees all children.

    i, o, f_1 .. f_N = sigmoid(W x + U [h_1; ..; h_N] + b), u = tanh(the same)
    c = i u + sum over k of f_k c_k,   h = o tanh(c)

  The word's part of the forget gates is the same for all k, as in the paper's equation 10.

  Attributes:
    word_weights: float [D_in, 4 D], W of i, o, f and u.
    weights: float [N D, (3 + N) D], U of i, o, f_1 .. f_N and u.
    bias: float [(3 + N) D], of i, o, f_1 .. f_N and u.
  """

  word_weights: tf.Tensor
  weights: tf.Tensor
  bias: tf.Tensor

  @property
  def width(self) -> int:
    """D."""
    return int(self.word_weights.shape[1]) // 4

  @property
  def max_children(self) -> int:
    """N."""
    return int(self.weights.shape[0]) // self.width

  @property
  def state_spec(self) -> LSTMState:
    """Types and shapes of a state."""
    spec = tf.TensorSpec([1, self.width], self.weights.dtype)
    return LSTMState(spec, spec)

  def gates(self, x: tf.Tensor) -> tf.Tensor:
    """Returns what a word, [1, D_in], adds to the gates i, o, f and u, float [1, 4 D]."""
    return rtf.nn.matmul(x, self.word_weights)

  def leaf(self, gates: tf.Tensor) -> LSTMState:
    """Computes the state of a node without children from what its word adds to the gates."""
    width = self.width
    own = tf.concat([gates[:, : 2 * width], gates[:, -width:]], axis=1)
    bias = tf.concat([self.bias[: 2 * width], self.bias[-width:]], axis=0)
    return LSTMState(*rtf.nn.lstm_gates(own, [], bias))

  def inner(self, gates: tf.Tensor, children: LSTMState) -> LSTMState:
    """Computes the state of a node from its word's part of the gates and K <= N children."""
    h, c = (tf.squeeze(part, 1) for part in children)
    count = tf.shape(h)[0]
    i, o, f, u = tf.split(gates, 4, axis=1)
    # Of as many nodes as have children: a leaf has no use for it.
    own = tf.concat([i, o, *[f] * self.max_children, u], axis=1)
    # What would be multiplied with zeros is left out.
    own += rtf.nn.matmul(tf.reshape(h, [1, -1]), self.weights, num_rows=count * self.width)
    c = tf.pad(c, [[0, self.max_children - count], [0, 0]])
    memories = tf.split(tf.ensure_shape(c, [self.max_children, self.width]), self.max_children)
    return LSTMState(*rtf.nn.lstm_gates(own, memories, self.bias))
