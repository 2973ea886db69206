"""The cells of the top-down Tree-LSTM: how the state of a node follows from the one before it.

Zhang, Lu and Lapata, "Top-down Tree Long Short-Term Memory Networks", NAACL 2016, arXiv:1511.00060,
sections 2.2 and 4.4.
"""

from __future__ import annotations

import dataclasses

import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.models.treelstm.cell import LSTMState


@dataclasses.dataclass(frozen=True)
class TopDownCell:
  """Four LSTMs, one for each edge of `datasets.dependencies.EDGES`, and two softmax-like layers.

  A node is reached over an edge from the node before it: its head, or its neighbour nearer to the
  head. With the vector x of that node's word and its state (h, c):

    i, o, f = sigmoid([x; h] W_edge + b_edge), u = tanh([x; h] W_edge + b_edge)
    c' = i u + f c,   h' = o tanh(c')
    P(word)          = softmax(h' W_out + b_out)
    P(edge goes on)  = sigmoid(tanh([x'; h'] W_hidden + b_hidden) W_edges + b_edges), x' its word's

  The paper calls the LSTMs Gen-L, Gen-R, Gen-Nx-L and Gen-Nx-R, and the classifiers Add-L, ...

  Attributes:
    weights, biases: four float [D_in + D, 4 D] and [4 D], gates in the order i, o, f, u.
    output_weights, output_bias: float [D, V] and [V].
    hidden_weights, hidden_bias: float [D_in + D, D] and [D].
    edge_weights, edge_bias: float [D, 4] and [4].
  """

  weights: tuple[tf.Tensor, ...]
  biases: tuple[tf.Tensor, ...]
  output_weights: tf.Tensor
  output_bias: tf.Tensor
  hidden_weights: tf.Tensor
  hidden_bias: tf.Tensor
  edge_weights: tf.Tensor
  edge_bias: tf.Tensor

  @property
  def state_spec(self) -> LSTMState:
    """Types and shapes of a state."""
    spec = tf.TensorSpec([1, self.output_weights.shape[0]], self.output_weights.dtype)
    return LSTMState(spec, spec)

  def step(self, edge: int, inputs: tf.Tensor, c: tf.Tensor) -> LSTMState:
    """Computes the state at the end of an edge.

    Args:
      edge: which one.
      inputs: float [1, D_in + D], x and h of the node where it starts.
      c: float [1, D], that node's memory.
    """
    gates = tf.matmul(inputs, self.weights[edge])
    return LSTMState(*rtf.nn.lstm_gates(gates, [c], self.biases[edge]))

  def words(self, h: tf.Tensor) -> tf.Tensor:
    """Returns unnormalised log-probabilities of words, float [1, V]."""
    return tf.nn.bias_add(tf.matmul(h, self.output_weights), self.output_bias)

  def edges(self, inputs: tf.Tensor) -> tf.Tensor:
    """Returns log-odds that each edge goes on, float [1, 4], from `inputs` as in `step`."""
    hidden = tf.nn.bias_add(tf.matmul(inputs, self.hidden_weights), self.hidden_bias)
    return tf.nn.bias_add(tf.matmul(tf.tanh(hidden), self.edge_weights), self.edge_bias)
