"""A trained run as an object: its model, its words, and what it says about trees."""

from __future__ import annotations

import os
import pathlib
import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from recursive_tf._errors import ConfigError, DataError
from recursive_tf.datasets import UD_RELATIONS, DependencyTree, Tree, Vocabulary
from recursive_tf.datasets.structure import Binarised
from recursive_tf.models import (
  RelatednessTreeLSTM,
  RelationTreeLSTM,
  Trainable,
  TreeClassifier,
)
from recursive_tf.training import runs
from recursive_tf.training.checkpoint import Restored, restore_weights
from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import VOCABULARY_NAME, load_vocabulary
from recursive_tf.training.dependencies import check_dependents
from recursive_tf.training.dependency_prediction import (
  SCORES,
  AnySentence,
  PairPrediction,
  PairPredictor,
  RelationPrediction,
  RelationPredictor,
  sentence_tree,
)
from recursive_tf.training.tree_prediction import (
  AnyTree,
  Predictions,
  TreePrediction,
  TreePredictor,
  to_tree,
)

_MAX_SHOWN_WORDS = 10


class TrainedRun:
  """A run that `recursive-tf train` wrote; `load_run` makes it.

  Attributes:
    directory: where it lies.
    config: what it was trained with.
    vocabulary: its words; `vocabulary.lookup(word)` treats case as in training.
    model: with the weights of the best epoch on dev.
    restored: the checkpoint they are from; its `notes` say if it is not that of the best epoch.
  """

  def __init__(
    self,
    directory: pathlib.Path,
    config: RunConfig,
    vocabulary: Vocabulary,
    model: Trainable,
    restored: Restored,
  ):
    self.directory = directory
    self.config = config
    self.vocabulary = vocabulary
    self.model = model
    self.restored = restored
    self._trees: TreePredictor | None = None
    self._pairs: PairPredictor | None = None
    self._relations: RelationPredictor | None = None

  def __repr__(self) -> str:
    return f"<TrainedRun {self.directory}: {self.config.model}, {self.vocabulary.size} words>"

  @property
  def class_names(self) -> tuple[str, ...]:
    """Names of the K classes: of phrases, of words' relations, or the scores of pairs."""
    if isinstance(self.model, RelatednessTreeLSTM):
      return SCORES
    if isinstance(self.model, RelationTreeLSTM):
      return UD_RELATIONS
    return self._classifier().task.class_names

  def predict(
    self, trees: AnyTree | Iterable[AnyTree], *, structure: str | None = None, batch_size: int = 64
  ) -> Predictions:
    """Predicts the class of every node.

    Args:
      trees: a tree or any number of them: `Tree`, `nltk.Tree`, or text in brackets, labels or not:
        "(not good)", "(1 (2 not) (3 good))", "(ADJP (RB not) (JJ good))". Nodes of one child are
        left out, those of more than two are split ("right" if `structure` is None).
      structure: "right", "left" or "balanced": the binary tree that plain text is taken for; what
        is not in brackets is plain text.
      batch_size: trees that are computed together.

    Returns:
      A sequence of one `TreePrediction` a tree, in order. Words that the model does not know are in
      its `unknown_words`, and a UserWarning says them.

    Raises:
      ConfigError: If the model is no classifier, or an option is not allowed.
      DataError: If a tree is malformed, or is plain text and `structure` is None.
    """
    if isinstance(trees, str | Tree) or callable(getattr(trees, "label", None)):
      trees = [trees]  # An nltk.Tree is a list, too.
    predictions = self.predict_binarised(
      [to_tree(tree, number, structure) for number, tree in enumerate(trees)], batch_size
    )
    _warn_of(predictions.unknown_words)
    return predictions

  def predict_binarised(self, trees: Sequence[Binarised], batch_size: int = 64) -> Predictions:
    """Predicts the class of every node of trees that are binary; as `predict`, but warns nobody."""
    _check_batch_size(batch_size)
    classifier = self._classifier()
    if self._trees is None:
      self._trees = TreePredictor(classifier, self.vocabulary)
    found: list[TreePrediction] = []
    for start in range(0, len(trees), batch_size):
      found += self._trees.predict(trees[start : start + batch_size])
    self._check_finite([each.probabilities for each in found])
    return Predictions(found, classifier.task.num_classes)

  def predict_pairs(
    self,
    pairs: Iterable[tuple[AnySentence, AnySentence]],
    *,
    structure: str | None = None,
    batch_size: int = 64,
  ) -> tuple[PairPrediction, ...]:
    """Predicts how related sentences are, with a run that was trained on SICK.

    Args:
      pairs: any number of them, each two sentences: a `DependencyTree`, or plain text.
      structure: "right", "left" or "balanced": the tree that plain text is taken for, as in
        `dependency_tree_of_words`.
      batch_size: pairs that are computed together.

    Returns:
      A prediction a pair, in order. Words that the model does not know are in its
      `unknown_words`, and a UserWarning says them.

    Raises:
      ConfigError: If the model learnt something else, or an option is not allowed.
      DataError: If a sentence is none, or is plain text and `structure` is None, or a word has more
        dependents than an N-ary model takes.
    """
    trees = []
    for number, pair in enumerate(pairs):
      if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise DataError(f"<pair {number}>: expected two sentences, got {pair!r:.60}.")
      a, b = (sentence_tree(sentence, structure, f"<pair {number}>") for sentence in pair)
      trees.append((a, b))
    found = self.predict_parsed_pairs(trees, batch_size)
    _warn_of(dict.fromkeys(word for each in found for word in each.unknown_words))
    return found

  def predict_parsed_pairs(
    self, pairs: Sequence[tuple[DependencyTree, DependencyTree]], batch_size: int = 64
  ) -> tuple[PairPrediction, ...]:
    """Predicts as `predict_pairs`, but warns nobody."""
    _check_batch_size(batch_size)
    if self._pairs is None:
      if not isinstance(self.model, RelatednessTreeLSTM):
        raise self._learnt_something_else("does not compare sentences")
      self._pairs = PairPredictor(self.model, self.vocabulary)
    check_dependents([tree for pair in pairs for tree in pair], self.config, "predict")
    found: list[PairPrediction] = []
    for start in range(0, len(pairs), batch_size):
      found += self._pairs.predict(pairs[start : start + batch_size])
    self._check_finite([each.probabilities for each in found])
    return tuple(found)

  def predict_relations(
    self, trees: DependencyTree | Iterable[DependencyTree], *, batch_size: int = 64
  ) -> tuple[RelationPrediction, ...]:
    """Predicts the relation of each word to its head, with a run that was trained on a UD treebank.

    Args:
      trees: a sentence or any number of them, with the words' heads; relations are not needed.
      batch_size: sentences that are computed together.

    Returns:
      A prediction a sentence, in order. Words that the model does not know are in its
      `unknown_words`, and a UserWarning says them.

    Raises:
      ConfigError: If the model learnt something else, or an option is not allowed.
      DataError: If what is given is no `DependencyTree`, or a word has more dependents than an
        N-ary model takes.
    """
    given = [trees] if isinstance(trees, DependencyTree | str) else list(trees)
    for number, tree in enumerate(given):
      if not isinstance(tree, DependencyTree):
        got = type(tree).__name__
        raise DataError(f"<tree {number}>: expected a DependencyTree, got {got}: heads are needed.")
    found = self.predict_parsed_relations(given, batch_size)
    _warn_of(dict.fromkeys(word for each in found for word in each.unknown_words))
    return found

  def predict_parsed_relations(
    self, trees: Sequence[DependencyTree], batch_size: int = 64
  ) -> tuple[RelationPrediction, ...]:
    """Predicts as `predict_relations`, but warns nobody."""
    _check_batch_size(batch_size)
    if self._relations is None:
      if not isinstance(self.model, RelationTreeLSTM):
        raise self._learnt_something_else("does not label relations")
      self._relations = RelationPredictor(self.model, self.vocabulary)
    check_dependents(trees, self.config, "predict")
    found: list[RelationPrediction] = []
    for start in range(0, len(trees), batch_size):
      found += self._relations.predict(trees[start : start + batch_size])
    self._check_finite([each.probabilities.sum(1) for each in found])
    return tuple(found)

  def _classifier(self) -> TreeClassifier:
    if not isinstance(self.model, TreeClassifier):
      raise self._learnt_something_else("has no classes of phrases")
    return self.model

  def _learnt_something_else(self, what: str) -> ConfigError:
    use = "Use a run of another model than top-down-treelstm"
    if isinstance(self.model, RelatednessTreeLSTM):
      use = "Use `predict_pairs`"
    elif isinstance(self.model, RelationTreeLSTM):
      use = "Use `predict_relations`"
    elif isinstance(self.model, TreeClassifier):
      use = "Use `predict`"
    return ConfigError(
      f"{self.directory}: {self.config.model} ({self.config.task}) {what}. {use}; or, in Python, "
      "methods of `load_run(dir).model`."
    )

  def _check_finite(self, found: np.ndarray | Sequence[np.ndarray]) -> None:
    """Checks probabilities.

    Raises:
      ConfigError: If the weights are worth nothing.
    """
    if not all(np.isfinite(each).all() for each in found):
      raise ConfigError(
        f"{self.restored.path}: probabilities with these weights are not finite. Train anew with a "
        "lower --learning-rate and another --out."
      )


