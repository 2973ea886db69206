"""The three models as plain recursive Python on eager TensorFlow ops, from the papers' equations.

Shares the models' variables, and nothing else: vectors without a batch dimension, one gate at a
time, sums over nodes in Python.
"""

import tensorflow as tf

from recursive_tf.models import Metrics

BINARY_CLASS = {0: 0, 1: 0, 3: 1, 4: 1}


def lstm_state(model, node, word_id):
  """Returns (h, c) of a Tree-LSTM node; Tai et al. 2015, equations 9 to 14 with N = 2."""
  width = model.config.state_size

  def gates(inputs, weights, bias, count):
    columns = [slice(k * width, (k + 1) * width) for k in range(count)]
    return [tf.linalg.matvec(weights[:, c], inputs, transpose_a=True) + bias[c] for c in columns]

  if node.is_leaf:
    x = model.embedding[word_id(node.word)]
    i, o, u = gates(x, model.leaf_weights, model.leaf_bias, 3)
    c = tf.sigmoid(i) * tf.tanh(u)
  else:
    (h_left, c_left), (h_right, c_right) = node.states
    both = tf.concat([h_left, h_right], 0)
    i, o, f_left, f_right, u = gates(both, model.inner_weights, model.inner_bias, 5)
    c = tf.sigmoid(i) * tf.tanh(u) + tf.sigmoid(f_left) * c_left + tf.sigmoid(f_right) * c_right
  return tf.sigmoid(o) * tf.tanh(c), c


def rnn_state(model, node, word_id):
  """Returns (h,) of a TreeRNN node; Socher et al. 2013, section 4.1."""
  if node.is_leaf:
    return (tf.tanh(model.embedding[word_id(node.word)]),)
  both = tf.concat([node.states[0][0], node.states[1][0]], 0)
  return (tf.tanh(tf.linalg.matvec(model.weights, both, transpose_a=True) + model.bias),)


def rntn_state(model, node, word_id):
  """Returns (h,) of an RNTN node; Socher et al. 2013, section 4.3."""
  if node.is_leaf:
    return (tf.tanh(model.embedding[word_id(node.word)]),)
  width = model.config.state_size
  both = tf.concat([node.states[0][0], node.states[1][0]], 0)
  tensor = tf.reshape(model.tensor, [2 * width, 2 * width, width])
  products = [tf.reduce_sum(both * tf.linalg.matvec(tensor[:, :, d], both)) for d in range(width)]
  linear = tf.linalg.matvec(model.weights, both, transpose_a=True) + model.bias
  return (tf.tanh(linear + tf.stack(products)),)


STATES = {"tree_lstm": lstm_state, "tree_rnn": rnn_state, "rntn": rntn_state}


class _Node:
  """A tree's node with what its children computed."""

  def __init__(self, tree, states):
    self.is_leaf, self.word, self.states = tree.is_leaf, tree.word, states


class Oracle:
  """Evaluates a model on a list of trees.

  Attributes:
    loss: as `loss_and_metrics` defines it.
    logits: of the roots, [B, K].
    counts: nodes and hits by the names of `Metrics`.
  """

  def __init__(self, model, trees, vocabulary, mask=None):
    self._model, self._vocabulary, self._mask = model, vocabulary, mask
    self._num_nodes_seen = 0
    self._losses = []
    self.counts = dict.fromkeys(Metrics._fields, 0)
    self.logits = []
    for tree in trees:
      _, logits = self._visit(tree, is_root=True)
      self.logits.append(logits)
    self.loss = tf.add_n(self._losses) / len(trees)

  def _visit(self, tree, is_root=False):
    states = [self._visit(child)[0] for child in tree.children]
    state = STATES[self._model.name](self._model, _Node(tree, states), self._vocabulary.lookup)
    h = state[0]
    if self._mask is not None:
      h *= self._mask[self._num_nodes_seen]
    self._num_nodes_seen += 1
    weights, bias = self._model.output_weights, self._model.output_bias
    logits = tf.linalg.matvec(weights, h, transpose_a=True) + bias
    self._score(tree.label, logits, is_root)
    return state, logits

  def _score(self, label, logits, is_root):
    probabilities = tf.nn.softmax(logits)
    is_binary = len(logits) == 2
    binary_class = BINARY_CLASS.get(label)
    own_class = binary_class if is_binary else label if label >= 0 else None
    loss = tf.zeros([], logits.dtype)
    if own_class is not None:
      loss = -tf.math.log(probabilities[own_class])
      self._count("", int(tf.argmax(logits)) == own_class, is_root)
    if binary_class is not None:
      p = probabilities.numpy()
      sides = p if is_binary else [p[0] + p[1], p[3] + p[4]]
      self._count("binary_", int(sides[1] > sides[0]) == binary_class, is_root)
    self._losses.append(loss)

  def _count(self, prefix, is_right, is_root):
    for level in ("nodes", "roots") if is_root else ("nodes",):
      self.counts[f"{prefix}num_{level}"] += 1
      self.counts[f"{prefix}correct_{level}"] += is_right
