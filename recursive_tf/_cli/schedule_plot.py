"""The picture of a schedule: steps from left to right, frames by block and by tree."""

from __future__ import annotations

import pathlib
import re
from typing import Any

import matplotlib
import numpy as np
from matplotlib import colors, ticker
from matplotlib.axes import Axes

from recursive_tf.batching import Schedule, ScheduleStep

_LINEAR_UP_TO = 8  # Frames: small counts are read off, large ones are compared.
_WIDEST_INCHES = 100.0  # Matplotlib draws at most 65,536 pixels.

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402 - after the backend is chosen


def save_schedule_plot(schedule: Schedule, path: pathlib.Path, title: str) -> None:
  """Draws a schedule.

  Above: how many frames each step ran for, coloured by block. Below: which trees they belong to;
  the darker, the more frames of that tree.
  Steps of several shards are put in order of time.

  Args:
    schedule: what to draw.
    path: where to; the name's ending chooses the format.
    title: names the run.
  """
  steps = sorted(schedule.steps, key=lambda step: (step.is_backward, step.start_us))
  names = list(dict.fromkeys(step.block for step in steps))
  colours = dict(zip(names, matplotlib.color_sequences["tab10"] * 10, strict=False))
  width = min(max(8.0, 0.12 * len(steps) + 3.0), _WIDEST_INCHES)
  figure, (bars, trees) = plt.subplots(
    2, 1, sharex=True, figsize=(width, 6.0), height_ratios=(1, 1)
  )
  position = np.arange(len(steps))
  for name in names:
    chosen = [i for i, step in enumerate(steps) if step.block == name]
    heights = [steps[i].num_rows for i in chosen]
    bars.bar(position[chosen], heights, width=0.9, color=colours[name], label=_in_words(name))
  _scale_counts(bars, max(step.num_rows for step in steps))
  bars.set_ylabel("frames in the step")
  bars.set_title(title)
  bars.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=8, title="what the frames do")
  image = _frames_by_tree(steps)
  drawn = trees.imshow(
    np.ma.masked_equal(image, 0),
    aspect="auto",
    cmap="viridis_r",
    norm=_count_colours(int(image.max())),
    interpolation="nearest",
    extent=(-0.5, len(steps) - 0.5, len(image) - 0.5, -0.5),
  )
  place = trees.inset_axes((1.02, 0.0, 0.02, 1.0))
  figure.colorbar(drawn, cax=place, label="frames of the tree", ticks=_count_ticks(drawn.norm))
  trees.set_ylabel("tree")
  trees.yaxis.set_major_locator(_whole_numbers())
  trees.set_xlabel("step")
  first = next((i for i, step in enumerate(steps) if step.is_backward), None)
  if first is not None:
    for axes in (bars, trees):
      axes.axvline(first - 0.5, color="black", linewidth=0.8)
    bars.set_ylim(top=1.3 * bars.get_ylim()[1])  # Room for the word, above all bars.
    bars.text(first, bars.get_ylim()[1], " backward", va="top", fontsize=8)
  figure.savefig(path, bbox_inches="tight")
  plt.close(figure)


def _in_words(block: str) -> str:
  """Returns the user's name of a SubGraph, and which part of it: "tree.false:2" is a block."""
  found = re.fullmatch(r"(.*?)((?:\.(?:true|false))*)(?::(\d+))?", block)
  assert found is not None  # It matches any line.
  name, branches, part = found.groups()
  words = [name, *(f"if {branch}" for branch in branches.split(".")[1:])]
  return ", ".join([*words, f"part {part}"] if part else words)


def _scale_counts(axes: Axes, largest: int) -> None:
  """Scales the axis of counts: whole numbers, large ones by their size."""
  if largest <= _LINEAR_UP_TO:
    axes.yaxis.set_major_locator(_whole_numbers())
    axes.set_ylim(0, largest + 0.5)
    return
  axes.set_yscale("symlog", linthresh=_LINEAR_UP_TO)
  ticks = [0, 2, 4, 8] + [8 * 2**k for k in range(1, 40) if 8 * 2**k <= 1.5 * largest]
  axes.set_yticks(ticks[:: 1 + len(ticks) // 10], minor=False)
  axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.0f}"))
  axes.yaxis.set_minor_locator(ticker.NullLocator())


def _count_colours(largest: int) -> colors.Normalize:
  """Returns a scale that has a colour, and a tick, for one frame, even if there is never more."""
  if largest <= _LINEAR_UP_TO:
    return colors.BoundaryNorm(np.arange(0.5, max(largest, 1) + 1), 256)
  return colors.Normalize(1, largest)


def _count_ticks(norm: colors.Normalize) -> Any:
  """Returns the ticks of such a scale; a locator would put some between bands of one count each."""
  if isinstance(norm, colors.BoundaryNorm):
    return np.arange(1, len(norm.boundaries))
  return _whole_numbers()


def _whole_numbers() -> ticker.Locator:
  return ticker.MaxNLocator(integer=True)


def _frames_by_tree(steps: list[ScheduleStep]) -> np.ndarray:
  """Returns int [trees, steps], how many frames of each tree each step ran for."""
  num_trees = 1 + max((int(step.trees.max(initial=0)) for step in steps), default=0)
  image = np.zeros((num_trees, len(steps)), np.int64)
  for i, step in enumerate(steps):
    np.add.at(image[:, i], step.trees[step.trees >= 0], 1)
  return image
