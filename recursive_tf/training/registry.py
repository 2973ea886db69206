"""The models that can be trained by name, and the figures of their papers."""

from __future__ import annotations

import dataclasses
from typing import Any

from recursive_tf import models
from recursive_tf._errors import ConfigError
from recursive_tf.training.classification import Classification
from recursive_tf.training.config import RunConfig
from recursive_tf.training.generation import Generation
from recursive_tf.training.labelling import Labelling
from recursive_tf.training.problem import Problem
from recursive_tf.training.relatedness import Relatedness

_CLASSIFICATION = Classification()
_RELATEDNESS = Relatedness()
_LABELLING = Labelling()


@dataclasses.dataclass(frozen=True)
class Entry:
  """What one model learns of one kind of data.

  Attributes:
    model: its class.
    config: the class of its hyperparameters.
    problem: its kind of data and scores.
    task: what the paper's main figure is about, the default.
    criterion: the score on dev that tells which epoch is best, such as "root"; or "loss", of which
      the lowest is best.
    paper: names the paper.
    figures: the paper's test scores on `benchmark`, by (task, score); scores are named as in
      `scores()` of the counts, shares in percent.
    benchmark: the data that these are of.
  """

  model: Any
  config: Any
  problem: Problem
  task: str
  criterion: str
  paper: str
  figures: dict[tuple[str, str], float]
  benchmark: str = "sst"


MODELS: dict[str, tuple[Entry, ...]] = {
  "treelstm": (
    Entry(
      models.TreeLSTM,
      models.TreeLSTMConfig,
      _CLASSIFICATION,
      "binary",
      "root",
      "Tai et al. 2015, random vectors",
      {("binary", "root"): 82.0, ("fine", "root"): 43.9},
    ),
  ),
  "treernn": (
    Entry(
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
  ),
  "rntn": (
    Entry(
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
  ),
  "mvrnn": (
    Entry(
      models.MVRNN,
      models.MVRNNConfig,
      _CLASSIFICATION,
      "fine",
      "node",
      "Socher et al. 2013",  # In its table 1; the paper of the model is older than the treebank.
      {
        ("fine", "node"): 78.7,
        ("fine", "root"): 44.4,
        ("fine", "binary_node"): 86.8,
        ("fine", "binary_root"): 82.9,
      },
    ),
  ),
  "top-down-treelstm": (
    Entry(
      models.TopDownTreeLSTM,
      models.TopDownTreeLSTMConfig,
      Generation(),
      "generation",
      "loss",
      "Zhang et al. 2016",
      {},
    ),
  ),
  "child-sum-treelstm": (
    Entry(
      models.RelatednessTreeLSTM,
      models.RelatednessConfig,
      _RELATEDNESS,
      "relatedness",
      "pearson",
      "Tai et al. 2015, GloVe vectors",
      {
        ("relatedness", "pearson"): 0.8676,
        ("relatedness", "spearman"): 0.8083,
        ("relatedness", "mse"): 0.2532,
      },
      "sick",
    ),
    Entry(
      models.RelationTreeLSTM,
      models.RelationConfig,
      _LABELLING,
      "relation",
      "relation",
      "",
      {},
    ),
  ),
  "nary-treelstm": (
    Entry(
      models.NaryRelatednessTreeLSTM,
      models.NaryRelatednessConfig,
      _RELATEDNESS,
      "relatedness",
      "pearson",
      "",  # The paper has an N-ary one over parses of phrases, not of dependencies.
      {},
    ),
    Entry(
      models.NaryRelationTreeLSTM,
      models.NaryRelationConfig,
      _LABELLING,
      "relation",
      "relation",
      "",
      {},
    ),
  ),
}


def entries_named(name: str) -> tuple[Entry, ...]:
  """Returns what the model called `name` learns, the first being what is meant by default.

  Raises:
    ConfigError: If there is none.
  """
  if name not in MODELS:
    raise ConfigError(f"Model {name!r} does not exist, expected one of {', '.join(MODELS)}.")
  return MODELS[name]


def entry_for(name: str, task: str) -> Entry:
  """Returns what the model called `name` learns in `task`.

  Raises:
    ConfigError: If there is no such model, or it does not learn that.
  """
  entries = entries_named(name)
  for entry in entries:
    if task in entry.problem.tasks:
      return entry
  tasks = ", ".join(task for entry in entries for task in entry.problem.tasks)
  raise ConfigError(f"--task {task}: {name} does not learn it, expected one of {tasks}.")


def problem_of(config: RunConfig) -> Problem:
  """Returns the kind of data and scores of a run."""
  return entry_for(config.model, config.task).problem


def entry_of_data(name: str, data: str | None) -> Entry:
  """Returns what the model called `name` learns of `data`; of data of any kind, the first.

  Raises:
    ConfigError: If there is no such model.
  """
  entries = entries_named(name)
  if data is not None:
    for entry in entries:
      if entry.problem.knows(data):
        return entry
  return entries[0]
