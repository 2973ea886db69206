"""Top-down Tree-LSTM: a tree that is generated while it runs.

Each frame is a node. It chooses its word and, for each of the four edges of
`datasets.dependencies.EDGES`, whether the tree goes on there; where it does, it calls itself. So
the shape of the recursion is what the network has computed. In training the tree is given, and the
same recursion adds up how likely the network finds it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.datasets import DependencyBatch
from recursive_tf.datasets import dependencies as dep
from recursive_tf.models.initializers import Initializer
from recursive_tf.models.optimizer import ParameterGroup
from recursive_tf.models.recursion import Tensors
from recursive_tf.models.trainable import Trainable
from recursive_tf.models.treelstm.top_down_cell import TopDownCell
from recursive_tf.models.treelstm.top_down_metrics import GenerationMetrics

# Which edges a node may have, by its side: the root has no neighbours.
_ALLOWED = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 1]], np.bool_)
_NUM_EDGES = len(dep.EDGES)
_PRIME = 2**31 - 1


@dataclasses.dataclass(frozen=True)
class TopDownTreeLSTMConfig:
  """Hyperparameters; the defaults are for the sentences of `datasets.grammar_sentences`.

  Attributes:
    embedding_size: width of a word's vector.
    state_size: width D of h and c.
    num_conditions: rows of the table of conditions; 1 if all trees have the same.
    embedding_range: word vectors and conditions start uniform in +- this.
    forget_bias: what the biases of the forget gates start from.
    edge_bias: what the biases of the edges start from; negative, so that trees end.
    learning_rate, embedding_learning_rate: Adagrad's, of the weights, and of word vectors and
      conditions.
    l2: L2 regularisation of the weight matrices.
    batch_size: trees in a step.
    epochs: passes over the training data, over which the learning rates fall.
  """

  embedding_size: int = 64
  state_size: int = 128
  num_conditions: int = 1
  embedding_range: float = 0.1
  forget_bias: float = 1.0
  edge_bias: float = -1.0
  learning_rate: float = 0.1
  embedding_learning_rate: float = 0.1
  l2: float = 0.0
  batch_size: int = 25
  epochs: int = 8


class GeneratedTrees(NamedTuple):
  """What `generate` made from B conditions.

  Attributes:
    num_nodes: int32 [B].
    log_probability: float [B], of the choices made.
    fingerprint: int64 [B], equal to that of a given tree if the trees are equal (see
      `DependencyBatch`).
    codes: int32 [B, K], the first K nodes of each tree in pre-order, for
      `datasets.dependencies.decode`; None if they were not asked for.
  """

  num_nodes: tf.Tensor
  log_probability: tf.Tensor
  fingerprint: tf.Tensor
  codes: tf.Tensor | None


class TopDownTreeLSTM(Trainable):
  """Generates dependency trees from conditions (Zhang et al. 2016, the model TreeLSTM).

  Attributes:
    embedding: float [V, D_in], the words' vectors.
    conditions: float [C, D]; the sum of a tree's rows is the memory c that its root starts with.
  """

  metrics_class = GenerationMetrics
  metrics_dtype = tf.float64

  def __init__(
    self,
    vocab_size: int,
    config: TopDownTreeLSTMConfig | None = None,
    seed: int = 0,
    dtype: tf.DType = tf.float32,
  ):
    """Makes the weights.

    Args:
      vocab_size: number V of word ids.
      config: hyperparameters.
      seed: decides the initial weights.
      dtype: type of weights and states.
    """
    super().__init__(name="top_down_tree_lstm")
    self.config = config = config or TopDownTreeLSTMConfig()
    self.dtype = dtype
    init = Initializer(seed, dtype)
    words, width = config.embedding_size, config.state_size

    def variable(name: str, value: tf.Tensor) -> tf.Variable:
      return tf.Variable(value, name=name)

    def table(rows: int, columns: int) -> tf.Tensor:
      return init.uniform((rows, columns), config.embedding_range)

    self.embedding = variable("embedding", table(vocab_size, words))
    self.conditions = variable("conditions", table(config.num_conditions, width))
    gates = np.zeros([4, width])
    gates[2] = config.forget_bias
    self.weights = tuple(
      variable(f"{edge}_weights", init.glorot(words + width, width, 4)) for edge in dep.EDGES
    )
    self.biases = tuple(
      variable(f"{edge}_bias", init.constant(gates.reshape(-1))) for edge in dep.EDGES
    )
    self.output_weights = variable("output_weights", init.glorot(width, vocab_size))
    self.output_bias = variable("output_bias", init.constant(np.zeros(vocab_size)))
    self.hidden_weights = variable("hidden_weights", init.glorot(words + width, width))
    self.hidden_bias = variable("hidden_bias", init.constant(np.zeros(width)))
    self.edge_weights = variable("edge_weights", init.glorot(width, _NUM_EDGES))
    edge_bias = init.constant(np.full(_NUM_EDGES, config.edge_bias))
    self.edge_bias = variable("edge_bias", edge_bias)

  def cell(self) -> TopDownCell:
    """Returns the cell with the weights as they are now, read once a run and not once a frame."""
    return TopDownCell(
      weights=tuple(tf.convert_to_tensor(weight) for weight in self.weights),
      biases=tuple(tf.convert_to_tensor(bias) for bias in self.biases),
      output_weights=tf.convert_to_tensor(self.output_weights),
      output_bias=tf.convert_to_tensor(self.output_bias),
      hidden_weights=tf.convert_to_tensor(self.hidden_weights),
      hidden_bias=tf.convert_to_tensor(self.hidden_bias),
      edge_weights=tf.convert_to_tensor(self.edge_weights),
      edge_bias=tf.convert_to_tensor(self.edge_bias),
    )

  def parameter_groups(self) -> Sequence[ParameterGroup]:
    """Returns all variables, with learning rates and L2."""
    config = self.config
    matrices = (*self.weights, self.output_weights, self.hidden_weights, self.edge_weights)
    biases = (*self.biases, self.output_bias, self.hidden_bias, self.edge_bias)
    return (
      ParameterGroup(matrices, config.learning_rate, config.l2),
      ParameterGroup(biases, config.learning_rate),
      ParameterGroup((self.embedding, self.conditions), config.embedding_learning_rate),
    )

  def loss_and_metrics(
    self, batch: DependencyBatch, training: bool = False, seed: tf.Tensor | None = None
  ) -> tuple[tf.Tensor, GenerationMetrics]:
    """Computes how unlikely the given trees are.

    Args:
      batch: B trees.
      training: nothing is different in training.
      seed: is not used.

    Returns:
      (loss, metrics): float [], the sum of -log P of all words and of all edges that are there or
      not, divided by B; and the counts, without completions and generated trees.
    """
    losses, hits = self._score(batch)
    loss = tf.reduce_sum(losses) / tf.cast(batch.num_trees, self.dtype)
    return loss, _metrics(batch, losses, hits)

  def evaluate(self, batch: DependencyBatch) -> tuple[tf.Tensor, GenerationMetrics]:
    """Returns loss and counts, with completions, and generated trees if there are conditions."""
    losses, hits = self._score(_alternatives(batch))
    losses = tf.reshape(losses, [dep.NUM_ALTERNATIVES, -1, 2])
    hits = tf.reshape(hits, [dep.NUM_ALTERNATIVES, -1, 2])[0]
    loss = tf.reduce_sum(losses[0]) / tf.cast(batch.num_trees, self.dtype)
    has_blank = batch.alternatives[:, 0] > 0
    of_trees = tf.reduce_sum(losses, 2)
    is_completed = has_blank & (of_trees[0] < tf.reduce_min(of_trees[1:], 0))
    metrics = _metrics(batch, losses[0], hits)._replace(
      num_completions=_count(has_blank), correct_completions=_count(is_completed)
    )
    if self.config.num_conditions > 1:
      is_exact = self.generate(batch.condition).fingerprint == batch.fingerprint
      metrics = metrics._replace(
        num_generated=_count(tf.ones_like(is_exact)), exact_generated=_count(is_exact)
      )
    return loss, metrics

  def log_probability(self, batch: DependencyBatch) -> tf.Tensor:
    """Returns the logarithm of the probability of each given tree, float [B]."""
    losses, _ = self._score(batch)
    return -tf.reduce_sum(losses, 1)

  def generate(
    self,
    condition: tf.Tensor,
    max_nodes: int = 1000,
    seed: tf.Tensor | None = None,
    num_codes: int = 0,
  ) -> GeneratedTrees:
    """Generates a tree from each condition.

    Args:
      condition: int32 [B, S], rows of the table of conditions.
      max_nodes: bounds each tree: a node's share of it, less one, is divided evenly between the
        places where the tree goes on below it, and where nothing is left, it ends.
      seed: int [], decides words and edges that are drawn by their probabilities; None: the
        likeliest ones. What is drawn depends on the seed, the tree's index in the batch and the
        place in the tree, not on the order in which nodes are computed.
      num_codes: K, how many nodes of each tree to return.
    """
    cell, dtype = self.cell(), self.dtype
    embedding = self.embedding
    specs = [
      tf.TensorSpec([1], tf.int32),
      tf.TensorSpec([1], dtype),
      tf.TensorSpec([1], tf.int64),
    ]
    specs += [tf.TensorSpec([1, num_codes], tf.int32)] if num_codes else []
    with rtf.SubGraph("generate", outputs=tuple(specs)) as f:
      h, c = (f.input(spec.dtype, spec.shape) for spec in cell.state_spec)
      side, share = f.input(tf.int32, [1]), f.input(tf.int32, [1])
      # Where a node is in its tree; and where it is in the batch and in its tree, to draw by.
      keys = [f.input(tf.int64, [1]) for _ in range(1 if seed is None else 2)]
      draw = _likeliest if seed is None else _Sample(keys[1], dtype)
      logits = cell.words(h)
      word = draw.word(logits)
      inputs = tf.concat([tf.gather(embedding, word), h], 1)
      odds = cell.edges(inputs)
      allowed = tf.gather(tf.constant(_ALLOWED), side)
      wanted = draw.edges(odds) & allowed
      count = tf.reduce_sum(tf.cast(wanted, tf.int32), 1)
      below = (share - 1) // tf.maximum(count, 1)
      goes_on = wanted & tf.expand_dims(below > 0, 1)

      def go(edge: int) -> Callable[[], Any]:
        def call() -> Any:
          side = tf.constant([dep.SIDE_OF_EDGE[edge]])
          below_keys = (dep.child_key(key, edge) for key in keys)
          return f(*cell.step(edge, inputs, c), side, below, *below_keys)

        return call

      def stop() -> Tensors:
        return _zeros(specs)

      parts = [tf.cond(flag, go(e), stop) for e, flag in enumerate(_flags(goes_on))]
      loss = tf.nn.sparse_softmax_cross_entropy_with_logits(word, logits)
      edge_loss = _edge_loss(odds, goes_on, allowed)
      counts, logs, prints, *codes = zip(*parts, strict=True)
      fingerprint = dep.node_fingerprint(keys[0], tf.cast(word, tf.int64))
      results = [
        1 + tf.add_n(counts),
        tf.add_n(logs) - (loss + edge_loss),
        tf.add_n([fingerprint, *prints]),
      ]
      if num_codes:
        own_code, own_count = _code(word, goes_on), tf.ones([1], tf.int32)
        results.append(_join([own_code, *codes[0]], [own_count, *counts], num_codes))
      f.output(tuple(results))
    num_trees = tf.shape(condition)[0]
    zero = tf.zeros([num_trees, 1], tf.int32)
    keys = [tf.fill([num_trees, 1], tf.constant(dep.ROOT_KEY, tf.int64))]
    if seed is not None:
      index = tf.range(tf.cast(num_trees, tf.int64))[:, tf.newaxis]
      keys.append(_mix(index + _mix(tf.cast(seed, tf.int64))))
    found = f.map(*self._root_states(condition), zero, zero + max_nodes, *keys)
    count, log_probability, fingerprint = (tf.squeeze(value, 1) for value in found[:3])
    return GeneratedTrees(
      count,
      log_probability,
      dep.join_fingerprints(fingerprint),
      tf.squeeze(found[3], 1) if num_codes else None,
    )

  def _root_states(self, condition: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns (h, c) of the roots, float [B, 1, D] each."""
    c = tf.reduce_sum(tf.gather(self.conditions, condition), 1, keepdims=True)
    return tf.tanh(c), c

  def _score(self, batch: DependencyBatch) -> tuple[tf.Tensor, tf.Tensor]:
    """Runs over given trees.

    Returns:
      (losses, hits): float [B, 2] and int32 [B, 2], sums over each tree; of words and of edges.
    """
    cell = self.cell()
    embedding = self.embedding
    allowed_edges = tf.gather(_ALLOWED, batch.side)
    specs = (tf.TensorSpec([1, 2], self.dtype), tf.TensorSpec([1, 2], tf.int32))
    with rtf.SubGraph("score", outputs=specs) as f:
      index = f.input(tf.int32, [1])
      h, c = (f.input(spec.dtype, spec.shape) for spec in cell.state_spec)
      word, edges = tf.gather(batch.word, index), tf.gather(batch.edges, index)
      exists = edges >= 0
      targets = tf.unstack(edges, num=_NUM_EDGES, axis=1)
      logits = cell.words(h)
      inputs = tf.concat([tf.gather(embedding, word), h], 1)
      odds = cell.edges(inputs)

      def go(edge: int) -> Callable[[], Any]:
        return lambda: f(targets[edge], *cell.step(edge, inputs, c))

      def stop() -> Tensors:
        return _zeros(specs)

      parts = [tf.cond(flag, go(e), stop) for e, flag in enumerate(_flags(exists))]
      allowed = tf.gather(allowed_edges, index)
      loss = tf.nn.sparse_softmax_cross_entropy_with_logits(word, logits)
      losses = tf.stack([loss, _edge_loss(odds, exists, allowed)], 1)
      is_right = tf.stack(
        [
          tf.equal(tf.argmax(logits, 1, tf.int32), word),
          tf.reduce_all(((odds > 0) & allowed) == exists, 1),
        ],
        1,
      )
      hits = tf.cast(is_right, tf.int32)
      f.output(tuple(tf.add_n([a, *b]) for a, *b in zip((losses, hits), *parts, strict=True)))
    losses, hits = f.map(batch.root[:, tf.newaxis], *self._root_states(batch.condition))
    return tf.squeeze(losses, 1), tf.squeeze(hits, 1)


