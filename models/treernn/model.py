"""Sentiment with recursive neural networks: plain, with a tensor, and with matrices."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from recursive_tf.models import labels
from recursive_tf.models.classifier import TreeClassifier
from recursive_tf.models.initializers import Initializer
from recursive_tf.models.optimizer import ParameterGroup
from recursive_tf.models.treernn.cell import MVRNNCell, RNTNCell, TreeRNNCell


@dataclasses.dataclass(frozen=True)
class TreeRNNConfig:
  """Hyperparameters; the defaults are for five classes on the Stanford Sentiment Treebank.

  Attributes:
    state_size: width D of words' vectors and states.
    dropout: share of h that the softmax layer does not see.
    embedding_stddev: word vectors start normal with this.
    learning_rate, embedding_learning_rate: Adagrad's, of the weights and of the word vectors.
    l2: L2 regularisation of the weight matrices.
    batch_size: trees in a step.
    epochs: passes over the training data, over which the learning rates fall.
  """

  state_size: int = 25
  dropout: float = 0.0
  embedding_stddev: float = 0.1
  learning_rate: float = 0.05
  embedding_learning_rate: float = 0.1
  l2: float = 1e-4
  batch_size: int = 25
  epochs: int = 5


@dataclasses.dataclass(frozen=True)
class RNTNConfig(TreeRNNConfig):
  """Hyperparameters of the tensor network.

  Attributes:
    tensor_learning_rate: Adagrad's, of the tensor. At the rate of the other weights the tanh
      saturates, and the model learns next to nothing at roots.
  """

  tensor_learning_rate: float = 0.005


class TreeRNN(TreeClassifier):
  """Recursive neural network (Socher et al. 2011) with a softmax layer at every node."""

  def __init__(
    self,
    vocab_size: int,
    config: TreeRNNConfig | None = None,
    task: labels.Task = labels.FINE,
    seed: int = 0,
    dtype: tf.DType = tf.float32,
    name: str = "tree_rnn",
  ):
    """Makes the weights.

    Args:
      vocab_size: number of word ids.
      config: hyperparameters.
      task: the classes to predict.
      seed: decides the initial weights.
      dtype: type of weights and states.
      name: names the SubGraph.
    """
    self.config = config = config or TreeRNNConfig()
    init = Initializer(seed, dtype)
    width = config.state_size
    super().__init__(
      name,
      task,
      config.dropout,
      init.normal((vocab_size, width), config.embedding_stddev),
      init.uniform((width, task.num_classes), 1 / math.sqrt(width)),
      init,
    )
    # A parent starts as about the mean of its children.
    mean = init.constant(0.5 * np.concatenate([np.eye(width)] * 2))
    noise = init.uniform((2 * width, width), 1 / (2 * math.sqrt(width)))
    self.weights = tf.Variable(mean + noise, name="weights")
    self.bias = tf.Variable(init.constant(np.zeros(width)), name="bias")
    self._init_more(init)

  def _init_more(self, init: Initializer) -> None:
    """Makes the weights of a model that has more than this one."""

  def cell(self) -> TreeRNNCell:
    """Returns the cell with the weights as they are now."""
    tensors = (tf.convert_to_tensor(weight) for weight in (self.weights, self.bias))
    return TreeRNNCell(*tensors, precision=self.precision)

  def parameter_groups(self) -> Sequence[ParameterGroup]:
    """Returns all variables, with learning rates and L2."""
    config = self.config
    return (
      ParameterGroup((self.weights, self.output_weights), config.learning_rate, config.l2),
      ParameterGroup((self.bias, self.output_bias), config.learning_rate),
      ParameterGroup((self.embedding,), config.embedding_learning_rate),
    )


class RNTN(TreeRNN):
  """Recursive neural tensor network (Socher et al. 2013) with a softmax layer at every node."""

  config: RNTNConfig

  def __init__(
    self,
    vocab_size: int,
    config: RNTNConfig | None = None,
    task: labels.Task = labels.FINE,
    seed: int = 0,
    dtype: tf.DType = tf.float32,
  ):
    """Makes the weights; arguments as for `TreeRNN`."""
    super().__init__(vocab_size, config or RNTNConfig(), task, seed, dtype, "rntn")

  def _init_more(self, init: Initializer) -> None:
    width = self.config.state_size
    self.tensor = tf.Variable(
      init.uniform((4 * width * width, width), 1 / (4 * width)), name="tensor"
    )

  def cell(self) -> RNTNCell:
    """Returns the cell with the weights as they are now."""
    weights = (self.weights, self.bias, self.tensor)
    tensors = (tf.convert_to_tensor(weight) for weight in weights)
    return RNTNCell(*tensors, precision=self.precision)

  def parameter_groups(self) -> Sequence[ParameterGroup]:
    """Returns all variables, with learning rates and L2."""
    tensor = ParameterGroup((self.tensor,), self.config.tensor_learning_rate, self.config.l2)
    return (*super().parameter_groups(), tensor)


@dataclasses.dataclass(frozen=True)
class MVRNNConfig(TreeRNNConfig):
  """Hyperparameters of the matrix-vector network.

  Attributes:
    rank: R, of the words' matrices without their diagonals.
    matrix_stddev: the factors of the words' matrices start normal with this, around the identity.
  """

  rank: int = 3
  matrix_stddev: float = 0.1


class MVRNN(TreeClassifier):
  """Matrix-vector recursive network (Socher et al. 2012) with a softmax layer at every node.

  A row of `embedding` is all that belongs to a word: its vector and the parts of its matrix.
  """

  config: MVRNNConfig

  def __init__(
    self,
    vocab_size: int,
    config: MVRNNConfig | None = None,
    task: labels.Task = labels.FINE,
    seed: int = 0,
    dtype: tf.DType = tf.float32,
  ):
    """Makes the weights; arguments as for `TreeRNN`."""
    self.config = config = config or MVRNNConfig()
    init = Initializer(seed, dtype)
    width = config.state_size
    vectors = init.normal((vocab_size, width), config.embedding_stddev)
    factors = init.normal((vocab_size, 2 * width * config.rank), config.matrix_stddev)
    super().__init__(
      "mv_rnn",
      task,
      config.dropout,
      tf.concat([vectors, init.constant(np.ones((vocab_size, width))), factors], axis=1),
      init.uniform((width, task.num_classes), 1 / math.sqrt(width)),
      init,
    )
    # A parent starts as about the mean of its children, its matrix as that of theirs.
    mean = init.constant(0.5 * np.concatenate([np.eye(width)] * 2))
    noise = init.uniform((2 * width, width), 1 / (2 * math.sqrt(width)))
    self.weights = tf.Variable(mean + noise, name="weights")
    self.bias = tf.Variable(init.constant(np.zeros(width)), name="bias")
    matrix_noise = init.uniform((width, 2 * width), 0.1 / math.sqrt(width))
    self.matrix_weights = tf.Variable(tf.transpose(mean) + matrix_noise, name="matrix_weights")

  @property
  def vector_size(self) -> int:
    """Width of a word's vector, with which a row of `embedding` begins."""
    return self.config.state_size

  def cell(self) -> MVRNNCell:
    """Returns the cell with the weights as they are now."""
    weights = (self.weights, self.bias, self.matrix_weights)
    tensors = (tf.convert_to_tensor(weight) for weight in weights)
    return MVRNNCell(*tensors, precision=self.precision)

  def parameter_groups(self) -> Sequence[ParameterGroup]:
    """Returns all variables, with learning rates and L2."""
    config = self.config
    matrices = (self.weights, self.matrix_weights, self.output_weights)
    return (
      ParameterGroup(matrices, config.learning_rate, config.l2),
      ParameterGroup((self.bias, self.output_bias), config.learning_rate),
      ParameterGroup((self.embedding,), config.embedding_learning_rate),
    )
