"""PyTorch eager recursion: a Python function calls itself on the children of each node.

What runs: for each tree, one sparse embedding lookup; Python recursion, one cell a node on [1, D].
The softmax layer and the loss then run once for all nodes of the batch. Autograd and Adagrad as in
`torch_peer.py`; `inference_mode` for inference. No torch.compile.
"""

from __future__ import annotations

import numpy as np
import torch

from benchmarks.peers.torch_cells import State, cells
from benchmarks.peers.torch_peer import AutogradPeer
from benchmarks.peers.trees import Node, sentences


class TorchRecursion(AutogradPeer):
  """A model as PyTorch recursion."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__(weights)
    self._sentences = sentences(packed)
    self._words = [torch.from_numpy(s.words.astype(np.int64)) for s in self._sentences]
    self._labels = [torch.from_numpy(s.labels.astype(np.int64)) for s in self._sentences]
    self._leaf, self._inner = cells(model)

  def infer(self, indices):
    with torch.inference_mode():
      states: list[torch.Tensor] = []
      roots = [self._states(index, states)[0] for index in indices]
      return self._logits(torch.cat(roots)).argmax(1).numpy()

  def loss(self, indices):
    states: list[torch.Tensor] = []
    for index in indices:
      self._states(index, states)
    labels = torch.cat([self._labels[index] for index in indices])
    logits = self._logits(torch.cat(states))
    return torch.nn.functional.cross_entropy(logits, labels, reduction="sum") / len(indices)

  def _states(self, index: int, states: list[torch.Tensor]) -> State:
    """Returns the root's state of a tree; adds h of all its nodes to `states` in post-order."""
    weights, leaf, inner = self.weights, self._leaf, self._inner
    embedding = weights["embedding"]
    rows = torch.nn.functional.embedding(self._words[index], embedding, sparse=True).split(1)

    def visit(node: Node) -> State:
      if node.left is None:
        state = leaf(weights, rows[node.leaf])
      else:
        left, right = visit(node.left), visit(node.right)
        state = inner(weights, torch.cat([left[0], right[0]], 1), left[1:], right[1:])
      states.append(state[0])
      return state

    return visit(self._sentences[index].root)

  def _logits(self, h: torch.Tensor) -> torch.Tensor:
    return torch.addmm(self.weights["output_bias"], h, self.weights["output_weights"])
