"""Where everything goes in the picture of a tree: words in one line, each node above its own.

A picture is a list of edges, boxes and texts in pixels, so that all formats show the same.
"""

from __future__ import annotations

import dataclasses
import unicodedata

from recursive_tf.display import colors
from recursive_tf.display.nodes import ShownNode, ShownTree, class_scores, marks

WORD_SIZE = 15
NODE_SIZE = 11
_TITLE_SIZE = 15
_MARGIN = 20
_WORD_GAP = 14
_NODE_HEIGHT = 20
_HEADER = 62  # Title and legend.
_LEVEL = 44
_LEAST_LEVEL = 30  # Below that, nodes would touch.
_TREE_HEIGHT = 700  # Up to here, levels are _LEVEL apart.
_CORNER = 9
_LONGEST_HINT = 300
_WORDS_BELOW = 34  # From the leaves' middle down to the words' middle.


@dataclasses.dataclass(frozen=True)
class Edge:
  """From a parent at (x1, y1) sideways, round a corner, and down to its child at (x2, y2).

  Sideways there is nothing but the parent above its own words, and downwards nothing but the child
  above its own: edges cross neither each other nor nodes.
  """

  x1: float
  y1: float
  x2: float
  y2: float
  color: str = colors.LINE
  width: float = 1.4

  @property
  def corner(self) -> tuple[float, float]:
    """How far the corner is rounded: signed sideways, and downwards."""
    across, down = self.x2 - self.x1, self.y2 - self.y1
    radius = min(_CORNER, abs(across), abs(down))
    return (radius if across > 0 else -radius), radius


@dataclasses.dataclass(frozen=True)
class Box:
  """A box with round corners around (x, y).

  Attributes:
    hint: shown where the mouse rests on it, in formats that can.
  """

  x: float
  y: float
  width: float
  height: float
  fill: str
  edge: str
  edge_width: float = 1.0
  hint: str = ""


@dataclasses.dataclass(frozen=True)
class Text:
  """Text with its middle at y, and its middle or its start (`is_start`) at x."""

  x: float
  y: float
  text: str
  size: float
  color: str = colors.INK
  is_bold: bool = False
  is_italic: bool = False
  is_start: bool = False
  hint: str = ""


@dataclasses.dataclass(frozen=True)
class Picture:
  """Shapes to draw one over the other; `description` says in words what they show."""

  width: float
  height: float
  shapes: tuple[Edge | Box | Text, ...]
  description: str


def text_width(text: str, size: float) -> float:
  """Returns how wide a text is at most, in a sans-serif font of the width of Verdana."""
  return size * sum(_char_width(char) for char in text)


def _char_width(char: str) -> float:
  if unicodedata.combining(char):
    return 0.0
  if unicodedata.east_asian_width(char) in "WF":
    return 1.05
  if char in "mwMW@%—…⇄○":
    return 1.0
  if char in "iljI.,:;'!|` ":
    return 0.4
  return 0.8 if char.isupper() or not char.isascii() else 0.66


def make_picture(tree: ShownTree) -> Picture:
  """Lays a tree out."""
  centers, width = _columns(tree)
  heights = _heights(tree)
  level = min(_LEVEL, max(_LEAST_LEVEL, _TREE_HEIGHT / max(heights[-1], 1)))
  leaves_y = _HEADER + _MARGIN + heights[-1] * level
  x = _places(tree, centers)
  y = [leaves_y - level * height for height in heights]
  shapes: list[Edge | Box | Text] = []
  for place, node in enumerate(tree.nodes):
    shapes += [Edge(x[place], y[place], x[child], y[child]) for child in node.children]
  for place, node in enumerate(tree.nodes):
    shapes += _node(tree, place, x[place], y[place])
    if node.word is not None:
      shapes.append(_word(node, x[place], leaves_y + _WORDS_BELOW))
  header, header_width = _header(tree)
  root = tree.root
  description = f"{tree.class_names[root.predicted]} ({root.probability:.1%}): {tree.text_of(root)}"
  return Picture(
    max(width, header_width),
    leaves_y + _WORDS_BELOW + WORD_SIZE + _MARGIN,
    (*header, *shapes),
    description,
  )


