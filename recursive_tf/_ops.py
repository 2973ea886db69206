"""Loads the compiled kernels: one op library, registered with TensorFlow once per process.

The kernels use parts of TensorFlow that its API does not cover, and whose layout may change with
any release. So the versions are compared before the library is touched: a message is better than
a crash.
"""

from __future__ import annotations

import importlib
import pathlib
import re
from types import ModuleType

import tensorflow as tf

from recursive_tf._errors import KernelsMissingError, VersionError

SUPPORTED = ">=2.21,<2.22"
KERNELS_PATH = pathlib.Path(__file__).with_name("_kernels.so")

_FIRST, _PAST = (2, 21), (2, 22)
_BUILD = "in a checkout run `make setup`; else `pip install --force-reinstall recursive-tf`"


def check_versions(running: str, built: str) -> None:
  """Checks that the running TensorFlow is one the kernels can work with.

  Args:
    running: `tf.__version__`.
    built: the version that the kernels were compiled against.

  Raises:
    VersionError: If `running` is not supported, or is not `built`.
  """
  if not _FIRST <= _release(running) < _PAST:
    raise VersionError(
      f"recursive_tf: expected TensorFlow {SUPPORTED}, found {running}.\n"
      f"Run `pip install 'tensorflow{SUPPORTED}'`."
    )
  if _without_label(running) != _without_label(built):
    raise VersionError(
      f"recursive_tf: the kernels were built for TensorFlow {built}, found {running}.\n"
      f"Run `pip install tensorflow=={_without_label(built)}`, or rebuild the kernels: {_BUILD}."
    )


def load_kernels(path: pathlib.Path, running: str, built: str) -> ModuleType:
  """Checks versions and loads the op library.

  Args:
    path: the library.
    running: `tf.__version__`.
    built: the version that the kernels were compiled against.

  Returns:
    A module with one Python function per op, such as `recursive_tf_invoke`.

  Raises:
    KernelsMissingError: If there is no library at `path`, or it does not load.
    VersionError: If it was built for another TensorFlow.
  """
  check_versions(running, built)
  if not path.exists():
    raise KernelsMissingError(f"recursive_tf: no compiled kernels at {path}.\nTo build: {_BUILD}.")
  try:
    return tf.load_op_library(str(path))
  except tf.errors.NotFoundError as error:  # What dlopen could not do, a missing symbol included.
    raise KernelsMissingError(
      f"recursive_tf: the kernels at {path} do not load: {error.message}\nTo rebuild: {_BUILD}."
    ) from error


def read_build_info(module_name: str = "recursive_tf._build_info") -> ModuleType:
  """Returns the module that setup.py writes beside the kernels.

  Args:
    module_name: its installed name.

  Returns:
    A module with VERSION, TENSORFLOW_VERSION and COMPILER.

  Raises:
    KernelsMissingError: If the kernels have not been built.
  """
  try:
    return importlib.import_module(module_name)
  except ModuleNotFoundError as error:
    raise KernelsMissingError(
      f"recursive_tf: the kernels have not been built ({module_name} is missing).\n"
      f"To build: {_BUILD}."
    ) from error


def _release(version: str) -> tuple[int, ...]:
  return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def _without_label(version: str) -> str:
  return version.partition("+")[0]


build_info = read_build_info()
kernels = load_kernels(KERNELS_PATH, tf.__version__, build_info.TENSORFLOW_VERSION)
