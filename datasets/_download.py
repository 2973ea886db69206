"""Downloads of files whose checksum is known; nothing half-written is ever left in place."""

from __future__ import annotations

import hashlib
import http.client
import os
import pathlib
import tempfile
import urllib.request
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

  Several processes may download the same target at once.

  Raises:
    DataError: If the download fails or gives other bytes than expected.
  """
  partial = None
  try:
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    with os.fdopen(handle, "wb") as file:
      got = _copy(url, file, target.name, progress)
    if got != sha256:
      raise DataError(f"{url}: expected SHA-256 {sha256}, got {got}.")
    os.chmod(partial, 0o644)  # mkstemp lets only the owner read.
    os.replace(partial, target)
  except (OSError, http.client.HTTPException) as error:  # URLError is an OSError.
    raise DataError(f"{url}: cannot download to {target}: {error}.") from error
  finally:
    if partial is not None and os.path.exists(partial):
      os.unlink(partial)


def _copy(url: str, file: IO[bytes], name: str, progress: bool) -> str:
  """Copies `url` to the open `file`; returns the SHA-256 of the bytes."""
  digest = hashlib.sha256()
  with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response:
    length = response.headers.get("Content-Length")
    bar = tqdm.tqdm(
      desc=f"download {name}",
      total=int(length) if length else None,
      unit="B",
      unit_scale=True,
      disable=None if progress else True,  # None: shown only on a terminal.
      leave=False,
    )
    with bar:
      while chunk := response.read(_CHUNK_BYTES):
        digest.update(chunk)
        file.write(chunk)
        bar.update(len(chunk))
  return digest.hexdigest()
