"""Starts the workers of one machine, watches them, and starts them anew when one is lost.

It imports nothing of TensorFlow: it only starts processes, reads how they end, and sends signals.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import IO

from recursive_tf.distribute.addresses import Addresses, local_addresses

BAD_INPUT = 2
INTERRUPTED = 130
GAVE_UP = 1
_PYTHON_ERROR = 1
# What a worker has to stop by itself after another is lost, or to save after Ctrl-C, before it is
# ended: the others hear of a lost one by its connection, at once.
GRACE_SECONDS = 20.0
_AFTER_KILL_SECONDS = 10.0
_POLL_SECONDS = 0.1
_SHOWN_LINES = 15
# As bin/recursive-tf, TensorFlow's notes at its import are shown only if that fails; and Ctrl-C
# meanwhile ends a worker quietly.
_PROGRAM = f"""\
import os, signal, sys
signal.signal(signal.SIGINT, lambda number, frame: os._exit({INTERRUPTED}))
stderr, held = os.dup(2), os.memfd_create("stderr")
os.dup2(held, 2)
try:
  from recursive_tf import cli
except BaseException:
  os.lseek(held, 0, os.SEEK_SET)
  os.write(stderr, os.read(held, 1 << 20))
  raise
finally:
  os.dup2(stderr, 2)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(cli.main(sys.argv[1:]))
"""
# What TensorFlow writes about connections that end is said in one line by whom it concerns.
_LOG_LEVEL, _NO_ERRORS = "TF_CPP_MIN_LOG_LEVEL", "3"


@dataclasses.dataclass
class _Worker:
  index: int
  process: subprocess.Popen[bytes]
  log: IO[bytes] | None

  @property
  def status(self) -> int | None:
    return self.process.poll()

  def signal(self, number: int) -> None:
    try:
      self.process.send_signal(number)
    except ProcessLookupError:
      pass

  def close(self) -> None:
    for file in (self.process.stdin, self.log):
      if file is not None:
        file.close()

  def last_lines(self) -> str:
    """Returns the end of what it wrote, if that was not shown."""
    if self.log is None:
      return ""
    self.log.seek(0)
    lines = self.log.read().decode(errors="replace").splitlines()
    return "\n".join(f"  worker {self.index}: {line}" for line in lines[-_SHOWN_LINES:])


class Launcher:
  """Runs the workers of one training run on this machine."""

  def __init__(
    self,
    command: Callable[[bool], Sequence[str]],
    num_workers: int,
    max_restarts: int,
    announce: Callable[[str], None],
    grace_seconds: float = GRACE_SECONDS,
  ):
    """Keeps what to run.

    Args:
      command: of a worker; its argument tells whether it goes on with what was begun before.
      num_workers: how many there are.
      max_restarts: how often all are started anew after one was lost.
      announce: shows a message.
      grace_seconds: what workers have to stop by themselves.
    """
    self._command = command
    self._num_workers = num_workers
    self._max_restarts = max_restarts
    self._announce = announce
    self._grace_seconds = grace_seconds
    self._num_signals = 0
    self._workers: list[_Worker] = []

  def run(self) -> int:
    """Runs the workers to their end; returns the exit status."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
      signal.signal(number, self._handle)
    try:
      return self._run()
    finally:
      self._end_all()
      self._close()
      for number, handler in before.items():
        signal.signal(number, handler)

  def _run(self) -> int:
    for restart in range(self._max_restarts + 1):
      first = self._run_once(restart > 0)
      statuses = [worker.status for worker in self._workers]
      if self._num_signals:
        return INTERRUPTED if INTERRUPTED in statuses or statuses[0] else 0
      if first is None or statuses[0] == 0:
        return 0
      reason = _reason(first)
      if BAD_INPUT in statuses:
        if statuses[0] != BAD_INPUT:  # The first worker's message was shown.
          self._show_lines(self._workers[statuses.index(BAD_INPUT)])
        return BAD_INPUT
      self._show_lines(first)
      if first.status == _PYTHON_ERROR:  # A traceback, which would come again.
        return _PYTHON_ERROR
      if restart == self._max_restarts:
        break
      self._announce(
        f"{reason}: all workers start anew from the last checkpoint (restart {restart + 1} of "
        f"{self._max_restarts})."
      )
    self._announce(
      f"{reason}: given up after {self._max_restarts} restarts. The same command with --resume "
      "goes on from the last checkpoint."
    )
    return GAVE_UP

  def _show_lines(self, worker: _Worker) -> None:
    lines = worker.last_lines()
    if lines:
      self._announce(lines)

  def _run_once(self, is_restart: bool) -> _Worker | None:
    """Runs all workers until all have ended; returns the first that failed."""
    command = list(self._command(is_restart))
    addresses = local_addresses(self._num_workers)
    self._close()
    for index in range(self._num_workers):
      self._workers.append(_start(command, Addresses(addresses, index)))
      if self._num_signals:  # It came while this one was started.
        self._workers[-1].signal(signal.SIGINT)
        break
    failed: _Worker | None = None
    deadline = float("inf")
    while any(worker.status is None for worker in self._workers):
      time.sleep(_POLL_SECONDS)
      ended = [worker for worker in self._workers if worker.status is not None]
      if failed is None:
        failed = next((worker for worker in ended if worker.status), None)
      # Whoever ends leaves the others waiting.
      if deadline == float("inf") and (ended or self._num_signals):
        deadline = time.monotonic() + self._grace_seconds
      if time.monotonic() > deadline or self._num_signals > 1:
        self._end_all()
    # Several may have ended between two looks: who was lost counts, not who said so.
    killed = [worker for worker in self._workers if (worker.status or 0) < 0]
    return failed if failed is None or (failed.status or 0) < 0 else (killed or [failed])[0]

  def _end_all(self) -> None:
    running = [worker for worker in self._workers if worker.status is None]
    if self._num_signals > 1:  # They have heard it themselves, and know what to say.
      _wait(running, min(3.0, self._grace_seconds))
    for worker in running:
      worker.signal(signal.SIGKILL)
    _wait(running, _AFTER_KILL_SECONDS)

  def _close(self) -> None:
    for worker in self._workers:
      worker.close()
    self._workers = []

  def _handle(self, number: int, frame: FrameType | None) -> None:
    self._num_signals += 1
    for worker in self._workers:
      worker.signal(signal.SIGINT)


