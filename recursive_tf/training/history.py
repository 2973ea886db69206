"""The record of a run: one CSV line an epoch, and a plot of it."""

from __future__ import annotations

import csv
import io
import pathlib

from recursive_tf.training.files import write_atomically
from recursive_tf.training.problem import Panel, Problem

FILE_NAME = "history.csv"
PLOT_NAME = "curves.png"

Row = dict[str, float]


class History:
  """Rows of epochs, kept in `history.csv` of the run directory."""

  def __init__(self, directory: pathlib.Path, problem: Problem, num_epochs: int = 0):
    """Takes over the rows of the first `num_epochs` epochs that are already there.

    Rows past these belong to work that is done again: the process died before its checkpoint.
    """
    self._directory = directory
    self._problem = problem
    self.rows = [row for row in read_history(directory) if row["epoch"] <= num_epochs]

  def add(self, row: Row) -> None:
    """Adds an epoch to the file, and draws the plot anew."""
    self.rows.append(row)
    text = io.StringIO()
    writer = csv.DictWriter(text, fields(self._problem), lineterminator="\n")
    writer.writeheader()
    writer.writerows([{name: _format(value) for name, value in r.items()} for r in self.rows])
    write_atomically(self._directory / FILE_NAME, text.getvalue())
    plot(self.rows, self._directory / PLOT_NAME, self._problem.panels)


def fields(problem: Problem) -> tuple[str, ...]:
  """Returns the columns of a record; what is not counted is empty there."""
  return (
    "epoch",
    "step",
    "train_loss",
    *(f"train_{name}" for name in problem.train_scores),
    "dev_loss",
    *(f"dev_{name}" for name in problem.dev_scores),
    "sentences_per_second",
    "seconds",
  )


def read_history(directory: pathlib.Path) -> list[Row]:
  """Returns the rows of a run, none if it has no record yet."""
  path = directory / FILE_NAME
  if not path.exists():
    return []
  with open(path, newline="", encoding="utf-8") as file:
    rows = csv.DictReader(file)
    return [{name: float(value) for name, value in row.items() if value} for row in rows]


def plot(rows: list[Row], path: pathlib.Path, panels: tuple[Panel, ...]) -> None:
  """Draws `panels` by epoch."""
  from matplotlib import figure  # Slow to import, and not needed before the first epoch ends.

  canvas = figure.Figure(figsize=(4.5 * len(panels), 3.5), layout="constrained")
  for axes, panel in zip(canvas.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
    for curve in panel.curves:
      points = [(row["epoch"], row[curve.column]) for row in rows if curve.column in row]
      if points:
        scale = 100 if panel.is_share else 1
        epochs = [epoch for epoch, _ in points]
        values = [scale * value for _, value in points]
        axes.plot(epochs, values, curve.style, marker=".", color=curve.color, label=curve.label)
    axes.set(xlabel="epoch", ylabel=panel.title, yscale="log" if panel.is_log else "linear")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    axes.xaxis.get_major_locator().set_params(integer=True)
  canvas.savefig(path, dpi=120)


def _format(value: float) -> str:
  return str(int(value)) if float(value).is_integer() else f"{value:.6g}"
