"""Tree-LSTMs over trees whose nodes have words and any number of children, as encoders."""

from __future__ import annotations

import abc
import dataclasses
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf._errors import ConfigError
from recursive_tf.datasets.nary import NaryBatch, NarySelection
from recursive_tf.models.initializers import Initializer
from recursive_tf.models.recursion import encode_nary_trees
from recursive_tf.models.treelstm.nary_cell import ChildSumCell, NaryCell


@dataclasses.dataclass(frozen=True)
class NaryTreeLSTMConfig:
  """Sizes.

  Attributes:
    embedding_size: width of a word's vector.
    state_size: width D of h and c.
    embedding_range: word vectors start uniform in +- this.
    forget_bias: what the biases of forget gates start from.
    max_children: N of the N-ary Tree-LSTM; the Child-Sum Tree-LSTM takes any number.
  """

  embedding_size: int = 300
  state_size: int = 150
  embedding_range: float = 0.05
  forget_bias: float = 1.0
  max_children: int = 2


def sizes_of(config: Any) -> NaryTreeLSTMConfig:
  """Returns the sizes of an encoder, of the hyperparameters of a model around it."""
  names = (field.name for field in dataclasses.fields(NaryTreeLSTMConfig))
  return NaryTreeLSTMConfig(**{n: getattr(config, n) for n in names if hasattr(config, n)})


class NaryTreeEncoder(tf.Module, abc.ABC):
  """Encodes trees: the state of a tree is that of its root.

  Attributes:
    embedding: float [V, D_word], the words' vectors.
  """

  def __init__(
    self,
    vocab_size: int,
    config: NaryTreeLSTMConfig | None = None,
    seed: int = 0,
    dtype: tf.DType = tf.float32,
    name: str | None = None,
  ):
    """Makes the weights.

    Args:
      vocab_size: number of word ids.
      config: sizes.
      seed: decides the initial weights.
      dtype: type of weights and states.
      name: names the SubGraph.

    Raises:
      ConfigError: If a size is not positive.
    """
    super().__init__(name=name)
    self.config = config = config or NaryTreeLSTMConfig()
    sizes = {"vocab_size": vocab_size, **dataclasses.asdict(config)}
    for key in ("vocab_size", "embedding_size", "state_size", "max_children"):
      if sizes[key] < 1:
        raise ConfigError(f"{type(self).__name__}: {key} is {sizes[key]}, expected at least 1.")
    init = Initializer(seed, dtype)
    vectors = init.uniform((vocab_size, config.embedding_size), config.embedding_range)
    self.embedding = tf.Variable(vectors, name="embedding")
    word_weights = init.glorot(config.embedding_size, config.state_size, 4)
    self.word_weights = tf.Variable(word_weights, name="word_weights")
    self._init_weights(init)

  @abc.abstractmethod
  def _init_weights(self, init: Initializer) -> None:
    """Makes the weights of the cell."""

  @abc.abstractmethod
  def cell(self) -> Any:
    """Returns the cell with the weights as they are now."""

  @property
  def recurrent_weights(self) -> tuple[tf.Variable, ...]:
    """The matrices of the cell."""
    return self.word_weights, self.weights

  def checked(self, batch: NaryBatch | NarySelection) -> NarySelection:
    """Returns the trees, after assertions, where there are any, that they can be encoded."""
    return NarySelection(batch.root, batch.nodes, batch.children)

  def encode(self, batch: NaryBatch | NarySelection) -> tf.Tensor:
    """Returns the states `h` of the roots, float [B, D].

    Raises:
      tf.errors.InvalidArgumentError: If a node has more children than an N-ary Tree-LSTM takes.
    """
    return encode_nary_trees(self.name, self.checked(batch), self.cell(), self.embedding)


class ChildSumTreeLSTM(NaryTreeEncoder):
  """Child-Sum Tree-LSTM (Tai et al. 2015, section 3.1), for dependency trees."""

  def _init_weights(self, init: Initializer) -> None:
    width = self.config.state_size
    self.weights = tf.Variable(init.glorot(width, width, 3), name="weights")
    self.forget_weights = tf.Variable(init.glorot(width, width), name="forget_weights")
    bias = np.zeros([4, width])
    bias[3] = self.config.forget_bias
    self.bias = tf.Variable(init.constant(bias.reshape(-1)), name="bias")

  @property
  def recurrent_weights(self) -> tuple[tf.Variable, ...]:
    """The matrices of the cell."""
    return *super().recurrent_weights, self.forget_weights

  def cell(self) -> ChildSumCell:
    """Returns the cell with the weights as they are now."""
    weights = (self.word_weights, self.weights, self.forget_weights, self.bias)
    return ChildSumCell(*(tf.convert_to_tensor(weight) for weight in weights))


class NaryTreeLSTM(NaryTreeEncoder):
  """N-ary Tree-LSTM (Tai et al. 2015, section 3.2), for at most `max_children` ordered children."""

  def _init_weights(self, init: Initializer) -> None:
    width, count = self.config.state_size, self.config.max_children
    blocks = [init.glorot(width, width, 3 + count) for _ in range(count)]
    self.weights = tf.Variable(tf.concat(blocks, 0), name="weights")
    bias = np.zeros([3 + count, width])
    bias[2 : 2 + count] = self.config.forget_bias
    self.bias = tf.Variable(init.constant(bias.reshape(-1)), name="bias")

  def cell(self) -> NaryCell:
    """Returns the cell with the weights as they are now."""
    weights = (self.word_weights, self.weights, self.bias)
    return NaryCell(*(tf.convert_to_tensor(weight) for weight in weights))

  def checked(self, batch: NaryBatch | NarySelection) -> NarySelection:
    """Returns the trees, after the assertion that no node has more than `max_children` children."""
    limit = self.config.max_children
    check = tf.debugging.assert_less_equal(
      batch.nodes[:, 3],
      limit,
      f"NaryTreeLSTM: a node has more than max_children = {limit} children. Make the model with"
      " more (PackedNaryTrees.max_children), or binarise the trees.",
    )
    with tf.control_dependencies([check] if check is not None else []):
      nodes = tf.identity(batch.nodes)
    return NarySelection(batch.root, nodes, batch.children)
