"""Options from the environment: defaults, values, and errors that name variable and choices."""

import dataclasses
import pathlib

import pytest

from recursive_tf._config import Config, read_config
from recursive_tf._errors import ConfigError


def test_an_empty_environment_gives_the_defaults():
  assert read_config({}) == Config(100_000, "auto", "deepest_first", "look_ahead", None, None)
  assert read_config({"RECURSIVE_TF_MAX_DEPTH": " "}) == Config()


def test_each_variable_sets_its_option(tmp_path):
  environ = {
    "RECURSIVE_TF_MAX_DEPTH": "7",
    "RECURSIVE_TF_READY_POLICY": "fifo",
    "RECURSIVE_TF_SCHEDULER": "batched",
    "RECURSIVE_TF_BATCHED_POLICY": "depth",
    "RECURSIVE_TF_VERIFY": "never",
    "RECURSIVE_TF_DATA": str(tmp_path),
    "RECURSIVE_TF_OPTIMIZATIONS": "unroll, parallel",
  }
  path, names = pathlib.Path(tmp_path), frozenset(["unroll", "parallel"])
  expected = Config(7, "batched", "fifo", "depth", False, path, names)
  assert read_config(environ) == expected


@pytest.mark.parametrize(
  "text, verify", [("always", True), ("1", True), ("never", False), ("0", False), ("auto", None)]
)
def test_what_verify_may_be(text, verify):
  assert read_config({"RECURSIVE_TF_VERIFY": text}).verify is verify


@pytest.mark.parametrize(
  "variable, value, allowed",
  [
    ("RECURSIVE_TF_MAX_DEPTH", "0", "from 1 to 2147483647"),
    ("RECURSIVE_TF_MAX_DEPTH", "-5", "from 1 to 2147483647"),
    ("RECURSIVE_TF_MAX_DEPTH", "2147483648", "from 1 to 2147483647"),
    ("RECURSIVE_TF_MAX_DEPTH", "many", "from 1 to 2147483647"),
    ("RECURSIVE_TF_READY_POLICY", "lifo", "deepest_first or fifo"),
    ("RECURSIVE_TF_BATCHED_POLICY", "fifo", "look_ahead or agenda or depth"),
    ("RECURSIVE_TF_SCHEDULER", "fast", "auto or concurrent or batched"),
    ("RECURSIVE_TF_VERIFY", "yes", "auto or always or never or 1 or 0"),
    ("RECURSIVE_TF_DATA", __file__, "a folder"),
  ],
)
def test_a_rejected_value_is_named_with_the_allowed_ones(variable, value, allowed):
  with pytest.raises(ConfigError) as error:
    read_config({variable: value})
  assert variable in str(error.value)
  assert value in str(error.value)
  assert allowed in str(error.value)


def test_options_do_not_change():
  with pytest.raises(dataclasses.FrozenInstanceError):
    Config().max_depth = 3
