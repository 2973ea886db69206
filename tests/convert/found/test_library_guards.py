"""Objects of libraries and containers handed to them: all that they hold is looked at."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import root
from tests.convert.found.test_guards import follows


def with_layer(make, size=4, **kwargs):
  """Returns `build` for `follows`: a program that calls a built layer, and the layer."""

  def build():
    tf.keras.utils.set_random_seed(1)
    layer = make()
    layer(tf.ones([1, size]))

    def encode(n):
      h = tf.fill([1, size], tf.cast(n.v, tf.float32) - 2.0)
      for k in n.kids:
        h = h + encode(k)
      return layer(h, **kwargs)

    return encode, layer

  return build


def dense(**options):
  """Returns a layer of four units."""
  return tf.keras.layers.Dense(4, **options)


def set_activation(layer):
  layer.activation = tf.keras.activations.relu


def no_bias(layer):
  layer.use_bias = False


def own_call(layer):
  layer.call = lambda x: 3.0 * x


@pytest.mark.parametrize("change", [set_activation, no_bias, own_call])
def test_an_attribute_of_a_dense_layer(change):
  follows(with_layer(dense), change)


def test_an_attribute_that_goes_back_and_forth_keeps_both_programs():
  def back(layer):
    layer.activation = tf.keras.activations.linear

  f = follows(with_layer(lambda: dense(activation=None)), set_activation, back, set_activation)
  assert f.stats.num_conversions == 2


def test_attributes_of_normalisation():
  def epsilon(layer):
    layer.epsilon = 0.5

  def trainable(layer):
    layer.trainable = False

  follows(with_layer(tf.keras.layers.BatchNormalization), epsilon)
  follows(with_layer(tf.keras.layers.BatchNormalization, training=False), trainable, epsilon)


def test_the_rate_of_dropout():
  def build():
    layer = tf.keras.layers.Dropout(0.0)

    def encode(n):
      h = layer(tf.ones([1, 4]), training=True) * layer.rate
      return h + sum(encode(k) for k in n.kids)

    return encode, layer

  def none(layer):
    layer.rate = 0

  follows(build, none)


def test_layers_of_a_sequence():
  def make():
    return tf.keras.Sequential([dense(), dense(activation="tanh"), tf.keras.layers.ReLU()])

  def add(model):
    tf.keras.utils.set_random_seed(2)
    model.add(dense())

  follows(with_layer(make), lambda model: model.pop(), add)


def test_an_attribute_of_a_layer_of_a_layer():
  def make():
    return tf.keras.Sequential([tf.keras.Sequential([dense()]), tf.keras.layers.ReLU()])

  follows(with_layer(make), lambda model: set_activation(model.layers[0].layers[0]))


def test_an_activation_that_reads_what_changes():
  state = {"factor": 2.0}

  def build():
    factors = dict(state)

    def activation(x):
      return x * factors["factor"]

    _, layer = with_layer(lambda: dense(activation=activation))()

    def encode(n):
      h = tf.fill([1, 4], tf.cast(n.v, tf.float32))
      for k in n.kids:
        h = h + encode(k)
      return layer(h)

    return encode, factors

  follows(build, lambda factors: factors.update(factor=5.0))


def test_the_method_of_a_users_layer():
  class Twice(tf.keras.layers.Layer):
    def call(self, x):
      return x * 2.0

  def build():
    made = type("Made", (Twice,), {})
    return with_layer(made)()

  def method(layer):
    type(layer).call = lambda self, x: x * 5.0

  follows(build, method)


def test_training_does_not_convert_again():
  build = with_layer(lambda: tf.keras.Sequential([dense(), tf.keras.layers.BatchNormalization()]))
  encode, model = build()
  model.compile("sgd", "mse")
  f = rtf.recursive(encode, strict=True)
  for _ in range(3):
    f(root())
    model.fit(np.ones([4, 4]), np.ones([4, 4]), verbose=0)
  assert f.stats.num_conversions == 1


def test_a_variable_is_another():
  def build():
    module = tf.Module()
    module.w = tf.Variable(2.0)
    module.parts = {"b": [tf.Variable(1.0)]}

    def encode(n):
      return module.w * tf.cast(n.v, tf.float32) + module.parts["b"][0] + sum(map(encode, n.kids))

    return encode, module

  def replace(module):
    module.w = tf.Variable(7.0)

  def replace_part(module):
    module.parts["b"][0] = tf.Variable(9.0)

  follows(build, replace, replace_part)


# --- Containers that a library gets as a whole


@pytest.mark.parametrize(
  "make, use",
  [
    (lambda: [1.0, 2.0], lambda c: tf.reduce_sum(c)),
    (lambda: [[1.0], [2.0]], lambda c: tf.reduce_sum(c[:])),
    (lambda: [[1.0], [2.0]], lambda c: tf.reduce_sum(c)),
    (lambda: ([1.0], [2.0]), lambda c: tf.reduce_sum(c)),
    (lambda: {"x": [1.0, 2.0]}, lambda c: tf.add_n(tf.nest.flatten(c))),
    (lambda: [np.ones(2, np.float32)] * 2, lambda c: tf.reduce_sum(tf.stack(c))),
    (lambda: [1.0, 2.0], lambda c: tf.reduce_max(input_tensor=c)),
    (lambda: [1.0, 2.0], lambda c: tf.stack(c)[0] + tf.constant(c)[1]),
    (lambda: [1.0, 2.0], lambda c: tf.cast(len(c), tf.float32) * max(c)),
  ],
)
def test_a_container_of_the_user_is_changed(make, use):
  def build():
    container = make()

    def encode(n):
      return use(container) * float(n.v) + sum(encode(k) for k in n.kids)

    return encode, container

  def change(container):
    if isinstance(container, dict):
      container["x"][0] = 5.0
    elif isinstance(container[0], (list, np.ndarray)):
      container[0][0] = 5.0
    else:
      container.append(7.0)

  follows(build, change)


def test_a_list_that_is_changed_and_handed_to_a_library():
  seen = []

  @rtf.recursive
  def total(n):
    seen.append(tf.cast(n.v, tf.float32))
    for k in n.kids:
      total(k)
    return tf.add_n(seen)

  assert total(root()).numpy() == 6.0
  assert total(root()).numpy() == 12.0 and len(seen) == 6
  assert total.stats.num_converted_runs == 2


def test_an_object_of_the_user_that_a_library_reads():
  class Value:
    def __init__(self):
      self.v = 2.0

    def __array__(self, dtype=None, copy=None):
      return np.array(self.v, dtype or np.float32)

  def build():
    value = Value()

    def encode(n):
      return tf.convert_to_tensor(value) * float(n.v) + sum(encode(k) for k in n.kids)

    return encode, value

  def change(value):
    value.v = 7.0

  follows(build, change)


def test_membership_in_a_nested_list():
  def build():
    known = [[1], [2]]
    wanted = [1]

    def total(n):
      return (10 if wanted in known else 0) + sum(total(k) for k in n.kids)

    return total, (known, wanted)

  follows(build, lambda both: both[0][0].append(2), lambda both: both[1].append(2))
