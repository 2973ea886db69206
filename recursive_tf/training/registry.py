"""The models that can be trained by name, and the figures of their papers."""

from __future__ import annotations

import dataclasses
from typing import Any

from recursive_tf import models
from recursive_tf._errors import ConfigError
from recursive_tf.training.classification import Classification
from recursive_tf.training.generation import Generation
from recursive_tf.training.problem import Problem

_CLASSIFICATION = Classification()
_GENERATION = Generation()


@dataclasses.dataclass(frozen=True)
class Entry:
  """One model.

  Attributes:
    model: its class.
    config: the class of its hyperparameters.
    problem: its kind of data and scores.
    task: what the paper's main figure is about, the default.
    criterion: the score on dev that tells which epoch is best, such as "root"; or "loss", of which
      the lowest is best.
    paper: names the paper.
    figures: test accuracy in percent on the Stanford Sentiment Treebank, without pretrained
      vectors, by (task, score); scores are named as in `Metrics.scores`.
  """

  model: Any
  config: Any
  problem: Problem
  task: str
  criterion: str
  paper: str
  figures: dict[tuple[str, str], float]


MODELS = {
  "treelstm": Entry(
    models.TreeLSTM,
    models.TreeLSTMConfig,
    _CLASSIFICATION,
    "binary",
    "root",
    "Tai et al. 2015, random vectors",
    {("binary", "root"): 82.0, ("fine", "root"): 43.9},
  ),
  "treernn": Entry(
    models.TreeRNN,
    models.TreeRNNConfig,
    _CLASSIFICATION,
    "fine",
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
    _CLASSIFICATION,
    "fine",
    "node",
    "Socher et al. 2013",
    {
      ("fine", "node"): 80.7,
      ("fine", "root"): 45.7,
      ("fine", "binary_node"): 87.6,
      ("fine", "binary_root"): 85.4,
    },
  ),
  "top-down-treelstm": Entry(
    models.TopDownTreeLSTM,
    models.TopDownTreeLSTMConfig,
    _GENERATION,
    "generation",
    "loss",
    "Zhang et al. 2016",
    {},
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
