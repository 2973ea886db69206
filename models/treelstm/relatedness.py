"""How related two sentences are, by a Child-Sum Tree-LSTM.

Tai, Socher and Manning, "Improved Semantic Representations From Tree-Structured Long Short-Term
Memory Networks", ACL 2015, arXiv:1503.00075, sections 4.2 and 5.2.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import tensorflow as tf

from recursive_tf.datasets import PairBatch
from recursive_tf.datasets.nary import NarySelection
from recursive_tf.models.initializers import Initializer
from recursive_tf.models.optimizer import ParameterGroup
from recursive_tf.models.trainable import Trainable
from recursive_tf.models.treelstm.nary import (
  ChildSumTreeLSTM,
  NaryTreeEncoder,
  NaryTreeLSTM,
  sizes_of,
)

_SCORES = (1.0, 2.0, 3.0, 4.0, 5.0)


@dataclasses.dataclass(frozen=True)
class RelatednessConfig:
  """Hyperparameters; the defaults are the paper's for SICK.

  Attributes:
    embedding_size: width of a word's vector.
    state_size: width D of h and c.
    hidden_size: width of the layer that compares two sentences.
    embedding_range: word vectors start uniform in +- this.
    forget_bias: what the biases of forget gates start from.
    learning_rate, embedding_learning_rate: Adagrad's, of the weights and of the word vectors.
    l2: L2 regularisation of the weight matrices.
    batch_size: pairs in a step.
    epochs: passes over the training data, over which the learning rates fall.
  """

  embedding_size: int = 300
  state_size: int = 150
  hidden_size: int = 50
  embedding_range: float = 0.05
  forget_bias: float = 1.0
  learning_rate: float = 0.05
  embedding_learning_rate: float = 0.1
  l2: float = 1e-4
  batch_size: int = 25
  epochs: int = 10


@dataclasses.dataclass(frozen=True)
class NaryRelatednessConfig(RelatednessConfig):
  """Hyperparameters of `NaryRelatednessTreeLSTM`.

  Attributes:
    max_children: N of the N-ary Tree-LSTM. No word of SICK's has more dependents than the default.
  """

  max_children: int = 8


class RelatednessMetrics(NamedTuple):
  """Sums over any number of pairs; they add up. Tensors float64 [], or plain numbers.

  Attributes:
    num_pairs: how many there are.
    predicted, expected, predicted_squares, expected_squares, products: sums of the predicted and of
      the expected relatedness, of their squares, and of their products.
    num_ranked: pairs whose ranks were compared: all at once, or none.
    rank_correlation: Spearman's of these, 0 if there are none.
  """

  num_pairs: Any
  predicted: Any
  expected: Any
  predicted_squares: Any
  expected_squares: Any
  products: Any
  num_ranked: Any
  rank_correlation: Any

  @classmethod
  def zeros(cls) -> RelatednessMetrics:
    """Returns sums of nothing."""
    return cls(*[0.0] * len(cls._fields))

  def plus(self, other: RelatednessMetrics) -> RelatednessMetrics:
    """Returns the sums of both together."""
    return RelatednessMetrics(*(a + b for a, b in zip(self, other, strict=True)))

  def with_answers(self, answers: np.ndarray) -> RelatednessMetrics:
    """Returns the same sums with the rank correlation of (predicted, expected), float [T, 2]."""
    ranks = [_ranks(column) for column in np.asarray(answers, np.float64).T]
    return self._replace(num_ranked=float(len(answers)), rank_correlation=_correlation(*ranks))

  def scores(self) -> dict[str, float]:
    """Returns "pearson", "mse", and "spearman" where ranks were compared.

    A correlation is 0 where one of both is the same for all pairs.
    """
    count = float(self.num_pairs)
    if not count:
      return {}
    x, y, xx, yy, xy = (float(value) / count for value in self[1:6])
    deviations = max(xx - x * x, 0.0) * max(yy - y * y, 0.0)
    # In float64, squares of numbers up to 5 are exact to 1e-14.
    pearson = (xy - x * y) / deviations**0.5 if deviations > 1e-24 else 0.0
    scores = {"pearson": min(max(pearson, -1.0), 1.0), "mse": max(xx - 2 * xy + yy, 0.0)}
    if float(self.num_ranked):
      scores["spearman"] = float(self.rank_correlation)
    return scores


def _ranks(values: np.ndarray) -> np.ndarray:
  """Returns the rank of each value, 1 the least; equal ones share the mean of theirs."""
  _, place, count = np.unique(values, return_inverse=True, return_counts=True)
  return (np.cumsum(count) - (count - 1) / 2)[place]


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
  a, b = a - a.mean(), b - b.mean()
  scale = float(np.sqrt((a * a).sum() * (b * b).sum()))
  return float((a * b).sum()) / scale if scale else 0.0


class RelatednessTreeLSTM(Trainable):
  """Predicts how related two sentences are, 1 .. 5: the mean of a distribution over whole scores.

  Attributes:
    encoder: encodes both sentences.
    hidden_weights, hidden_bias: of the product and the distance of both states, [2 D, H] and [H].
    output_weights, output_bias: [H, 5] and [5].
  """

  encoder_class: ClassVar[type[NaryTreeEncoder]] = ChildSumTreeLSTM
  metrics_class = RelatednessMetrics
  metrics_dtype = tf.float64
  has_answers = True

  def __init__(
    self,
    vocab_size: int,
    config: RelatednessConfig | None = None,
    seed: int = 0,
    dtype: tf.DType = tf.float32,
  ):
    """Makes the weights; arguments as `TreeLSTM`."""
    super().__init__(name="relatedness_tree_lstm")
    self.config = config = config or RelatednessConfig()
    self.encoder = self.encoder_class(vocab_size, sizes_of(config), seed, dtype)
    init = Initializer(seed + 1, dtype)
    hidden = init.glorot(2 * config.state_size, config.hidden_size)
    self.hidden_weights = tf.Variable(hidden, name="hidden_weights")
    self.hidden_bias = tf.Variable(init.constant([0.0] * config.hidden_size), name="hidden_bias")
    output = init.glorot(config.hidden_size, len(_SCORES))
    self.output_weights = tf.Variable(output, name="output_weights")
    self.output_bias = tf.Variable(init.constant([0.0] * len(_SCORES)), name="output_bias")

  @property
  def embedding(self) -> tf.Variable:
    """The words' vectors, float [V, D_word]."""
    return self.encoder.embedding

  def logits(self, batch: PairBatch) -> tf.Tensor:
    """Returns unnormalised log-probabilities of the scores 1 .. 5, float [B, 5]."""
    h = self.encoder.encode(NarySelection(batch.root, batch.nodes, batch.children))
    a, b = tf.unstack(tf.reshape(h, [-1, 2, self.config.state_size]), axis=1)
    compared = tf.matmul(tf.concat([a * b, abs(a - b)], 1), self.hidden_weights) + self.hidden_bias
    return tf.matmul(tf.sigmoid(compared), self.output_weights) + self.output_bias

  def relatedness(self, batch: PairBatch) -> tf.Tensor:
    """Returns the predicted relatedness of each pair, float [B]."""
    return _mean_score(self.logits(batch))

  def loss_and_metrics(
    self, batch: PairBatch, training: bool = False, seed: tf.Tensor | None = None
  ) -> tuple[tf.Tensor, RelatednessMetrics]:
    """Returns the mean cross-entropy with the paper's distribution (its section 4.2), and sums."""
    loss, metrics, _ = self._run(batch)
    return loss, metrics

  def evaluate_all(self, batch: PairBatch) -> tuple[tf.Tensor, RelatednessMetrics, tf.Tensor]:
    """Returns loss and sums, and (predicted, expected) of each pair, float64 [B, 2]."""
    return self._run(batch)

  def _run(self, batch: PairBatch) -> tuple[tf.Tensor, RelatednessMetrics, tf.Tensor]:
    logits = self.logits(batch)
    expected = tf.cast(batch.relatedness, logits.dtype)
    # All weight is on the two whole scores next to the expected one.
    distances = abs(expected[:, tf.newaxis] - tf.constant(_SCORES, logits.dtype))
    targets = tf.maximum(1 - distances, 0)
    losses = tf.nn.softmax_cross_entropy_with_logits(targets, logits)
    y, x = (tf.cast(v, tf.float64) for v in (expected, tf.stop_gradient(_mean_score(logits))))
    sums = [tf.reduce_sum(v) for v in (tf.ones_like(x), x, y, x * x, y * y, x * y)]
    metrics = RelatednessMetrics(*sums, *[tf.zeros([], tf.float64)] * 2)
    return tf.reduce_mean(losses), metrics, tf.stack([x, y], 1)

  def parameter_groups(self) -> Sequence[ParameterGroup]:
    """Returns all variables, with learning rates and L2."""
    config, encoder = self.config, self.encoder
    matrices = (*encoder.recurrent_weights, self.hidden_weights, self.output_weights)
    biases = (encoder.bias, self.hidden_bias, self.output_bias)
    return (
      ParameterGroup(matrices, config.learning_rate, config.l2),
      ParameterGroup(biases, config.learning_rate),
      ParameterGroup((self.embedding,), config.embedding_learning_rate),
    )


class NaryRelatednessTreeLSTM(RelatednessTreeLSTM):
  """The same with an N-ary Tree-LSTM, for which dependents have places: in the words' order."""

  encoder_class = NaryTreeLSTM


def _mean_score(logits: tf.Tensor) -> tf.Tensor:
  return tf.linalg.matvec(tf.nn.softmax(logits), tf.constant(_SCORES, logits.dtype))
