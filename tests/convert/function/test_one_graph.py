"""Lengths, shapes, trees, counts and rates that change from call to call make no further graphs."""

import random

import numpy as np
import tensorflow as tf

import recursive_tf as rtf


class Node:
  def __init__(self, value, *kids):
    self.value, self.kids = value, kids


class Counter:
  count = 0


def _tree(rng, depth):
  kids = [_tree(rng, depth - 1) for _ in range(rng.randrange(4))] if depth else []
  return Node(rng.uniform(-1.0, 1.0), *kids)


def test_nineteen_shapes():
  @rtf.function(strict=True, verify=False)
  def step(x):
    return tf.reduce_sum(tf.tanh(x) * 2.0, axis=0)

  shapes = [(rows, width) for rows in range(2, 7) for width in (3, 5, 8, 9)][:19]
  for number, shape in enumerate(shapes):
    x = tf.reshape(tf.range(float(np.prod(shape))) - number, shape)
    np.testing.assert_allclose(step(x), step.python(x), rtol=1e-6)
  assert step.stats.num_graphs == 3  # Of the first one, of any width, and of any number of rows.


def test_forty_trees_in_a_training_step():
  weight = tf.Variable([[0.5]])

  def encode(node):
    total = tf.tanh(weight * node.value)
    for kid in node.kids:
      total += encode(kid) * 0.5
    return total

  @rtf.function(strict=True, verify=False)
  def step(tree):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(encode(tree) ** 2)
    weight.assign_sub(0.01 * tape.gradient(loss, weight))
    return loss

  rng = random.Random(7)
  trees = [_tree(rng, 4) for _ in range(40)]
  found = {}
  for run in (step, step.python):
    weight.assign([[0.5]])
    found[run] = [float(run(tree)) for tree in trees], weight.numpy()
  np.testing.assert_allclose(found[step][0], found[step.python][0], rtol=1e-5)
  np.testing.assert_allclose(found[step][1], found[step.python][1], rtol=1e-5)
  assert step.stats.num_graphs == 1


def test_a_thousand_calls_that_count():
  counter = Counter()

  @rtf.function(strict=True, verify=False)
  def step(x):
    counter.count += 1
    return x * float(counter.count)

  for number in range(1, 1001):
    assert float(step(tf.constant(2.0))) == 2.0 * number
    assert counter.count == number
  assert step.stats.num_graphs == 1


def test_a_rate_that_changes_each_step():
  weight = tf.Variable(1.0)
  optimizer = tf.keras.optimizers.SGD(1.0)
  optimizer.build([weight])

  @rtf.function(strict=True, verify=False)
  def step(x, rate):
    with tf.GradientTape() as tape:
      loss = (weight * x - 1.0) ** 2
    gradient = tape.gradient(loss, weight)
    weight.assign_sub(rate * gradient)
    optimizer.apply_gradients([(gradient, weight)])
    return loss

  expected = 1.0
  for number in range(50):
    optimizer.learning_rate = 0.01 / (number + 1)
    rate = 0.02 / (number + 2)
    gradient = 2 * (expected * 0.5 - 1.0) * 0.5
    expected -= (rate + 0.01 / (number + 1)) * gradient
    step(tf.constant(0.5), rate)
    np.testing.assert_allclose(weight.numpy(), expected, rtol=1e-5)
  assert step.stats.num_graphs == 1
