"""Recursive networks as people write them: a method that calls itself over the nodes of a tree.

Trees are those of the Stanford Sentiment Treebank (`RECURSIVE_TF_DATA`, or `../shared/data`), else
of the bundled sample. A step is given tree objects, one or 25, and has a loss at every node. The
graph by hand is a SubGraph with the same ops at a node, over arrays. Since a step is given objects,
Python reads them into these arrays in each step, by a loop as one would write it; or, as a bound,
they were read before ("by hand, packed").
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks.peers import real_data
from benchmarks.peers.program import Program, Step
from recursive_tf.datasets import Tree, Vocabulary, load_sample, load_sst

_NUM_CLASSES = 5
_RATE = 0.01  # At five times that the TreeRNN is chaotic: the last digit decides.
_BATCH = {"small": 1, "large": 25}
_NUM_BATCHES = {"small": 8, "large": 2}
# For the small ones, too: there a trace takes two seconds, and eight trees come again and again.
_LEFT_OUT = {"AutoGraph": "it traces each batch anew, which takes three quarters of a minute"}


class Node:
  """A node of a binary tree.

  Attributes:
    label: its class.
    word: the number of its word; None at an inner node.
    left, right: its children; None at a leaf.
  """

  def __init__(self, label, word=None, left=None, right=None):
    self.label = label
    self.word = word
    self.left = left
    self.right = right


class _Encoder(tf.Module):
  """What both have: words, a softmax layer, and the recursion."""

  def __init__(self, num_words: int, inputs: int, width: int, reach: float):
    super().__init__()
    init = keras.initializers.GlorotUniform(1)
    self.words = tf.Variable(
      tf.random.stateless_uniform([num_words, inputs], [1, 2], -reach, reach)
    )
    self.top = tf.Variable(init([width, _NUM_CLASSES]))
    self.top_bias = tf.Variable(tf.zeros([_NUM_CLASSES]))

  def loss(self, h, label):
    logits = h @ self.top + self.top_bias
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=logits)

  def encode(self, node):
    """Returns the state of a node, and the sum of the losses of all nodes below and its own."""
    if node.left is None:
      state = self.leaf([node.word])
      return state, self.loss(state[0], [node.label])
    left, left_loss = self.encode(node.left)
    right, right_loss = self.encode(node.right)
    state = self.inner(left, right)
    return state, left_loss + right_loss + self.loss(state[0], [node.label])


class TreeRNN(_Encoder):
  """A recursive network (Socher et al. 2011)."""

  num_parts = 1

  def __init__(self, num_words: int, width: int):
    super().__init__(num_words, width, width, 0.2)
    self.kernel = tf.Variable(keras.initializers.GlorotUniform(2)([2 * width, width]))
    self.bias = tf.Variable(tf.zeros([width]))

  def leaf(self, word):
    return (tf.tanh(tf.gather(self.words, word)),)

  def inner(self, left, right):
    return (tf.tanh(tf.concat([left[0], right[0]], 1) @ self.kernel + self.bias),)


class TreeLSTM(_Encoder):
  """A binary Tree-LSTM (Tai et al. 2015)."""

  num_parts = 2

  def __init__(self, num_words: int, inputs: int, width: int):
    super().__init__(num_words, inputs, width, 0.05)
    init = keras.initializers.GlorotUniform(2)
    self.leaf_kernel = tf.Variable(init([inputs, 3 * width]))
    self.leaf_bias = tf.Variable(tf.zeros([3 * width]))
    self.kernel = tf.Variable(init([2 * width, 5 * width]))
    self.bias = tf.Variable(tf.zeros([5 * width]))

  def leaf(self, word):
    gates = tf.gather(self.words, word) @ self.leaf_kernel + self.leaf_bias
    i, o, u = tf.split(gates, 3, 1)
    c = tf.sigmoid(i) * tf.tanh(u)
    return tf.sigmoid(o) * tf.tanh(c), c

  def inner(self, left, right):
    gates = tf.concat([left[0], right[0]], 1) @ self.kernel + self.bias
    i, o, f_left, f_right, u = tf.split(gates, 5, 1)
    c = tf.sigmoid(i) * tf.tanh(u) + tf.sigmoid(f_left) * left[1] + tf.sigmoid(f_right) * right[1]
    return tf.sigmoid(o) * tf.tanh(c), c


def treernn(size: str) -> Program:
  """A TreeRNN of width 25, one tree or 25 in a step."""
  return _trained(size, lambda num_words: TreeRNN(num_words, 25))


def treelstm(size: str) -> Program:
  """A Tree-LSTM of width 150 over word vectors of 300, one tree or 25 in a step."""
  return _trained(size, lambda num_words: TreeLSTM(num_words, 300, 150))


def _trained(size: str, make: Callable[[int], Any]) -> Program:
  batches, num_words = batches_of_trees(size)
  model = make(num_words)
  variables = model.trainable_variables
  optimizer = keras.optimizers.SGD(_RATE)
  optimizer.build(variables)

  def update(tape, loss):
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables, strict=True))

  def step(trees):
    with tf.GradientTape() as tape:
      loss = 0.0
      for tree in trees:
        _, tree_loss = model.encode(tree)
        loss += tree_loss[0]
      loss /= len(trees)
    update(tape, loss)
    return loss

  def graph_step(nodes, roots):
    with tf.GradientTape() as tape:
      loss = tf.reduce_mean(losses_by_hand(model, nodes, roots))
    update(tape, loss)
    return loss

  def packed_step(nodes, roots):
    return graph_step(nodes, roots)

  packed = {id(trees): arrays_of(trees) for trees in batches}

  def around(decorate: Callable[[Step], Step], chosen: Step) -> Step:
    if chosen is step:
      return decorate(step)
    run = decorate(chosen)
    if chosen is packed_step:
      return lambda trees: run(*packed[id(trees)])
    return lambda trees: run(*arrays_of(trees))

  return Program(
    step,
    [(trees,) for trees in batches],
    graph_step,
    variables,
    around=around,
    cycle=len(batches),
    packed_step=packed_step,
    left_out=_LEFT_OUT if size == "large" else {},
  )


def losses_by_hand(model: Any, nodes: tf.Tensor, roots: tf.Tensor) -> tf.Tensor:
  """Returns the sum of the losses of each tree, float [B], by a SubGraph over the nodes."""
  kind = type(model)
  # Weights are read once a run, not once a node; the words stay a variable, for sparse gradients.
  weights = types.SimpleNamespace(
    **{name: tf.convert_to_tensor(v) for name, v in vars(model).items() if _is_weight(name, v)},
    words=model.words,
  )
  state_spec = (tf.TensorSpec([1, model.top.shape[0]]),) * kind.num_parts
  with rtf.SubGraph("tree", outputs=(state_spec, tf.TensorSpec([1]))) as f:
    row = tf.gather(nodes, f.input(tf.int32, [1]))
    label, word, left, right = tf.unstack(row, num=4, axis=1)

    def leaf():
      return kind.leaf(weights, word), tf.zeros([1])

    def inner():
      (left_state, left_loss), (right_state, right_loss) = f(left), f(right)
      return kind.inner(weights, left_state, right_state), left_loss + right_loss

    state, below = tf.cond(tf.reshape(left < 0, []), leaf, inner)
    f.output((state, below + kind.loss(weights, state[0], label)))
  return f.map(roots[:, tf.newaxis])[1][:, 0]


def _is_weight(name: str, value: object) -> bool:
  return isinstance(value, tf.Variable) and name != "words"


def arrays_of(trees: list[Node]) -> tuple[tf.Tensor, tf.Tensor]:
  """Returns (nodes, roots): int32 [N, 4], label, word, left, right by node; int32 [B]."""
  rows: list[tuple[int, int, int, int]] = []

  def add(node):
    if node.left is None:
      rows.append((node.label, node.word, -1, -1))
    else:
      left, right = add(node.left), add(node.right)
      rows.append((node.label, -1, left, right))
    return len(rows) - 1

  roots = [add(tree) for tree in trees]
  return tf.constant(np.array(rows, np.int32)), tf.constant(roots, tf.int32)


def batches_of_trees(size: str) -> tuple[list[list[Node]], int]:
  """Returns lists of trees, and how many words there are."""
  folder = real_data.folder_of("sst")
  trees = (load_sample() if folder is None else load_sst(folder))["train"]
  vocabulary = Vocabulary.from_trees(trees)
  batch, count = _BATCH[size], _NUM_BATCHES[size]
  chosen = np.random.default_rng(0).permutation(len(trees))[: batch * count]
  nodes = [_node(trees[number], vocabulary) for number in chosen]
  return [nodes[begin : begin + batch] for begin in range(0, len(nodes), batch)], vocabulary.size


def _node(tree: Tree, vocabulary: Vocabulary) -> Node:
  made: list[Node] = []
  for each in tree.post_order():
    if each.children:
      right, left = made.pop(), made.pop()
      made.append(Node(each.label, None, left, right))
    else:
      made.append(Node(each.label, vocabulary.lookup(each.word or "")))
  return made[0]