def _columns(tree: ShownTree) -> tuple[list[float], float]:
  """Returns the middle of each word's column, and the width of all."""
  narrowest = 2 + max(_node_width(node) for node in tree.nodes)
  centers, left = [], float(_MARGIN)
  for word in tree.words:
    width = max(text_width(word, WORD_SIZE), narrowest)
    centers.append(left + width / 2)
    left += width + _WORD_GAP
  return centers, left - _WORD_GAP + _MARGIN


def _heights(tree: ShownTree) -> list[int]:
  heights: list[int] = []
  for node in tree.nodes:
    heights.append(1 + max((heights[child] for child in node.children), default=-1))
  return heights


def _places(tree: ShownTree, centers: list[float]) -> list[float]:
  """Returns the x of each node: a leaf's word, or the middle of its children.

  Nodes of one height have words of their own, and each is above them: none meets another.
  """
  places: list[float] = []
  for node in tree.nodes:
    below = [places[child] for child in node.children] or [centers[node.start]]
    places.append(sum(below) / len(below))
  return places


def _label(node: ShownNode) -> str:
  return f"{'⇄ ' if node.is_flip else ''}{node.mark} {node.probability:.0%}"


def _node_width(node: ShownNode) -> float:
  return text_width(_label(node), NODE_SIZE) + 12


def _node(tree: ShownTree, place: int, x: float, y: float) -> tuple[Box, Text]:
  node = tree.nodes[place]
  turned = " (flips its strongest part)" if node.is_flip else ""
  text = tree.text_of(node)
  text = text if len(text) <= _LONGEST_HINT else text[:_LONGEST_HINT] + "…"
  hint = f"{text}\n{tree.verdict(place)}{turned}"
  edge, width = (colors.INK, 2.2) if node.is_flip else ("#8c8c8c", 0.8)
  box = Box(x, y, _node_width(node), _NODE_HEIGHT, colors.fill(node.score), edge, width, hint)
  label = Text(
    x, y, _label(node), NODE_SIZE, colors.ink_on(node.score), is_bold=node.is_flip, hint=hint
  )
  return box, label


def _word(node: ShownNode, x: float, y: float) -> Text:
  if node.is_unknown:
    hint = "not in the training data: counted as one with all other such words"
    return Text(x, y, str(node.word), WORD_SIZE, colors.MUTED, is_italic=True, hint=hint)
  return Text(x, y, str(node.word), WORD_SIZE, colors.text_color(node.score))


def _header(tree: ShownTree) -> tuple[list[Box | Text], float]:
  """Returns title and legend, and their width."""
  root = tree.root
  title = f"{tree.class_names[root.predicted]}, {root.probability:.1%}"
  shapes: list[Box | Text] = [
    Text(_MARGIN, _MARGIN, title, _TITLE_SIZE, is_bold=True, is_start=True)
  ]
  x, y = float(_MARGIN), _MARGIN + 26.0
  names = zip(tree.class_names, marks(len(tree.class_names)), strict=True)
  for (name, mark), score in zip(names, class_scores(len(tree.class_names)), strict=True):
    shapes.append(Box(x + 7, y, 14, 14, colors.fill(float(score)), "#8c8c8c", 0.8))
    x = _add_note(shapes, x + 20, y, f"{mark} {name}")
  if any(node.is_flip for node in tree.nodes):
    x = _add_note(shapes, x, y, "⇄ flips its strongest part")
  if any(node.is_unknown for node in tree.nodes):
    x = _add_note(shapes, x, y, "word in italics: not in the training data")
  return shapes, max(x, _MARGIN + text_width(title, _TITLE_SIZE) * 1.15 + _MARGIN)


def _add_note(shapes: list[Box | Text], x: float, y: float, text: str) -> float:
  """Adds one entry of the legend; returns where the next begins."""
  shapes.append(Text(x, y, text, NODE_SIZE, colors.MUTED, is_start=True))
  return x + text_width(text, NODE_SIZE) + 14
