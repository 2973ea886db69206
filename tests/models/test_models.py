import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf import models
from recursive_tf._errors import ConfigError
from recursive_tf.datasets import PackedTrees, Tree, Vocabulary, synthetic_tree
from tests.models.oracle import Oracle
from tests.reference import assert_same

VOCABULARY = Vocabulary(f"w{k}" for k in range(8))
SMALL_LSTM = models.TreeLSTMConfig(
  embedding_size=5, state_size=3, embedding_range=0.5, dropout=0.0, batch_size=2
)
SMALL_RNN = models.TreeRNNConfig(state_size=4, embedding_stddev=0.5)
SMALL_RNTN = models.RNTNConfig(state_size=4, embedding_stddev=0.5)
MODELS = {
  "treelstm": (models.TreeLSTM, SMALL_LSTM),
  "treernn": (models.TreeRNN, SMALL_RNN),
  "rntn": (models.RNTN, SMALL_RNTN),
}
TREES = {
  "one_leaf": [Tree(3, "w1")],
  "few_labels": [
    Tree(-1, None, (Tree(-1, "w1"), Tree(1, None, (Tree(-1, "w2"), Tree(-1, "w3"))))),
    Tree(4, None, (Tree(-1, "w1"), Tree(-1, "w4"))),
  ],
  "neutral_root": [Tree(2, None, (Tree(4, "w1"), Tree(2, "w1")))],
  "mixed": [
    synthetic_tree(7, "random", 1, num_words=8),
    Tree(0, "unheard"),
    synthetic_tree(9, "linear", 2, num_words=8),
    synthetic_tree(6, "balanced", 3, num_words=8),
  ],
}
every_model = pytest.mark.parametrize("name", MODELS)


def make_model(name, task=models.FINE, dtype=tf.float64, **changes):
  model_class, config = MODELS[name]
  config = dataclasses.replace(config, **changes)
  model = model_class(VOCABULARY.size, config, task=task, seed=3, dtype=dtype)
  # Biases start at zero, which would hide a bias that is not used.
  for index, variable in enumerate(model.trainable_variables):
    noise = np.random.RandomState(index).uniform(-0.3, 0.3, variable.shape)
    variable.assign_add(tf.cast(noise, dtype))
  return model


def make_batch(trees):
  return PackedTrees.pack(trees, VOCABULARY).batch(range(len(trees)))


@pytest.mark.one_in(2)
@every_model
@pytest.mark.parametrize("task", [models.FINE, models.BINARY], ids=lambda task: task.name)
@pytest.mark.parametrize("trees", TREES.values(), ids=TREES)
def test_loss_gradients_and_counts_equal_the_oracle(name, task, trees, mode):
  model = make_model(name, task)
  variables = model.trainable_variables

  def compute(batch):
    with tf.GradientTape() as tape:
      loss, metrics = model.loss_and_metrics(batch)
    gradients = tape.gradient(loss, variables)
    return loss, metrics, [tf.convert_to_tensor(g) for g in gradients]

  loss, metrics, gradients = mode(compute)(make_batch(trees))
  with tf.GradientTape() as tape:
    oracle = Oracle(model, trees, VOCABULARY)
  expected = tape.gradient(oracle.loss, variables, unconnected_gradients="zero")

  assert_same(loss, oracle.loss)
  assert metrics.numpy()._asdict() == oracle.counts
  for gradient, value in zip(gradients, expected, strict=True):
    assert_same(gradient, tf.convert_to_tensor(value))


@every_model
def test_logits_of_the_roots_equal_the_oracle(name, mode):
  model = make_model(name)
  logits = mode(model.logits)(make_batch(TREES["mixed"]))
  assert_same(logits, tf.stack(Oracle(model, TREES["mixed"], VOCABULARY).logits))


@pytest.mark.one_in(2)
@every_model
@pytest.mark.parametrize("task", [models.FINE, models.BINARY], ids=lambda task: task.name)
def test_logits_of_all_nodes_equal_the_oracle(name, task, mode):
  model = make_model(name, task)
  logits = mode(model.node_logits)(make_batch(TREES["mixed"]))
  nodes = [node for tree in TREES["mixed"] for node in tree.post_order()]
  assert_same(logits, tf.stack(Oracle(model, nodes, VOCABULARY).logits))


