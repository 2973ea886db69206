"""Colours of sentiment: red is negative, blue positive, pale is unsure; told apart by everybody."""

from __future__ import annotations

# From -1 to 1, equally spaced; ColorBrewer's RdBu without its darkest ends.
_SCALE = (
  (178, 24, 43),
  (214, 96, 77),
  (244, 165, 130),
  (240, 240, 240),
  (146, 197, 222),
  (67, 147, 195),
  (33, 102, 172),
)
INK = "#222222"
MUTED = "#767676"
LINE = "#b8b8b8"
PAPER = "#ffffff"


def fill(score: float) -> str:
  """Returns the colour of a score in -1 .. 1, as "#rrggbb"."""
  return _hex(_mix(score))


def ink_on(score: float) -> str:
  """Returns a colour of text that can be read on `fill(score)`."""
  red, green, blue = _mix(score)
  return PAPER if 0.299 * red + 0.587 * green + 0.114 * blue < 140 else INK


def text_color(score: float) -> str:
  """Returns the colour of a score for words on white: as `fill`, but never pale."""
  if abs(score) < 1 / 3:
    return "#555555"
  red, green, blue = _mix(score)
  brightness = 0.299 * red + 0.587 * green + 0.114 * blue
  factor = min(1.0, 120 / brightness)
  return _hex((red * factor, green * factor, blue * factor))


def _mix(score: float) -> tuple[float, float, float]:
  position = (min(max(score, -1.0), 1.0) + 1) / 2 * (len(_SCALE) - 1)
  lower = min(int(position), len(_SCALE) - 2)
  share = position - lower
  a, b = _SCALE[lower], _SCALE[lower + 1]
  red, green, blue = (x + (y - x) * share for x, y in zip(a, b, strict=True))
  return red, green, blue


def _hex(color: tuple[float, float, float]) -> str:
  return "#" + "".join(f"{round(part):02x}" for part in color)
