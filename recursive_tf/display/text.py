"""A tree for a terminal: a line for each node, its sign and probability first.

−  99%  not good  ⇄ flips
+  80%  ├─not
+ 100%  └─good
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Iterator

from recursive_tf.display.nodes import ShownNode, ShownTree

_RESET = "\x1b[0m"
# (least score, ANSI colour of words, of marks: text on ground), as numbers of the 256.
_COLORS = (
  (0.6, "38;5;33", "97;48;5;25"),
  (0.2, "38;5;75", "30;48;5;117"),
  (-0.2, "", "30;48;5;252"),
  (-0.6, "38;5;209", "30;48;5;216"),
  (-2.0, "38;5;196", "97;48;5;124"),
)
_ASCII = str.maketrans(
  {"−": "-", "├": "|", "└": "`", "│": "|", "─": "-", "…": "~", "⇄": "<>", "○": "0"}
)
_LEAST_PHRASE = 16
_LONGEST_RAILS = 200  # Where no terminal limits them.
# Words could hold commands for the terminal.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_LINES = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


@dataclasses.dataclass(frozen=True)
class Style:
  """How to write to a terminal.

  Attributes:
    is_colored: whether to use colours.
    is_ascii: whether to keep to ASCII signs.
    width: columns; None for lines as long as they get.
  """

  is_colored: bool = False
  is_ascii: bool = False
  width: int | None = None


def tree_text(tree: ShownTree, style: Style) -> str:
  """Returns the sentence with its verdict, and a line for each node, parents first."""
  last = len(tree.nodes) - 1
  head = _paint(tree.verdict(last), _colors(tree.root)[0] or "1", style)
  words = [_clean(word) for word in tree.words]
  lines = [_sentence(tree, style), f"  {head}"]
  lines += [_line(tree, words, place, rails, style) for place, rails in _with_rails(tree)]
  return "\n".join(lines)


def brief_text(tree: ShownTree) -> str:
  """Returns class, probability and sentence, divided by tabs."""
  root = tree.root
  words = " ".join(map(_clean, tree.words))
  return f"{tree.class_names[root.predicted]}\t{root.probability:.4f}\t{words}"


def _with_rails(tree: ShownTree) -> Iterator[tuple[int, str]]:
  """Yields (node, what leads to it), parents first."""
  stack = [(len(tree.nodes) - 1, "", "")]
  while stack:
    place, rails, below = stack.pop()
    yield place, rails
    children = tree.nodes[place].children
    for child in reversed(children):
      is_last = child == children[-1]
      stack.append(
        (child, below + ("└─" if is_last else "├─"), below + ("  " if is_last else "│ "))
      )


def _line(tree: ShownTree, words: list[str], place: int, rails: str, style: Style) -> str:
  node = tree.nodes[place]
  color, mark = _colors(node)
  label = f" {node.mark:>2} {node.probability:>4.0%} "
  flip = "  ⇄ flips" if node.is_flip else ""
  unknown = "  (unknown word)" if node.is_unknown else ""
  end = node.end if style.width is None else min(node.end, node.start + style.width)
  phrase = " ".join(words[node.start : end])
  if style.width is None:
    rails = _cut_rails(rails, _LONGEST_RAILS)
  else:
    room = style.width - len(label) - len(flip) - len(unknown) - 3
    rails = _cut_rails(rails, max(room - _LEAST_PHRASE, _LEAST_PHRASE))
    phrase = _shorten(phrase, max(room - len(rails), _LEAST_PHRASE))
  weight = ";1" if node.is_flip and color else ""
  return (
    f" {_paint(label, mark, style)} {_plain(rails, style)}{_paint(phrase, color + weight, style)}"
    f"{_paint(flip, '1', style)}{_paint(unknown, '2', style)}"
  )


def _sentence(tree: ShownTree, style: Style) -> str:
  if not style.is_colored:
    return " ".join(map(_clean, tree.words))
  leaves = [node for node in tree.nodes if node.word is not None]
  return " ".join(_paint(_clean(str(leaf.word)), _colors(leaf)[0], style) for leaf in leaves)


def _colors(node: ShownNode) -> tuple[str, str]:
  return next((words, mark) for least, words, mark in _COLORS if node.score >= least)


def _paint(text: str, code: str, style: Style) -> str:
  text = _plain(text, style)
  return f"\x1b[{code}m{text}{_RESET}" if style.is_colored and code and text else text


def _plain(text: str, style: Style) -> str:
  return text.translate(_ASCII) if style.is_ascii else text


def printable(text: str) -> str:
  """Returns lines of text without what a terminal would take for commands."""
  return _CONTROL_IN_LINES.sub("\ufffd", text)


def _clean(word: str) -> str:
  return _CONTROL.sub("\ufffd", word)


def _cut_rails(rails: str, room: int) -> str:
  """Leaves out the levels furthest up, where a tree is too deep for the terminal."""
  if len(rails) <= room:
    return rails
  kept = room - 6 - (room % 2)
  return f"…{(len(rails) - kept) // 2:>3} {rails[-kept:]}"


def _shorten(text: str, room: int) -> str:
  """Cuts a text to so many columns."""
  if sum(map(_columns, text)) <= room:
    return text
  used, kept = 1, []
  for char in text:
    used += _columns(char)
    if used > room:
      break
    kept.append(char)
  return "".join(kept) + "…"


def _columns(char: str) -> int:
  if unicodedata.combining(char):
    return 0
  return 2 if unicodedata.east_asian_width(char) in "WF" else 1
