"""Images as grids of patches, for DAG-RNNs: MNIST's digits, seven by seven patches of four pixels.

Packed: `patches` float32 [T, G, G, P], `label` int32 [T], and `node_splits` int64 [T + 1], by which
the benchmarks count samples.
"""

from __future__ import annotations

import gzip
import os
import pathlib

import numpy as np

from benchmarks.options import Options
from benchmarks.treebanks import Packed

SIDE = 7
PATCH = 4
NUM_DIGITS = 10


def digit_grids(options: Options, num_images: int) -> tuple[Packed, int]:
  """Returns images of digits; there is no vocabulary. With the bundled sample, random pixels."""
  if options.data == "sample":
    rng = np.random.default_rng(options.seed)
    images = rng.random((num_images, SIDE * PATCH, SIDE * PATCH))
    labels = rng.integers(0, NUM_DIGITS, num_images)
  else:
    images, labels = _mnist(num_images)
  patches = images.reshape(num_images, SIDE, PATCH, SIDE, PATCH).transpose(0, 1, 3, 2, 4)
  return {
    "patches": patches.reshape(num_images, SIDE, SIDE, -1).astype(np.float32),
    "label": labels.astype(np.int32),
    "node_splits": np.arange(num_images + 1),
  }, 0


def _mnist(num_images: int) -> tuple[np.ndarray, np.ndarray]:
  """Returns the first training images, in 0 to 1, and their digits."""
  root = os.environ.get("RECURSIVE_TF_DATA")
  folder = pathlib.Path(root or "") / "mnist"
  if root is None or not folder.is_dir():
    raise FileNotFoundError("zoo: MNIST's files are not in $RECURSIVE_TF_DATA/mnist")
  with gzip.open(folder / "train-images-idx3-ubyte.gz") as file:
    file.read(16)
    pixels = np.frombuffer(file.read(num_images * 28 * 28), np.uint8)
  with gzip.open(folder / "train-labels-idx1-ubyte.gz") as file:
    file.read(8)
    labels = np.frombuffer(file.read(num_images), np.uint8)
  return pixels.reshape(-1, 28, 28) / 255.0, labels
