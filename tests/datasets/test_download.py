import fcntl
import hashlib
import http.server
import io
import threading

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
def test_a_failed_download_leaves_what_was_there_and_only_what_can_be_resumed(
  tmp_path, url, fail, monkeypatch
):
  target = tmp_path / "cache" / "file"
  target.parent.mkdir()
  target.write_bytes(b"old")
  sha256 = "0" * 64 if fail == "checksum" else SHA256
  if fail == "connection":
    monkeypatch.setattr(_download, "_copy", raise_reset)
  with pytest.raises(DataError, match="source: (expected SHA-256 0000|cannot download)"):
    _download.download(url, target, sha256)
  kept = [".file.partial"] if fail == "connection" else []
  assert sorted(p.name for p in target.parent.iterdir()) == [*kept, "file"]
  assert target.read_bytes() == b"old"


def raise_reset(url, file, name, progress):
  file.write(b"half")
  raise ConnectionResetError("reset")


def test_a_source_that_cannot_be_reached_is_named(tmp_path):
  url = (tmp_path / "nowhere").as_uri()
  with pytest.raises(DataError, match="nowhere: cannot download"):
    _download.download(url, tmp_path / "file", SHA256)
  assert list(tmp_path.iterdir()) == []


class Server(http.server.BaseHTTPRequestHandler):
  """Serves CONTENT; `breaks` says after how many bytes the next connections break."""

  breaks: list = []
  can_resume = True
  content = CONTENT
  ranges: list = []

  def do_GET(self):  # noqa: N802 - the library's name
    asked = self.headers.get("Range")
    self.ranges.append(asked)
    start = int(asked[6:-1]) if asked and self.can_resume else 0
    body = self.content[start:]
    if asked and self.can_resume and not body:
      self.send_error(416)
      return
    self.send_response(206 if asked and self.can_resume else 200)
    self.send_header("Content-Length", str(len(body)))
    self.end_headers()
    self.wfile.write(body[: self.breaks.pop(0)] if self.breaks else body)

  def log_message(self, *arguments):
    pass


@pytest.fixture
def server(monkeypatch):
  for name in ("breaks", "ranges"):
    monkeypatch.setattr(Server, name, [])
  with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as running:
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}/x"
    running.shutdown()
    thread.join()


@pytest.mark.parametrize("can_resume", [True, False])
def test_a_download_goes_on_where_the_connection_broke(tmp_path, server, monkeypatch, can_resume):
  monkeypatch.setattr(Server, "can_resume", can_resume)
  Server.breaks += [70_000]
  target = tmp_path / "file"
  with pytest.raises(DataError, match="cannot download"):
    _download.download(server, target, SHA256)
  assert not target.exists() and (tmp_path / ".file.partial").stat().st_size == 70_000
  _download.download(server, target, SHA256)
  assert target.read_bytes() == CONTENT and Server.ranges == [None, "bytes=70000-"]
  assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("left", [b"y" * 50_000, CONTENT + b"more", CONTENT])
def test_what_was_left_counts_only_if_the_whole_has_the_checksum(tmp_path, server, left):
  (tmp_path / ".file.partial").write_bytes(left)
  _download.download(server, tmp_path / "file", SHA256)
  assert (tmp_path / "file").read_bytes() == CONTENT
  assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_two_at_once_do_not_disturb_each_other(tmp_path, server):
  with open(tmp_path / ".file.partial", "a+b") as other:
    fcntl.flock(other, fcntl.LOCK_EX)
    other.write(b"half")
    other.flush()
    _download.download(server, tmp_path / "file", SHA256)
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert (tmp_path / ".file.partial").read_bytes() == b"half"


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
