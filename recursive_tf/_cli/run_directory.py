"""Where a run is written: never over another one."""

from __future__ import annotations

import pathlib

from recursive_tf._errors import ConfigError
from recursive_tf.training import config as run_config

DEFAULT_PARENT = pathlib.Path("runs")


def new_run_directory(out: str | None, model: str, data: str, task: str) -> pathlib.Path:
  """Returns where a new run goes: `out`, or the next free name below runs/.

  Raises:
    ConfigError: If `out` already holds a run.
  """
  path = pathlib.Path(out) if out else _next_name(base_name(model, data, task))
  if (path / run_config.FILE_NAME).exists():
    raise ConfigError(
      f"{path} already holds a training run. Add --resume to go on with it, or give another --out."
    )
  return path


def make_run_directory(path: pathlib.Path) -> None:
  """Makes the directory.

  Raises:
    ConfigError: If that is not possible.
  """
  try:
    path.mkdir(parents=True, exist_ok=True)
  except OSError as error:
    raise ConfigError(f"--out {path}: cannot make this directory: {error.strerror}.") from error


def existing_run_directory(out: str | None, model: str, data: str, task: str) -> pathlib.Path:
  """Finds the run to resume; without `out`, the last one below runs/ with these settings.

  Raises:
    ConfigError: If there is none.
  """
  if out:
    return pathlib.Path(out)
  runs = _numbered(base_name(model, data, task))
  if not runs:
    raise ConfigError(
      f"--resume: there is no run {DEFAULT_PARENT / base_name(model, data, task)}. Name its "
      "directory with --out."
    )
  return runs[max(runs)]


def base_name(model: str, data: str, task: str) -> str:
  """Returns the name of runs with these settings, such as "treelstm-sst-binary"."""
  return f"{model}-{pathlib.Path(data).name or 'data'}-{task}"


def _numbered(name: str) -> dict[int, pathlib.Path]:
  """Returns the runs of a name by number: name, name-2, name-3, ..."""
  found = {}
  for path in DEFAULT_PARENT.glob(f"{name}*"):
    suffix = path.name[len(name) :]
    if suffix == "" or (suffix[0] == "-" and suffix[1:].isdigit()):
      found[int(suffix[1:] or 1)] = path
  return found


def _next_name(name: str) -> pathlib.Path:
  taken = _numbered(name)
  number = max(taken) + 1 if taken else 1
  return DEFAULT_PARENT / (name if number == 1 else f"{name}-{number}")
