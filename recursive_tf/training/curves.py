"""The picture of a record: losses and scores by epoch, the best epoch marked."""

from __future__ import annotations

import pathlib
from typing import Any

from recursive_tf.training.problem import Panel

Row = dict[str, float]

_MARK = "#555555"


def save_curves(
  rows: list[Row],
  path: pathlib.Path,
  panels: tuple[Panel, ...],
  best_epoch: int | None = None,
  title: str | None = None,
) -> None:
  """Draws a record.

  Args:
    rows: of its epochs.
    path: where to.
    panels: what to draw, from left to right.
    best_epoch: is marked by a line, if it is among the rows.
    title: stands above all.
  """
  from matplotlib import figure  # Slow to import, and not needed before the first epoch ends.

  canvas = figure.Figure(figsize=(4.8 * len(panels), 3.8), layout="constrained")
  if title:
    canvas.suptitle(title, x=0.01, ha="left", weight="bold")
  for axes, panel in zip(canvas.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
    for curve in panel.curves:
      points = [(row["epoch"], row[curve.column]) for row in rows if curve.column in row]
      if points:
        scale = 100 if panel.is_share else 1
        epochs = [epoch for epoch, _ in points]
        values = [scale * value for _, value in points]
        (line,) = axes.plot(epochs, values, curve.style, color=curve.color, label=curve.label)
        # The style of a line does not show where there is one epoch only.
        face = line.get_color() if curve.style == "-" else "white"
        line.set(marker="o", markersize=4, markerfacecolor=face)
    axes.set_title(panel.title, loc="left", fontsize="medium")
    axes.set_xlabel("epoch")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    if panel.is_log:
      _scale_log(axes)
    if best_epoch is not None and any(row["epoch"] == best_epoch for row in rows):
      axes.axvline(
        best_epoch,
        color=_MARK,
        linestyle=":",
        linewidth=1.2,
        zorder=1,
        label=f"best epoch: {best_epoch}",
      )
    axes.legend(fontsize="small", frameon=False)
  canvas.savefig(path, dpi=120)


def _scale_log(axes: Any) -> None:
  """Makes the vertical axis logarithmic, with ticks as people write numbers: 20, not 2x10^1."""
  from matplotlib import ticker

  axes.set_yscale("log")
  low, high = axes.get_ylim()
  is_narrow = high < 10 * low  # Then there is at most one power of ten.
  wide = ticker.LogLocator(subs=(1, 2, 5))
  axes.yaxis.set_major_locator(ticker.MaxNLocator(6) if is_narrow else wide)
  axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,g}"))
  axes.yaxis.set_minor_locator(ticker.NullLocator())
