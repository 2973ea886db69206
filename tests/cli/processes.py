"""Training as a user starts it, in processes of its own, and who they are."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time


def start(*arguments):
  """Starts `recursive-tf` with `arguments`; its output is text in pipes."""
  return subprocess.Popen(
    [sys.executable, "-m", "recursive_tf.cli", *map(str, arguments)],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
    env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONUNBUFFERED": "1"},
  )


def children(process):
  """Returns the ids of the processes that `process` has started and that still run."""
  path = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
  return [int(child) for child in path.read_text().split()]


def state(pid):
  """Returns the letter of what a process does, see proc(5); X if it is gone."""
  try:
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
  except OSError:
    return "X"


def is_running(pid):
  """Tells whether a process is there, and is more than an entry that nobody has asked about."""
  return state(pid) not in "XZ"


def stop(pid):
  """Stops a process where it is, by a signal. Returns whether it had not ended before."""
  with contextlib.suppress(ProcessLookupError):
    os.kill(pid, signal.SIGSTOP)
  wait_until(lambda: state(pid) in "TXZ")
  return state(pid) == "T"


def wait_until(condition, seconds=120):
  """Waits until `condition()` holds."""
  deadline = time.monotonic() + seconds
  while not condition():
    assert time.monotonic() < deadline, "waited in vain"
    time.sleep(0.05)


def read_until(process, beginning):
  """Reads lines of the output up to one with this beginning."""
  for line in process.stdout:
    if line.startswith(beginning):
      return
  raise AssertionError(f"no line {beginning!r}: {process.stderr.read()}")
