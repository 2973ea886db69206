import signal

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf import models
from recursive_tf.datasets import PackedTrees, Vocabulary, synthetic_tree
from recursive_tf.training.interrupt import GracefulInterrupt
from recursive_tf.training.step import make_train_step

TREES = [synthetic_tree(n, "random", n, num_words=9) for n in (1, 4, 9, 6)]
VOCABULARY = Vocabulary(f"w{k}" for k in range(9))
MODELS = {
  "treelstm": (models.TreeLSTM, models.TreeLSTMConfig(embedding_size=6, state_size=5)),
  "treernn": (models.TreeRNN, models.TreeRNNConfig(state_size=5)),
  "rntn": (models.RNTN, models.RNTNConfig(state_size=5)),
}
every_model = pytest.mark.parametrize("model_class, config", MODELS.values(), ids=MODELS)


def make_batches():
  packed = PackedTrees.pack(TREES, VOCABULARY)
  return packed.batch([0, 1, 2, 3]), packed.batch([2, 1])


def take_steps(model_class, config, num_steps):
  model = model_class(VOCABULARY.size, config, seed=1)
  optimizer = models.Adagrad(model.parameter_groups())
  train_step = make_train_step(model, optimizer, 100.0, seed=1)
  batch, _ = make_batches()
  losses = [float(model.loss_and_metrics(batch)[0])]
  for step in range(num_steps):
    train_step(batch, tf.constant(step, tf.int64))
    losses.append(float(model.loss_and_metrics(batch)[0]))
  return model, train_step, losses


@every_model
def test_each_step_lowers_the_loss(model_class, config):
  _, _, losses = take_steps(model_class, config, 3)
  assert (np.diff(losses) < 0).all(), losses


@every_model
def test_steps_are_a_function_of_seed_step_and_batch(model_class, config):
  first, _, _ = take_steps(model_class, config, 2)
  second, _, _ = take_steps(model_class, config, 2)
  for a, b in zip(first.variables, second.variables, strict=True):
    # Frames may add to a bias's gradient in any order.
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)


def test_batches_of_all_sizes_share_one_trace():
  _, train_step, _ = take_steps(*MODELS["treelstm"], num_steps=1)
  train_step(make_batches()[1], tf.constant(1, tf.int64))
  assert train_step.experimental_get_tracing_count() == 1


def test_words_that_did_not_occur_keep_their_vectors():
  model_class, config = MODELS["treelstm"]
  before = model_class(VOCABULARY.size, config, seed=1).embedding.numpy()
  model, _, _ = take_steps(model_class, config, 1)
  occurred = sorted({VOCABULARY.lookup(word) for tree in TREES for word in tree.words()})
  moved = (model.embedding.numpy() != before).any(axis=1)
  assert np.flatnonzero(moved).tolist() == occurred
  assert len(occurred) < VOCABULARY.size


def test_the_first_interrupt_is_a_request_and_the_second_an_exception(capfd):
  before = signal.getsignal(signal.SIGINT)
  with GracefulInterrupt() as interrupt:
    signal.raise_signal(signal.SIGINT)
    assert interrupt.requested
    with pytest.raises(KeyboardInterrupt):
      signal.raise_signal(signal.SIGINT)
  assert signal.getsignal(signal.SIGINT) is before
  assert "saving after this step" in capfd.readouterr().err
