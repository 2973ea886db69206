"""What decides a training run: written beside its checkpoints, so that it can be resumed."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

from recursive_tf._errors import CheckpointError
from recursive_tf.models.labels import Task, task_named
from recursive_tf.training.files import read_text, write_atomically

FILE_NAME = "config.json"
REMEDY = "Put the file back from a copy, or train anew with another --out."
# Not there in runs of older versions.
_OPTIONAL = (
  "decay_epochs",
  "data_digest",
  "vocabulary_digest",
  "vectors",
  "vectors_digest",
  "early_stopping",
  "products",
)


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
    decay_epochs: epochs over which the learning rates fall, 0 for all. Training that goes on for
      more epochs than it was begun with leaves the rates as they are, so the epochs before are the
      same whenever it is decided.
    data_digest, vocabulary_digest: tell whether the data and vocabulary are still those that the
      run was begun with; empty if that is not known.
    vectors: file of pretrained word vectors that it begins with, or empty.
    vectors_digest: tells whether they are still the same, where there is no checkpoint yet.
    early_stopping: epochs without a better one on dev after which the run ends, 0 for none.
    products: precision of products with weights, "float32" or "bfloat16".
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
  decay_epochs: int = 0
  data_digest: str = ""
  vocabulary_digest: str = ""
  vectors: str = ""
  vectors_digest: str = ""
  early_stopping: int = 0
  products: str = "float32"

  @property
  def task_object(self) -> Task:
    """The classes to predict, of a classifier."""
    return task_named(self.task)

  @property
  def title(self) -> str:
    """What stands above pictures of the run."""
    return f"{self.model} on {self.data}"

  def flat(self) -> dict[str, Any]:
    """Returns all values by name, hyperparameters among the others."""
    values = dataclasses.asdict(self)
    return {**values, **values.pop("hyperparameters")}

  def with_epochs(self, epochs: int) -> RunConfig:
    """Returns the same run with more or fewer epochs; learning rates fall as they did before."""
    before = self.hyperparameters["epochs"]
    return dataclasses.replace(
      self,
      hyperparameters={**self.hyperparameters, "epochs": epochs},
      decay_epochs=self.decay_epochs or before,
    )

  def with_early_stopping(self, num_epochs: int) -> RunConfig:
    """Returns the same run, which waits for so many epochs for one that is better on dev."""
    return dataclasses.replace(self, early_stopping=num_epochs)

  def save(self, directory: pathlib.Path) -> None:
    """Writes config.json into `directory`.

    Raises:
      CheckpointError: If that is not possible.
    """
    write_atomically(directory / FILE_NAME, json.dumps(dataclasses.asdict(self), indent=2) + "\n")

  @classmethod
  def load(cls, directory: pathlib.Path) -> RunConfig:
    """Reads config.json of a run.

    Raises:
      CheckpointError: If `directory` holds no run, or the file is damaged.
    """
    path = directory / FILE_NAME
    if not path.is_file():
      found = "no such directory" if not directory.exists() else f"no {FILE_NAME} in it"
      if directory.exists() and not directory.is_dir():
        found = "this is a file"
      raise CheckpointError(
        f"{directory}: no training run here: {found}. Give the directory that `recursive-tf train` "
        "wrote."
      )
    try:
      values = json.loads(read_text(path, REMEDY))
    except json.JSONDecodeError as error:
      raise CheckpointError(
        f"{path}:{error.lineno}:{error.colno}: damaged: expected JSON: {error.msg}. {REMEDY}"
      ) from error
    except RecursionError as error:
      raise damaged(path, "expected an object of values", "brackets within brackets") from error
    return cls(**_checked(path, values))


def damaged(path: pathlib.Path, expected: str, got: object) -> CheckpointError:
  """Makes the error for a config.json that is not what was written."""
  return CheckpointError(f"{path}: damaged: {expected}, got {got}. {REMEDY}")


def _checked(path: pathlib.Path, values: Any) -> dict[str, Any]:
  """Checks names and types."""
  if not isinstance(values, dict):
    raise damaged(path, "expected an object of values", type(values).__name__)
  types = {"str": str, "int": int, "bool": bool, "dict[str, Any]": dict}
  fields = {field.name: types[str(field.type)] for field in dataclasses.fields(RunConfig)}
  for name in fields.keys() - values.keys() - set(_OPTIONAL):
    raise damaged(path, f"expected a value {name!r}", "none")
  for name, value in values.items():
    if name not in fields:
      raise damaged(path, f"expected values of {', '.join(fields)}", repr(name))
    if type(value) is not fields[name]:
      expected = f"{name}: expected a value of type {fields[name].__name__}"
      raise damaged(path, expected, repr(value))
  return values
