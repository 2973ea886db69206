"""`recursive-tf train`: trains a model, or goes on training it."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import pathlib

from recursive_tf._cli.cluster import check_batch_size, find_cluster, join_cluster, launch_workers
from recursive_tf._cli.dry_run import try_run
from recursive_tf._cli.progress import NoReporter, WithScalars, warn
from recursive_tf._cli.run_choice import is_resumed, prepare, scalars_directory
from recursive_tf._cli.run_data import compare_data, load_data
from recursive_tf._cli.run_directory import check_can_be_made
from recursive_tf._cli.threads import check_threads, set_threads
from recursive_tf._cli.train_output import (
  TrainOutput,
  how_to_go_on,
  why_it_stopped,
)
from recursive_tf._errors import ConfigError
from recursive_tf.distribute.workers import ALONE, Cluster, Workers
from recursive_tf.training.checkpoint import restore_weights
from recursive_tf.training.config import RunConfig
from recursive_tf.training.history import read_history
from recursive_tf.training.interrupt import GracefulInterrupt
from recursive_tf.training.problem import Splits
from recursive_tf.training.runs import load_run
from recursive_tf.training.scalars import Scalars, check_place
from recursive_tf.training.trainer import Reporter, Trainer

INTERRUPTED = 130  # What a shell reports for a process that Ctrl-C ended.
DEFAULT_THREADS = 2


def train(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  threads = DEFAULT_THREADS if args.threads is None else args.threads
  check_threads(threads)
  if args.save_every < 0:
    raise ConfigError(f"--save-every is {args.save_every}, expected 0 or more.")
  addresses = find_cluster(args)
  if args.dry_run:
    num_workers = args.workers or (len(addresses.workers) if addresses else 1)
    config, directory = prepare(args)
    set_threads(threads)
    return try_run(config, directory, args, num_workers)
  if args.workers is not None and not args.launched:
    return launch_workers(args, *prepare(args))
  if addresses is None:
    prepared = prepare(args)
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
    warn(f"\nStopped without saving. {how_to_go_on(config, directory, args.tensorboard)}")
    return INTERRUPTED


def _prepare_together(args: argparse.Namespace, cluster: Cluster) -> tuple[RunConfig, pathlib.Path]:
  """Has the first worker do it: the others need not see its disk."""

  def find() -> tuple[RunConfig, pathlib.Path] | None:
    if not cluster.is_chief:
      return None
    config, directory = prepare(args)
    check_batch_size(config, cluster.num_workers)
    return config, directory

  found = cluster.agree(find)
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
  splits, config = workers.agree(lambda: _load(config, own_directory, args, held))
  compare_data(config, workers)
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
    output = TrainOutput(args.json, args.quiet) if own_directory else None
    reporter: Reporter = NoReporter()
    if output:
      output.begin(config, directory, splits, trainer, workers.num_workers)
      reporter = output.reporter(config)
    scalars = workers.agree(lambda: _open_scalars(args, own_directory, trainer))
    if scalars:
      held.callback(scalars.close)
      reporter = WithScalars(reporter, scalars)
    is_done = trainer.run(reporter)
  if is_done and output and trainer.stopped_early:
    output.explain(why_it_stopped(config, trainer, is_resumed(args)))
  if is_done and not workers.any_of(interrupt.requested):
    _conclude(config, own_directory, splits, trainer, workers, output)
    return 0
  if output:
    how = how_to_go_on(config, directory, args.tensorboard)
    output.tell(f"Saved after step {int(trainer.state.step)}. {how}")
  return INTERRUPTED


def _load(
  config: RunConfig,
  directory: pathlib.Path | None,
  args: argparse.Namespace,
  held: contextlib.ExitStack,
) -> tuple[Splits, RunConfig]:
  place = scalars_directory(args, directory) if directory else None
  if place:
    check_place(place, is_resumed(args))
    check_can_be_made(place, "--tensorboard")
  return load_data(config, directory, is_resumed(args), held, is_quiet=args.quiet)


def _open_scalars(
  args: argparse.Namespace, directory: pathlib.Path | None, trainer: Trainer
) -> Scalars | None:
  place = scalars_directory(args, directory) if directory else None
  if directory is None or place is None:
    return None
  rows = [row for row in read_history(directory) if row["epoch"] <= trainer.epochs_done]
  return Scalars(place, rows, trainer.learning_rate)


def _conclude(
  config: RunConfig,
  directory: pathlib.Path | None,
  splits: Splits,
  trainer: Trainer,
  workers: Workers,
  output: TrainOutput | None,
) -> None:
  """Evaluates the best epoch on test; the first worker writes and prints what came out."""
  restored = workers.agree(lambda: restore_weights(directory, trainer.model) if directory else None)
  workers.broadcast(trainer.model.variables)
  _, metrics = trainer.evaluate(splits.test)
  if directory and restored and output:
    output.end(config, directory, trainer, restored, metrics)
