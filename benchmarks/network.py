"""Hosts of a network within this machine: Linux network namespaces on one switch.

Needs root and `ip`; links of a given rate need `tc` and the kernel's token bucket (tbf), links with
a delay /dev/net/tun.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.delayed_switch import MTU, READY, hardware_address

DEVICE = "e0"  # Of each host.
_PORT = 2222


@dataclasses.dataclass(frozen=True)
class Host:
  """One of the hosts.

  Attributes:
    namespace: its name.
    address: `host:port` for a worker on it.
    switch: the name of what connects it with the others.
  """

  namespace: str
  address: str
  switch: str

  @property
  def socket(self) -> str:
    """Where its cable ends in the switch."""
    return f"p{self.namespace.rpartition('-')[2]}"

  @property
  def prefix(self) -> list[str]:
    """What comes before a command to run it on this host."""
    return ["ip", "netns", "exec", self.namespace]

  def set_link(self, is_up: bool) -> None:
    """Plugs the host's cable in or pulls it out."""
    _run(*self.prefix, "ip", "link", "set", DEVICE, "up" if is_up else "down")

  def set_heard(self, is_heard: bool) -> None:
    """Has the switch hand on what the host sends and gets, or lose it without telling anyone.

    Not with a delay.
    """
    where = ["master", "bridge"] if is_heard else ["nomaster"]
    _run("ip", "-n", self.switch, "link", "set", self.socket, *where)


@contextlib.contextmanager
def hosts(count: int, rate: str | None = None, delay: float = 0.0) -> Iterator[list[Host]]:
  """Makes so many hosts, and takes them away at the end.

  Args:
    count: how many.
    rate: what a host sends at most, as `tc` has it: "1gbit"; None: no limit.
    delay: seconds that what one host sends takes to another, beside what sending it takes.

  Raises:
    OSError: If that cannot be done here: not root, or without the programs.
  """
  name = f"rtf{os.getpid()}"
  switch = f"{name}-switch"
  found = [Host(f"{name}-{k}", f"10.77.0.{k + 1}:{_PORT}", switch) for k in range(count)]
  limit = [] if rate is None else ["tbf", "rate", rate, "burst", "1mb", "latency", "50ms"]
  with contextlib.ExitStack() as stack:
    for host in found:
      _add_namespace(host.namespace, stack)
    if delay:
      stack.enter_context(_delayed_switch(found, delay))
    else:
      _connect_by_bridge(found, switch, limit, stack)
    for host in found:
      ip = host.address.partition(":")[0]
      _run("ip", "-n", host.namespace, "address", "add", f"{ip}/24", "dev", DEVICE)
      for device in (DEVICE, "lo"):
        _run("ip", "-n", host.namespace, "link", "set", device, "up")
      _limit(host.namespace, DEVICE, limit)
    yield found


def _add_namespace(name: str, stack: contextlib.ExitStack) -> None:
  _run("ip", "netns", "add", name)
  stack.callback(_run, "ip", "netns", "delete", name)


def _limit(namespace: str, device: str, limit: list[str]) -> None:
  if limit:
    _run("tc", "-n", namespace, "qdisc", "add", "dev", device, "root", *limit)


def _connect_by_bridge(
  found: list[Host], switch: str, limit: list[str], stack: contextlib.ExitStack
) -> None:
  """Connects the hosts by the kernel's own switch, which sends no faster than they do."""
  _add_namespace(switch, stack)
  _run("ip", "-n", switch, "link", "add", "bridge", "type", "bridge")
  _run("ip", "-n", switch, "link", "set", "bridge", "up")
  for host in found:
    peer = ["type", "veth", "peer", "name", host.socket, "netns", switch]
    _run("ip", "-n", host.namespace, "link", "add", DEVICE, *peer)
    _run("ip", "-n", switch, "link", "set", host.socket, "master", "bridge", "up")
    _limit(switch, host.socket, limit)


@contextlib.contextmanager
def _delayed_switch(found: list[Host], delay: float) -> Iterator[None]:
  """Connects the hosts by a process that holds each frame back."""
  names = [host.namespace for host in found]
  command = [sys.executable, "-m", "benchmarks.delayed_switch", str(delay), DEVICE, *names]
  process = subprocess.Popen(
    command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
  )
  try:
    if process.stdout is None or process.stdout.readline().strip() != READY:
      said = process.stderr.read().strip() if process.stderr else ""
      raise OSError(f"no links with a delay: {said.splitlines()[-1:]}")
    for k, name in enumerate(names):
      _run("ip", "-n", name, "link", "set", DEVICE, "address", hardware_address(k))
      _run("ip", "-n", name, "link", "set", DEVICE, "mtu", str(MTU))
    yield
  finally:
    process.kill()
    process.communicate()


def _run(*command: str) -> None:
  done = subprocess.run(command, capture_output=True, text=True)
  if done.returncode:
    raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")
