import pathlib

from recursive_tf.datasets import _locations


def test_the_cache_follows_xdg_cache_home(monkeypatch):
  monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
  assert _locations.cache_directory() == pathlib.Path("/somewhere/recursive_tf")


def test_a_relative_or_missing_xdg_cache_home_means_the_home_directory(monkeypatch):
  monkeypatch.setenv("HOME", "/home/user")
  for value in ("relative", ""):
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert _locations.cache_directory() == pathlib.Path("/home/user/.cache/recursive_tf")


def test_the_data_directory_is_none_unless_set(monkeypatch):
  monkeypatch.setenv("RECURSIVE_TF_DATA", "")
  assert _locations.data_directory() is None
  monkeypatch.setenv("HOME", "/home/user")
  monkeypatch.setenv("RECURSIVE_TF_DATA", "~/data")
  assert _locations.data_directory() == pathlib.Path("/home/user/data")
