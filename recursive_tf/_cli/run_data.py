"""The data of a run: read, compared with what it was begun with, and its vocabulary kept."""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib

from recursive_tf._cli.progress import warn
from recursive_tf._cli.run_directory import check_is_new, make_run_directory
from recursive_tf._cli.run_lock import lock_run
from recursive_tf._errors import CheckpointError, ConfigError, DataError
from recursive_tf.datasets import ReadReport, read_vectors
from recursive_tf.distribute.workers import Workers
from recursive_tf.training.checkpoint import has_checkpoints
from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import (
  VOCABULARY_NAME,
  QuietReport,
  digest_of_splits,
  digest_of_vocabulary,
  load_vocabulary,
  save_vocabulary,
)
from recursive_tf.training.problem import Splits
from recursive_tf.training.registry import problem_of


def load_data(
  config: RunConfig,
  directory: pathlib.Path | None,
  resumed: bool,
  held: contextlib.ExitStack,
  *,
  is_quiet: bool = False,
) -> tuple[Splits, RunConfig]:
  """Reads the data; makes the directory of a run that begins, with its vocabulary.

  Args:
    config: the run.
    directory: where it is, or will be; None of a worker that writes nothing.
    resumed: whether it was begun before.
    held: is given what keeps other processes from the directory.
    is_quiet: whether no bars are shown.
  """
  if directory and resumed:
    held.enter_context(lock_run(directory))
  splits, config = read_data(config, directory, resumed, is_quiet=is_quiet)
  if directory and not resumed:  # Here, so that what cannot be read leaves nothing behind.
    make_run_directory(directory)
    held.enter_context(lock_run(directory))
    check_is_new(directory)  # Another may have begun, or even ended, while this one read.
  path = directory / VOCABULARY_NAME if directory else None
  if directory and path and not path.exists():
    config.save(directory)  # First: from here on there is a run to resume.
    save_vocabulary(path, splits.vocabulary)
  return splits, config


def read_data(
  config: RunConfig, directory: pathlib.Path | None, resumed: bool, *, is_quiet: bool = False
) -> tuple[Splits, RunConfig]:
  """Reads the data, and writes nothing.

  The vocabulary of a run is made once, and read when it is resumed. Without a directory it is made
  each time: the same sentences have the same vocabulary.
  """
  path = directory / VOCABULARY_NAME if directory else None
  report = QuietReport() if is_quiet else ReadReport()
  vocabulary = load_vocabulary(path, config) if resumed and path and path.exists() else None
  splits = problem_of(config).load_splits(config, vocabulary, report)
  if report.note:
    warn(report.note)
  if splits.vocabulary.size == 1:
    raise ConfigError(
      f"--min-count {config.min_count}: no word of the training sentences occurs as often."
    )
  data_digest = digest_of_splits(splits)
  if resumed and config.data_digest not in ("", data_digest):
    raise CheckpointError(
      f"--resume: the sentences of --data {config.data} are not those that {directory} was started "
      "with. Put them back as they were, or start another run with --out."
    )
  words_digest = digest_of_vocabulary(splits.vocabulary)
  config = dataclasses.replace(config, data_digest=data_digest, vocabulary_digest=words_digest)
  # Other workers get the weights of the first one.
  if directory and config.vectors and not has_checkpoints(directory):
    splits, config = _with_vectors(splits, config, is_quiet)
  return splits, config


def _with_vectors(splits: Splits, config: RunConfig, is_quiet: bool) -> tuple[Splits, RunConfig]:
  """Reads the vectors that the run begins with; its first checkpoint has them."""
  size = config.flat().get("embedding_size", config.flat()["state_size"])
  vectors = read_vectors(config.vectors, splits.vocabulary, size=size, progress=not is_quiet)
  if config.vectors_digest not in ("", vectors.digest):
    raise CheckpointError(
      f"{config.vectors}: the vectors are not those that the run was begun with. Put the file "
      "back, or train anew with another --out."
    )
  config = dataclasses.replace(config, vectors_digest=vectors.digest)
  return dataclasses.replace(splits, vectors=vectors), config


def compare_data(config: RunConfig, workers: Workers) -> None:
  """Checks that all workers have the same sentences.

  Raises:
    DataError: If this one has others than the first.
  """
  digests = [config.data_digest, config.vocabulary_digest]
  expected = workers.from_chief(digests)

  def compare() -> None:
    if digests != expected:
      raise DataError(
        f"--data {config.data}: the sentences here are not those of worker 0. Give all workers the "
        "same data."
      )

  workers.agree(compare)
