import keras
import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
import recursive_tf.keras as rtf_keras
from tests.keras.models import (
  LABELS,
  NODES,
  TREES,
  Node,
  ObjectModel,
  cross_entropy,
  encode_plainly,
)


@pytest.fixture(scope="module")
def model():
  model = ObjectModel()
  model.compile(keras.optimizers.Adam(0.02), cross_entropy(), metrics=["accuracy"])
  model.fit(model.encoder.dataset(NODES, LABELS, 5), epochs=1, verbose=0)
  return model


def test_a_model_with_a_recursive_method_learns(model):
  data = model.encoder.dataset(NODES, LABELS, 5)
  history = model.fit(data, epochs=12, validation_data=data, verbose=0).history
  assert history["loss"][-1] < 0.8 * history["loss"][0]
  assert history["val_loss"][-1] < history["val_loss"][0]
  assert len(model.trainable_variables) == 5 and not model.jit_compile
  assert model.encode.stats.num_fallback_runs == 0


def test_values_are_those_of_plain_recursion_in_the_order_given(model):
  predicted = model.predict(model.encoder.dataset(NODES, batch_size=5, shuffle=False), verbose=0)
  states = [encode_plainly(tree, model.embedding, model.mix) for tree in TREES]
  kernel, bias = model.classify.get_weights()
  np.testing.assert_allclose(predicted, np.stack(states) @ kernel + bias, rtol=1e-4, atol=1e-5)


def test_objects_can_be_given_to_the_layer_itself(model):
  states = model.encoder(NODES[:3])
  np.testing.assert_array_equal(states, model.encoder(model.encoder.pack(NODES[:3])))
  np.testing.assert_array_equal(states, model.encoder(model.encode.pack(NODES[:3])))


def test_each_pass_is_in_another_order_that_the_seed_decides(model):
  def orders(seed):
    data = model.encoder.dataset(NODES, np.arange(len(NODES)), 5, seed=seed)
    return [np.concatenate([targets for _, targets in data]).tolist() for _ in range(2)]

  first, second = orders(1)
  assert sorted(first) == list(range(len(NODES))) and first != second
  assert orders(1) == [first, second] and orders(2)[0] != first
  assert len(model.encoder.dataset(NODES, batch_size=5)) == 3


def test_outside_of_its_model_the_layer_has_the_models_weights():
  model = ObjectModel()
  layer = rtf_keras.Recursive(model.encode)
  assert layer(NODES[:2]).shape == (2, 1, 4)
  assert {id(v) for v in layer.trainable_variables} == {
    id(v) for v in [*model.embedding.weights, *model.mix.weights]
  }


def test_a_plain_function_under_the_decorator_is_a_layer():
  scale = tf.Variable(2.0, name="scale")

  @rtf.recursive(strict=True)
  def total(node):
    if node.left is None:
      return scale * float(node.word)
    return total(node.left) + total(node.right)

  trees = [Node(3), Node(0, Node(1), Node(0, Node(2), Node(3)))]
  with pytest.raises(rtf.DefinitionError, match="variables="):
    rtf_keras.Recursive(total)(trees)
  layer = rtf_keras.Recursive(total, variables=[scale])
  np.testing.assert_allclose(layer(trees), [6, 12])
  columns = tuple(keras.Input(spec.shape[1:], dtype=spec.dtype.name) for spec in layer.specs)
  model = keras.Model(columns, layer(columns))
  model.compile(keras.optimizers.SGD(0.02), "mse")
  history = model.fit(layer.dataset(trees, [3.0, 6.0], 2), epochs=12, verbose=0).history
  assert history["loss"][-1] < 1e-2
  np.testing.assert_allclose(scale, 1.0, atol=0.1)


def test_no_objects_and_wrong_targets_are_refused(model):
  with pytest.raises(rtf.DataError, match="no objects"):
    model.encoder.dataset([])
  with pytest.raises(rtf.DataError, match="no objects"):
    model.encoder.pack([])
  with pytest.raises(rtf.DataError, match="12 objects, but 2 targets"):
    model.encoder.dataset(NODES, [1, 2])
  with pytest.raises(rtf.DataError, match="batch_size must be at least 1, got 0"):
    model.encoder.dataset(NODES, batch_size=0)


def test_objects_of_another_kind_need_adapting():
  class Other(Node):
    """Another class, which the program has not seen."""

  @rtf.recursive
  def count(node):
    if node.left is None:
      return tf.constant(1.0)
    return count(node.left) + count(node.right)

  layer = rtf_keras.Recursive(count)
  with pytest.raises(rtf.DefinitionError, match="no program yet.*adapt"):
    _ = layer.specs
  trees = [Node(0, Node(), Node()), Other(0, Other(), Node())]
  layer.adapt(trees[:1])
  with pytest.raises(rtf.DataError, match="object 0 of 1, an Other.*call `adapt` with"):
    layer.pack(trees[1:])
  layer.adapt(trees)
  np.testing.assert_array_equal(layer(trees), [2, 2])
