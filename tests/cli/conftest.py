"""What the tests of the command line share: a folder of their own, and a run to start from."""

import pathlib
import shutil

import pytest
import tensorflow as tf

from recursive_tf import cli
from recursive_tf._cli import (
  bench,
  evaluate,
  export,
  plot,
  predict,
  predict_dependencies,
  trace,
  train,
)
from tests.cli.runs import TINY


def settle_threads(monkeypatch):
  """TensorFlow has started in this process: its threads cannot be set any more."""
  tf.config.list_logical_devices()
  for module in (train, evaluate, predict, predict_dependencies, export, plot, trace, bench):
    monkeypatch.setattr(module, "set_threads", lambda num_threads: None)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  settle_threads(monkeypatch)


@pytest.fixture
def run(capfd):
  """Runs the command line in this process: `run("info")` -> (status, stdout, stderr)."""

  def call(*arguments):
    status = cli.main([str(argument) for argument in arguments])
    output = capfd.readouterr()
    return status, output.out, output.err

  return call


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory):
  """A treernn that was trained for two epochs; not to be changed."""
  path = tmp_path_factory.mktemp("runs") / "a"
  with pytest.MonkeyPatch.context() as monkeypatch:
    settle_threads(monkeypatch)
    assert cli.main(["train", "treernn", *TINY, "--out", str(path)]) == 0
  return path


@pytest.fixture
def finished(finished_run, tmp_path):
  """A copy of that run, as `a` in the test's folder."""
  shutil.copytree(finished_run, tmp_path / "a")
  return pathlib.Path("a")
