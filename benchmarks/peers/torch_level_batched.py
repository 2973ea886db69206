"""PyTorch, batched by hand: the nodes of a level as one cell, autograd.

What runs: numpy plans the levels (`levels.py`); one sparse embedding lookup and one product for all
leaves of the batch; then one cell for each level, from the deepest up, on its children's states as
they lie. Leaves and inner nodes of a level are put in their order by one index_select. The softmax
layer and the loss run once for all nodes. Autograd and Adagrad as in `torch_peer.py`;
`inference_mode` for inference. No torch.compile.
"""

from __future__ import annotations

import numpy as np
import torch

from benchmarks.peers.levels import Plan, ResidentTrees
from benchmarks.peers.torch_cells import State, cells
from benchmarks.peers.torch_peer import AutogradPeer


class TorchLevelBatched(AutogradPeer):
  """A model in PyTorch, a level at a time."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__(weights)
    self._trees = ResidentTrees(packed)
    self._leaf, self._inner = cells(model)

  def infer(self, indices):
    with torch.inference_mode():
      roots, _ = self._states(self._trees.plan(indices))
      return self._logits(roots).argmax(1).numpy()

  def loss(self, indices):
    plan = self._trees.plan(indices)
    _, states = self._states(plan)
    logits = self._logits(torch.cat(states))
    labels = torch.from_numpy(plan.labels[np.concatenate([plan.leaves, plan.inner])])
    return torch.nn.functional.cross_entropy(logits, labels, reduction="sum") / len(indices)

  def _states(self, plan: Plan) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Returns h of the roots; and h of all leaves, then of the inner nodes of each level."""
    words = torch.from_numpy(plan.words)
    x = torch.nn.functional.embedding(words, self.weights["embedding"], sparse=True)
    leaves = self._leaf(self.weights, x)
    num_leaves = np.diff(plan.leaf_splits).tolist()
    leaf_levels = list(zip(*(part.split(num_leaves) for part in leaves), strict=True))
    merged = torch.from_numpy(plan.merged()).split(np.diff(plan.splits).tolist())
    states = [leaves[0]]
    below = leaf_levels[-1]  # The deepest level has nothing else.
    for level in range(plan.num_levels - 2, -1, -1):
      inner = self._cell(below)
      states.append(inner[0])
      if num_leaves[level]:
        rows = merged[level]
        below = tuple(
          torch.cat(parts).index_select(0, rows)
          for parts in zip(leaf_levels[level], inner, strict=True)
        )
      else:
        below = inner
    return below[0], [states[0], *reversed(states[1:])]

  def _cell(self, below: State) -> State:
    """Returns the states of the parents of a level, its children in pairs."""
    h, *others = below
    pairs = [part.view(-1, 2, part.shape[1]).unbind(1) for part in others]
    left, right = zip(*pairs, strict=True) if pairs else ((), ())
    return self._inner(self.weights, h.view(-1, 2 * h.shape[1]), left, right)

  def _logits(self, h: torch.Tensor) -> torch.Tensor:
    return torch.addmm(self.weights["output_bias"], h, self.weights["output_weights"])
