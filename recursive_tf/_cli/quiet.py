"""Keeps off the terminal what TensorFlow notes while it starts, and nothing else."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import re
import sys
from collections.abc import Iterator, Sequence

# Where a driver is there, an error of cuInit is one.
_GPU_FILES = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg", "/proc/driver/nvidia")
_LOG_LEVEL = "TF_CPP_MIN_LOG_LEVEL"
_NOTES = re.compile(
  rb"[IW]\d{4} |WARNING: All log messages before absl|To enable the following instructions"
)
_NO_GPU = re.compile(rb"E\d{4} .*failed call to cuInit")


@contextlib.contextmanager
def without_start_notes(gpu_files: Sequence[str] = _GPU_FILES) -> Iterator[None]:
  """Holds back what is written to standard error meanwhile, and then passes on what is no note.

  C++ writes to the file descriptor, and TensorFlow has no level between these notes and errors. A
  crash meanwhile still shows where it was.

  Args:
    gpu_files: if one of these is there, so may a GPU be, and nothing about it is left out.
  """
  if os.environ.get(_LOG_LEVEL, "2") in ("0", "1"):  # Somebody wants to see them.
    yield
    return
  try:
    stderr = os.dup(2)
  except OSError:  # It is closed.
    yield
    return
  sys.stderr.flush()
  with open(os.memfd_create("stderr"), "w+b") as held:
    os.dup2(held.fileno(), 2)
    was_enabled = faulthandler.is_enabled()
    faulthandler.enable(stderr)
    try:
      yield
    finally:
      sys.stderr.flush()
      os.dup2(stderr, 2)
      if was_enabled:
        faulthandler.enable()
      else:
        faulthandler.disable()
      held.seek(0)
      has_gpu = any(map(os.path.exists, gpu_files))
      lines = held.read().splitlines(keepends=True)
      os.write(stderr, b"".join(line for line in lines if not _is_note(line, has_gpu)))
      os.close(stderr)


def _is_note(line: bytes, has_gpu: bool) -> bool:
  return bool(_NOTES.match(line) or (not has_gpu and _NO_GPU.match(line)))
