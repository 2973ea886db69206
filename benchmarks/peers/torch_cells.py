"""The models' cells in PyTorch, for the arms with autograd; any number of rows n.

A state is a tuple of tensors [n, D]: (h,), or (h, c) for the TreeLSTM. `addmm` for product and
bias, one sigmoid for the gates that need it.
"""

from __future__ import annotations

import torch

State = tuple[torch.Tensor, ...]
Weights = dict[str, torch.nn.Parameter]


def cells(model: str):
  """Returns (leaf, inner) of a model; see `lstm_leaf` and `lstm_inner`."""
  return {
    "treelstm": (lstm_leaf, lstm_inner),
    "treernn": (rnn_leaf, rnn_inner),
    "rntn": (rnn_leaf, rntn_inner),
  }[model]


def lstm_leaf(v: Weights, x: torch.Tensor) -> State:
  """Returns the states of leaves with word vectors `x` [n, D_in]."""
  i, o, u = torch.addmm(v["leaf_bias"], x, v["leaf_weights"]).chunk(3, 1)
  c = i.sigmoid() * u.tanh()
  return o.sigmoid() * c.tanh(), c


def lstm_inner(v: Weights, children: torch.Tensor, left: State, right: State) -> State:
  """Returns the states of inner nodes.

  Args:
    v: the weights.
    children: [n, 2 D], h of the left and of the right child side by side.
    left, right: what else there is of the children's states: (c,), or () for the other models.
  """
  gates = torch.addmm(v["inner_bias"], children, v["inner_weights"])
  width = gates.shape[1] // 5
  squashed, u = gates.split([4 * width, width], 1)
  i, o, f_left, f_right = squashed.sigmoid().chunk(4, 1)
  c = torch.addcmul(i * u.tanh(), f_left, left[0])
  c = torch.addcmul(c, f_right, right[0])
  return o * c.tanh(), c


def rnn_leaf(v: Weights, x: torch.Tensor) -> State:
  """As `lstm_leaf`."""
  return (x.tanh(),)


def rnn_inner(v: Weights, children: torch.Tensor, left: State, right: State) -> State:
  """As `lstm_inner`."""
  return (torch.addmm(v["bias"], children, v["weights"]).tanh(),)


def rntn_inner(v: Weights, children: torch.Tensor, left: State, right: State) -> State:
  """As `lstm_inner`."""
  pairs = (children.unsqueeze(2) * children.unsqueeze(1)).view(len(children), -1)
  summed = torch.addmm(v["bias"], children, v["weights"])
  return (torch.addmm(summed, pairs, v["tensor"]).tanh(),)
