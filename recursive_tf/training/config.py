"""What decides a training run: written beside its checkpoints, so that it can be resumed."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

from recursive_tf._errors import CheckpointError
from recursive_tf.models.labels import Task, task_named
from recursive_tf.training.files import write_atomically

FILE_NAME = "config.json"


@dataclasses.dataclass(frozen=True)
class RunConfig:
  """One training run.

  Attributes:
    model: name in the registry.
    data: a name that the model's `Problem` knows, or a directory of train, dev and test.
    task: one of the problem's.
    seed: decides initial weights, order of the trees, and dropout.
    limit: trees to use of each split, 0 for all.
    skip_bad: whether malformed lines are left out.
    lowercase: whether words are lowercased.
    min_count: words that occur less often are unknown words.
    hyperparameters: fields of the model's config class.
  """

  model: str
  data: str
  task: str
  seed: int
  limit: int
  skip_bad: bool
  lowercase: bool
  min_count: int
  hyperparameters: dict[str, Any]

  @property
  def task_object(self) -> Task:
    """The classes to predict, of a classifier."""
    return task_named(self.task)

  def flat(self) -> dict[str, Any]:
    """Returns all values by name, hyperparameters among the others."""
    values = dataclasses.asdict(self)
    return {**values, **values.pop("hyperparameters")}

  def save(self, directory: pathlib.Path) -> None:
    """Writes config.json into `directory`."""
    write_atomically(directory / FILE_NAME, json.dumps(dataclasses.asdict(self), indent=2) + "\n")

  @classmethod
  def load(cls, directory: pathlib.Path) -> RunConfig:
    """Reads config.json of a run.

    Raises:
      CheckpointError: If `directory` holds no run.
    """
    path = directory / FILE_NAME
    try:
      return cls(**json.loads(path.read_text()))
    except (OSError, TypeError, ValueError) as error:
      raise CheckpointError(
        f"{directory}: no training run here: cannot read {FILE_NAME} ({error}). Give the directory "
        "that `recursive-tf train` wrote."
      ) from error
