"""The TreeLSTM's matrix products alone, at the sizes that a level-batched step has: a bound.

No gathers, no gates, no optimizer; operands and results are allocated before. What is left is what
the library's products take, one after the other.

Matrices that the model has apart are apart here as well, and those that it uses again are the same
memory: weights that fit no cache together have to come from further off in the model, too. For a
transposed product that memory has the transposed shape, so no library has to turn anything round.
"""

from __future__ import annotations

import abc
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.peers.levels import Plan, ResidentTrees
from benchmarks.worker import Workload

Product = tuple[np.ndarray, np.ndarray]  # Both operands.


class Products(Workload, abc.ABC):
  """Products by one library."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    if model != "treelstm":
      raise ValueError(f"the sizes of {model} are not known")
    super().__init__()
    self._trees = ResidentTrees(packed)
    self._sizes = (weights["embedding"].shape[1], *weights["output_weights"].shape)
    self._memory: dict[str, np.ndarray] = {}

  @abc.abstractmethod
  def product(self, left: np.ndarray, right: np.ndarray) -> Callable[[], Any]:
    """Returns a call that multiplies two matrices into a result allocated before."""

  def add(self, name: str, mode: str, batches: Sequence[Sequence[int]]) -> None:
    """Adds a call `name` that makes the products of a training or inference step on `batches`."""
    operands = [pair for batch in batches for pair in self._products(self._trees.plan(batch), mode)]
    products = [self.product(left, right) for left, right in operands]

    def call():
      for product in products:
        product()

    self.calls[name] = call

  def _products(self, plan: Plan, mode: str) -> list[Product]:
    word, width, classes = self._sizes
    leaves, inner, nodes = len(plan.leaves), len(plan.inner), plan.num_nodes
    levels = [slice(*pair) for pair in itertools.pairwise(plan.inner_splits) if pair[0] < pair[1]]
    matrix = self._matrix
    words, states = matrix("words", leaves, word), matrix("states", nodes, width)
    weights = matrix("weights", 2 * width, 5 * width)
    leaf_weights = matrix("leaf weights", word, 3 * width)
    output_weights = matrix("output weights", width, classes)
    inputs = matrix("inputs", inner, 2 * width)
    forward = [(words, leaf_weights), *((inputs[level], weights) for level in levels)]
    if mode == "infer":
      return [*forward, (states[: plan.splits[1]], output_weights)]
    logits = matrix("gradients of logits", nodes, classes)
    gates = matrix("gradients of gates", inner, 5 * width)
    leaf_gates = matrix("gradients of leaf gates", leaves, 3 * width)
    weights = matrix("weights", 5 * width, 2 * width)
    backward = [
      (logits, matrix("output weights", classes, width)),
      (matrix("states", width, nodes), logits),
      *((gates[level], weights) for level in levels),
      (leaf_gates, matrix("leaf weights", 3 * width, word)),
      (matrix("words", word, leaves), leaf_gates),
    ]
    if inner:
      backward.append((matrix("inputs", 2 * width, inner), gates))
    return [*forward, (states, output_weights), *backward]

  def _matrix(self, name: str, rows: int, columns: int) -> np.ndarray:
    size = rows * columns
    if name not in self._memory or self._memory[name].size < size:
      self._memory[name] = np.random.default_rng(0).standard_normal(size, np.float32)
    return self._memory[name][:size].reshape(rows, columns)


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

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__(model, weights, packed)
    self._tensors: dict[tuple[int, tuple[int, ...]], Any] = {}

  def product(self, left, right):
    import tensorflow as tf

    a, b = self._tensor(left), self._tensor(right)
    return lambda: tf.raw_ops.MatMul(a=a, b=b)

  def _tensor(self, matrix: np.ndarray):
    """Returns a copy, for the same matrix always the same one."""
    import tensorflow as tf

    key = matrix.ctypes.data, matrix.shape
    if key not in self._tensors:
      self._tensors[key] = tf.constant(matrix)
    return self._tensors[key]
