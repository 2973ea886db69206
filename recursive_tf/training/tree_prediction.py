"""What a classifier of phrases says about trees, and how it comes to it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np
import tensorflow as tf

from recursive_tf._errors import DataError
from recursive_tf.datasets import PackedTrees, Tree, TreeBatch, Vocabulary
from recursive_tf.datasets import structure as structures
from recursive_tf.datasets.brackets import is_bracketed, parse_brackets, tree_of_nltk
from recursive_tf.display import ShownTree, shown_tree, tree_svg
from recursive_tf.display.text import Style, tree_text
from recursive_tf.models import TreeClassifier
from recursive_tf.models.labels import NUM_LABELS
from recursive_tf.subgraph import Prepared, prepare

if TYPE_CHECKING:
  import nltk

AnyTree: TypeAlias = "Tree | nltk.Tree | str"


@dataclasses.dataclass(frozen=True)
class TreePrediction:
  """What a model says about one tree of N nodes, in K classes; nodes in post-order, root last.

  Attributes:
    tree: what was predicted on: binary, the label of a node without one is -1.
    probabilities: float32 [N, K].
    class_names: K names.
    unknown: whether the model does not know a node's word, bool [N]; False at inner nodes.
    num_split, num_collapsed: nodes with more than two children or one, which the model does not
      have, so that they were split or left out.
  """

  tree: Tree
  probabilities: np.ndarray
  class_names: tuple[str, ...]
  unknown: np.ndarray
  num_split: int = 0
  num_collapsed: int = 0

  @property
  def classes(self) -> np.ndarray:
    """The likeliest class of each node, int64 [N]."""
    return np.argmax(self.probabilities, axis=1)

  @property
  def root_class(self) -> int:
    """The likeliest class of the whole tree."""
    return int(self.classes[-1])

  @property
  def root_probabilities(self) -> np.ndarray:
    """Of the whole tree, float32 [K]."""
    return self.probabilities[-1]

  @property
  def unknown_words(self) -> tuple[str, ...]:
    """Words that the model does not know, which it takes for one and the same; in order, once."""
    nodes = zip(self.tree.post_order(), self.unknown, strict=True)
    return tuple(dict.fromkeys(str(node.word) for node, is_unknown in nodes if is_unknown))

  def shown(self) -> ShownTree:
    """Returns what there is to see of it, for `recursive_tf.display`."""
    return shown_tree(self.tree, self.probabilities, self.class_names, self.unknown)

  def to_svg(self) -> str:
    """Returns a picture of the tree as an `<svg>` element; notebooks show it by themselves."""
    return tree_svg(self.shown())

  def _repr_svg_(self) -> str:
    return self.to_svg()

  def __str__(self) -> str:
    """Returns the tree as `recursive-tf predict` prints it, without colours."""
    return tree_text(self.shown(), Style())

  def __repr__(self) -> str:
    name = self.class_names[self.root_class]
    share = self.root_probabilities[self.root_class]
    words = " ".join(self.tree.words())
    return f"<TreePrediction: {name} ({share:.1%}) {words!r}>"


class Predictions(Sequence[TreePrediction]):
  """What a model says about B trees: a sequence of `TreePrediction`, and arrays of their roots."""

  def __init__(self, trees: Iterable[TreePrediction], num_classes: int):
    self._trees = tuple(trees)
    self._num_classes = num_classes

  @property
  def root_classes(self) -> np.ndarray:
    """The likeliest class of each tree, int64 [B]."""
    return np.argmax(self.root_probabilities, axis=1)

  @property
  def root_probabilities(self) -> np.ndarray:
    """Probabilities of each tree's classes, float32 [B, K]."""
    roots = [tree.root_probabilities for tree in self._trees]
    return np.stack(roots) if roots else np.zeros([0, self._num_classes], np.float32)

  @property
  def unknown_words(self) -> tuple[str, ...]:
    """Words of all trees that the model does not know; in order, each once."""
    return tuple(dict.fromkeys(word for tree in self._trees for word in tree.unknown_words))

  @overload
  def __getitem__(self, index: int) -> TreePrediction: ...
  @overload
  def __getitem__(self, index: slice) -> Predictions: ...
  def __getitem__(self, index: int | slice) -> TreePrediction | Predictions:
    if isinstance(index, slice):
      return Predictions(self._trees[index], self._num_classes)
    return self._trees[index]

  def __len__(self) -> int:
    return len(self._trees)

  def __repr__(self) -> str:
    return f"<Predictions: {list(self._trees)!r}>"


