"""The top-down Tree-LSTM as plain Python recursion on eager TensorFlow ops.

Shares the model's variables and nothing else: vectors without a batch dimension, one gate at a
time, trees as nested objects, sums in Python.
"""

import dataclasses

import numpy as np
import tensorflow as tf

GEN_LEFT, GEN_RIGHT, GEN_NEXT_LEFT, GEN_NEXT_RIGHT = range(4)
ALLOWED = {"root": (0, 1), "left": (0, 1, 2), "right": (0, 1, 3)}
SIDE = ("left", "right", "left", "right")


@dataclasses.dataclass
class Made:
  """A generated node: its word, and nodes by edge."""

  word: int
  edges: dict

  def num_nodes(self):
    return 1 + sum(node.num_nodes() for node in self.edges.values())

  def codes(self):
    """Returns the nodes in pre-order as `datasets.dependencies.decode` takes them."""
    own = 16 * (self.word + 1) + sum(2**edge for edge in self.edges)
    return [own] + [code for edge in sorted(self.edges) for code in self.edges[edge].codes()]


def dense(x, weights, bias):
  return tf.linalg.matvec(weights, x, transpose_a=True) + bias


class Oracle:
  """Evaluates and generates trees one node at a time."""

  def __init__(self, model):
    self.model = model

  def root_state(self, condition):
    c = tf.add_n([self.model.conditions[row] for row in condition])
    return tf.tanh(c), c

  def step(self, edge, x, h, c):
    """Zhang et al. 2016, equations 4 to 9: one LSTM for each kind of edge."""
    width = self.model.config.state_size
    weights, bias = self.model.weights[edge], self.model.biases[edge]
    both = tf.concat([x, h], 0)
    columns = [slice(k * width, (k + 1) * width) for k in range(4)]
    i, o, f, u = (dense(both, weights[:, k], bias[k]) for k in columns)
    c = tf.sigmoid(i) * tf.tanh(u) + tf.sigmoid(f) * c
    return tf.sigmoid(o) * tf.tanh(c), c

  def words(self, h):
    return tf.nn.softmax(dense(h, self.model.output_weights, self.model.output_bias))

  def edges(self, x, h):
    m = self.model
    hidden = tf.tanh(dense(tf.concat([x, h], 0), m.hidden_weights, m.hidden_bias))
    return tf.sigmoid(dense(hidden, m.edge_weights, m.edge_bias))

  def score(self, tree, word_id):
    """Returns (-log P of the words, -log P of the edges, right words, right edges) of a tree."""
    self._totals = [[], [], 0, 0]
    hung = {"left": {}, "right": {}}
    for position, head in enumerate(tree.heads):
      if head >= 0:
        side = "left" if position < head else "right"
        hung[side].setdefault(head, []).append(position)
    for dependents in hung["left"].values():
      dependents.reverse()  # The nearest first.

    def visit(position, side, siblings, h, c):
      """Scores a node, what hangs from it, and its `siblings` further out."""
      word = word_id(tree.words[position])
      x = self.model.embedding[word]
      below = [hung["left"].get(position, []), hung["right"].get(position, [])]
      follow = {0: below[0], 1: below[1]}
      if side != "root":
        follow[2 if side == "left" else 3] = siblings
      probabilities, going = self.words(h), self.edges(x, h)
      self._totals[0].append(-tf.math.log(probabilities[word]))
      self._totals[2] += int(tf.argmax(probabilities)) == word
      for edge in ALLOWED[side]:
        p = going[edge] if follow[edge] else 1 - going[edge]
        self._totals[1].append(-tf.math.log(p))
      self._totals[3] += all(bool(going[e] > 0.5) == bool(follow[e]) for e in ALLOWED[side])
      for edge, rest in follow.items():
        if rest:
          visit(rest[0], SIDE[edge], rest[1:], *self.step(edge, x, h, c))

    visit(tree.root, "root", [], *self.root_state(tree.condition))
    words, edges, right_words, right_edges = self._totals
    return tf.add_n(words), tf.add_n(edges), right_words, right_edges

  def generate(self, condition, max_nodes=1000, draw=None):
    """Returns (the root, log of its probability).

    Args:
      condition: rows of the table.
      max_nodes: as in the model.
      draw: function of a path of edges -> five numbers in 0..1, of the word and the edges.
    """
    self._log = []

    def visit(side, h, c, budget, path):
      probabilities = self.words(h).numpy()
      if draw is None:
        word = int(np.argmax(probabilities))
      else:
        word = int(np.searchsorted(np.cumsum(probabilities), draw(path)[0]))
      x = self.model.embedding[word]
      going = self.edges(x, h).numpy()
      limits = [0.5] * 4 if draw is None else draw(path)[1:]
      wanted = [e for e in ALLOWED[side] if going[e] > limits[e]]
      share = (budget - 1) // max(len(wanted), 1)
      wanted = wanted if share > 0 else []
      self._log.append(np.log(probabilities[word]))
      self._log += [np.log(going[e] if e in wanted else 1 - going[e]) for e in ALLOWED[side]]
      return Made(
        word,
        {e: visit(SIDE[e], *self.step(e, x, h, c), share, (*path, e)) for e in wanted},
      )

    root = visit("root", *self.root_state(condition), max_nodes, ())
    return root, sum(self._log)
