"""Where a run is written: never over another one."""

from __future__ import annotations

import os
import pathlib
import tempfile

from recursive_tf._errors import ConfigError
from recursive_tf.training import config as run_config
from recursive_tf.training import history
from recursive_tf.training.checkpoint import has_checkpoints
from recursive_tf.training.data import VOCABULARY_NAME
from recursive_tf.training.files import reason_of

DEFAULT_PARENT = pathlib.Path("runs")


def new_run_directory(out: str | None, model: str, data: str, task: str) -> pathlib.Path:
  """Returns where a new run goes: `out`, or the next free name below runs/.

  Raises:
    ConfigError: If `out` already holds a run, or part of one, or cannot be a directory.
  """
  path = _next_name(base_name(model, data, task)) if out is None else _named(out)
  check_is_new(path)
  return path


def check_is_new(path: pathlib.Path) -> None:
  """Checks that a directory holds no run; errors as `new_run_directory`."""
  if os.path.exists(path / run_config.FILE_NAME):
    raise ConfigError(
      f"{path} already holds a training run. Add --resume to go on with it, or give another --out."
    )
  parts = [name for name in (history.FILE_NAME, VOCABULARY_NAME) if os.path.exists(path / name)]
  if has_checkpoints(path):
    parts.append("checkpoints")
  if parts:
    raise ConfigError(
      f"{path} holds {' and '.join(parts)}, but no {run_config.FILE_NAME}: part of another run? "
      "Move them away, or give another --out."
    )


def make_run_directory(path: pathlib.Path) -> None:
  """Makes the directory.

  Raises:
    ConfigError: If that is not possible.
  """
  try:
    path.mkdir(parents=True, exist_ok=True)
  except OSError as error:
    raise ConfigError(
      f"--out {path}: cannot make this directory: {reason_of(error)}. Give another --out."
    ) from error


def check_can_be_made(path: pathlib.Path, option: str = "--out") -> None:
  """Checks, without making it, that a directory can be written, or made where it would be.

  Args:
    path: the directory.
    option: names it.

  Raises:
    ConfigError: If not.
  """
  nearest = next(p for p in (path, *path.absolute().parents) if os.path.lexists(p))
  if not nearest.is_dir():
    reason = f"{nearest} is no directory"
  elif not (os.access(nearest, os.W_OK | os.X_OK) and (nearest == path or _takes(nearest))):
    reason = f"{nearest} cannot be written to"
  else:
    return
  raise ConfigError(f"{option} {path}: cannot make this directory: {reason}. Give another one.")


def _takes(path: pathlib.Path) -> bool:
  """Tells whether a directory can be made in another one: permissions do not say it to root.

  To find out leaves a trace, the time of its last change: none of a run is asked.
  """
  try:
    os.rmdir(tempfile.mkdtemp(prefix=".recursive-tf-", dir=path))
  except OSError:
    return False
  return True


def existing_run_directory(out: str | None, model: str, data: str, task: str) -> pathlib.Path:
  """Finds the run to resume; without `out`, the last one below runs/ with these settings.

  Raises:
    ConfigError: If there is none.
  """
  if out is not None:
    return _named(out)
  runs = _numbered(base_name(model, data, task))
  begun = [number for number in runs if (runs[number] / run_config.FILE_NAME).exists()]
  if not begun:
    raise ConfigError(
      f"--resume: there is no run {DEFAULT_PARENT / base_name(model, data, task)}. Name its "
      "directory with --out."
    )
  return runs[max(begun)]


def has_run(out: str) -> bool:
  """Tells whether a run was begun in this directory."""
  return os.path.exists(_named(out) / run_config.FILE_NAME)


def base_name(model: str, data: str, task: str) -> str:
  """Returns the name of runs with these settings, such as "treelstm-sst-binary"."""
  return f"{model}-{pathlib.Path(data).name or 'data'}-{task}"


def _named(out: str) -> pathlib.Path:
  if not out:
    raise ConfigError("--out is empty. Give a directory, or leave the option out.")
  path = pathlib.Path(out)
  if os.path.exists(path) and not path.is_dir():
    raise ConfigError(f"--out {path}: this is a file. Give a directory.")
  return path


def _numbered(name: str) -> dict[int, pathlib.Path]:
  """Returns the runs of a name by number: name, name-2, name-3, ..."""
  found = {}
  for path in DEFAULT_PARENT.glob("*"):
    suffix = path.name.removeprefix(name)
    is_numbered = suffix[:1] == "-" and suffix[1:].isascii() and suffix[1:].isdigit()
    if path.name == name or (suffix != path.name and is_numbered):
      found[int(suffix[1:] or 1)] = path
  return found


def _next_name(name: str) -> pathlib.Path:
  taken = _numbered(name)
  number = max(taken) + 1 if taken else 1
  return DEFAULT_PARENT / (name if number == 1 else f"{name}-{number}")