def _start(command: Sequence[str], addresses: Addresses) -> _Worker:
  """Starts one worker: the first shows what it writes, the others' is kept.

  In a session of its own, so that Ctrl-C comes from the launcher and to all at one time. Its
  standard input ends with the launcher.
  """
  log = None if addresses.index == 0 else tempfile.TemporaryFile()  # noqa: SIM115 - kept open
  environ = {**os.environ, "TF_CONFIG": addresses.tf_config()}
  if environ.get(_LOG_LEVEL, "2") == "2":
    environ[_LOG_LEVEL] = _NO_ERRORS
  process = subprocess.Popen(
    command,
    env=environ,
    stdin=subprocess.PIPE,
    stdout=log,
    stderr=log,
    start_new_session=True,
  )
  return _Worker(addresses.index, process, log)


def _wait(workers: Sequence[_Worker], seconds: float) -> None:
  deadline = time.monotonic() + seconds
  while any(worker.status is None for worker in workers) and time.monotonic() < deadline:
    time.sleep(_POLL_SECONDS)


def _reason(worker: _Worker) -> str:
  status = worker.status or 0
  if status >= 0:
    return f"Worker {worker.index} stopped with status {status}"
  try:
    return f"Worker {worker.index} was ended by {signal.Signals(-status).name}"
  except ValueError:
    return f"Worker {worker.index} was ended by signal {-status}"


def worker_command(arguments: Sequence[str]) -> list[str]:
  """Returns the command line of this program with `arguments`."""
  return [sys.executable, "-c", _PROGRAM, *arguments]
