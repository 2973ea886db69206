"""Initial weights of the zoo's models in numpy, which every arm starts from, and their sizes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.peers.zoo.grids import NUM_DIGITS, PATCH
from benchmarks.peers.zoo.trees import MAX_CHILDREN

Weights = dict[str, np.ndarray]

NUM_TAGS = 17  # Universal parts of speech.
NUM_SENTIMENTS = 5
FULL_SIZES = {
  "treegru": {"word": 300, "width": 150},
  "nary": {"word": 300, "width": 150},
  "mvrnn": {"width": 25, "rank": 3},
  "tagger": {"word": 300, "width": 150},
  "dagrnn": {"width": 150},
  "spinn": {"word": 300, "width": 150, "tracker": 64},
  "lattice": {"word": 50, "width": 200},
}
SMALL_SIZES = {
  "treegru": {"word": 6, "width": 4},
  "nary": {"word": 6, "width": 4},
  "mvrnn": {"width": 4, "rank": 2},
  "tagger": {"word": 6, "width": 4},
  "dagrnn": {"width": 4},
  "spinn": {"word": 6, "width": 4, "tracker": 3},
  "lattice": {"word": 5, "width": 4},
}


class _Draw:
  """Draws matrices; numbers depend on the order of the calls."""

  def __init__(self, seed: int):
    self._rng = np.random.default_rng(seed)

  def uniform(self, rows: int, columns: int, bound: float) -> np.ndarray:
    return self._rng.uniform(-bound, bound, (rows, columns)).astype(np.float32)

  def glorot(self, rows: int, columns: int, blocks: int = 1) -> np.ndarray:
    return self.uniform(rows, columns * blocks, np.sqrt(6 / (rows + columns)))

  def bias(self, size: int) -> np.ndarray:
    """Returns small numbers, not zeros: a bias that an arm forgets is then seen."""
    return self.uniform(1, size, 0.1)[0]


def make_weights(model: str, vocab_size: int, sizes: dict[str, int], seed: int) -> Weights:
  """Draws weights: embedding [V, D_word], output_weights [D, K], output_bias, and the model's."""
  return _MAKERS[model](_Draw(seed), vocab_size, **sizes)


def _common(draw: _Draw, vocab_size: int, word: int, width: int, num_classes: int) -> Weights:
  return {
    "embedding": draw.uniform(vocab_size, word, 1.0),
    "output_weights": draw.glorot(width, num_classes),
    "output_bias": draw.bias(num_classes),
  }


def _treegru(draw: _Draw, vocab_size: int, word: int, width: int) -> Weights:
  return _common(draw, vocab_size, word, width, NUM_SENTIMENTS) | {
    "leaf_weights": draw.glorot(word, width, 2),  # z, u
    "leaf_bias": draw.bias(2 * width),
    "gate_weights": draw.glorot(2 * width, width, 2),  # r, z
    "gate_bias": draw.bias(2 * width),
    "weights": draw.glorot(2 * width, width),  # u
    "bias": draw.bias(width),
  }


def _nary(draw: _Draw, vocab_size: int, word: int, width: int) -> Weights:
  gates = 3 + MAX_CHILDREN
  return _common(draw, vocab_size, word, width, NUM_TAGS) | {
    "word_weights": draw.glorot(word, width, 4),  # i, o, f, u
    "weights": draw.glorot(MAX_CHILDREN * width, width, gates),  # i, o, f_1 .. f_5, u
    "bias": draw.bias(gates * width),
  }


def _mvrnn(draw: _Draw, vocab_size: int, width: int, rank: int) -> Weights:
  # A word's row: its vector, its matrix's diagonal, the two factors of the rest.
  row = 2 * width + 2 * width * rank
  return _common(draw, vocab_size, row, width, NUM_SENTIMENTS) | {
    "weights": draw.glorot(2 * width, width),
    "bias": draw.bias(width),
    "matrix_weights": draw.glorot(width, 2 * width),
  }


def _tagger(draw: _Draw, vocab_size: int, word: int, width: int) -> Weights:
  weights = _common(draw, vocab_size, word, 2 * width, NUM_TAGS)
  for direction in ("forward", "backward"):  # i, o, f, u
    weights[f"{direction}_words"] = draw.glorot(word, width, 4)
    weights[f"{direction}_weights"] = draw.glorot(width, width, 4)
    weights[f"{direction}_bias"] = draw.bias(4 * width)
  return weights


def _dagrnn(draw: _Draw, vocab_size: int, width: int) -> Weights:
  weights = _common(draw, 1, 1, width, NUM_DIGITS)
  del weights["embedding"]
  return weights | {
    "input_weights": draw.glorot(PATCH * PATCH, width),
    "weights": draw.glorot(width, width),
    "bias": draw.bias(width),
  }


def _spinn(draw: _Draw, vocab_size: int, word: int, width: int, tracker: int) -> Weights:
  return _common(draw, vocab_size, word, width, NUM_SENTIMENTS) | {
    "word_weights": draw.glorot(word, width),  # h of a word's state
    "word_bias": draw.bias(width),
    "memory_weights": draw.glorot(word, width),  # c
    "memory_bias": draw.bias(width),
    "front_weights": draw.glorot(width, tracker, 4),  # i, o, f, u of the tracker
    "tracker_weights": draw.glorot(2 * width + tracker, tracker, 4),
    "tracker_bias": draw.bias(4 * tracker),
    "weights": draw.glorot(2 * width + tracker, width, 5),  # i, o, f_l, f_r, u
    "bias": draw.bias(5 * width),
  }


def _lattice(draw: _Draw, vocab_size: int, word: int, width: int) -> Weights:
  return _common(draw, vocab_size, word, width, 2) | {
    "char_weights": draw.glorot(word, width, 4),  # i, o, f, u
    "weights": draw.glorot(width, width, 4),
    "bias": draw.bias(4 * width),
    "word_weights": draw.glorot(word, width, 3),  # i, f, u of a word's memory
    "start_weights": draw.glorot(width, width, 3),
    "word_bias": draw.bias(3 * width),
    "link_weights": draw.glorot(word, width),  # How much of it the last character takes.
    "memory_weights": draw.glorot(width, width),
    "link_bias": draw.bias(width),
  }


_MAKERS: dict[str, Callable[..., Weights]] = {
  "treegru": _treegru,
  "nary": _nary,
  "mvrnn": _mvrnn,
  "tagger": _tagger,
  "dagrnn": _dagrnn,
  "spinn": _spinn,
  "lattice": _lattice,
}
