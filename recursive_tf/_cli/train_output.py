"""What `recursive-tf train` says."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

from recursive_tf._cli.progress import count, warn
from recursive_tf._cli.report import describe_scores
from recursive_tf.training.checkpoint import Restored
from recursive_tf.training.config import RunConfig
from recursive_tf.training.files import write_atomically
from recursive_tf.training.problem import Splits
from recursive_tf.training.registry import entry_for, problem_of
from recursive_tf.training.trainer import Trainer, summarize


def how_to_go_on(config: RunConfig, directory: pathlib.Path) -> str:
  return f"To go on:\n  recursive-tf train {config.model} --out {directory} --resume"


def why_it_stopped(config: RunConfig, trainer: Trainer, was_resumed: bool) -> str:
  best = int(trainer.state.best_epoch)
  criterion = entry_for(config.model, config.task).criterion
  epochs = count(config.early_stopping, "epoch")
  text = (
    f"Stopped early after epoch {trainer.epochs_done}: the score on dev ({criterion}) has not "
    f"improved for {epochs}{f', since epoch {best}' if best else ''}."
  )
  more = " To train on, give --resume a larger --early-stopping."
  return text + (more if was_resumed else "")


def print_header(
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


def print_summary(
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
