"""Which worker takes which trees of a batch: about as many nodes each.

Trees of a treebank differ fifty-fold in size, so as many trees for each worker are not as much
work. Longest processing time first (Graham, SIAM J. Appl. Math. 17, 1969): the largest tree that is
left goes to the worker with the fewest nodes, which is at most 4/3 - 1/(3 N) times the best.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np

from recursive_tf.datasets.batch import TreeBatch, TreeBatchPart
from recursive_tf.datasets.pipeline import Packed


def divide(sizes: Sequence[int] | np.ndarray, num_workers: int) -> list[np.ndarray]:
  """Divides trees among workers; a pure function, so all workers agree without a message.

  Args:
    sizes: int [B], nodes of each tree.
    num_workers: how many there are.

  Returns:
    For each worker the positions of its trees in `sizes`, rising. Worker k has none if and only if
    B <= k.
  """
  loads = [(0, worker) for worker in range(num_workers)]
  found: list[list[int]] = [[] for _ in range(num_workers)]
  sizes = np.asarray(sizes)
  for position in np.argsort(-sizes, kind="stable").tolist():
    load, worker = loads[0]
    found[worker].append(position)
    heapq.heapreplace(loads, (load + int(sizes[position]), worker))
  return [np.array(sorted(positions), np.int64) for positions in found]


def imbalance(sizes: np.ndarray, parts: Sequence[np.ndarray]) -> float:
  """Returns how many times the mean the nodes of the worker are that has the most: 1 is best."""
  loads = [int(sizes[part].sum()) for part in parts]
  return max(loads) * len(loads) / sum(loads)


class Share:
  """What one worker sees of packed trees: of each batch, its trees.

  It is itself `Packed`, with the length of the whole, so order, batches and resuming are those of a
  single worker.
  """

  def __init__(self, packed: Any, num_workers: int, index: int, with_places: bool):
    """Keeps what to divide.

    Args:
      packed: the trees, with `node_splits`.
      num_workers: how many divide a batch.
      index: which of them this is.
      with_places: whether the nodes know their places in the whole batch. Dropout draws by these,
        and so draws the same whoever computes the node.
    """
    if with_places and packed.batch_class is not TreeBatch:
      raise AssertionError(f"{packed.batch_class.__name__}: the nodes' places are not known.")
    self._packed = packed
    self._sizes = np.diff(packed.node_splits)
    self._num_workers = num_workers
    self._index = index
    self._with_places = with_places

  @property
  def batch_class(self) -> Any:
    """Type of this worker's part of a batch."""
    return TreeBatchPart if self._with_places else self._packed.batch_class

  def __len__(self) -> int:
    return len(self._packed)

  def batch_arrays(self, indices: Sequence[int] | np.ndarray) -> dict[str, np.ndarray]:
    """Returns the fields of this worker's part of the batch of the trees at `indices`.

    A worker that gets none has the first tree of the batch, to be given the weight 0: what follows
    need not know about empty batches.
    """
    indices = np.asarray(indices, np.int64)
    sizes = self._sizes[indices]
    own = divide(sizes, self._num_workers)[self._index]
    own = own if len(own) else np.array([0])
    arrays = self._packed.batch_arrays(indices[own])
    if self._with_places:
      starts = np.cumsum(sizes) - sizes
      ranges = [np.arange(starts[k], starts[k] + sizes[k], dtype=np.int32) for k in own]
      arrays["place"] = np.concatenate(ranges)
    return arrays


def share_of(packed: Packed, num_workers: int, index: int, with_places: bool = False) -> Packed:
  """Returns what worker `index` sees of `packed`."""
  return Share(packed, num_workers, index, with_places)
