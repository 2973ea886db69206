"""What all models share: word vectors, a softmax layer at every node, the loss, and the counts."""

from __future__ import annotations

import abc

import tensorflow as tf

import recursive_tf as rtf
from recursive_tf._errors import ConfigError
from recursive_tf.datasets import TreeBatch
from recursive_tf.models import labels
from recursive_tf.models.initializers import Initializer
from recursive_tf.models.metrics import Metrics
from recursive_tf.models.recursion import Cell, Node, Tensors, Trees, run_over_trees
from recursive_tf.models.trainable import Trainable


class TreeClassifier(Trainable):
  """Predicts a class at every node of binary trees.

  Attributes:
    task: the classes to predict.
    dropout: share of a state's elements that the softmax layer does not see in training.
    embedding: float [V, D_word], the words' vectors.
    output_weights, output_bias: float [D, K] and [K], the softmax layer.
    precision: of the cell's products with weights, as `rtf.nn.matmul` takes it; set it before the
      first call. The weights stay float32.
  """

  metrics_class = Metrics
  metrics_dtype = tf.int64

  def __init__(
    self,
    name: str,
    task: labels.Task,
    dropout: float,
    embedding: tf.Tensor,
    output_weights: tf.Tensor,
    initializer: Initializer,
  ):
    super().__init__(name=name)
    self.task = task
    self.dropout = dropout
    self.precision: str | None = None
    self.embedding = tf.Variable(embedding, name="embedding")
    self.output_weights = tf.Variable(output_weights, name="output_weights")
    bias = initializer.constant([0.0] * task.num_classes)
    self.output_bias = tf.Variable(bias, name="output_bias")

  @abc.abstractmethod
  def cell(self) -> Cell:
    """Returns the cell with the weights as they are now.

    Called outside of the SubGraph, so that weights are read once a run, not once a frame.
    """

  def loss_and_metrics(
    self, batch: Trees, training: bool = False, seed: tf.Tensor | None = None
  ) -> tuple[tf.Tensor, Metrics]:
    """Computes the loss over all nodes, and counts right answers.

    Args:
      batch: B trees. Dropout draws numbers for all its `places`, so with dropout it should be a
        TreeBatch, not a selection from a large table.
      training: whether dropout is on.
      seed: int [2], decides the dropout: the same seed drops the same at each node.

    Returns:
      (loss, metrics): float [], the sum of cross-entropies at all nodes that have a class, divided
      by B, without L2; and the counts.

    Raises:
      ConfigError: If dropout is on and there is no seed.
    """
    head = _LossHead(self, self._dropout_mask(batch, seed) if training else None)
    counts_spec = tf.TensorSpec([_NUM_COUNTS], tf.int32)
    (losses, counts), root_counts = run_over_trees(
      self.name,
      batch,
      self.cell(),
      self.embedding,
      head,
      (tf.TensorSpec([1], head.dtype), counts_spec),
      counts_spec,
    )
    loss = tf.reduce_sum(losses) / tf.cast(batch.num_trees, head.dtype)
    return loss, _metrics(counts, root_counts)

  def loss(self, batch: Trees, training: bool = False, seed: tf.Tensor | None = None) -> tf.Tensor:
    """Computes the loss of `loss_and_metrics` alone; arguments and errors are the same."""
    head = _LossHead(self, self._dropout_mask(batch, seed) if training else None)

    def loss_only(node: Node, h: tf.Tensor) -> tuple[Tensors, tf.Tensor]:
      loss, _ = head.loss_and_logits(node, h)
      return (loss,), loss

    spec = tf.TensorSpec([1], head.dtype)
    (losses,), _ = run_over_trees(
      self.name, batch, self.cell(), self.embedding, loss_only, (spec,), spec
    )
    return tf.reduce_sum(losses) / tf.cast(batch.num_trees, head.dtype)

  def encode(self, batch: Trees) -> tf.Tensor:
    """Returns the states `h` of the roots, float [B, D]."""
    cell = self.cell()
    spec = tf.nest.flatten(cell.state_spec)[0]

    def state(node: Node, h: tf.Tensor) -> tuple[Tensors, tf.Tensor]:
      return (), h

    _, h = run_over_trees(self.name, batch, cell, self.embedding, state, (), spec)
    return tf.squeeze(h, 1)

  def classify(self, h: tf.Tensor) -> tf.Tensor:
    """Returns unnormalised log-probabilities of the classes, float [B, K], of states [B, D]."""
    return tf.nn.bias_add(tf.matmul(h, self.output_weights), self.output_bias)

  def logits(self, batch: Trees) -> tf.Tensor:
    """Returns unnormalised log-probabilities of the classes at the roots, float [B, K]."""
    return self.classify(self.encode(batch))

  def node_logits(self, batch: TreeBatch) -> tf.Tensor:
    """Returns unnormalised log-probabilities of the classes at all nodes, float [N, K].

    Frames return sums up their tree, not values in the order of the nodes. So each node adds the
    product of its logits with a row of zeros of its own: the gradient of the sum with respect to
    that row is its logits, exactly, for all nodes in one pass up and one down.

    Args:
      batch: B trees with N nodes.
    """
    cell, weights = self.cell(), tf.convert_to_tensor(self.output_weights)
    bias = tf.convert_to_tensor(self.output_bias)
    places = tf.zeros([batch.num_nodes, self.task.num_classes], weights.dtype)
    spec = tf.TensorSpec([1], weights.dtype)

    def head(node: Node, h: tf.Tensor) -> tuple[Tensors, tf.Tensor]:
      # Stopped: no gradient is wanted with respect to anything but the places.
      logits = tf.stop_gradient(tf.nn.bias_add(tf.matmul(h, weights), bias))
      product = tf.reduce_sum(tf.gather(places, node.index) * logits, 1)
      return (product,), product

    with tf.GradientTape() as tape:
      tape.watch(places)
      (sums,), _ = run_over_trees(self.name, batch, cell, self.embedding, head, (spec,), spec)
    return tf.convert_to_tensor(tape.gradient(sums, places))

  def _dropout_mask(self, batch: Trees, seed: tf.Tensor | None) -> tf.Tensor | None:
    """Returns what h is multiplied by, float [N, D]; None without dropout."""
    if not self.dropout:
      return None
    if seed is None:
      raise ConfigError("loss_and_metrics: dropout needs seed=, an int [2] that changes each step.")
    weights = self.output_weights
    return rtf.nn.dropout_mask(batch.places, weights.shape[0], self.dropout, seed, weights.dtype)


