"""The training loop: one traced step, epochs, evaluation, checkpoints."""

from __future__ import annotations

import itertools
import math
import pathlib
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from recursive_tf._errors import CheckpointError, ConfigError
from recursive_tf.datasets import WordVectors, make_dataset, num_batches
from recursive_tf.distribute.workers import ALONE, Cluster, Workers
from recursive_tf.models import Adagrad, Trainable
from recursive_tf.models.optimizer import linear_decay
from recursive_tf.training.checkpoint import Restored
from recursive_tf.training.config import RunConfig
from recursive_tf.training.curves import Row
from recursive_tf.training.evaluate import Evaluator
from recursive_tf.training.history import FILE_NAME as HISTORY_NAME
from recursive_tf.training.history import read_history
from recursive_tf.training.problem import Splits
from recursive_tf.training.record import NoRecord, RunRecord
from recursive_tf.training.registry import entry_for, problem_of
from recursive_tf.training.runs import make_model
from recursive_tf.training.state import TrainingState
from recursive_tf.training.step import FINAL_LEARNING_RATE, make_shared_step, make_train_step


class Reporter(Protocol):
  """Shows how training goes."""

  def start_epoch(self, epoch: int, num_trees: int, trees_done: int) -> None:
    """Is called before an epoch, or the rest of one."""

  def step(self, num_trees: int, loss: float, metrics: Any) -> None:
    """Is called after a step with its number of trees, and the epoch's mean loss and counts."""

  def end_epoch(self, row: Row | None, is_best: bool) -> None:
    """Is called after an epoch; `row` is None if it was interrupted."""


