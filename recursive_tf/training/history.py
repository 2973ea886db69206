"""The record of a run: one CSV line an epoch, and a plot of it."""

from __future__ import annotations

import csv
import io
import pathlib

from recursive_tf.training.files import write_atomically

FILE_NAME = "history.csv"
PLOT_NAME = "curves.png"
ACCURACIES = ("root", "node", "binary_root", "binary_node")
FIELDS = (
  "epoch",
  "step",
  "train_loss",
  *(f"train_{name}" for name in ACCURACIES),
  "dev_loss",
  *(f"dev_{name}" for name in ACCURACIES),
  "sentences_per_second",
  "seconds",
)

Row = dict[str, float]


class History:
  """Rows of epochs, kept in `history.csv` of the run directory."""

  def __init__(self, directory: pathlib.Path, num_epochs: int = 0):
    """Takes over the rows of the first `num_epochs` epochs that are already there.

    Rows past these belong to work that is done again: the process died before its checkpoint.
    """
    self._directory = directory
    self.rows = [row for row in read_history(directory) if row["epoch"] <= num_epochs]

  def add(self, row: Row) -> None:
    """Adds an epoch to the file, and draws the plot anew."""
    self.rows.append(row)
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows([{name: _format(value) for name, value in r.items()} for r in self.rows])
    write_atomically(self._directory / FILE_NAME, text.getvalue())
    plot(self.rows, self._directory / PLOT_NAME)


def read_history(directory: pathlib.Path) -> list[Row]:
  """Returns the rows of a run, none if it has no record yet."""
  path = directory / FILE_NAME
  if not path.exists():
    return []
  with open(path, newline="", encoding="utf-8") as file:
    return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def plot(rows: list[Row], path: pathlib.Path) -> None:
  """Draws loss and accuracy by epoch."""
  from matplotlib import figure  # Slow to import, and not needed before the first epoch ends.

  canvas = figure.Figure(figsize=(9, 3.5), layout="constrained")
  losses, accuracies = canvas.subplots(1, 2)
  epochs = [row["epoch"] for row in rows]
  for split, style in (("train", "--"), ("dev", "-")):
    losses.plot(epochs, [row[f"{split}_loss"] for row in rows], style, marker=".", label=split)
    for name, color in (("root", "tab:blue"), ("node", "tab:orange")):
      values = [100 * row[f"{split}_{name}"] for row in rows]
      label = f"{split}, {'roots' if name == 'root' else 'all nodes'}"
      accuracies.plot(epochs, values, style, marker=".", color=color, label=label)
  losses.set(xlabel="epoch", ylabel="loss of a tree")
  accuracies.set(xlabel="epoch", ylabel="accuracy, %")
  for axes in (losses, accuracies):
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    axes.xaxis.get_major_locator().set_params(integer=True)
  canvas.savefig(path, dpi=120)


def _format(value: float) -> str:
  return str(int(value)) if float(value).is_integer() else f"{value:.6g}"
