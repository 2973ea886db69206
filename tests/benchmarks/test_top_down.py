"""The arms of the top-down benchmark compute the same."""

import numpy as np
import pytest

from benchmarks import top_down
from benchmarks.arms import check_agreement
from benchmarks.options import Options
from benchmarks.peers import top_down_cells as cells


@pytest.fixture(scope="module")
def setting():
  packed, vocab_size, num_conditions = top_down.load_trees(8)
  weights = cells.make_weights(vocab_size, num_conditions, cells.SMALL_SIZES, 1)
  # These generate trees of 2 to 155 nodes.
  weights["edge_bias"] = np.full(4, -2.0, np.float32)
  for name in ("hidden_weights", "edge_weights", "conditions", "output_weights", "embedding"):
    weights[name] = 4 * weights[name]
  return {"weights": weights, "packed": packed}


def make_peer(arm, setting):
  return top_down.ARMS[arm].start(1, Options(in_process=True), **setting)


INDICES = [0, 1, 2, 5]


@pytest.fixture(scope="module")
def expected(setting):
  recursion = make_peer("concurrent", setting)
  _, num_nodes = recursion.call("quality", INDICES)
  assert 20 < num_nodes < 200, num_nodes
  return recursion.call("check", INDICES)


@pytest.mark.parametrize("arm", list(top_down.ARMS)[2:])
def test_peer_agrees_with_recursive_tf(arm, setting, expected):
  found = make_peer(arm, setting).call("check", INDICES)
  check_agreement({"concurrent": expected, arm: found})


@pytest.mark.one_in(4)
@pytest.mark.parametrize("arm", ["concurrent", "loop_one_node", "loop_one_each", "loop_levels"])
def test_steps_lead_to_the_same_loss(arm, setting):
  losses = []
  for name in ("eager", arm):
    peer = make_peer(name, setting)
    for batch in ([0, 1, 0], [2, 3], [1, 4, 5]):
      peer.call("train", batch)
    losses.append(peer.call("loss_and_gradients", [0, 2, 4])[0])
  np.testing.assert_allclose(losses[1], losses[0], rtol=1e-4)
