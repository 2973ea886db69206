"""Saving models that call SubGraphs, and loading them in a new process by every loader."""

import json
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf._ops import KERNELS_PATH

WIDTH = 3
TREE = tf.TensorSpec([None, 2], tf.int32)


class TreeModel(tf.Module):
  """Encodes a binary tree: node i has the children children[i], leaves have -1."""

  def __init__(self):
    super().__init__()
    self.embedding = tf.Variable(tf.random.stateless_normal([5, WIDTH], [1, 2]))
    self.weight = tf.Variable(tf.random.stateless_normal([WIDTH, WIDTH], [3, 4]))
    self.bias = tf.Variable(tf.random.stateless_normal([WIDTH], [5, 6]))
    self.names = tf.lookup.StaticHashTable(
      tf.lookup.KeyValueTensorInitializer([0, 1, 2], [2, 4, 3], tf.int32, tf.int32), 0
    )

  @tf.function(input_signature=[TREE, tf.TensorSpec([None], tf.int32)])
  def __call__(self, children, words):
    with rtf.SubGraph("encode") as f:
      i = f.input(tf.int32)

      def leaf():
        return tf.nn.embedding_lookup(self.embedding, [self.names.lookup(words[i])])

      def inner():
        left, right = f(children[i, 0]), f(children[i, 1])
        return tf.tanh((left + 2.0 * right) @ self.weight + self.bias)

      f.output(tf.cond(children[i, 0] < 0, leaf, inner))
    return f(0)

  @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
  def totals(self, ns):
    even = rtf.SubGraph("even", outputs=tf.TensorSpec([], tf.float32))
    odd = rtf.SubGraph("odd", outputs=tf.TensorSpec([], tf.float32))
    with even:
      n = even.input(tf.int32)
      even.output(tf.cond(n == 0, lambda: 0.0, lambda: self.bias[0] + odd(n - 1)))
    with odd:
      n = odd.input(tf.int32)
      odd.output(tf.cond(n == 0, lambda: 1.0, lambda: self.bias[1] * even(n - 1)))
    return even.map(ns)


CHILDREN = [[1, 2], [3, 4], [-1, -1], [-1, -1], [-1, -1]]
WORDS = [0, 0, 1, 2, 0]
NUMBERS = [0, 1, 2, 5, 8]

LOAD = """
import json, sys
import tensorflow as tf
{register}
model = tf.saved_model.load(sys.argv[1])
children, words, numbers = map(tf.constant, json.loads(sys.argv[2]))

def step():
  with tf.GradientTape() as tape:
    y = model(children, words)
    loss = tf.reduce_sum(y) + tf.reduce_sum(model.totals(numbers))
  gradients = tape.gradient(loss, [model.embedding, model.weight, model.bias])
  is_sparse = isinstance(gradients[0], tf.IndexedSlices)
  return y, model.totals(numbers), *map(tf.convert_to_tensor, gradients), is_sparse

run = tf.function(step) if sys.argv[3] == "function" else step
signature = model.signatures["serving_default"](children=children, words=words)
values = [v.numpy().tolist() if hasattr(v, "numpy") else v for v in run()]
print(json.dumps(values + [v.numpy().tolist() for v in signature.values()]))
"""

SESSION = """
import json, sys
import tensorflow as tf
{register}
children, words, numbers = json.loads(sys.argv[2])
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
  meta = tf.compat.v1.saved_model.loader.load(session, ["serve"], sys.argv[1])
  signature = meta.signature_def["serving_default"]
  feeds = {{
    signature.inputs["children"].name: children, signature.inputs["words"].name: words
  }}
  (output,) = signature.outputs.values()
  values = session.run(output.name, feeds)
print(json.dumps([values.tolist()]))
"""


def run_script(script, *args):
  """Runs a script in a new process and returns what it printed, or its error."""
  process = subprocess.run(
    [sys.executable, "-c", script, *map(str, args)], capture_output=True, text=True, check=False
  )
  if process.returncode:
    return process.stderr
  return json.loads(process.stdout)


