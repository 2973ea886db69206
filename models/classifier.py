"""What all models share: word vectors, a softmax layer at every node, the loss, and the counts."""

from __future__ import annotations

import abc

import tensorflow as tf

from recursive_tf._errors import ConfigError
from recursive_tf.datasets import TreeBatch
from recursive_tf.models import labels
from recursive_tf.models.initializers import Initializer
from recursive_tf.models.metrics import Metrics, count_classes
from recursive_tf.models.recursion import Cell, Node, Tensors, run_over_trees
from recursive_tf.models.trainable import Trainable


class TreeClassifier(Trainable):
  """Predicts a class at every node of binary trees.

  Attributes:
    task: the classes to predict.
    dropout: share of a state's elements that the softmax layer does not see in training.
    embedding: float [V, D_word], the words' vectors.
    output_weights, output_bias: float [D, K] and [K], the softmax layer.
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
    self, batch: TreeBatch, training: bool = False, seed: tf.Tensor | None = None
  ) -> tuple[tf.Tensor, Metrics]:
    """Computes the loss over all nodes, and counts right answers.

    Args:
      batch: B trees.
      training: whether dropout is on.
      seed: int [2], decides the dropout: the same seed drops the same at each node.

    Returns:
      (loss, metrics): float [], the sum of cross-entropies at all nodes that have a class, divided
      by B, without L2; and the counts.

    Raises:
      ConfigError: If dropout is on and there is no seed.
    """
    binary = labels.binary_class(batch.label)
    classes = binary if self.task.is_binary else batch.label
    head = _LossHead(self, classes, self._dropout_mask(batch, seed) if training else None)
    (losses, hits), root_hits = run_over_trees(
      self.name,
      batch,
      self.cell(),
      self.embedding,
      {"target": tf.maximum(classes, 0), "class": classes, "binary": binary},
      head,
      (tf.TensorSpec([1], head.dtype), tf.TensorSpec([2], tf.int32)),
      tf.TensorSpec([2], tf.int32),
    )
    loss = tf.reduce_sum(losses) / tf.cast(batch.num_trees, head.dtype)
    return loss, _metrics(batch, classes, binary, hits, root_hits)

  def logits(self, batch: TreeBatch) -> tf.Tensor:
    """Returns unnormalised log-probabilities of the classes at the roots, float [B, K]."""
    weights = tf.convert_to_tensor(self.output_weights)
    bias = tf.convert_to_tensor(self.output_bias)

    def head(node: Node, h: tf.Tensor) -> tuple[Tensors, tf.Tensor]:
      return (), tf.nn.bias_add(tf.matmul(h, weights), bias)

    spec = tf.TensorSpec([1, self.task.num_classes], weights.dtype)
    _, logits = run_over_trees(self.name, batch, self.cell(), self.embedding, {}, head, (), spec)
    return tf.squeeze(logits, 1)

  def _dropout_mask(self, batch: TreeBatch, seed: tf.Tensor | None) -> tf.Tensor | None:
    """Returns what h is multiplied by, float [N, D]; None without dropout."""
    if not self.dropout:
      return None
    if seed is None:
      raise ConfigError("loss_and_metrics: dropout needs seed=, an int [2] that changes each step.")
    shape = [batch.num_nodes, self.output_weights.shape[0]]
    keep = tf.random.stateless_uniform(shape, seed) >= self.dropout
    return tf.cast(keep, self.output_weights.dtype) / (1.0 - self.dropout)


class _LossHead:
  """Computes the cross-entropy and the hits of one node: int32 [2], of the task and binary."""

  def __init__(self, model: TreeClassifier, classes: tf.Tensor, mask: tf.Tensor | None):
    self._weights = tf.convert_to_tensor(model.output_weights)
    self._bias = tf.convert_to_tensor(model.output_bias)
    self._is_binary = model.task.is_binary
    self._mask = mask
    self.dtype = self._weights.dtype
    self._has_class = tf.cast(classes >= 0, self.dtype)
    self._sides = tf.cast(labels.BINARY_SHARE, self.dtype)

  def __call__(self, node: Node, h: tf.Tensor) -> tuple[Tensors, tf.Tensor]:
    """Returns ((loss [1], hits [2]), hits [2])."""
    if self._mask is not None:
      # Drawn outside for all nodes. No gradient flows to it, so none is collected.
      h *= tf.stop_gradient(tf.gather(self._mask, node.index))
    logits = tf.nn.bias_add(tf.matmul(h, self._weights), self._bias)
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(node["target"], logits)
    if self._is_binary:
      loss *= tf.stop_gradient(tf.gather(self._has_class, node.index))
    hits = self._hits(node, tf.stop_gradient(logits))
    return (loss, hits), hits

  def _hits(self, node: Node, logits: tf.Tensor) -> tf.Tensor:
    own = tf.equal(tf.argmax(logits, 1, tf.int32), node["class"])
    if self._is_binary:
      return tf.cast(tf.tile(own, [2]), tf.int32)
    sides = tf.matmul(tf.nn.softmax(logits), self._sides)
    binary = tf.equal(tf.argmax(sides, 1, tf.int32), node["binary"])
    return tf.cast(tf.concat([own, binary], 0), tf.int32)


def _metrics(
  batch: TreeBatch, classes: tf.Tensor, binary: tf.Tensor, hits: tf.Tensor, root_hits: tf.Tensor
) -> Metrics:
  """Adds up counts; hits int32 [B, 2]."""
  correct, binary_correct = tf.unstack(tf.reduce_sum(tf.cast(hits, tf.int64), 0))
  correct_roots, binary_correct_roots = tf.unstack(tf.reduce_sum(tf.cast(root_hits, tf.int64), 0))
  return Metrics(
    num_nodes=count_classes(classes),
    correct_nodes=correct,
    num_roots=count_classes(tf.gather(classes, batch.root)),
    correct_roots=correct_roots,
    binary_num_nodes=count_classes(binary),
    binary_correct_nodes=binary_correct,
    binary_num_roots=count_classes(tf.gather(binary, batch.root)),
    binary_correct_roots=binary_correct_roots,
  )
