"""What a run leaves behind: checkpoints and history, written by one process of those that train."""

from __future__ import annotations

import pathlib

from recursive_tf.models import Adagrad, Trainable
from recursive_tf.training.checkpoint import Checkpoints, Restored
from recursive_tf.training.curves import Row
from recursive_tf.training.history import History
from recursive_tf.training.problem import Problem
from recursive_tf.training.state import TrainingState


class NoRecord:
  """Of a worker that writes nothing."""

  def restore(self) -> Restored | None:
    """Returns None: the weights come from the first worker."""
    return None

  def open_history(self, problem: Problem, num_epochs: int, title: str) -> None:
    """Takes over the epochs that are done."""

  def add(self, row: Row, best_epoch: int) -> None:
    """Adds an epoch; `best_epoch` is the best so far."""

  def save(self) -> None:
    """Writes a checkpoint to go on from."""

  def save_best(self) -> None:
    """Writes a checkpoint of the best weights."""


class RunRecord(NoRecord):
  """In a run directory; errors as in `Checkpoints` and `History`."""

  def __init__(
    self,
    directory: pathlib.Path,
    model: Trainable,
    optimizer: Adagrad,
    state: TrainingState,
  ):
    self._directory = directory
    self._checkpoints = Checkpoints(directory, model, optimizer, state)
    self._history: History | None = None

  def restore(self) -> Restored | None:
    """Goes on from the last checkpoint that is not damaged."""
    return self._checkpoints.restore()

  def open_history(self, problem: Problem, num_epochs: int, title: str) -> None:
    """Takes over the epochs that are done."""
    self._history = History(self._directory, problem, num_epochs, title)

  def add(self, row: Row, best_epoch: int) -> None:
    """Adds an epoch; `best_epoch` is the best so far."""
    if self._history is None:
      raise AssertionError("open_history comes before add.")
    self._history.add(row, best_epoch)

  def save(self) -> None:
    """Writes a checkpoint to go on from."""
    self._checkpoints.save()

  def save_best(self) -> None:
    """Writes a checkpoint of the best weights."""
    self._checkpoints.save_best()
