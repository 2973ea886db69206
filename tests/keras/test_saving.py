"""Models in other processes: as .keras files, as weights, as programs for the kernels alone."""

import json
import os
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
import recursive_tf.keras as rtf_keras
from recursive_tf._ops import KERNELS_PATH
from tests.keras.models import (
  LABELS,
  NODES,
  PACKED,
  ObjectModel,
  cross_entropy,
  dataset,
  encode,
  functional,
  new_layers,
)

LOAD = """
import json, sys
import numpy as np
import keras
import recursive_tf.keras as rtf_keras
from tests.keras.models import NODES, PACKED, LABELS, dataset

functional = keras.models.load_model(sys.argv[1])
inputs = rtf_keras.as_inputs(PACKED.batch(range(4)))
found = [functional(inputs).numpy().tolist()]
functional.train_on_batch(inputs, LABELS[:4])
objects = keras.models.load_model(sys.argv[2])
data = objects.encoder.dataset(NODES, LABELS, 5, shuffle=False)
found.append(objects.predict(data, verbose=0)[:4].tolist())
print(json.dumps(found))
"""
SERVE = """
import json, sys
import tensorflow as tf
tf.load_op_library(sys.argv[1])
models = [tf.saved_model.load(path) for path in sys.argv[2:5]]
batches = [[tf.constant(part) for part in batch] for batch in json.loads(sys.argv[5])]
functional, objects, module = models
found = [functional.serve(tuple(batches[0])), objects.serve(tuple(batches[1]))]
found.append(tf.squeeze(module.encode_columns(*batches[1]), 1))
named = functional.signatures["serving_default"]
(by_name,) = named(root=batches[0][0], nodes=batches[0][1]).values()
assert "recursive_tf" not in sys.modules
print(json.dumps([value.numpy().tolist() for value in [*found, by_name]]))
"""


def run(script, *arguments, cwd):
  """Returns what a script printed in a process of its own."""
  done = subprocess.run(
    [sys.executable, "-c", script, *map(str, arguments)],
    capture_output=True,
    text=True,
    check=False,
    cwd=cwd,
  )
  assert done.returncode == 0, done.stderr[-3000:]
  return [np.array(value, np.float32) for value in json.loads(done.stdout.splitlines()[-1])]


@pytest.fixture(scope="module")
def functional_model():
  model = functional()
  model.compile("adam", cross_entropy())
  model.fit(dataset(), verbose=0)
  return model


@pytest.fixture(scope="module")
def object_model():
  model = ObjectModel()
  model.compile("adam", cross_entropy())
  model.fit(model.encoder.dataset(NODES, LABELS, 5), verbose=0)
  return model


@pytest.fixture(scope="module")
def expected(functional_model, object_model):
  inputs = rtf_keras.as_inputs(PACKED.batch(range(4)))
  return functional_model(inputs), object_model(object_model.encoder.pack(NODES[:4]))


@pytest.mark.slow  # Loading in this process is tested all the time.
def test_keras_files_load_and_train_on_in_a_new_process(
  functional_model, object_model, expected, tmp_path, repository
):
  paths = [tmp_path / "functional.keras", tmp_path / "objects.keras"]
  functional_model.save(paths[0])
  object_model.save(paths[1])
  found = run(LOAD, *paths, cwd=repository)
  for value, other in zip(found, expected, strict=True):
    np.testing.assert_allclose(value, other, rtol=1e-5, atol=1e-6)


def test_programs_run_where_there_are_only_the_kernels(
  functional_model, object_model, expected, tmp_path
):
  module = tf.Module()
  module.model = object_model
  module.encode_columns = object_model.encoder.program()
  paths = [str(tmp_path / name) for name in ("functional", "objects", "module")]
  functional_model.export(paths[0], verbose=False)
  object_model.export(paths[1], verbose=False)
  tf.saved_model.save(module, paths[2])
  batches = (
    rtf_keras.as_inputs(PACKED.batch(range(4))),
    object_model.encoder.pack(NODES[:4]),
  )
  text = json.dumps([[part.numpy().tolist() for part in batch] for batch in batches])
  served, objects, states, by_name = run(SERVE, KERNELS_PATH, *paths, text, cwd=tmp_path)
  np.testing.assert_allclose(served, expected[0], rtol=1e-5, atol=1e-6)
  np.testing.assert_allclose(by_name, expected[0], rtol=1e-5, atol=1e-6)
  np.testing.assert_allclose(objects, expected[1], rtol=1e-5, atol=1e-6)
  own = tf.squeeze(object_model.encoder(NODES[:4]), 1)
  np.testing.assert_allclose(states, own, rtol=1e-5, atol=1e-6)


