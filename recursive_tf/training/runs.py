"""Makes the configuration of a training run, and its model, from names in the registry."""

from __future__ import annotations

import dataclasses
from typing import Any

from recursive_tf._errors import ConfigError
from recursive_tf.models import Trainable
from recursive_tf.training.config import RunConfig
from recursive_tf.training.registry import entry_named


def make_model(config: RunConfig, vocab_size: int) -> Trainable:
  """Makes the model of a run with its initial weights."""
  entry = entry_named(config.model)
  hyperparameters = entry.config(**config.hyperparameters)
  return entry.problem.make_model(config, entry.model, hyperparameters, vocab_size)


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
