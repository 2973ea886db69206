"""The workers of a run, as the trainer sees them: this process alone, or one of a cluster."""

from __future__ import annotations

import abc
import contextlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import ConfigError, RecursiveTFError, WorkerLostError
from recursive_tf.datasets.pipeline import Packed
from recursive_tf.distribute.addresses import Addresses
from recursive_tf.distribute.collectives import Collectives
from recursive_tf.distribute.sharding import share_of
from recursive_tf.distribute.watchdog import Watchdog

_T = TypeVar("_T")

# How long the others may take to come: machines of a cluster start minutes apart.
START_SECONDS = 600.0
# How long one may wait for another in a step. A step takes milliseconds, its trace seconds.
TIMEOUT_SECONDS = 60.0
# Past the time limit, which gives the better message, unless nothing can be stopped any more.
_WATCHDOG_SLACK_SECONDS = 30.0
# More for a worker's own part in a step that has its graph made first.
_GRAPH_SECONDS = 25.0
# Of 4 kB, as TensorFlow has it, a megabyte is 256 strings: a fifth of what sending it costs.
_CHUNK_BYTES = 1 << 16
_LOST = (
  tf.errors.UnavailableError,
  tf.errors.DeadlineExceededError,
  tf.errors.AbortedError,
  tf.errors.CancelledError,
  tf.errors.FailedPreconditionError,
  tf.errors.InternalError,
  tf.errors.InvalidArgumentError,
)


class Workers(abc.ABC):
  """All workers of a run.

  Every worker has to call the same methods in the same order, but for `progress`.

  Attributes:
    num_workers: how many there are.
    index: which of them this process is.
  """

  num_workers: int
  index: int

  @property
  def is_chief(self) -> bool:
    """Whether this is the one that writes and shows."""
    return self.index == 0

  @abc.abstractmethod
  def share(self, packed: Packed, with_places: bool = False) -> Packed:
    """Returns what this worker sees of `packed`; see `sharding.Share`."""

  @abc.abstractmethod
  def agree(self, act: Callable[[], _T]) -> _T:
    """Returns what `act` returns here. If it fails on any worker, it fails on all.

    Raises:
      RecursiveTFError: What `act` raised here, or a ConfigError that says what it raised elsewhere.
    """

  @abc.abstractmethod
  def from_chief(self, value: Any) -> Any:
    """Returns the `value`, of JSON, that the first worker has."""

  @abc.abstractmethod
  def total(self, values: Sequence[float]) -> list[float]:
    """Returns the sums of the values, number by number."""

  @abc.abstractmethod
  def broadcast(self, variables: Sequence[tf.Variable]) -> None:
    """Gives the variables the values of the first worker."""

  def any_of(self, flag: bool) -> bool:
    """Tells whether any worker has it."""
    return self.total([float(flag)])[0] > 0


class Alone(Workers):
  """One process, which has nobody to talk to."""

  num_workers = 1
  index = 0

  def share(self, packed: Packed, with_places: bool = False) -> Packed:
    """Returns all."""
    return packed

  def agree(self, act: Callable[[], _T]) -> _T:
    """Returns what `act` returns."""
    return act()

  def from_chief(self, value: Any) -> Any:
    """Returns `value`."""
    return value

  def total(self, values: Sequence[float]) -> list[float]:
    """Returns the values."""
    return list(values)

  def broadcast(self, variables: Sequence[tf.Variable]) -> None:
    """Does nothing."""


ALONE = Alone()


