"""Sentiment labels and the two tasks made of them: five classes, and positive against negative."""

from __future__ import annotations

import dataclasses

import numpy as np
import tensorflow as tf

from recursive_tf._errors import ConfigError

NUM_LABELS = 5
NEUTRAL = 2
FINE_NAMES = ("very negative", "negative", "neutral", "positive", "very positive")
# Class of each label -1..4 in the binary task; -1 at neutral nodes and those without a label.
BINARY_CLASS = np.array([-1, 0, 0, -1, 1, 1], np.int32)
# What of a distribution over labels counts for negative and for positive, float [5, 2].
BINARY_SHARE = np.array([[1, 0], [1, 0], [0, 0], [0, 1], [0, 1]], np.float32)


@dataclasses.dataclass(frozen=True)
class Task:
  """What to predict at each node.

  Attributes:
    name: "fine" or "binary".
    num_classes: 5 for the labels as they are; 2 for negative and positive, without neutral nodes.
  """

  name: str
  num_classes: int

  @property
  def is_binary(self) -> bool:
    """Whether neutral nodes are left out."""
    return self.num_classes == 2

  @property
  def class_names(self) -> tuple[str, ...]:
    """The classes in words, in their order."""
    return ("negative", "positive") if self.is_binary else FINE_NAMES


FINE = Task("fine", NUM_LABELS)
BINARY = Task("binary", 2)
TASKS = {task.name: task for task in (FINE, BINARY)}


def task_named(name: str) -> Task:
  """Returns the task called `name`.

  Raises:
    ConfigError: If there is none.
  """
  if name not in TASKS:
    raise ConfigError(f"Task {name!r} does not exist, expected one of {', '.join(TASKS)}.")
  return TASKS[name]


def binary_class(label: tf.Tensor) -> tf.Tensor:
  """Returns 0 for negative labels, 1 for positive, -1 for neutral or none, int32 as `label` [N]."""
  return tf.gather(tf.constant(BINARY_CLASS), label + 1)
