"""Recursive Keras models that the tests share, as a user's module would have them."""

import keras
import numpy as np
import tensorflow as tf

import recursive_tf as rtf
import recursive_tf.keras as rtf_keras
from recursive_tf import datasets

WIDTH = 4
TREES = datasets.load_sample()["dev"][:12]
VOCABULARY = datasets.Vocabulary.from_trees(TREES)
PACKED = datasets.PackedTrees.pack(TREES, VOCABULARY)


@keras.saving.register_keras_serializable("rtf_tests")
def encode(inputs, *, embedding, mix):
  """Returns the states of roots [B, D]."""
  tree = rtf_keras.as_batch(inputs)
  with rtf.SubGraph("encode") as f:
    i = f.input(tf.int32)

    def leaf():
      return embedding(tree.word[i][tf.newaxis])

    def inner():
      return mix(tf.concat([f(tree.left[i]), f(tree.right[i])], axis=1))

    f.output(tf.cond(tree.is_leaf[i], leaf, inner))
  return tf.squeeze(f.map(tree.root), 1)


def new_layers(width=WIDTH, dtype=None):
  return {
    "embedding": keras.layers.Embedding(VOCABULARY.size, width, dtype=dtype),
    "mix": keras.layers.Dense(width, activation="tanh", dtype=dtype),
  }


def encode_plainly(tree, embedding, mix):
  """The same in NumPy."""
  if not tree.children:
    return embedding.get_weights()[0][VOCABULARY.lookup(tree.word)]
  both = np.concatenate([encode_plainly(child, embedding, mix) for child in tree.children])
  kernel, bias = mix.get_weights()
  return np.tanh(both @ kernel + bias)


def dataset(batch_size=5, **options):
  return datasets.make_dataset(PACKED, batch_size, **options).map(rtf_keras.root_labels)


def functional(num_layers=2, dtype=None):
  """Returns a model with several Recursive layers, each with weights of its own."""
  inputs = rtf_keras.tree_inputs()
  states = [
    rtf_keras.Recursive(encode, layers=new_layers(dtype=dtype), dtype=dtype)(inputs)
    for _ in range(num_layers)
  ]
  joined = keras.layers.concatenate(states, dtype=dtype)
  return keras.Model(inputs, keras.layers.Dense(5, dtype=dtype)(joined))


def cross_entropy():
  return keras.losses.SparseCategoricalCrossentropy(from_logits=True)


class Node:
  """A binary tree of a user's own."""

  def __init__(self, word=0, left=None, right=None):
    self.word, self.left, self.right = word, left, right


def node_of(tree):
  if not tree.children:
    return Node(VOCABULARY.lookup(tree.word))
  return Node(-1, *[node_of(child) for child in tree.children])


NODES = [node_of(tree) for tree in TREES]
LABELS = np.array([tree.label for tree in TREES], np.int32)


@keras.saving.register_keras_serializable("rtf_tests")
class ObjectModel(rtf_keras.Model):
  """A model whose own method is the recursion."""

  def __init__(self, width=WIDTH, **kwargs):
    super().__init__(**kwargs)
    self.width = width
    self.embedding = keras.layers.Embedding(VOCABULARY.size, width)
    self.mix = keras.layers.Dense(width, activation="tanh")
    self.classify = keras.layers.Dense(5)
    self.encoder = rtf_keras.Recursive(self.encode)

  @rtf.recursive(strict=True)
  def encode(self, node):
    if node.left is None:
      return self.embedding(tf.constant([node.word]))
    return self.mix(tf.concat([self.encode(node.left), self.encode(node.right)], axis=1))

  def call(self, inputs):
    return self.classify(tf.squeeze(self.encoder(inputs), 1))

  def get_config(self):
    return {**super().get_config(), "width": self.width}
