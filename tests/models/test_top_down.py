import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf import models
from recursive_tf.datasets import DependencyTree, PackedDependencies, Vocabulary, dependencies
from recursive_tf.datasets.grammar_sentences import NUM_CONDITIONS, generate
from tests.models.top_down_oracle import Oracle
from tests.reference import assert_same

SMALL = models.TopDownTreeLSTMConfig(
  embedding_size=5, state_size=4, num_conditions=7, embedding_range=0.8
)
WORDS = [f"w{k}" for k in range(9)]
VOCABULARY = Vocabulary(WORDS)
TREES = [
  DependencyTree(("w1",), (-1,), (0,), (0, 3)),
  # Two dependents on each side, one with dependents of its own, and one that crosses.
  DependencyTree(
    ("w3", "w4", "w5", "w1", "w2", "w8", "unheard"),
    (3, 2, 3, -1, 3, 6, 3),
    (0, 1, 0, 1, 0, 1, 0),
    (1, 4),
  ),
  DependencyTree(("w1", "w2", "w3", "w4"), (3, 0, 1, -1), (1, 0, 0, 0), (2, 6)),
  DependencyTree(("w7", "w6", "w5", "w1"), (-1, 3, 0, 0), (0, 0, 1, 1), (2, 5)),
]
POOLS = [WORDS[:6], WORDS[3:]]


def make_model(dtype=tf.float64, **changes):
  config = dataclasses.replace(SMALL, **changes)
  model = models.TopDownTreeLSTM(VOCABULARY.size, config, seed=3, dtype=dtype)
  for index, variable in enumerate(model.trainable_variables):
    noise = np.random.RandomState(index).uniform(-0.5, 0.5, variable.shape)
    variable.assign_add(tf.cast(noise, dtype))
  return model


def make_batch(trees=TREES):
  return PackedDependencies.pack(trees, VOCABULARY, POOLS).batch(range(len(trees)))


def make_lively_model():
  """Makes a model that generates trees of several nodes."""
  model = make_model()
  for variable in (*model.weights, model.hidden_weights, model.output_weights):
    variable.assign(3.0 * variable)
  model.edge_bias.assign([0.1, -0.1, -0.3, -0.1])
  return model


CONDITIONS = [[a, b] for a in range(3) for b in range(3, 7)]


def test_loss_gradients_and_counts_equal_the_oracle(mode):
  model = make_model()
  variables = model.trainable_variables

  def compute(batch):
    with tf.GradientTape() as tape:
      loss, metrics = model.loss_and_metrics(batch)
    gradients = tape.gradient(loss, variables)
    return loss, metrics, [tf.convert_to_tensor(g) for g in gradients]

  loss, metrics, gradients = mode(compute)(make_batch())
  with tf.GradientTape() as tape:
    scores = [Oracle(model).score(tree, VOCABULARY.lookup) for tree in TREES]
    expected_loss = tf.add_n([words + edges for words, edges, _, _ in scores]) / len(TREES)
  expected = tape.gradient(expected_loss, variables, unconnected_gradients="zero")

  assert_same(loss, expected_loss)
  assert int(metrics.num_nodes) == sum(len(tree.words) for tree in TREES)
  names = ("word_loss", "structure_loss", "correct_words", "correct_edges")
  for name, column in zip(names, zip(*scores, strict=True), strict=True):
    assert_same(getattr(metrics, name), tf.cast(sum(column), tf.float64))
  for variable, gradient, value in zip(variables, gradients, expected, strict=True):
    value = tf.convert_to_tensor(value)
    assert float(tf.reduce_max(tf.abs(value))) > 1e-6, variable.name
    assert_same(gradient, value)


def test_float32_is_close_to_float64():
  batch = make_batch()
  single, _ = make_model(tf.float32).loss_and_metrics(batch)
  double, _ = make_model().loss_and_metrics(batch)
  np.testing.assert_allclose(single, double, rtol=1e-5)


@pytest.mark.parametrize("max_nodes", [80, 12, 1])
def test_generated_trees_equal_the_oracles(mode, max_nodes):
  model = make_lively_model()
  made = mode(lambda: model.generate(tf.constant(CONDITIONS), max_nodes, num_codes=30))()
  sizes = []
  for index, condition in enumerate(CONDITIONS):
    root, log = Oracle(model).generate(condition, max_nodes)
    codes = root.codes()
    sizes.append(len(codes))
    assert int(made.num_nodes[index]) == len(codes)
    np.testing.assert_allclose(made.log_probability[index], log, rtol=1e-9)
    padded = (codes + 30 * [0])[:30]
    np.testing.assert_array_equal(made.codes[index], padded)
  assert max(sizes) <= max_nodes
  assert max_nodes < 80 or len(set(sizes)) > 3, sizes


def mixed(value):
  """As models.treelstm.top_down._mix, on Python's integers."""
  prime = 2**31 - 1
  value = (value * 48_271 + 11) % prime
  for constant in (1_013_904_223, 362_437, 88_675_123):
    value = (value * value + constant) % prime
  return value


