"""The models' cells in plain TensorFlow ops, for the TensorFlow peers; any number of rows B."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from benchmarks.peers import weights as w
from recursive_tf.models.optimizer import Adagrad, ParameterGroup

State = tuple[tf.Tensor, ...]


class Model:
  """Variables and cells of one model.

  Attributes:
    variables: by name, see `make_weights`.
    num_parts: tensors [B, D] in a state: 1 (h), or 2 (h, c) for the TreeLSTM.
    width: D.
  """

  def __init__(self, model: str, arrays: dict[str, Any]):
    self.variables = {name: tf.Variable(value, name=name) for name, value in arrays.items()}
    self.num_parts = 2 if model == "treelstm" else 1
    self.width = arrays["output_weights"].shape[0]
    cells = {
      "treelstm": (lstm_leaf, lstm_inner),
      "treernn": (rnn_leaf, rnn_inner),
      "rntn": (rnn_leaf, rntn_inner),
    }
    self._leaf, self._inner = cells[model]

  def leaf(self, x: tf.Tensor) -> State:
    """Returns the states of leaves with word vectors `x` [B, D_in]."""
    return self._leaf(self.variables, x)

  def inner(self, left: State, right: State) -> State:
    """Returns the states of inner nodes, each [B, D]."""
    return self._inner(self.variables, left, right)

  def logits(self, h: tf.Tensor) -> tf.Tensor:
    """Returns the softmax layer's result for `h` [B, D], float [B, K]."""
    return tf.nn.bias_add(
      tf.matmul(h, self.variables["output_weights"]), self.variables["output_bias"]
    )


def optimizer(model: Model) -> Adagrad:
  """Returns Adagrad for all variables; `apply` takes gradients in the order of `ordered`."""
  dense = tuple(v for name, v in model.variables.items() if name != "embedding")
  groups = [
    ParameterGroup(dense, w.LEARNING_RATE),
    ParameterGroup((model.variables["embedding"],), w.EMBEDDING_LEARNING_RATE),
  ]
  return Adagrad(groups, initial_sum=w.INITIAL_SUM, epsilon=w.EPSILON)


def dense(gradient: Any) -> Any:
  """Returns a gradient as a numpy array, sparse rows added up."""
  return tf.convert_to_tensor(gradient).numpy()


def lstm_leaf(v, x):
  """Tai et al. 2015, section 3.2: i, o, u from the word."""
  i, o, u = tf.split(tf.nn.bias_add(tf.matmul(x, v["leaf_weights"]), v["leaf_bias"]), 3, axis=1)
  c = tf.sigmoid(i) * tf.tanh(u)
  return tf.sigmoid(o) * tf.tanh(c), c


def lstm_inner(v, left, right):
  """Tai et al. 2015, section 3.2, N = 2: i, o, f_l, f_r, u from the children."""
  children = tf.concat([left[0], right[0]], axis=1)
  gates = tf.nn.bias_add(tf.matmul(children, v["inner_weights"]), v["inner_bias"])
  width = gates.shape[1] // 5
  # One sigmoid for the four gates that need it.
  i, o, f_left, f_right = tf.split(tf.sigmoid(gates[:, : 4 * width]), 4, axis=1)
  c = i * tf.tanh(gates[:, 4 * width :]) + f_left * left[1] + f_right * right[1]
  return o * tf.tanh(c), c


def rnn_leaf(v, x):
  """Socher et al. 2011: the word's vector, squashed."""
  return (tf.tanh(x),)


def rnn_inner(v, left, right):
  """Socher et al. 2011: tanh([h_l; h_r] W + b)."""
  children = tf.concat([left[0], right[0]], axis=1)
  return (tf.tanh(tf.nn.bias_add(tf.matmul(children, v["weights"]), v["bias"])),)


def rntn_inner(v, left, right):
  """Socher et al. 2013, section 4.3: as the TreeRNN's, with a^T V a added, a = [h_l; h_r]."""
  children = tf.concat([left[0], right[0]], axis=1)
  pairs = children[:, :, tf.newaxis] * children[:, tf.newaxis, :]
  pairs = tf.reshape(pairs, [-1, v["tensor"].shape[0]])
  summed = tf.matmul(children, v["weights"]) + tf.matmul(pairs, v["tensor"])
  return (tf.tanh(tf.nn.bias_add(summed, v["bias"])),)
