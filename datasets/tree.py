"""A labelled tree, as read from a treebank."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from recursive_tf._errors import DataError

if TYPE_CHECKING:
  import nltk

# Of a node without a class, and how it is written.
NO_LABEL, NO_LABEL_TEXT = -1, "_"


@dataclasses.dataclass(frozen=True, eq=False, repr=False, slots=True)
class Tree:
  """One node with all that hangs below it; immutable.

  Every operation walks an explicit stack, so a tree may be as deep as memory allows: comparing,
  hashing, printing, pickling, copying and freeing a chain of 100,000 nodes all work.

  Attributes:
    label: the node's class, e.g. 0 (very negative) .. 4 (very positive); -1, written `_`, for none.
    word: the token at this node; None at an inner node of a constituency tree.
    children: subtrees from left to right; empty at a leaf.
  """

  label: int
  word: str | None = None
  children: tuple[Tree, ...] = ()

  @property
  def is_leaf(self) -> bool:
    """Whether the node has no children."""
    return not self.children

  def pre_order(self) -> Iterator[Tree]:
    """Yields every node, parents first, children from left to right."""
    stack = [self]
    while stack:
      node = stack.pop()
      yield node
      stack.extend(reversed(node.children))

  def post_order(self) -> list[Tree]:
    """Returns every node, children from left to right and then their parent."""
    # Parent first and children from right to left is this order backwards.
    order, stack = [], [self]
    while stack:
      node = stack.pop()
      order.append(node)
      stack.extend(node.children)
    order.reverse()
    return order

  def words(self) -> list[str]:
    """Returns the tokens of the leaves, from left to right."""
    return [node.word for node in self.pre_order() if node.is_leaf and node.word is not None]

  @property
  def num_nodes(self) -> int:
    """Number of nodes, this one included."""
    return sum(1 for _ in self.pre_order())

  @property
  def num_leaves(self) -> int:
    """Number of leaves."""
    return sum(node.is_leaf for node in self.pre_order())

  @property
  def height(self) -> int:
    """Edges on the longest path down to a leaf: 0 for a leaf."""
    open_heights: list[int] = []
    for node in self.post_order():
      start = len(open_heights) - len(node.children)
      height = 1 + max(open_heights[start:]) if node.children else 0
      open_heights[start:] = [height]
    return open_heights[0]

  @classmethod
  def from_post_order(
    cls,
    labels: Sequence[int],
    words: Sequence[str | None],
    num_children: Sequence[int],
  ) -> Tree:
    """Builds a tree from its nodes in post-order; the inverse of `post_order`.

    Args:
      labels: int [N], N >= 1.
      words: str or None [N].
      num_children: int [N], 0 at leaves.

    Returns:
      The tree whose root is the last node.

    Raises:
      DataError: If the lengths differ or the nodes do not form exactly one tree.
    """
    if not len(labels) == len(words) == len(num_children):
      raise DataError(
        "Tree.from_post_order: `labels`, `words` and `num_children` must be equally long, got "
        f"{len(labels)}, {len(words)} and {len(num_children)}."
      )
    open_trees: list[Tree] = []
    for index, (label, word, count) in enumerate(zip(labels, words, num_children, strict=True)):
      start = len(open_trees) - count
      if start < 0 or count < 0:
        raise DataError(
          f"Tree.from_post_order: node {index} has {count} children, but {len(open_trees)} "
          "subtrees are complete before it. Give children before their parent."
        )
      open_trees[start:] = [cls(label, word, tuple(open_trees[start:]))]
    if len(open_trees) != 1:
      raise DataError(
        f"Tree.from_post_order: the nodes form {len(open_trees)} trees, expected 1. "
        "The last node must be the root of all others."
      )
    return open_trees[0]

  @classmethod
  def from_nltk(cls, tree: nltk.Tree) -> Tree:
    """Converts an `nltk.Tree` with integer labels; a leaf is a node whose one child is a string.

    Raises:
      DataError: If a label is no integer, or a node mixes strings and subtrees.
    """
    columns: list[tuple[int, str | None, int]] = []
    stack = [tree]
    while stack:
      label, word, below = _inspect_nltk(stack.pop())
      columns.append((label, word, len(below)))
      stack.extend(below)
    columns.reverse()
    return cls.from_post_order(*zip(*columns, strict=True))

  def to_nltk(self) -> nltk.Tree:
    """Converts to an `nltk.Tree` with the labels as strings, as nltk reads them from a file."""
    import nltk  # Here, because it is slow to import and few need it.

    open_trees: list[nltk.Tree] = []
    for node in self.post_order():
      start = len(open_trees) - len(node.children)
      below = open_trees[start:] if node.children else [node.word]
      open_trees[start:] = [nltk.Tree(_label_text(node.label), below)]
    return open_trees[0]

  def __str__(self) -> str:
    """Formats the tree in PTB brackets, on one line."""
    pieces: list[str] = []
    stack: list[Tree | None] = [self]
    while stack:
      node = stack.pop()
      if node is None:
        pieces.append(")")
        continue
      label = _label_text(node.label)
      pieces.append(f" ({label}" if pieces else f"({label}")
      if node.word is not None:
        pieces.append(f" {node.word}")
      stack.append(None)
      stack.extend(reversed(node.children))
    return "".join(pieces)

  def __repr__(self) -> str:
    return f"<Tree {self}>"

  def __eq__(self, other: object) -> bool:
    if not isinstance(other, Tree):
      return NotImplemented
    pairs = [(self, other)]
    while pairs:
      a, b = pairs.pop()
      if a is b:
        continue
      if a.label != b.label or a.word != b.word or len(a.children) != len(b.children):
        return False
      pairs.extend(zip(a.children, b.children, strict=True))
    return True

  def __hash__(self) -> int:
    return hash(self._columns())

  def __reduce__(self) -> tuple[Any, ...]:
    # The default would recurse once per level, in pickle and in copy.deepcopy.
    return (type(self).from_post_order, self._columns())

  def _columns(self) -> tuple[tuple[int, ...], tuple[str | None, ...], tuple[int, ...]]:
    nodes = self.post_order()
    return (
      tuple(node.label for node in nodes),
      tuple(node.word for node in nodes),
      tuple(len(node.children) for node in nodes),
    )


def _inspect_nltk(node: Any) -> tuple[int, str | None, tuple[Any, ...]]:
  """Returns (label, word, children) of an `nltk.Tree`."""
  label = node.label()
  label = NO_LABEL if label == NO_LABEL_TEXT else label
  if not (isinstance(label, int) or _is_plain_number(label)):
    raise DataError(f"Tree.from_nltk: expected an integer label, got {label!r}.")
  if len(node) == 1 and isinstance(node[0], str):
    return int(label), node[0], ()
  if len(node) == 0 or any(isinstance(child, str) for child in node):
    raise DataError(
      f"Tree.from_nltk: the node labelled {label} must hold one word or only subtrees, got "
      f"{len(node)} entries."
    )
  return int(label), None, tuple(node)


def _label_text(label: int) -> str:
  return NO_LABEL_TEXT if label == NO_LABEL else str(label)


def _is_plain_number(text: object) -> bool:
  # int() would also take '+1', '1_0', '01', ' 1' and digits of other scripts.
  if not (isinstance(text, str) and text.isascii() and text.isdigit()):
    return False
  return text == "0" or text[0] != "0"
