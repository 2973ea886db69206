"""Which run `recursive-tf train` begins, or goes on with."""

from __future__ import annotations

import argparse
import pathlib

from recursive_tf._cli.run_directory import existing_run_directory, has_run, new_run_directory
from recursive_tf._errors import ConfigError
from recursive_tf.training.config import RunConfig
from recursive_tf.training.runs import (
  check_early_stopping,
  check_ranges,
  load_run,
  make_run_config,
)
from recursive_tf.training.scalars import DEFAULT_NAME

_NOT_RUN_OPTIONS = (
  "command",
  "out",
  "resume",
  "resume_or_start",
  "threads",
  "handler",
  "argv",
  "is_worker",
  "workers",
  "cluster",
  "max_restarts",
  "timeout",
  "launched",
  "save_every",
  "dry_run",
  "quiet",
  "json",
  "tensorboard",
)
_MAY_GROW = ("epochs", "early_stopping")  # When a run is resumed.


def prepare(args: argparse.Namespace) -> tuple[RunConfig, pathlib.Path]:
  """Returns configuration and directory of the run to begin, or to go on with."""
  return _resume(args) if is_resumed(args) else _start(args)


def scalars_directory(args: argparse.Namespace, directory: pathlib.Path) -> pathlib.Path | None:
  """Returns where the run's events for TensorBoard go, None if it shall have none.

  A run that has some in its own directory goes on with them.
  """
  usual = directory / DEFAULT_NAME
  if args.tensorboard is None:
    return usual if is_resumed(args) and usual.is_dir() else None
  return pathlib.Path(args.tensorboard) if args.tensorboard else usual


def is_resumed(args: argparse.Namespace) -> bool:
  """Tells whether to go on with a run that was begun."""
  if args.resume or not args.resume_or_start:
    return bool(args.resume)
  if args.out is None:
    raise ConfigError("--resume-or-start needs --out: the directory of the run.")
  return has_run(args.out)


def _start(args: argparse.Namespace) -> tuple[RunConfig, pathlib.Path]:
  values = {name: value for name, value in vars(args).items() if name not in _NOT_RUN_OPTIONS}
  config = make_run_config(**{name: v for name, v in values.items() if v is not None})
  directory = new_run_directory(args.out, config.model, config.data, config.task)
  return config, directory


def _resume(args: argparse.Namespace) -> tuple[RunConfig, pathlib.Path]:
  """Reads the configuration of a run; options that are given have to agree with it.

  Only the number of epochs may be another one, and that which it waits for a better one larger:
  all that was trained is as it would have been.
  """
  given = make_run_config(args.model, args.data, task=args.task)
  directory = existing_run_directory(args.out, given.model, given.data, given.task)
  config = load_run(directory)
  started_with = config.flat()
  for name, value in vars(args).items():
    is_other = value is not None and value != started_with.get(name)
    if name in (*_NOT_RUN_OPTIONS, *_MAY_GROW) or not is_other:
      continue
    raise ConfigError(
      f"--resume: {directory} was started with {name}={started_with.get(name)}, which cannot "
      f"become {value}. Leave the option out, or start another run with --out."
    )
  if args.epochs is not None:
    check_ranges({"epochs": args.epochs})
    config = config.with_epochs(args.epochs)
  if args.early_stopping is not None:
    config = _with_patience(config, args.early_stopping, directory)
  return config, directory


def _with_patience(config: RunConfig, num_epochs: int, directory: pathlib.Path) -> RunConfig:
  """Returns the same run, which waits for more epochs for one that is better on dev."""
  check_early_stopping(num_epochs)
  before = config.early_stopping
  if num_epochs < before or not before:
    started = f"with --early-stopping {before}" if before else "without --early-stopping"
    raise ConfigError(
      f"--resume: {directory} was started {started}, which cannot become {num_epochs}, only more: "
      "else it might have ended before. Leave the option out, or start another run with --out."
    )
  return config.with_early_stopping(num_epochs)
