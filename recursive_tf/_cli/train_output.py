"""What `recursive-tf train` says."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

from recursive_tf._cli.progress import ProgressBar, count, print_json, warn
from recursive_tf._cli.report import describe_scores
from recursive_tf.training.checkpoint import Restored
from recursive_tf.training.config import RunConfig
from recursive_tf.training.files import write_atomically
from recursive_tf.training.problem import Splits
from recursive_tf.training.registry import entry_for, problem_of
from recursive_tf.training.trainer import Reporter, Trainer, summarize


def how_to_go_on(config: RunConfig, directory: pathlib.Path, tensorboard: str | None) -> str:
  """Returns the command that goes on with a run that was stopped."""
  events = f" --tensorboard {tensorboard}" if tensorboard else ""
  return f"To go on:\n  recursive-tf train {config.model} --out {directory} --resume{events}"


def why_it_stopped(config: RunConfig, trainer: Trainer, was_resumed: bool) -> str:
  """Returns why a run ended before its last epoch."""
  best = int(trainer.state.best_epoch)
  criterion = entry_for(config.model, config.task).criterion
  epochs = count(config.early_stopping, "epoch")
  text = (
    f"Stopped early after epoch {trainer.epochs_done}: the score on dev ({criterion}) has not "
    f"improved for {epochs}{f', since epoch {best}' if best else ''}."
  )
  more = " To train on, give --resume a larger --early-stopping."
  return text + (more if was_resumed else "")


class TrainOutput:
  """Says how a run goes: text, or a line of JSON for each epoch and one for the test.

  Standard output has nothing else then: what a person reads meanwhile goes to standard error, if
  that is a terminal.
  """

  def __init__(self, is_json: bool, is_quiet: bool):
    self._is_json = is_json
    self._is_quiet = is_quiet

  def reporter(self, config: RunConfig) -> Reporter:
    """Returns what reports each epoch."""
    epochs = config.hyperparameters["epochs"]
    return ProgressBar(problem_of(config), epochs, is_json=self._is_json, is_quiet=self._is_quiet)

  def tell(self, text: str) -> None:
    """Says what is worth knowing even if all else is quiet."""
    if self._is_json:
      warn(text)
    else:
      print(text, flush=True)

  def explain(self, text: str) -> None:
    """Says why it ends as it does, which the last object says in JSON."""
    if self._is_json:
      self._say(text)
    else:
      self.tell(text)

  def begin(
    self,
    config: RunConfig,
    directory: pathlib.Path,
    splits: Splits,
    trainer: Trainer,
    num_workers: int,
  ) -> None:
    """Says what is about to be trained."""
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
    self._say(f"{verb} {config.model} on {config.data}, task {config.task}: {', '.join(sizes)}")
    self._say(f"writing to {directory}")
    if splits.vectors is not None:
      self._say(f"{splits.vectors}; the others start random")

  def _say(self, text: str) -> None:
    """Says what a person wants to see meanwhile."""
    if self._is_quiet or (self._is_json and not sys.stderr.isatty()):
      return
    self.tell(text)

  def end(
    self,
    config: RunConfig,
    directory: pathlib.Path,
    trainer: Trainer,
    restored: Restored,
    metrics: Any,
  ) -> None:
    """Says how the best epoch does on test, and writes it into test.json."""
    for note in restored.notes:
      warn(note)
    epoch = trainer.epoch_of(restored.step)
    result = {**summarize(config, metrics), "epoch": epoch}
    write_atomically(directory / "test.json", json.dumps(result, indent=2) + "\n")
    if self._is_json:
      print_json(
        {
          "run": str(directory),
          "epochs": trainer.epochs_done,
          "stopped_early": trainer.stopped_early,
          "test": result,
        }
      )
      return
    best = int(trainer.state.best_epoch)
    whose = f"of the best epoch on dev ({best})" if epoch == best else f"of epoch {epoch}"
    gap = "" if self._is_quiet else "\n"
    print(f"{gap}Test, with the weights {whose}:")
    paper_data = "" if config.limit else config.data
    print(describe_scores(metrics, config.model, paper_data, config.task))
    print(f"\nRecord, curves and checkpoints: {directory}")
    sys.stdout.flush()