@every_model
def test_float32_is_close_to_float64(name):
  batch = make_batch(TREES["mixed"])
  single, _ = make_model(name, dtype=tf.float32).loss_and_metrics(batch)
  double, _ = make_model(name).loss_and_metrics(batch)
  np.testing.assert_allclose(single, double, rtol=1e-5)


@every_model
def test_dropout_masks_each_nodes_h_before_the_softmax_layer_only(name):
  model = make_model(name, dropout=0.5)
  batch, seed = make_batch(TREES["mixed"]), tf.constant([7, 1])
  width = model.output_weights.shape[0]
  keep = tf.random.stateless_uniform([int(batch.num_nodes), width], seed) >= 0.5
  mask = 2.0 * tf.cast(keep, tf.float64)
  with tf.GradientTape() as tape:
    loss, _ = model.loss_and_metrics(batch, training=True, seed=seed)
  gradients = tape.gradient(loss, model.trainable_variables)
  with tf.GradientTape() as tape:
    oracle = Oracle(model, TREES["mixed"], VOCABULARY, mask)
  expected = tape.gradient(oracle.loss, model.trainable_variables)

  assert len(np.unique(mask, axis=0)) > 1
  assert_same(loss, oracle.loss)
  for gradient, value in zip(gradients, expected, strict=True):
    assert_same(tf.convert_to_tensor(gradient), tf.convert_to_tensor(value))


def test_dropout_depends_on_the_seed_and_is_off_in_evaluation():
  model, batch = make_model("treelstm", dropout=0.5), make_batch(TREES["mixed"])
  first, again, other = (
    float(model.loss_and_metrics(batch, training=True, seed=tf.constant([0, k]))[0])
    for k in (1, 1, 2)
  )
  assert first == again != other
  without, _ = make_model("treelstm").loss_and_metrics(batch)
  assert float(model.loss_and_metrics(batch)[0]) == float(without)


def test_dropout_without_a_seed_is_an_error():
  with pytest.raises(ConfigError, match="needs seed="):
    make_model("treelstm", dropout=0.5).loss_and_metrics(make_batch(TREES["mixed"]), training=True)


@every_model
def test_the_embeddings_gradient_has_one_row_a_leaf(name):
  model, trees = make_model(name), TREES["mixed"]
  with tf.GradientTape() as tape:
    loss, _ = model.loss_and_metrics(make_batch(trees))
  gradient = tape.gradient(loss, model.embedding)
  assert isinstance(gradient, tf.IndexedSlices)
  words = [word for tree in trees for word in tree.words()]
  assert sorted(gradient.indices.numpy()) == sorted(VOCABULARY.lookup(word) for word in words)


@every_model
def test_batches_of_all_sizes_share_one_trace(name):
  model = make_model(name)
  compute = tf.function(lambda batch: model.loss_and_metrics(batch)[0], autograph=False)
  for trees in TREES.values():
    compute(make_batch(trees))
  assert compute.experimental_get_tracing_count() == 1


@every_model
def test_initial_weights_depend_on_the_seed_alone(name):
  model_class, config = MODELS[name]
  first, same, other = (model_class(9, config, seed=seed).variables for seed in (1, 1, 2))
  for a, b in zip(first, same, strict=True):
    np.testing.assert_array_equal(a, b)
  assert any((a.numpy() != b.numpy()).any() for a, b in zip(first, other, strict=True))


@every_model
def test_parameter_groups_hold_every_variable_once(name):
  model = make_model(name)
  grouped = [v.ref() for group in model.parameter_groups() for v in group.variables]
  assert sorted(map(id, (r.deref() for r in grouped))) == sorted(map(id, model.variables))
  weight_decay = {v.name: group.l2 for group in model.parameter_groups() for v in group.variables}
  for variable in model.variables:
    is_weights = variable.shape.rank == 2 and variable is not model.embedding
    assert bool(weight_decay[variable.name]) == is_weights
