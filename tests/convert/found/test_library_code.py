"""Code of the user's that a library runs: what it reads is compared, what it does is not lost.

A library runs it while a graph is made, once or more often, and not in the graph's runs.
"""

import functools

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf

SETTINGS = {"factor": 1.0}
SCALE = 1.0
SEEN = []


def scaled(x):
  return x * SETTINGS["factor"]


class Scaling(tf.keras.layers.Layer):
  def call(self, x):
    return x * SETTINGS["factor"]


class ByGlobal(tf.keras.layers.Layer):
  def call(self, x):
    return x * SCALE


class ByMethod(tf.keras.layers.Layer):
  def call(self, x):
    return self.inner(x)

  def inner(self, x):
    return scaled(x)


class ByClass(tf.keras.layers.Layer):
  factor = 1.0

  def call(self, x):
    return x * type(self).factor


class Helper:
  def scale(self, x):
    return scaled(x)


HELPER = Helper()


class ByHelper(tf.keras.layers.Layer):
  def call(self, x):
    return HELPER.scale(x)


class Activation:
  def __call__(self, x):
    return scaled(x)


ACTIVATION = Activation()


class Rate(tf.keras.optimizers.schedules.LearningRateSchedule):
  def __call__(self, step):
    return 0.1 * SETTINGS["factor"]


class Numbers:
  def __array__(self, dtype=None, copy=None):
    return np.full(2, SETTINGS["factor"], np.float32)


class Tensors:
  def __tf_tensor__(self, dtype=None, name=None):
    return tf.fill([2], SETTINGS["factor"])


class Size:
  def __index__(self):
    return int(SETTINGS["factor"])


def in_sequence(layer):
  """Returns what calls a Keras model around a layer."""
  model = tf.keras.Sequential([layer])
  model(tf.ones([1, 2]))
  return model


def with_activation(activation):
  layer = tf.keras.layers.Dense(2, activation=activation, kernel_initializer="ones")
  layer.build([None, 2])
  return layer


def with_rate(rate):
  weight = tf.Variable([1.0, 1.0])
  optimizer = tf.keras.optimizers.SGD(rate)
  optimizer.build([weight])

  def step(x):
    optimizer.apply_gradients([(x[0], weight)])
    return weight * 1.0

  return step


def given(function, value):
  return lambda x: x + function(value)


READING = {
  "layer": lambda: in_sequence(Scaling()),
  "global": lambda: in_sequence(ByGlobal()),
  "method": lambda: in_sequence(ByMethod()),
  "class": lambda: in_sequence(ByClass()),
  "helper": lambda: in_sequence(ByHelper()),
  "activation": lambda: with_activation(Activation()),
  "schedule": lambda: with_rate(Rate()),
  "mapped": lambda: lambda x: tf.map_fn(ACTIVATION, x),
  "array": lambda: given(tf.constant, Numbers()),
  "tensor": lambda: given(tf.convert_to_tensor, Tensors()),
  "size": lambda: given(lambda size: tf.reduce_sum(tf.ones(size)), Size()),
}


@pytest.mark.parametrize("name", READING)
def test_what_code_reads_that_a_library_runs_is_compared(name, monkeypatch):
  plain, ours = READING[name](), READING[name]()

  @rtf.function(verify=False)
  def step(x):
    return ours(x)

  for factor in (1.0, 2.0, 2.0, 1.0):
    monkeypatch.setitem(SETTINGS, "factor", factor)
    monkeypatch.setattr(ByClass, "factor", factor)
    monkeypatch.setitem(globals(), "SCALE", factor)
    x = tf.ones([1, 2])
    np.testing.assert_allclose(step(x), plain(x), rtol=1e-6)


def note(x):
  SEEN.append(1)
  return x


class Noting:
  def __call__(self, x):
    return note(x)

  def __array__(self, dtype=None, copy=None):
    return note(np.ones(2, np.float32))


class NotingHelper:
  def method(self, x):
    return note(x)


NOTING, NOTING_HELPER, PARTIAL = Noting(), NotingHelper(), functools.partial(note)


class NotingRate(tf.keras.optimizers.schedules.LearningRateSchedule):
  def __call__(self, step):
    return note(0.1)


ACTING = {
  "activation": lambda: with_activation(Noting()),
  "partial": lambda: with_activation(functools.partial(note)),
  "helper": lambda: with_activation(lambda x: NOTING_HELPER.method(x)),
  "mapped": lambda: lambda x: tf.map_fn(NOTING, x),
  "mapped partial": lambda: lambda x: tf.map_fn(PARTIAL, x),
  "schedule": lambda: with_rate(NotingRate()),
  "array": lambda: given(tf.constant, NOTING),
}


@pytest.mark.parametrize("name", ACTING)
def test_what_code_does_that_a_library_runs_is_done_once_in_each_call(name):
  plain, ours = ACTING[name](), ACTING[name]()

  @rtf.function(verify=False)
  def step(x):
    return ours(x)

  x = tf.ones([1, 2])
  for _ in range(3):
    SEEN.clear()
    expected, count = plain(x), len(SEEN)
    SEEN.clear()
    np.testing.assert_allclose(step(x), expected)
    assert len(SEEN) == count > 0


class Factor:
  def __init__(self):
    self.factor = 1.0

  def __call__(self, x):
    return x * self.factor


def writing_an_attribute():
  factor = Factor()
  layer = with_activation(factor)

  def step(x):
    factor.factor = factor.factor * 2.0
    return layer(x)

  return step


def writing_a_variable():
  factor = 1.0

  def activation(x):
    return x * factor

  layer = with_activation(activation)

  def step(x):
    nonlocal factor
    factor = factor * 2.0
    return layer(x)

  return step


@pytest.mark.parametrize("make", [writing_an_attribute, writing_a_variable])
def test_what_the_program_writes_is_what_the_library_reads_then(make):
  plain, step = make(), rtf.function(make(), verify=False)
  for _ in range(3):
    np.testing.assert_allclose(step(tf.ones([1, 2])), plain(tf.ones([1, 2])))
