"""DGL, the nodes of a level by message passing: the way of its own TreeLSTM example.

What runs: the trees of a batch are one graph, with an edge from each child to its parent, made anew
from arrays (cheaper than `dgl.batch`). One sparse embedding lookup and one product for all leaves;
then DGL's topological order, and a `pull` for each level: the states of both children arrive side
by side, and the cell runs on them. The softmax layer and the loss run once for all nodes. Autograd
and Adagrad as in `torch_peer.py`; `inference_mode` for inference.

DGL's last wheels need a PyTorch and a numpy older than the other arms', so it runs under a Python
of its own, the one that BENCHMARKS_DGL_PYTHON names: `pip install torch==2.2.1 dgl==2.1.0 'numpy<2'
'pandas<3' pyyaml pydantic scipy 'torchdata<0.8'` in an environment made for it.
"""

from __future__ import annotations

import dgl
import numpy as np
import torch

from benchmarks.peers.torch_cells import lstm_inner, lstm_leaf
from benchmarks.peers.torch_peer import AutogradPeer


class DglPropagation(AutogradPeer):
  """A TreeLSTM in DGL."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    if model != "treelstm":
      raise ValueError(f"this arm has no {model}")
    super().__init__(weights)
    self._splits, self._word = packed["node_splits"], packed["word"]
    self._label = packed["label"].astype(np.int64)
    self._children = np.stack([packed["left"], packed["right"]], 1).astype(np.int64)

  def infer(self, indices):
    with torch.inference_mode():
      h, _, roots = self._states(indices)
      return self._logits(h[roots]).argmax(1).numpy()

  def loss(self, indices):
    h, nodes, _ = self._states(indices)
    labels = torch.from_numpy(self._label[nodes])
    loss = torch.nn.functional.cross_entropy(self._logits(h), labels, reduction="sum")
    return loss / len(indices)

  def _states(self, indices) -> tuple[torch.Tensor, np.ndarray, torch.Tensor]:
    """Returns h of all nodes of the trees, which of the packed nodes they are, and the roots."""
    indices = np.asarray(indices)
    starts = self._splits[indices]
    lengths = self._splits[indices + 1] - starts
    ends = np.cumsum(lengths)
    shift = np.repeat(ends - lengths, lengths)  # In post-order, a tree's root is its last node.
    nodes = np.arange(ends[-1]) - shift + np.repeat(starts, lengths)
    word = self._word[nodes]
    leaves, inner = np.flatnonzero(word >= 0), np.flatnonzero(word < 0)
    children = (self._children[nodes[inner]] + shift[inner, None]).reshape(-1)
    parents = np.repeat(inner, 2)
    graph = dgl.graph((torch.from_numpy(children), torch.from_numpy(parents)), num_nodes=len(nodes))
    states = self._leaves(len(nodes), leaves, word[leaves])
    graph.ndata["h"], graph.ndata["c"] = states
    levels = dgl.topological_nodes_generator(graph)
    graph.prop_nodes(levels[1:], _message, self._reduce)
    return graph.ndata["h"], nodes, torch.from_numpy(ends - 1)

  def _leaves(self, num_nodes: int, leaves: np.ndarray, words: np.ndarray):
    """Returns h and c of all nodes: of the leaves as they will be, of the others zeros."""
    rows = torch.from_numpy(words)
    x = torch.nn.functional.embedding(rows, self.weights["embedding"], sparse=True)
    at = torch.from_numpy(leaves)
    for state in lstm_leaf(self.weights, x):
      yield torch.zeros(num_nodes, state.shape[1]).index_copy(0, at, state)

  def _reduce(self, nodes):
    """The cell: a node's messages lie in the order of its edges, the left child's first."""
    h, c = nodes.mailbox["h"], nodes.mailbox["c"]
    h, c = lstm_inner(self.weights, h.flatten(1), (c[:, 0],), (c[:, 1],))
    return {"h": h, "c": c}

  def _logits(self, h: torch.Tensor) -> torch.Tensor:
    return torch.addmm(self.weights["output_bias"], h, self.weights["output_weights"])


def _message(edges):
  return {"h": edges.src["h"], "c": edges.src["c"]}
