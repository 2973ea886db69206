"""JAX, the zoo's models over trees, batched by hand, padded and compiled.

What runs: numpy plans the levels (`plans.py`) and pads each to the widest of its depth; one
compiled call for the step, levels unrolled. A level's children are gathered from the next level;
the gradient of that is a gather, too, for a node has one parent.
"""

from __future__ import annotations

import abc

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.peers.jax_level_batched import place
from benchmarks.peers.zoo.jax_base import OUT, JaxModel
from benchmarks.peers.zoo.plans import ResidentForest


class Trees(JaxModel):
  """A model over trees. A shape is B, then inner nodes and leaves of each level."""

  def __init__(self, model, weights, packed):
    super().__init__(model, weights, packed)
    self._forest = ResidentForest(packed)
    self._num_children = packed["children"].shape[1]

  @abc.abstractmethod
  def leaves(self, products, x):
    """Returns the states of leaves from their words' vectors."""

  def words(self, products, x):
    """Returns what the words of inner nodes give to their cells."""
    return x

  @abc.abstractmethod
  def inner(self, products, x, children):
    """Returns the states of n nodes from their words' rows and their children's, [n, K, D] each."""

  def plan(self, indices):
    return self._forest.plan(indices)

  def shape_of(self, plan):
    counts = zip(plan.inner_counts, plan.leaf_counts, strict=True)
    return (len(plan.roots), *(n for pair in counts for n in pair))

  def pad(self, plan, shape):
    inner, leaves = np.array(shape[1::2]), np.array(shape[2::2])
    own_inner, own_leaves = np.array(plan.inner_counts), np.array(plan.leaf_counts)
    num_levels = len(own_inner)
    inner_at, leaf_at = _starts(inner), _starts(leaves)
    # Where each node stands among the padded ones.
    inner_to = _ranks(own_inner) + np.repeat(inner_at[:num_levels], own_inner)
    leaf_to = _ranks(own_leaves) + np.repeat(leaf_at[:num_levels], own_leaves)
    num_inner, num_leaves, k = int(inner.sum()), int(leaves.sum()), self._num_children
    words = np.full(num_inner + num_leaves, -1)
    words[inner_to] = plan.inner_words
    words[num_inner + leaf_to] = plan.leaf_words
    labels = np.full(num_inner + num_leaves, -1)
    labels[np.concatenate([inner_to, num_inner + leaf_to])] = plan.labels
    # Leaves of the next level move by what its inner nodes are padded with.
    level = np.repeat(np.arange(num_levels), own_inner)
    below = np.append(own_inner, 0)[level + 1][:, None]
    shift = (np.append(inner, 0)[level + 1])[:, None] - below
    is_missing = plan.children >= below + np.append(own_leaves, 0)[level + 1][:, None]
    places = plan.children + np.where(plan.children >= below, shift, 0)
    children = np.full((num_inner, k), OUT)
    children[inner_to] = np.where(is_missing, OUT, places)
    # The inverse: by node of all levels but the first, which place of the level above it has.
    at = _starts(inner + leaves)
    parents = np.full(int((inner + leaves).sum()), OUT)
    slot = (at[level + 1][:, None] + places)[~is_missing]
    rank = _ranks(own_inner)[:, None] * k + np.arange(k)
    parents[slot] = rank[~is_missing]
    first = np.where(plan.roots < own_inner[0], plan.roots, plan.roots + inner[0] - own_inner[0])
    roots = np.zeros(shape[0], np.int64)
    roots[: len(first)] = first
    return {
      "words": words,
      "labels": labels,
      "children": children,
      "parents": parents,
      "roots": roots,
    }

  def kept(self, plan, classes):
    return classes[: len(plan.roots)]

  def outputs(self, shape, products, x, p):
    _, h = self._states(shape, products, x, p)
    return h, p["labels"]

  def asked(self, shape, products, x, p):
    h, _ = self._states(shape, products, x, p)
    return h[p["roots"]]

  def _states(self, shape, products, x, p):
    """Returns h of the first level; and h of all nodes in the order of the labels."""
    inner, leaf = shape[1::2], shape[2::2]
    num_inner = sum(inner)
    leaves = self.leaves(products, x[num_inner:])
    leaf_levels = [jnp.split(part, _starts(leaf)[1:-1].tolist()) for part in leaves]
    own = self.words(products, x[:num_inner])
    starts = _starts(inner).tolist()
    ends = _starts(np.add(inner, leaf)).tolist()
    below = None
    all_h = []
    for level in range(len(inner) - 1, -1, -1):
      state = [parts[level] for parts in leaf_levels]
      if inner[level]:
        rows = slice(starts[level], starts[level + 1])
        source = p["children"][rows].reshape(-1)
        target = p["parents"][ends[level + 1] : ends[level + 2]]
        children = [
          place(part, source, target).reshape(inner[level], self._num_children, *part.shape[1:])
          for part in below
        ]
        made = self.inner(products, None if own is None else own[rows], children)
        all_h.append(made[0])
        state = [jnp.concatenate(both) for both in zip(made, state, strict=True)]
      below = state
    return below[0], jnp.concatenate([*reversed(all_h), leaves[0]])


