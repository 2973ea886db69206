"""Downloads of files whose checksum is known: whole or not there, and resumed where they broke."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import http
import http.client
import os
import pathlib
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import IO

import tqdm

from recursive_tf._errors import DataError

_TIMEOUT_SECONDS = 30.0
_CHUNK_BYTES = 1 << 16


def has_checksum(path: pathlib.Path, sha256: str) -> bool:
  """Tells whether the file exists and has this SHA-256, in hexadecimal."""
  try:
    return hashlib.sha256(path.read_bytes()).hexdigest() == sha256
  except OSError:
    return False


def download(url: str, target: pathlib.Path, sha256: str, *, progress: bool = False) -> None:
  """Fetches `url` to `target`, which appears only when it is complete and has the checksum.

  What came before a connection broke is kept beside it, and the next call goes on from there, if
  the server can. Several processes may download the same target at once: one of them goes on, the
  others begin anew.

  Raises:
    DataError: If the download fails or gives other bytes than expected.
  """
  try:
    target.parent.mkdir(parents=True, exist_ok=True)
    with _partial_file(target) as file:
      is_resumed = os.fstat(file.fileno()).st_size > 0
      got = _copy(url, file, target.name, progress)
      if got != sha256 and is_resumed:  # Another version of the file, or a damaged rest.
        file.truncate(0)
        got = _copy(url, file, target.name, progress)
      if got != sha256:
        os.unlink(file.name)
        raise DataError(f"{url}: expected SHA-256 {sha256}, got {got}.")
      file.flush()
      os.chmod(file.name, 0o644)  # mkstemp lets only the owner read.
      os.replace(file.name, target)
  except (OSError, http.client.HTTPException) as error:  # URLError is an OSError.
    raise DataError(f"{url}: cannot download to {target}: {error}.") from error


@contextlib.contextmanager
def _partial_file(target: pathlib.Path) -> Iterator[IO[bytes]]:
  """Opens what an earlier call left of the target, or a file of its own if another process has it.

  The first stays if something goes wrong, for the next call; the second does not.
  """
  with contextlib.ExitStack() as stack:
    file: IO[bytes] = stack.enter_context(open(target.with_name(f".{target.name}.partial"), "a+b"))
    is_first = _is_ours_alone(file)
    if not is_first:
      handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
      os.close(handle)
      file = stack.enter_context(open(name, "a+b"))
    try:
      yield file
    except BaseException:
      with contextlib.suppress(OSError):  # A full disk.
        file.flush()
      is_worthless = not is_first or not os.fstat(file.fileno()).st_size
      if is_worthless and os.path.exists(file.name):
        os.unlink(file.name)
      raise


def _is_ours_alone(file: IO[bytes]) -> bool:
  """Locks an open file; returns whether that was possible, and it still has its name."""
  try:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    # Another process may have completed and renamed it after it was opened here.
    return os.path.samestat(os.stat(file.name), os.fstat(file.fileno()))
  except OSError:
    return False


def _copy(url: str, file: IO[bytes], name: str, progress: bool) -> str:
  """Adds to the open `file` what it lacks of `url`; returns the SHA-256 of all its bytes."""
  digest = hashlib.sha256()
  file.seek(0)
  while chunk := file.read(_CHUNK_BYTES):
    digest.update(chunk)
  start = file.tell()
  request = urllib.request.Request(url, headers={"Range": f"bytes={start}-"} if start else {})
  try:
    response = urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS)
  except urllib.error.HTTPError as error:
    if start and error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
      return digest.hexdigest()  # There is no more; the checksum tells whether that is all.
    raise
  with response:
    if getattr(response, "status", None) != http.HTTPStatus.PARTIAL_CONTENT:
      digest, start = hashlib.sha256(), 0  # The server begins anew.
      file.truncate(0)
    length = response.headers.get("Content-Length")
    bar = tqdm.tqdm(
      desc=f"download {name}",
      initial=start,
      total=start + int(length) if length else None,
      unit="B",
      unit_scale=True,
      disable=None if progress else True,  # None: shown only on a terminal.
      leave=False,
    )
    count = 0
    with bar:
      while chunk := response.read(_CHUNK_BYTES):
        digest.update(chunk)
        file.write(chunk)
        bar.update(len(chunk))
        count += len(chunk)
  if length and count != int(length):
    raise ConnectionError(f"got {count:,} of {int(length):,} bytes")
  return digest.hexdigest()
