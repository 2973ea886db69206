"""What decides a training run: written beside its checkpoints, so that it can be resumed."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

from recursive_tf._errors import CheckpointError, ConfigError
from recursive_tf.models import Trainable
from recursive_tf.models.labels import Task, task_named
from recursive_tf.training.files import write_atomically
from recursive_tf.training.registry import entry_named

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

  @property
  def model_config(self) -> Any:
    """The model's config object."""
    return entry_named(self.model).config(**self.hyperparameters)

  def make_model(self, vocab_size: int) -> Trainable:
    """Makes the model with its initial weights."""
    entry = entry_named(self.model)
    return entry.problem.make_model(self, entry.model, vocab_size)

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


def make_run_config(
  model: str,
  data: str | None = None,
  *,
  task: str | None = None,
  seed: int = 0,
  limit: int = 0,
  skip_bad: bool = False,
  lowercase: bool = True,
  min_count: int | None = None,
  **hyperparameters: Any,
) -> RunConfig:
  """Makes a `RunConfig` with the model's defaults for all that is not given or None.

  Raises:
    ConfigError: If the model does not exist, it has no such hyperparameter, or a value is out of
      range.
  """
  entry = entry_named(model)
  data = data or entry.problem.default_data
  known = {field.name for field in dataclasses.fields(entry.config)}
  given = {name: value for name, value in hyperparameters.items() if value is not None}
  for name in given:
    if name not in known:
      raise ConfigError(
        f"--{name.replace('_', '-')}: model {model} has no such hyperparameter. It has "
        f"{', '.join(sorted(known))}."
      )
  defaults = {"min_count": 1, **entry.problem.defaults(data)}
  if min_count is None:
    min_count = defaults["min_count"]
  defaults = {name: value for name, value in defaults.items() if name in known}
  values = dataclasses.asdict(entry.config(**{**defaults, **given}))
  _check_ranges({**values, "seed": seed, "limit": limit, "min_count": min_count})
  task = task or entry.task
  entry.problem.check_task(task)
  return RunConfig(model, data, task, seed, limit, skip_bad, lowercase, min_count, values)


def _check_ranges(values: dict[str, Any]) -> None:
  for name, value in values.items():
    option = f"--{name.replace('_', '-')}"
    if name in ("batch_size", "epochs", "state_size", "embedding_size", "min_count") and value < 1:
      raise ConfigError(f"{option} is {value}, expected at least 1.")
    if value < 0 and not name.endswith("_bias"):
      raise ConfigError(f"{option} is {value}, expected 0 or more.")
    if name == "dropout" and value >= 1:
      raise ConfigError(f"{option} is {value}, expected less than 1: it is the share left out.")
