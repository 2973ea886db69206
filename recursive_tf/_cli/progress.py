"""What a person sees while a model trains: a bar in a terminal, and a line an epoch."""

from __future__ import annotations

import sys

from tqdm import tqdm

from recursive_tf.models import Metrics
from recursive_tf.training.history import Row


class ProgressBar:
  """Shows one bar for each epoch on stderr if it is a terminal, and a line for each on stdout."""

  def __init__(self, num_epochs: int):
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
      unit=" sentences",
      disable=None,  # Where stderr is no terminal.
      leave=False,
      dynamic_ncols=True,
      smoothing=0.1,
    )

  def step(self, num_trees: int, loss: float, metrics: Metrics) -> None:
    """Moves the bar."""
    if self._bar is not None and not self._bar.disable:
      accuracies = metrics.accuracies()
      text = f"loss {loss:.2f}, root {accuracies['root']:.1%}, nodes {accuracies['node']:.1%}"
      self._bar.set_postfix_str(text, refresh=False)
      self._bar.update(num_trees)

  def end_epoch(self, row: Row | None, is_best: bool) -> None:
    """Replaces the bar by a line."""
    if self._bar is not None:
      self._bar.close()
    if row is not None:
      print(epoch_line(row, self._num_epochs, is_best), flush=True)


def epoch_line(row: Row, num_epochs: int, is_best: bool) -> str:
  """Returns one line about an epoch."""
  return (
    f"epoch {int(row['epoch'])}/{num_epochs}  loss {row['train_loss']:.3f}"
    f"  train root {row['train_root']:.1%} nodes {row['train_node']:.1%}"
    f" | dev root {row['dev_root']:.1%} nodes {row['dev_node']:.1%}{' *' if is_best else ''}"
    f" | {row['sentences_per_second']:.0f} sentences/s, {row['seconds']:.0f} s"
  )


def warn(message: str) -> None:
  """Prints a message that is not a result."""
  print(message, file=sys.stderr, flush=True)
