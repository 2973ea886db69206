"""What compares two sentences, and what labels the relations of words."""

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf import datasets, models
from recursive_tf.datasets import UD_RELATIONS, DependencyTree, SickPair, Vocabulary
from tests.models.test_nary import child_sum, nary

VOCABULARY = Vocabulary(f"w{k}" for k in range(6))
A = DependencyTree(
  ("w1", "w2", "w3", "w4"), (1, -1, 1, 2), (0,) * 4, relations=("nsubj", "root", "obj", "acl:relcl")
)
B = DependencyTree(("w5", "w0"), (-1, 0), (0, 0), relations=("root", "other"))
PAIRS = [SickPair(1, A, B, 3.4), SickPair(2, B, B, 5.0), SickPair(3, B, A, 1.0)]
SIZES = {"embedding_size": 4, "state_size": 3, "hidden_size": 5, "embedding_range": 0.5}


def state(encoder, tree, position):
  """Equations 2 to 8, or 9 to 14, of Tai et al. at a word."""
  children = [state(encoder, tree, k) for k, head in enumerate(tree.heads) if head == position]
  cell = nary if isinstance(encoder, models.NaryTreeLSTM) else child_sum
  return cell(encoder, encoder.embedding[VOCABULARY.lookup(tree.words[position])], children)


@pytest.fixture(scope="module", params=["child_sum", "nary"])
def relatedness(request):
  if request.param == "nary":
    config = models.NaryRelatednessConfig(**SIZES, max_children=3)
    model = models.NaryRelatednessTreeLSTM(VOCABULARY.size, config, seed=3, dtype=tf.float64)
  else:
    config = models.RelatednessConfig(**SIZES)
    model = models.RelatednessTreeLSTM(VOCABULARY.size, config, seed=3, dtype=tf.float64)
  model.hidden_bias.assign_add(np.linspace(-0.4, 0.4, 5))
  return model


def distribution(model, pair):
  """Section 4.2 of the paper."""
  a, b = (state(model.encoder, tree, tree.root)[0].numpy() for tree in (pair.a, pair.b))
  compared = np.concatenate([a * b, abs(a - b)]) @ model.hidden_weights.numpy()
  hidden = 1 / (1 + np.exp(-compared - model.hidden_bias.numpy()))
  return tf.nn.softmax(hidden @ model.output_weights.numpy() + model.output_bias.numpy()).numpy()


def test_relatedness_is_that_of_the_paper(relatedness):
  batch = datasets.PackedPairs.pack(PAIRS, VOCABULARY).batch([2, 0, 1])
  found = [distribution(relatedness, PAIRS[k]) for k in (2, 0, 1)]
  np.testing.assert_allclose(relatedness.relatedness(batch), np.array(found) @ [1, 2, 3, 4, 5])
  targets = datasets.relatedness_distribution(np.array([1.0, 3.4, 5.0]))
  loss, metrics = relatedness.loss_and_metrics(batch)
  assert loss.numpy() == pytest.approx(-(targets * np.log(found)).sum() / 3, rel=1e-6)
  assert metrics.num_pairs.numpy() == 3


def test_scores_are_those_of_the_paper():
  predicted, expected = np.array([1.0, 2.0, 2.0, 4.0]), np.array([1.0, 3.0, 4.0, 5.0])
  sums = [v.sum() for v in (predicted**0, predicted, expected, predicted**2, expected**2)]
  metrics = models.RelatednessMetrics(*sums, (predicted * expected).sum(), 0.0, 0.0)
  assert set(metrics.scores()) == {"pearson", "mse"}
  found = metrics.with_answers(np.stack([predicted, expected], 1)).scores()
  assert found["mse"] == pytest.approx((0 + 1 + 4 + 1) / 4)
  assert found["pearson"] == pytest.approx(np.corrcoef(predicted, expected)[0, 1])
  # Equal values share a rank: 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
  assert found["spearman"] == pytest.approx(4.5 / np.sqrt(4.5 * 5))
  constant = models.RelatednessMetrics(4.0, 8.0, sums[2], 16.0, sums[4], 2 * sums[2], 0.0, 0.0)
  assert constant.scores()["pearson"] == 0


