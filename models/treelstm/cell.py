"""The binary Tree-LSTM cell.

Tai, Socher and Manning, "Improved Semantic Representations From Tree-Structured Long Short-Term
Memory Networks", ACL 2015, arXiv:1503.00075, section 3.2 (N = 2).
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import tensorflow as tf

import recursive_tf as rtf


class LSTMState(NamedTuple):
  """State of one node: `h`, what the outside sees, and the memory `c`; both float [1, D]."""

  h: tf.Tensor
  c: tf.Tensor


@dataclasses.dataclass(frozen=True)
class TreeLSTMCell:
  """One step at a leaf, and one at an inner node, of width D.

  As in the paper's constituency model, words enter at leaves only, and inner nodes have no input.

    leaf:   i, o = sigmoid(W x + b), u = tanh(W x + b)
            c = i u
    inner:  i, o, f_l, f_r = sigmoid(U [h_l; h_r] + b), u = tanh(U [h_l; h_r] + b)
            c = i u + f_l c_l + f_r c_r
    both:   h = o tanh(c)

  Attributes:
    leaf_weights, leaf_bias: float [D_in, 3 D] and [3 D], gates in the order i, o, u.
    inner_weights, inner_bias: float [2 D, 5 D] and [5 D], gates in the order i, o, f_l, f_r, u.
    precision: of the products with weights, as `rtf.nn.matmul` takes it.
  """

  leaf_weights: tf.Tensor
  leaf_bias: tf.Tensor
  inner_weights: tf.Tensor
  inner_bias: tf.Tensor
  precision: str | None = dataclasses.field(default=None, kw_only=True)

  @property
  def state_spec(self) -> LSTMState:
    """Types and shapes of a state."""
    spec = tf.TensorSpec([1, self.inner_weights.shape[0] // 2], self.inner_weights.dtype)
    return LSTMState(spec, spec)

  def leaf(self, x: tf.Tensor) -> LSTMState:
    """Computes the state of a leaf from its word vector `x`, float [1, D_in]."""
    gates = rtf.nn.matmul(x, self.leaf_weights, precision=self.precision)
    return LSTMState(*rtf.nn.lstm_gates(gates, [], self.leaf_bias))

  def inner(self, left: LSTMState, right: LSTMState) -> LSTMState:
    """Computes the state of an inner node from its children's."""
    children = tf.concat([left.h, right.h], axis=1)
    gates = rtf.nn.matmul(children, self.inner_weights, precision=self.precision)
    return LSTMState(*rtf.nn.lstm_gates(gates, [left.c, right.c], self.inner_bias))
