"""`recursive-tf train --dry-run`: says what would be trained, takes one step, writes nothing."""

from __future__ import annotations

import argparse
import pathlib
import time
from typing import Any

import numpy as np

from recursive_tf._cli.cluster import check_batch_size
from recursive_tf._cli.progress import count, print_json, warn
from recursive_tf._cli.run_choice import is_resumed, scalars_directory
from recursive_tf._cli.run_data import read_data
from recursive_tf._cli.run_directory import check_can_be_made
from recursive_tf.training.config import RunConfig
from recursive_tf.training.problem import Splits
from recursive_tf.training.registry import problem_of
from recursive_tf.training.scalars import check_place
from recursive_tf.training.trainer import Trainer


def try_run(
  config: RunConfig, directory: pathlib.Path, args: argparse.Namespace, num_workers: int
) -> int:
  """Reads the data, and takes one step in memory; returns the exit status.

  Args:
    config: the run.
    directory: where it is, or would be.
    args: whether it was begun before, and how to say what comes out.
    num_workers: how many would divide each batch; the step is that of one, which has all of it.

  Raises:
    ConfigError: If it could not be trained, or not be written there.
  """
  check_batch_size(config, num_workers)
  check_can_be_made(directory)
  resumed = is_resumed(args)
  place = scalars_directory(args, directory)
  if place:
    check_place(place, resumed)
    check_can_be_made(place, "--tensorboard")
  splits, config = read_data(config, directory, resumed, is_quiet=args.quiet)
  trainer = Trainer(config, splits, directory)
  for note in trainer.restored.notes if trainer.restored else ():
    warn(note)
  if not args.json:
    print(_describe(config, directory, resumed, splits, trainer, num_workers), flush=True)
  started = time.perf_counter()
  loss = None if trainer.is_done else trainer.try_step()
  seconds = time.perf_counter() - started
  if args.json:
    print_json({**_as_json(config, directory, splits, trainer), "loss": loss})
  elif loss is None:
    print("  one step      none is left: this run has ended")
  else:
    print(f"  one step      forward and backward, loss {loss:.3f}; with its graph {seconds:.1f} s")
  return 0


def _as_json(
  config: RunConfig, directory: pathlib.Path, splits: Splits, trainer: Trainer
) -> dict[str, Any]:
  return {
    "run": str(directory),
    "model": config.model,
    "data": config.data,
    "task": config.task,
    "seed": config.seed,
    "parameters": num_parameters(trainer),
    "train": len(splits.train),
    "dev": len(splits.dev),
    "test": len(splits.test),
    "words": splits.vocabulary.size,
    "batch_size": trainer.batch_size,
    "batches_per_epoch": trainer.steps_per_epoch,
    "epochs": config.hyperparameters["epochs"],
    "step": int(trainer.state.step),
  }


def _describe(
  config: RunConfig,
  directory: pathlib.Path,
  resumed: bool,
  splits: Splits,
  trainer: Trainer,
  num_workers: int,
) -> str:
  """Returns what would be trained, as lines."""
  example = problem_of(config).example
  epochs = count(config.hyperparameters["epochs"], "epoch")
  sizes = (
    f"{count(len(splits.train), example)} to train on, {len(splits.dev)} of dev, "
    f"{len(splits.test)} of test, {count(splits.vocabulary.size, 'word')}"
  )
  if splits.vectors is not None:
    sizes += f"; {splits.vectors}"
  workers = f", each divided among {num_workers} workers" if num_workers > 1 else ""
  place = f"begun before, at step {int(trainer.state.step)}" if resumed else "a new run"
  rows = {
    "model": f"{config.model}, task {config.task}, seed {config.seed}",
    "parameters": f"{num_parameters(trainer):,}",
    "data": f"{config.data}: {sizes}",
    "an epoch": f"{count(trainer.steps_per_epoch, 'batch', 'batches')} of up to "
    f"{count(trainer.batch_size, example)}{workers}; {epochs}",
    "directory": f"{directory}, {place}",
  }
  lines = [f"  {name:<14}{text}" for name, text in rows.items()]
  return "\n".join(["Dry run: nothing is written.", *lines])


def num_parameters(trainer: Trainer) -> int:
  """Returns how many numbers are trained."""
  return sum(int(np.prod(variable.shape)) for variable in trainer.model.variables)