# What a node counts: hits of the task and binary, and whether it has a class in each.
_NUM_COUNTS = 4


class _LossHead:
  """Computes the cross-entropy and the counts of one node."""

  def __init__(self, model: TreeClassifier, mask: tf.Tensor | None):
    self._weights = tf.convert_to_tensor(model.output_weights)
    self._bias = tf.convert_to_tensor(model.output_bias)
    self._is_binary = model.task.is_binary
    self._mask = mask
    self.dtype = self._weights.dtype
    self._sides = tf.cast(labels.BINARY_SHARE, self.dtype)

  def __call__(self, node: Node, h: tf.Tensor) -> tuple[Tensors, tf.Tensor]:
    """Returns ((loss [1], counts [4]), counts [4])."""
    loss, logits = self.loss_and_logits(node, h)
    counts = self._counts(node["label"], tf.stop_gradient(logits))
    return (loss, counts), counts

  def loss_and_logits(self, node: Node, h: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the cross-entropy [1] and the logits [1, K]."""
    if self._mask is not None:
      # Drawn outside for all nodes. No gradient flows to it, so none is collected.
      h *= tf.stop_gradient(tf.gather(self._mask, node.index))
    logits = tf.nn.bias_add(tf.matmul(h, self._weights), self._bias)
    classes = labels.binary_class(node["label"]) if self._is_binary else node["label"]
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.maximum(classes, 0), logits)
    return loss * tf.cast(classes >= 0, self.dtype), logits

  def _counts(self, label: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
    """Returns int32 [4]: whether the task's class and the binary one are right, and are there."""
    binary = labels.binary_class(label)
    best = tf.argmax(logits, 1, tf.int32)
    has_binary = binary >= 0
    if self._is_binary:
      hit = tf.equal(best, binary)
      return tf.cast(tf.concat([hit, hit, has_binary, has_binary], 0), tf.int32)
    sides = tf.matmul(tf.nn.softmax(logits), self._sides)
    binary_hit = tf.equal(tf.argmax(sides, 1, tf.int32), binary)
    found = [tf.equal(best, label), binary_hit, label >= 0, has_binary]
    return tf.cast(tf.concat(found, 0), tf.int32)


def _metrics(counts: tf.Tensor, root_counts: tf.Tensor) -> Metrics:
  """Adds up counts, int32 [B, 4] each: of all nodes of a tree, and of its root."""
  correct, binary_correct, nodes, binary_nodes = _sums(counts)
  correct_roots, binary_correct_roots, roots, binary_roots = _sums(root_counts)
  return Metrics(
    num_nodes=nodes,
    correct_nodes=correct,
    num_roots=roots,
    correct_roots=correct_roots,
    binary_num_nodes=binary_nodes,
    binary_correct_nodes=binary_correct,
    binary_num_roots=binary_roots,
    binary_correct_roots=binary_correct_roots,
  )


def _sums(counts: tf.Tensor) -> list[tf.Tensor]:
  return tf.unstack(tf.reduce_sum(tf.cast(counts, tf.int64), 0), num=_NUM_COUNTS)