class _Likeliest:
  """Chooses what is likeliest."""

  def word(self, logits: tf.Tensor) -> tf.Tensor:
    return tf.argmax(logits, 1, tf.int32)

  def edges(self, odds: tf.Tensor) -> tf.Tensor:
    return odds > 0


_likeliest = _Likeliest()


class _Sample:
  """Chooses at random, by numbers that follow from `noise`, int64 [1], alone.

  Not TensorFlow's random ops: these rows of plain arithmetic run for many frames at once.
  """

  def __init__(self, noise: tf.Tensor, dtype: tf.DType):
    salts = tf.range(1 + _NUM_EDGES, dtype=tf.int64)[tf.newaxis]
    bits = _mix(tf.expand_dims(noise, 1) + 7919 * salts)
    uniform = (tf.cast(bits, dtype) + 0.5) / _PRIME
    self._of_word, self._of_edges = tf.split(uniform, [1, _NUM_EDGES], 1)

  def word(self, logits: tf.Tensor) -> tf.Tensor:
    below = tf.cumsum(tf.nn.softmax(logits), 1) < self._of_word
    count = tf.reduce_sum(tf.cast(below, tf.int32), 1)
    return tf.minimum(count, logits.shape[1] - 1)  # The sum may end a little below 1.

  def edges(self, odds: tf.Tensor) -> tf.Tensor:
    return tf.sigmoid(odds) > self._of_edges


