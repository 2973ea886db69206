"""Images as grids of patches, for DAG-RNNs: MNIST's digits, seven by seven patches of four pixels.

Packed: `patches` float32 [T, G, G, P], `label` int32 [T], and `node_splits` int64 [T + 1], by which
the benchmarks count samples.
"""

from __future__ import annotations

import numpy as np

from benchmarks.options import Options
from benchmarks.peers import real_data
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
    found = real_data.digits(num_images)
    if found is None:
      raise FileNotFoundError("zoo: MNIST's files are not in $RECURSIVE_TF_DATA/mnist")
    images, labels = found
  patches = images.reshape(num_images, SIDE, PATCH, SIDE, PATCH).transpose(0, 1, 3, 2, 4)
  return {
    "patches": patches.reshape(num_images, SIDE, SIDE, -1).astype(np.float32),
    "label": labels.astype(np.int32),
    "node_splits": np.arange(num_images + 1),
  }, 0