def test_drawn_trees_equal_the_oracles_and_follow_the_seed():
  model = make_lively_model()
  conditions = tf.constant(CONDITIONS)
  made = model.generate(conditions, 30, seed=tf.constant(5), num_codes=30)
  for index, condition in enumerate(CONDITIONS):

    def draw(path, index=index):
      noise = mixed(index + mixed(5))
      for edge in path:
        noise = dependencies.child_key(noise, edge)
      return [(mixed(noise + 7919 * salt) + 0.5) / (2**31 - 1) for salt in range(5)]

    root, log = Oracle(model).generate(condition, 30, draw)
    codes = root.codes()
    np.testing.assert_array_equal(made.codes[index], (codes + 30 * [0])[:30])
    np.testing.assert_allclose(made.log_probability[index], log, rtol=1e-9)
  again, other = (model.generate(conditions, 30, seed=tf.constant(s)) for s in (5, 6))
  np.testing.assert_array_equal(again.fingerprint, made.fingerprint)
  assert (other.fingerprint.numpy() != made.fingerprint.numpy()).any()


def test_words_and_edges_are_drawn_by_their_probabilities():
  model = make_model()
  repeats = 4000
  made = model.generate(tf.constant([[1, 4]] * repeats), 2, seed=tf.constant(1), num_codes=2)
  oracle = Oracle(model)
  words = oracle.words(oracle.root_state([1, 4])[0]).numpy()
  counts = np.bincount(made.codes[:, 0].numpy() // 16 - 1, minlength=len(words)) / repeats
  np.testing.assert_allclose(counts, words, atol=4 * np.sqrt(0.25 / repeats))


def test_a_generated_tree_has_the_probability_and_fingerprint_that_scoring_finds():
  model = make_lively_model()
  made = model.generate(tf.constant(CONDITIONS), 64, num_codes=64)
  trees = [
    dataclasses.replace(dependencies.decode(codes, VOCABULARY), condition=tuple(condition))
    for codes, condition in zip(made.codes.numpy(), CONDITIONS, strict=True)
  ]
  assert int(tf.reduce_max(made.num_nodes)) <= 64
  batch = PackedDependencies.pack(trees, VOCABULARY).batch(range(len(trees)))
  np.testing.assert_array_equal(batch.fingerprint, made.fingerprint)
  np.testing.assert_allclose(model.log_probability(batch), made.log_probability, rtol=1e-9)


def test_more_nodes_than_codes_are_cut_off():
  model = make_lively_model()
  whole = model.generate(tf.constant(CONDITIONS), 40, num_codes=40)
  cut = model.generate(tf.constant(CONDITIONS), 40, num_codes=3)
  assert int(tf.reduce_max(whole.num_nodes)) > 3
  np.testing.assert_array_equal(cut.codes, whole.codes[:, :3])
  np.testing.assert_array_equal(cut.num_nodes, whole.num_nodes)


def test_completions_are_right_where_the_own_word_is_likeliest(mode):
  model, batch = make_model(), make_batch()
  packed = PackedDependencies.pack(TREES, VOCABULARY, POOLS)
  loss, metrics = mode(model.evaluate)(batch)
  num_blanks = num_right = 0
  for index, tree in enumerate(TREES):
    if not packed.alternatives[index].any():
      continue
    node = packed.node_splits[index] + packed.blank[index]
    position = packed.position[node]
    assert VOCABULARY.lookup(tree.words[position]) == packed.alternatives[index, 0]
    losses = []
    for word in packed.alternatives[index]:
      words = list(tree.words)
      words[position] = VOCABULARY.words[word]
      other = dataclasses.replace(tree, words=tuple(words))
      losses.append(float(sum(Oracle(model).score(other, VOCABULARY.lookup)[:2])))
    num_blanks += 1
    num_right += losses[0] < min(losses[1:])
  assert (int(metrics.num_completions), int(metrics.correct_completions)) == (num_blanks, num_right)
  assert num_blanks == len(TREES)
  plain_loss, plain = model.loss_and_metrics(batch)
  assert_same(loss, plain_loss)
  assert plain.scores().items() <= metrics.scores().items()
  assert int(metrics.num_generated) == len(TREES)


def test_batches_of_all_sizes_share_one_trace():
  model = make_model()
  compute = tf.function(lambda batch: model.evaluate(batch)[0], autograph=False)
  for trees in (TREES, TREES[:1], TREES[1:3]):
    compute(make_batch(trees))
  assert compute.experimental_get_tracing_count() == 1


def test_parameter_groups_hold_every_variable_once():
  model = make_model()
  grouped = [v for group in model.parameter_groups() for v in group.variables]
  assert sorted(map(id, grouped)) == sorted(map(id, model.variables))


def test_a_few_sentences_are_learnt_by_heart():
  trees = generate(6)
  vocabulary = Vocabulary(sorted({word for tree in trees for word in tree.words}))
  config = models.TopDownTreeLSTMConfig(
    embedding_size=16, state_size=32, num_conditions=NUM_CONDITIONS
  )
  model = models.TopDownTreeLSTM(vocabulary.size, config, seed=1)
  optimizer = models.Adagrad(model.parameter_groups())
  batch = PackedDependencies.pack(trees, vocabulary).batch(range(6))

  @tf.function(autograph=False)
  def train_step():
    with tf.GradientTape() as tape:
      loss, _ = model.loss_and_metrics(batch)
    optimizer.apply(tape.gradient(loss, optimizer.variables_to_train), tf.constant(1.0))
    return loss

  losses = [float(train_step()) for _ in range(60)]
  assert losses[1] < losses[0] and losses[-1] < 0.05 * losses[0], losses[::10]
  made = model.generate(batch.condition, num_codes=30)
  said = [str(dependencies.decode(codes, vocabulary)) for codes in made.codes.numpy()]
  assert said == [str(tree) for tree in trees]
  assert model.evaluate(batch)[1].scores()["exact"] == 1.0
