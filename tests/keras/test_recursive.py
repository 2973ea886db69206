import keras
import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
import recursive_tf.keras as rtf_keras
from recursive_tf import datasets
from tests.keras.models import (
  PACKED,
  TREES,
  cross_entropy,
  dataset,
  encode,
  encode_plainly,
  functional,
  new_layers,
)


def dense_power(layer):
  with rtf.SubGraph("power") as f:
    n, x = f.input(tf.int32), f.input(tf.float32, [2])
    f.output(tf.cond(n <= 0, lambda: x, lambda: layer(f(n - 1, x)[tf.newaxis])[0]))
  return f


def test_values_are_those_of_plain_recursion(mode):
  layers = new_layers()
  layer = rtf_keras.Recursive(encode, layers=layers)
  batch = PACKED.batch(range(len(TREES)))
  states = mode(lambda inputs: layer(inputs))(rtf_keras.as_inputs(batch))
  expected = np.stack([encode_plainly(tree, **layers) for tree in TREES])
  np.testing.assert_allclose(states, expected, rtol=1e-5, atol=1e-6)
  np.testing.assert_array_equal(layer(batch), layer(rtf_keras.as_inputs(batch)))


def test_as_batch_is_the_inverse_of_as_inputs():
  batch = PACKED.batch([3, 0])
  again = rtf_keras.as_batch(rtf_keras.as_inputs(batch))
  for name in ("word", "label", "left", "right", "is_leaf", "root"):
    np.testing.assert_array_equal(getattr(again, name), getattr(batch, name))


@pytest.mark.parametrize("wrong", [tf.zeros([3]), (tf.zeros([3]), tf.zeros([3, 4])), ()])
def test_what_is_no_trees_is_refused_by_name(wrong):
  with pytest.raises(rtf.SignatureError, match="Trees were expected, got .*as_inputs"):
    rtf_keras.as_batch(wrong)


def test_a_functional_model_with_two_layers_learns():
  model = functional()
  assert len(model.trainable_variables) == 8
  model.compile(keras.optimizers.Adam(0.05), cross_entropy(), metrics=["accuracy"])
  stopped = keras.callbacks.EarlyStopping(monitor="loss", patience=2)
  history = model.fit(
    dataset(), epochs=8, validation_data=dataset(), callbacks=[stopped], verbose=0
  ).history
  assert history["loss"][-1] < 0.7 * history["loss"][0]
  assert history["val_loss"][-1] < history["val_loss"][0]
  predicted = model.predict(dataset(shuffle=False), verbose=0)
  labels = np.array([tree.label for tree in TREES])
  accuracy = np.mean(predicted.argmax(1) == labels)
  evaluated = model.evaluate(dataset(), verbose=0, return_dict=True)
  assert predicted.shape == (len(TREES), 5)
  np.testing.assert_allclose(evaluated["accuracy"], accuracy, rtol=1e-6)


def test_gradients_are_those_of_plain_recursion():
  layer = rtf_keras.Recursive(encode, layers=new_layers(dtype="float64"), dtype="float64")
  batch = PACKED.batch(range(4))
  assert layer(batch).dtype == tf.float64

  def loss():
    return tf.reduce_sum(tf.sin(layer(batch)))

  with tf.GradientTape() as tape:
    value = loss()
  variables = layer.trainable_variables
  gradients = tape.gradient(value, [variable.value for variable in variables])
  generator = np.random.default_rng(0)
  for variable, gradient in zip(variables, gradients, strict=True):
    direction = generator.normal(size=variable.shape)
    before = variable.numpy()
    sides = []
    for sign in (1, -1):
      variable.assign(before + sign * 1e-6 * direction)
      sides.append(float(loss()))
    variable.assign(before)
    expected = (sides[0] - sides[1]) / 2e-6
    found = np.sum(tf.convert_to_tensor(gradient).numpy() * direction)
    assert abs(expected) > 1e-3
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_float64_policy_reaches_states_and_weights():
  model = functional(1, dtype="float64")
  model.compile("adam", cross_entropy())
  model.fit(dataset(), verbose=0)
  assert model(rtf_keras.as_inputs(PACKED.batch([0]))).dtype == tf.float64
  assert {variable.dtype for variable in model.trainable_variables} == {"float64"}


@pytest.mark.slow
def test_run_eagerly_does_the_same_steps():
  weights = []
  for run_eagerly in (False, True):
    keras.utils.set_random_seed(1)
    model = functional(1)
    model.compile("sgd", cross_entropy(), run_eagerly=run_eagerly)
    model.fit(dataset(6), verbose=0)
    weights.append(model.get_weights())
  for compiled, eager in zip(*weights, strict=True):
    np.testing.assert_allclose(compiled, eager, rtol=1e-4, atol=1e-6)


def test_a_custom_train_step_and_a_subclassed_model():
  class Model(rtf_keras.Model):
    def __init__(self):
      super().__init__()
      self.encoder = rtf_keras.Recursive(encode, layers=new_layers())
      self.classify = keras.layers.Dense(5)

    def call(self, inputs):
      return self.classify(self.encoder(inputs))

    def train_step(self, data):
      inputs, labels = data
      with tf.GradientTape() as tape:
        loss = self.compute_loss(inputs, labels, self(inputs, training=True))
      self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
      return {"own_loss": loss}

  model = Model()
  model.compile("adam", cross_entropy())
  history = model.fit(dataset(), epochs=5, verbose=0).history["own_loss"]
  assert history[-1] < history[0]
  assert len(model.trainable_variables) == 5


