"""What the zoo's PyTorch arms have in common: products whose weights' gradients wait, Adagrad.

Autograd adds up a weight's gradient level by level, a product and a pass over the whole matrix for
each. `Products.linear` keeps inputs and gradients of all levels instead, and makes one product of
them at the end of the backward pass. Embedding lookups have sparse gradients.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence

import numpy as np
import torch

from benchmarks.peers import weights as w
from benchmarks.peers.torch_peer import TorchPeer

Levels = list[tuple[torch.Tensor, torch.Tensor]]


class TorchModel(TorchPeer):
  """A model in PyTorch, batched by hand."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__(weights)
    self._levels: dict[str, Levels] = {}
    common = {"initial_accumulator_value": w.INITIAL_SUM, "eps": w.EPSILON}
    dense = [p for name, p in self.weights.items() if name != "embedding"]
    self._optimizers = [torch.optim.Adagrad(dense, lr=w.LEARNING_RATE, fused=True, **common)]
    if "embedding" in weights:
      embedding = [self.weights["embedding"]]
      rate = w.EMBEDDING_LEARNING_RATE
      self._optimizers.append(torch.optim.Adagrad(embedding, lr=rate, **common))

  @abc.abstractmethod
  def outputs(self, indices: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns all states that have a class, [N, D], and these classes, int64 [N]."""

  @abc.abstractmethod
  def asked(self, indices: Sequence[int]) -> torch.Tensor:
    """Returns the states that `infer` classifies, [M, D]."""

  def infer(self, indices):
    with torch.inference_mode():
      return self.logits(self.asked(indices)).argmax(1).numpy()

  def train(self, indices):
    self._backward(indices)
    for optimizer in self._optimizers:
      optimizer.step()

  def loss_and_gradients(self, indices):
    loss = self._backward(indices)
    gradients = {name: weight.grad for name, weight in self.weights.items()}
    dense = {name: g.to_dense() if g.is_sparse else g for name, g in gradients.items()}
    return loss.item(), {name: gradient.numpy().copy() for name, gradient in dense.items()}

  def embed(self, words: np.ndarray) -> torch.Tensor:
    """Returns the vectors of words [n], [n, D_word]."""
    ids = torch.from_numpy(words)
    return torch.nn.functional.embedding(ids, self.weights["embedding"], sparse=True)

  def linear(self, x: torch.Tensor, weights: str, bias: str | None) -> torch.Tensor:
    """Returns x times the matrix named `weights`, plus a bias; gradients of both wait."""
    matrix = self.weights[weights]
    row = self.weights[bias] if bias else None
    if not torch.is_grad_enabled():
      return torch.addmm(row, x, matrix) if bias else x @ matrix
    levels = self._levels.setdefault(weights, [])
    if bias:
      self._levels[bias] = levels
    # The matrix is not detached: else the result of data alone would need no gradient.
    return _Linear.apply(x, matrix, row, levels)

  def logits(self, h: torch.Tensor) -> torch.Tensor:
    """Returns the softmax layer's result for `h` [n, D]."""
    return self.linear(h, "output_weights", "output_bias")

  def _backward(self, indices: Sequence[int]) -> torch.Tensor:
    for optimizer in self._optimizers:
      optimizer.zero_grad()
    self._levels.clear()
    h, labels = self.outputs(indices)
    logits = self.logits(h)
    loss = torch.nn.functional.cross_entropy(logits, labels, reduction="sum") / len(indices)
    loss.backward()
    with torch.no_grad():
      for name, levels in self._levels.items():
        inputs, gradients = (torch.cat(parts, -2) for parts in zip(*levels, strict=True))
        weight = self.weights[name]
        weight.grad = gradients.sum(0) if weight.dim() == 1 else inputs.mT @ gradients
    return loss


class _Linear(torch.autograd.Function):
  """A product whose weights get no gradient here: inputs and gradients are kept for later."""

  @staticmethod
  def forward(ctx, x, weights, bias, levels):
    ctx.save_for_backward(x, weights)
    ctx.levels = levels
    return x @ weights if bias is None else torch.addmm(bias, x, weights)

  @staticmethod
  def backward(ctx, gradient):
    x, weights = ctx.saved_tensors
    ctx.levels.append((x, gradient))
    dx = gradient @ weights.mT if ctx.needs_input_grad[0] else None
    return dx, None, None, None
