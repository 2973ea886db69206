"""`recursive-tf train`: trains a model, or goes on training it."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import pathlib
import sys
from typing import Any

from recursive_tf._cli.cluster import check_batch_size, find_cluster, join_cluster, launch_workers
from recursive_tf._cli.progress import NoReporter, ProgressBar, count, warn
from recursive_tf._cli.report import describe_scores
from recursive_tf._cli.run_directory import (
  check_is_new,
  existing_run_directory,
  has_run,
  make_run_directory,
  new_run_directory,
)
from recursive_tf._cli.run_lock import lock_run
from recursive_tf._cli.threads import check_threads, set_threads
from recursive_tf._errors import CheckpointError, ConfigError, DataError
from recursive_tf.datasets import ReadReport, read_vectors
from recursive_tf.distribute.workers import ALONE, Cluster, Workers
from recursive_tf.training.checkpoint import Restored, has_checkpoints, restore_weights
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
from recursive_tf.training.registry import entry_for, problem_of
from recursive_tf.training.runs import (
  check_early_stopping,
  check_ranges,
  load_run,
  make_run_config,
)
from recursive_tf.training.trainer import Reporter, Trainer, summarize

INTERRUPTED = 130  # What a shell reports for a process that Ctrl-C ended.
DEFAULT_THREADS = 2
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
)
_MAY_GROW = ("epochs", "early_stopping")  # When a run is resumed.


def train(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  threads = DEFAULT_THREADS if args.threads is None else args.threads
  check_threads(threads)
  if args.save_every < 0:
    raise ConfigError(f"--save-every is {args.save_every}, expected 0 or more.")
  addresses = find_cluster(args)
  if args.workers is not None and not args.launched:
    return launch_workers(args, *_prepare(args))
  if addresses is None:
    prepared = _prepare(args)
    set_threads(threads)
    return _train_as(ALONE, args, *prepared)
  cluster = join_cluster(args, addresses, threads)
  config, directory = _prepare_together(args, cluster)
  status = _train_as(cluster, args, config, directory)
  cluster.leave()
  return status


def _train_as(
  workers: Workers,
  args: argparse.Namespace,
  config: RunConfig,
  directory: pathlib.Path,
) -> int:
  try:
    return _train(config, directory, args, workers)
  except KeyboardInterrupt:
    warn(f"\nStopped without saving. {_how_to_go_on(config, directory)}")
    return INTERRUPTED


def _prepare(args: argparse.Namespace) -> tuple[RunConfig, pathlib.Path]:
  """Returns configuration and directory of the run to begin, or to go on with."""
  return _resume(args) if is_resumed(args) else _start(args)


def is_resumed(args: argparse.Namespace) -> bool:
  """Tells whether to go on with a run that was begun."""
  if args.resume or not args.resume_or_start:
    return bool(args.resume)
  if args.out is None:
    raise ConfigError("--resume-or-start needs --out: the directory of the run.")
  return has_run(args.out)


def _prepare_together(args: argparse.Namespace, cluster: Cluster) -> tuple[RunConfig, pathlib.Path]:
  """Has the first worker do it: the others need not see its disk."""

  def prepare() -> tuple[RunConfig, pathlib.Path] | None:
    if not cluster.is_chief:
      return None
    config, directory = _prepare(args)
    check_batch_size(config, cluster.num_workers)
    return config, directory

  found = cluster.agree(prepare)
  told = [dataclasses.asdict(found[0]), str(found[1]), is_resumed(args)] if found else None
  values, directory, args.resume = cluster.from_chief(told)
  return RunConfig(**values), pathlib.Path(directory)


def _train(
  config: RunConfig, directory: pathlib.Path, args: argparse.Namespace, workers: Workers
) -> int:
  with contextlib.ExitStack() as held:
    return _train_alone(config, directory, args, workers, held)


def _train_alone(
  config: RunConfig,
  directory: pathlib.Path,
  args: argparse.Namespace,
  workers: Workers,
  held: contextlib.ExitStack,
) -> int:
  """Trains; what keeps other processes from the directory is given to `held`."""
  own_directory = directory if workers.is_chief else None
  splits, config = workers.agree(lambda: _load(config, own_directory, is_resumed(args), held))
  _compare_data(config, workers)
  with GracefulInterrupt() as interrupt:
    trainer = Trainer(
      config,
      splits,
      own_directory,
      lambda: interrupt.requested,
      workers=workers,
      save_every=args.save_every,
    )
    if own_directory and config != load_run(directory):  # It may have more epochs now.
      config.save(directory)
    bar: Reporter = NoReporter()
    if own_directory:
      _print_header(config, directory, splits, trainer, workers.num_workers)
      bar = ProgressBar(problem_of(config), config.hyperparameters["epochs"])
    is_done = trainer.run(bar)
  if is_done and own_directory and trainer.stopped_early:
    print(_why_it_stopped(config, trainer, is_resumed(args)), flush=True)
  if is_done and not workers.any_of(interrupt.requested):
    _conclude(config, own_directory, splits, trainer, workers)
    return 0
  if own_directory:
    print(f"Saved after step {int(trainer.state.step)}. {_how_to_go_on(config, directory)}")
  return INTERRUPTED


def _compare_data(config: RunConfig, workers: Workers) -> None:
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


def _how_to_go_on(config: RunConfig, directory: pathlib.Path) -> str:
  return f"To go on:\n  recursive-tf train {config.model} --out {directory} --resume"


def _why_it_stopped(config: RunConfig, trainer: Trainer, was_resumed: bool) -> str:
  best = int(trainer.state.best_epoch)
  criterion = entry_for(config.model, config.task).criterion
  epochs = count(config.early_stopping, "epoch")
  text = (
    f"Stopped early after epoch {trainer.epochs_done}: the score on dev ({criterion}) has not "
    f"improved for {epochs}{f', since epoch {best}' if best else ''}."
  )
  more = " To train on, give --resume a larger --early-stopping."
  return text + (more if was_resumed else "")


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
  check_early_stopping(args.early_stopping)
  if args.early_stopping is not None:
    before = config.early_stopping
    if args.early_stopping < before or not before:
      started = f"with --early-stopping {before}" if before else "without --early-stopping"
      raise ConfigError(
        f"--resume: {directory} was started {started}, which cannot become {args.early_stopping}, "
        "only more: else it might have ended before. Leave the option out, or start another run "
        "with --out."
      )
    config = config.with_early_stopping(args.early_stopping)
  return config, directory


def _load(
  config: RunConfig, directory: pathlib.Path | None, resumed: bool, held: contextlib.ExitStack
) -> tuple[Splits, RunConfig]:
  """Loads the data; the vocabulary of a run is made once, and read when it is resumed.

  Without a directory it is made each time: the same sentences have the same vocabulary.
  """
  path = directory / VOCABULARY_NAME if directory else None
  if directory and resumed:
    held.enter_context(lock_run(directory))
  report = ReadReport()
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
    splits, config = _with_vectors(splits, config)
  if directory and not resumed:  # Here, so that what cannot be read leaves nothing behind.
    make_run_directory(directory)
    held.enter_context(lock_run(directory))
    check_is_new(directory)  # Another may have begun, or even ended, while this one read.
  if directory and path and not path.exists():
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
  config: RunConfig,
  directory: pathlib.Path,
  splits: Splits,
  trainer: Trainer,
  num_workers: int,
) -> None:
  for note in trainer.restored.notes if trainer.restored else ():
    warn(note)
  verb = "Going on with" if int(trainer.state.step) else "Training"
  at_most = "at most " if config.early_stopping else ""
  sizes = (
    count(len(splits.train), problem_of(config).example),
    count(splits.vocabulary.size, "word"),
    at_most + count(config.hyperparameters["epochs"], "epoch"),
    f"seed {config.seed}",
    *([f"{num_workers} workers"] if num_workers > 1 else []),
  )
  print(
    f"{verb} {config.model} on {config.data}, task {config.task}: {', '.join(sizes)}\n"
    f"writing to {directory}",
    flush=True,
  )
  if splits.vectors is not None:
    print(f"{splits.vectors}; the others start random", flush=True)


def _conclude(
  config: RunConfig,
  directory: pathlib.Path | None,
  splits: Splits,
  trainer: Trainer,
  workers: Workers,
) -> None:
  """Evaluates the best epoch on test; the first worker writes and prints what came out."""
  restored = workers.agree(lambda: restore_weights(directory, trainer.model) if directory else None)
  workers.broadcast(trainer.model.variables)
  _, metrics = trainer.evaluate(splits.test)
  if directory and restored:
    _print_summary(config, directory, trainer, restored, metrics)


def _print_summary(
  config: RunConfig, directory: pathlib.Path, trainer: Trainer, restored: Restored, metrics: Any
) -> None:
  for note in restored.notes:
    warn(note)
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
