"""JAX, the zoo's models over grids, batched by hand, padded and compiled.

What runs: a diagonal of all images as one cell, steps unrolled.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from benchmarks.peers.zoo.jax_base import JaxModel


class DagRNN(JaxModel):
  """DAG-RNN, a diagonal of all images as one cell. A shape is B."""

  def __init__(self, model, weights, packed):
    super().__init__(model, weights, packed)
    self._patches, self._label = packed["patches"], packed["label"]

  def plan(self, indices):
    return np.asarray(indices)

  def shape_of(self, plan):
    return (len(plan),)

  def pad(self, plan, shape):
    patches = np.zeros((shape[0], *self._patches.shape[1:]), np.float32)
    patches[: len(plan)] = self._patches[plan]
    labels = np.full(shape[0], -1)
    labels[: len(plan)] = self._label[plan]
    return {"patches": patches, "labels": labels}

  def kept(self, plan, classes):
    return classes[: len(plan)]

  def outputs(self, shape, products, x, p):
    return self.asked(shape, products, x, p), p["labels"]

  def asked(self, shape, products, x, p):
    num, side, _, size = p["patches"].shape
    own = products.linear(p["patches"].reshape(-1, size), "input_weights", "bias")
    own = own.reshape(num, side, side, -1)
    near = far = jnp.zeros((num, side + 2, own.shape[3]))
    for diagonal in range(2 * side - 1):
      rows = np.arange(max(0, diagonal - side + 1), min(diagonal, side - 1) + 1)
      first, count = int(rows[0]), len(rows)
      above, left = near[:, first : first + count], near[:, first + 1 : first + 1 + count]
      total = (above + left + far[:, first : first + count]).reshape(num * count, -1)
      product = products.linear(total, "weights").reshape(num, count, -1)
      h = jnp.tanh(own[:, rows, diagonal - rows] + product)
      far, near = near, jnp.pad(h, ((0, 0), (first + 1, side + 1 - first - count), (0, 0)))
    return near[:, side]
