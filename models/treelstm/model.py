"""Sentiment with a binary constituency Tree-LSTM."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from recursive_tf.models import labels
from recursive_tf.models.classifier import TreeClassifier
from recursive_tf.models.initializers import Initializer
from recursive_tf.models.optimizer import ParameterGroup
from recursive_tf.models.treelstm.cell import TreeLSTMCell


@dataclasses.dataclass(frozen=True)
class TreeLSTMConfig:
  """Hyperparameters; the defaults are for the binary task of the Stanford Sentiment Treebank.

  Attributes:
    embedding_size: width of a word's vector.
    state_size: width D of h and c.
    dropout: share of h that the softmax layer does not see.
    embedding_range: word vectors start uniform in +- this.
    forget_bias: what the biases of both forget gates start from.
    learning_rate, embedding_learning_rate: Adagrad's, of the weights and of the word vectors.
    l2: L2 regularisation of the weight matrices.
    batch_size: trees in a step.
    epochs: passes over the training data, over which the learning rates fall.
  """

  embedding_size: int = 300
  state_size: int = 150
  dropout: float = 0.5
  embedding_range: float = 0.05
  forget_bias: float = 1.0
  learning_rate: float = 0.05
  embedding_learning_rate: float = 0.1
  l2: float = 1e-4
  batch_size: int = 25
  epochs: int = 4


class TreeLSTM(TreeClassifier):
  """Binary Tree-LSTM (Tai et al. 2015, section 3.2) with a softmax layer at every node."""

  def __init__(
    self,
    vocab_size: int,
    config: TreeLSTMConfig | None = None,
    task: labels.Task = labels.BINARY,
    seed: int = 0,
    dtype: tf.DType = tf.float32,
  ):
    """Makes the weights.

    Args:
      vocab_size: number of word ids.
      config: hyperparameters.
      task: the classes to predict.
      seed: decides the initial weights.
      dtype: type of weights and states.
    """
    self.config = config = config or TreeLSTMConfig()
    init = Initializer(seed, dtype)
    width = config.state_size
    super().__init__(
      "tree_lstm",
      task,
      config.dropout,
      init.uniform((vocab_size, config.embedding_size), config.embedding_range),
      init.glorot(width, task.num_classes),
      init,
    )
    leaf_weights = init.glorot(config.embedding_size, width, 3)
    self.leaf_weights = tf.Variable(leaf_weights, name="leaf_weights")
    self.leaf_bias = tf.Variable(init.constant(np.zeros(3 * width)), name="leaf_bias")
    halves = [init.glorot(width, width, 5) for _ in ("left", "right")]
    self.inner_weights = tf.Variable(tf.concat(halves, 0), name="inner_weights")
    bias = np.zeros([5, width])
    bias[2:4] = config.forget_bias
    self.inner_bias = tf.Variable(init.constant(bias.reshape(-1)), name="inner_bias")

  def cell(self) -> TreeLSTMCell:
    """Returns the cell with the weights as they are now."""
    weights = (self.leaf_weights, self.leaf_bias, self.inner_weights, self.inner_bias)
    tensors = (tf.convert_to_tensor(weight) for weight in weights)
    return TreeLSTMCell(*tensors, precision=self.precision)

  def parameter_groups(self) -> Sequence[ParameterGroup]:
    """Returns all variables, with learning rates and L2."""
    config = self.config
    matrices = (self.leaf_weights, self.inner_weights, self.output_weights)
    biases = (self.leaf_bias, self.inner_bias, self.output_bias)
    return (
      ParameterGroup(matrices, config.learning_rate, config.l2),
      ParameterGroup(biases, config.learning_rate),
      ParameterGroup((self.embedding,), config.embedding_learning_rate),
    )