@pytest.fixture(scope="module", params=["child_sum", "nary"])
def labeller(request):
  if request.param == "nary":
    config = models.NaryRelationConfig(**SIZES, max_children=3)
    model = models.NaryRelationTreeLSTM(VOCABULARY.size, config, seed=3, dtype=tf.float64)
  else:
    config = models.RelationConfig(**SIZES)
    model = models.RelationTreeLSTM(VOCABULARY.size, config, seed=3, dtype=tf.float64)
  model.hidden_bias.assign_add(np.linspace(-0.4, 0.4, 5))
  return model


def relation_logits(model, tree, position):
  h = state(model.encoder, tree, position)[0].numpy() @ model.state_weights.numpy()
  head = tree.heads[position]
  x = model.embedding.numpy()[VOCABULARY.lookup(tree.words[head])] @ model.head_weights.numpy()
  side = model.side_weights.numpy()[int(position < head)]
  hidden = np.tanh(h + x + side + model.hidden_bias.numpy())
  return hidden @ model.output_weights.numpy() + model.output_bias.numpy()


def test_relations_are_predicted_from_a_words_state_its_head_and_its_side(labeller):
  packed = datasets.PackedRelations.pack([A, B], VOCABULARY)
  # Neither roots nor relations of no treebank of Universal Dependencies have a class.
  assert packed.num_classified == 3
  batch = packed.batch([1, 0])
  logits = labeller.logits(batch).numpy()
  word, label = batch.nodes.numpy()[:, :2].T
  expected = {
    VOCABULARY.lookup(tree.words[k]): (tree, k) for tree in (A, B) for k in range(len(tree.words))
  }
  total = 0.0
  for row, number, own in zip(logits, word, label, strict=True):
    tree, k = expected[number]
    if tree.heads[k] < 0:
      assert own == -1 and not row.any()
      continue
    np.testing.assert_allclose(row, relation_logits(labeller, tree, k))
    name = tree.relations[k].partition(":")[0]
    assert own == (UD_RELATIONS.index(name) if name in UD_RELATIONS else -1)
    total -= tf.nn.log_softmax(row).numpy()[own] if own >= 0 else 0
  loss, metrics = labeller.loss_and_metrics(batch)
  assert loss.numpy() == pytest.approx(total / 2)
  assert metrics.num_words.numpy() == 3
  best = int((logits.argmax(1) == label).sum())
  assert metrics.correct_words.numpy() == best


def test_gradients_of_relatedness_reach_all_variables(relatedness):
  assert_gradients(relatedness, datasets.PackedPairs.pack(PAIRS, VOCABULARY).batch([0, 1]))


def test_gradients_of_relations_reach_all_variables(labeller):
  assert_gradients(labeller, datasets.PackedRelations.pack([A, B], VOCABULARY).batch([0, 1]))


def assert_gradients(model, batch):
  variables = [v for group in model.parameter_groups() for v in group.variables]
  assert {id(v) for v in variables} == {id(v) for v in model.trainable_variables}

  @tf.function
  def run(batch):
    with tf.GradientTape() as tape:
      loss, _ = model.loss_and_metrics(batch)
    return loss, [tf.convert_to_tensor(g) for g in tape.gradient(loss, variables)]

  gradients = [gradient.numpy() for gradient in run(batch)[1]]
  before = [variable.numpy() for variable in variables]
  random = np.random.RandomState(0)
  for k, variable in enumerate(variables):
    direction = random.normal(size=variable.shape)
    ends = []
    for step in (1e-6, -1e-6):
      variable.assign(before[k] + step * direction)
      ends.append(run(batch)[0].numpy())
    variable.assign(before[k])
    expected = (gradients[k] * direction).sum()
    assert abs(expected) > 1e-7, variable.name
    assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(expected, rel=1e-4), variable.name
