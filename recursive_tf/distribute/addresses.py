"""Who the workers of a cluster are, and which of them this process is.

TensorFlow's own `TF_CONFIG` says so (https://www.tensorflow.org/guide/distributed_training); Slurm
says it in variables of its own, which TensorFlow's resolver reads.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import socket
from typing import Any

from recursive_tf._errors import ConfigError

_JOBS = ("chief", "worker")
_EXAMPLE = (
  '{"cluster": {"worker": ["host1:2222", "host2:2222"]}, "task": {"type": "worker", "index": 0}}'
)


@dataclasses.dataclass(frozen=True)
class Addresses:
  """The workers of a cluster, as one of them sees it.

  Attributes:
    workers: `host:port` of each; the first is the chief.
    index: which of them this process is.
  """

  workers: tuple[str, ...]
  index: int

  def tf_config(self) -> str:
    """Returns the text of a TF_CONFIG that says the same."""
    task = {"type": "worker", "index": self.index}
    return json.dumps({"cluster": {"worker": list(self.workers)}, "task": task})


def parse_tf_config(text: str) -> Addresses | None:
  """Reads the text of a TF_CONFIG.

  Returns:
    The addresses, or None if it speaks of no cluster.

  Raises:
    ConfigError: If it is no TF_CONFIG, or has tasks that data-parallel training knows nothing of.
  """
  if not text:
    return None
  try:
    values = json.loads(text)
  except (json.JSONDecodeError, RecursionError) as error:
    raise _rejected(f"no JSON: {error}") from error
  if not isinstance(values, dict):
    raise _rejected(f"{type(values).__name__}, not an object")
  cluster = values.get("cluster")
  if not cluster:
    return None
  workers, first = _workers(cluster)
  task = values.get("task")
  if not isinstance(task, dict):
    raise _rejected("without a task")
  kind, index = task.get("type"), task.get("index")
  if kind not in first:
    raise _rejected(f"of task type {kind!r}, which the cluster does not have")
  if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(cluster[kind]):
    raise _rejected(f"of task index {index!r}, expected 0 to {len(cluster[kind]) - 1}")
  return Addresses(workers, first[kind] + index)


def _workers(cluster: Any) -> tuple[tuple[str, ...], dict[str, int]]:
  """Returns all addresses, the chief's first, and at which of them each job begins."""
  if not isinstance(cluster, dict):
    raise _rejected("with a cluster that is not an object")
  unknown = sorted(str(job) for job in cluster if job not in _JOBS)
  if unknown:
    raise _rejected(f"with tasks {', '.join(unknown)}, expected {' and '.join(_JOBS)} only")
  workers: list[str] = []
  first: dict[str, int] = {}
  for job in _JOBS:
    addresses = cluster.get(job, [])
    if not isinstance(addresses, list) or not all(map(_is_address, addresses)):
      raise _rejected(f"with {job} {addresses!r}, expected a list of host:port")
    first |= {job: len(workers)} if addresses else {}
    workers += addresses
  if len(set(workers)) < len(workers):
    raise _rejected("with the same address twice")
  return tuple(workers), first


def _is_address(value: Any) -> bool:
  host, _, port = value.rpartition(":") if isinstance(value, str) else ("", "", "")
  return bool(host) and port.isascii() and port.isdigit() and 0 < int(port) < 65536


def _rejected(got: str) -> ConfigError:
  return ConfigError(
    f"Environment variable TF_CONFIG is {got}.\nExpected such as {_EXAMPLE}, or nothing to train "
    "in this process alone."
  )


def local_addresses(num_workers: int) -> tuple[str, ...]:
  """Returns addresses on this machine whose ports are free at this moment."""
  with contextlib.ExitStack() as held:
    sockets = [held.enter_context(socket.socket()) for _ in range(num_workers)]
    for each in sockets:
      each.bind(("127.0.0.1", 0))
    return tuple(f"127.0.0.1:{each.getsockname()[1]}" for each in sockets)


def check_port(addresses: Addresses) -> None:
  """Checks that this process can listen where the others look for it.

  Raises:
    ConfigError: If something else listens there already.
  """
  address = addresses.workers[addresses.index]
  port = int(address.rpartition(":")[2])
  with socket.socket() as probe:
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
      probe.bind(("", port))
    except OSError as error:
      reason = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used: {error}"
      raise ConfigError(
        f"Port {port} of worker {addresses.index} ({address}) {reason}. Is another worker still "
        "running there? End it, or give another port."
      ) from error