@pytest.fixture(scope="module")
def model():
  return TreeModel()


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
  path = str(tmp_path_factory.mktemp("saved") / "model")
  tf.saved_model.save(model, path, signatures=model.__call__)
  return path


@pytest.fixture(scope="module")
def inputs():
  return json.dumps([CHILDREN, WORDS, NUMBERS])


@pytest.fixture(scope="module")
def expected(model):
  with tf.GradientTape() as tape:
    y = model(tf.constant(CHILDREN), tf.constant(WORDS))
    totals = model.totals(tf.constant(NUMBERS))
    loss = tf.reduce_sum(y) + tf.reduce_sum(totals)
  gradients = tape.gradient(loss, [model.embedding, model.weight, model.bias])
  return [v.numpy() for v in (y, totals, *map(tf.convert_to_tensor, gradients))]


@pytest.mark.parametrize("mode", ["eager", "function"])
def test_a_loaded_module_has_the_same_results_and_gradients(mode, saved, inputs, expected):
  script = LOAD.format(register="import recursive_tf")
  values = run_script(script, saved, inputs, mode)
  assert isinstance(values, list), values[-3000:]
  *loaded, is_sparse, signature = values
  assert is_sparse
  for a, e in zip(loaded, expected, strict=True):
    np.testing.assert_allclose(a, e, rtol=1e-6, atol=1e-6)
  np.testing.assert_allclose(signature, expected[0], rtol=1e-6, atol=1e-6)
  assert np.abs(expected[2]).max() > 1e-3 and np.abs(expected[4]).max() > 1e-3


def test_the_session_loader_needs_the_op_library_only(saved, inputs, expected):
  register = f"tf.load_op_library({str(KERNELS_PATH)!r})"
  values = run_script(SESSION.format(register=register), saved, inputs)
  assert isinstance(values, list), values[-3000:]
  np.testing.assert_allclose(values[0], expected[0], rtol=1e-6, atol=1e-6)


def test_the_session_loader_works_after_the_import(saved, inputs, expected):
  values = run_script(SESSION.format(register="import recursive_tf"), saved, inputs)
  assert isinstance(values, list), values[-3000:]
  np.testing.assert_allclose(values[0], expected[0], rtol=1e-6, atol=1e-6)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("script", [LOAD, SESSION], ids=["load", "session"])
def test_loading_without_the_kernels_names_the_package_to_import(script, saved, inputs):
  message = run_script(script.format(register=""), saved, inputs, "eager")
  assert isinstance(message, str), "loaded without the kernels"
  assert "RecursiveTf>" in message
  last = message.strip().splitlines()
  assert any("Op type not registered 'RecursiveTf>" in line for line in last), message[-2000:]


def test_a_loaded_module_can_be_trained_on_and_saved_again(model, saved, tmp_path):
  loaded = tf.saved_model.load(saved)
  children, words = tf.constant(CHILDREN), tf.constant(WORDS)
  before = loaded(children, words).numpy()

  @tf.function
  def step():
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(loaded(children, words))
    loaded.weight.assign_sub(0.1 * tape.gradient(loss, loaded.weight))
    return loss

  losses = [step().numpy() for _ in range(5)]
  assert losses[-1] < losses[0]
  again = str(tmp_path / "again")
  tf.saved_model.save(loaded, again)
  twice = tf.saved_model.load(again)
  np.testing.assert_allclose(twice(children, words), loaded(children, words), rtol=1e-6, atol=1e-6)
  assert np.abs(twice(children, words).numpy() - before).max() > 1e-4


def test_several_calls_of_a_loaded_model_do_not_mix(saved, expected):
  one, two = tf.saved_model.load(saved), tf.saved_model.load(saved)
  two.bias.assign(two.bias + 1.0)
  children, words = tf.constant(CHILDREN), tf.constant(WORDS)
  np.testing.assert_allclose(one(children, words), expected[0], rtol=1e-6, atol=1e-6)
  assert np.abs(two(children, words).numpy() - expected[0]).max() > 1e-3


