"""Arms in processes of their own, driven over pipes.

Thread counts and core affinity belong to a process, and two frameworks in one process fight over
threads. So every arm lives in a worker; the driver lets one of them work at a time.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import multiprocessing
import os
import pathlib
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from multiprocessing.connection import Connection
from typing import Any, Protocol

from benchmarks import environment as machine

CLOCK = "BENCHMARKS_CLOCK"  # Environment variable: what `time` reads, of `_CLOCKS`.
_CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


class Workload:
  """What a worker holds: named calls that can be timed, and whatever other methods it has."""

  def __init__(self):
    self.calls: dict[str, Callable[[], Any]] = {}

  def time(self, name: str, loops: int) -> float:
    """Returns the seconds that `loops` calls of `name` take."""
    call, clock = self.calls[name], _CLOCKS[os.environ.get(CLOCK, "wall")]
    # Not all generations: with a framework's graphs in the heap, that takes longer than the call.
    gc.collect(1)
    start = clock()
    for _ in range(loops):
      call()
    return clock() - start

  def peak(self, name: str) -> int:
    """Runs call `name` once; returns its peak memory in bytes, beyond what was resident before."""
    gc.collect()
    machine.reset_peak()
    before = machine.resident_bytes()
    self.calls[name]()
    return machine.peak_bytes() - before


class WorkerError(RuntimeError):
  """An exception in a worker, with the worker's traceback."""


class _Process(Protocol):
  """What `Worker` needs of a process."""

  @property
  def exitcode(self) -> int | None: ...

  def join(self, timeout: float | None = None) -> None: ...

  def is_alive(self) -> bool: ...

  def kill(self) -> None: ...


class _OtherPython:
  """A process by another interpreter, which would not find its packages if it were spawned."""

  def __init__(self, python: str, root: pathlib.Path, pipe: Connection):
    descriptor = pipe.fileno()
    code = f"from benchmarks import worker; worker.serve_at({descriptor})"
    self._process = subprocess.Popen([python, "-c", code], cwd=root, pass_fds=[descriptor])

  @property
  def exitcode(self) -> int | None:
    return self._process.poll()

  def join(self, timeout: float | None = None) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
      self._process.wait(timeout)

  def is_alive(self) -> bool:
    return self._process.poll() is None

  def kill(self) -> None:
    self._process.kill()


class Worker:
  """A `Workload` in another process. Not thread-safe; one call at a time."""

  def __init__(
    self,
    target: str,
    threads: int,
    environ: Mapping[str, str] | None = None,
    python: str | None = None,
    checkout: pathlib.Path | None = None,
    **arguments: Any,
  ):
    """Starts the process.

    Args:
      target: "module:class" of the workload.
      threads: cores that the process may use, and threads of every pool that can be told.
      environ: environment variables to set before anything is imported.
      python: the interpreter to run it, with packages of its own; this one, if None.
      checkout: the checkout whose code and interpreter run it; this one, if None.
      **arguments: for the class.
    """
    root = pathlib.Path(__file__).resolve().parents[1]
    if checkout is not None:
      root = checkout.resolve()
      python = str(root / ".venv" / "bin" / "python")
      if not os.path.exists(python):
        raise WorkerError(f"{checkout} has no .venv/bin/python: run `make setup` there.")
    context = multiprocessing.get_context("spawn")
    self._pipe, pipe = context.Pipe()
    self._target = target
    work = (target, threads, dict(environ or {}), arguments)
    self._process: _Process
    with _limit_threads(threads):
      if python is None:
        process = context.Process(target=_serve, args=(pipe, *work), daemon=True)
        process.start()
        self._process = process
      else:
        self._process = _OtherPython(python, root, pipe)
        self._pipe.send(work)
    pipe.close()
    self._receive()

  def call(self, method: str, *args: Any) -> Any:
    """Calls a method of the workload and returns its result."""
    self._pipe.send((method, args))
    return self._receive()

  def close(self) -> None:
    """Ends the process."""
    self._pipe.close()
    self._process.join(timeout=10)
    if self._process.is_alive():
      self._process.kill()

  def __enter__(self) -> Worker:
    return self

  def __exit__(self, *exc_info: object) -> None:
    self.close()

  def _receive(self) -> Any:
    try:
      failed, value = self._pipe.recv()
    except EOFError:
      self._process.join(timeout=10)
      raise WorkerError(f"{self._target} died with exit code {self._process.exitcode}.") from None
    if failed:
      raise WorkerError(f"in {self._target}:\n{value}")
    return value


