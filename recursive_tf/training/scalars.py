"""The record of a run for TensorBoard: one value of each curve an epoch, and each only once."""

from __future__ import annotations

import math
import pathlib
from collections.abc import Callable, Iterator, Sequence

import tensorflow as tf

from recursive_tf._errors import CheckpointError, ConfigError
from recursive_tf.training.curves import Row
from recursive_tf.training.files import REMEDY, reason_of, system_reason

DEFAULT_NAME = "tensorboard"  # In the run's directory.
_FILES = "*tfevents*"
_LOSS = "loss/train"
# Two threads may add up gradients in either order.
_TOLERANCE = 1e-3


class Scalars:
  """Event files that have the epochs of one run.

  Values are written after the checkpoint of their epoch, and what is missing when a run goes on is
  taken from its record: so each epoch is there once, whenever the process ends.
  """

  def __init__(
    self, directory: pathlib.Path, rows: Sequence[Row], learning_rate: Callable[[int], float]
  ):
    """Adds the epochs that are not there yet.

    Args:
      directory: where the event files are, or will be.
      rows: the epochs of the run so far.
      learning_rate: gives the rate of a step.

    Raises:
      CheckpointError: If the files cannot be read or written.
      ConfigError: If they are of another run.
    """
    self._directory = directory
    self._learning_rate = learning_rate
    self._written = _read(directory)
    self._check_are_those_of(rows)
    self._metadata = tf.compat.v1.SummaryMetadata(
      plugin_data=tf.compat.v1.SummaryMetadata.PluginData(plugin_name="scalars"),
      data_class="DATA_CLASS_SCALAR",
    )
    try:
      directory.mkdir(parents=True, exist_ok=True)
      self._writer = tf.summary.create_file_writer(str(directory))
    except (OSError, tf.errors.OpError) as error:
      raise self._cannot_write(error) from error
    for row in rows:
      self.add(row)

  def _check_are_those_of(self, rows: Sequence[Row]) -> None:
    found = {epoch: value for (name, epoch), value in self._written.items() if name == _LOSS}
    if not found:
      return
    expected = {int(row["epoch"]): row["train_loss"] for row in rows}
    shared = found.keys() & expected.keys()
    if not shared or any(
      not math.isclose(found[epoch], expected[epoch], rel_tol=_TOLERANCE) for epoch in shared
    ):
      raise _of_another_run(self._directory)

  def add(self, row: Row) -> None:
    """Writes the values of an epoch that are not there yet; errors as the constructor."""
    epoch = int(row["epoch"])
    values = {**_by_name(row), "learning_rate": self._learning_rate(int(row["step"]))}
    missing = {n: value for n, value in values.items() if (n, epoch) not in self._written}
    if not missing:
      return
    try:
      with self._writer.as_default():
        for name, value in missing.items():
          # Not `tf.summary.scalar`, which needs TensorBoard to be installed.
          tf.summary.write(name, tf.constant(value, tf.float32), epoch, self._metadata)
      self._writer.flush()
    except (OSError, tf.errors.OpError) as error:
      raise self._cannot_write(error) from error
    self._written.update({(name, epoch): value for name, value in missing.items()})

  def close(self) -> None:
    """Closes the file; what was added is there already."""
    try:
      self._writer.close()
    except (OSError, tf.errors.OpError):  # Said when it was added.
      return

  def _cannot_write(self, error: Exception) -> CheckpointError:
    reason = system_reason(error)
    return CheckpointError(f"{self._directory}: events cannot be written: {reason}. {REMEDY}")


def check_place(directory: pathlib.Path, resumed: bool) -> None:
  """Checks, before anything is trained, that the events of a run can go there.

  Raises:
    ConfigError: If it is a file, or has the events of another run.
  """
  if directory.exists() and not directory.is_dir():
    raise ConfigError(f"--tensorboard {directory}: this is a file. Give a directory.")
  if not resumed and any(directory.glob(_FILES)):
    raise _of_another_run(directory)


def _of_another_run(directory: pathlib.Path) -> ConfigError:
  return ConfigError(
    f"--tensorboard {directory}: it has the events of another run. Give each run a directory of "
    "its own; TensorBoard shows all below the one that it is given."
  )


def _by_name(row: Row) -> dict[str, float]:
  """Returns what is worth a curve: "root/dev" beside "root/train"."""
  values = {}
  for column, value in row.items():
    split, _, name = column.partition("_")
    if split in ("train", "dev"):
      values[f"{name}/{split}"] = value
  return {**values, "sentences_per_second": row["sentences_per_second"]}


def _read(directory: pathlib.Path) -> dict[tuple[str, int], float]:
  """Returns the values that are there, by name and epoch."""
  found = {}
  for path in sorted(directory.glob(_FILES)):
    for record in _records(path):
      event = tf.compat.v1.Event.FromString(record)
      for value in event.summary.value:
        found[value.tag, int(event.step)] = float(tf.make_ndarray(value.tensor))
  return found


def _records(path: pathlib.Path) -> Iterator[bytes]:
  """Yields what a file holds up to its end, or to where a process or a disk ended it."""
  try:
    for record in tf.data.TFRecordDataset(str(path)):
      yield record.numpy()
  except tf.errors.DataLossError:
    return
  except (OSError, tf.errors.OpError) as error:
    reason = reason_of(error)
    raise CheckpointError(
      f"{path}: cannot be read: {reason}. Make it readable, or move it away."
    ) from error
