"""Trees where there is no parse, and binary trees of parses that are not binary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recursive_tf._errors import ConfigError, DataError
from recursive_tf.datasets.dependencies import DependencyTree
from recursive_tf.datasets.tree import NO_LABEL, Tree

STRUCTURES = ("right", "left", "balanced")


class Binarised(NamedTuple):
  """A binary tree, and what was done to get it.

  Attributes:
    tree: each node has no children or two.
    num_split: nodes that had more than two children.
    num_collapsed: nodes that had one child, which took their place.
  """

  tree: Tree
  num_split: int
  num_collapsed: int


def tokenize(text: str) -> list[str]:
  """Splits plain text into words as treebanks have them: "don't like it." -> do n't like it ."""
  # Here, because importing nltk takes longer than reading a treebank.
  from nltk.tokenize.treebank import TreebankWordTokenizer

  return list(TreebankWordTokenizer().tokenize(text, convert_parentheses=True))


def join(parts: Sequence[Tree], structure: str) -> Tree:
  """Joins trees, from left to right, into one binary tree whose new nodes have no label.

  Args:
    parts: one tree or more.
    structure: "right": (a (b (c d))); "left": (((a b) c) d); "balanced": ((a b) (c d)).

  Raises:
    ConfigError: If there is no such structure.
    DataError: If there are no parts.
  """
  _check_structure(structure)
  if not parts:
    raise DataError("join: there are no words. Give at least one.")
  joined = list(parts)
  if structure == "right":
    tree = joined.pop()
    while joined:
      tree = Tree(NO_LABEL, None, (joined.pop(), tree))
    return tree
  if structure == "left":
    tree = joined[0]
    for part in joined[1:]:
      tree = Tree(NO_LABEL, None, (tree, part))
    return tree
  return _halves(joined)


def _halves(parts: list[Tree]) -> Tree:
  """Joins halves of halves; the depth is the logarithm of their number."""
  if len(parts) == 1:
    return parts[0]
  middle = (len(parts) + 1) // 2
  return Tree(NO_LABEL, None, (_halves(parts[:middle]), _halves(parts[middle:])))


def tree_of_words(words: Sequence[str], structure: str = "right") -> Tree:
  """Makes the tree of a sentence without a parse; arguments and errors as `join`."""
  return join([Tree(NO_LABEL, word) for word in words], structure)


def dependency_tree_of_words(words: Sequence[str], structure: str = "right") -> DependencyTree:
  """Makes the dependency tree of a sentence without a parse.

  Args:
    words: one or more.
    structure: "right": the first word is the root, and each word depends on the one before it;
      "left": the last is, and each depends on the one after it; "balanced": the middle one is, and
      so on in both halves.

  Raises:
    ConfigError: If there is no such structure.
    DataError: If there are no words.
  """
  _check_structure(structure)
  count = len(words)
  if not count:
    raise DataError("dependency_tree_of_words: there are no words. Give at least one.")
  if structure == "right":
    heads = list(range(-1, count - 1))
  elif structure == "left":
    heads = [*range(1, count), -1]
  else:
    heads = [-1] * count
    parts = [(0, count, -1)]  # (first, end, the head of its middle)
    while parts:
      first, end, head = parts.pop()
      if first < end:
        middle = (first + end) // 2
        heads[middle] = head
        parts += [(first, middle, middle), (middle + 1, end, middle)]
  return DependencyTree(tuple(words), tuple(heads), (0,) * count)


def _check_structure(structure: str) -> None:
  if structure not in STRUCTURES:
    raise ConfigError(f"structure is {structure!r}, expected one of {', '.join(STRUCTURES)}.")


def binarise(tree: Tree, structure: str = "right") -> Binarised:
  """Makes a binary tree of any other.

  A node with one child is left out: the child takes its place, with its own label if it has one.
  The children of a node with more than two are joined, by nodes without a label.

  Args:
    tree: any tree.
    structure: how to join more than two, as in `join`.
  """
  num_split = num_collapsed = 0
  open_trees: list[Tree] = []
  for node in tree.post_order():
    start = len(open_trees) - len(node.children)
    children = open_trees[start:]
    if not node.children:
      made = node
    elif len(children) == 1:
      (made,) = children
      num_collapsed += 1
      if made.label == NO_LABEL:
        made = Tree(node.label, made.word, made.children)
    elif len(children) == 2:
      made = Tree(node.label, None, tuple(children))
    else:
      num_split += 1
      made = Tree(node.label, None, join(children, structure).children)
    open_trees[start:] = [made]
  return Binarised(open_trees[0], num_split, num_collapsed)
