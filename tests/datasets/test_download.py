import hashlib
import io

import pytest

from recursive_tf._errors import DataError
from recursive_tf.datasets import _download

CONTENT = b"x" * 200_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def url(tmp_path):
  (tmp_path / "source").write_bytes(CONTENT)
  return (tmp_path / "source").as_uri()


def test_the_target_has_the_bytes_and_is_readable_by_all(tmp_path, url):
  target = tmp_path / "new" / "folder" / "file"
  _download.download(url, target, SHA256)
  assert target.read_bytes() == CONTENT
  assert target.stat().st_mode & 0o777 == 0o644
  assert _download.has_checksum(target, SHA256)


@pytest.mark.parametrize("fail", ["checksum", "connection"])
def test_a_failed_download_leaves_what_was_there_and_nothing_else(tmp_path, url, fail, monkeypatch):
  target = tmp_path / "cache" / "file"
  target.parent.mkdir()
  target.write_bytes(b"old")
  sha256 = "0" * 64 if fail == "checksum" else SHA256
  if fail == "connection":
    monkeypatch.setattr(_download, "_copy", raise_reset)
  with pytest.raises(DataError, match="source: (expected SHA-256 0000|cannot download)"):
    _download.download(url, target, sha256)
  assert [p.name for p in target.parent.iterdir()] == ["file"]
  assert target.read_bytes() == b"old"


def raise_reset(url, file, name, progress):
  file.write(b"half")
  raise ConnectionResetError("reset")


def test_a_source_that_cannot_be_reached_is_named(tmp_path):
  url = (tmp_path / "nowhere").as_uri()
  with pytest.raises(DataError, match="nowhere: cannot download"):
    _download.download(url, tmp_path / "file", SHA256)


def test_a_missing_file_has_no_checksum(tmp_path):
  assert not _download.has_checksum(tmp_path / "nowhere", SHA256)


class Terminal(io.StringIO):
  def isatty(self):
    return True


@pytest.mark.parametrize(("stream", "shown"), [(Terminal, True), (io.StringIO, False)])
def test_the_bar_shows_only_on_a_terminal(tmp_path, url, monkeypatch, stream, shown):
  stderr = stream()
  monkeypatch.setattr("sys.stderr", stderr)
  _download.download(url, tmp_path / "file", SHA256, progress=True)
  assert ("download file" in stderr.getvalue()) is shown
