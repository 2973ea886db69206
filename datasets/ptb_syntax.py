"""The grammar of one treebank line: PTB brackets with integer labels.

    tree := '(' label word ')'  |  '(' label tree+ ')'

The label `_` says that a node has none. Only ' ' separates: a word is any run of characters other
than ' ', '(' and ')'. White space of another kind is part of a word, because treebanks have such
words (three tokens of the Stanford Sentiment Treebank hold a no-break space).
"""

from __future__ import annotations

import dataclasses
import functools
import re

from recursive_tf._errors import DataError
from recursive_tf.datasets.tree import NO_LABEL, NO_LABEL_TEXT, Tree

_TOKEN = re.compile(r"[()]|[^ ()]+")
_NUM_CONTEXT_CHARS = 40
_MAX_SHOWN_CHARS = 30


def parse_line(
  text: str,
  *,
  binary: bool = True,
  num_labels: int = 5,
  source: str = "<string>",
  line_number: int = 1,
) -> Tree:
  """Parses one tree in PTB brackets, at any depth.

  Args:
    text: one line without its end-of-line character.
    binary: whether an inner node must have exactly two children, else it may have one or more.
    num_labels: labels run from 0 to `num_labels` - 1.
    source: name of the file, for the error.
    line_number: number of the line, for the error.

  Returns:
    The tree.

  Raises:
    DataError: If the line is malformed; gives source, line, column and what was expected.
  """
  tree = _parse_canonical(text, binary, _label_table(num_labels))
  if tree is not None:
    return tree
  return _Parser(text, binary, num_labels, source, line_number).parse()


def malformed(
  source: str,
  line_number: int,
  column: int,
  expected: str,
  got: str,
  text: str,
  unit: str = "line",
  can_skip: bool = True,
) -> DataError:
  """Makes the error for a malformed line; `column` counts characters from 1.

  `unit` is what --skip-bad leaves out because of it, if it `can_skip` such.
  """
  start = max(0, column - 1 - _NUM_CONTEXT_CHARS)
  shown = text[start : column - 1 + _NUM_CONTEXT_CHARS]
  prefix = "..." if start else ""
  suffix = "..." if start + len(shown) < len(text) else ""
  shown = "".join(map(_one_column, shown))
  caret = " " * (len(prefix) + column - 1 - start) + "^"
  skip = f", or leave such {unit}s out with skip_bad=True (command line: --skip-bad)"
  return DataError(
    f"{source}:{line_number}:{column}: malformed tree: expected {expected}, got {got}.\n"
    f"  {prefix}{shown}{suffix}\n  {caret}\n"
    f"Correct the line{skip if can_skip else ''}."
  )


def _one_column(character: str) -> str:
  """Returns what is shown of a character, so that the caret stands below what it points at.

  Tabs and the like are spaces; what would move the cursor, or not be seen, is a mark.
  """
  if character.isprintable():
    return character
  return " " if character.isspace() or character < " " else "\ufffd"


def shorten(text: str) -> str:
  """Returns what was read instead, in quotes, if need be only its beginning."""
  return repr(text if len(text) <= _MAX_SHOWN_CHARS else text[:_MAX_SHOWN_CHARS] + "...")


@functools.lru_cache
def _label_table(num_labels: int) -> dict[str, int]:
  return {**{str(label): label for label in range(num_labels)}, NO_LABEL_TEXT: NO_LABEL}


def _parse_canonical(text: str, binary: bool, labels: dict[str, int]) -> Tree | None:
  """Parses a line spaced as `(3 (2 a) (2 b))`; None where there is the least doubt.

  Splitting at ' ' leaves two kinds of pieces, '(label' and 'word)))', which is several times
  faster than looking at single brackets. `_Parser` decides about every other line.
  """
  open_labels: list[int] = []
  open_starts: list[int] = []  # Per open node: number of trees complete before its children.
  trees: list[Tree] = []
  num_opened = 0
  try:
    for piece in text.split(" "):
      if piece[0] == "(":
        open_labels.append(labels[piece[1:]])
        open_starts.append(len(trees))
        num_opened += 1
        continue
      word = piece.rstrip(")")
      num_closed = len(piece) - len(word)
      if not word or not num_closed or open_starts.pop() != len(trees):
        return None
      trees.append(Tree(open_labels.pop(), word))
      for _ in range(num_closed - 1):
        start = open_starts.pop()
        children = tuple(trees[start:])
        if binary and len(children) != 2:
          return None
        trees[start:] = [Tree(open_labels.pop(), None, children)]
  except (IndexError, KeyError):
    return None
  # Brackets inside a word, or more than one tree.
  if len(trees) != 1 or open_labels or text.count("(") != num_opened:
    return None
  return trees[0] if text.count(")") == num_opened else None


@dataclasses.dataclass(slots=True)
class _OpenNode:
  """A node whose ')' is still to come; `label` is '' until it is read."""

  label: str = ""
  word: str | None = None
  children: list[Tree] = dataclasses.field(default_factory=list)


class _Parser:
  """Parses one line bracket by bracket, and knows at each what it expects."""

  def __init__(
    self, text: str, binary: bool, num_labels: int, source: str, line_number: int
  ) -> None:
    self._text = text
    self._binary = binary
    self._labels = _label_table(num_labels)
    self._label_range = f"a label 0..{num_labels - 1} or {NO_LABEL_TEXT}"
    self._source = source
    self._line_number = line_number
    self._open: list[_OpenNode] = []
    self._done: Tree | None = None

  def parse(self) -> Tree:
    for match in _TOKEN.finditer(self._text):
      token = match.group()
      expected = self._take(token)
      if expected:
        raise self._error(match.start(), expected, shorten(token))
    if self._done is None:
      raise self._error(len(self._text), self._expected(), "the end of the line")
    return self._done

  def _error(self, offset: int, expected: str, got: str) -> DataError:
    return malformed(self._source, self._line_number, offset + 1, expected, got, self._text)

  def _take(self, token: str) -> str | None:
    """Takes one token; returns what was expected when it does not fit."""
    if token == "(":
      if not self._may_open():
        return self._expected()
      self._open.append(_OpenNode())
    elif token == ")":
      if not self._may_close():
        return self._expected()
      node = self._open.pop()
      tree = Tree(self._labels[node.label], node.word, tuple(node.children))
      if self._open:
        self._open[-1].children.append(tree)
      else:
        self._done = tree
    elif not self._open:
      return self._expected()
    elif not self._open[-1].label:
      if token not in self._labels:
        return self._expected()
      self._open[-1].label = token
    else:
      node = self._open[-1]
      if node.word is not None or node.children:
        return self._expected()
      node.word = token
    return None

  def _may_open(self) -> bool:
    if not self._open:
      return self._done is None
    node = self._open[-1]
    is_full = self._binary and len(node.children) == 2
    return bool(node.label) and node.word is None and not is_full

  def _may_close(self) -> bool:
    if not self._open:
      return False
    node = self._open[-1]
    is_complete = len(node.children) == 2 if self._binary else bool(node.children)
    return node.word is not None or is_complete

  def _expected(self) -> str:
    """Says what may come next."""
    if not self._open:
      return "'('" if self._done is None else "the end of the line"
    node = self._open[-1]
    if not node.label:
      return self._label_range
    if node.word is not None:
      return "')' after the word of a leaf"
    if not node.children:
      return "a word or '(' after the label"
    if not self._binary:
      return "'(' or ')' after a child"
    return "'(' of the second child" if len(node.children) == 1 else "')' after the second child"
