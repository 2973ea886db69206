"""What trained models say about dependency trees: how related two are, and the words' relations."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import tensorflow as tf

from recursive_tf._errors import DataError
from recursive_tf.datasets import (
  NARY_COLUMNS,
  UD_RELATIONS,
  DependencyTree,
  PackedNaryTrees,
  PairBatch,
  RelationBatch,
  Vocabulary,
)
from recursive_tf.datasets.brackets import is_bracketed
from recursive_tf.datasets.structure import STRUCTURES, dependency_tree_of_words, tokenize
from recursive_tf.models import RelatednessTreeLSTM, RelationTreeLSTM
from recursive_tf.subgraph import Prepared, prepare

AnySentence: TypeAlias = "DependencyTree | str"
SCORES = ("1", "2", "3", "4", "5")
ROOT = "root"


@dataclasses.dataclass(frozen=True)
class PairPrediction:
  """What a model says about two sentences.

  Attributes:
    a, b: the sentences, with the trees that were given or assumed.
    relatedness: 1 (unrelated) .. 5 (the same meaning): the mean of the scores.
    probabilities: of the scores 1, 2, 3, 4 and 5, float32 [5].
    unknown_words: words of both that the model does not know; in order, each once.
  """

  a: DependencyTree
  b: DependencyTree
  relatedness: float
  probabilities: np.ndarray
  unknown_words: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class RelationPrediction:
  """What a model says about the N words of a dependency tree.

  Attributes:
    tree: the sentence.
    probabilities: of UD_RELATIONS for each word, float32 [N, K]. Zeros at the root, which has no
      head: its relation is "root".
    is_unknown: whether the model does not know a word, bool [N].
  """

  tree: DependencyTree
  probabilities: np.ndarray
  is_unknown: np.ndarray

  @property
  def relations(self) -> tuple[str, ...]:
    """The likeliest relation of each word to its head."""
    best = np.argmax(self.probabilities, axis=1)
    return tuple(
      ROOT if head < 0 else UD_RELATIONS[place]
      for head, place in zip(self.tree.heads, best, strict=True)
    )

  @property
  def unknown_words(self) -> tuple[str, ...]:
    """Words that the model does not know; in order, each once."""
    words = zip(self.tree.words, self.is_unknown, strict=True)
    return tuple(dict.fromkeys(word for word, is_unknown in words if is_unknown))


class PairPredictor:
  """Compares pairs of sentences; makes its graph once, for trees of all shapes."""

  def __init__(self, model: RelatednessTreeLSTM, vocabulary: Vocabulary):
    self._vocabulary = vocabulary
    self._scores = _prepared(lambda batch: tf.nn.softmax(model.logits(batch)), PairBatch)

  def predict(
    self, pairs: Sequence[tuple[DependencyTree, DependencyTree]]
  ) -> Iterator[PairPrediction]:
    """Yields a prediction a pair, all computed together."""
    trees = PackedNaryTrees.pack([tree for pair in pairs for tree in pair], self._vocabulary)
    arrays = trees.batch_arrays(range(len(trees)))
    found = self._scores(*arrays.values(), np.zeros(len(pairs), np.float32)).numpy()
    for (a, b), row in zip(pairs, found, strict=True):
      words = dict.fromkeys((*a.words, *b.words))
      unknown = tuple(word for word in words if self._vocabulary.lookup(word) == 0)
      mean = float(row.astype(np.float64) @ np.arange(1.0, len(SCORES) + 1))
      yield PairPrediction(a, b, mean, row, unknown)


class RelationPredictor:
  """Finds the relations of words; makes its graph once, for trees of all shapes."""

  def __init__(self, model: RelationTreeLSTM, vocabulary: Vocabulary):
    self._vocabulary = vocabulary
    self._relations = _prepared(lambda batch: tf.nn.softmax(model.logits(batch)), RelationBatch)

  def predict(self, trees: Sequence[DependencyTree]) -> Iterator[RelationPrediction]:
    """Yields a prediction a tree, all computed together."""
    # Packing changes the order of the words, so the place of each goes along as its tag.
    placed = [dataclasses.replace(tree, tags=tuple(range(len(tree.words)))) for tree in trees]
    packed = PackedNaryTrees.pack(placed, self._vocabulary)
    place = packed.nodes[:, NARY_COLUMNS.index("label")]
    splits = packed.node_splits
    in_order = place + np.repeat(
      splits[:-1], np.diff(splits)
    )  # Of all words, sentence by sentence.
    heads = [head for tree in trees for head in tree.heads]
    is_left = place < np.array(heads, np.int32)[in_order]
    arrays = packed.batch_arrays(range(len(packed)))
    probabilities = np.empty([len(place), len(UD_RELATIONS)], np.float32)
    probabilities[in_order] = self._relations(*arrays.values(), is_left.astype(np.int32)).numpy()
    for tree, start, end in zip(trees, splits, splits[1:], strict=False):
      own = probabilities[start:end].copy()
      own[tree.root] = 0.0
      ids = [self._vocabulary.lookup(word) for word in tree.words]
      yield RelationPrediction(tree, own, np.array(ids) == 0)


def sentence_tree(
  sentence: AnySentence, structure: str | None, source: str, line_number: int = 1
) -> DependencyTree:
  """Returns the tree of a sentence: its own, or of plain text the one that `structure` names.

  Raises:
    DataError: If it is no sentence, or is plain text and `structure` is None.
  """
  if isinstance(sentence, DependencyTree):
    return sentence
  place = f"{source}:{line_number}"
  if not isinstance(sentence, str):
    got = type(sentence).__name__
    raise DataError(f"{source}: expected a DependencyTree or a string, got {got}.")
  if is_bracketed(sentence):
    raise DataError(
      f"{place}: brackets are trees of phrases; this model has dependency trees. Give CoNLL-U, or "
      "plain text."
    )
  words = tokenize(sentence)
  if not words:
    raise DataError(f"{place}: expected a sentence, got no words.")
  if structure is None:
    raise DataError(
      f"{place}: {sentence[:40]!r} has no parse. Say which tree to take it for, "
      f"structure={STRUCTURES[0]!r} for instance."
    )
  return dependency_tree_of_words(words, structure)


def _prepared(function: Callable[[Any], tf.Tensor], batch_class: Any) -> Prepared:
  """Returns `function` of a batch as one of the batch's fields: as for trees of phrases."""
  specs = batch_class.field_specs()

  def of_fields(*fields: tf.Tensor) -> tf.Tensor:
    return function(batch_class(**dict(zip(specs, fields, strict=True))))

  return prepare(of_fields, *specs.values())
