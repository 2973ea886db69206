"""Hosts of a network within this machine: Linux network namespaces on one switch.

Needs root and `ip`; links of a given rate need `tc` and the kernel's token bucket (tbf). A delay
cannot be had by that.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import subprocess
from collections.abc import Iterator

DEVICE = "e0"  # Of each host.
_PORT = 2222


@dataclasses.dataclass(frozen=True)
class Host:
  """One of the hosts.

  Attributes:
    namespace: its name.
    address: `host:port` for a worker on it.
  """

  namespace: str
  address: str

  @property
  def prefix(self) -> list[str]:
    """What comes before a command to run it on this host."""
    return ["ip", "netns", "exec", self.namespace]

  def set_link(self, is_up: bool) -> None:
    """Plugs the host's cable in or pulls it out."""
    _run(*self.prefix, "ip", "link", "set", DEVICE, "up" if is_up else "down")


@contextlib.contextmanager
def hosts(count: int, rate: str | None = None) -> Iterator[list[Host]]:
  """Makes so many hosts, and takes them away at the end.

  Args:
    count: how many.
    rate: what a host sends and receives at most, as `tc` has it: "1gbit"; None: no limit.

  Raises:
    OSError: If that cannot be done here: not root, or without the programs.
  """
  name = f"rtf{os.getpid()}"
  switch = f"{name}-switch"
  found = [Host(f"{name}-{k}", f"10.77.0.{k + 1}:{_PORT}") for k in range(count)]
  with contextlib.ExitStack() as stack:
    for namespace in (switch, *(host.namespace for host in found)):
      _run("ip", "netns", "add", namespace)
      stack.callback(_run, "ip", "netns", "delete", namespace)
    _run("ip", "-n", switch, "link", "add", "bridge", "type", "bridge")
    _run("ip", "-n", switch, "link", "set", "bridge", "up")
    for k, host in enumerate(found):
      own, port, ip = host.namespace, f"p{k}", host.address.partition(":")[0]
      peer = ["type", "veth", "peer", "name", port, "netns", switch]
      _run("ip", "-n", own, "link", "add", DEVICE, *peer)
      _run("ip", "-n", own, "address", "add", f"{ip}/24", "dev", DEVICE)
      _run("ip", "-n", switch, "link", "set", port, "master", "bridge", "up")
      for namespace, device in ((own, DEVICE), (own, "lo"), (switch, port)):
        _run("ip", "-n", namespace, "link", "set", device, "up")
      if rate is not None:
        limit = ["tbf", "rate", rate, "burst", "1mb", "latency", "50ms"]
        for namespace, device in ((own, DEVICE), (switch, port)):
          _run("tc", "-n", namespace, "qdisc", "add", "dev", device, "root", *limit)
    yield found


def _run(*command: str) -> None:
  done = subprocess.run(command, capture_output=True, text=True)
  if done.returncode:
    raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")