def _flags(values: tf.Tensor) -> list[tf.Tensor]:
  """Returns the entries of a bool [1, 4], each of shape []."""
  return tf.unstack(tf.squeeze(values, 0), num=_NUM_EDGES)


def _zeros(specs: Sequence[tf.TensorSpec]) -> Tensors:
  """Returns what comes back over an edge that ends."""
  return tuple(tf.zeros(spec.shape, spec.dtype) for spec in specs)


def _mix(value: tf.Tensor) -> tf.Tensor:
  """Scrambles int64 values into 0 .. 2^31 - 2."""
  value = (value * 48_271 + 11) % _PRIME
  # Squares, because sums and products alone keep the pattern of keys that lie in a row.
  for constant in (1_013_904_223, 362_437, 88_675_123):
    value = (value * value + constant) % _PRIME
  return value


def _edge_loss(odds: tf.Tensor, exists: tf.Tensor, allowed: tf.Tensor) -> tf.Tensor:
  """Returns -log P of the edges that are there and of those that could be, float [1]."""
  # As tf.nn.sigmoid_cross_entropy_with_logits, in three ops in place of nine.
  losses = tf.nn.softplus(odds) - odds * tf.cast(exists, odds.dtype)
  return tf.reduce_sum(losses * tf.stop_gradient(tf.cast(allowed, odds.dtype)), 1)


