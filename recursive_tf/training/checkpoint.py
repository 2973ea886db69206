"""Checkpoints of a run: the last ones to go on from, and the best one to use.

A checkpoint's name says it all: `checkpoints/ckpt-120` is the run after 120 steps. TensorFlow's own
list of checkpoints, a file named `checkpoint`, is neither written nor read: it can only say less
than what lies there, or something else.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
import shutil

import tensorflow as tf
from google.protobuf.message import DecodeError

from recursive_tf._errors import CheckpointError
from recursive_tf.models import Trainable
from recursive_tf.models.optimizer import Adagrad
from recursive_tf.training.files import REMEDY, reason_of, system_reason
from recursive_tf.training.state import TrainingState

_LAST, _BEST = "checkpoints", "best"
_INDEX = re.compile(r"ckpt-(\d+)\.index")
_OURS = "ckpt-*"
_UNREADABLE = (OSError, ValueError, LookupError, RuntimeError, DecodeError, tf.errors.OpError)


@dataclasses.dataclass(frozen=True)
class Restored:
  """What was read.

  Attributes:
    path: the checkpoint, without the endings of its files.
    step: steps done in it.
    left_out: what would have been read first but could not be, with the reason.
  """

  path: pathlib.Path
  step: int
  left_out: tuple[str, ...]

  @property
  def notes(self) -> tuple[str, ...]:
    """What a person should know about it, one line each."""
    return tuple(f"{text}. Using {self.path}, of step {self.step}." for text in self.left_out)


class Checkpoints:
  """The checkpoints below one run directory.

  A checkpoint counts only once TensorFlow has renamed its index into place, so a process that dies
  while it writes leaves the one before as the last. One that cannot be read, each value of it with
  its checksum, counts as damaged, and the one before is used. Nothing is removed before there is
  something newer that is complete.
  """

  def __init__(
    self,
    directory: pathlib.Path,
    model: Trainable,
    optimizer: Adagrad,
    state: TrainingState,
  ):
    whole = tf.train.Checkpoint(model=model, optimizer=optimizer, state=state)
    self._last = _Folder(directory / _LAST, whole, num_kept=2)
    self._best = _best_folder(directory, model)
    self._step = state.step

  def save(self) -> None:
    """Writes all that a resumed run needs.

    Raises:
      CheckpointError: If it cannot be written; those before are as they were.
    """
    self._last.save(int(self._step))

  def save_best(self) -> None:
    """Writes the weights as those to evaluate; errors as `save`."""
    self._best.save(int(self._step))

  def restore(self) -> Restored | None:
    """Goes on from the last checkpoint that is not damaged; returns None if there is none at all.

    Raises:
      CheckpointError: If it does not fit, or all are damaged.
    """
    return self._last.restore()


def restore_weights(directory: pathlib.Path, model: Trainable) -> Restored:
  """Reads the weights of the best epoch of a run into `model`, the last ones if there is no best.

  Raises:
    CheckpointError: If the run has no checkpoint, or only such as do not fit or are damaged.
  """
  best = _best_folder(directory, model)
  last = _Folder(directory / _LAST, tf.train.Checkpoint(model=model), num_kept=2)
  left_out: tuple[str, ...] = (f"{directory / _BEST}: no weights of a best epoch here",)
  if best.steps():
    try:
      return best.restore_one()
    except _Damaged as error:
      left_out = error.damaged
      if not last.steps():
        raise
  if not last.steps():
    raise CheckpointError(f"{directory}: no checkpoint yet. Train for at least one epoch first.")
  found = last.restore_one()
  return dataclasses.replace(found, left_out=left_out + found.left_out)


def has_checkpoints(directory: pathlib.Path) -> bool:
  """Tells whether a run has written any."""
  return any(any((directory / name).glob(_OURS)) for name in (_LAST, _BEST))


class _Damaged(CheckpointError):
  """None of the checkpoints can be read."""

  def __init__(self, path: pathlib.Path, damaged: tuple[str, ...]):
    super().__init__(
      f"{'; '.join(damaged)}. No other checkpoint is left in {path}. Put it back from a copy, or "
      "train anew with another --out."
    )
    self.damaged = damaged


class _Folder:
  """The checkpoints of one kind."""

  def __init__(self, path: pathlib.Path, checkpoint: tf.train.Checkpoint, num_kept: int):
    self._path = path
    self._checkpoint = checkpoint
    self._num_kept = num_kept
    self._good: list[int] = []  # Steps of complete ones, as far as known; the newest first.

  def steps(self) -> list[int]:
    """Returns the steps of the checkpoints that are there, the newest first."""
    found = (_INDEX.fullmatch(path.name) for path in self._path.glob(_OURS))
    return sorted((int(match[1]) for match in found if match), reverse=True)

  def save(self, step: int) -> None:
    if step in self._good:
      return
    before = set(self._path.glob(_OURS))
    try:
      self._path.mkdir(parents=True, exist_ok=True)
      self._checkpoint.write(str(self._prefix(step)))
    except (OSError, tf.errors.OpError) as error:
      _remove(set(self._path.glob(_OURS)) - before)
      others = self.steps()
      left = f"That of step {others[0]} is still there. " if others else ""
      raise CheckpointError(
        f"{self._prefix(step)}: this checkpoint cannot be written: {system_reason(error)}. {left}"
        f"{REMEDY}"
      ) from error
    self._good = [step, *self._good][: self._num_kept]
    kept = {f"{self._prefix(good).name}." for good in self._good}
    _remove({p for p in self._path.glob(_OURS) if not p.name.startswith(tuple(kept))})

  def restore(self) -> Restored | None:
    return self.restore_one() if self.steps() else None

  def restore_one(self) -> Restored:
    damaged: list[str] = []
    for step in self.steps():
      prefix = self._prefix(step)
      reason = _damage(prefix)
      if reason is None:
        self._read(prefix)
        self._good = [step]
        return Restored(prefix, step, tuple(damaged))
      damaged.append(f"{prefix} is damaged: {reason}")
    raise _Damaged(self._path, tuple(damaged))

  def _prefix(self, step: int) -> pathlib.Path:
    return self._path / f"ckpt-{step}"

  def _read(self, prefix: pathlib.Path) -> None:
    try:
      status = self._checkpoint.read(str(prefix))
      status.assert_existing_objects_matched()
      status.expect_partial()
    except (AssertionError, *_UNREADABLE) as error:
      reason = str(error).splitlines()[0]
      raise CheckpointError(
        f"{prefix}: cannot be restored: {reason}. Is it from another version or configuration? "
        "Train anew with another --out."
      ) from error


def _best_folder(directory: pathlib.Path, model: Trainable) -> _Folder:
  return _Folder(directory / _BEST, tf.train.Checkpoint(model=model), num_kept=1)


def _damage(prefix: pathlib.Path) -> str | None:
  """Returns why a checkpoint cannot be read, None if it can; values are read with checksums."""
  try:
    reader = tf.train.load_checkpoint(str(prefix))
    for name in reader.get_variable_to_shape_map():
      reader.get_tensor(name)
  except _UNREADABLE as error:
    return reason_of(error)
  return None


def _remove(paths: set[pathlib.Path]) -> None:
  """Removes files and folders as far as possible: what stays is removed at the next chance."""
  for path in paths:
    if path.is_dir():
      shutil.rmtree(path, ignore_errors=True)
    else:
      try:
        path.unlink()
      except OSError:
        continue
