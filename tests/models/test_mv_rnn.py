"""The matrix-vector network against the paper's equations, one node at a time, in NumPy."""

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf import models
from recursive_tf.datasets import PackedTrees, Tree, Vocabulary, make_dataset, synthetic_tree

VOCABULARY = Vocabulary(f"w{k}" for k in range(8))
D, RANK = 4, 2
CONFIG = models.MVRNNConfig(state_size=D, rank=RANK, embedding_stddev=0.5, matrix_stddev=0.3)
TREES = [
  Tree(3, "w1"),
  synthetic_tree(6, "random", 1, num_words=8),
  Tree(2, None, (Tree(4, "w1"), Tree(2, "w1"))),
]
PACKED = PackedTrees.pack(TREES, VOCABULARY)


@pytest.fixture(scope="module")
def model():
  model = models.MVRNN(VOCABULARY.size, CONFIG, seed=3, dtype=tf.float64)
  for index, variable in enumerate(model.trainable_variables):
    variable.assign_add(np.random.RandomState(index).uniform(-0.2, 0.2, variable.shape))
  return model


def state(weights, tree):
  """Sections 2.3 and 2.4: p = g(W [B a; A b]), P = W_M [A; B]."""
  if not tree.children:
    row = weights["embedding"][VOCABULARY.lookup(tree.word)]
    x, diagonal = row[:D], row[D : 2 * D]
    u = row[2 * D : 2 * D + D * RANK].reshape(D, RANK)
    v = row[2 * D + D * RANK :].reshape(RANK, D)
    return x, u @ v + np.diag(diagonal)
  (a, first), (b, second) = (state(weights, child) for child in tree.children)
  both = np.concatenate([second @ a, first @ b])
  parent = np.tanh(weights["weights"].T @ both + weights["bias"])
  return parent, weights["matrix_weights"] @ np.concatenate([first, second])


def loss_of(weights, tree):
  h, _ = state(weights, tree)
  logits = h @ weights["output_weights"] + weights["output_bias"]
  own = np.log(np.exp(logits).sum()) - logits[tree.label]
  return own + sum(loss_of(weights, child) for child in tree.children)


def weights_of(model):
  return {v.name.split(":")[0]: v.numpy() for v in model.trainable_variables}


def test_the_loss_is_that_of_the_equations(model, mode):
  loss, _ = mode(lambda batch: model.loss_and_metrics(batch))(PACKED.batch(range(3)))
  expected = np.mean([loss_of(weights_of(model), tree) for tree in TREES])
  np.testing.assert_allclose(loss, expected, rtol=1e-10)


def test_gradients_are_those_of_the_equations(model):
  with tf.GradientTape() as tape:
    loss, _ = model.loss_and_metrics(PACKED.batch(range(3)))
  gradients = tape.gradient(loss, model.trainable_variables)
  generator = np.random.default_rng(0)
  for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
    name = variable.name.split(":")[0]
    direction = generator.normal(size=variable.shape)
    sides = []
    for sign in (1, -1):
      moved = {**weights_of(model), name: variable.numpy() + sign * 1e-6 * direction}
      sides.append(np.mean([loss_of(moved, tree) for tree in TREES]))
    expected = (sides[0] - sides[1]) / 2e-6
    found = np.sum(tf.convert_to_tensor(gradient).numpy() * direction)
    assert abs(expected) > 1e-4, name
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9, err_msg=name)


def test_every_variable_is_in_one_group(model):
  grouped = [id(v) for group in model.parameter_groups() for v in group.variables]
  assert sorted(grouped) == sorted(map(id, model.trainable_variables))


def test_it_learns():
  model = models.MVRNN(VOCABULARY.size, CONFIG, seed=3)
  optimizer = models.Adagrad(model.parameter_groups())

  @tf.function
  def step(batch):
    with tf.GradientTape() as tape:
      loss, _ = model.loss_and_metrics(batch, training=True)
    optimizer.apply(tape.gradient(loss, optimizer.variables_to_train), tf.constant(1.0))
    return loss

  losses = [float(step(batch)) for batch in make_dataset(PACKED, 3, epochs=40)]
  assert losses[-1] < 0.5 * losses[0]
