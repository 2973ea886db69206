"""A switch that hands each frame on after a given time: links with a delay.

`python -m benchmarks.delayed_switch SECONDS DEVICE NAMESPACE...` makes a device in each network
namespace and connects them until it is ended. The kernel's own delay (`netem`) is not in every
kernel; this needs /dev/net/tun and root.
"""

from __future__ import annotations

import collections
import contextlib
import ctypes
import fcntl
import os
import select
import struct
import sys
import time

READY = "ready"  # What it prints when all devices are there.
# As long as TCP's own packets within a machine: few frames, so the switch has little to do.
MTU = 65_000
_CLONE_NEWNET = 0x40000000
_TUNSETIFF = 0x400454CA
_IFF_TAP, _IFF_NO_PI = 0x2, 0x1000
_BROADCAST = 1  # The bit of the first byte.


def hardware_address(index: int) -> str:
  """Returns the address of a device, by the place of its namespace."""
  return f"02:00:00:00:00:{index:02x}"


def _open_device(namespace: str, device: str) -> int:
  """Makes a device in a namespace; returns what frames are read from and written to."""
  libc = ctypes.CDLL(None, use_errno=True)
  with contextlib.ExitStack() as stack:
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    stack.callback(os.close, there)
    if libc.setns(there, _CLONE_NEWNET):
      raise OSError(ctypes.get_errno(), f"network namespace {namespace}")
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
  fcntl.ioctl(tap, _TUNSETIFF, struct.pack("16sH14x", device.encode(), _IFF_TAP | _IFF_NO_PI))
  return tap


def _receivers(frame: bytes, sender: int, taps: list[int]) -> list[int]:
  """Returns whom a frame is for: all others, or the one whose number its address ends with."""
  if frame[0] & _BROADCAST:
    return [tap for index, tap in enumerate(taps) if index != sender]
  return [taps[frame[5]]] if frame[5] < len(taps) else []


def _connect(seconds: float, taps: list[int]) -> None:
  """Hands frames on for ever. All wait equally long, so they leave in the order they came."""
  waiting: collections.deque[tuple[float, list[int], bytes]] = collections.deque()
  while True:
    timeout = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
    for tap in select.select(taps, [], [], timeout)[0]:
      with contextlib.suppress(OSError):  # The device is down.
        frame = os.read(tap, 2 * MTU)
        due = time.monotonic() + seconds
        waiting.append((due, _receivers(frame, taps.index(tap), taps), frame))
    while waiting and waiting[0][0] <= time.monotonic():
      _, receivers, frame = waiting.popleft()
      for tap in receivers:
        with contextlib.suppress(OSError):  # Lost, as on any network: TCP sends it again.
          os.write(tap, frame)


def main() -> None:
  """Makes the devices, then connects them."""
  seconds, device, *namespaces = sys.argv[1:]
  # Before all that only computes: what waits for a core here would be a longer delay.
  os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
  taps = [_open_device(namespace, device) for namespace in namespaces]
  print(READY, flush=True)
  _connect(float(seconds), taps)


if __name__ == "__main__":
  main()
