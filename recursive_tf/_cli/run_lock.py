"""One training at a time in a run directory.

The lock is the operating system's (flock on `.lock` in the directory): it ends with the process
that holds it, however that ends, so there is none to be removed by hand.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import pathlib
import platform
from collections.abc import Iterator

from recursive_tf._errors import CheckpointError, ConfigError
from recursive_tf.training.files import REMEDY, reason_of

LOCK_NAME = ".lock"
_TAKEN = (errno.EWOULDBLOCK, errno.EACCES)
# Of file systems without locks: what they hold is nobody's to guard.
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


@contextlib.contextmanager
def lock_run(directory: pathlib.Path) -> Iterator[None]:
  """Inside, no other process trains in `directory`, which is there.

  Raises:
    ConfigError: If another one does; names it.
    CheckpointError: If the directory cannot be written to.
  """
  path = directory / LOCK_NAME
  file = _take(path, directory)
  try:
    os.ftruncate(file, 0)
    os.pwrite(file, f"process {os.getpid()} on {platform.node()}\n".encode(), 0)
    yield
  finally:
    # Before the lock is given up: who waits for it would otherwise hold a file without a name.
    path.unlink(missing_ok=True)
    os.close(file)


def _take(path: pathlib.Path, directory: pathlib.Path) -> int:
  """Returns the open file, locked."""
  while True:
    try:
      file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
      raise CheckpointError(f"{path}: cannot be written: {reason_of(error)}. {REMEDY}") from error
    try:
      fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
      with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(os.stat(path), os.fstat(file)):
          return file
    except OSError as error:
      if error.errno in _NO_LOCKS:
        return file
      who = os.pread(file, 200, 0).decode(errors="replace").strip()
      os.close(file)
      if error.errno not in _TAKEN:
        raise CheckpointError(f"{path}: cannot be locked: {reason_of(error)}. {REMEDY}") from error
      raise ConfigError(
        f"{directory}: {who or 'another process'} is training there. Wait until it has ended, or "
        "give another --out."
      ) from error
    os.close(file)  # It was given up, and removed, between the two.
