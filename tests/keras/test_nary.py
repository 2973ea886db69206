import keras
import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
import recursive_tf.keras as rtf_keras
from recursive_tf import datasets, models
from tests.keras.models import TREES, VOCABULARY

PACKED = datasets.PackedNaryTrees.pack(TREES, VOCABULARY)
CONFIG = models.NaryTreeLSTMConfig(embedding_size=6, state_size=5)
every_layer = pytest.mark.parametrize("name", ["ChildSumTreeLSTM", "NaryTreeLSTM"])


def new_layer(name, **options):
  return getattr(rtf_keras, name)(VOCABULARY.size, CONFIG, seed=1, **options)


@pytest.mark.one_in(2)
@every_layer
def test_a_model_learns_and_is_saved(name, tmp_path):
  inputs = rtf_keras.nary_inputs()
  model = keras.Model(inputs, keras.layers.Dense(5)(new_layer(name)(inputs)))
  loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
  model.compile(keras.optimizers.Adam(0.05), loss, metrics=["accuracy"])
  data = datasets.make_dataset(PACKED, 5).map(rtf_keras.root_labels)
  history = model.fit(data, epochs=6, shuffle=False, verbose=0, validation_data=data).history
  assert history["loss"][-1] < 0.7 * history["loss"][0]
  found = model.predict(data, verbose=0)
  accuracy = model.evaluate(data, verbose=0, return_dict=True)["accuracy"]
  assert found.shape == (len(TREES), 5) and accuracy == history["val_accuracy"][-1]
  model.save(tmp_path / "model.keras")
  again = keras.models.load_model(tmp_path / "model.keras")
  batch = rtf_keras.as_inputs(PACKED.batch(range(4)))
  np.testing.assert_allclose(again(batch), model(batch), rtol=1e-6)
  model.export(str(tmp_path / "program"), verbose=False)
  served = tf.saved_model.load(str(tmp_path / "program")).signatures["serving_default"]
  (found,) = served(root=batch[0], nodes=batch[1], children=batch[2]).values()
  np.testing.assert_allclose(found, model(batch), rtol=1e-5)


@every_layer
def test_a_layer_computes_what_its_model_does(name):
  layer = new_layer(name, dtype="float64")
  batch = PACKED.batch([2, 0])
  found = layer(batch)
  np.testing.assert_allclose(found, layer.net.encode(batch), rtol=1e-12)
  assert found.dtype == tf.float64 and len(layer.trainable_variables) >= 4
  again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(layer))
  again.set_weights(layer.get_weights())
  np.testing.assert_allclose(again(batch), found, rtol=1e-12)


def test_wrong_inputs_and_policies_are_refused():
  with pytest.raises(rtf.SignatureError, match="any number of children were expected, got a tuple"):
    new_layer("ChildSumTreeLSTM")((tf.zeros([1], tf.int32), tf.zeros([1, 4], tf.int32)))
  with pytest.raises(rtf.ConfigError, match="policy mixed_float16"):
    new_layer("ChildSumTreeLSTM", dtype="mixed_float16")
