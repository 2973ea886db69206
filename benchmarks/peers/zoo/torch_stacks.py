"""PyTorch, the zoo's model with a stack, batched by hand: a transition of all trees as one step.

What runs: numpy plans from the parses which state each transition finds on the stack, so there is
no stack to copy: states lie in one array (`Store`), which steps write to and read from in place,
with gradients in an array of the same form. Words enter all at once. `inference_mode` for
inference.
"""

from __future__ import annotations

import numpy as np
import torch

from benchmarks.peers.zoo.torch_base import TorchModel


class Store:
  """Rows that are written once and read often, and their gradients; the row after the last is 0.

  Reads and writes hand a token on, by which autograd knows in which order to go back.
  """

  def __init__(self, num_rows: int, width: int):
    self.values = torch.empty(num_rows + 1, width)
    self.values[-1] = 0
    self.gradients = torch.zeros(num_rows + 1, width) if torch.is_grad_enabled() else None
    self._token = torch.zeros(1, requires_grad=self.gradients is not None)

  def put(self, begin: int, values: torch.Tensor) -> None:
    """Writes rows from `begin` on."""
    self._token = _Put.apply(self._token, values, self, begin)

  def get(self, rows: torch.Tensor) -> torch.Tensor:
    """Returns copies of rows."""
    return _Get.apply(self._token, self, rows)


class _Put(torch.autograd.Function):
  @staticmethod
  def forward(ctx, token, values, store, begin):
    ctx.store, ctx.rows = store, slice(begin, begin + len(values))
    store.values[ctx.rows] = values
    return token.clone()

  @staticmethod
  def backward(ctx, token):
    return token, ctx.store.gradients[ctx.rows], None, None


class _Get(torch.autograd.Function):
  @staticmethod
  def forward(ctx, token, store, rows):
    ctx.store, ctx.rows = store, rows
    return store.values.index_select(0, rows)

  @staticmethod
  def backward(ctx, gradient):
    ctx.store.gradients.index_add_(0, ctx.rows, gradient)
    return gradient.new_zeros(1), None, None


class Spinn(TorchModel):
  """SPINN over given parses."""

  def __init__(self, model, weights, packed):
    super().__init__(model, weights, packed)
    self._splits = packed["node_splits"]
    self._word, self._label = (packed[name].astype(np.int64) for name in ("word", "label"))
    self._front, self._stack = (packed[name].astype(np.int64) for name in ("front", "stack"))

  def outputs(self, indices):
    h, labels, _ = self._run(indices)
    return h, torch.from_numpy(labels)

  def asked(self, indices):
    h, _, roots = self._run(indices)
    return h[torch.from_numpy(roots)]

  def _run(self, indices):
    """Returns h of all nodes, leaves first, then by step; their labels; and the roots' rows."""
    indices = np.asarray(indices)
    lengths = np.diff(self._splits)[indices]
    by_length = np.argsort(-lengths, kind="stable")
    step = np.arange(lengths.max())
    is_there = step[:, None] < lengths[by_length]
    # Nodes step by step, the longest trees first; and where each tree's begin in this order.
    nodes = (self._splits[indices[by_length]] + step[:, None])[is_there]
    tree = np.broadcast_to(np.arange(len(indices)), is_there.shape)[is_there]
    is_leaf = self._word[nodes] >= 0
    num_leaves, num_nodes = int(is_leaf.sum()), len(nodes)
    row = np.where(is_leaf, np.cumsum(is_leaf) - 1, num_leaves + np.cumsum(~is_leaf) - 1)
    rows = np.full(is_there.shape, num_nodes)  # Of each node, by step and tree.
    rows[is_there] = row
    stack = self._stack[nodes]
    stack = np.where(stack < 0, num_nodes, rows[stack, tree[:, None]])
    # The k-th leaf of each tree, as a row; those that are not there are the row after the last.
    leaf_steps = np.cumsum(np.where(is_there, np.isin(rows, row[is_leaf]), False), 0)
    leaf_rows = np.full((int(leaf_steps.max()) + 1, len(indices)), num_leaves)
    leaf_rows[leaf_steps[is_there][is_leaf] - 1, tree[is_leaf]] = row[is_leaf]
    front = self._front[nodes]
    front = np.where(front < 0, num_leaves, leaf_rows[front, tree])
    h = self._steps(nodes[is_leaf], front, stack, is_leaf, is_there.sum(1))
    order = np.concatenate([nodes[is_leaf], nodes[~is_leaf]])
    roots = np.empty(len(indices), np.int64)
    roots[by_length] = rows[lengths[by_length] - 1, np.arange(len(indices))]
    return h, self._label[order], roots

  def _steps(self, leaves, front, stack, is_leaf, counts):
    x = self.embed(self._word[leaves])
    ahead = self.linear(x, "word_weights", "word_bias")
    memory = self.linear(x, "memory_weights", "memory_bias")
    width, num_leaves = ahead.shape[1], len(leaves)
    store = Store(len(is_leaf), 2 * width)
    store.put(0, torch.cat([ahead, memory], 1))
    fronts = self.linear(ahead, "front_weights", None)
    fronts = torch.cat([fronts, fronts.new_zeros(1, fronts.shape[1])])
    gates_ahead = (fronts + self.weights["tracker_bias"])[torch.from_numpy(front)]
    splits = np.cumsum(counts)[:-1]
    reduced = [torch.from_numpy(np.flatnonzero(~part)) for part in np.split(is_leaf, splits)]
    seen = [torch.from_numpy(part.T.reshape(-1)) for part in np.split(stack, splits)]
    size = fronts.shape[1] // 4
    h = c = fronts.new_zeros(int(counts[0]), size)
    done, states = num_leaves, [ahead]
    for count, gates, rows, at in zip(
      counts.tolist(), gates_ahead.split(counts.tolist()), reduced, seen, strict=True
    ):
      first, second = store.get(at).view(2, count, 2 * width)
      tops = torch.cat([first[:, :width], second[:, :width], h[:count]], 1)
      h, c = _lstm(gates + self.linear(tops, "tracker_weights", None), [c[:count]])
      if len(rows):
        right, left = first[rows], second[rows]
        both = torch.cat([left[:, :width], right[:, :width], h[rows]], 1)
        memories = [left[:, width:], right[:, width:]]
        made = _lstm(self.linear(both, "weights", "bias"), memories)
        store.put(done, torch.cat(made, 1))
        states.append(made[0])
        done += len(rows)
    return torch.cat(states)


def _lstm(gates, memories):
  num = len(memories)
  width = gates.shape[1] // (3 + num)
  i, o, *f = gates[:, : (2 + num) * width].sigmoid().chunk(2 + num, 1)
  c = i * gates[:, (2 + num) * width :].tanh()
  for gate, memory in zip(f, memories, strict=True):
    c = torch.addcmul(c, gate, memory)
  return o * c.tanh(), c
