"""The cells of the recursive neural network (TreeRNN) and the recursive neural tensor network.

Socher, Lin, Ng and Manning, "Parsing Natural Scenes and Natural Language with Recursive Neural
Networks", ICML 2011. Socher et al., "Recursive Deep Models for Semantic Compositionality Over a
Sentiment Treebank", EMNLP 2013, sections 4.1 and 4.3.
"""

from __future__ import annotations

import dataclasses

import tensorflow as tf

import recursive_tf as rtf

RNNState = tuple[tf.Tensor]


@dataclasses.dataclass(frozen=True)
class TreeRNNCell:
  """`h = tanh([h_l; h_r] W + b)` at inner nodes and `h = tanh(x)` at leaves, of width D.

  Attributes:
    weights, bias: float [2 D, D] and [D].
  """

  weights: tf.Tensor
  bias: tf.Tensor

  @property
  def state_spec(self) -> tuple[tf.TensorSpec]:
    """Types and shapes of a state: `h` alone, float [1, D]."""
    return (tf.TensorSpec([1, self.bias.shape[0]], self.bias.dtype),)

  def leaf(self, x: tf.Tensor) -> RNNState:
    """Computes the state of a leaf from its word vector `x`, float [1, D]."""
    return (tf.tanh(x),)

  def inner(self, left: RNNState, right: RNNState) -> RNNState:
    """Computes the state of an inner node from its children's."""
    children = tf.concat([left[0], right[0]], axis=1)
    return (tf.tanh(tf.nn.bias_add(self.combine(children), self.bias)),)

  def combine(self, children: tf.Tensor) -> tf.Tensor:
    """Returns what goes into the tanh, without the bias, from `children` [1, 2 D]: [1, D]."""
    return rtf.nn.matmul(children, self.weights)


@dataclasses.dataclass(frozen=True)
class RNTNCell(TreeRNNCell):
  """A TreeRNN cell that adds products of the children: `sum_jk a_j a_k V_jk`, a = [h_l; h_r].

  Attributes:
    tensor: V as a matrix, float [4 D^2, D]; row 2 D j + k belongs to a_j a_k.
  """

  tensor: tf.Tensor

  def combine(self, children: tf.Tensor) -> tf.Tensor:
    """Returns what goes into the tanh, without the bias, from `children` [1, 2 D]: [1, D]."""
    # One row of all products: V's gradient is then a product of rows, as that of a plain matrix.
    pairs = tf.reshape(tf.matmul(children, children, transpose_a=True), [1, -1])
    return rtf.nn.matmul(children, self.weights) + rtf.nn.matmul(pairs, self.tensor)
