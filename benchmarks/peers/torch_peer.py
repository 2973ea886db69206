"""What the PyTorch arms have in common: weights, Adagrad, and the choice of threads.

With more than one thread allowed, each call uses as many as it was found to be fastest with: where
rows are few, waking a second thread often costs more than it gives.
"""

from __future__ import annotations

import abc
import inspect
import time

import numpy as np
import torch

from benchmarks.peers import weights as w
from benchmarks.peers.peer import Peer

# One call for all weights. The PyTorch that DGL needs has no fused Adagrad.
_HAS_FUSED = "fused" in inspect.signature(torch.optim.Adagrad).parameters
_FASTEST = {"fused": True} if _HAS_FUSED else {"foreach": True}


class TorchPeer(Peer):
  """A model in PyTorch; `weights` are torch parameters by name."""

  def __init__(self, weights: dict[str, np.ndarray]):
    super().__init__()
    # The default, said aloud; PyTorch warns about it otherwise.
    torch.sparse.check_sparse_tensor_invariants.disable()
    self._allowed_threads = sorted({1, torch.get_num_threads()})
    self.weights = {
      name: torch.nn.Parameter(torch.from_numpy(value.copy())) for name, value in weights.items()
    }

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


class AutogradPeer(TorchPeer):
  """Autograd; torch.optim.Adagrad, fused for the dense weights and sparse for the embedding."""

  def __init__(self, weights: dict[str, np.ndarray]):
    super().__init__(weights)
    dense = [p for name, p in self.weights.items() if name != "embedding"]
    common = {"initial_accumulator_value": w.INITIAL_SUM, "eps": w.EPSILON}
    self._optimizers = [
      torch.optim.Adagrad(dense, lr=w.LEARNING_RATE, **_FASTEST, **common),
      torch.optim.Adagrad([self.weights["embedding"]], lr=w.EMBEDDING_LEARNING_RATE, **common),
    ]

  @abc.abstractmethod
  def loss(self, indices) -> torch.Tensor:
    """Returns the loss of the trees at `indices`."""

  def train(self, indices):
    for optimizer in self._optimizers:
      optimizer.zero_grad()
    self.loss(indices).backward()
    for optimizer in self._optimizers:
      optimizer.step()

  def loss_and_gradients(self, indices):
    for optimizer in self._optimizers:
      optimizer.zero_grad()
    loss = self.loss(indices)
    loss.backward()
    gradients = {name: weight.grad for name, weight in self.weights.items()}
    dense = {name: g.to_dense() if g.is_sparse else g for name, g in gradients.items()}
    return loss.item(), {name: gradient.numpy().copy() for name, gradient in dense.items()}


def _seconds(call, threads: int) -> float:
  """Returns the least seconds of three calls with `threads` threads, the first not counted."""
  torch.set_num_threads(threads)
  seconds = []
  for _ in range(4):
    start = time.perf_counter()
    call()
    seconds.append(time.perf_counter() - start)
  return min(seconds[1:])
