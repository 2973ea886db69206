"""One training step, of one process or of one worker among several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from recursive_tf.distribute.collectives import Gradient
from recursive_tf.distribute.workers import Cluster
from recursive_tf.models import Adagrad, Trainable
from recursive_tf.models.optimizer import linear_decay

FINAL_LEARNING_RATE = 0.1  # Share of the learning rates that is left in the last step.


class SharedStep(NamedTuple):
  """What a step of all workers together came to; the same on each, but for `seconds`.

  Attributes:
    loss: float [], mean loss of a tree of the whole batch.
    counts: [K], of all workers.
    stops: bool [], whether any worker is to stop.
    seconds: float64 [], of this worker in collective ops: waiting and sending.
  """

  loss: tf.Tensor
  counts: tf.Tensor
  stops: tf.Tensor
  seconds: tf.Tensor


def make_train_step(
  model: Trainable, optimizer: Adagrad, num_steps: float, seed: int
) -> Callable[[Any, tf.Tensor], tuple[tf.Tensor, tf.Tensor]]:
  """Returns a function (batch, step done before it) -> (loss, counts [K]) that takes one step.

  What it does depends on its arguments and the variables alone: dropout too is decided by seed and
  step.

  Args:
    model: the model.
    optimizer: has the model's variables.
    num_steps: steps over which the learning rates fall.
    seed: of the dropout.
  """

  @tf.function(autograph=False)
  def train_step(batch: Any, step: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    loss, counts, gradients = _differentiate(model, optimizer, batch, step, seed)
    optimizer.apply(gradients, linear_decay(step + 1, num_steps, FINAL_LEARNING_RATE))
    return loss, counts

  return train_step


def make_shared_step(
  model: Trainable,
  optimizer: Adagrad,
  num_steps: float,
  seed: int,
  cluster: Cluster,
  batch_spec: tf.TypeSpec,
) -> Callable[[Any, tf.Tensor, tf.Tensor, tf.Tensor], SharedStep]:
  """Returns a function that takes one step together with all other workers.

  It is the step of `make_train_step` for the batch of all workers: the loss is a sum over trees, so
  the gradients of the parts, each weighted by its share of the trees, add up to that of the whole.

  Args:
    model: the model, with the same weights on all workers.
    optimizer: has the model's variables.
    num_steps: steps over which the learning rates fall.
    seed: of the dropout.
    cluster: the workers.
    batch_spec: type of a batch. The step is traced for it once: a trace more on one worker than on
      the others would have them wait for each other.

  Returns:
    A function (this worker's part of the batch, step done before it, trees of the whole batch,
    whether this worker is to stop) -> `SharedStep`.
  """

  def replica_step(
    batch: Any, step: tf.Tensor, num_trees: tf.Tensor, wants_stop: tf.Tensor
  ) -> SharedStep:
    # A worker without a tree has one to keep it busy, which counts for nothing (see Share).
    own_trees = tf.where(cluster.index < num_trees, batch.num_trees, 0)
    share = own_trees / num_trees
    loss, counts, gradients = _differentiate(model, optimizer, batch, step, seed, share)
    dtype = loss.dtype
    extras = [loss, tf.cast(counts, dtype) * tf.cast(own_trees > 0, dtype)]
    extras.append(tf.cast(wants_stop, dtype))
    total = cluster.collectives.total(gradients, extras)
    optimizer.apply(total.gradients, linear_decay(step + 1, num_steps, FINAL_LEARNING_RATE))
    loss, all_counts, num_stopping = total.extras
    if counts.dtype.is_integer:
      all_counts = tf.round(all_counts)
    return SharedStep(loss, tf.cast(all_counts, counts.dtype), num_stopping > 0, total.seconds)

  specs = [tf.TensorSpec([], dtype) for dtype in (tf.int64, tf.int32, tf.bool)]

  @tf.function(autograph=False, input_signature=[batch_spec, *specs])
  def train_step(
    batch: Any, step: tf.Tensor, num_trees: tf.Tensor, wants_stop: tf.Tensor
  ) -> SharedStep:
    return cluster.strategy.run(replica_step, args=(batch, step, num_trees, wants_stop))

  return train_step


def _differentiate(
  model: Trainable,
  optimizer: Adagrad,
  batch: Any,
  step: tf.Tensor,
  seed: int,
  share: tf.Tensor | None = None,
) -> tuple[tf.Tensor, tf.Tensor, Sequence[Gradient]]:
  """Returns (loss, counts [K], gradients); loss and gradients times `share`."""
  with tf.GradientTape() as tape:
    dropout_seed = tf.stack([tf.constant(seed, tf.int64), step])
    loss, metrics = model.loss_and_metrics(batch, training=True, seed=dropout_seed)
    if share is not None:
      loss *= tf.cast(share, loss.dtype)
  gradients = tape.gradient(loss, optimizer.variables_to_train)
  return loss, tf.stack(metrics), gradients
