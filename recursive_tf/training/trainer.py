"""The training loop: one traced step, epochs, evaluation, checkpoints."""

from __future__ import annotations

import math
import pathlib
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from recursive_tf._errors import CheckpointError, ConfigError
from recursive_tf.datasets import WordVectors, make_dataset, num_batches
from recursive_tf.models import Adagrad, Trainable
from recursive_tf.models.optimizer import linear_decay
from recursive_tf.training.checkpoint import Checkpoints
from recursive_tf.training.config import RunConfig
from recursive_tf.training.evaluate import Evaluator
from recursive_tf.training.history import FILE_NAME as HISTORY_NAME
from recursive_tf.training.history import History, Row, read_history
from recursive_tf.training.problem import Splits
from recursive_tf.training.registry import entry_named
from recursive_tf.training.runs import make_model
from recursive_tf.training.state import TrainingState

FINAL_LEARNING_RATE = 0.1  # Share of the learning rates that is left in the last step.


class Reporter(Protocol):
  """Shows how training goes."""

  def start_epoch(self, epoch: int, num_trees: int, trees_done: int) -> None:
    """Is called before an epoch, or the rest of one."""

  def step(self, num_trees: int, loss: float, metrics: Any) -> None:
    """Is called after a step with its number of trees, and the epoch's mean loss and counts."""

  def end_epoch(self, row: Row | None, is_best: bool) -> None:
    """Is called after an epoch; `row` is None if it was interrupted."""


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
    with tf.GradientTape() as tape:
      dropout_seed = tf.stack([tf.constant(seed, tf.int64), step])
      loss, metrics = model.loss_and_metrics(batch, training=True, seed=dropout_seed)
    gradients = tape.gradient(loss, optimizer.variables_to_train)
    optimizer.apply(gradients, linear_decay(step + 1, num_steps, FINAL_LEARNING_RATE))
    return loss, tf.stack(metrics)

  return train_step