def _check_batch_size(batch_size: int) -> None:
  if batch_size < 1:
    raise ConfigError(f"predict: batch_size is {batch_size}, expected at least 1.")


def _warn_of(words: Iterable[str]) -> None:
  """Warns the caller of the method of words that the model does not know."""
  unknown = tuple(words)
  if unknown:
    warnings.warn(f"{describe_unknown(unknown)}.", UserWarning, stacklevel=3)


def load_run(directory: str | os.PathLike[str]) -> TrainedRun:
  """Loads a trained run, with the weights of its best epoch.

  ```python
  run = rtf.load_run("runs/treelstm-sst-binary")
  found = run.predict(["(not (very good))", "((not bad) (at all))"])
  found.root_classes, found[0].probabilities        # int64 [2], float32 [5, 2]
  ```

  Args:
    directory: what `recursive-tf train` wrote.

  A warning says if the weights are not those of the best epoch, as these are missing or damaged.

  Raises:
    CheckpointError: If there is no run, or one of its files is missing or damaged.
  """
  run = read_run(directory)
  for note in run.restored.notes:
    warnings.warn(note, stacklevel=2)
  return run


def read_run(directory: str | os.PathLike[str]) -> TrainedRun:
  """Loads a run as `load_run` does, without its warnings."""
  directory = pathlib.Path(directory)
  config = runs.load_run(directory)
  vocabulary = load_vocabulary(directory / VOCABULARY_NAME, config)
  model = runs.make_model(config, vocabulary.size)
  return TrainedRun(directory, config, vocabulary, model, restore_weights(directory, model))


def describe_unknown(words: Sequence[str]) -> str:
  """Says which words a model does not know."""
  shown = ", ".join(words[:_MAX_SHOWN_WORDS])
  more = f" and {len(words) - _MAX_SHOWN_WORDS} more" if len(words) > _MAX_SHOWN_WORDS else ""
  one = "this word was" if len(words) == 1 else "these words were"
  return f"{one} not in the training data, and all such count as one: {shown}{more}"
