"""The arms of the throughput benchmark compute the same, and a disagreement is seen."""

import importlib

import numpy as np
import pytest

from benchmarks import sst_throughput
from benchmarks.options import Options
from benchmarks.peers import weights as w

OPTIONS = Options(size="smoke", data="sample")


def make_peer(arm, model, weights, packed):
  module, name = sst_throughput.ARMS[arm].split(":")
  if arm == "torch":
    pytest.importorskip("torch")
  return getattr(importlib.import_module(module), name)(model, weights, packed)


@pytest.fixture(scope="module")
def trees():
  return sst_throughput.load_trees(OPTIONS, 6)


def setting(model, trees):
  packed, vocab_size = trees
  return w.make_weights(model, vocab_size, w.SMALL_SIZES[model], 1), packed


@pytest.mark.parametrize("model", w.MODELS)
@pytest.mark.parametrize("arm", ["eager", "while_loop", "torch"])
def test_peer_agrees_with_recursive_tf(model, arm, trees):
  weights, packed = setting(model, trees)
  results = {
    name: make_peer(name, model, weights, packed).check([0, 1, 2, 5])
    for name in ("recursive_tf", arm)
  }
  sst_throughput.check_agreement(results)


@pytest.mark.parametrize("model", w.MODELS)
@pytest.mark.parametrize("arm", ["recursive_tf", "while_loop", "torch"])
def test_steps_lead_to_the_same_loss(model, arm, trees):
  weights, packed = setting(model, trees)
  losses = []
  for name in ("eager", arm):
    peer = make_peer(name, model, weights, packed)
    # Trees 0 and 1 twice: the rows of their words are touched more than once in one step.
    for batch in ([0, 1, 0], [2, 3], [1, 4, 5]):
      peer.train(batch)
    losses.append(peer.loss_and_gradients([0, 2, 4])[0])
  np.testing.assert_allclose(losses[1], losses[0], rtol=1e-4)


def test_other_weights_are_a_disagreement(trees):
  weights, packed = setting("treernn", trees)
  changed = {**weights, "bias": weights["bias"] + np.float32(0.01)}
  results = {
    name: make_peer("eager", "treernn", values, packed).check([0, 1])
    for name, values in (("as given", weights), ("changed", changed))
  }
  with pytest.raises(sst_throughput.Disagreement, match="changed has"):
    sst_throughput.check_agreement(results)
