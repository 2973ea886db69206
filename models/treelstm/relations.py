"""The relation of each word of a dependency tree to its head, by a Child-Sum Tree-LSTM.

The tree is given, as a parser without labels makes it. The states of a Child-Sum Tree-LSTM (Tai et
al. 2015, section 3.1) stand for a word with all below it; a layer over a word's state, its head's
vector and its side of the head predicts the relation: a labeller of arcs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import tensorflow as tf

from recursive_tf.datasets import UD_RELATIONS, RelationBatch
from recursive_tf.datasets.nary import NARY_COLUMNS, NarySelection
from recursive_tf.models.initializers import Initializer
from recursive_tf.models.optimizer import ParameterGroup
from recursive_tf.models.recursion import ChildrenHead, Tensors, run_over_nary_trees
from recursive_tf.models.trainable import Trainable
from recursive_tf.models.treelstm.nary import (
  ChildSumTreeLSTM,
  NaryTreeEncoder,
  NaryTreeLSTM,
  sizes_of,
)


@dataclasses.dataclass(frozen=True)
class RelationConfig:
  """Hyperparameters.

  Attributes:
    embedding_size: width of a word's vector.
    state_size: width D of h and c.
    hidden_size: width of the layer over a word's state and its head.
    embedding_range: word vectors start uniform in +- this.
    forget_bias: what the biases of forget gates start from.
    learning_rate, embedding_learning_rate: Adagrad's, of the weights and of the word vectors.
    l2: L2 regularisation of the weight matrices.
    batch_size: sentences in a step.
    epochs: passes over the training data, over which the learning rates fall.
  """

  embedding_size: int = 100
  state_size: int = 100
  hidden_size: int = 100
  embedding_range: float = 0.05
  forget_bias: float = 1.0
  learning_rate: float = 0.05
  embedding_learning_rate: float = 0.1
  l2: float = 1e-5
  batch_size: int = 25
  epochs: int = 5


@dataclasses.dataclass(frozen=True)
class NaryRelationConfig(RelationConfig):
  """Hyperparameters of `NaryRelationTreeLSTM`.

  Attributes:
    max_children: N of the N-ary Tree-LSTM. No word of the English Web Treebank has more dependents
      than the default.
  """

  max_children: int = 18


class RelationMetrics(NamedTuple):
  """Counts over any number of trees; they add up. Tensors int64 [], or plain integers.

  Attributes:
    num_words: words that have a class: all but roots.
    correct_words: those whose relation is the likeliest.
  """

  num_words: Any
  correct_words: Any

  @classmethod
  def zeros(cls) -> RelationMetrics:
    """Returns counts of nothing."""
    return cls(0, 0)

  def plus(self, other: RelationMetrics) -> RelationMetrics:
    """Returns the counts of both together."""
    return RelationMetrics(
      self.num_words + other.num_words, self.correct_words + other.correct_words
    )

  def scores(self) -> dict[str, float]:
    """Returns "relation", the share in 0..1 of words whose relation is right."""
    count = int(self.num_words)
    return {"relation": int(self.correct_words) / count} if count else {}


class RelationTreeLSTM(Trainable):
  """Predicts the relation of each word to its head, one of UD_RELATIONS.

  Attributes:
    encoder: makes the words' states.
    state_weights, head_weights, side_weights, hidden_bias: of the hidden layer, over a word's
      state, its head's vector, and the side that it stands on: [D, H], [D_word, H], [2, H], [H].
    output_weights, output_bias: [H, K] and [K].
  """

  encoder_class: ClassVar[type[NaryTreeEncoder]] = ChildSumTreeLSTM
  metrics_class = RelationMetrics
  metrics_dtype = tf.int64

  def __init__(
    self,
    vocab_size: int,
    config: RelationConfig | None = None,
    seed: int = 0,
    dtype: tf.DType = tf.float32,
  ):
    """Makes the weights; arguments as `TreeLSTM`."""
    super().__init__(name="relation_tree_lstm")
    self.config = config = config or RelationConfig()
    self.encoder = self.encoder_class(vocab_size, sizes_of(config), seed, dtype)
    init = Initializer(seed + 1, dtype)
    width, num_classes = config.hidden_size, len(UD_RELATIONS)

    def matrix(rows: int, columns: int, name: str) -> tf.Variable:
      return tf.Variable(init.glorot(rows, columns), name=name)

    self.state_weights = matrix(config.state_size, width, "state_weights")
    self.head_weights = matrix(config.embedding_size, width, "head_weights")
    self.side_weights = matrix(2, width, "side_weights")
    self.hidden_bias = tf.Variable(init.constant([0.0] * width), name="hidden_bias")
    self.output_weights = matrix(width, num_classes, "output_weights")
    self.output_bias = tf.Variable(init.constant([0.0] * num_classes), name="output_bias")

  @property
  def embedding(self) -> tf.Variable:
    """The words' vectors, float [V, D_word]."""
    return self.encoder.embedding

  def loss_and_metrics(
    self, batch: RelationBatch, training: bool = False, seed: tf.Tensor | None = None
  ) -> tuple[tf.Tensor, RelationMetrics]:
    """Returns the cross-entropies of all words, divided by B, and counts."""
    label = batch.nodes[:, NARY_COLUMNS.index("label")]
    logits_of = self._layers(batch)

    def head(x: tf.Tensor, below: tf.Tensor, h: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
      logits, expected = logits_of(x, below, h), tf.gather(label, below)
      is_known = expected >= 0
      losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.maximum(expected, 0), logits)
      is_right = tf.equal(tf.argmax(tf.stop_gradient(logits), 1, tf.int32), expected)
      counts = tf.stack([tf.cast(is_known, tf.int32), tf.cast(is_right, tf.int32)], 1)
      loss = tf.reduce_sum(losses * tf.cast(is_known, losses.dtype), keepdims=True)
      return loss, tf.reduce_sum(counts, 0)

    specs = (tf.TensorSpec([1], self.output_weights.dtype), tf.TensorSpec([2], tf.int32))
    losses, counts = self._run(batch, head, specs)
    loss = tf.reduce_sum(losses) / tf.cast(batch.num_trees, losses.dtype)
    return loss, RelationMetrics(*tf.unstack(tf.reduce_sum(tf.cast(counts, tf.int64), 0), num=2))

  def logits(self, batch: RelationBatch) -> tf.Tensor:
    """Returns unnormalised log-probabilities of UD_RELATIONS at all words, float [N, K].

    Those of roots, which have no head, are zeros. As in `TreeClassifier.node_logits`, they are the
    gradients of a sum with respect to zeros.
    """
    logits_of, dtype = self._layers(batch), self.output_weights.dtype
    places = tf.zeros([tf.shape(batch.nodes)[0], len(UD_RELATIONS)], dtype)

    def head(x: tf.Tensor, below: tf.Tensor, h: tf.Tensor) -> tuple[tf.Tensor]:
      logits = tf.stop_gradient(logits_of(x, below, h))
      return (tf.reshape(tf.reduce_sum(tf.gather(places, below) * logits), [1]),)

    with tf.GradientTape() as tape:
      tape.watch(places)
      (sums,) = self._run(batch, head, (tf.TensorSpec([1], dtype),))
    # A recursion's gradient does not know its shape; grappler warns of such a softmax.
    return tf.ensure_shape(tape.gradient(sums, places), places.shape)

  def _run(
    self, batch: RelationBatch, head: ChildrenHead, specs: tuple[tf.TensorSpec, ...]
  ) -> Tensors:
    trees = self.encoder.checked(NarySelection(batch.root, batch.nodes, batch.children))
    cell, embedding = self.encoder.cell(), self.embedding
    return run_over_nary_trees(self.name, trees, cell, embedding, head, specs)[1]

  def _layers(self, batch: RelationBatch) -> Callable[[tf.Tensor, tf.Tensor, tf.Tensor], tf.Tensor]:
    """Returns what makes logits [K, R] of a head's vector, its K dependents and their states."""
    own = (self.state_weights, self.head_weights, self.side_weights, self.hidden_bias)
    layers = (*own, self.output_weights, self.output_bias)
    # Read once a run, not once a frame.
    of_state, of_head, of_side, bias, output, output_bias = map(tf.convert_to_tensor, layers)

    def logits(x: tf.Tensor, below: tf.Tensor, h: tf.Tensor) -> tf.Tensor:
      side = tf.gather(of_side, tf.gather(batch.is_left, below))
      hidden = tf.tanh(tf.matmul(h, of_state) + tf.matmul(x, of_head) + side + bias)
      return tf.matmul(hidden, output) + output_bias

    return logits

  def parameter_groups(self) -> Sequence[ParameterGroup]:
    """Returns all variables, with learning rates and L2."""
    config, encoder = self.config, self.encoder
    own = (self.state_weights, self.head_weights, self.side_weights, self.output_weights)
    biases = (encoder.bias, self.hidden_bias, self.output_bias)
    return (
      ParameterGroup((*encoder.recurrent_weights, *own), config.learning_rate, config.l2),
      ParameterGroup(biases, config.learning_rate),
      ParameterGroup((self.embedding,), config.embedding_learning_rate),
    )


class NaryRelationTreeLSTM(RelationTreeLSTM):
  """The same with an N-ary Tree-LSTM, for which dependents have places: in the words' order."""

  encoder_class = NaryTreeLSTM
