"""What there is to see of a prediction: marks, sides, and where a side is turned into the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from recursive_tf.datasets import Tree

# By number of classes, from negative to positive.
_MARKS = {2: ("−", "+"), 5: ("−−", "−", "○", "+", "++")}
# Least difference of probabilities for a side to count as turned: words without sentiment are on
# either side by chance.
_CERTAIN = 0.5


@dataclasses.dataclass(frozen=True)
class ShownNode:
  """One node.

  Attributes:
    word: of a leaf, else None.
    children: places of its children among the nodes.
    start, end: its words are those from `start` up to `end`.
    predicted: its class.
    mark: that class as a sign, such as "++".
    probability: of that class.
    score: where it stands between -1, surely negative, and 1, surely positive.
    side: what speaks for positive less what speaks for negative, -1 .. 1.
    is_flip: whether it is on one side and the strongest of its children on the other, each with
      some certainty, as in "not good".
    is_unknown: whether the model does not know the word.
  """

  word: str | None
  children: tuple[int, ...]
  start: int
  end: int
  predicted: int
  mark: str
  probability: float
  score: float
  side: float
  is_flip: bool
  is_unknown: bool


@dataclasses.dataclass(frozen=True)
class ShownTree:
  """A tree with what was predicted.

  Attributes:
    nodes: in post-order, the root last.
    words: the sentence.
    class_names: names of the K classes, from negative to positive.
    probabilities: float [N, K].
  """

  nodes: tuple[ShownNode, ...]
  words: tuple[str, ...]
  class_names: tuple[str, ...]
  probabilities: np.ndarray

  @property
  def root(self) -> ShownNode:
    """The whole sentence."""
    return self.nodes[-1]

  def text_of(self, node: ShownNode) -> str:
    """Returns the words of a node."""
    return " ".join(self.words[node.start : node.end])

  def verdict(self, node: int) -> str:
    """Returns the probabilities of a node's classes in words, the likeliest first."""
    row = self.probabilities[node]
    order = np.argsort(-row, kind="stable")
    return ", ".join(f"{self.class_names[k]} {row[k]:.1%}" for k in order)


def marks(num_classes: int) -> tuple[str, ...]:
  """Returns a sign for each class; of other scales than the known ones, their numbers."""
  return _MARKS.get(num_classes) or tuple(map(str, range(num_classes)))


def class_scores(num_classes: int) -> np.ndarray:
  """Returns where the classes stand between -1 and 1, float [K]."""
  return np.linspace(-1.0, 1.0, num_classes) if num_classes > 1 else np.zeros(1)


def shown_tree(
  tree: Tree, probabilities: np.ndarray, class_names: Sequence[str], unknown: np.ndarray
) -> ShownTree:
  """Works out what to show.

  Args:
    tree: N nodes.
    probabilities: float [N, K], nodes in post-order, classes from negative to positive.
    class_names: names of the classes.
    unknown: whether the word of each node is unknown, bool [N].
  """
  signs = marks(len(class_names))
  values = class_scores(len(class_names))
  nodes: list[ShownNode] = []
  words: list[str] = []
  open_nodes: list[int] = []
  for place, node in enumerate(tree.post_order()):
    first = len(open_nodes) - len(node.children)
    children = tuple(open_nodes[first:])
    open_nodes[first:] = [place]
    if node.word is not None:
      words.append(node.word)
    row = np.asarray(probabilities[place], np.float64)
    best = int(row.argmax())
    side = float(row @ np.sign(values))
    strongest = max((nodes[child].side for child in children), key=abs, default=0.0)
    nodes.append(
      ShownNode(
        word=node.word,
        children=children,
        start=nodes[children[0]].start if children else len(words) - 1,
        end=len(words),
        predicted=best,
        mark=signs[best],
        probability=float(row[best]),
        score=float(row @ values),
        side=side,
        is_flip=side * strongest < 0 and min(abs(side), abs(strongest)) >= _CERTAIN,
        is_unknown=bool(unknown[place]),
      )
    )
  return ShownTree(tuple(nodes), tuple(words), tuple(class_names), np.asarray(probabilities))
