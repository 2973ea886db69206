import dataclasses
import itertools

import pytest

from benchmarks.distributed_cost import Configuration, CostModel

MEGABYTE = 1e6


def configuration(model, num_workers, nodes):
  dense = {"small": 0.2, "large": 1.3}[model] * MEGABYTE
  return Configuration(model, num_workers, nodes, dense, 600.0 * nodes)


def seconds_of(each):
  """Twice as dear per node for the large model; 1 ms together, 0.2 a message, 3 a megabyte."""
  alone = {"small": 1e-3 + 2e-5 * each.nodes, "large": 3e-3 + 4e-5 * each.nodes}[each.model]
  if each.num_workers == 1:
    return alone
  return alone + 1e-3 + 2e-4 * each.num_messages + 3e-9 * each.num_bytes


ALL = [configuration(*of) for of in itertools.product(("small", "large"), (1, 2, 4), (400, 900))]


def test_a_ring_sends_what_is_counted():
  four = Configuration("large", 4, 0.0, dense_bytes=4e6, row_bytes=10.0)
  assert four.num_messages == 2 * 3 + 3
  assert four.num_bytes == 2 * 3 * (4e6 / 4) + 3 * 10.0
  four = Configuration("small", 4, 0.0, dense_bytes=4.0, row_bytes=10.0)
  assert four.num_messages == 3 and four.num_bytes == 3 * (4.0 + 10.0)
  one = Configuration("small", 1, 0.0, 4.0, 10.0)
  assert one.num_messages == one.num_bytes == 0


def test_what_made_the_times_is_found_and_carried_on():
  costs = CostModel(ALL, [seconds_of(each) for each in ALL])
  assert costs.coefficients == pytest.approx(
    {
      "large, fixed": 3e-3,
      "large, per node": 4e-5,
      "small, fixed": 1e-3,
      "small, per node": 2e-5,
      "together": 1e-3,
      "per message": 2e-4,
      "per byte": 3e-9,
    },
    rel=1e-6,
  )
  far = configuration("large", 1000, 900)
  assert costs.seconds(far) == pytest.approx(seconds_of(far))
  alone = seconds_of(configuration("large", 1, 900))
  assert costs.scale_factor(far) == pytest.approx(alone / seconds_of(far))


def test_trees_for_a_scale_factor():
  costs = CostModel(ALL, [seconds_of(each) for each in ALL])
  few = configuration("large", 4, 900)
  trees = costs.trees_for(0.8, few, 25, row_growth=0.5)
  more = dataclasses.replace(
    few, nodes=900 * trees / 25, row_bytes=few.row_bytes * (trees / 25) ** 0.5
  )
  assert trees > 25 and costs.scale_factor(few) < 0.8 <= costs.scale_factor(more) < 0.82
  assert costs.trees_for(0.1, few, 25, 0.5) == 25
  assert costs.trees_for(0.9999, few, 25, 1.0) == float("inf")


def test_no_coefficient_is_negative():
  falling = [seconds_of(each) / each.num_workers for each in ALL]
  assert min(CostModel(ALL, falling).coefficients.values()) >= 0
