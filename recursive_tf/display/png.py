"""Pictures of trees as PNG, drawn by Matplotlib."""

from __future__ import annotations

import pathlib
import warnings
from collections.abc import Sequence

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path

from recursive_tf._errors import ConfigError
from recursive_tf.display import colors
from recursive_tf.display.layout import Box, Edge, Picture, Text

_DPI = 100.0  # Pixels of a picture in one of Matplotlib's inches.
_SCALE = 2.0  # For screens with small pixels.
_MOST_PIXELS = 60_000  # On a side; Matplotlib draws at most 65,536.
_MOST_IN_ALL = 150_000_000
# Where a machine has them, for what the first does not have.
_FONTS = ["DejaVu Sans", "Noto Sans CJK SC", "WenQuanYi Zen Hei", "Noto Color Emoji"]


def save_png(pictures: Sequence[Picture], path: pathlib.Path) -> bool:
  """Writes pictures, one below the other.

  Returns:
    Whether the fonts have all characters; others are empty boxes.

  Raises:
    ConfigError: If it would be too large.
  """
  width = max(picture.width for picture in pictures)
  height = sum(picture.height for picture in pictures)
  fits = _MOST_PIXELS / max(width, height)
  scale = min(_SCALE, fits, (_MOST_IN_ALL / (width * height)) ** 0.5)
  if scale < 1:
    raise ConfigError(
      f"--png: a picture of {width:,.0f} by {height:,.0f} pixels, {len(pictures)} trees, is too "
      "large. Give fewer or smaller ones, or use --html or --svg."
    )
  installed = {font.name for font in matplotlib.font_manager.fontManager.ttflist}
  fonts = [font for font in _FONTS if font in installed]
  figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI * scale, facecolor=colors.PAPER)
  axes = figure.add_axes((0, 0, 1, 1))
  axes.set(xlim=(0, width), ylim=(height, 0))
  axes.set_axis_off()
  with (
    warnings.catch_warnings(record=True) as caught,
    matplotlib.rc_context({"font.family": fonts}),
  ):
    warnings.simplefilter("always")
    top = 0.0
    for picture in pictures:
      for order, shape in enumerate(picture.shapes):
        _draw(axes, shape, top, order)
      top += picture.height
    figure.savefig(path, format="png")
  return not any("Glyph" in str(warning.message) for warning in caught)


def _draw(axes: matplotlib.axes.Axes, shape: Edge | Box | Text, top: float, order: int) -> None:
  points = 72 / _DPI  # In a pixel.
  if isinstance(shape, Edge):
    across, down = shape.corner
    way = [
      (shape.x1, shape.y1 + top),
      (shape.x2 - across, shape.y1 + top),
      (shape.x2, shape.y1 + top),
      (shape.x2, shape.y1 + down + top),
      (shape.x2, shape.y2 + top),
    ]
    codes = [Path.MOVETO, Path.LINETO, Path.CURVE3, Path.CURVE3, Path.LINETO]
    axes.add_patch(
      PathPatch(
        Path(way, codes),
        facecolor="none",
        edgecolor=shape.color,
        linewidth=shape.width * points,
        zorder=order,
      )
    )
  elif isinstance(shape, Box):
    radius = shape.height / 2.5
    axes.add_patch(
      FancyBboxPatch(
        (shape.x - shape.width / 2, shape.y - shape.height / 2 + top),
        shape.width,
        shape.height,
        boxstyle=f"round,pad=0,rounding_size={radius}",
        facecolor=shape.fill,
        edgecolor=shape.edge,
        linewidth=shape.edge_width * points,
        zorder=order,
      )
    )
  else:
    axes.text(
      shape.x,
      shape.y + 0.36 * shape.size + top,
      shape.text,
      fontsize=shape.size * points,
      color=shape.color,
      weight="bold" if shape.is_bold else "normal",
      style="italic" if shape.is_italic else "normal",
      ha="left" if shape.is_start else "center",
      va="baseline",
      zorder=order,
      parse_math=False,  # "$5 to $6" is no formula.
    )
