"""The models that can be trained by name, and the figures of their papers."""

from __future__ import annotations

import dataclasses
from typing import Any

from recursive_tf import models
from recursive_tf._errors import ConfigError
from recursive_tf.models.labels import Task


@dataclasses.dataclass(frozen=True)
class Entry:
  """One model.

  Attributes:
    model: its class.
    config: the class of its hyperparameters.
    task: what the paper's main figure is about, the default.
    criterion: the accuracy on dev that tells which epoch is best: "root" or "node".
    paper: names the paper.
    figures: test accuracy in percent on the Stanford Sentiment Treebank, without pretrained
      vectors, by (task, accuracy); accuracies are named as in `Metrics.accuracies`.
  """

  model: Any
  config: Any
  task: Task
  criterion: str
  paper: str
  figures: dict[tuple[str, str], float]


MODELS = {
  "treelstm": Entry(
    models.TreeLSTM,
    models.TreeLSTMConfig,
    models.BINARY,
    "root",
    "Tai et al. 2015, random vectors",
    {("binary", "root"): 82.0, ("fine", "root"): 43.9},
  ),
  "treernn": Entry(
    models.TreeRNN,
    models.TreeRNNConfig,
    models.FINE,
    "node",
    "Socher et al. 2013",
    {
      ("fine", "node"): 79.0,
      ("fine", "root"): 43.2,
      ("fine", "binary_node"): 86.1,
      ("fine", "binary_root"): 82.4,
    },
  ),
  "rntn": Entry(
    models.RNTN,
    models.RNTNConfig,
    models.FINE,
    "node",
    "Socher et al. 2013",
    {
      ("fine", "node"): 80.7,
      ("fine", "root"): 45.7,
      ("fine", "binary_node"): 87.6,
      ("fine", "binary_root"): 85.4,
    },
  ),
}


def entry_named(name: str) -> Entry:
  """Returns the model called `name`.

  Raises:
    ConfigError: If there is none.
  """
  if name not in MODELS:
    raise ConfigError(f"Model {name!r} does not exist, expected one of {', '.join(MODELS)}.")
  return MODELS[name]
