"""TreeRNN and TreeLSTM as people write them: plain recursive Python over the nodes of a tree.

Two kinds of objects: a class of the user's own, `Node`, and `nltk.Tree` as it is read from a
treebank's brackets. For each a program is two functions that call themselves: `encode` returns the
state of a node, `encode_and_score` also the sum of the losses of all nodes below, itself included.
Nothing here knows about graphs; the arms run these very functions eagerly, under `rtf.recursive`
and under `tf.function`.

The cells are `tf_cells`, in TensorFlow's own ops; `FusedModel` has those of the models of
`recursive_tf.models`, with the ops of `rtf.nn`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import nltk
import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks.peers import tf_cells
from benchmarks.peers import weights as w

OBJECTS = ("node", "nltk")


class Node:
  """A node of a binary tree.

  Attributes:
    label: the node's class.
    word: the number of the word at a leaf; None at an inner node.
    left, right: children, None at a leaf.
    is_leaf: whether it has none.
  """

  def __init__(self, label, word=None, left=None, right=None):
    self.label = label
    self.word = word
    self.left = left
    self.right = right
    self.is_leaf = left is None


class Program(NamedTuple):
  """A recursive program.

  Attributes:
    encode: takes a tree, returns its state: a tuple of float [1, D], h first.
    encode_and_score: takes a tree, returns (state, loss): the loss is float [1].
  """

  encode: Callable[[Any], tf_cells.State]
  encode_and_score: Callable[[Any], tuple[tf_cells.State, tf.Tensor]]


def over_nodes(model: tf_cells.Model) -> Program:
  """Returns the program for trees of `Node`."""
  embedding = model.variables["embedding"]

  def node_loss(state, label):
    return tf.nn.sparse_softmax_cross_entropy_with_logits([label], model.logits(state[0]))

  def encode(node):
    if node.is_leaf:
      return model.leaf(tf.gather(embedding, [node.word]))
    return model.inner(encode(node.left), encode(node.right))

  def encode_and_score(node):
    if node.is_leaf:
      state = model.leaf(tf.gather(embedding, [node.word]))
      return state, node_loss(state, node.label)
    left, left_loss = encode_and_score(node.left)
    right, right_loss = encode_and_score(node.right)
    state = model.inner(left, right)
    return state, left_loss + right_loss + node_loss(state, node.label)

  return Program(encode, encode_and_score)


def over_nltk(model: tf_cells.Model, vocabulary: dict[str, int]) -> Program:
  """Returns the program for `nltk.Tree`: words are strings under a tree of their own."""
  embedding = model.variables["embedding"]
  classes = {str(number): number for number in range(w.NUM_CLASSES)}

  def node_loss(state, tree):
    labels = [classes[tree.label()]]
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, model.logits(state[0]))

  def encode(tree):
    if isinstance(tree[0], str):
      return model.leaf(tf.gather(embedding, [vocabulary.get(tree[0], 0)]))
    return model.inner(encode(tree[0]), encode(tree[1]))

  def encode_and_score(tree):
    if isinstance(tree[0], str):
      state = model.leaf(tf.gather(embedding, [vocabulary.get(tree[0], 0)]))
      return state, node_loss(state, tree)
    left, left_loss = encode_and_score(tree[0])
    right, right_loss = encode_and_score(tree[1])
    state = model.inner(left, right)
    return state, left_loss + right_loss + node_loss(state, tree)

  return Program(encode, encode_and_score)


def program(model: tf_cells.Model, objects: str) -> Program:
  """Returns the program for "node" or "nltk"."""
  if objects == "node":
    return over_nodes(model)
  return over_nltk(model, vocabulary(model.variables["embedding"].shape[0]))


def vocabulary(size: int) -> dict[str, int]:
  """Returns the numbers of the words of `nltk_trees`; 0 stands for all others."""
  return {f"w{number}": number for number in range(1, size)}


class FusedModel(tf_cells.Model):
  """A model with the cells of `recursive_tf.models`."""

  def __init__(self, model: str, arrays: dict[str, Any]):
    super().__init__(model, arrays)
    cells = {
      "treelstm": (_fused_lstm_leaf, _fused_lstm_inner),
      "treernn": (tf_cells.rnn_leaf, _fused_rnn_inner),
    }
    self._leaf, self._inner = cells[model]


def _fused_lstm_leaf(v, x):
  return rtf.nn.lstm_gates(rtf.nn.matmul(x, v["leaf_weights"]), [], v["leaf_bias"])


def _fused_lstm_inner(v, left, right):
  gates = rtf.nn.matmul(tf.concat([left[0], right[0]], axis=1), v["inner_weights"])
  return rtf.nn.lstm_gates(gates, [left[1], right[1]], v["inner_bias"])


def _fused_rnn_inner(v, left, right):
  product = rtf.nn.matmul(tf.concat([left[0], right[0]], axis=1), v["weights"])
  return (tf.tanh(tf.nn.bias_add(product, v["bias"])),)


def trees(packed: dict[str, np.ndarray], objects: str) -> list[Any]:
  """Returns the trees of a packed treebank as "node" or "nltk" objects.

  Those of nltk are read from brackets, each word being "w" and its number.
  """
  splits = packed["node_splits"]
  columns = [packed[name].tolist() for name in ("label", "word", "left", "right")]
  make = {"node": _node, "nltk": _nltk}[objects]
  return [
    make(list(zip(*(column[a:b] for column in columns), strict=True)))
    for a, b in zip(splits[:-1], splits[1:], strict=True)
  ]


_Row = tuple[int, int, int, int]  # label, word, left, right: one node, children before parents.


def _node(rows: list[_Row]) -> Node:
  nodes: list[Node] = []
  for label, word, left, right in rows:
    nodes.append(Node(label, word) if left < 0 else Node(label, None, nodes[left], nodes[right]))
  return nodes[-1]


def _nltk(rows: list[_Row]) -> nltk.Tree:
  texts: list[str] = []
  for label, word, left, right in rows:
    below = f"w{word}" if left < 0 else f"{texts[left]} {texts[right]}"
    texts.append(f"({label} {below})")
  return nltk.Tree.fromstring(texts[-1])
