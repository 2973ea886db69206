"""PyTorch eager recursion: a Python function calls itself on the children of each node.

What runs: for each tree, one sparse embedding lookup; Python recursion, one cell a node on [1, D],
`addmm` for product and bias, one sigmoid for the gates that need it. The softmax layer and the loss
then run once for all nodes of the batch. Autograd; torch.optim.Adagrad, fused for the dense weights
and sparse for the embedding; `inference_mode` for inference. No torch.compile. With more than one
thread allowed, each call uses as many as it was found to be fastest with: rows are so short that
waking a second thread often costs more than it gives.
"""

from __future__ import annotations

import time

import numpy as np
import torch

from benchmarks.peers import weights as w
from benchmarks.peers.peer import Peer
from benchmarks.peers.trees import Node, sentences

State = tuple[torch.Tensor, ...]


class TorchRecursion(Peer):
  """A model as PyTorch recursion."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__()
    # The default, said aloud; PyTorch warns about it otherwise.
    torch.sparse.check_sparse_tensor_invariants.disable()
    self._allowed_threads = sorted({1, torch.get_num_threads()})
    self._weights = {
      name: torch.nn.Parameter(torch.from_numpy(value.copy())) for name, value in weights.items()
    }
    self._sentences = sentences(packed)
    self._words = [torch.from_numpy(s.words.astype(np.int64)) for s in self._sentences]
    self._labels = [torch.from_numpy(s.labels.astype(np.int64)) for s in self._sentences]
    self._leaf, self._inner = {
      "treelstm": (self._lstm_leaf, self._lstm_inner),
      "treernn": (self._rnn_leaf, self._rnn_inner),
      "rntn": (self._rnn_leaf, self._rntn_inner),
    }[model]
    dense = [p for name, p in self._weights.items() if name != "embedding"]
    common = {"initial_accumulator_value": w.INITIAL_SUM, "eps": w.EPSILON}
    self._optimizers = [
      torch.optim.Adagrad(dense, lr=w.LEARNING_RATE, fused=True, **common),
      torch.optim.Adagrad([self._weights["embedding"]], lr=w.EMBEDDING_LEARNING_RATE, **common),
    ]

  def add(self, name, mode, batches):
    super().add(name, mode, batches)
    if len(self._allowed_threads) == 1:
      return
    call = self.calls[name]
    threads = min(self._allowed_threads, key=lambda number: _seconds(call, number))

    def tuned():
      torch.set_num_threads(threads)
      call()

    self.calls[name] = tuned

  def train(self, indices):
    for optimizer in self._optimizers:
      optimizer.zero_grad()
    self._loss(indices).backward()
    for optimizer in self._optimizers:
      optimizer.step()

  def infer(self, indices):
    with torch.inference_mode():
      states: list[torch.Tensor] = []
      roots = [self._states(index, states)[0] for index in indices]
      return self._logits(torch.cat(roots)).argmax(1).numpy()

  def loss_and_gradients(self, indices):
    for optimizer in self._optimizers:
      optimizer.zero_grad()
    loss = self._loss(indices)
    loss.backward()
    gradients = {name: weight.grad for name, weight in self._weights.items()}
    dense = {name: g.to_dense() if g.is_sparse else g for name, g in gradients.items()}
    return loss.item(), {name: gradient.numpy().copy() for name, gradient in dense.items()}

  def _loss(self, indices) -> torch.Tensor:
    states: list[torch.Tensor] = []
    for index in indices:
      self._states(index, states)
    labels = torch.cat([self._labels[index] for index in indices])
    logits = self._logits(torch.cat(states))
    return torch.nn.functional.cross_entropy(logits, labels, reduction="sum") / len(indices)

  def _states(self, index: int, states: list[torch.Tensor]) -> State:
    """Returns the root's state of a tree; adds h of all its nodes to `states` in post-order."""
    embedding, leaf, inner = self._weights["embedding"], self._leaf, self._inner
    rows = torch.nn.functional.embedding(self._words[index], embedding, sparse=True).split(1)

    def visit(node: Node) -> State:
      if node.left is None:
        state = leaf(rows[node.leaf])
      else:
        state = inner(visit(node.left), visit(node.right))
      states.append(state[0])
      return state

    return visit(self._sentences[index].root)

  def _logits(self, h: torch.Tensor) -> torch.Tensor:
    return torch.addmm(self._weights["output_bias"], h, self._weights["output_weights"])

  def _lstm_leaf(self, x: torch.Tensor) -> State:
    gates = torch.addmm(self._weights["leaf_bias"], x, self._weights["leaf_weights"])
    i, o, u = gates.chunk(3, 1)
    c = i.sigmoid() * u.tanh()
    return o.sigmoid() * c.tanh(), c

  def _lstm_inner(self, left: State, right: State) -> State:
    children = torch.cat([left[0], right[0]], 1)
    gates = torch.addmm(self._weights["inner_bias"], children, self._weights["inner_weights"])
    width = gates.shape[1] // 5
    i, o, f_left, f_right = gates[:, : 4 * width].sigmoid().chunk(4, 1)
    c = torch.addcmul(i * gates[:, 4 * width :].tanh(), f_left, left[1])
    c = torch.addcmul(c, f_right, right[1])
    return o * c.tanh(), c

  def _rnn_leaf(self, x: torch.Tensor) -> State:
    return (x.tanh(),)

  def _rnn_inner(self, left: State, right: State) -> State:
    children = torch.cat([left[0], right[0]], 1)
    return (torch.addmm(self._weights["bias"], children, self._weights["weights"]).tanh(),)

  def _rntn_inner(self, left: State, right: State) -> State:
    children = torch.cat([left[0], right[0]], 1)
    pairs = torch.mm(children.t(), children).view(1, -1)
    summed = torch.addmm(self._weights["bias"], children, self._weights["weights"])
    return (torch.addmm(summed, pairs, self._weights["tensor"]).tanh(),)


def _seconds(call, threads: int) -> float:
  """Returns the least seconds of three calls with `threads` threads, the first not counted."""
  torch.set_num_threads(threads)
  seconds = []
  for _ in range(4):
    start = time.perf_counter()
    call()
    seconds.append(time.perf_counter() - start)
  return min(seconds[1:])
