"""The gates of LSTM-type cells as one op, forward and backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from recursive_tf._errors import UnsupportedGradientError
from recursive_tf._ops import kernels


def lstm_gates(
  gates: tf.Tensor, memories: Sequence[tf.Tensor], bias: tf.Tensor | None = None
) -> tuple[tf.Tensor, tf.Tensor]:
  """Computes the state of an LSTM-type cell from its gates, in one op in place of about fifteen.

  A cell has N memories: those of an inner node's N children in a tree, one in a chain, none at a
  leaf. Its gates are the columns of `gates`, D each, in the order i, o, f_1 .. f_N, u:

    i, o, f_k = sigmoid(gates + bias)     u = tanh(gates + bias)
    c = i u + sum over k of f_k c_k
    h = o tanh(c)

  Results differ from those of `tf.sigmoid` and `tf.tanh` by rounding. There is a gradient, but no
  second derivative.

  Args:
    gates: float32 or float64 [..., (3 + N) D], with any leading shape: usually the product of
      inputs and weights.
    memories: c_1 .. c_N, [..., D] each, of the same leading shape.
    bias: [(3 + N) D], added to each row of `gates`; given here, it costs no pass of its own.

  Returns:
    (h, c): float [..., D] each.

  Raises:
    ValueError: If a shape known while tracing does not fit; in eager execution, and where it is
      known only when the graph runs, `tf.errors.InvalidArgumentError`.

  References: Hochreiter and Schmidhuber, "Long Short-Term Memory", Neural Computation 9(8), 1997
  (N = 1; the forget gate is Gers, Schmidhuber and Cummins', 2000); Tai, Socher and Manning,
  "Improved Semantic Representations From Tree-Structured Long Short-Term Memory Networks", ACL
  2015, arXiv:1503.00075, section 3.2 (N-ary trees).
  """
  biases = [] if bias is None else [bias]
  h, c, _ = kernels.recursive_tf_lstm_gates(gates, list(memories), biases)
  return h, c


@tf.RegisterGradient("RecursiveTf>LstmGates")
def _gradient(op: Any, dh: tf.Tensor, dc: tf.Tensor, unused: Any) -> list[tf.Tensor]:
  """The activations are no result that anybody sees, so they bring no gradient."""
  num_memories = op.get_attr("N")
  num_biases = op.get_attr("num_biases")
  memories = list(op.inputs[1 : 1 + num_memories])
  _, c, activations = op.outputs
  dgates, dmemories, dbiases = kernels.recursive_tf_lstm_gates_grad(
    activations, memories, c, dh, dc, num_biases=num_biases
  )
  return [dgates, *dmemories, *dbiases]


@tf.RegisterGradient("RecursiveTf>LstmGatesGrad")
def _second_order(op: Any, *unused_gradients: Any) -> list[Any]:
  raise UnsupportedGradientError(
    "recursive_tf: the gradient of rtf.nn.lstm_gates has no gradient itself (second order).\n"
    "Compute the gates with tf.sigmoid and tf.tanh where you need one; see its documentation."
  )