def _code(word: tf.Tensor, goes_on: tf.Tensor) -> tf.Tensor:
  """Returns word and edges of a node in one number, int32 [1, 1]; 0 stands for no node."""
  bits = tf.reduce_sum(tf.cast(goes_on, tf.int32) * tf.constant([[1, 2, 4, 8]]), 1)
  return tf.expand_dims(16 * (word + 1) + bits, 1)


def _join(rows: list[tf.Tensor], counts: list[tf.Tensor], size: int) -> tf.Tensor:
  """Puts the first `counts` entries of each row one after the other.

  Args:
    rows: int32 [1, 1] the first, [1, K] the others.
    counts: int32 [1] each; may be more than a row has.
    size: K, length of the result.

  Returns:
    int32 [1, K], zeros after the last entry.
  """
  first = tf.pad(rows[0], [[0, 0], [0, size - 1]])
  whole = tf.concat([first, *rows[1:], tf.zeros([1, size], tf.int32)], 1)
  ends = tf.cumsum(tf.minimum(tf.stack(counts, 1), size), 1)
  place = tf.range(size)[tf.newaxis]
  is_past = place[:, :, tf.newaxis] >= ends[:, tf.newaxis, :]
  row = tf.reduce_sum(tf.cast(is_past, tf.int32), 2)
  start = tf.gather(tf.pad(ends, [[0, 0], [1, 0]]), row, batch_dims=1)
  return tf.gather(whole, row * size + place - start, batch_dims=1)


