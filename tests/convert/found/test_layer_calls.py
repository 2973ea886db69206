"""Layers of Keras do in a converted program what `Layer.__call__` does, or it is refused."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, root

layers = tf.keras.layers


class Doubling(layers.Layer):
  """Gives another result in training, which it may be told by the layer around it."""

  def build(self, shape):
    self.built = True

  def call(self, x, training=None):
    return x * 2.0 if training else x + 1.0


class Around(layers.Layer):
  """Calls another layer without a word about training."""

  def __init__(self, inner):
    super().__init__()
    self.inner = inner

  def build(self, shape):
    self.inner.build(shape)
    self.built = True

  def call(self, x, training=None):
    return self.inner(x)


class Plainly(layers.Layer):
  """Computes in the type of its own weights."""

  def build(self, shape):
    self.built = True

  def call(self, x):
    return x * 3.0


def built(layer, size=4):
  """Returns a layer with its weights."""
  layer(tf.ones([1, size]))
  return layer


def encoding(layer, **kwargs):
  """Returns a plain program that adds up a tree and calls a layer at each node."""

  def encode(n):
    h = tf.fill([1, 4], tf.cast(n.v, tf.float32)) + tf.range(4.0)
    for k in n.kids:
      h = h + tf.cast(encode(k), tf.float32)
    return layer(h, **kwargs)

  return encode


def check(make, expect=CONVERTED, **kwargs):
  """Compares two calls of such a program; the layer's losses are compared, too."""

  def build(recursive):
    tf.keras.utils.set_random_seed(1)
    layer = make()

    @recursive
    def encode(n):
      h = tf.fill([1, 4], tf.cast(n.v, tf.float32)) + tf.range(4.0)
      for k in n.kids:
        h = h + tf.cast(encode(k), tf.float32)
      return layer(h, **kwargs)

    return encode, [layer]

  return agrees(build, lambda: [(root(),), (root(),)], expect)


# --- Training


@pytest.mark.parametrize("training", [True, False, None])
def test_a_layer_inside_is_told_by_the_layer_around_it(training):
  check(lambda: built(Around(Doubling())), training=training)
  check(lambda: built(Around(Around(Doubling()))), None, training=training)


def test_a_library_layer_inside_is_told_by_the_layer_around_it():
  make = lambda: built(Around(layers.BatchNormalization()))  # noqa: E731
  check(make, Reason.STATEFUL_OP, training=True)
  check(make, CONVERTED, training=False)


@pytest.mark.parametrize("make", [Doubling, lambda: Around(Doubling())])
def test_training_of_a_call_around_the_program_changes_between_calls(make):
  layer = built(make())
  plain = encoding(layer)
  f = rtf.recursive(plain, verify=False)

  class Host(layers.Layer):
    def call(self, x, training=None):
      return self.program(root())

  hosts = Host(), Host()
  hosts[0].program, hosts[1].program = plain, f
  for training in (None, True, False, True, None):
    expected, got = (host(tf.ones([1]), training=training).numpy() for host in hosts)
    np.testing.assert_allclose(got, expected)
  assert f.stats.num_converted_runs == 5, f.explain()
  assert f.stats.num_conversions <= 3  # One for each.


def test_a_layer_that_trains_and_calls_a_recursive_function_is_refused():
  def build(recursive):
    inner = built(Doubling())

    class Visiting(layers.Layer):
      def call(self, x, node=None, training=None):
        return x + sum([visit(k) for k in node.kids], tf.zeros([1, 4])) + inner(x)

    outer = Visiting()
    outer.built = True

    @recursive
    def visit(n):
      return outer(tf.fill([1, 4], float(n.v)), node=n, training=True)

    return visit

  agrees(build, lambda: [(root(),), (root(),)], Reason.OPAQUE_CALL)


# --- Inputs


def test_inputs_are_cast_to_the_type_of_the_layer():
  check(lambda: built(Plainly(dtype="float16")))
  check(lambda: built(Plainly(dtype="float64")))


def test_arrays_are_inputs():
  def build(recursive):
    layer = built(Plainly())

    @recursive
    def encode(n):
      h = layer(np.ones([1, 4]) * 3.0)
      for k in n.kids:
        h = h + encode(k)
      return h

    return encode

  agrees(build, lambda: [(root(),), (root(),)], CONVERTED)


@pytest.mark.parametrize("what", [lambda n: n.v, lambda n: n, lambda n: [1.0, n.v]])
def test_what_is_no_tensor_raises(what):
  def build(recursive):
    layer = built(Plainly())

    @recursive
    def encode(n):
      if n.v < 3:
        return tf.zeros([1, 4]) + sum([encode(k) for k in n.kids])
      return layer(what(n))

    return encode

  found = rtf.recursive(build(lambda f: f), verify=False)
  for _ in range(2):
    with pytest.raises(ValueError, match="Only input tensors"):
      found(root())


# --- What a call leaves in the layer


class WithLoss(layers.Layer):
  def call(self, x):
    self.add_loss(tf.reduce_sum(x))
    return x


@pytest.mark.parametrize(
  "make",
  [
    lambda: built(WithLoss()),
    lambda: built(layers.Dense(4, activity_regularizer="l2")),
    lambda: built(tf.keras.Sequential([layers.Dense(4, activity_regularizer="l2")])),
    lambda: built(tf.keras.Sequential([WithLoss()])),
  ],
)
def test_layers_that_add_losses_are_refused(make):
  layer = make()
  f = rtf.recursive(encoding(layer), verify=False)
  expected = f.python(root())
  losses = [float(loss) for loss in layer.losses]
  np.testing.assert_allclose(f(root()), expected)
  assert [float(loss) for loss in layer.losses] == losses
  assert f.stats.fallbacks == {Reason.OPAQUE_CALL: 1}


class Counting(layers.Layer):
  """Counts its calls, in Python."""

  def __init__(self):
    super().__init__()
    self.seen = {"calls": 0}

  def call(self, x):
    self.seen["calls"] += 1
    return x * 2.0


def test_a_users_layer_with_effects_inside_a_librarys_layer_is_refused():
  counting = Counting()
  model = built(tf.keras.Sequential([counting, layers.ReLU()]))
  before = counting.seen["calls"]
  f = rtf.recursive(encoding(model), verify=False)
  f(root())
  assert counting.seen["calls"] == before + 3
  assert f.stats.fallbacks == {Reason.OPAQUE_CALL: 1}


def test_a_users_layer_without_effects_inside_a_librarys_layer_is_converted():
  check(lambda: built(tf.keras.Sequential([Plainly(), layers.Dense(4)])))


# --- Settings


def test_settings_of_keras_change_between_calls():
  def total(n):
    return tf.keras.config.epsilon() + sum([total(k) for k in n.kids])

  f = rtf.recursive(total, verify=False)
  try:
    for epsilon in (1e-7, 0.5, 1e-7):
      tf.keras.config.set_epsilon(epsilon)
      assert f(root()) == pytest.approx(total(root()), rel=1e-9)
  finally:
    tf.keras.config.set_epsilon(1e-7)
  assert f.stats.num_converted_runs == 3, f.explain()
