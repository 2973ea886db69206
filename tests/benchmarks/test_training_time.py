"""The PyTorch program of `training_time` follows the recipe of `recursive-tf train treelstm`."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from benchmarks import training_time
from benchmarks.options import Options
from benchmarks.peers.treebank_text import read_splits
from recursive_tf.datasets import sample
from recursive_tf.models.labels import BINARY
from recursive_tf.models.optimizer import Adagrad
from recursive_tf.models.treelstm import TreeLSTM, TreeLSTMConfig
from recursive_tf.training.data import load_splits
from recursive_tf.training.step import make_train_step

SPLITS = ("train", "dev", "test")
NUM_STEPS = 4.0


@pytest.fixture(scope="module")
def torch_training():
  pytest.importorskip("torch")
  from benchmarks.peers import torch_training

  return torch_training


@pytest.fixture(scope="module")
def sample_splits():
  return read_splits({split: sample.sample_path(split) for split in SPLITS}, limit=30)


def test_reads_the_trees_that_the_command_trains_on(sample_splits):
  splits, vocab_size = sample_splits
  expected = load_splits("sample", BINARY, limit=30)
  assert vocab_size == expected.vocabulary.size
  for split, packed in splits.items():
    for name, array in packed.items():
      np.testing.assert_array_equal(array, getattr(getattr(expected, split), name), err_msg=name)


def test_reads_words_with_digits_and_other_white_space(tmp_path):
  path = tmp_path / "train.txt"
  path.write_bytes("(3 (2 7\u00a01/2) (4 7))\r\n\n(2 Neutral)\n(0 7)\n".encode())
  splits, vocab_size = read_splits({"train": path})
  assert vocab_size == 4  # The word of the neutral tree counts, the tree does not.
  np.testing.assert_array_equal(splits["train"]["word"], [2, 1, -1, 1])
  np.testing.assert_array_equal(splits["train"]["left"], [-1, -1, 0, -1])
  np.testing.assert_array_equal(splits["train"]["node_splits"], [0, 3, 4])


def test_recipe_has_the_model_s_defaults(torch_training):
  assert dataclasses.asdict(torch_training.Recipe()) == dataclasses.asdict(TreeLSTMConfig())


def test_initial_weights_have_the_model_s_distributions(torch_training):
  weights = torch_training.make_weights(2_000, torch_training.Recipe(), 0)
  model = TreeLSTM(2_000)
  assert {v.name.split(":")[0] for v in model.trainable_variables} == weights.keys()
  for name, array in weights.items():
    expected = getattr(model, name).numpy()
    assert array.shape == expected.shape
    np.testing.assert_allclose(array.std(), expected.std(), rtol=0.1, err_msg=name)
    np.testing.assert_allclose(array.mean(), expected.mean(), atol=0.01, err_msg=name)
  np.testing.assert_array_equal(weights["inner_bias"], model.inner_bias.numpy())


def test_steps_are_those_of_the_command(torch_training, sample_splits):
  splits, vocab_size = sample_splits
  sizes = {"embedding_size": 6, "state_size": 4, "dropout": 0.0, "l2": 0.01}
  model = TreeLSTM(vocab_size, TreeLSTMConfig(**sizes))
  recipe = torch_training.Recipe(**sizes)
  weights = torch_training.make_weights(vocab_size, recipe, 0)
  for name, array in weights.items():
    getattr(model, name).assign(array)
  trainer = torch_training.TorchTrainer(weights, splits["train"], recipe, NUM_STEPS)
  step = make_train_step(model, Adagrad(model.parameter_groups()), NUM_STEPS, 0)
  packed = load_splits("sample", BINARY, limit=30).train
  # Past the last step too, where the learning rates stay; a tree twice in one batch.
  for done, batch in enumerate([[0, 1, 0], [2, 3], [4, 5, 6], [7, 1], [8, 9]]):
    scores = torch_training.Scores()
    trainer.train(np.array(batch), scores)
    loss, counts = step(packed.batch(batch), tf.constant(done, tf.int64))
    metrics = model.metrics_class(*counts.numpy().tolist())
    np.testing.assert_allclose(scores.loss / len(batch), float(loss), rtol=1e-5)
    assert (scores.nodes, scores.correct_nodes) == (metrics.num_nodes, metrics.correct_nodes)
    assert (scores.roots, scores.correct_roots) == (metrics.num_roots, metrics.correct_roots)
  for name, weight in trainer.weights.items():
    found = weight.detach().numpy()
    np.testing.assert_allclose(found, getattr(model, name).numpy(), atol=1e-5, err_msg=name)
    assert np.abs(found - weights[name]).max() > 1e-3


def test_dropout_leaves_out_the_recipe_s_share(torch_training, sample_splits):
  splits, vocab_size = sample_splits
  recipe = torch_training.Recipe(embedding_size=6, state_size=4)
  weights = torch_training.make_weights(vocab_size, recipe, 0)
  trainer = torch_training.TorchTrainer(weights, splits["train"], recipe, NUM_STEPS)
  losses = {trainer.loss([0, 1]).item() for _ in range(4)}
  assert len(losses) == 4


def test_quick_run_on_the_sample_times_both(torch_training, tmp_path):
  options = Options(size="quick", threads=(1,), data="sample", out=tmp_path, seeds=(3,))
  report = training_time.run(options)
  runs = {run["arm"]: run for run in report.figures["runs"]}
  assert runs.keys() == {training_time.OURS, training_time.TORCH}
  for run in runs.values():
    assert run["seed"] == 3
    assert len(run["epochs"]) == 2
    assert 0 < sum(run["epochs"]) < run["training"] < run["whole"] - run["start_up"]
    assert 0.4 < run["root"] <= 1


def test_a_program_that_fails_is_an_error():
  with pytest.raises(RuntimeError, match="no such treebank"):
    training_time._run(["sh", "-c", "echo no such treebank >&2; exit 3"], {"PATH": "/bin"}, 1)
