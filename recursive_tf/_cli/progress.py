"""What a person sees while a model trains: a bar in a terminal, and a line an epoch."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

from tqdm import tqdm

from recursive_tf.display.text import printable
from recursive_tf.training.curves import Row
from recursive_tf.training.problem import Problem
from recursive_tf.training.scalars import Scalars
from recursive_tf.training.trainer import Reporter


class NoReporter:
  """Shows nothing: of a worker that is not the first."""

  def start_epoch(self, epoch: int, num_trees: int, trees_done: int) -> None:
    """Is called before an epoch."""

  def step(self, num_trees: int, loss: float, metrics: Any) -> None:
    """Is called after a step."""

  def end_epoch(self, row: Row | None, is_best: bool) -> None:
    """Is called after an epoch."""


class ProgressBar:
  """Shows one bar for each epoch on stderr if it is a terminal, and a line for each on stdout.

  As JSON the line is an object. If it is to be quiet, there is no bar, and no line but of JSON.
  """

  def __init__(
    self, problem: Problem, num_epochs: int, *, is_json: bool = False, is_quiet: bool = False
  ):
    self._is_json = is_json
    self._is_quiet = is_quiet
    self._problem = problem
    self._num_epochs = num_epochs
    self._bar: tqdm | None = None
    self._epoch = 0

  def start_epoch(self, epoch: int, num_trees: int, trees_done: int) -> None:
    """Starts a bar."""
    self._epoch = epoch + 1
    self._bar = tqdm(
      total=num_trees,
      initial=trees_done,
      desc=f"epoch {epoch + 1}/{self._num_epochs}",
      unit=f" {self._problem.example}s",
      disable=True if self._is_quiet else None,  # None: where stderr is no terminal.
      leave=False,
      dynamic_ncols=True,
      smoothing=0.1,
    )

  def step(self, num_trees: int, loss: float, metrics: Any) -> None:
    """Moves the bar."""
    if self._bar is not None and not self._bar.disable:
      scores = metrics.scores()
      counted = [score for score in self._problem.shown if score.name in scores]
      shown = [f"{score.title} {score.text(scores[score.name])}" for score in counted]
      text = ", ".join([f"loss {loss:.2f}", *shown])
      self._bar.set_postfix_str(text, refresh=False)
      self._bar.update(num_trees)

  def end_epoch(self, row: Row | None, is_best: bool) -> None:
    """Replaces the bar by a line."""
    if self._bar is not None:
      self._bar.close()
    if row is not None and self._is_json:
      print_json({**row, "is_best": is_best})
    elif row is not None and not self._is_quiet:
      print(epoch_line(self._problem, row, self._num_epochs, is_best), flush=True)


class WithScalars:
  """Reports as another does, and writes each epoch for TensorBoard."""

  def __init__(self, reporter: Reporter, scalars: Scalars):
    self._reporter = reporter
    self._scalars = scalars
    self.start_epoch = reporter.start_epoch
    self.step = reporter.step

  def end_epoch(self, row: Row | None, is_best: bool) -> None:
    """Is called after an epoch, whose checkpoint is written."""
    self._reporter.end_epoch(row, is_best)
    if row is not None:
      self._scalars.add(row)


def epoch_line(problem: Problem, row: Row, num_epochs: int, is_best: bool) -> str:
  """Returns one line about an epoch."""

  def shown(split: str) -> str:
    values = ((score, row.get(f"{split}_{score.name}")) for score in problem.shown)
    return " ".join(f"{score.title} {score.text(v)}" for score, v in values if v is not None)

  return (
    f"epoch {int(row['epoch'])}/{num_epochs}  loss {row['train_loss']:.3f}"
    f"  train {shown('train')} | dev {shown('dev')}{' *' if is_best else ''}"
    f" | {row['sentences_per_second']:.0f} {problem.example}s/s, {row['seconds']:.0f} s"
  )


def print_json(values: dict[str, Any]) -> None:
  """Prints an object on a line of standard output; what is no finite number is null there."""
  print(json.dumps(_finite(values), allow_nan=False), flush=True)


def _finite(value: Any) -> Any:
  if isinstance(value, dict):
    return {name: _finite(inner) for name, inner in value.items()}
  return None if isinstance(value, float) and not math.isfinite(value) else value


def warn(message: str) -> None:
  """Prints a message that is not a result."""
  print(printable(message), file=sys.stderr, flush=True)


def count(number: int, thing: str, things: str = "") -> str:
  """Returns how many there are: "1 epoch", "2 epochs", "2 batches" if `things` says so."""
  return f"{number} {thing}" if number == 1 else f"{number} {things or f'{thing}s'}"
