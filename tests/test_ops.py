"""Loading the kernels: versions are compared first, and every error says what to run."""

import pathlib

import pytest
import tensorflow as tf

from recursive_tf import _ops
from recursive_tf._errors import KernelsMissingError, RecursiveTFError, VersionError


@pytest.mark.parametrize("version", ["2.21.0", "2.21.3", "2.21.0+cpu"])
def test_the_version_built_for_is_accepted(version):
  _ops.check_versions(running=version, built=version)


@pytest.mark.parametrize("version", ["2.20.0", "2.22.0", "2.2.1", "3.21.0"])
def test_an_unsupported_tensorflow_is_named_with_the_expected_range(version):
  with pytest.raises(VersionError) as error:
    _ops.check_versions(running=version, built=version)
  message = str(error.value)
  assert f"expected TensorFlow >=2.21,<2.22, found {version}" in message
  assert "pip install 'tensorflow>=2.21,<2.22'" in message


@pytest.mark.parametrize("running", ["2.21.1", "2.21.0-rc1"])
def test_another_tensorflow_than_built_for_is_named_with_both_ways_out(running):
  with pytest.raises(VersionError) as error:
    _ops.check_versions(running=running, built="2.21.0")
  message = str(error.value)
  assert f"built for TensorFlow 2.21.0, found {running}" in message
  assert "pip install tensorflow==2.21.0" in message
  assert "make setup" in message


def test_versions_are_compared_before_the_library_is_touched():
  with pytest.raises(VersionError):
    _ops.load_kernels(pathlib.Path("/nowhere.so"), running="2.20.0", built="2.21.0")


def test_a_missing_library_names_its_path_and_the_build_command(tmp_path):
  with pytest.raises(KernelsMissingError, match="make setup") as error:
    _ops.load_kernels(tmp_path / "_kernels.so", tf.__version__, tf.__version__)
  assert str(tmp_path / "_kernels.so") in str(error.value)


def test_a_damaged_library_names_its_path_and_the_build_command(tmp_path):
  path = tmp_path / "_kernels.so"
  path.write_bytes(b"not a library")
  with pytest.raises(KernelsMissingError, match="make setup") as error:
    _ops.load_kernels(path, tf.__version__, tf.__version__)
  assert str(path) in str(error.value)


def test_kernels_never_built_are_named_with_the_build_command():
  with pytest.raises(KernelsMissingError, match="make setup"):
    _ops.read_build_info("recursive_tf._no_build_info")


def test_load_errors_are_import_errors_of_ours():
  assert issubclass(VersionError, (RecursiveTFError, ImportError))
  assert issubclass(KernelsMissingError, (RecursiveTFError, ImportError))


def test_the_loaded_kernels_were_built_for_the_running_tensorflow():
  assert _ops.build_info.TENSORFLOW_VERSION == tf.__version__
  assert pathlib.Path(_ops.KERNELS_PATH).exists()
  assert any(name.startswith("recursive_tf_") for name in dir(_ops.kernels))
