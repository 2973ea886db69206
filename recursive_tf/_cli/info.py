"""`recursive-tf info`: versions, kernels, threads, data."""

from __future__ import annotations

import argparse
import os
import platform

import tensorflow as tf

import recursive_tf
from recursive_tf import _ops
from recursive_tf._config import config
from recursive_tf.datasets import _locations
from recursive_tf.datasets.treebank import SPLITS, find_splits


def info(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  for name, value in collect_info().items():
    print(f"{name:<20}{value}")
  return 0


def collect_info() -> dict[str, str]:
  """Returns what is worth knowing about this installation, by name."""
  build = _ops.build_info
  options = config()
  return {
    "recursive_tf": recursive_tf.__version__,
    "TensorFlow": f"{tf.__version__} (kernels built for {build.TENSORFLOW_VERSION})",
    "Python": f"{platform.python_version()}, {platform.platform()}",
    "kernels": str(_ops.KERNELS_PATH),
    "compiler": build.COMPILER,
    "processors": f"{os.cpu_count()}, {len(os.sched_getaffinity(0))} of them for this process",
    "threads": "2 (train, eval, trace: --threads)",
    "scheduler": f"{options.scheduler} (RECURSIVE_TF_SCHEDULER)",
    "deepest recursion": f"{options.max_depth} frames (RECURSIVE_TF_MAX_DEPTH)",
    "ready work first": f"{options.ready_policy} (RECURSIVE_TF_READY_POLICY)",
    "data: sample": "comes with the package",
    "data: sst": _find_sst(),
  }


def _find_sst() -> str:
  data = _locations.data_directory()
  places = [] if data is None else [data / "sst"]
  places.append(_locations.cache_directory() / "sst")
  for place in places:
    if len(find_splits(place)) == len(SPLITS):
      return str(place)
  hint = "" if data else f"; {_locations.DATA_VARIABLE} is not set"
  return f"not here yet: `--data sst` downloads it to {places[-1]}{hint}"
