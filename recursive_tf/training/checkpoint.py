"""Checkpoints of a run: the last ones to go on from, and the best one to use."""

from __future__ import annotations

import pathlib

import tensorflow as tf

from recursive_tf._errors import CheckpointError
from recursive_tf.models import Trainable
from recursive_tf.models.optimizer import Adagrad
from recursive_tf.training.state import TrainingState


class Checkpoints:
  """The checkpoints below one run directory.

  A checkpoint counts only once TensorFlow has renamed its index into place, so a process that dies
  while it writes leaves the one before as the last.
  """

  def __init__(
    self,
    directory: pathlib.Path,
    model: Trainable,
    optimizer: Adagrad,
    state: TrainingState,
  ):
    whole = tf.train.Checkpoint(model=model, optimizer=optimizer, state=state)
    self._last = tf.train.CheckpointManager(whole, str(directory / "checkpoints"), max_to_keep=2)
    self._best = _best_manager(directory, model)
    self._step = state.step

  def save(self) -> None:
    """Writes all that a resumed run needs."""
    self._last.save(checkpoint_number=int(self._step))

  def save_best(self) -> None:
    """Writes the weights as those to evaluate."""
    self._best.save(checkpoint_number=int(self._step))

  def restore(self) -> bool:
    """Goes on from the last checkpoint; returns whether there is one.

    Raises:
      CheckpointError: If it does not fit.
    """
    path = self._last.latest_checkpoint
    if path is not None:
      _restore(self._last.checkpoint, path)
    return path is not None


def restore_weights(directory: pathlib.Path, model: Trainable) -> None:
  """Reads the weights of the best epoch of a run into `model`, the last ones if there is no best.

  Raises:
    CheckpointError: If the run has no checkpoint, or one that does not fit.
  """
  manager = _best_manager(directory, model)
  path = manager.latest_checkpoint or tf.train.latest_checkpoint(str(directory / "checkpoints"))
  if path is None:
    raise CheckpointError(f"{directory}: no checkpoint yet. Train for at least one epoch first.")
  _restore(manager.checkpoint, path)


def _best_manager(directory: pathlib.Path, model: Trainable) -> tf.train.CheckpointManager:
  return tf.train.CheckpointManager(
    tf.train.Checkpoint(model=model), str(directory / "best"), max_to_keep=1
  )


def _restore(checkpoint: tf.train.Checkpoint, path: str) -> None:
  try:
    status = checkpoint.restore(path)
    status.assert_existing_objects_matched()
    status.expect_partial()
  except (AssertionError, ValueError, tf.errors.OpError) as error:
    reason = str(error).splitlines()[0]
    raise CheckpointError(
      f"{path}: cannot be restored: {reason}. Is it from another version or configuration? Train "
      "anew with another --out."
    ) from error