def _alternatives(batch: DependencyBatch) -> DependencyBatch:
  """Returns five copies of the batch, back to back; in copy k the blanks hold alternative k."""
  copies = tf.range(dep.NUM_ALTERNATIVES)[:, tf.newaxis]
  offsets = copies * batch.num_nodes
  blanks = tf.reshape(offsets + batch.blank, [-1, 1])
  has_blank = batch.alternatives[:, :1] > 0
  own = tf.gather(batch.word, batch.blank)[:, tf.newaxis]
  words = tf.where(has_blank, batch.alternatives, own)

  def tile(value: tf.Tensor) -> tf.Tensor:
    return tf.tile(value, [dep.NUM_ALTERNATIVES] + [1] * (value.shape.rank - 1))

  edges = batch.edges + tf.where(batch.edges < 0, 0, offsets[:, :, tf.newaxis])
  return DependencyBatch(
    word=tf.tensor_scatter_nd_update(
      tile(batch.word), blanks, tf.reshape(tf.transpose(words), [-1])
    ),
    side=tile(batch.side),
    edges=tf.reshape(edges, [-1, _NUM_EDGES]),
    root=tf.reshape(offsets + batch.root, [-1]),
    condition=tile(batch.condition),
    fingerprint=tile(batch.fingerprint),
    blank=tf.reshape(blanks, [-1]),
    alternatives=tile(batch.alternatives),
  )


def _metrics(batch: DependencyBatch, losses: tf.Tensor, hits: tf.Tensor) -> GenerationMetrics:
  word_loss, structure_loss = tf.unstack(tf.reduce_sum(tf.cast(losses, tf.float64), 0))
  correct_words, correct_edges = tf.unstack(tf.reduce_sum(tf.cast(hits, tf.float64), 0))
  zero = tf.zeros([], tf.float64)
  return GenerationMetrics(
    num_nodes=tf.cast(batch.num_nodes, tf.float64),
    word_loss=word_loss,
    structure_loss=structure_loss,
    correct_words=correct_words,
    correct_edges=correct_edges,
    num_completions=zero,
    correct_completions=zero,
    num_generated=zero,
    exact_generated=zero,
  )


def _count(flags: tf.Tensor) -> tf.Tensor:
  return tf.math.count_nonzero(flags, dtype=tf.float64)
