"""What the plots have in common: a file without a display, the same looks."""

from __future__ import annotations

import contextlib
import pathlib
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402 - the backend has to be chosen before


@contextlib.contextmanager
def figure(
  path: pathlib.Path, columns: int = 1, title: str = "", rows: int = 1
) -> Iterator[list[Any]]:
  """Gives `columns` axes side by side in each of `rows`, and writes them to `path` as a PNG."""
  fig, axes = pyplot.subplots(rows, columns, figsize=(5.5 * columns, 4 * rows), squeeze=False)
  fig.suptitle(title)
  for axis in axes.flat:
    axis.grid(True, alpha=0.3)
  yield list(axes.flat)
  fig.tight_layout()
  path.parent.mkdir(parents=True, exist_ok=True)
  fig.savefig(path, dpi=120)
  pyplot.close(fig)


def ranges(axis: Any, x: Sequence[Any], values: Sequence[Sequence[float]], label: str) -> None:
  """Draws a line through the medians of `values`, one sequence for each x, and their ranges."""
  middle = [statistics.median(each) for each in values]
  low = [m - min(each) for m, each in zip(middle, values, strict=True)]
  high = [max(each) - m for m, each in zip(middle, values, strict=True)]
  axis.errorbar(x, middle, yerr=[low, high], marker="o", capsize=3, label=label)
