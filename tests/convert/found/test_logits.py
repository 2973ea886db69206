"""Keras' losses look for the logits of a softmax or sigmoid that they are given.

In a graph they find them by the op that made a tensor, in eager execution by an attribute that
Keras' own functions set, and no others do. Seen where a prediction is wrong and sure of itself:
without logits it is cut off at 1e-7.
"""

import keras
import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf

TARGETS = tf.constant([[0.0, 1.0], [1.0, 0.0]])
SURE = [[100.0, 0.0], [0.0, -60.0]]  # The first row is wrong.


def layer(activation):
  made = keras.layers.Dense(2, activation=activation, kernel_initializer="identity")
  made.build([None, 2])
  return made


SOFTMAX = {
  "tf.nn": tf.nn.softmax,
  "keras.ops": keras.ops.softmax,
  "layer": layer("softmax"),
  "model": keras.Sequential([keras.Input([2]), layer("softmax")]),
}
SIGMOID = {
  "tf.nn": tf.nn.sigmoid,
  "tf": tf.sigmoid,
  "keras.ops": keras.ops.sigmoid,
  "layer": layer("sigmoid"),
}
CROSSENTROPY = keras.losses.CategoricalCrossentropy()
LOSSES = {
  "object": CROSSENTROPY,
  "function": keras.losses.categorical_crossentropy,
  "op": keras.ops.categorical_crossentropy,
}
BINARY_LOSSES = {
  "object": keras.losses.BinaryCrossentropy(),
  "function": keras.losses.binary_crossentropy,
  "op": keras.ops.binary_crossentropy,
  "focal": keras.losses.BinaryFocalCrossentropy(),
}
PAIRS = [(p, loss) for p in SOFTMAX.values() for loss in LOSSES.values()]
PAIRS += [(p, loss) for p in SIGMOID.values() for loss in BINARY_LOSSES.values()]


def step_of(predict, loss):
  def step(x):
    with tf.GradientTape(persistent=True) as tape:
      tape.watch(x)
      predicted = predict(x * 1.0)
      value = tf.reduce_sum(loss(TARGETS, predicted))
    return value, tape.gradient(value, x), tape.gradient(value, predicted)

  return step


def assert_same(found, expected):
  assert [part is None for part in found] == [part is None for part in expected]
  for a, b in zip(found, expected, strict=True):
    if b is not None:
      np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("pair", range(len(PAIRS)))
def test_a_loss_finds_the_logits_that_it_finds_in_eager_execution(pair):
  step = step_of(*PAIRS[pair])
  converted = rtf.function(step, verify=False)
  x = tf.constant(SURE)
  assert_same(converted(x), step(x))
  # Where Python gives no gradient the call is left to it.
  assert converted.stats.num_fallback_runs == 0 or step(x)[2] is None


def test_one_given_in_a_list_is_not_found_either():
  def step(x):
    return keras.losses.categorical_crossentropy(TARGETS, [*tf.unstack(tf.nn.softmax(x))])

  converted = rtf.function(step, strict=True, verify=False)
  np.testing.assert_allclose(converted(tf.constant(SURE)), step(tf.constant(SURE)), rtol=1e-6)


def test_a_recursion_finds_them_as_well():
  def plain(node):
    own = keras.losses.categorical_crossentropy(TARGETS, tf.nn.softmax(node["x"]))
    return own + sum([plain(kid) for kid in node["kids"]], tf.zeros([2]))

  @rtf.recursive(strict=True, verify=False)
  def converted(node):
    own = keras.losses.categorical_crossentropy(TARGETS, tf.nn.softmax(node["x"]))
    return own + sum([converted(kid) for kid in node["kids"]], tf.zeros([2]))

  tree = {"x": tf.constant(SURE), "kids": [{"x": tf.constant(SURE) / 2.0, "kids": []}]}
  np.testing.assert_allclose(converted(tree), plain(tree), rtol=1e-6)


@pytest.mark.parametrize("predict", SOFTMAX.values(), ids=SOFTMAX)
def test_a_loss_outside_finds_those_of_a_result(predict):
  def outside(function):
    x = tf.constant(SURE)
    with tf.GradientTape() as tape:
      tape.watch(x)
      value = CROSSENTROPY(TARGETS, function(x)[0])
    return value, tape.gradient(value, x)

  def predicted(x):
    return predict(x * 1.0), tf.reduce_sum(x)

  assert_same(outside(rtf.function(predicted, strict=True, verify=False)), outside(predicted))


def test_those_of_an_argument_are_left_to_python():
  def loss(predicted):
    return CROSSENTROPY(TARGETS, predicted)

  converted = rtf.function(loss, verify=False)
  for predict, num_plain in ((tf.nn.softmax, 0), (keras.ops.softmax, 1)):
    predicted = predict(tf.constant(SURE))
    np.testing.assert_allclose(converted(predicted), loss(predicted), rtol=1e-6)
    assert converted.stats.num_fallback_runs == num_plain