def test_weights_are_saved_and_loaded_by_themselves(functional_model, expected, tmp_path):
  path = tmp_path / "model.weights.h5"
  functional_model.save_weights(path)
  again = functional()
  inputs = rtf_keras.as_inputs(PACKED.batch(range(4)))
  assert np.abs(again(inputs) - expected[0]).max() > 1e-3
  again.load_weights(path)
  np.testing.assert_array_equal(again(inputs), expected[0])


def test_a_layer_of_ones_own_is_saved_with_what_its_layers_were_built_for(tmp_path):
  @keras.saving.register_keras_serializable("rtf_tests")
  class Encoder(rtf_keras.Layer):
    def __init__(self, **kwargs):
      super().__init__(**kwargs)
      self.parts = list(new_layers().values())

    def call(self, inputs):
      return encode(inputs, embedding=self.parts[0], mix=self.parts[1])

  inputs = rtf_keras.tree_inputs()
  model = keras.Model(inputs, Encoder()(inputs))
  model.save(tmp_path / "model.keras")
  again = keras.models.load_model(tmp_path / "model.keras")
  batch = rtf_keras.as_inputs(PACKED.batch([1, 2]))
  np.testing.assert_array_equal(again(batch), model(batch))


def unregistered(inputs):
  return encode(inputs, **new_layers())


def subgraph():
  with rtf.SubGraph("double") as f:
    x = f.input(tf.float32)
    f.output(2.0 * x)
  return f


@pytest.mark.parametrize(
  ("make", "reason"),
  [
    (lambda: rtf_keras.Recursive(unregistered), "'?unregistered'? is not registered"),
    (lambda: rtf_keras.Recursive(lambda x: x), "is not registered"),
    (lambda: rtf_keras.Recursive(subgraph()), "made of a SubGraph"),
    (lambda: rtf_keras.Recursive(encode, layers=[keras.layers.Dense(1)]), "passed to it by name"),
    (lambda: rtf_keras.Recursive(encode, variables=[tf.Variable(1.0)]), "passed to it by name"),
    (lambda: rtf_keras.Recursive(ObjectModel().encode), "rtf.keras.Model"),
  ],
)
def test_saving_says_what_could_not_be_loaded(make, reason):
  with pytest.raises(rtf.DefinitionError, match=f"cannot be saved with `model.save`.*{reason}"):
    keras.saving.serialize_keras_object(make())


class Refused(rtf_keras.Model):
  """A model that cannot be saved: its layer's function is not registered."""

  def __init__(self):
    super().__init__()
    self.encoder = rtf_keras.Recursive(unregistered)
    self.head = keras.layers.Dense(2)

  def call(self, inputs):
    return self.head(inputs)

  def get_config(self):
    return {"encoder": self.encoder.get_config()}


def test_a_model_that_is_refused_leaves_the_file_that_was_there(tmp_path):
  path = tmp_path / "model.keras"
  model = Refused()
  model(tf.ones([1, 3]))
  for before in (None, b"a model"):
    if before is not None:
      path.write_bytes(before)
    with pytest.raises(rtf.DefinitionError, match="is not registered"):
      model.save(path)
    assert (path.read_bytes() if path.exists() else None) == before
    assert list(tmp_path.iterdir()) == ([path] if before else [])


def test_a_function_missing_where_it_is_loaded_is_named(tmp_path):
  config = rtf_keras.Recursive(encode, layers=new_layers()).get_config()
  with pytest.raises(rtf.DefinitionError, match="'rtf_tests>gone'.*import the module"):
    rtf_keras.Recursive.from_config({**config, "function": "rtf_tests>gone"})


def test_a_program_that_calls_python_is_not_saved(tmp_path):
  def with_python(x):
    with rtf.SubGraph("python") as f:
      y = f.input(tf.float32, [2])
      f.output(tf.ensure_shape(tf.numpy_function(np.sin, [y], tf.float32), [2]))
    return f.map(x)

  inputs = keras.Input([2])
  model = keras.Model(inputs, rtf_keras.Recursive(with_python)(inputs))
  path = str(tmp_path / "model")
  for save in (lambda: model.export(path, verbose=False), lambda: tf.saved_model.save(model, path)):
    with pytest.raises(rtf.DefinitionError, match="cannot be saved as a program.*calls Python"):
      save()
    assert not os.path.exists(os.path.join(path, "saved_model.pb"))