def test_training_is_passed_to_functions_that_ask_for_it():
  def dropped(x, training, drop):
    with rtf.SubGraph("drop") as f:
      y = f.input(tf.float32, [100])
      f.output(drop(y, training=training))
    return f.map(x)

  layer = rtf_keras.Recursive(dropped, layers={"drop": keras.layers.Dropout(0.5)})
  x = tf.ones([2, 100])
  assert np.all(layer(x) == 1)
  assert 0 < np.count_nonzero(layer(x, training=True)) < 200


def test_a_subgraph_is_mapped_over_the_rows_of_its_inputs():
  dense = keras.layers.Dense(2, kernel_initializer="ones", use_bias=False)
  layer = rtf_keras.Recursive(dense_power(dense), layers=[dense])
  inputs = (keras.Input(shape=(), dtype="int32"), keras.Input(shape=(2,)))
  model = keras.Model(inputs, layer(inputs))
  assert model.output_shape == (None, 2)
  numbers, x = np.array([0, 1, 3], np.int32), np.ones([3, 2], np.float32)
  np.testing.assert_allclose(
    model.predict([numbers, x], verbose=0), [[1, 1], [2, 2], [8, 8]], rtol=1e-6
  )


def test_a_subgraph_function_is_a_layer():
  scale = tf.Variable(2.0, name="scale")

  @rtf.subgraph
  def power(n):
    if n <= 0:
      return 1.0
    return scale * power(n - 1)

  layer = rtf_keras.Recursive(power.map, variables=[scale])
  np.testing.assert_allclose(layer(tf.constant([0, 1, 3])), [1, 2, 8])
  (weight,) = layer.trainable_variables
  weight.assign(3.0)
  assert scale.numpy() == 3.0 and weight.path == "scale"


def test_a_module_brings_its_variables():
  class Module(tf.Module):
    def __init__(self):
      super().__init__()
      self.weight = tf.Variable([2.0, 3.0])

    def __call__(self, x):
      return dense_power(lambda y: y * self.weight).map(tf.ones([2], tf.int32), x)

  layer = rtf_keras.Recursive(Module().__call__)
  np.testing.assert_allclose(layer(tf.ones([2, 2])), [[2, 3], [2, 3]])
  assert len(layer.trainable_variables) == 1


@pytest.mark.parametrize("kind", ["layer", "built layer", "variable", "constant variable"])
def test_weights_that_the_layer_does_not_know_are_refused(kind):
  dense = keras.layers.Dense(2)
  if kind == "built layer":
    dense.build([None, 2])
  if kind.endswith("variable"):
    variable = tf.Variable(2.0, trainable=kind == "variable")
    dense = lambda x: variable * x  # noqa: E731
  power = dense_power(dense)
  layer = rtf_keras.Recursive(lambda x: power.map(tf.ones([3], tf.int32), x))
  with pytest.raises(rtf.DefinitionError, match=r"reads \d variable\(s\).* does not know.*layers="):
    layer(tf.ones([3, 2]))


def test_a_table_is_no_weight():
  table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer([0, 1], [5, 6], tf.int32, tf.int32), 0
  )
  with rtf.SubGraph("look") as f:
    n = f.input(tf.int32)
    f.output(table.lookup(n))
  assert rtf_keras.Recursive(lambda x: f.map(x))(tf.constant([1, 0])).numpy().tolist() == [6, 5]


def test_xla_is_left_off_where_keras_would_choose_it(monkeypatch):
  devices = [tf.config.PhysicalDevice(f"/physical_device:{d}:0", d) for d in ("CPU", "GPU")]
  monkeypatch.setattr(tf.config, "list_physical_devices", lambda kind=None: devices)
  plain = keras.Sequential([keras.Input([2]), keras.layers.Dense(1)])
  plain.compile("sgd", "mse")
  assert plain.jit_compile, "Keras chooses XLA otherwise now: this test shows nothing"
  model = functional(1)
  model.compile("sgd", cross_entropy(), jit_compile="auto")
  assert not model.jit_compile
  with pytest.warns(UserWarning, match="doesn't support `jit_compile=True`"):
    model.compile("sgd", cross_entropy(), jit_compile=True)


@pytest.mark.parametrize("function", [3, None, "encode"])
def test_what_is_no_function_is_refused(function):
  with pytest.raises(rtf.DefinitionError, match="expected a function or a SubGraph"):
    rtf_keras.Recursive(function)


def test_arguments_of_wrong_kinds_are_refused():
  with pytest.raises(rtf.DefinitionError, match="`layers` holds.*expected Keras layers"):
    rtf_keras.Recursive(encode, layers={"mix": tf.Variable(1.0)})
  with pytest.raises(rtf.DefinitionError, match="`variables` holds"):
    rtf_keras.Recursive(encode, variables=[keras.layers.Dense(1)])
  with pytest.raises(rtf.DefinitionError, match="over tensors: `dataset` is for @rtf.recursive"):
    rtf_keras.Recursive(encode).dataset([1])


def test_trees_of_mixed_sizes_share_one_trace():
  layer = rtf_keras.Recursive(encode, layers=new_layers())
  model = keras.Model(inputs := rtf_keras.tree_inputs(), layer(inputs))
  function = tf.function(lambda root, nodes: model((root, nodes)), reduce_retracing=True)
  sizes = sorted(range(len(TREES)), key=lambda t: TREES[t].num_nodes)
  for chosen in ([sizes[0]], [sizes[-1], sizes[0]], sizes):
    found = function(*rtf_keras.as_inputs(PACKED.batch(chosen)))
    assert found.shape == (len(chosen), 4)
  assert function.experimental_get_tracing_count() <= 2
  single = datasets.PackedTrees.pack(TREES[:1], datasets.Vocabulary.from_trees(TREES))
  assert layer(single.batch([0])).shape == (1, 4)