class Trainer:
  """One run: trains, evaluates on dev after each epoch, and keeps the best epoch.

  Attributes:
    model: the model as it is now.
    state: where the run stands.
    restored: the checkpoint that it goes on from, None at the beginning.
  """

  def __init__(
    self,
    config: RunConfig,
    splits: Splits,
    directory: pathlib.Path,
    should_stop: Callable[[], bool] = lambda: False,
  ):
    """Goes on from the last checkpoint in `directory`, if there is one.

    Args:
      config: the run.
      splits: its data.
      directory: where its checkpoints and its record are, or will be.
      should_stop: asked after each step; if true, the run is saved and stops.

    Raises:
      CheckpointError: If what is in `directory` does not fit or is damaged.
      ConfigError: If it has trained for more epochs than it shall have.
    """
    self._config = config
    self._splits = splits
    self._should_stop = should_stop
    self.model = make_model(config, splits.vocabulary.size)
    self._optimizer = Adagrad(self.model.parameter_groups())
    self._epochs: int = config.hyperparameters["epochs"]
    self._batch_size = min(config.hyperparameters["batch_size"], len(splits.train))
    self._steps_per_epoch = num_batches(len(splits.train), self._batch_size)
    self.state = TrainingState(self.model.metrics_class, self.model.metrics_dtype)
    self._checkpoints = Checkpoints(directory, self.model, self._optimizer, self.state)
    self.restored = self._checkpoints.restore()
    if self.restored is None:
      begin_with_vectors(self.model, config, splits.vectors)
    self._check_progress(directory)
    self._problem = entry_named(config.model).problem
    self._history = History(directory, self._problem, self.epochs_done)
    num_steps = (config.decay_epochs or self._epochs) * len(splits.train) / self._batch_size
    self._train_step = make_train_step(self.model, self._optimizer, num_steps, config.seed)
    self.evaluate = Evaluator(self.model)

  def _check_progress(self, directory: pathlib.Path) -> None:
    """Checks that the run neither is past its end, nor has lost its checkpoints."""
    begun = num_batches(int(self.state.step), self._steps_per_epoch)
    if begun > self._epochs:
      raise ConfigError(
        f"--epochs is {self._epochs}, but {directory} is in its epoch {begun} already: expected at "
        f"least {begun}."
      )
    # The record of an epoch is written before its checkpoint, so there may be one row without any.
    if self.restored is None and len(read_history(directory)) > 1:
      raise CheckpointError(
        f"{directory}: {HISTORY_NAME} tells of epochs that were trained, but there is no "
        "checkpoint. Put them back from a copy, or train anew with another --out."
      )

  @property
  def epochs_done(self) -> int:
    """Number of complete epochs."""
    return self.epoch_of(int(self.state.step))

  def epoch_of(self, step: int) -> int:
    """Returns how many epochs are complete after so many steps."""
    return step // self._steps_per_epoch

  @property
  def is_done(self) -> bool:
    """Whether the last epoch is complete."""
    return self.epochs_done >= self._epochs

  def run(self, reporter: Reporter) -> bool:
    """Trains until the last epoch is complete, or `should_stop`.

    A checkpoint is there after each epoch, and when it stops.

    Returns:
      Whether the run is complete.
    """
    while not self.is_done:
      if not self._run_epoch(reporter):
        self._checkpoints.save()
        return False
      if self._should_stop() and not self.is_done:
        return False
    return True

  def _run_epoch(self, reporter: Reporter) -> bool:
    """Trains to the end of the epoch under way; returns whether it got there."""
    epoch, start_batch = divmod(int(self.state.step), self._steps_per_epoch)
    dataset = make_dataset(
      self._splits.train,
      self._batch_size,
      seed=self._config.seed,
      epoch=epoch,
      start_batch=start_batch,
    )
    if start_batch == 0:
      self.state.start_epoch()
    trees_done = min(start_batch * self._batch_size, len(self._splits.train))
    reporter.start_epoch(epoch, len(self._splits.train), trees_done)
    for batch in dataset:
      self._run_step(batch, reporter)
      if self._should_stop() and int(self.state.step) % self._steps_per_epoch:
        reporter.end_epoch(None, False)
        return False
    row = self._evaluate_epoch()
    criterion = entry_named(self._config.model).criterion
    quality = row[f"dev_{criterion}"] * (-1 if criterion == "loss" else 1)
    is_best = quality > float(self.state.best_quality)
    if is_best:
      self.state.best_quality.assign(quality)
      self.state.best_epoch.assign(self.epochs_done)
      self._checkpoints.save_best()
    self._history.add(row)
    self._checkpoints.save()
    reporter.end_epoch(row, is_best)
    return True

  def _run_step(self, batch: Any, reporter: Reporter) -> None:
    state = self.state
    started = time.perf_counter()
    loss, counts = self._train_step(batch, tf.convert_to_tensor(state.step))
    self._check_finite(float(loss), "")
    num_trees = int(batch.num_trees)
    state.loss_sum.assign_add(tf.cast(loss, tf.float64) * num_trees)
    state.counts.assign_add(counts)
    state.step.assign_add(1)
    state.seconds.assign_add(time.perf_counter() - started)
    done = (int(state.step) - 1) % self._steps_per_epoch + 1
    trees_done = min(done * self._batch_size, len(self._splits.train))
    reporter.step(num_trees, float(state.loss_sum) / trees_done, state.metrics())

  def _check_finite(self, loss: float, where: str) -> None:
    """Stops training before a checkpoint is written that is worth nothing."""
    if not math.isfinite(loss):
      rate = self._config.hyperparameters["learning_rate"]
      raise ConfigError(
        f"The loss{where} is {loss} after {int(self.state.step)} steps: the weights have become "
        f"too large. Begin anew with a lower --learning-rate (it is {rate}) and another --out. The "
        "checkpoints are those from before."
      )

  def _evaluate_epoch(self) -> Row:
    state, num_trees = self.state, len(self._splits.train)
    dev_loss, dev_metrics = self.evaluate(self._splits.dev)
    self._check_finite(dev_loss, " on dev")
    train, dev = state.metrics().scores(), dev_metrics.scores()
    problem = self._problem
    return {
      "epoch": self.epochs_done,
      "step": int(state.step),
      "train_loss": float(state.loss_sum) / num_trees,
      **{f"train_{name}": train[name] for name in problem.train_scores if name in train},
      "dev_loss": dev_loss,
      **{f"dev_{name}": dev[name] for name in problem.dev_scores if name in dev},
      "sentences_per_second": num_trees / max(float(state.seconds), 1e-9),
      "seconds": float(state.seconds),
    }


def begin_with_vectors(model: Trainable, config: RunConfig, vectors: WordVectors | None) -> None:
  """Puts pretrained vectors in the place of the random ones, where there are some.

  Raises:
    ConfigError: If the run is to have some that were not loaded, or of another size.
  """
  if vectors is None and config.vectors:
    raise ConfigError(f"--vectors {config.vectors}: not loaded; give them as `Splits.vectors`.")
  if vectors is None:
    return
  embedding: tf.Variable = model.embedding
  if vectors.vectors.shape != embedding.shape:
    raise ConfigError(
      f"{vectors.path}: vectors of {vectors.size} numbers for {len(vectors.is_found)} words, "
      f"expected {embedding.shape[1]} for {embedding.shape[0]}."
    )
  places = np.flatnonzero(vectors.is_found)
  embedding.scatter_nd_update(places[:, np.newaxis], vectors.vectors[places])


def summarize(config: RunConfig, metrics: Any) -> dict[str, Any]:
  """Returns test scores of a run as numbers for its record."""
  return {"task": config.task, "data": config.data, **metrics.scores(), **metrics._asdict()}
