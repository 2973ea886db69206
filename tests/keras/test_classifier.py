import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
import recursive_tf.keras as rtf_keras
from recursive_tf import datasets, models
from recursive_tf.training.trainer import make_train_step
from tests.keras.models import PACKED, TREES, VOCABULARY

SMALL = {
  "TreeLSTM": models.TreeLSTMConfig(embedding_size=6, state_size=5, dropout=0.5, batch_size=5),
  "TreeRNN": models.TreeRNNConfig(state_size=5, dropout=0.5, batch_size=5),
  "RNTN": models.RNTNConfig(state_size=4, dropout=0.5, batch_size=5),
  "MVRNN": models.MVRNNConfig(state_size=4, rank=2, batch_size=5),
}
every_model = pytest.mark.parametrize("name", SMALL)
# What differs between models is their parameter groups, and what is saved: two kinds will do.
two_models = pytest.mark.parametrize("name", ["TreeLSTM", "RNTN"])
EMPTY = PACKED.select([])


def new_model(name="TreeLSTM", **options):
  return getattr(rtf_keras, name)(VOCABULARY.size, SMALL[name], seed=3, **options)


@two_models
def test_fit_takes_the_steps_of_the_trainer(name):
  epochs, steps = 2, 3
  net = getattr(models, name)(VOCABULARY.size, SMALL[name], seed=3)
  own = models.Adagrad(net.parameter_groups())
  train_step = make_train_step(net, own, epochs * steps, seed=3)
  losses, sizes = [], []
  batches = datasets.make_dataset(PACKED, 5, seed=3, epochs=epochs)
  for step, batch in enumerate(batches):
    loss, _ = train_step(batch, tf.constant(step, tf.int64))
    losses.append(float(loss))
    sizes.append(int(batch.num_trees))

  model = new_model(name)
  before = model.get_weights()
  model.compile(rtf_keras.Adagrad.of(model, num_steps=epochs * steps))
  history = model.fit(PACKED, epochs=epochs, verbose=0).history
  expected = [np.average(losses[k : k + steps], weights=sizes[k : k + steps]) for k in (0, steps)]
  np.testing.assert_allclose(history["loss"], expected, rtol=1e-5)
  moved = 0.0
  for variable, other in zip(model.net.trainable_variables, net.trainable_variables, strict=True):
    np.testing.assert_allclose(variable, other, rtol=1e-4, atol=1e-6)
  for variable, other in zip(model.get_weights(), before, strict=False):
    moved += np.abs(variable - other).max()
  assert moved > 0.01


@two_models
def test_evaluate_counts_as_the_model_does(name):
  model = new_model(name, task="fine")
  model.compile()
  found = model.evaluate(PACKED, verbose=0, return_dict=True)
  loss, counts = model.net.loss_and_metrics(PACKED.batch(range(len(PACKED))))
  np.testing.assert_allclose(found.pop("loss"), loss, rtol=1e-6)
  assert found == pytest.approx(counts.numpy().scores())
  assert found["node"] > 0


@every_model
def test_predictions_are_the_roots_probabilities_in_order(name):
  model = new_model(name)
  model.compile()
  expected = tf.nn.softmax(model.net.logits(PACKED.batch(range(len(PACKED)))))
  batches = datasets.make_dataset(PACKED, 5, shuffle=False)
  for given in (PACKED, batches):
    np.testing.assert_allclose(model.predict(given, verbose=0), expected, rtol=1e-5)
  np.testing.assert_allclose(model(PACKED.batch([4])), expected[4:5], rtol=1e-5)


@every_model
def test_a_saved_model_goes_on_as_if_it_had_not_been(name, tmp_path):
  model = new_model(name)
  model.compile()
  model.fit(PACKED, verbose=0)
  model.save(tmp_path / "model.keras")
  again = keras.models.load_model(tmp_path / "model.keras")
  assert type(again) is type(model) and again.net.config == SMALL[name]
  for other in (model, again):
    other.fit(PACKED, initial_epoch=1, epochs=2, verbose=0)
  for value, other in zip(again.get_weights(), model.get_weights(), strict=True):
    np.testing.assert_allclose(value, other, rtol=1e-5, atol=1e-7)
  assert int(again.optimizer.iterations) == 6


@every_model
def test_an_export_has_named_inputs(name, tmp_path):
  model = new_model(name)
  model.export(str(tmp_path / "model"), verbose=False)
  batch = PACKED.batch([2, 7])
  served = tf.saved_model.load(str(tmp_path / "model")).signatures["serving_default"]
  (found,) = served(root=batch.root, nodes=batch.nodes).values()
  np.testing.assert_allclose(found, model(batch), rtol=1e-6)


def test_any_optimizer_and_callbacks_and_validation_data():
  model = new_model("TreeRNN")
  model.compile(keras.optimizers.Adam(0.02))
  rates = keras.callbacks.LearningRateScheduler(lambda epoch: 0.02 / (1 + epoch))
  history = model.fit(
    PACKED,
    epochs=5,
    validation_data=PACKED,
    callbacks=[rates, keras.callbacks.TerminateOnNaN()],
    verbose=0,
  ).history
  assert history["val_loss"][-1] < history["val_loss"][0]
  assert {"root", "node", "binary_root", "val_node", "learning_rate"} < set(history)


