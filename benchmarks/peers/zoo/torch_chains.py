"""PyTorch, the zoo's models over sequences and grids, batched by hand: a place of all as one cell.

What runs: numpy sorts the sentences of a batch by length and lays them side by side, so that no
step has rows of padding. Words and patches enter all at once. `inference_mode` for inference.
"""

from __future__ import annotations

import numpy as np
import torch

from benchmarks.peers.zoo.torch_base import TorchModel


class Tagger(TorchModel):
  """Bidirectional LSTM tagger: both directions in one product of batches, from both ends."""

  def __init__(self, model, weights, packed):
    parts = ("words", "weights", "bias")
    both = {
      part: np.stack([weights[f"{direction}_{part}"] for direction in ("forward", "backward")])
      for part in parts
    }
    others = {name: v for name, v in weights.items() if name.split("_")[-1] not in parts}
    others |= {name: weights[name] for name in ("output_weights", "output_bias")}
    super().__init__(model, others | both, packed)
    self._word, self._label = (packed[name].astype(np.int64) for name in ("word", "label"))
    self._splits = packed["node_splits"]

  def loss_and_gradients(self, indices):
    loss, gradients = super().loss_and_gradients(indices)
    for part in ("words", "weights", "bias"):
      gradients[f"forward_{part}"], gradients[f"backward_{part}"] = gradients.pop(part)
    return loss, gradients

  def outputs(self, indices):
    places, order, counts = self._plan(indices)
    h = self._states(places, counts)
    return h, torch.from_numpy(self._label[places[0]])

  def asked(self, indices):
    places, order, counts = self._plan(indices)
    return self._states(places, counts)[torch.from_numpy(order)]

  def _plan(self, indices):
    """Returns places [2, N] of words by step, from the start and from the end; where the words of
    the batch are among the first; and sentences of each step."""
    indices = np.asarray(indices)
    begins, lengths = self._splits[indices], np.diff(self._splits)[indices]
    rank = np.argsort(-lengths, kind="stable")
    begins, sorted_lengths = begins[rank], lengths[rank]
    step = np.arange(sorted_lengths[0])
    is_there = step[:, None] < sorted_lengths
    forward = (begins + step[:, None])[is_there]
    backward = (begins + sorted_lengths - 1 - step[:, None])[is_there]
    # Where each word of each sentence, one after the other, stands among those by step.
    slot = np.zeros(is_there.shape, np.int64)
    slot[is_there] = np.arange(is_there.sum())
    place_of = np.argsort(rank)
    order = np.concatenate([slot[: lengths[i], place_of[i]] for i in range(len(indices))])
    self._mirror = np.concatenate([slot[:n, k] for k, n in enumerate(sorted_lengths)])
    mirrored = np.concatenate([slot[:n, k][::-1] for k, n in enumerate(sorted_lengths)])
    inverse = np.empty(len(mirrored), np.int64)
    inverse[self._mirror] = mirrored
    self._mirror = torch.from_numpy(inverse)
    return np.stack([forward, backward]), order, is_there.sum(1).tolist()

  def _states(self, places, counts):
    """Returns both states of each word side by side, [N, 2 D], in the order of `places[0]`."""
    x = self.embed(self._word[places.reshape(-1)]).view(2, places.shape[1], -1)
    own = self.linear(x, "words", None) + self.weights["bias"].unsqueeze(1)
    width = own.shape[2] // 4
    h = c = own.new_zeros(2, counts[0], width)
    states = []
    for count, gates in zip(counts, own.split(counts, 1), strict=True):
      h, c = h[:, :count], c[:, :count]
      gates = gates + self.linear(h, "weights", None)
      i, o, f = gates[:, :, : 3 * width].sigmoid().chunk(3, 2)
      c = torch.addcmul(f * c, i, gates[:, :, 3 * width :].tanh())
      h = o * c.tanh()
      states.append(h)
    forward, backward = torch.cat(states, 1)
    return torch.cat([forward, backward.index_select(0, self._mirror)], 1)


class DagRNN(TorchModel):
  """DAG-RNN, a diagonal of all images as one cell; rows of a diagonal are its nodes, no others."""

  def __init__(self, model, weights, packed):
    super().__init__(model, weights, packed)
    side = packed["patches"].shape[1]
    self._diagonals = []
    for diagonal in range(2 * side - 1):
      rows = np.arange(max(0, diagonal - side + 1), min(diagonal, side - 1) + 1)
      patches = packed["patches"][:, rows, diagonal - rows]
      self._diagonals.append((rows[0], torch.from_numpy(np.ascontiguousarray(patches))))
    self._label = torch.from_numpy(packed["label"].astype(np.int64))

  def outputs(self, indices):
    return self.asked(indices), self._label[torch.as_tensor(indices)]

  def asked(self, indices):
    at = torch.as_tensor(indices)
    side = (len(self._diagonals) + 1) // 2
    x = torch.cat([patches[at] for _, patches in self._diagonals], 1)
    own = self.linear(x.view(-1, x.shape[2]), "input_weights", "bias").view(len(at), x.shape[1], -1)
    # Rows -1 to G of the last two diagonals, zeros where there is no node.
    near = far = own.new_zeros(len(at), side + 2, own.shape[2])
    for (first, patches), gates in zip(
      self._diagonals, own.split([p.shape[1] for _, p in self._diagonals], 1), strict=True
    ):
      count = patches.shape[1]
      above, left = near[:, first : first + count], near[:, first + 1 : first + 1 + count]
      total = above + left + far[:, first : first + count]
      product = self.linear(total.reshape(-1, total.shape[2]), "weights", None)
      h = (gates + product.view(gates.shape)).tanh()
      far, near = near, torch.nn.functional.pad(h, (0, 0, first + 1, side + 1 - first - count))
    return near[:, side]