class Trainer:
  """One run: trains, evaluates on dev after each epoch, and keeps the best epoch.

  Attributes:
    model: the model as it is now.
    state: where the run stands.
    restored: the checkpoint that it goes on from, None at the beginning.
    batch_size: trees in a step, but for the last of an epoch.
    steps_per_epoch: how many steps an epoch has.
  """

  def __init__(
    self,
    config: RunConfig,
    splits: Splits,
    directory: pathlib.Path | None,
    should_stop: Callable[[], bool] = lambda: False,
    *,
    workers: Workers = ALONE,
    save_every: int = 0,
  ):
    """Goes on from the last checkpoint in `directory`, if there is one.

    Args:
      config: the run.
      splits: its data.
      directory: where its checkpoints and its record are, or will be; None of a worker that writes
        nothing.
      should_stop: asked after each step; if true, the run is saved and stops.
      workers: those who train together. What they do to the weights is what one would do.
      save_every: steps after which there is a checkpoint within an epoch; 0: none.

    Raises:
      CheckpointError: If what is in `directory` does not fit or is damaged.
      ConfigError: If it has trained for more epochs than it shall have.
    """
    self._config = config
    self._splits = splits
    self._should_stop = should_stop
    self._workers = workers
    self._save_every = save_every
    self.model = make_model(config, splits.vocabulary.size)
    self._optimizer = Adagrad(self.model.parameter_groups())
    self._epochs: int = config.hyperparameters["epochs"]
    self.batch_size = min(config.hyperparameters["batch_size"], len(splits.train))
    self.steps_per_epoch = num_batches(len(splits.train), self.batch_size)
    self.state = TrainingState(self.model.metrics_class, self.model.metrics_dtype)
    self._problem = problem_of(config)
    self._record = NoRecord()
    self.restored = workers.agree(lambda: self._open(directory))
    workers.broadcast((*self.model.variables, *self._optimizer.sums, *self.state.variables))
    has_dropout = bool(config.hyperparameters.get("dropout"))
    self._trees = workers.share(splits.train, with_places=has_dropout)
    self._step = self._make_step()
    self.evaluate = Evaluator(self.model, workers)

  def _open(self, directory: pathlib.Path | None) -> Restored | None:
    """Goes on with what is in `directory`."""
    if directory is None:
      return None
    self._record = RunRecord(directory, self.model, self._optimizer, self.state)
    restored = self._record.restore()
    if restored is None:
      begin_with_vectors(self.model, self._config, self._splits.vectors)
    self._check_progress(directory, restored)
    self._record.open_history(self._problem, self.epochs_done, self._config.title)
    return restored

  def _make_step(self) -> Callable[[Any, int], tuple[tf.Tensor, tf.Tensor, bool]]:
    """Returns a function (batch, trees of all workers) -> (loss, counts, whether to stop)."""
    config, state, num_steps = self._config, self.state, self._num_decay_steps
    workers = self._workers
    if not isinstance(workers, Cluster):
      take_step = make_train_step(self.model, self._optimizer, num_steps, config.seed)

      def alone(batch: Any, num_trees: int) -> tuple[tf.Tensor, tf.Tensor, bool]:
        loss, counts = take_step(batch, tf.convert_to_tensor(state.step))
        return loss, counts, False

      return alone
    spec = self._trees.batch_class.spec()
    take_shared_step = make_shared_step(
      self.model, self._optimizer, num_steps, config.seed, workers, spec
    )

    is_first = itertools.chain([True], itertools.repeat(False))

    def together(batch: Any, num_trees: int) -> tuple[tf.Tensor, tf.Tensor, bool]:
      step, stop = tf.convert_to_tensor(state.step), tf.constant(self._should_stop())
      with workers.guarded(makes_graph=next(is_first)):
        result = take_shared_step(batch, step, tf.constant(num_trees), stop)
        return result.loss, result.counts, bool(result.stops)

    return together

  def _check_progress(self, directory: pathlib.Path, restored: Restored | None) -> None:
    """Checks that the run neither is past its end, nor has lost its checkpoints."""
    begun = num_batches(int(self.state.step), self.steps_per_epoch)
    if begun > self._epochs:
      raise ConfigError(
        f"--epochs is {self._epochs}, but {directory} is in its epoch {begun} already: expected at "
        f"least {begun}."
      )
    # The record of an epoch is written before its checkpoint, so there may be one row without any.
    if restored is None and len(read_history(directory)) > 1:
      raise CheckpointError(
        f"{directory}: {HISTORY_NAME} tells of epochs that were trained, but there is no "
        "checkpoint. Put them back from a copy, or train anew with another --out."
      )

  @property
  def _num_decay_steps(self) -> float:
    """Steps over which the learning rates fall."""
    epochs = self._config.decay_epochs or self._epochs
    return epochs * len(self._splits.train) / self.batch_size

  def learning_rate(self, step: int) -> float:
    """Returns that of the weights in a step, the first being 1."""
    share = linear_decay(tf.constant(step), self._num_decay_steps, FINAL_LEARNING_RATE)
    return float(self._config.hyperparameters["learning_rate"]) * float(share)

  @property
  def epochs_done(self) -> int:
    """Number of complete epochs."""
    return self.epoch_of(int(self.state.step))

  def epoch_of(self, step: int) -> int:
    """Returns how many epochs are complete after so many steps."""
    return step // self.steps_per_epoch

  @property
  def is_done(self) -> bool:
    """Whether the last epoch is complete, or there shall be no more."""
    return self.epochs_done >= self._epochs or self.stopped_early

  @property
  def stopped_early(self) -> bool:
    """Whether it ends before its last epoch, since none of the last ones was the best on dev.

    It follows from the state, so that a resumed run ends where an undisturbed one does.
    """
    waited = self.epochs_done - int(self.state.best_epoch)
    return 0 < self._config.early_stopping <= waited and self.epochs_done < self._epochs

  def run(self, reporter: Reporter) -> bool:
    """Trains until the last epoch is complete, it stops early, or `should_stop`.

    A checkpoint is there after each epoch, and when it stops.

    Returns:
      Whether the run is complete.
    """
    while not self.is_done:
      if not self._run_epoch(reporter):
        self._record.save()
        return False
      if self._workers.any_of(self._should_stop()) and not self.is_done:
        return False
    return True

  def try_step(self) -> float:
    """Takes the next step, as far as it changes weights, which nobody keeps; returns its loss.

    Raises:
      ConfigError: If the loss is not finite.
    """
    before = int(self.state.step) % self.steps_per_epoch * self.batch_size
    loss, _, _ = self._step(
      next(iter(self._batches())), min(self.batch_size, len(self._trees) - before)
    )
    self._check_finite(float(loss), "")
    return float(loss)

  def _batches(self) -> tf.data.Dataset:
    """Returns the batches that are left of the epoch under way."""
    epoch, start_batch = divmod(int(self.state.step), self.steps_per_epoch)
    return make_dataset(
      self._trees,
      self.batch_size,
      seed=self._config.seed,
      epoch=epoch,
      start_batch=start_batch,
    )

  def _run_epoch(self, reporter: Reporter) -> bool:
    """Trains to the end of the epoch under way; returns whether it got there."""
    epoch, start_batch = divmod(int(self.state.step), self.steps_per_epoch)
    if start_batch == 0:
      self.state.start_epoch()
    trees_done = min(start_batch * self.batch_size, len(self._splits.train))
    reporter.start_epoch(epoch, len(self._splits.train), trees_done)
    for batch in self._batches():
      stops = self._run_step(batch, reporter)
      if stops and int(self.state.step) % self.steps_per_epoch:
        reporter.end_epoch(None, False)
        return False
      self._save_within_epoch()
    row = self._evaluate_epoch()
    criterion = entry_for(self._config.model, self._config.task).criterion
    quality = row[f"dev_{criterion}"] * (-1 if criterion == "loss" else 1)
    # Workers that each answer all may differ in the last digit, but not in when they stop.
    quality = self._workers.from_chief(float(quality))
    is_best = quality > float(self.state.best_quality)
    if is_best:
      self.state.best_quality.assign(quality)
      self.state.best_epoch.assign(self.epochs_done)
      self._record.save_best()
    self._record.add(row, int(self.state.best_epoch))
    self._record.save()
    reporter.end_epoch(row, is_best)
    return True

  def _run_step(self, batch: Any, reporter: Reporter) -> bool:
    """Takes a step; returns whether it is to be the last."""
    state = self.state
    started = time.perf_counter()
    before = int(state.step) % self.steps_per_epoch * self.batch_size
    num_trees = min(self.batch_size, len(self._trees) - before)
    loss, counts, others_stop = self._step(batch, num_trees)
    self._check_finite(float(loss), "")
    state.loss_sum.assign_add(tf.cast(loss, tf.float64) * num_trees)
    state.counts.assign_add(counts)
    state.step.assign_add(1)
    state.seconds.assign_add(time.perf_counter() - started)
    trees_done = before + num_trees
    reporter.step(num_trees, float(state.loss_sum) / trees_done, state.metrics())
    return others_stop or (self._workers.num_workers == 1 and self._should_stop())

  def _save_within_epoch(self) -> None:
    """Writes a checkpoint if it is time; that of a complete epoch comes after its record."""
    step = int(self.state.step)
    if self._save_every and step % self._save_every == 0 and step % self.steps_per_epoch:
      self._record.save()

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
  size = model.vector_size
  if vectors.vectors.shape != (embedding.shape[0], size):
    raise ConfigError(
      f"{vectors.path}: vectors of {vectors.size} numbers for {len(vectors.is_found)} words, "
      f"expected {size} for {embedding.shape[0]}."
    )
  places = np.flatnonzero(vectors.is_found)
  rows = tf.gather(embedding, places).numpy()
  rows[:, :size] = vectors.vectors[places]
  embedding.scatter_nd_update(places[:, np.newaxis], rows)


def summarize(config: RunConfig, metrics: Any) -> dict[str, Any]:
  """Returns test scores of a run as numbers for its record."""
  return {"task": config.task, "data": config.data, **metrics.scores(), **metrics._asdict()}