def _starts(counts) -> np.ndarray:
  """Returns where each of several parts begins, and the end."""
  return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _ranks(counts: np.ndarray) -> np.ndarray:
  """Returns 0, 1, .. for each of several parts, one after the other."""
  return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


class TreeGRU(Trees):
  """Binary TreeGRU."""

  def leaves(self, products, x):
    z, u = jnp.split(products.linear(x, "leaf_weights", "leaf_bias"), 2, axis=1)
    return ((1 - jax.nn.sigmoid(z)) * jnp.tanh(u),)

  def words(self, products, x):
    return None

  def inner(self, products, x, children):
    (h,) = children
    gates = products.linear(h.reshape(len(h), -1), "gate_weights", "gate_bias")
    r, z = jnp.split(jax.nn.sigmoid(gates), 2, axis=1)
    kept = (r[:, None] * h).reshape(len(h), -1)
    u = jnp.tanh(products.linear(kept, "weights", "bias"))
    return (z * h.sum(1) + (1 - z) * u,)


class NaryTreeLSTM(Trees):
  """N-ary TreeLSTM."""

  def leaves(self, products, x):
    i, o, _, u = jnp.split(products.linear(x, "word_weights"), 4, axis=1)
    width = i.shape[1]
    bias = products.v["bias"]
    c = jax.nn.sigmoid(i + bias[:width]) * jnp.tanh(u + bias[-width:])
    return jax.nn.sigmoid(o + bias[width : 2 * width]) * jnp.tanh(c), c

  def words(self, products, x):
    return products.linear(x, "word_weights")

  def inner(self, products, x, children):
    h, c = children
    gates = products.linear(h.reshape(len(h), -1), "weights", "bias")
    x_i, x_o, x_f, x_u = jnp.split(x, 4, axis=1)
    i, o, *f, u = jnp.split(gates, 3 + c.shape[1], axis=1)
    f = jax.nn.sigmoid(jnp.stack(f, 1) + x_f[:, None])
    memory = jax.nn.sigmoid(i + x_i) * jnp.tanh(u + x_u) + (f * c).sum(1)
    return jax.nn.sigmoid(o + x_o) * jnp.tanh(memory), memory


class MVRNN(Trees):
  """Matrix-vector network; matrices are kept transposed, so that rows meet their weights."""

  def leaves(self, products, x):
    width = products.v["bias"].shape[0]
    h, diagonal, rest = jnp.split(x, [width, 2 * width], axis=1)
    left, right = jnp.split(rest, 2, axis=1)
    left, right = left.reshape(len(x), width, -1), right.reshape(len(x), -1, width)
    return h, jnp.einsum("nir,nrj->nji", left, right) + diagonal[:, None] * jnp.eye(width)

  def words(self, products, x):
    return None

  def inner(self, products, x, children):
    h, transposed = children
    n, _, width = h.shape
    both = jnp.einsum("nki,nkij->nkj", h[:, ::-1], transposed)[:, ::-1].reshape(n, 2 * width)
    rows = jnp.concatenate([transposed[:, 0], transposed[:, 1]], 2)
    matrix = rows @ products.v["matrix_weights"].T
    return jnp.tanh(products.linear(both, "weights", "bias")), matrix
