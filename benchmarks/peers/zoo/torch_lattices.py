"""PyTorch, the zoo's lattice LSTM, batched by hand: a character of all sentences as one step.

What runs: numpy sorts the sentences by length and plans where each word begins; characters and
words enter all at once; states lie in one array that words read from (`Store`). All words that end
at a step's characters are one product. `inference_mode` for inference.
"""

from __future__ import annotations

import numpy as np
import torch

from benchmarks.peers.zoo.torch_base import TorchModel
from benchmarks.peers.zoo.torch_stacks import Store


class Lattice(TorchModel):
  """Lattice LSTM."""

  def __init__(self, model, weights, packed):
    super().__init__(model, weights, packed)
    self._splits, self._word_splits = packed["node_splits"], packed["word_splits"]
    self._char, self._label = (packed[name].astype(np.int64) for name in ("char", "label"))
    self._words = packed["words"].astype(np.int64)

  def outputs(self, indices):
    h, chars, _ = self._run(indices)
    return h, torch.from_numpy(self._label[chars])

  def asked(self, indices):
    h, _, order = self._run(indices)
    return h[torch.from_numpy(order)]

  def _run(self, indices):
    """Returns h by step; the characters in that order; and where those of each sentence stand."""
    indices = np.asarray(indices)
    lengths = np.diff(self._splits)[indices]
    by_length = np.argsort(-lengths, kind="stable")
    step = np.arange(lengths.max())
    is_there = step[:, None] < lengths[by_length]
    chars = (self._splits[indices[by_length]] + step[:, None])[is_there]
    counts = is_there.sum(1)
    rows = np.zeros(is_there.shape, np.int64)
    rows[is_there] = np.arange(len(chars))
    rank = np.argsort(by_length)
    order = np.concatenate([rows[:n, k] for n, k in zip(lengths, rank, strict=True)])
    # Words by the step of their last character: who owns them, and the row of their first one.
    num_words = np.diff(self._word_splits)[chars]
    first = self._word_splits[chars]
    own = np.arange(num_words.sum()) - np.repeat(np.cumsum(num_words) - num_words, num_words)
    words = self._words[np.repeat(first, num_words) + own]
    times, sentences = np.nonzero(is_there)
    time, sentence = np.repeat(times, num_words), np.repeat(sentences, num_words)
    start = rows[time + 1 - words[:, 1], sentence]
    ends = np.searchsorted(time, step[1:])
    plan = [np.split(part, ends) for part in (sentence, start)]
    return self._steps(chars, words[:, 0], counts.tolist(), *plan), chars, order

  def _steps(self, chars, words, counts, owners, starts):
    v = self.weights
    x = self.embed(np.concatenate([self._char[chars], words]))
    x, y = x.split([len(chars), len(words)])
    own = self.linear(x, "char_weights", "bias").split(counts)
    links = self.linear(x, "link_weights", "link_bias").split(counts)
    entered = self.linear(y, "word_weights", "word_bias").split([len(part) for part in owners])
    width = v["link_bias"].shape[0]
    store = Store(len(chars), 2 * width)
    h = c = x.new_zeros(counts[0], width)
    states, done = [], 0
    for step, count in enumerate(counts):
      gates = own[step] + self.linear(h[:count], "weights", None)
      i, o, f = gates[:, : 3 * width].sigmoid().chunk(3, 1)
      u = gates[:, 3 * width :].tanh()
      c = torch.addcmul(f * c[:count], i, u)
      if len(owners[step]):
        at = torch.from_numpy(owners[step])
        h_start, c_start = store.get(torch.from_numpy(starts[step])).chunk(2, 1)
        gates = entered[step] + self.linear(h_start, "start_weights", None)
        i_word, f_word = gates[:, : 2 * width].sigmoid().chunk(2, 1)
        memory = torch.addcmul(f_word * c_start, i_word, gates[:, 2 * width :].tanh())
        link = links[step].index_select(0, at) + self.linear(memory, "memory_weights", None)
        share, own_share = link.sigmoid().exp(), i.exp()
        total = own_share.index_add(0, at, share)
        mixed = (own_share * u).index_add(0, at, share * memory) / total
        has_words = torch.zeros(count, 1, dtype=torch.bool)
        has_words[at] = True
        c = torch.where(has_words, mixed, c)
      h = o * c.tanh()
      store.put(done, torch.cat([h, c], 1))
      states.append(h)
      done += count
    return torch.cat(states)