def test_with_a_loss_it_learns_targets_at_the_roots():
  config = dataclasses.replace(SMALL["TreeRNN"], dropout=0.0, embedding_stddev=0.5)
  model = rtf_keras.TreeRNN(VOCABULARY.size, config, seed=3)
  model.compile(
    keras.optimizers.Adam(0.05), "sparse_categorical_crossentropy", metrics=["accuracy"]
  )
  history = model.fit(PACKED, epochs=12, verbose=0).history
  assert set(history) == {"loss", "accuracy"}
  assert history["loss"][-1] < 0.7 * history["loss"][0]
  pairs = datasets.make_dataset(PACKED, 5).map(rtf_keras.root_labels)
  found = model.evaluate(pairs, verbose=0, return_dict=True)
  labels = [tree.label for tree in TREES]
  accuracy = np.mean(model.predict(PACKED, verbose=0).argmax(1) == labels)
  np.testing.assert_allclose(found["accuracy"], accuracy, rtol=1e-6)


def test_an_encoder_is_part_of_a_larger_model(tmp_path):
  inputs = rtf_keras.tree_inputs()
  states = [new_model(name).encoder()(inputs) for name in SMALL]
  model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.concatenate(states)))
  model.compile("adam", "mse")
  pairs = datasets.make_dataset(PACKED, 5).map(rtf_keras.root_labels)
  before = model.get_weights()
  model.fit(pairs, verbose=0)
  assert all(np.any(a != b) for a, b in zip(before, model.get_weights(), strict=True))
  model.save(tmp_path / "model.keras")
  again = keras.models.load_model(tmp_path / "model.keras")
  batch = rtf_keras.as_inputs(PACKED.batch(range(5)))
  np.testing.assert_allclose(again(batch), model(batch), rtol=1e-6)


def test_a_model_that_was_trained_elsewhere_is_shared_not_copied():
  net = models.TreeLSTM(VOCABULARY.size, SMALL["TreeLSTM"], seed=1)
  model = rtf_keras.TreeLSTM.of(net)
  model.compile()
  model.fit(PACKED, verbose=0)
  np.testing.assert_allclose(model(PACKED.batch([0])), tf.nn.softmax(net.logits(PACKED.batch([0]))))
  with pytest.raises(rtf.ConfigError, match="expected a models.RNTN, got TreeLSTM"):
    rtf_keras.RNTN.of(net)


def test_layers_can_be_frozen():
  model = new_model("TreeRNN")
  (embedding,) = [v for v in model.trainable_variables if v.name == "embedding"]
  before = embedding.numpy()
  embedding.trainable = False
  model.compile()
  model.fit(PACKED, verbose=0)
  np.testing.assert_array_equal(embedding.numpy(), before)


def test_float64_is_computed_in_float64():
  model = new_model("TreeRNN", dtype="float64")
  model.compile()
  model.fit(PACKED, verbose=0)
  assert model(PACKED.batch([0])).dtype == tf.float64
  with pytest.raises(rtf.ConfigError, match="policy mixed_float16"):
    new_model(dtype="mixed_float16")


def test_data_without_trees_is_refused():
  model = new_model("TreeRNN")
  model.compile()
  empty = datasets.make_dataset(EMPTY, 5)
  for given in (EMPTY, empty):
    for method in (model.fit, model.evaluate, model.predict):
      with pytest.raises(rtf.DataError, match="no trees in the data"):
        method(given, verbose=0)
  with pytest.raises(rtf.DataError, match="no trees in the data"):
    model.fit(PACKED, validation_data=EMPTY, verbose=0)


def test_what_would_be_ignored_is_refused():
  model = new_model("TreeRNN")
  with pytest.raises(rtf.ConfigError, match="need targets"):
    model.compile(metrics=["accuracy"])
  model.compile()
  pairs = datasets.make_dataset(PACKED, 5).map(rtf_keras.root_labels)
  with pytest.raises(rtf.ConfigError, match="has targets or weights, but compile"):
    model.fit(pairs, verbose=0)
  with pytest.raises(rtf.ConfigError, match="expected a TreeRNNConfig"):
    rtf_keras.TreeRNN(5, SMALL["TreeLSTM"])
  with pytest.raises(rtf.ConfigError, match="'coarse' does not exist"):
    rtf_keras.TreeRNN(5, task="coarse")
  binary = new_model("TreeRNN", task="binary")
  binary.compile("adam", "sparse_categorical_crossentropy")
  with pytest.raises(rtf.ConfigError, match="neutral trees have none"):
    binary.fit(PACKED, verbose=0)


def test_rates_of_the_optimizer_are_checked_and_saved():
  with pytest.raises(rtf.ConfigError, match=r"rates\['w'\]"):
    rtf_keras.Adagrad(rates={"w": (-1, 0)})
  with pytest.raises(rtf.ConfigError, match="num_steps must be positive"):
    rtf_keras.LinearDecay(0)
  optimizer = rtf_keras.Adagrad(rtf_keras.LinearDecay(10), rates={"w": (0.5, 0.1)})
  again = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
  assert again.get_config() == optimizer.get_config()
  first, second = (keras.Variable([1.0], name="w") for _ in range(2))
  with pytest.raises(rtf.ConfigError, match="two variables have that name"):
    optimizer.build([first, second])
