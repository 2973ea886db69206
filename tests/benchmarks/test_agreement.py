"""The arms of the throughput benchmarks compute the same, and a disagreement is seen."""

import functools
import importlib

import numpy as np
import pytest

from benchmarks import arms
from benchmarks.options import Options
from benchmarks.peers import weights as w
from benchmarks.treebanks import load_trees

OPTIONS = Options(size="smoke", data="sample")
# DyNet's Adagrad starts from other sums.
SAME_STEPS = [name for name, c in arms.CONTENDERS.items() if c.is_model and c.needs != "dynet"]
PAIRS = [
  (name, model)
  for name, contender in arms.CONTENDERS.items()
  if contender.is_model and not contender.environ
  for model in contender.models
]


def make_peer(arm, model, weights, packed):
  contender = arms.CONTENDERS[arm]
  if contender.needs:
    pytest.importorskip(contender.needs)
  module, name = contender.target.split(":")
  return getattr(importlib.import_module(module), name)(model, weights, packed)


@pytest.fixture(scope="module")
def trees():
  return load_trees(OPTIONS, 6)


def setting(model, trees):
  packed, vocab_size = trees
  return w.make_weights(model, vocab_size, w.SMALL_SIZES[model], 1), packed


@pytest.fixture(scope="module")
def check_of(trees):
  """`check_of(arm, model)`: what an arm computes, once."""

  @functools.cache
  def check(arm, model):
    return make_peer(arm, model, *setting(model, trees)).check([0, 1, 2, 5])

  return check


@pytest.fixture(scope="module")
def trained_loss_of(trees):
  """`trained_loss_of(arm, model)`: an arm's loss after some steps, once."""

  @functools.cache
  def trained_loss(arm, model):
    peer = make_peer(arm, model, *setting(model, trees))
    # Trees 0 and 1 twice: the rows of their words are touched more than once in one step.
    for batch in ([0, 1, 0], [2, 3], [1, 4, 5]):
      peer.train(batch)
    return peer.loss_and_gradients([0, 2, 4])[0]

  return trained_loss


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("arm", "model"), [p for p in PAIRS if p[0] != "recursive_tf"])
def test_peer_agrees_with_recursive_tf(arm, model, check_of):
  arms.check_agreement({name: check_of(name, model) for name in ("recursive_tf", arm)})


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
  ("arm", "model"), [p for p in PAIRS if p[0] != "eager" and p[0] in SAME_STEPS]
)
def test_steps_lead_to_the_same_loss(arm, model, trained_loss_of):
  found, expected = trained_loss_of(arm, model), trained_loss_of("eager", model)
  np.testing.assert_allclose(found, expected, rtol=1e-4)


@pytest.mark.parametrize("arm", ["torch_level_batched", "torch_hand_backward", "jax_level_batched"])
def test_a_larger_batch_after_a_smaller_one_and_back_is_still_right(arm, trees):
  weights, packed = setting("treelstm", trees)
  peer = make_peer(arm, "treelstm", weights, packed)
  first, _ = peer.loss_and_gradients([4])
  peer.loss_and_gradients([0, 1, 2, 3, 4, 5])
  peer.infer([5, 3])
  # Buffers and envelopes now are larger than this needs: what is left in them must not count.
  again, _ = peer.loss_and_gradients([4])
  np.testing.assert_allclose(again, first, rtol=1e-6)


def test_other_weights_are_a_disagreement(trees):
  weights, packed = setting("treernn", trees)
  changed = {**weights, "bias": weights["bias"] + np.float32(0.01)}
  results = {
    name: make_peer("eager", "treernn", values, packed).check([0, 1])
    for name, values in (("as given", weights), ("changed", changed))
  }
  with pytest.raises(arms.Disagreement, match="changed has"):
    arms.check_agreement(results)
