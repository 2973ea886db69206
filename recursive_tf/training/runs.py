"""Makes the configuration of a training run, and its model, from names in the registry."""

from __future__ import annotations

import dataclasses
import math
import pathlib
from typing import Any

from recursive_tf._errors import ConfigError
from recursive_tf.datasets.vectors import vector_size
from recursive_tf.models import Trainable
from recursive_tf.nn._precision import check_precision
from recursive_tf.training.config import FILE_NAME, RunConfig, damaged
from recursive_tf.training.registry import entry_for, entry_of_data

_SIZES = ("state_size", "embedding_size", "hidden_size", "rank", "max_children")
_COUNTS = ("batch_size", "epochs", "min_count", *_SIZES)
# Wider ones need more memory than machines have, and what comes then is no message.
_WIDEST = 16_384
_LARGEST_SEED = 2**63 - 1  # Seeds are int64 in the graph.


def make_model(config: RunConfig, vocab_size: int) -> Trainable:
  """Makes the model of a run with its initial weights."""
  entry = entry_for(config.model, config.task)
  hyperparameters = entry.config(**config.hyperparameters)
  return entry.problem.make_model(config, entry.model, hyperparameters, vocab_size)


def load_run(directory: pathlib.Path) -> RunConfig:
  """Reads the configuration of a run that was begun.

  Raises:
    CheckpointError: If there is none, or config.json is damaged.
  """
  config = RunConfig.load(directory)
  path = directory / FILE_NAME
  try:
    entry = entry_for(config.model, config.task)
    names = {field.name for field in dataclasses.fields(entry.config)}
    for name in names ^ config.hyperparameters.keys():
      raise ConfigError(f"hyperparameters: {name} is missing, or not one of {config.model}")
    defaults = dataclasses.asdict(entry.config())
    for name, value in config.hyperparameters.items():
      allowed = (int,) if type(defaults[name]) is int else (int, float)
      if type(value) not in allowed:
        raise ConfigError(f"hyperparameters: {name} is {value!r}, expected a number")
    check_ranges(config.flat())
    if config.products not in entry.problem.precisions():
      raise ConfigError(f"products: {config.products!r} is not one of {config.model}")
  except ConfigError as error:
    reason = str(error).rstrip(".")
    raise damaged(path, "expected what `recursive-tf train` wrote", reason) from error
  return config


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
  decay_epochs: int | None = None,
  vectors: str | None = None,
  early_stopping: int | None = None,
  products: str | None = None,
  **hyperparameters: Any,
) -> RunConfig:
  """Makes a `RunConfig` with the model's defaults for all that is not given or None.

  Raises:
    ConfigError: If the model does not exist, it has no such hyperparameter, or a value is out of
      range.
  """
  entry = entry_of_data(model, data) if task is None else entry_for(model, task)
  data = entry.problem.default_data if data is None else data
  known = {field.name for field in dataclasses.fields(entry.config)}
  given = {name: value for name, value in hyperparameters.items() if value is not None}
  for name in given:
    if name not in known:
      raise ConfigError(
        f"--{name.replace('_', '-')}: model {model} has no such hyperparameter. It has "
        f"{', '.join(sorted(known))}."
      )
  if vectors is not None:
    given = {**given, **width_of_words(vectors, model, known, given)}
  defaults = {"min_count": 1, **entry.problem.defaults(data)}
  if min_count is None:
    min_count = defaults["min_count"]
  defaults = {name: value for name, value in defaults.items() if name in known}
  values = dataclasses.asdict(entry.config(**{**defaults, **given}))
  if decay_epochs is None:
    decay_epochs = values["epochs"]
  elif decay_epochs < 1:
    raise ConfigError(f"--decay-epochs is {decay_epochs}, expected at least 1.")
  check_early_stopping(early_stopping)
  products = _check_products(products or "float32", model, entry.problem.precisions())
  check_ranges({**values, "seed": seed, "limit": limit, "min_count": min_count})
  task = entry.task if task is None else task
  return RunConfig(
    model,
    data,
    task,
    seed,
    limit,
    skip_bad,
    lowercase,
    min_count,
    values,
    decay_epochs,
    vectors=vectors or "",
    early_stopping=early_stopping or 0,
    products=products,
  )


def _check_products(precision: str, model: str, precisions: tuple[str, ...]) -> str:
  """Returns the precision if the model and this processor have it."""
  if precision not in precisions:
    raise ConfigError(f"--products is {precision}, expected of {model}: {' or '.join(precisions)}.")
  check_precision(precision)
  return precision


def check_early_stopping(num_epochs: int | None) -> None:
  """Checks the number of epochs that a run waits for a better one, None if it does not stop early.

  Raises:
    ConfigError: If it is out of range.
  """
  if num_epochs is not None and num_epochs < 1:
    raise ConfigError(
      f"--early-stopping is {num_epochs}, expected at least 1. Leave it out to train all epochs."
    )


def width_of_words(
  vectors: str, model: str, known: set[str], given: dict[str, Any]
) -> dict[str, int]:
  """Returns the hyperparameter that makes words as wide as the pretrained vectors of a file.

  Raises:
    ConfigError: If another width was given, or a model's states, which are as wide, would change.
    DataError: If the file cannot be read.
  """
  size = vector_size(vectors)
  if "embedding_size" in known:
    if given.get("embedding_size", size) != size:
      raise ConfigError(
        f"--embedding-size is {given['embedding_size']}, but the vectors in {vectors} have {size} "
        "numbers. Leave the option out, or give vectors of that size."
      )
    return {"embedding_size": size}
  if given.get("state_size") != size:
    raise ConfigError(
      f"--vectors {vectors}: its vectors have {size} numbers, and the words of {model} are as wide "
      f"as its states. Add --state-size {size}."
    )
  return {}


def check_ranges(values: dict[str, Any]) -> None:
  """Checks numbers by the name of their option; what is no number is passed over.

  Raises:
    ConfigError: If one is out of range.
  """
  for name, value in values.items():
    if not isinstance(value, int | float) or isinstance(value, bool):
      continue
    option = f"--{name.replace('_', '-')} is {value}"
    if not math.isfinite(value):
      raise ConfigError(f"{option}, expected a finite number.")
    if name in _COUNTS and value < 1:
      raise ConfigError(f"{option}, expected at least 1.")
    if value < 0 and not name.endswith("_bias"):
      raise ConfigError(f"{option}, expected 0 or more.")
    if name == "dropout" and value >= 1:
      raise ConfigError(f"{option}, expected less than 1: it is the share left out.")
    if name in _SIZES and value > _WIDEST:
      raise ConfigError(f"{option}, expected at most {_WIDEST}.")
    if name == "seed" and value > _LARGEST_SEED:
      raise ConfigError(f"{option}, expected at most {_LARGEST_SEED}.")
    if isinstance(value, float) and value > 1e30:
      raise ConfigError(f"{option}, which is beyond what 32-bit weights can hold.")
