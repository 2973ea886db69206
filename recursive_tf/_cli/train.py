"""`recursive-tf train`: trains a model, or goes on training it."""

from __future__ import annotations

import argparse
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
from recursive_tf._cli.threads import set_threads
from recursive_tf._errors import ConfigError
from recursive_tf.datasets import ReadReport
from recursive_tf.training.checkpoint import restore_weights
from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import VOCABULARY_NAME, load_vocabulary
from recursive_tf.training.files import write_atomically
from recursive_tf.training.interrupt import GracefulInterrupt
from recursive_tf.training.problem import Splits
from recursive_tf.training.registry import entry_named
from recursive_tf.training.runs import make_run_config
from recursive_tf.training.trainer import Trainer, summarize

INTERRUPTED = 130  # What a shell reports for a process that Ctrl-C ended.
_NOT_RUN_OPTIONS = ("command", "out", "resume", "threads", "handler")


def train(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  set_threads(args.threads)
  config, directory = _resume(args) if args.resume else _start(args)
  splits = _load(config, directory)
  with GracefulInterrupt() as interrupt:
    trainer = Trainer(config, splits, directory, lambda: interrupt.requested)
    _print_header(config, directory, splits, trainer)
    problem = entry_named(config.model).problem
    is_done = trainer.run(ProgressBar(problem, config.hyperparameters["epochs"]))
  if not is_done:
    print(
      f"Saved after step {int(trainer.state.step)}. To go on:\n"
      f"  recursive-tf train {config.model} --out {directory} --resume"
    )
    return INTERRUPTED
  _print_summary(config, directory, splits, trainer)
  return 0


def _start(args: argparse.Namespace) -> tuple[RunConfig, pathlib.Path]:
  values = {name: value for name, value in vars(args).items() if name not in _NOT_RUN_OPTIONS}
  config = make_run_config(**{name: v for name, v in values.items() if v is not None})
  directory = new_run_directory(args.out, config.model, config.data, config.task)
  return config, directory


def _resume(args: argparse.Namespace) -> tuple[RunConfig, pathlib.Path]:
  """Reads the configuration of a run; options that are given have to agree with it."""
  given = make_run_config(args.model, args.data, task=args.task)
  directory = existing_run_directory(args.out, given.model, given.data, given.task)
  config = RunConfig.load(directory)
  started_with = config.flat()
  for name, value in vars(args).items():
    if name in _NOT_RUN_OPTIONS or value is None or value == started_with.get(name):
      continue
    raise ConfigError(
      f"--resume: {directory} was started with {name}={started_with.get(name)}, which cannot "
      f"become {value}. Leave the option out, or start another run with --out."
    )
  return config, directory


def _load(config: RunConfig, directory: pathlib.Path) -> Splits:
  """Loads the data; the vocabulary of a run is made once, and read when it is resumed."""
  path = directory / VOCABULARY_NAME
  report = ReadReport()
  vocabulary = load_vocabulary(path, config.lowercase) if path.exists() else None
  splits = entry_named(config.model).problem.load_splits(config, vocabulary, report)
  if report.num_skipped:
    warn(f"Skipped {report.num_skipped} malformed lines; the first: {report.errors[0]}")
  if not path.exists():
    make_run_directory(directory)
    splits.vocabulary.save(path)
    config.save(directory)
  return splits


def _print_header(
  config: RunConfig, directory: pathlib.Path, splits: Splits, trainer: Trainer
) -> None:
  verb = "Going on with" if int(trainer.state.step) else "Training"
  print(
    f"{verb} {config.model} on {config.data}, task {config.task}: {len(splits.train)} sentences, "
    f"{splits.vocabulary.size} words, {config.hyperparameters['epochs']} epochs, seed "
    f"{config.seed}\nwriting to {directory}",
    flush=True,
  )


def _print_summary(
  config: RunConfig, directory: pathlib.Path, splits: Splits, trainer: Trainer
) -> None:
  """Evaluates the best epoch on test; writes and prints what came out."""
  restore_weights(directory, trainer.model)
  _, metrics = trainer.evaluate(splits.test)
  result = {**summarize(config, metrics), "epoch": int(trainer.state.best_epoch)}
  write_atomically(directory / "test.json", json.dumps(result, indent=2) + "\n")
  print(f"\nTest, with the weights of the best epoch on dev ({result['epoch']}):")
  paper_data = "" if config.limit else config.data
  print(describe_scores(metrics, config.model, paper_data, config.task))
  print(f"\nRecord, curves and checkpoints: {directory}")
  sys.stdout.flush()
