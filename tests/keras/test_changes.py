"""Models that change between data sets, and objects that are wrong."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
import recursive_tf.keras as rtf_keras
from tests.keras.models import cross_entropy


class Tree:
  def __init__(self, word, *children):
    self.word, self.children = word, list(children)


class Scaled(rtf_keras.Model):
  """Reads a number, a flag and two layers of the model itself."""

  def __init__(self, num_mixes=1, **kwargs):
    super().__init__(**kwargs)
    self.scale, self.is_doubled = 1.0, False
    self.embedding = keras.layers.Embedding(8, 3)
    self.mixes = [keras.layers.Dense(3, activation="tanh") for _ in range(num_mixes)]
    self.classify = keras.layers.Dense(2)
    self.encoder = rtf_keras.Recursive(self.encode)

  @rtf.recursive(strict=True)
  def encode(self, node):
    state = self.embedding(tf.constant([node.word])) * self.scale
    if self.is_doubled:
      state = state * 2.0
    for child in node.children:
      state = state + self.encode(child)
      for mix in self.mixes:
        state = mix(state)
    return state

  def plainly(self, node):
    state = self.embedding.get_weights()[0][[node.word]] * self.scale
    state = state * 2.0 if self.is_doubled else state
    for child in node.children:
      state = state + self.plainly(child)
      for mix in self.mixes:
        kernel, bias = mix.get_weights()
        state = np.tanh(state @ kernel + bias)
    return state

  def call(self, inputs):
    return self.classify(tf.squeeze(self.encoder(inputs), 1))

  def expected(self, trees):
    kernel, bias = self.classify.get_weights()
    return np.concatenate([self.plainly(tree) for tree in trees]) @ kernel + bias


TREES = [Tree(1, Tree(2), Tree(3, Tree(4))), Tree(5), Tree(0, Tree(0, Tree(0)))]
LABELS = [0, 1, 0]


def fitted(num_mixes=1):
  model = Scaled(num_mixes)
  model.compile(keras.optimizers.SGD(0.1), cross_entropy())
  fit(model)
  return model


def fit(model, data=None):
  data = model.encoder.dataset(TREES, LABELS, 2) if data is None else data
  return model.fit(data, epochs=1, shuffle=False, verbose=0)


def check_predictions(model, trees=TREES):
  found = model.predict(model.encoder.dataset(trees, batch_size=2), verbose=0)
  np.testing.assert_allclose(found, model.expected(trees), rtol=1e-4, atol=1e-5)


def weights_of(layer):
  return [weight.copy() for weight in layer.get_weights()]


def moved(layer, before):
  return any((now != old).any() for now, old in zip(layer.get_weights(), before, strict=True))


def test_loaded_weights_are_those_of_the_next_data_set(tmp_path):
  model, path = fitted(), str(tmp_path / "a.weights.h5")
  model.save_weights(path)
  before = model.predict(model.encoder.dataset(TREES), verbose=0)
  fit(model)
  model.load_weights(path)
  np.testing.assert_array_equal(model.predict(model.encoder.dataset(TREES), verbose=0), before)
  fit(model)
  check_predictions(model)


def test_frozen_layers_stay_and_unfrozen_ones_learn_again():
  model = fitted()
  (mix,) = model.mixes
  data = model.encoder.dataset(TREES, LABELS, 2)
  for is_frozen in (True, False, True):
    mix.trainable = not is_frozen
    model.compile(keras.optimizers.SGD(0.1), cross_entropy())
    for each in (data, None):  # One that was made before, and a new one.
      frozen, others = weights_of(mix), weights_of(model.embedding)
      fit(model, each)
      assert moved(mix, frozen) is not is_frozen and moved(model.embedding, others)
  check_predictions(model)


@pytest.mark.slow
def test_layers_are_unfrozen_one_by_one():
  model = fitted(num_mixes=10)
  model.trainable = False
  for layer in [*model.mixes, model.embedding]:
    layer.trainable = True
    fit(model)
  check_predictions(model)


def test_graphs_are_kept_where_the_program_is_the_same():
  model = fitted()
  data = [model.encoder.dataset(TREES)]
  model.mixes[0].trainable = False
  data.append(model.encoder.dataset(TREES))
  assert data[0].element_spec == data[1].element_spec
  model.is_doubled = True
  data.append(model.encoder.dataset(TREES))
  assert data[2].element_spec != data[1].element_spec


@pytest.mark.one_in(3)
@pytest.mark.parametrize("change", [{"scale": 3.0}, {"is_doubled": True}, {"scale": -1.0}])
def test_attributes_that_the_program_reads_are_those_of_now(change, tmp_path):
  model = fitted()
  check_predictions(model)
  before = model.encoder.dataset(TREES)
  for name, value in change.items():
    setattr(model, name, value)
  check_predictions(model)
  fit(model)
  check_predictions(model)
  with pytest.raises(tf.errors.OpError, match="has changed since the data set was made"):
    model.predict(before, verbose=0)
  model.export(str(tmp_path / "program"), verbose=False)
  program = tf.saved_model.load(str(tmp_path / "program"))
  served = program.serve(model.encoder.pack(TREES))
  np.testing.assert_allclose(served, model.expected(TREES), rtol=1e-4, atol=1e-5)


def test_programs_whose_columns_look_alike_are_not_mistaken():
  class Left:
    def __init__(self, left):
      self.left = left

  class Right:
    def __init__(self, right):
      self.right = right

  @rtf.recursive(strict=True)
  def value(node):
    return tf.constant(float(node.left) if isinstance(node, Left) else -float(node.right))

  layer = rtf_keras.Recursive(value)
  run = tf.function(lambda columns: layer(columns))
  layer.adapt([Left(1)])
  columns = layer.pack([Left(2), Left(3)])
  np.testing.assert_array_equal(run(columns), [2, 3])
  layer.adapt([Right(1)])
  np.testing.assert_array_equal(run(layer.pack([Right(2), Right(3)])), [-2, -3])
  np.testing.assert_array_equal(run(columns), [2, 3])


WRONG = {
  "a string": (Tree(0, Tree("x")), r"object\.word, of a Tree, is 'x', a str"),
  "none": (Tree(None), r"object\.word, of a Tree, is None"),
  "a float": (Tree(1.5), r"object\.word, of a Tree, is 1\.5, a float"),
  "a large int": (Tree(2**40), r"is 1099511627776, which no int32 can be"),
  "another class": (object(), r"an object: it is of another class"),
  "no children": (Tree(1, 7), r"is 7, an int"),
}


def without(name):
  tree = Tree(1)
  delattr(tree, name)
  return tree


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", [*WRONG, "no word"])
def test_a_wrong_object_is_named_and_does_no_harm(case):
  wrong, text = WRONG.get(case) or (without("word"), r"there is no object\.word of a Tree")
  model = fitted()
  for _ in range(4):
    with pytest.raises(rtf.DataError, match=f"object 2 of 3.*{text}.*Mend the object"):
      model.encoder.pack([TREES[0], TREES[1], wrong])
  data = model.encoder.dataset([TREES[0], wrong], batch_size=1)
  with pytest.raises(tf.errors.OpError, match="does not read object 0 of 1"):
    model.predict(data, verbose=0)
  check_predictions(model)
  assert model.encode.stats.num_fallback_runs == 0
  check_predictions(fitted())


def test_good_objects_are_taken_after_wrong_ones_were_refused():
  model = Scaled()
  for _ in range(4):
    with pytest.raises((rtf.RecursiveTFError, TypeError, ValueError, tf.errors.OpError)):
      model.encoder.adapt([TREES[0], Tree(0, Tree("x"))])
  model.compile(keras.optimizers.SGD(0.1), cross_entropy())
  fit(model)
  check_predictions(model)


@pytest.mark.parametrize(
  "scales",
  [(2.0, 3), (3, 0.5), (2.0, True, 2), (2.0, np.float32(3)), (2.0, tf.constant(3.0), 1.5)],
  ids=str,
)
def test_an_attribute_changes_its_kind(scales):
  model = fitted()
  for scale in scales:
    model.scale = scale
    check_predictions(model)


def test_floats_and_ints_of_the_model_have_graphs_of_their_own():
  model = fitted()
  for scale in (2.0, 3.0, 3, 0.5, 2):
    model.scale = scale
    model.encoder.adapt(TREES)
    check_predictions(model)


def test_layers_have_weights_before_the_first_data_set_whatever_comes_first():
  for trees in ([TREES[1], TREES[0]], [Tree(5), Tree(6), TREES[2]]):
    model = Scaled(num_mixes=2)
    model.compile(keras.optimizers.SGD(0.1), cross_entropy())
    model.fit(model.encoder.dataset(trees, np.zeros(len(trees)), 2), shuffle=False, verbose=0)
    check_predictions(model, trees)


def test_a_layer_that_no_object_calls_is_named():
  class Hardly(Scaled):
    @rtf.recursive(strict=True)
    def encode(self, node):
      state = self.embedding(tf.constant([node.word]))
      if node.word > 6:
        state = self.mixes[0](state)
      return state

  with pytest.raises(rtf.ConversionRefused, match="makes its weights in its first call"):
    Hardly().encoder.adapt([Tree(5), Tree(6)])


@pytest.mark.slow
def test_data_sets_without_targets_are_in_order():
  model = fitted()
  trees = [Tree(i % 8) for i in range(20)]
  check_predictions(model, trees)
  with_targets = model.encoder.dataset(trees, np.arange(20), 20)
  assert [targets.numpy().tolist() for _, targets in with_targets] != [list(range(20))]


def test_trees_are_deeper_than_those_it_was_adapted_to():
  model = fitted()
  deep = functools.reduce(lambda below, i: Tree(i % 8, below), range(300), Tree(1))
  check_predictions(model, [deep, TREES[1]])


def test_floats_of_objects_are_those_of_python():
  class Leaf:
    def __init__(self, value):
      self.value = value

  @rtf.recursive(strict=True)
  def far(node):
    return tf.constant([1.0 if node.value > 0.1 else -1.0]) * tf.constant(node.value)

  leaves = [Leaf(0.1), Leaf(0.1 + 1e-12)]
  layer = rtf_keras.Recursive(far)
  columns = layer.pack(leaves)
  expected = [[np.float32(-0.1)], [np.float32(0.1)]]
  model = keras.Sequential([layer])
  np.testing.assert_array_equal(layer(leaves), expected)
  np.testing.assert_array_equal(layer(columns), expected)
  np.testing.assert_array_equal(model.predict(layer.dataset(leaves), verbose=0), expected)


def test_gradients_flow_to_tensors_in_objects():
  class Leaf:
    def __init__(self, value):
      self.value = value

  @rtf.recursive(strict=True)
  def square(node):
    return node.value * node.value

  value = tf.constant(3.0)
  with tf.GradientTape() as tape:
    tape.watch(value)
    result = rtf_keras.Recursive(square)([Leaf(value), Leaf(tf.constant(1.0))])
  np.testing.assert_allclose(tape.gradient(result, value), 6.0)
