"""PyTorch, the zoo's models over trees, batched by hand: a level of all trees as one cell.

What runs: numpy plans the levels (`plans.py`). Words enter all at once; so do all leaves. Then one
cell for each level, from the deepest up, on the states of the next level, which index_select puts
in the children's places; a row of zeros stands for children that are not there. The softmax layer
runs once for all nodes. `inference_mode` for inference.
"""

from __future__ import annotations

import abc

import torch

from benchmarks.peers.zoo.plans import Plan, ResidentForest
from benchmarks.peers.zoo.torch_base import TorchModel

State = tuple[torch.Tensor, ...]


class Trees(TorchModel):
  """A model over trees, loss at every node; `h` is the first part of a state."""

  def __init__(self, model, weights, packed):
    super().__init__(model, weights, packed)
    self._forest = ResidentForest(packed)

  @abc.abstractmethod
  def leaves(self, plan: Plan) -> State:
    """Returns the states of all leaves."""

  def words(self, plan: Plan) -> torch.Tensor | None:
    """Returns what the words of all inner nodes give to their cells, [M, ...]."""
    return None

  @abc.abstractmethod
  def inner(self, x: torch.Tensor | None, children: list[torch.Tensor]) -> State:
    """Returns the states of n nodes from their words' rows and their children's, [n, K, ..]."""

  def outputs(self, indices):
    plan = self._forest.plan(indices)
    _, h = self._states(plan)
    return h, torch.from_numpy(plan.labels)

  def asked(self, indices):
    plan = self._forest.plan(indices)
    h, _ = self._states(plan)
    return h[torch.from_numpy(plan.roots)]

  def _states(self, plan: Plan) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns h of the first level; and h of all nodes in the order of the plan's labels."""
    leaves = self.leaves(plan)
    leaf_levels = list(zip(*(part.split(plan.leaf_counts) for part in leaves), strict=True))
    x = self.words(plan)
    x_levels = [None] * len(plan.inner_counts) if x is None else x.split(plan.inner_counts)
    places = torch.from_numpy(plan.children).split(plan.inner_counts)
    num_children = plan.children.shape[1]
    below = leaf_levels[-1]
    all_h = []
    for level in range(len(leaf_levels) - 2, -1, -1):
      at = places[level].reshape(-1)
      if self.has_gaps:
        below = tuple(torch.cat([part, part.new_zeros(1, *part.shape[1:])]) for part in below)
      children = [
        part.index_select(0, at).view(-1, num_children, *part.shape[1:]) for part in below
      ]
      inner = self.inner(x_levels[level], children)
      all_h.append(inner[0])
      if plan.leaf_counts[level]:
        below = tuple(torch.cat(both) for both in zip(inner, leaf_levels[level], strict=True))
      else:
        below = inner
    return below[0], torch.cat([*reversed(all_h), leaves[0]])

  has_gaps = False  # Whether nodes may have fewer than K children.


class TreeGRU(Trees):
  """Binary TreeGRU."""

  def leaves(self, plan):
    z, u = self.linear(self.embed(plan.leaf_words), "leaf_weights", "leaf_bias").chunk(2, 1)
    return ((1 - z.sigmoid()) * u.tanh(),)

  def inner(self, x, children):
    (h,) = children
    gates = self.linear(h.view(len(h), -1), "gate_weights", "gate_bias").sigmoid()
    r, z = gates.chunk(2, 1)
    u = self.linear((r.unsqueeze(1) * h).view(len(h), -1), "weights", "bias").tanh()
    return (torch.lerp(u, h.sum(1), z),)


class NaryTreeLSTM(Trees):
  """N-ary TreeLSTM."""

  has_gaps = True

  def leaves(self, plan):
    x = self.linear(self.embed(plan.leaf_words), "word_weights", None)
    i, o, _, u = x.chunk(4, 1)
    width = i.shape[1]
    bias = self.weights["bias"]
    c = (i + bias[:width]).sigmoid() * (u + bias[-width:]).tanh()
    return (o + bias[width : 2 * width]).sigmoid() * c.tanh(), c

  def words(self, plan):
    # An input of zeros adds nothing to a product, so the bias is left for the cell.
    return self.linear(self.embed(plan.inner_words), "word_weights", None)

  def inner(self, x, children):
    h, c = children
    width = h.shape[2]
    gates = self.linear(h.reshape(len(h), -1), "weights", None) + self.weights["bias"]
    x_i_o, x_f, x_u = x.split([2 * width, width, width], 1)
    i_o, f, u = gates.split([2 * width, c.shape[1] * width, width], 1)
    i, o = (i_o + x_i_o).sigmoid().chunk(2, 1)
    f = (f.view(c.shape) + x_f.unsqueeze(1)).sigmoid()
    memory = torch.addcmul((f * c).sum(1), i, (u + x_u).tanh())
    return o * memory.tanh(), memory


class MVRNN(Trees):
  """Matrix-vector network; matrices are kept transposed, so that rows meet their weights."""

  def leaves(self, plan):
    x = self.embed(plan.leaf_words)
    width = self.weights["bias"].shape[0]
    h, diagonal, rest = x.split([width, width, x.shape[1] - 2 * width], 1)
    left, right = rest.chunk(2, 1)
    left, right = left.reshape(len(x), width, -1), right.reshape(len(x), -1, width)
    return h, torch.baddbmm(diagonal.diag_embed(), right.mT, left.mT)

  def inner(self, x, children):
    h, transposed = children
    n, _, width = h.shape
    both = torch.matmul(h.flip(1).unsqueeze(2), transposed).flip(1).view(n, 2 * width)
    rows = torch.cat(transposed.unbind(1), 2).view(n * width, 2 * width)
    matrix = (rows @ self.weights["matrix_weights"].t()).view(n, width, width)
    return self.linear(both, "weights", "bias").tanh(), matrix
