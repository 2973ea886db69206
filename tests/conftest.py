"""What all tests share: seeds, both execution modes, threads, real data, Hypothesis profiles."""

import gc
import os

# Before TensorFlow is imported anywhere: quiet, and on the CPU.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import pathlib
import random

import hypothesis
import numpy as np
import pytest
import tensorflow as tf

from tests import selection

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]

hypothesis.settings.register_profile(
  "ci",
  deadline=None,
  derandomize=True,
  max_examples=30,
  print_blob=True,
  # It measures by the clock: on a busy machine nothing is fast enough.
  suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=500, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser):
  """Adds --inter-op-threads: with one, a kernel that blocks its thread hangs at once."""
  parser.addoption("--inter-op-threads", type=int, default=0, help="0 leaves TensorFlow's choice")


def pytest_configure(config):
  """Sets the thread pool's size, which TensorFlow allows only before its first op."""
  tf.config.threading.set_inter_op_parallelism_threads(config.getoption("--inter-op-threads"))


@pytest.hookimpl(tryfirst=True)  # Before `-m` deselects.
def pytest_collection_modifyitems(items):
  """Refuses names that change, marks what only the slow tests run, puts first what takes long."""
  selection.refuse_addresses(items)
  selection.thin_out(items)
  selection.long_first(items)


def pytest_collection_finish():
  """Takes what is there before the first test from all later garbage collections.

  These are millions of objects of TensorFlow's and of the tests' modules; they stay to the end.
  """
  gc.collect()
  gc.freeze()


@pytest.fixture(autouse=True)
def _seeds():
  random.seed(0)
  np.random.seed(0)
  tf.keras.utils.set_random_seed(0)


@pytest.fixture(autouse=True, scope="session")
def _all_threads():
  """Divides calls among all threads, however little there is to do: what is large is, elsewhere."""
  from recursive_tf.batching import _work

  with pytest.MonkeyPatch.context() as patch:
    patch.setattr(_work, "frame_work", lambda *_: 0)
    yield


class Mode:
  """One way to run a function: as it is, or inside `tf.function`.

  Attributes:
    name: "eager" or "function".
    is_eager: whether the function runs op by op.
  """

  def __init__(self, name):
    self.name = name
    self.is_eager = name == "eager"

  def __call__(self, fn, **kwargs):
    """Returns `fn` ready to call in this mode; `kwargs` go to `tf.function`."""
    return fn if self.is_eager else tf.function(fn, **kwargs)


@pytest.fixture(params=["eager", "function"])
def mode(request):
  """Runs the test once eagerly and once traced: `mode(fn)(x)`."""
  return Mode(request.param)


@pytest.fixture(params=["auto", "concurrent"])
def scheduler(request, monkeypatch):
  """Runs the test once batched, where that can be, and once concurrently.

  It is what a SubGraph has that is made in the test, here or in another process, and names none.
  """
  from recursive_tf._config import config

  monkeypatch.setenv("RECURSIVE_TF_SCHEDULER", request.param)
  config.cache_clear()
  yield request.param
  config.cache_clear()


@pytest.fixture(scope="session")
def repository():
  """The root of the checkout."""
  return REPOSITORY


@pytest.fixture(scope="session")
def data_dir():
  """The folder of real treebanks; skips the test where there is none."""
  path = pathlib.Path(os.environ.get("RECURSIVE_TF_DATA") or REPOSITORY.parent / "shared" / "data")
  if not path.is_dir():
    pytest.skip(f"no real data at {path}: set RECURSIVE_TF_DATA to the folder that holds sst/")
  return path.resolve()
