"""Process-wide options, read once from the environment; the only file that reads it."""

from __future__ import annotations

import dataclasses
import functools
import os
import pathlib
from collections.abc import Callable, Mapping
from typing import Any

from recursive_tf._errors import ConfigError

SCHEDULERS = ("auto", "concurrent", "batched")
VERIFY = {"auto": None, "always": True, "never": False, "1": True, "0": False}
OPTIMIZATIONS = ("unroll", "specialize", "parallel")
READY_POLICIES = ("deepest_first", "fifo")
BATCHED_POLICIES = ("look_ahead", "agenda", "depth")
_LARGEST_DEPTH = 2**31 - 1


@dataclasses.dataclass(frozen=True)
class Config:
  """Options that hold wherever an argument does not say otherwise.

  Attributes:
    max_depth: frames that may lie below one another before a call fails. RECURSIVE_TF_MAX_DEPTH.
    scheduler: which scheduler runs calls, one of SCHEDULERS. RECURSIVE_TF_SCHEDULER.
    ready_policy: which ready frame runs next under the concurrent scheduler, one of READY_POLICIES.
      RECURSIVE_TF_READY_POLICY.
    batched_policy: which block runs next under the batched scheduler, one of BATCHED_POLICIES.
      RECURSIVE_TF_BATCHED_POLICY.
    verify: whether converted programs are compared with plain Python; None for the first run of
      each graph and then as time allows. RECURSIVE_TF_VERIFY, one of VERIFY.
    data_dir: folder that holds the treebanks, None for the user's cache. RECURSIVE_TF_DATA.
    optimizations: what `rtf.function` does for speed, of OPTIMIZATIONS: for measuring what each
      gives. RECURSIVE_TF_OPTIMIZATIONS: names with commas between, or "none".
  """

  max_depth: int = 100_000
  scheduler: str = "auto"
  ready_policy: str = "deepest_first"
  batched_policy: str = "look_ahead"
  verify: bool | None = None
  data_dir: pathlib.Path | None = None
  optimizations: frozenset[str] = frozenset(OPTIMIZATIONS)


def read_config(environ: Mapping[str, str]) -> Config:
  """Reads a `Config` from environment variables; unset or empty ones leave the default.

  Args:
    environ: the variables, `os.environ` or a stand-in.

  Returns:
    The `Config`.

  Raises:
    ConfigError: If a variable has a value that is not allowed.
  """
  values: dict[str, Any] = {}
  for field, (variable, parse) in _VARIABLES.items():
    text = environ.get(variable, "").strip()
    if text:
      values[field] = parse(variable, text)
  return Config(**values)


@functools.cache
def config() -> Config:
  """Returns the `Config` of this process: the environment is read on the first call only."""
  return read_config(os.environ)


def tf_config() -> str:
  """Returns the text of TF_CONFIG, by which TensorFlow's clusters say who their workers are."""
  return os.environ.get("TF_CONFIG", "").strip()


def _parse_depth(variable: str, text: str) -> int:
  depth = int(text) if text.isascii() and text.isdigit() else 0
  if not 1 <= depth <= _LARGEST_DEPTH:
    raise _rejected(variable, text, f"a whole number from 1 to {_LARGEST_DEPTH}")
  return depth


def _one_of(*allowed: str) -> Callable[[str, str], str]:
  def parse(variable: str, text: str) -> str:
    if text not in allowed:
      raise _rejected(variable, text, " or ".join(allowed))
    return text

  return parse


def _parse_verify(variable: str, text: str) -> bool | None:
  return VERIFY[_one_of(*VERIFY)(variable, text)]


def _parse_optimizations(variable: str, text: str) -> frozenset[str]:
  names = [] if text == "none" else [name.strip() for name in text.split(",")]
  if not set(names) <= set(OPTIMIZATIONS):
    raise _rejected(variable, text, f"none, or some of {', '.join(OPTIMIZATIONS)}")
  return frozenset(names)


def _parse_folder(variable: str, text: str) -> pathlib.Path:
  path = pathlib.Path(text).expanduser()
  if path.exists() and not path.is_dir():
    raise _rejected(variable, text, "a folder, or a path where one can be made")
  return path


def _rejected(variable: str, text: str, allowed: str) -> ConfigError:
  return ConfigError(
    f"Environment variable {variable} is {text!r}, expected {allowed}.\n"
    f"Set it to an allowed value, or unset it for the default."
  )


_VARIABLES: dict[str, tuple[str, Callable[[str, str], Any]]] = {
  "max_depth": ("RECURSIVE_TF_MAX_DEPTH", _parse_depth),
  "scheduler": ("RECURSIVE_TF_SCHEDULER", _one_of(*SCHEDULERS)),
  "ready_policy": ("RECURSIVE_TF_READY_POLICY", _one_of(*READY_POLICIES)),
  "batched_policy": ("RECURSIVE_TF_BATCHED_POLICY", _one_of(*BATCHED_POLICIES)),
  "verify": ("RECURSIVE_TF_VERIFY", _parse_verify),
  "optimizations": ("RECURSIVE_TF_OPTIMIZATIONS", _parse_optimizations),
  "data_dir": ("RECURSIVE_TF_DATA", _parse_folder),
}
