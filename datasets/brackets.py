"""Trees as people write them: brackets whose labels may be missing, and no brackets at all.

    tree := '(' [label] item+ ')'        item := word | tree

`read_ptb` reads treebanks, where every node has a label to learn; here a tree is to be predicted
on. A label is a whole number, a label of the Penn Treebank (NP, VBZ, NP-SBJ), or `_`, which says
that there is none; it stands first in its bracket. So `(not good)`, `((not) (good))`,
`(1 (2 not) (3 good))` and `(ADJP (RB not) (JJ good))` are the same tree, and a number is the first
word of a bracket only behind `_`: `(_ 7 dwarfs)`.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from recursive_tf._errors import DataError
from recursive_tf.datasets.ptb_syntax import malformed, shorten
from recursive_tf.datasets.tree import NO_LABEL, NO_LABEL_TEXT, Tree

if TYPE_CHECKING:
  import nltk

# As in treebanks, a no-break space is part of a word.
_TOKEN = re.compile(r"[()]|[^ \t\r\n()]+")
_NUMBER = re.compile(r"-?[0-9]+")
_PENN = frozenset(
  "S SBAR SBARQ SINV SQ ADJP ADVP CONJP FRAG INTJ LST NAC NP NX PP PRN PRT QP RRC UCP VP WHADJP "
  "WHADVP WHNP WHPP X ROOT TOP CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP "
  "PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB -NONE- -LRB- -RRB-".split()
)
_FUNCTION = re.compile(r"([A-Z]+\$?)(?:[-=|][A-Z0-9]+)+")  # NP-SBJ, NP=2
_MARKS = frozenset([",", ".", ":", "``", "''", "$", "#", "HYPH"])


def is_bracketed(text: str) -> bool:
  """Tells whether `text` is a tree in brackets, to `parse_brackets`, or plain words."""
  return text.lstrip().startswith("(")


def parse_brackets(
  text: str, *, num_labels: int = 5, source: str = "<string>", line_number: int = 1
) -> Tree:
  """Parses one tree, at any depth; a node may have any number of children.

  Args:
    text: one tree.
    num_labels: whole numbers run from 0 to `num_labels` - 1.
    source: name of the file, for the error.
    line_number: number of the line, for the error.

  Returns:
    The tree. Nodes without a label, or with one that is no whole number, have NO_LABEL.

  Raises:
    DataError: If it is malformed; gives source, line, column and what was expected.
  """
  return _Reader(text, num_labels, source, line_number).read()


def tree_of_nltk(tree: nltk.Tree, num_labels: int = 5) -> Tree:
  """Converts an `nltk.Tree` of any labels and any numbers of children.

  Labels that are no whole number in 0 .. `num_labels` - 1, such as "NP", become NO_LABEL.

  Raises:
    DataError: If a node has no children, or something that is neither a word nor a tree.
  """
  columns: list[tuple[int, str | None, int]] = []
  stack: list[object] = [tree]
  while stack:
    node = stack.pop()
    if isinstance(node, str):
      columns.append((NO_LABEL, node, 0))
      continue
    label, below = _nltk_parts(node)
    number = int(label) if re.fullmatch("[0-9]{1,9}", label) else NO_LABEL
    number = number if number < num_labels else NO_LABEL
    if len(below) == 1 and isinstance(below[0], str):
      columns.append((number, below[0], 0))
    else:
      columns.append((number, None, len(below)))
      stack.extend(below)
  columns.reverse()
  return Tree.from_post_order(*zip(*columns, strict=True))


def _nltk_parts(node: object) -> tuple[str, list[object]]:
  label = getattr(node, "label", None)
  below = list(node) if isinstance(node, list) else []
  if not callable(label) or not below:
    raise DataError(
      f"nltk.Tree: expected a node with words or trees below it, got {shorten(str(node))} of type "
      f"{type(node).__name__}."
    )
  return str(label()), below


@dataclasses.dataclass(slots=True)
class _OpenNode:
  """A node whose ')' is still to come.

  Attributes:
    offset: where its '(' is.
    is_fresh: whether nothing followed the '(' yet, so that a label may.
  """

  offset: int
  label: int = NO_LABEL
  label_text: str = ""
  is_fresh: bool = True
  children: list[Tree] = dataclasses.field(default_factory=list)


class _Reader:
  """Reads one tree token by token."""

  def __init__(self, text: str, num_labels: int, source: str, line_number: int):
    self._text = text
    self._num_labels = num_labels
    self._source = source
    self._line_number = line_number
    self._open: list[_OpenNode] = []
    self._done: Tree | None = None

  def read(self) -> Tree:
    for match in _TOKEN.finditer(self._text):
      token, offset = match.group(), match.start()
      if self._done is not None:
        raise self._error(offset, "the end of the line after the last ')'", shorten(token))
      if token == "(":
        if self._open:
          self._open[-1].is_fresh = False
        self._open.append(_OpenNode(offset))
      elif not self._open:
        raise self._error(offset, "'('", shorten(token))
      elif token == ")":
        self._close(offset)
      else:
        self._take(token, offset)
    if self._done is None:
      raise self._unfinished()
    return self._done

  def _take(self, token: str, offset: int) -> None:
    """Takes a label or a word."""
    node = self._open[-1]
    if node.is_fresh and self._is_label(token):
      node.label_text = token
      if _NUMBER.fullmatch(token):
        node.label = self._label(token, offset)
    else:
      node.children.append(Tree(NO_LABEL, token))
    node.is_fresh = False

  def _is_label(self, token: str) -> bool:
    if token == NO_LABEL_TEXT or token in _PENN or _NUMBER.fullmatch(token):
      return True
    function = _FUNCTION.fullmatch(token)
    if function:
      return function[1] in _PENN
    return token in _MARKS  # Taken back in `_close`, if no mark follows.

  def _label(self, token: str, offset: int) -> int:
    if len(token) > 9 or not 0 <= int(token) < self._num_labels:
      word = shorten(token)[1:-1]
      expected = (
        f"a label 0..{self._num_labels - 1} at the beginning of a bracket (a number that is a word "
        f"is written behind '_': (_ {word} ...))"
      )
      raise self._error(offset, expected, shorten(token))
    return int(token)

  def _close(self, offset: int) -> None:
    node = self._open.pop()
    children = node.children
    if node.label_text and self._is_word_after_all(node):
      children.insert(0, Tree(NO_LABEL, node.label_text))
    if not children:
      expected = "a word or '('"
      if node.label_text:
        expected += f" after the label {shorten(node.label_text)}"
      if _NUMBER.fullmatch(node.label_text):
        expected += f" (a number that is a word is written (_ {node.label_text}))"
      raise self._error(offset, expected, "')'")
    if len(children) == 1 and children[0].is_leaf and children[0].label == NO_LABEL:
      tree = Tree(node.label, children[0].word)
    else:
      tree = Tree(node.label, None, tuple(children))
    if self._open:
      self._open[-1].children.append(tree)
    else:
      self._done = tree

  def _is_word_after_all(self, node: _OpenNode) -> bool:
    """Tells whether what was taken for a label is a word: "(TO)", "(, and)", but not "(. !)"."""
    text, children = node.label_text, node.children
    if text == NO_LABEL_TEXT or _NUMBER.fullmatch(text):
      return False
    if text not in _MARKS:
      return not children
    word = children[0].word if len(children) == 1 else None
    return word is None or any(map(str.isalnum, word))

  def _unfinished(self) -> DataError:
    end = len(self._text.rstrip())
    if not self._open:
      return self._error(end, "'('", "the end of the line")
    column = self._open[-1].offset + 1
    count = len(self._open)
    missing = "a ')'" if count == 1 else f"{count} more ')'"
    return self._error(
      end, f"{missing}, the first for the '(' in column {column}", "the end of the line"
    )

  def _error(self, offset: int, expected: str, got: str) -> DataError:
    return malformed(
      self._source, self._line_number, offset + 1, expected, got, self._text, can_skip=False
    )