class TreePredictor:
  """Classifies the nodes of trees; makes its graph once, for trees of all shapes."""

  def __init__(self, classifier: TreeClassifier, vocabulary: Vocabulary):
    self._class_names = classifier.task.class_names
    self._vocabulary = vocabulary
    self._probabilities = _prepare_probabilities(classifier)

  def predict(self, trees: Sequence[structures.Binarised]) -> Iterator[TreePrediction]:
    """Yields a prediction a tree, all computed together."""
    packed = PackedTrees.pack([tree for tree, _, _ in trees], self._vocabulary)
    arrays = packed.batch_arrays(range(len(packed)))
    fields = [tf.constant(arrays[name]) for name in TreeBatch.field_specs()]
    probabilities = self._probabilities(*fields).numpy()
    for (tree, num_split, num_collapsed), start, end in zip(
      trees, packed.node_splits, packed.node_splits[1:], strict=False
    ):
      yield TreePrediction(
        tree,
        probabilities[start:end],
        self._class_names,
        packed.word[start:end] == 0,
        num_split,
        num_collapsed,
      )


def _prepare_probabilities(classifier: TreeClassifier) -> Prepared:
  """Returns a function of the fields of a batch: probabilities of all nodes, float [N, K].

  Of plain tensors and prepared: to make a batch of one tree, and to find the graph for it, would
  take several times as long as to run it.
  """
  specs = TreeBatch.field_specs()

  def probabilities(*fields: tf.Tensor) -> tf.Tensor:
    batch = TreeBatch(**dict(zip(specs, fields, strict=True)))
    return tf.nn.softmax(classifier.node_logits(batch))

  return prepare(probabilities, *specs.values())


def tree_of_text(
  text: str, structure: str | None, source: str, line_number: int = 1
) -> structures.Binarised:
  """Makes the tree of a line: of its brackets, or of its words by `structure`.

  Raises:
    DataError: If the brackets are malformed, there are no words, or there is no `structure`.
  """
  if is_bracketed(text):
    tree = parse_brackets(text, num_labels=NUM_LABELS, source=source, line_number=line_number)
    return structures.binarise(tree, structure or "right")
  words = structures.tokenize(text)
  if not words:
    raise DataError(f"{source}:{line_number}: expected a tree or a sentence, got no words.")
  if structure is None:
    raise DataError(
      f"{source}:{line_number}: no brackets in {text[:40]!r}, so there is no parse. Say which tree "
      f"to take it for, structure={structures.STRUCTURES[0]!r} for instance."
    )
  return structures.Binarised(structures.tree_of_words(words, structure), 0, 0)


def to_tree(tree: AnyTree, number: int, structure: str | None) -> structures.Binarised:
  """Makes the tree of what a user gives, `number` of its list.

  Raises:
    DataError: If it is none.
  """
  if isinstance(tree, str):
    return tree_of_text(tree, structure, f"<tree {number}>")
  if isinstance(tree, Tree):
    return structures.binarise(tree, structure or "right")
  if callable(getattr(tree, "label", None)):
    return structures.binarise(tree_of_nltk(tree, NUM_LABELS), structure or "right")
  raise DataError(
    f"<tree {number}>: expected a Tree, an nltk.Tree or a string, got {type(tree).__name__}."
  )
