"""What a figure depends on besides the code: machine, versions; and the memory of this process."""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import pathlib
import platform
import subprocess

_PACKAGES = ("recursive-tf", "tensorflow", "numpy", "torch", "jax", "jaxlib", "dynet38")


def describe() -> dict[str, object]:
  """Returns commit, processor, operating system and versions."""
  return {
    "commit": _commit(),
    "cpu": _cpu_model(),
    "cpus": len(os.sched_getaffinity(0)),
    "load_average": os.getloadavg()[0],
    "system": platform.platform(),
    "python": platform.python_version(),
    "versions": {name: _version(name) for name in _PACKAGES},
  }


def resident_bytes() -> int:
  """Returns the memory of this process that is in RAM."""
  fields = pathlib.Path("/proc/self/statm").read_text().split()
  return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def reset_peak() -> None:
  """Makes `peak_bytes` start anew, from what is in use now."""
  # Else calls that reuse what earlier ones have freed seem to need no memory.
  ctypes.CDLL("libc.so.6").malloc_trim(0)
  pathlib.Path("/proc/self/clear_refs").write_text("5")


def peak_bytes() -> int:
  """Returns the most memory that was resident since `reset_peak`, or since the process started."""
  for line in pathlib.Path("/proc/self/status").read_text().splitlines():
    if line.startswith("VmHWM:"):
      return int(line.split()[1]) * 1024
  raise RuntimeError("/proc/self/status has no VmHWM; peak memory is measured on Linux only.")


def _commit() -> str:
  """Returns the commit of this checkout, with a mark if files differ from it."""
  git = ["git", "-C", str(pathlib.Path(__file__).parent)]
  try:
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    status = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True)
  except (OSError, subprocess.CalledProcessError):
    return "unknown"
  return head.stdout.strip() + ("+changes" if status.stdout.strip() else "")


def _cpu_model() -> str:
  for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
    if line.startswith("model name"):
      return line.split(":", 1)[1].strip()
  return platform.processor() or "unknown"


def _version(package: str) -> str | None:
  try:
    return importlib.metadata.version(package)
  except importlib.metadata.PackageNotFoundError:
    return None
