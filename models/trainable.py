"""What the trainer asks of a model."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, ClassVar

import tensorflow as tf

from recursive_tf.models.optimizer import ParameterGroup


class Trainable(tf.Module, abc.ABC):
  """A model with a loss and counts. Call its methods in a `tf.function`: each traces a SubGraph.

  Attributes:
    metrics_class: type of its counts, a NamedTuple with `zeros()`, `plus(other)` and `scores()`,
      such as `Metrics`.
    metrics_dtype: type of these counts as tensors.
    has_answers: whether some scores need the answers to all trees at once, as a rank correlation
      does. Then `evaluate_all` gives them, and the counts have `with_answers(answers)`.
  """

  metrics_class: ClassVar[Any]
  metrics_dtype: ClassVar[tf.DType]
  has_answers: ClassVar[bool] = False

  @abc.abstractmethod
  def loss_and_metrics(
    self, batch: Any, training: bool = False, seed: tf.Tensor | None = None
  ) -> tuple[tf.Tensor, Any]:
    """Returns (loss, counts): the mean loss of a tree, and counts that add up over batches.

    Args:
      batch: B trees.
      training: whether to do what is done in training only, such as dropout.
      seed: int [2], decides all that is drawn.
    """

  @abc.abstractmethod
  def parameter_groups(self) -> Sequence[ParameterGroup]:
    """Returns all variables, with learning rates and L2."""

  @property
  def vector_size(self) -> int:
    """Width of a word's vector: of a row of `embedding`, which may hold more of it."""
    return int(self.embedding.shape[1])

  def evaluate(self, batch: Any) -> tuple[tf.Tensor, Any]:
    """Returns loss and counts as `loss_and_metrics`, and counts that training does without."""
    return self.loss_and_metrics(batch)

  def evaluate_all(self, batch: Any) -> tuple[tf.Tensor, Any, tf.Tensor]:
    """Returns loss and counts as `evaluate`, and the answers, float [B, A]; see `has_answers`."""
    return (*self.evaluate(batch), tf.zeros([batch.num_trees, 0]))
