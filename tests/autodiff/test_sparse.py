"""Gradients of lookups stay `tf.IndexedSlices` from the body to the optimizer."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.autodiff.vjp import WAYS, value_and_gradients

VOCABULARY, WIDTH = 7, 3


def word(table, i):
  return tf.nn.embedding_lookup(table, [i])


@pytest.fixture
def table():
  return tf.Variable(tf.random.stateless_normal([VOCABULARY, WIDTH], [1, 2]))


def define_sum(table, look_up=word, extra=None):
  """A SubGraph that adds up the rows words[i], words[i + 1], ..."""
  with rtf.SubGraph("sum") as f:
    words, i = f.input(tf.int32, [None]), f.input(tf.int32)

    def step():
      row = look_up(table, words[i])
      if extra is not None:
        row += extra(table)
      return row + f(words, i + 1)

    f.output(tf.cond(i >= tf.size(words), lambda: tf.zeros([1, WIDTH]), step))
  return f


def gradient_of_sum(f, table, words, way):
  return value_and_gradients(f, [tf.constant(words, tf.int32), 0], [table], way)[2][0]


DIRECTION = tf.random.stateless_normal([1, WIDTH], [7, 0])


def expected_rows(words):
  dense = np.zeros([VOCABULARY, WIDTH], np.float32)
  for i in words:
    dense[i] += DIRECTION.numpy()[0]
  return dense


@pytest.mark.parametrize(
  "look_up",
  [
    word,
    lambda table, i: tf.gather(table, [i]),
    lambda table, i: table.sparse_read([i]),
    lambda table, i: tf.gather(table, tf.cast([i], tf.int64)),
    lambda table, i: tf.reshape(tf.gather(table, i), [1, WIDTH]),
    lambda table, i: tf.reduce_sum(tf.gather(table, [[i]]), 1),
  ],
  ids=["embedding_lookup", "gather", "sparse_read", "int64", "scalar", "matrix"],
)
@pytest.mark.parametrize("way", WAYS)
def test_lookups_of_a_variable_give_rows(look_up, table, way):
  words = [2, 5, 2, 0, 2]
  gradient = gradient_of_sum(define_sum(table, look_up), table, words, way)
  assert isinstance(gradient, tf.IndexedSlices)
  assert sorted(tf.reshape(gradient.indices, [-1]).numpy().tolist()) == sorted(words)
  assert gradient.values.shape == [len(words), WIDTH]
  assert list(gradient.dense_shape) == [VOCABULARY, WIDTH]
  np.testing.assert_allclose(tf.convert_to_tensor(gradient), expected_rows(words), rtol=1e-5)


def test_no_lookup_gives_no_rows(table, way):
  gradient = gradient_of_sum(define_sum(table), table, [], way)
  assert isinstance(gradient, tf.IndexedSlices)
  assert gradient.values.shape == [0, WIDTH] and gradient.indices.shape == [0]


def test_lookups_of_an_outer_tensor_give_rows(table):
  tensor = tf.constant(table)
  gradient = gradient_of_sum(define_sum(tensor), tensor, [3, 3, 1], "eager")
  np.testing.assert_allclose(tf.convert_to_tensor(gradient), expected_rows([3, 3, 1]), rtol=1e-5)


def test_lookups_in_two_places_of_a_body_stay_sparse(table, way):
  f = define_sum(table, lambda t, i: word(t, i) + word(t, (i + 1) % VOCABULARY))
  gradient = gradient_of_sum(f, table, [2, 5], way)
  assert isinstance(gradient, tf.IndexedSlices)
  np.testing.assert_allclose(tf.convert_to_tensor(gradient), expected_rows([2, 3, 5, 6]), rtol=1e-5)


def test_lookups_in_two_bodies_stay_sparse(table, way):
  f, g = define_sum(table), define_sum(table)

  def both(words, i):
    return f(words, i) + g.map(words[tf.newaxis], i[tf.newaxis])[0]

  gradient = gradient_of_sum(both, table, [2, 5], way)
  assert isinstance(gradient, tf.IndexedSlices)
  np.testing.assert_allclose(tf.convert_to_tensor(gradient), expected_rows([2, 5, 2, 5]), rtol=1e-5)


def test_lookups_beside_a_dense_use_add_up(table, way):
  f = define_sum(table, extra=lambda t: tf.reduce_sum(t, 0, keepdims=True))
  gradient = gradient_of_sum(f, table, [2, 5], way)
  expected = expected_rows([2, 5]) + 2 * DIRECTION.numpy()
  np.testing.assert_allclose(tf.convert_to_tensor(gradient), expected, rtol=1e-5)


def test_lookups_beside_a_product_add_up(table, way):
  f = define_sum(table, extra=lambda t: tf.ones([1, VOCABULARY]) @ t)
  gradient = gradient_of_sum(f, table, [2, 5], way)
  expected = expected_rows([2, 5]) + 2 * DIRECTION.numpy()
  np.testing.assert_allclose(tf.convert_to_tensor(gradient), expected, rtol=1e-5)


def test_a_keras_embedding_stays_sparse(way):
  layer = tf.keras.layers.Embedding(VOCABULARY, WIDTH)
  layer.build(None)
  variable = layer.trainable_variables[0].value
  f = define_sum(variable, lambda _, i: layer(i[tf.newaxis]))
  gradient = gradient_of_sum(f, variable, [4, 4], way)
  assert isinstance(gradient, tf.IndexedSlices)
  np.testing.assert_allclose(tf.convert_to_tensor(gradient), expected_rows([4, 4]), rtol=1e-5)


@pytest.mark.parametrize("make", [tf.keras.optimizers.SGD, tf.keras.optimizers.Adagrad])
def test_an_optimizer_applies_the_rows(make, table, mode):
  f, before = define_sum(table), table.numpy()
  optimizer = make(0.1)

  @mode
  def train(words):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(f(words, 0))
    optimizer.apply_gradients([(tape.gradient(loss, table), table)])

  train(tf.constant([2, 5, 2]))
  changed = np.abs(table.numpy() - before).max(axis=1) > 1e-6
  assert np.flatnonzero(changed).tolist() == [2, 5]


def test_rows_of_a_single_step_are_the_same_for_each_gradient(table):
  # All rows come from one step: a gradient may be that step's own memory, which a second one reads.
  weights = tf.Variable(tf.random.stateless_normal([WIDTH, 4], [3, 4]))
  with rtf.SubGraph("word") as f:
    f.output(rtf.nn.matmul(word(table, f.input(tf.int32)), weights))
  words = tf.constant([1, 5, 1, 0], tf.int32)

  @tf.function
  def train():
    with tf.GradientTape(persistent=True) as tape:
      loss = tf.reduce_sum(f.map(words) ** 2)
    first = tape.gradient(loss, [table, weights])
    values = tf.identity(first[0].values)
    with tf.control_dependencies([values]):
      changed = tf.tanh(first[0].values * 3.0 + 1.0)  # In place, if it may.
    table.scatter_sub(tf.IndexedSlices(first[0].values, first[0].indices))
    weights.assign_sub(first[1])
    with tf.control_dependencies([changed]):
      again = tape.gradient(loss, [table, weights])
    rows = tf.IndexedSlices(values, first[0].indices)
    rows_again = tf.IndexedSlices(again[0].values, again[0].indices)
    return rows, first[1], changed, rows_again, again[1]

  def dense(rows):  # Which row comes first is the scheduler's business.
    return tf.math.unsorted_segment_sum(rows.values, rows.indices, table.shape[0])

  with tf.GradientTape() as tape:
    loss = tf.reduce_sum((tf.gather(table, words) @ weights) ** 2)
  of_rows, of_weights = tape.gradient(loss, [table, weights])
  rows, product, changed, rows_again, product_again = train()
  for each in (rows, rows_again):
    assert each.values.shape == [4, WIDTH]
    np.testing.assert_allclose(dense(each), dense(of_rows), rtol=1e-5, atol=1e-5)
  for each in (product, product_again):
    np.testing.assert_allclose(each, of_weights, rtol=1e-5, atol=1e-5)
  np.testing.assert_allclose(changed, np.tanh(3 * rows.values + 1), rtol=1e-5)
