"""The record of a run: one CSV line an epoch, and a plot of it."""

from __future__ import annotations

import csv
import io
import math
import pathlib

from recursive_tf._errors import CheckpointError
from recursive_tf.training.curves import Row, save_curves
from recursive_tf.training.files import in_one_piece, read_text, reason_of, write_atomically
from recursive_tf.training.problem import Problem

FILE_NAME = "history.csv"
PLOT_NAME = "curves.png"

REMEDY = (
  "Correct the line, or move the file away: the record then begins with the epochs that follow."
)
_ROOM = "Make room, or make the directory writable."


class History:
  """Rows of epochs, kept in `history.csv` of the run directory."""

  def __init__(
    self,
    directory: pathlib.Path,
    problem: Problem,
    num_epochs: int = 0,
    title: str | None = None,
  ):
    """Takes over the rows of the first `num_epochs` epochs that are already there.

    Rows past these belong to work that is done again: the process died before its checkpoint.

    Raises:
      CheckpointError: If the file is damaged.
    """
    self._directory = directory
    self._problem = problem
    self._title = title
    self.rows = [row for row in read_history(directory) if row["epoch"] <= num_epochs]
    if self.rows and self.rows[-1]["epoch"] < num_epochs:
      path, got = directory / FILE_NAME, f"{int(self.rows[-1]['epoch'])} as the last"
      raise _damaged(path, len(self.rows) + 1, f"epochs up to {num_epochs}", got)

  def add(self, row: Row, best_epoch: int) -> None:
    """Adds an epoch to the file, and draws the plot anew, with `best_epoch` marked.

    Raises:
      CheckpointError: If that is not possible; the files are then as they were before.
    """
    self.rows.append(row)
    text = io.StringIO()
    writer = csv.DictWriter(text, fields(self._problem), lineterminator="\n")
    writer.writeheader()
    writer.writerows([{name: _format(value) for name, value in r.items()} for r in self.rows])
    write_atomically(self._directory / FILE_NAME, text.getvalue())
    path = self._directory / PLOT_NAME
    try:
      in_one_piece(lambda part: self._draw(part, best_epoch), path)
    except OSError as error:
      raise CheckpointError(f"{path}: cannot be drawn: {reason_of(error)}. {_ROOM}") from error

  def _draw(self, path: pathlib.Path, best_epoch: int) -> None:
    save_curves(self.rows, path, self._problem.panels, best_epoch, self._title)


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
  """Returns the rows of a run, none if it has no record yet.

  Raises:
    CheckpointError: If the file is damaged; names the line.
  """
  path = directory / FILE_NAME
  if not path.exists():
    return []
  lines = read_text(path, REMEDY).split("\n")
  names = lines[0].split(",")
  if len(lines) == 1 or not {"epoch", "step"} <= set(names):
    raise _damaged(path, 1, "the names of columns, epoch and step among them", lines[0])
  rows: list[Row] = []
  for number, line in enumerate(lines[1:], 2):
    if line == "" and number == len(lines):
      break
    values = line.split(",")
    if len(values) != len(names) or number == len(lines):
      raise _damaged(path, number, f"{len(names)} numbers and a line feed", line)
    row = {name: _number(value, path, number) for name, value in zip(names, values, strict=True)}
    rows.append({name: value for name, value in row.items() if value is not None})
    if rows[-1].get("epoch") != rows[0].get("epoch", 0) + len(rows) - 1:
      raise _damaged(path, number, "the number of the next epoch", values[names.index("epoch")])
  return rows


def _number(text: str, path: pathlib.Path, line_number: int) -> float | None:
  """Returns the number of a column, None if it is empty."""
  try:
    value = float(text) if text else None
  except ValueError as error:
    raise _damaged(path, line_number, "a number", text) from error
  if value is not None and not math.isfinite(value):
    raise _damaged(path, line_number, "a finite number", text)
  return value


def _damaged(path: pathlib.Path, line_number: int, expected: str, got: str) -> CheckpointError:
  shown = repr(got if len(got) <= 40 else f"{got[:40]}...")
  return CheckpointError(
    f"{path}:{line_number}: damaged: expected {expected}, got {shown}. {REMEDY}"
  )


def _format(value: float) -> str:
  return str(int(value)) if float(value).is_integer() else f"{value:.6g}"
