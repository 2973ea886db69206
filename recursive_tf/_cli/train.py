"""`recursive-tf train`: trains a model, or goes on training it."""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import sys

from recursive_tf._cli.progress import ProgressBar, warn
from recursive_tf._cli.report import describe_scores
from recursive_tf._cli.run_directory import (
  existing_run_directory,
  make_run_directory,
  new_run_directory,
)
from recursive_tf._cli.threads import check_threads, set_threads
from recursive_tf._errors import CheckpointError, ConfigError
from recursive_tf.datasets import ReadReport, read_vectors
from recursive_tf.training.checkpoint import has_checkpoints, restore_weights
from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import (
  VOCABULARY_NAME,
  digest_of_splits,
  digest_of_vocabulary,
  load_vocabulary,
  save_vocabulary,
)
from recursive_tf.training.files import write_atomically
from recursive_tf.training.interrupt import GracefulInterrupt
from recursive_tf.training.problem import Splits
from recursive_tf.training.registry import entry_named
from recursive_tf.training.runs import check_ranges, load_run, make_run_config
from recursive_tf.training.trainer import Trainer, summarize

INTERRUPTED = 130  # What a shell reports for a process that Ctrl-C ended.
_NOT_RUN_OPTIONS = ("command", "out", "resume", "threads", "handler")


def train(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  check_threads(args.threads)
  config, directory = _resume(args) if args.resume else _start(args)
  set_threads(args.threads)
  try:
    return _train(config, directory, args.resume)
  except KeyboardInterrupt:
    warn(f"\nStopped without saving. {_how_to_go_on(config, directory)}")
    return INTERRUPTED


def _train(config: RunConfig, directory: pathlib.Path, is_resumed: bool) -> int:
  splits, config = _load(config, directory, is_resumed)
  with GracefulInterrupt() as interrupt:
    trainer = Trainer(config, splits, directory, lambda: interrupt.requested)
    if config != load_run(directory):  # It may have more epochs now.
      config.save(directory)
    _print_header(config, directory, splits, trainer)
    problem = entry_named(config.model).problem
    is_done = trainer.run(ProgressBar(problem, config.hyperparameters["epochs"]))
  if is_done and not interrupt.requested:
    _print_summary(config, directory, splits, trainer)
    return 0
  print(f"Saved after step {int(trainer.state.step)}. {_how_to_go_on(config, directory)}")
  return INTERRUPTED


def _how_to_go_on(config: RunConfig, directory: pathlib.Path) -> str:
  return f"To go on:\n  recursive-tf train {config.model} --out {directory} --resume"


def _start(args: argparse.Namespace) -> tuple[RunConfig, pathlib.Path]:
  values = {name: value for name, value in vars(args).items() if name not in _NOT_RUN_OPTIONS}
  config = make_run_config(**{name: v for name, v in values.items() if v is not None})
  directory = new_run_directory(args.out, config.model, config.data, config.task)
  return config, directory


def _resume(args: argparse.Namespace) -> tuple[RunConfig, pathlib.Path]:
  """Reads the configuration of a run; options that are given have to agree with it.

  Only the number of epochs may be another one.
  """
  given = make_run_config(args.model, args.data, task=args.task)
  directory = existing_run_directory(args.out, given.model, given.data, given.task)
  config = load_run(directory)
  started_with = config.flat()
  for name, value in vars(args).items():
    if name in (*_NOT_RUN_OPTIONS, "epochs") or value in (None, started_with.get(name)):
      continue
    raise ConfigError(
      f"--resume: {directory} was started with {name}={started_with.get(name)}, which cannot "
      f"become {value}. Leave the option out, or start another run with --out."
    )
  if args.epochs is not None:
    check_ranges({"epochs": args.epochs})
    config = config.with_epochs(args.epochs)
  return config, directory


def _load(config: RunConfig, directory: pathlib.Path, is_resumed: bool) -> tuple[Splits, RunConfig]:
  """Loads the data; the vocabulary of a run is made once, and read when it is resumed."""
  path = directory / VOCABULARY_NAME
  report = ReadReport()
  vocabulary = load_vocabulary(path, config) if is_resumed and path.exists() else None
  splits = entry_named(config.model).problem.load_splits(config, vocabulary, report)
  if report.num_skipped:
    warn(f"Skipped {report.num_skipped} malformed lines; the first: {report.errors[0]}")
  if splits.vocabulary.size == 1:
    raise ConfigError(
      f"--min-count {config.min_count}: no word of the training sentences occurs as often."
    )
  data_digest = digest_of_splits(splits)
  if is_resumed and config.data_digest not in ("", data_digest):
    raise CheckpointError(
      f"--resume: the sentences of --data {config.data} are not those that {directory} was started "
      "with. Put them back as they were, or start another run with --out."
    )
  words_digest = digest_of_vocabulary(splits.vocabulary)
  config = dataclasses.replace(config, data_digest=data_digest, vocabulary_digest=words_digest)
  if config.vectors and not has_checkpoints(directory):
    splits, config = _with_vectors(splits, config)
  if not path.exists():
    make_run_directory(directory)
    config.save(directory)  # First: from here on there is a run to resume.
    save_vocabulary(path, splits.vocabulary)
  return splits, config


def _with_vectors(splits: Splits, config: RunConfig) -> tuple[Splits, RunConfig]:
  """Reads the vectors that the run begins with; its first checkpoint has them."""
  size = config.flat().get("embedding_size", config.flat()["state_size"])
  vectors = read_vectors(config.vectors, splits.vocabulary, size=size, progress=True)
  if config.vectors_digest not in ("", vectors.digest):
    raise CheckpointError(
      f"{config.vectors}: the vectors are not those that the run was begun with. Put the file "
      "back, or train anew with another --out."
    )
  config = dataclasses.replace(config, vectors_digest=vectors.digest)
  return dataclasses.replace(splits, vectors=vectors), config


def _print_header(
  config: RunConfig, directory: pathlib.Path, splits: Splits, trainer: Trainer
) -> None:
  for note in trainer.restored.notes if trainer.restored else ():
    warn(note)
  verb = "Going on with" if int(trainer.state.step) else "Training"
  print(
    f"{verb} {config.model} on {config.data}, task {config.task}: {len(splits.train)} sentences, "
    f"{splits.vocabulary.size} words, {config.hyperparameters['epochs']} epochs, seed "
    f"{config.seed}\nwriting to {directory}",
    flush=True,
  )
  if splits.vectors is not None:
    print(f"{splits.vectors}; the others start random", flush=True)


def _print_summary(
  config: RunConfig, directory: pathlib.Path, splits: Splits, trainer: Trainer
) -> None:
  """Evaluates the best epoch on test; writes and prints what came out."""
  restored = restore_weights(directory, trainer.model)
  for note in restored.notes:
    warn(note)
  _, metrics = trainer.evaluate(splits.test)
  epoch = trainer.epoch_of(restored.step)
  result = {**summarize(config, metrics), "epoch": epoch}
  write_atomically(directory / "test.json", json.dumps(result, indent=2) + "\n")
  best = int(trainer.state.best_epoch)
  whose = f"of the best epoch on dev ({best})" if epoch == best else f"of epoch {epoch}"
  print(f"\nTest, with the weights {whose}:")
  paper_data = "" if config.limit else config.data
  print(describe_scores(metrics, config.model, paper_data, config.task))
  print(f"\nRecord, curves and checkpoints: {directory}")
  sys.stdout.flush()