def test_a_loaded_body_and_one_of_this_process_may_have_the_same_key(saved, inputs, expected):
  script = """
import recursive_tf as rtf
with rtf.SubGraph("encode") as f:  # The saved body was the first of its process, as this one is.
  x = f.input(tf.float32)
  f.output(x * x)
x = tf.constant(3.0)
with tf.GradientTape() as tape:
  tape.watch(x)
  y = f(x)
assert tape.gradient(y, x).numpy() == 6
"""
  values = run_script(LOAD.format(register=script), saved, inputs, "eager")
  assert isinstance(values, list), values[-3000:]
  np.testing.assert_allclose(values[0], expected[0], rtol=1e-6, atol=1e-6)
  np.testing.assert_allclose(values[3], expected[3], rtol=1e-6, atol=1e-6)


def test_two_loads_of_one_model_are_differentiated_apart(saved, expected):
  one, two = tf.saved_model.load(saved), tf.saved_model.load(saved)
  children, words = tf.constant(CHILDREN), tf.constant(WORDS)
  for loaded in (one, two):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(loaded(children, words))
    gradient = tape.gradient(loss, loaded.weight)
    np.testing.assert_allclose(gradient, expected[3], rtol=1e-6, atol=1e-6)


def test_a_training_step_saves_with_its_gradient(model, tmp_path):
  class Trainer(tf.Module):
    def __init__(self):
      super().__init__()
      self.model = model

    @tf.function(input_signature=[TREE, tf.TensorSpec([None], tf.int32)])
    def gradient(self, children, words):
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum(self.model(children, words))
      return tape.gradient(loss, self.model.weight)

  trainer = Trainer()
  children, words = tf.constant(CHILDREN), tf.constant(WORDS)
  path = str(tmp_path / "trainer")
  tf.saved_model.save(trainer, path)
  loaded = tf.saved_model.load(path)
  np.testing.assert_allclose(
    loaded.gradient(children, words), trainer.gradient(children, words), rtol=1e-6, atol=1e-6
  )


def test_a_keras_model_exports_and_loads(tmp_path):
  class Encoder(tf.keras.layers.Layer):
    def __init__(self):
      super().__init__()
      self.dense = tf.keras.layers.Dense(2, activation="tanh")

    def build(self, shape):
      self.dense.build([None, 2])

    def call(self, x):
      with rtf.SubGraph("halve") as f:
        y, n = f.input(tf.float32, [None, 2]), f.input(tf.int32)
        f.output(tf.cond(n == 0, lambda: y, lambda: self.dense(f(y, n - 1))))
      return f(x, 3)

  model = tf.keras.Sequential([tf.keras.Input([2]), Encoder()])
  x = np.random.default_rng(0).normal(size=[4, 2]).astype(np.float32)
  expected = model(x).numpy()
  path = str(tmp_path / "keras")
  model.export(path, verbose=False)
  script = """
import json, sys
import tensorflow as tf
import recursive_tf
model = tf.saved_model.load(sys.argv[1])
print(json.dumps(model.serve(tf.constant(json.loads(sys.argv[2]))).numpy().tolist()))
"""
  values = run_script(script, path, json.dumps(x.tolist()))
  assert isinstance(values, list), values[-3000:]
  np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-6)


def test_a_keras_model_fits(mode):
  class Power(tf.keras.layers.Layer):
    def build(self, shape):
      self.scale = self.add_weight(shape=[], initializer="ones")

    def call(self, x):
      with rtf.SubGraph("power") as f:
        y, n = f.input(tf.float32, [None, 1]), f.input(tf.int32)
        f.output(tf.cond(n == 0, lambda: y, lambda: self.scale * f(y, n - 1)))
      return f(x, 2)

  model = tf.keras.Sequential([tf.keras.Input([1]), Power()])
  model.compile("sgd", "mse", run_eagerly=mode.is_eager)
  x = np.ones([64, 1], np.float32)
  history = model.fit(x, 4 * x, batch_size=16, epochs=12, verbose=0)
  assert history.history["loss"][-1] < 0.1 * history.history["loss"][0]
