"""The picture of a schedule: steps from left to right, frames by block and by tree."""

from __future__ import annotations

import pathlib

import matplotlib
import numpy as np

from recursive_tf.batching import Schedule, ScheduleStep

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402 - after the backend is chosen


def save_schedule_plot(schedule: Schedule, path: pathlib.Path, title: str) -> None:
  """Draws a schedule.

  Above: how many frames each step ran for, coloured by block. Below: which trees they belong to;
  the darker, the more frames of that tree. Steps of several shards are put in order of time.

  Args:
    schedule: what to draw.
    path: where to; the name's ending chooses the format.
    title: names the run.
  """
  steps = sorted(schedule.steps, key=lambda step: (step.is_backward, step.start_us))
  names = list(dict.fromkeys(step.block for step in steps))
  colours = dict(zip(names, matplotlib.color_sequences["tab10"] * 10, strict=False))
  figure, (bars, trees) = plt.subplots(
    2, 1, sharex=True, figsize=(max(8.0, 0.12 * len(steps) + 3.0), 6.0), height_ratios=(1, 1)
  )
  position = np.arange(len(steps))
  for name in names:
    chosen = [i for i, step in enumerate(steps) if step.block == name]
    heights = [steps[i].num_rows for i in chosen]
    bars.bar(position[chosen], heights, width=0.9, color=colours[name], label=name)
  bars.set_yscale("symlog", linthresh=8)
  bars.set_ylabel("frames in the step")
  bars.set_title(title)
  bars.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=8, title="block")
  image = _frames_by_tree(steps)
  drawn = trees.imshow(
    np.ma.masked_equal(image, 0),
    aspect="auto",
    cmap="viridis_r",
    interpolation="nearest",
    extent=(-0.5, len(steps) - 0.5, len(image) - 0.5, -0.5),
  )
  place = trees.inset_axes((1.02, 0.0, 0.02, 1.0))
  figure.colorbar(drawn, cax=place, label="frames of the tree")
  trees.set_ylabel("tree")
  trees.set_xlabel("step")
  first = next((i for i, step in enumerate(steps) if step.is_backward), None)
  if first is not None:
    for axes in (bars, trees):
      axes.axvline(first - 0.5, color="black", linewidth=0.8)
    bars.text(first, bars.get_ylim()[1], " backward", va="top", fontsize=8)
  figure.savefig(path, bbox_inches="tight")
  plt.close(figure)


def _frames_by_tree(steps: list[ScheduleStep]) -> np.ndarray:
  """Returns int [trees, steps], how many frames of each tree each step ran for."""
  num_trees = 1 + max((int(step.trees.max(initial=0)) for step in steps), default=0)
  image = np.zeros((num_trees, len(steps)), np.int64)
  for i, step in enumerate(steps):
    np.add.at(image[:, i], step.trees[step.trees >= 0], 1)
  return image