class Cluster(Workers):
  """One worker among several, under `tf.distribute.MultiWorkerMirroredStrategy`.

  Attributes:
    strategy: the strategy; its collective ops and servers carry all that is exchanged.
    collectives: what the training step uses.
  """

  def __init__(self, addresses: Addresses, timeout_seconds: float = TIMEOUT_SECONDS):
    """Waits until all workers are there. Has to come before TensorFlow starts.

    Args:
      addresses: who they are.
      timeout_seconds: how long a worker waits for another before it gives it up.

    Raises:
      ConfigError: If TensorFlow already runs in this process.
    """
    self.num_workers = len(addresses.workers)
    self.index = addresses.index
    self._addresses = addresses
    self._timeout_seconds = timeout_seconds
    self._watchdog = Watchdog()
    self._time_limit = Watchdog(lambda _: tfi.abort_collective_ops("Collective op: time is over."))
    missing = f"after {START_SECONDS:.0f} s not all of {', '.join(addresses.workers)} are there"
    self._watchdog.progress(START_SECONDS, missing)
    options = tf.distribute.experimental.CommunicationOptions(
      implementation=tf.distribute.experimental.CommunicationImplementation.RING,
    )
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
      tf.train.ClusterSpec({"worker": list(addresses.workers)}),
      task_type="worker",
      task_id=addresses.index,
      rpc_layer="grpc",
    )
    try:
      tfi.leave_out_coordination_service()
      tfi.set_chunk_bytes(_CHUNK_BYTES)
      self.strategy = tf.distribute.MultiWorkerMirroredStrategy(resolver, options)
    except RuntimeError as error:
      raise ConfigError(
        f"A cluster of {self.num_workers} workers cannot be joined: {error} Run the command in a "
        "process of its own."
      ) from error
    self.collectives = Collectives(self.num_workers, self.index)
    self.progress()

  def progress(self, more_seconds: float = 0.0) -> None:
    """Tells that this worker is alive; has to be told more often than the time limit.

    Args:
      more_seconds: added to the time until it has to be told again.
    """
    seconds = self._timeout_seconds + _WATCHDOG_SLACK_SECONDS + more_seconds
    self._watchdog.progress(seconds, f"no answer from the other workers for {seconds:.0f} s")

  def leave(self) -> None:
    """Waits until all are done: one that leaves early takes with it what others still read."""
    try:
      self.any_of(False)
    except WorkerLostError:
      pass  # It was done, too, and this was the last there was to say.
    self._watchdog.rest()

  def share(self, packed: Packed, with_places: bool = False) -> Packed:
    """Returns this worker's part of each batch."""
    return share_of(packed, self.num_workers, self.index, with_places)

  def agree(self, act: Callable[[], _T]) -> _T:
    """Returns what `act` returns, if it does so on all workers."""
    try:
      result = act()
    except (RecursiveTFError, OSError) as error:
      self._exchange(str(error) or type(error).__name__)
      raise
    for index, message in enumerate(self._exchange("")):
      if message:
        raise ConfigError(f"Worker {index} stopped: {message}")
    return result

  def from_chief(self, value: Any) -> Any:
    """Returns the value of the first worker."""
    return self._exchange(value if self.is_chief else None)[0]

  def total(self, values: Sequence[float]) -> list[float]:
    """Returns the sums over all workers."""
    return [sum(each) for each in zip(*self._exchange(list(values)), strict=True)]

  def broadcast(self, variables: Sequence[tf.Variable]) -> None:
    """Gives the variables the values of the first worker."""
    with self.guarded():
      self.collectives.broadcast(variables)

  @contextlib.contextmanager
  def guarded(self, makes_graph: bool = False) -> Iterator[None]:
    """Inside, a worker that is lost or does not answer in time is a `WorkerLostError`.

    Args:
      makes_graph: whether it takes longer, as a graph is made first.
    """
    more_seconds = _GRAPH_SECONDS if makes_graph else 0.0
    self.progress(more_seconds)
    self._time_limit.progress(self._timeout_seconds + more_seconds, "")
    try:
      yield
    except _LOST as error:
      if "ollective" not in str(error):
        raise
      raise WorkerLostError(self._describe(error)) from error
    finally:
      self._time_limit.rest()
    self.progress()

  def _exchange(self, value: Any) -> list[Any]:
    with self.guarded():
      messages = self.collectives.exchange(json.dumps(value).encode())
    return [json.loads(message) for message in messages]

  def _describe(self, error: Exception) -> str:
    found = re.search(r"remote target /job:worker/replica:0/task:(\d+)", str(error))
    if found and int(found[1]) < self.num_workers:
      who = f"Worker {found[1]} ({self._addresses.workers[int(found[1])]}) is gone"
    elif isinstance(error, tf.errors.DeadlineExceededError):
      who = f"Another worker did not answer for {self._timeout_seconds:.0f} s"
    else:
      who = "Another worker is gone"
    return (
      f"{who}: worker {self.index} stops. The same command with --resume on all workers goes on "
      "from the last checkpoint."
    )
