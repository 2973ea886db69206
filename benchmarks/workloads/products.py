"""The TreeLSTM's matrix products alone, at the sizes that a level-batched step has: a bound.

No gathers, no gates, no optimizer; operands and results are allocated before. What is left is what
the library's products take, one after the other.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.peers.levels import Plan, ResidentTrees
from benchmarks.worker import Workload

Product = tuple[int, int, int]  # Rows, inner size, columns.


class Products(Workload, abc.ABC):
  """Products by one library."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    if model != "treelstm":
      raise ValueError(f"the sizes of {model} are not known")
    super().__init__()
    self._trees = ResidentTrees(packed)
    self._sizes = (weights["embedding"].shape[1], *weights["output_weights"].shape)
    self._pool = np.random.default_rng(0).standard_normal(1 << 22, np.float32)

  @abc.abstractmethod
  def product(self, left: np.ndarray, right: np.ndarray) -> Callable[[], Any]:
    """Returns a call that multiplies two matrices into a result allocated before."""

  def add(self, name: str, mode: str, batches: Sequence[Sequence[int]]) -> None:
    """Adds a call `name` that makes the products of a training or inference step on `batches`."""
    sizes = [size for batch in batches for size in self._products(self._trees.plan(batch), mode)]
    products = [self.product(self._matrix(m, k), self._matrix(k, n)) for m, k, n in sizes]

    def call():
      for product in products:
        product()

    self.calls[name] = call

  def _products(self, plan: Plan, mode: str) -> list[Product]:
    word, width, classes = self._sizes
    leaves, inner, nodes = len(plan.leaves), len(plan.inner), plan.num_nodes
    levels = [count for count in np.diff(plan.inner_splits).tolist() if count]
    sizes = [(leaves, word, 3 * width)]
    sizes += [(count, 2 * width, 5 * width) for count in levels]
    if mode == "infer":
      return [*sizes, (plan.splits[1], width, classes)]
    sizes += [(nodes, width, classes), (nodes, classes, width), (width, nodes, classes)]
    sizes += [(count, 5 * width, 2 * width) for count in levels]
    sizes += [(leaves, 3 * width, word), (word, leaves, 3 * width)]
    return [*sizes, (2 * width, inner, 5 * width)] if inner else sizes

  def _matrix(self, rows: int, columns: int) -> np.ndarray:
    if rows * columns > self._pool.size:
      self._pool = np.resize(self._pool, rows * columns)
    return self._pool[: rows * columns].reshape(rows, columns)


class NumpyProducts(Products):
  """By numpy, whose wheels bring OpenBLAS."""

  def product(self, left, right):
    out = np.empty((len(left), right.shape[1]), np.float32)
    return lambda: np.matmul(left, right, out=out)


class TorchProducts(Products):
  """By PyTorch, whose wheels bring MKL."""

  def product(self, left, right):
    import torch

    a, b = torch.from_numpy(left), torch.from_numpy(right)
    out = torch.empty(len(left), right.shape[1])
    return lambda: torch.mm(a, b, out=out)


class TensorflowProducts(Products):
  """By eager TensorFlow, whose wheels bring oneDNN and Eigen; its results are allocated anew."""

  def product(self, left, right):
    import tensorflow as tf

    a, b = tf.constant(left), tf.constant(right)
    return lambda: tf.raw_ops.MatMul(a=a, b=b)
