"""What libraries call behind variables and in lists of modules may change: it is compared."""

import keras
import pytest
import tensorflow as tf

import recursive_tf as rtf


class _Clip:
  def __init__(self, top):
    self.top = top

  def __call__(self, w):
    return tf.clip_by_value(w, -self.top, self.top)


class _Penalty:
  def __init__(self, rate):
    self.rate = rate

  def __call__(self, w):
    return self.rate * tf.reduce_sum(w * w)


class _Scale(keras.layers.Layer):
  def __init__(self, **options):
    super().__init__()
    self.k = self.add_weight(shape=(2,), initializer="ones", **options)
    self.built = True

  def call(self, x):
    return x * self.k


_X = tf.constant([1.0, 1.0])


def _train(layer, optimizer, x):
  with tf.GradientTape() as tape:
    loss = tf.reduce_sum(layer(x))
  variables = layer.trainable_variables
  optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
  return loss


def _agree(step, layer, optimizer):
  """Compares a step from the same weights with plain Python's."""
  found = []
  for function in (step, step.python):
    layer.k.assign([1.0, -2.0])
    function(layer, optimizer, _X)
    found.append(layer.k.numpy().tolist())
  assert found[0] == found[1]
  return found[0]


@pytest.mark.parametrize("make", [_Clip, lambda top: keras.constraints.MaxNorm(top, axis=0)])
def test_what_a_constraint_goes_by_changes(make):
  constraint = make(0.5)
  name = "top" if isinstance(constraint, _Clip) else "max_value"
  layer, optimizer = _Scale(constraint=constraint), keras.optimizers.SGD(0.1)
  optimizer.build(layer.trainable_variables)
  step = rtf.function(_train, strict=True, verify=False)
  seen = []
  for top in (0.5, 0.5, 0.25, 4.0):
    setattr(constraint, name, top)
    seen.append(_agree(step, layer, optimizer))
  assert seen[0] == seen[1] and seen[1] != seen[2] != seen[3]
  assert step.stats.num_fallback_runs == 0


def test_a_constraint_is_replaced():
  layer, optimizer = _Scale(constraint=_Clip(0.5)), keras.optimizers.SGD(0.1)
  optimizer.build(layer.trainable_variables)
  step = rtf.function(_train, strict=True, verify=False)
  assert _agree(step, layer, optimizer) == [0.5, -0.5]
  layer.k.constraint = None
  assert _agree(step, layer, optimizer) == pytest.approx([0.9, -2.1])
  layer.k.constraint = _Clip(0.25)
  assert _agree(step, layer, optimizer) == [0.25, -0.25]


def test_what_a_regularizer_goes_by_changes():
  penalty = _Penalty(0.5)
  layer = keras.layers.Dense(
    2, use_bias=False, kernel_initializer="ones", kernel_regularizer=penalty
  )
  layer.build((None, 2))

  @rtf.function(strict=True, verify=False)
  def loss(layer, x):
    return tf.reduce_sum(layer(x)) + tf.add_n(layer.losses)

  for rate in (0.5, 0.5, 2.0, 3.0):
    penalty.rate = rate
    assert float(loss(layer, _X[tf.newaxis])) == 4.0 + 4.0 * rate
  layer.kernel.regularizer = _Penalty(1.0)
  assert float(loss(layer, _X[tf.newaxis])) == 8.0


def test_a_constraint_of_a_variable_of_tensorflows():
  clip = _Clip(0.5)
  variable, optimizer = tf.Variable([1.0, -2.0], constraint=clip), keras.optimizers.SGD(0.1)
  optimizer.build([variable])

  @rtf.function(strict=True, verify=False)
  def step(optimizer, x):
    optimizer.apply_gradients([(x, variable)])

  for top in (0.5, 0.5, 0.25):
    clip.top = top
    variable.assign([1.0, -2.0])
    step(optimizer, _X)
    assert variable.numpy().tolist() == [top, -top]


class _Part:
  def __init__(self, rate):
    self.rate = rate


class _Parts(tf.Module):
  def __init__(self):
    super().__init__()
    self.several = [_Part(1.0), 2.0]
    self.pair = (_Part(1.0), tf.Variable(1.0))


class _Sum(keras.layers.Layer):
  def __init__(self, parts):
    super().__init__()
    self.parts, self.built = parts, True

  def call(self, x):
    return x * self.parts.several[0].rate + self.parts.several[1] + self.parts.pair[0].rate


def test_lists_and_tuples_of_a_module_that_a_library_is_handed():
  parts = _Parts()
  net = keras.Sequential([_Sum(parts)])
  x = tf.constant([[1.0]])
  net(x)
  run = rtf.function(lambda net, x: net(x), strict=True, verify=False)

  def changes():
    yield 4.0
    parts.several[0].rate = 5.0
    yield 8.0
    parts.several[1] = 7.0
    yield 13.0
    parts.several[0] = _Part(11.0)
    yield 19.0
    parts.pair[0].rate = 13.0
    yield 31.0

  for expected in changes():
    assert run(net, x).numpy().tolist() == [[expected]]
