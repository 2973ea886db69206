"""Pictures of a classifier's answers: accuracy by size of the tree, and what it takes for what."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from recursive_tf.training.breakdown import Answers, Share, confusion, shares_by

_DPI = 120
_COLOR, _MUTED = "#2166ac", "#767676"


def save_accuracy(answers: Answers, path: pathlib.Path, title: str) -> None:
  """Draws shares of sentences whose class is right, by number of words and by height of the tree.

  Args:
    answers: of all nodes; roots are drawn.
    path: where to.
    title: names model and data.
  """
  roots = answers.of(answers.is_root)
  figure = Figure(figsize=(10.5, 4.2), layout="constrained")
  figure.suptitle(f"{title}: right sentences", x=0.01, ha="left", weight="bold")
  left, right = figure.subplots(1, 2, sharey=True)
  overall = float(roots.is_right.mean())
  for axes, values, label in (
    (left, roots.length, "words in the sentence"),
    (right, roots.height, "height of the tree"),
  ):
    _draw_shares(axes, shares_by(values, roots.is_right), overall, label)
  left.set_ylabel("right, %")
  left.legend(fontsize="small", frameon=False)
  figure.savefig(path, dpi=_DPI)


def _draw_shares(axes: Axes, shares: Sequence[Share], overall: float, label: str) -> None:
  place = np.arange(len(shares))
  values = np.array([100 * share.value for share in shares])
  ends = 100 * np.array([share.interval for share in shares])
  axes.axhline(
    100 * overall, color=_MUTED, linestyle="--", linewidth=1, label=f"all: {overall:.1%}"
  )
  axes.errorbar(
    place,
    values,
    yerr=np.abs(ends.T - values),
    fmt="o-",
    color=_COLOR,
    elinewidth=1,
    capsize=3,
    label="95% interval",
  )
  axes.set_xticks(place, [_range(share) for share in shares])
  for x, share in zip(place, shares, strict=True):
    axes.annotate(
      f"{share.count:,}",
      (x, 1),
      xycoords=("data", "axes fraction"),
      xytext=(0, 2),
      textcoords="offset points",
      ha="center",
      fontsize="x-small",
      color=_MUTED,
    )
  axes.set_xlabel(f"{label} (above: how many sentences)")
  axes.set_xlim(-0.5, len(shares) - 0.5)
  axes.grid(axis="y", alpha=0.25)
  axes.spines[["top", "right"]].set_visible(False)


def _range(share: Share) -> str:
  return str(share.low) if share.low == share.high else f"{share.low}–{share.high}"


def save_confusion(answers: Answers, names: Sequence[str], path: pathlib.Path, title: str) -> None:
  """Draws which classes were taken for which, of sentences and of all phrases.

  Args:
    answers: of all nodes.
    names: the K classes.
    path: where to.
    title: names model and data.
  """
  size = 1.9 + 0.85 * len(names)
  figure = Figure(figsize=(2 * size + 0.6, size + 0.5), layout="constrained")
  figure.suptitle(title, x=0.01, ha="left", weight="bold")
  for axes, part, what in zip(
    figure.subplots(1, 2),
    (answers.of(answers.is_root), answers),
    ("sentences", "phrases"),
    strict=True,
  ):
    share = float(part.is_right.mean())
    axes.set_title(
      f"{len(part.expected):,} {what}, {share:.1%} right", loc="left", fontsize="medium"
    )
    _draw_confusion(axes, confusion(part, len(names)), names)
  figure.savefig(path, dpi=_DPI)


def _draw_confusion(axes: Axes, counts: np.ndarray, names: Sequence[str]) -> None:
  """Draws int [K, K]; colours and percents are shares of a row."""
  shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
  axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
  for row, column in np.argwhere(counts > 0):
    share = shares[row, column]
    axes.text(
      column,
      row,
      f"{share:.0%}\n{counts[row, column]:,}",
      ha="center",
      va="center",
      fontsize="small",
      color="white" if share > 0.6 else "#222222",
    )
  lines = [name.replace(" ", "\n") for name in names]
  axes.set_xticks(range(len(names)), lines, fontsize="small")
  axes.set_yticks(range(len(names)), lines, fontsize="small")
  axes.tick_params(length=0)
  axes.spines[:].set_visible(False)
  axes.set_xlabel("predicted")
  axes.set_ylabel("in the treebank")
