"""Child-Sum and N-ary Tree-LSTMs against the paper's equations, one node at a time."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf import models
from recursive_tf._errors import ConfigError
from recursive_tf.datasets import DependencyTree, PackedNaryTrees, Tree, Vocabulary, make_dataset

VOCABULARY = Vocabulary(f"w{k}" for k in range(6))
D = 3
CONFIG = models.NaryTreeLSTMConfig(
  embedding_size=4, state_size=D, embedding_range=0.5, max_children=3
)
MODELS = {"child_sum": models.ChildSumTreeLSTM, "nary": models.NaryTreeLSTM}
every_model = pytest.mark.parametrize("name", MODELS)
DEPENDENCIES = [
  DependencyTree(("w1", "w2", "w3", "w4"), (1, -1, 1, 1), (0, 1, 2, 0)),
  DependencyTree(("w5",), (-1,), (3,)),
]
TREES = [
  Tree(0, "w0", (Tree(1, "w1"), Tree(2, None, (Tree(3, "w3"),)), Tree(4, "w4"))),
  Tree(1, None, (Tree(1, "unheard"), Tree(0, "w2", (Tree(0, "w2"), Tree(1, "w5"))))),
]


def make_model(name, **changes):
  config = dataclasses.replace(CONFIG, **changes)
  model = MODELS[name](VOCABULARY.size, config, seed=2, dtype=tf.float64)
  noise = np.random.RandomState(1).uniform(-0.3, 0.3, model.bias.shape)
  model.bias.assign_add(noise)  # Zeros would hide a bias that is not used.
  return model


def linear(weights, x, columns):
  return tf.linalg.matvec(weights[:, columns * D : (columns + 1) * D], x, transpose_a=True)


def child_sum(model, x, children):
  """Equations 2 to 8."""
  h_sum = tf.add_n([h for h, _ in children]) if children else tf.zeros([D], tf.float64)
  bias = tf.reshape(model.bias, [4, D])
  i, o, u = (
    linear(model.word_weights, x, k) + linear(model.weights, h_sum, k) + bias[k] for k in range(3)
  )
  c = tf.sigmoid(i) * tf.tanh(u)
  for h_k, c_k in children:
    f_k = linear(model.word_weights, x, 3) + linear(model.forget_weights, h_k, 0) + bias[3]
    c += tf.sigmoid(f_k) * c_k
  return tf.sigmoid(o) * tf.tanh(c), c


def nary(model, x, children):
  """Equations 9 to 14."""
  count = model.config.max_children
  bias = tf.reshape(model.bias, [3 + count, D])

  def gate(word_block, block):
    total = linear(model.word_weights, x, word_block) + bias[block]
    for place, (h, _) in enumerate(children):
      total += linear(model.weights[place * D : (place + 1) * D], h, block)
    return total

  c = tf.sigmoid(gate(0, 0)) * tf.tanh(gate(3, 2 + count))
  for k, (_, c_k) in enumerate(children):
    c += tf.sigmoid(gate(2, 2 + k)) * c_k
  return tf.sigmoid(gate(1, 1)) * tf.tanh(c), c


def oracle(name, model, tree):
  children = [oracle(name, model, child) for child in tree.children]
  x = tf.zeros([4], tf.float64)
  if tree.word is not None:
    x = model.embedding[VOCABULARY.lookup(tree.word)]
  return {"child_sum": child_sum, "nary": nary}[name](model, x, children)


def as_tree(dependencies):
  def node(position):
    below = [k for k, head in enumerate(dependencies.heads) if head == position]
    return Tree(dependencies.tags[position], dependencies.words[position], tuple(map(node, below)))

  return node(dependencies.root)


@every_model
def test_states_and_gradients_are_those_of_the_equations(name, mode):
  model = make_model(name)
  trees = [*TREES, *map(as_tree, DEPENDENCIES)]
  batch = PackedNaryTrees.pack([*TREES, *DEPENDENCIES], VOCABULARY).batch(range(len(trees)))
  variables = model.trainable_variables

  def compute(batch):
    with tf.GradientTape() as tape:
      states = model.encode(batch)
      loss = tf.reduce_sum(tf.sin(states * tf.range(1.0, D + 1.0, dtype=tf.float64)))
    return states, [tf.convert_to_tensor(g) for g in tape.gradient(loss, variables)]

  states, gradients = mode(compute)(batch)
  with tf.GradientTape() as tape:
    expected = tf.stack([oracle(name, model, tree)[0] for tree in trees])
    loss = tf.reduce_sum(tf.sin(expected * tf.range(1.0, D + 1.0, dtype=tf.float64)))
  of_oracle = tape.gradient(loss, variables)
  np.testing.assert_allclose(states, expected, rtol=1e-10, atol=1e-12)
  for variable, gradient, other in zip(variables, gradients, of_oracle, strict=True):
    other = tf.convert_to_tensor(other)
    assert np.abs(other).max() > 1e-3, variable.name
    np.testing.assert_allclose(gradient, other, rtol=1e-9, atol=1e-12, err_msg=variable.name)


@every_model
def test_batches_and_single_trees_agree_and_share_a_trace(name):
  model = make_model(name)
  packed = PackedNaryTrees.pack(TREES, VOCABULARY)
  encode = tf.function(model.encode)
  whole = encode(packed.batch([1, 0, 1]))
  for row, tree in enumerate((1, 0, 1)):
    np.testing.assert_allclose(encode(packed.batch([tree])), whole[row : row + 1], rtol=1e-12)
  assert encode.experimental_get_tracing_count() == 1


def test_the_order_of_children_counts_only_where_they_have_places():
  turned = [Tree(0, "w0", tuple(reversed(TREES[0].children)))]
  for name, is_same in (("child_sum", True), ("nary", False)):
    model = make_model(name)
    both = [
      model.encode(PackedNaryTrees.pack(trees, VOCABULARY).batch([0]))
      for trees in (TREES[:1], turned)
    ]
    assert np.allclose(*both, rtol=1e-12) == is_same


def test_more_children_than_places_is_an_error_that_says_so():
  model = make_model("nary", max_children=2)
  packed = PackedNaryTrees.pack(TREES, VOCABULARY)
  assert packed.max_children == 3
  for encode in (model.encode, tf.function(model.encode)):
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than max_children = 2"):
      encode(packed.batch([0]))


@every_model
def test_sizes_are_checked(name):
  with pytest.raises(ConfigError, match="state_size is 0, expected at least 1"):
    make_model(name, state_size=0)


def test_deep_trees_run():
  tree = Tree(0, "w1")
  for _ in range(3_000):
    tree = Tree(0, "w2", (tree,))
  packed = PackedNaryTrees.pack([tree], VOCABULARY)
  assert np.isfinite(make_model("child_sum").encode(packed.batch([0]))).all()


def test_batches_come_through_tf_data():
  packed = PackedNaryTrees.pack([*TREES, *DEPENDENCIES], VOCABULARY)
  sizes = [int(batch.num_nodes) for batch in make_dataset(packed, 3, shuffle=False)]
  assert sizes == [5 + 5 + 4, 1] and packed.num_nodes == 15