class LocalWorker:
  """A `Workload` in this process, with the interface of `Worker`; threads are as they are."""

  def __init__(self, target: str, environ: Mapping[str, str] | None = None, **arguments: Any):
    self._environ = dict(environ or {})
    with _set(self._environ):
      self._workload = _load(target)(**arguments)

  def call(self, method: str, *args: Any) -> Any:
    """Calls a method of the workload and returns its result."""
    with _set(self._environ):
      return getattr(self._workload, method)(*args)

  def close(self) -> None:
    """Lets the workload go."""
    self._workload = None

  def __enter__(self) -> LocalWorker:
    return self

  def __exit__(self, *exc_info: object) -> None:
    self.close()


def start(
  target: str,
  threads: int,
  *,
  in_process: bool = False,
  environ: Mapping[str, str] | None = None,
  python: str | None = None,
  checkout: pathlib.Path | None = None,
  **arguments: Any,
):
  """Returns a worker for the workload class `target`, "module:class"."""
  if in_process and python is None and checkout is None:
    return LocalWorker(target, environ, **arguments)
  return Worker(target, threads, environ, python, checkout, **arguments)


def timer(each: Worker | LocalWorker, call: str) -> Callable[[int], float]:
  """Returns what times a call of a worker, for `harness.Arm`."""
  return lambda loops: each.call("time", call, loops)


@contextlib.contextmanager
def _set(environ: Mapping[str, str]) -> Iterator[None]:
  """Sets environment variables for a while; recursive_tf reads them again before and after."""
  before = {name: os.environ.get(name) for name in environ}
  os.environ.update(environ)
  _forget_config()
  try:
    yield
  finally:
    for name, value in before.items():
      if value is None:
        del os.environ[name]
      else:
        os.environ[name] = value
    _forget_config()


def _forget_config() -> None:
  module = sys.modules.get("recursive_tf._config")
  if module is not None:
    module.config.cache_clear()


def _load(target: str) -> Callable[..., Any]:
  module, name = target.split(":")
  return getattr(importlib.import_module(module), name)


def serve_at(descriptor: int) -> None:
  """Runs in another interpreter: gets what to do from the pipe at a descriptor, and serves it."""
  pipe = Connection(descriptor)
  _serve(pipe, *pipe.recv())


def _serve(
  pipe: Any, target: str, _threads: int, environ: dict[str, str], arguments: dict[str, Any]
) -> None:
  """Runs in the worker process: makes the workload, then answers calls until the pipe closes.

  The number of threads is for older checkouts, which limit them here.
  """
  try:
    os.environ.update(environ)
    workload = _load(target)(**arguments)
    pipe.send((False, None))
    while True:
      method, args = pipe.recv()
      try:
        answer = (False, getattr(workload, method)(*args))
      except Exception:
        answer = (True, traceback.format_exc())
      pipe.send(answer)
  except EOFError:
    return
  except Exception:
    pipe.send((True, traceback.format_exc()))


@contextlib.contextmanager
def _limit_threads(threads: int) -> Iterator[None]:
  """Processes that are started meanwhile are held to `threads` cores and threads from the first.

  Once they run it is too late: arguments bring numpy with them, whose library of products makes
  its threads at once, on all cores that there are.
  """
  names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
  # TensorFlow reads these when it makes its pools, unless a program sets them itself.
  names += ("TF_NUM_INTEROP_THREADS", "TF_NUM_INTRAOP_THREADS")
  environ = {name: str(threads) for name in names}
  cores = os.sched_getaffinity(0)
  with _set({**environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}):
    os.sched_setaffinity(0, sorted(cores)[:threads])
    try:
      yield
    finally:
      os.sched_setaffinity(0, cores)
