"""Initial weights in numpy, which every arm starts from, and the sizes they come from."""

from __future__ import annotations

import numpy as np

MODELS = ("treernn", "rntn", "treelstm")
NUM_CLASSES = 5
LEARNING_RATE = 0.05
EMBEDDING_LEARNING_RATE = 0.1
INITIAL_SUM = 0.01  # Of Adagrad's squares.
EPSILON = 1e-7
FULL_SIZES = {
  "treernn": {"embedding": 25, "state": 25},
  "rntn": {"embedding": 25, "state": 25},
  "treelstm": {"embedding": 300, "state": 150},
}
SMALL_SIZES = {
  "treernn": {"embedding": 4, "state": 4},
  "rntn": {"embedding": 4, "state": 4},
  "treelstm": {"embedding": 6, "state": 4},
}


def make_weights(
  model: str, vocab_size: int, sizes: dict[str, int], seed: int
) -> dict[str, np.ndarray]:
  """Draws weights, named and laid out as the variables of `recursive_tf.models`.

  Args:
    model: one of MODELS.
    vocab_size: V, rows of the embedding.
    sizes: width of word vectors, D_in, and of states, D.
    seed: decides them.

  Returns:
    Float32 arrays. All models: embedding [V, D_in], output_weights [D, K], output_bias [K].
    treelstm: leaf_weights [D_in, 3 D], leaf_bias [3 D] (gates i, o, u), inner_weights [2 D, 5 D],
    inner_bias [5 D] (gates i, o, f_l, f_r, u). treernn: weights [2 D, D], bias [D]. rntn: as
    treernn, and tensor [4 D^2, D], where row 2 D j + k belongs to a_j a_k, a = [h_l; h_r].
  """
  rng = np.random.default_rng(seed)
  word, width = sizes["embedding"], sizes["state"]

  def uniform(rows, columns, bound):
    return rng.uniform(-bound, bound, (rows, columns)).astype(np.float32)

  def glorot(rows, columns, num_blocks=1):
    return uniform(rows, columns * num_blocks, np.sqrt(6 / (rows + columns)))

  weights = {
    "embedding": uniform(vocab_size, word, 0.05 if model == "treelstm" else 0.2),
    "output_weights": glorot(width, NUM_CLASSES),
    "output_bias": np.zeros(NUM_CLASSES, np.float32),
  }
  if model == "treelstm":
    forget = np.repeat(np.array([0, 0, 1, 1, 0], np.float32), width)
    weights |= {
      "leaf_weights": glorot(word, width, 3),
      "leaf_bias": np.zeros(3 * width, np.float32),
      "inner_weights": glorot(2 * width, width, 5),
      "inner_bias": forget,
    }
  else:
    weights |= {"weights": glorot(2 * width, width), "bias": np.zeros(width, np.float32)}
  if model == "rntn":
    weights["tensor"] = uniform(4 * width * width, width, 1 / (4 * width))
  return weights
