"""What a classifier says about the nodes of a split, and how often it is right by kind of tree."""

from __future__ import annotations

import dataclasses

import numpy as np
import tensorflow as tf

from recursive_tf._errors import CheckpointError
from recursive_tf.datasets import PackedTrees, TreeBatch
from recursive_tf.models import TreeClassifier
from recursive_tf.models.labels import BINARY_CLASS

_BATCH_SIZE = 50
_Z = 1.96  # Of a standard normal distribution, 95% lies within.


@dataclasses.dataclass(frozen=True)
class Answers:
  """Nodes that have a class, int [M] each and bool [M].

  Attributes:
    expected, predicted: the class of a node, and the likeliest by the model.
    is_root: whether it is a whole sentence.
    length: words below it.
    height: edges down to its farthest word.
  """

  expected: np.ndarray
  predicted: np.ndarray
  is_root: np.ndarray
  length: np.ndarray
  height: np.ndarray

  @property
  def is_right(self) -> np.ndarray:
    """Whether the model is right, bool [M]."""
    return self.expected == self.predicted

  def of(self, chosen: np.ndarray) -> Answers:
    """Returns those that are `chosen`, bool [M]."""
    values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
    return Answers(**{name: value[chosen] for name, value in values.items()})


@dataclasses.dataclass(frozen=True)
class Share:
  """How many of a number of answers are right.

  Attributes:
    low, high: what they have in common: a length or height from `low` to `high`.
    num_right, count: how many are right, of how many.
  """

  low: int
  high: int
  num_right: int
  count: int

  @property
  def value(self) -> float:
    """The share, 0 to 1."""
    return self.num_right / self.count

  @property
  def interval(self) -> tuple[float, float]:
    """Where the share lies of all such answers, with 95% (Wilson's interval)."""
    n, share = self.count, self.value
    middle = share + _Z**2 / (2 * n)
    width = _Z * (share * (1 - share) / n + _Z**2 / (4 * n**2)) ** 0.5
    scale = 1 + _Z**2 / n
    return max(0.0, (middle - width) / scale), min(1.0, (middle + width) / scale)


def answer(model: TreeClassifier, packed: PackedTrees) -> Answers:
  """Runs a model on all nodes of a split.

  Raises:
    CheckpointError: If what it says is no number.
  """
  run = tf.function(model.node_logits, input_signature=[TreeBatch.spec()], autograph=False)
  found = []
  for start in range(0, len(packed), _BATCH_SIZE):
    logits = run(packed.batch(range(start, min(start + _BATCH_SIZE, len(packed))))).numpy()
    if not np.isfinite(logits).all():
      raise CheckpointError(
        "What the model says is no finite number. Train anew with a lower --learning-rate and "
        "another --out."
      )
    found.append(logits.argmax(axis=1))
  length, height = _sizes(packed)
  is_root = np.zeros(packed.num_nodes, bool)
  is_root[packed.node_splits[1:] - 1] = True
  expected = BINARY_CLASS[packed.label + 1] if model.task.is_binary else packed.label
  everything = Answers(expected, np.concatenate(found), is_root, length, height)
  return everything.of(expected >= 0)


def shares_by(values: np.ndarray, is_right: np.ndarray, most: int = 8) -> list[Share]:
  """Divides answers by a length or height, into at most `most` ranges of about as many answers.

  Args:
    values: int [M].
    is_right: bool [M].
    most: ranges.

  Returns:
    The ranges, from small to large; each has an answer, and each answer one range.
  """
  shares: list[Share] = []
  chosen: list[int] = []
  num_done, num_ranges = 0, most
  kinds = np.unique(values).tolist()
  for kind in kinds:
    chosen.append(kind)
    inside = (values >= chosen[0]) & (values <= kind)
    size = int(inside.sum())
    if size >= (len(values) - num_done) / num_ranges or kind == kinds[-1]:
      shares.append(Share(chosen[0], kind, int(is_right[inside].sum()), size))
      num_done, num_ranges, chosen = num_done + size, max(1, num_ranges - 1), []
  if len(shares) > 1 and shares[-1].count * most * 2 < len(values):  # Too few for a range.
    last, before = shares.pop(), shares.pop()
    num_right, count = last.num_right + before.num_right, last.count + before.count
    shares.append(Share(before.low, last.high, num_right, count))
  return shares


def confusion(answers: Answers, num_classes: int) -> np.ndarray:
  """Returns int [K, K], how many nodes of each class (rows) were given each class (columns)."""
  found = np.zeros([num_classes, num_classes], np.int64)
  np.add.at(found, (answers.expected, answers.predicted), 1)
  return found


def _sizes(packed: PackedTrees) -> tuple[np.ndarray, np.ndarray]:
  """Returns the words below each node, and its height, int [N] each."""
  starts = np.repeat(packed.node_splits[:-1], np.diff(packed.node_splits))
  left, right = (packed.left + starts).tolist(), (packed.right + starts).tolist()
  length, height = [1] * packed.num_nodes, [0] * packed.num_nodes
  for node in np.flatnonzero(packed.left >= 0).tolist():  # Children come first.
    a, b = left[node], right[node]
    length[node] = length[a] + length[b]
    height[node] = 1 + max(height[a], height[b])
  return np.array(length), np.array(height)
