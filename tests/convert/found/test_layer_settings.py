"""What `Layer.__call__` goes by may change; lists that layers give are new each time."""

import keras
import pytest
import tensorflow as tf

import recursive_tf as rtf

_X = tf.ones([2, 4])


class _Own(keras.layers.Layer):
  """A layer of the user's with one of Keras' inside."""

  def __init__(self):
    super().__init__()
    self.inner = _dense()

  def build(self, shape):
    self.inner.build(shape)
    self.built = True

  def call(self, x):
    return self.inner(x)


def _dense():
  return keras.layers.Dense(3, kernel_initializer="ones")


def _model():
  model = keras.Sequential([_dense()])
  model.inner = model.layers[0]
  return model


def _penalize(layer):
  layer.activity_regularizer = keras.regularizers.L1(0.1)


def _halve(layer):
  layer.dtype_policy = keras.DTypePolicy("mixed_float16")


def _demand_axes(layer):
  layer.input_spec = keras.layers.InputSpec(ndim=3)


def _stop_casts(layer):
  layer.autocast = False


def _call(layer, x):
  return layer(x)


def _call_and_read(layer, x):
  y = layer(x)
  return y, layer.losses


def _read_sum(layer, x):
  y = layer(x)
  return tf.add_n([tf.reduce_sum(y), *layer.losses])


def _seen(function, layer):
  """Returns what a call gives or raises, and the losses that it leaves."""
  try:
    found = function(layer, _X)
  except ValueError as error:
    return type(error)
  flat = [tf.cast(each, tf.float32).numpy().tolist() for each in tf.nest.flatten(found)]
  return flat, [float(loss) for loss in layer.losses]


@pytest.mark.parametrize("function", [_call, _call_and_read, _read_sum])
@pytest.mark.parametrize("change", [_penalize, _halve, _demand_axes, _stop_casts])
@pytest.mark.parametrize("of_inner", [False, True])
@pytest.mark.parametrize("make", [_dense, _Own, _model])
def test_settings_that_change(make, of_inner, change, function):
  layers = make(), make()
  for layer in layers:
    layer(_X)
  converted = rtf.function(function, verify=0)
  for turn in range(3):
    if turn == 1:
      for layer in layers:
        change(getattr(layer, "inner", layer) if of_inner else layer)
    assert _seen(converted, layers[0]) == _seen(function, layers[1])


def test_losses_that_calls_outside_leave():
  layer = _dense()
  layer(_X)
  converted = rtf.function(lambda layer, x: x * tf.add_n([1.0, *layer.losses]), verify=0)
  for _ in range(3):
    _penalize(layer)
    found, expected = (f(layer, _X).numpy().tolist() for f in (converted, converted.python))
    assert found == expected
    layer(_X)
    found, expected = (f(layer, _X).numpy().tolist() for f in (converted, converted.python))
    assert found == expected


@pytest.mark.parametrize("name", ["trainable_variables", "weights", "losses", "layers"])
def test_lists_of_layers_are_new_each_time(name):
  model = _model()
  model(_X)

  def count(model, x):
    first = getattr(model, name)
    first.append(x)
    return len(first), len(getattr(model, name)), getattr(model, name)

  converted = rtf.function(count, verify=0)
  for _ in range(3):
    found, expected = converted(model, _X), count(model, _X)
    assert found[:2] == expected[:2]
    assert all(a is b for a, b in zip(found[2], expected[2], strict=True))
    found[2].append(0)
  assert converted.stats.num_converted_runs == 3
