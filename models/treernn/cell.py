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
    precision: of the products with weights, as `rtf.nn.matmul` takes it.
  """

  weights: tf.Tensor
  bias: tf.Tensor
  precision: str | None = dataclasses.field(default=None, kw_only=True)

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
    return rtf.nn.matmul(children, self.weights, precision=self.precision)


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
    product = rtf.nn.matmul(children, self.weights, precision=self.precision)
    return product + rtf.nn.matmul(pairs, self.tensor, precision=self.precision)


MVState = tuple[tf.Tensor, tf.Tensor]


@dataclasses.dataclass(frozen=True)
class MVRNNCell:
  """Every node has a vector h, [1, D], and a matrix M, which acts on its neighbour's h.

  A state has h and M transposed, [1, D, D]: its rows, not its columns, are multiplied with the
  weights, so that the rows of many nodes are one product.

    leaf:   h = x, M = U V + diag(d): x, d, U [D, R] and V [R, D] are the word's
    inner:  h = tanh([M_r h_l; M_l h_r] W + b),   M = W_M [M_l; M_r]

  Socher, Huval, Manning and Ng, "Semantic Compositionality through Recursive Matrix-Vector Spaces",
  EMNLP-CoNLL 2012, sections 2.3 and 2.4.

  Attributes:
    weights, bias: float [2 D, D] and [D].
    matrix_weights: W_M, float [D, 2 D].
    precision: of the product with `weights`, as `rtf.nn.matmul` takes it.
  """

  weights: tf.Tensor
  bias: tf.Tensor
  matrix_weights: tf.Tensor
  precision: str | None = dataclasses.field(default=None, kw_only=True)

  @property
  def width(self) -> int:
    """D."""
    return int(self.bias.shape[0])

  @property
  def state_spec(self) -> tuple[tf.TensorSpec, tf.TensorSpec]:
    """Types and shapes of a state."""
    width, dtype = self.width, self.bias.dtype
    return tf.TensorSpec([1, width], dtype), tf.TensorSpec([1, width, width], dtype)

  def leaf(self, x: tf.Tensor) -> MVState:
    """Computes the state of a leaf from its word's row [1, 2 D + 2 D R]: x, d, U and V."""
    width = self.width
    rank = (int(x.shape[1]) - 2 * width) // (2 * width)
    h, diagonal, left, right = tf.split(x, [width, width, width * rank, width * rank], axis=1)
    left, right = tf.reshape(left, [1, width, rank]), tf.reshape(right, [1, rank, width])
    product = tf.matmul(right, left, transpose_a=True, transpose_b=True)
    # Not tf.linalg.diag, whose kernel writes number by number.
    return h, product + diagonal[:, tf.newaxis] * tf.eye(width, dtype=x.dtype)

  def inner(self, left: MVState, right: MVState) -> MVState:
    """Computes the state of an inner node from its children's."""
    (h_left, m_left), (h_right, m_right) = left, right
    both = tf.concat([_times(m_right, h_left), _times(m_left, h_right)], axis=1)
    product = rtf.nn.matmul(both, self.weights, precision=self.precision)
    h = tf.tanh(tf.nn.bias_add(product, self.bias))
    rows = tf.concat([m_left, m_right], axis=2)
    return h, rtf.nn.matmul(rows, self.matrix_weights, transpose_weights=True)


def _times(transposed: tf.Tensor, h: tf.Tensor) -> tf.Tensor:
  """Returns the product of matrices, transposed [1, D, D], and vectors [1, D]: [1, D]."""
  return tf.squeeze(tf.matmul(h[:, tf.newaxis], transposed), 1)
