import nltk
import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf import cli
from recursive_tf.datasets import PackedTrees, Tree, TreeBatch, load_sample, parse_brackets
from recursive_tf.training.prediction import TrainedRun
from recursive_tf.training.runs import make_run_config
from tests.cli.conftest import settle_threads
from tests.cli.runs import TINY
from tests.models.oracle import Oracle


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
  path = tmp_path_factory.mktemp("runs") / "a"
  with pytest.MonkeyPatch.context() as monkeypatch:
    settle_threads(monkeypatch)
    options = [*TINY, "--embedding-size", "5", "--out", str(path)]
    assert cli.main(["train", "treelstm", "--limit", "60", *options[2:]]) == 0
  return path


@pytest.fixture(scope="module")
def trained(directory):
  return rtf.load_run(directory)


def test_a_run_has_its_model_words_and_configuration(trained, directory):
  assert trained.directory == directory
  assert trained.config.model == "treelstm" and trained.class_names == ("negative", "positive")
  assert trained.vocabulary.lookup("FILM") == trained.vocabulary.lookup("film") > 0
  assert isinstance(trained.model, rtf.models.TreeLSTM)
  assert "treelstm" in repr(trained) and "load_run" in dir(rtf)


def test_probabilities_of_all_nodes_equal_the_oracle(trained):
  trees = load_sample()["dev"][:5] + [Tree(2, "film")]
  found = trained.predict(trees)
  assert len(found) == 6
  for tree, prediction in zip(trees, found, strict=True):
    logits = Oracle(trained.model, tree.post_order(), trained.vocabulary).logits
    expected = tf.nn.softmax(tf.stack(logits)).numpy()
    assert prediction.tree == tree
    np.testing.assert_allclose(prediction.probabilities, expected, atol=1e-6)
    assert (prediction.classes == expected.argmax(1)).all()
    assert prediction.root_class == expected[-1].argmax()
  np.testing.assert_array_equal(
    found.root_probabilities, [tree.root_probabilities for tree in found]
  )
  np.testing.assert_array_equal(found.root_classes, [tree.root_class for tree in found])
  assert np.ptp(found.root_probabilities[:, 0]) > 1e-4  # Not one answer for all.


def test_probabilities_are_those_of_the_model_s_own_graph_and_follow_its_weights(directory):
  run, trees = rtf.load_run(directory), load_sample()["dev"][:4]
  logits = tf.function(run.model.node_logits, input_signature=[TreeBatch.spec()], autograph=False)
  packed = PackedTrees.pack(trees, run.vocabulary)
  seen = []
  for _ in range(2):
    expected = tf.nn.softmax(logits(packed.batch(range(4)))).numpy()
    found = np.concatenate([tree.probabilities for tree in run.predict(trees)])
    np.testing.assert_array_equal(found, expected)
    seen.append(found)
    for variable in run.model.trainable_variables:
      variable.assign(1.5 * variable)
  assert np.abs(seen[1] - seen[0]).max() > 1e-4


def test_how_trees_are_batched_does_not_matter(trained):
  trees = load_sample()["dev"][:7]
  whole, single = trained.predict(trees), trained.predict(trees, batch_size=1)
  for a, b in zip(whole, single, strict=True):
    np.testing.assert_allclose(a.probabilities, b.probabilities, atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*not in the training data")
@pytest.mark.parametrize(
  "form",
  [
    "(not good)",
    Tree(-1, None, (Tree(-1, "not"), Tree(-1, "good"))),
    nltk.Tree.fromstring("(ADJP (RB not) (JJ good))"),
  ],
  ids=["text", "Tree", "nltk"],
)
def test_every_form_of_a_tree_is_taken_alone_and_among_others(trained, form):
  expected = trained.predict(["(1 (2 not) (3 good))"])[0].probabilities
  np.testing.assert_array_equal(trained.predict(form)[0].probabilities, expected)
  # A product of two rows may differ from two products of one in the last digit, by the processor.
  among = trained.predict([form, form])[1].probabilities
  np.testing.assert_allclose(among, expected, rtol=0, atol=1e-6)


def test_words_that_are_not_known_are_said(trained):
  with pytest.warns(UserWarning, match="not in the training data.*: quixotic, zebra"):
    found = trained.predict(["((the quixotic) zebra)", "(the zebra)"])
  assert found.unknown_words == ("quixotic", "zebra") and found[1].unknown_words == ("zebra",)
  assert found[0].unknown.tolist() == [False, True, False, True, False]


def test_what_is_not_binary_is_counted(trained):
  found = trained.predict("(S (NP the film) (VP (ADJP good) and bad))")[0]
  assert (found.num_split, found.num_collapsed) == (1, 0)
  assert found.tree == parse_brackets("((the film) (good (and bad)))")


def test_plain_text_needs_to_be_told_its_structure(trained):
  with pytest.raises(rtf.DataError, match="no brackets in 'the film is good'.*structure='right'"):
    trained.predict("the film is good")
  found = trained.predict("the film is good", structure="left")[0]
  assert found.tree == parse_brackets("(((the film) is) good)")


@pytest.mark.parametrize("nothing", ["", "  "])
def test_no_words_are_an_error(trained, nothing):
  with pytest.raises(rtf.DataError, match="<tree 1>:1: .*got no words"):
    trained.predict(["(the film)", nothing], structure="right")


def test_no_trees_are_no_predictions(trained):
  found = trained.predict([])
  assert len(found) == 0 and found.root_probabilities.shape == (0, 2)
  assert found.root_classes.shape == (0,) and found.unknown_words == ()


def test_other_things_are_refused(trained, tmp_path):
  with pytest.raises(rtf.DataError, match="<tree 0>: expected a Tree, .* got int"):
    trained.predict([3])
  with pytest.raises(rtf.ConfigError, match="batch_size is 0"):
    trained.predict("(the film)", batch_size=0)
  with pytest.raises(rtf.CheckpointError, match="no training run here"):
    rtf.load_run(tmp_path)


def test_a_generator_has_nothing_to_predict(trained):
  config = make_run_config("top-down-treelstm")
  generator = TrainedRun(
    trained.directory, config, trained.vocabulary, tf.Module(), trained.restored
  )
  with pytest.raises(rtf.ConfigError, match=r"top-down-treelstm \(generation\) has no classes"):
    generator.predict("(a b)")
