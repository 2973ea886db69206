"""A program is not refused for good because a machine is slow."""

import itertools

import pytest

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame import _budget
from recursive_tf.convert.frame._budget import Limits
from recursive_tf.convert.recursive._function import RecursiveFunction
from tests.convert.agreement import root


@pytest.fixture(autouse=True)
def clock(monkeypatch):
  """Lets each look at the processor time find that a second has passed."""
  ticks = itertools.count()
  monkeypatch.setattr(_budget.time, "thread_time", lambda: float(next(ticks)))
  return ticks


def total(node):
  return node.v + sum(function_of(kid) for kid in node.kids)


def function_of(node):
  return total(node)


def cost_of_a_conversion(clock):
  begin = next(clock)
  function = RecursiveFunction(total, verify=False, limits=Limits(seconds=1e9))
  assert function(root()) == 6 and function.stats.num_converted_runs == 1
  return next(clock) - begin


def test_what_took_too_long_is_tried_once_more_with_more_time(clock):
  seconds = cost_of_a_conversion(clock) / 2
  function = RecursiveFunction(total, verify=False, limits=Limits(seconds=seconds))
  for _ in range(5):
    assert function(root()) == 6
  assert function.stats.fallbacks == {Reason.TOO_LARGE: 5} and function.stats.num_conversions == 1
  assert "tried once more" in str(function.explain())
  function.stats.total_seconds += 5 * seconds  # As long as the second try may take.
  for _ in range(5):
    assert function(root()) == 6
  assert function.stats.num_converted_runs == 5 and function.stats.num_conversions == 2


def test_what_takes_too_long_twice_stays_plain(clock):
  seconds = cost_of_a_conversion(clock) / 20
  function = RecursiveFunction(total, verify=False, limits=Limits(seconds=seconds))
  for _ in range(5):
    assert function(root()) == 6
    function.stats.total_seconds += 5 * seconds
  assert function.stats.num_conversions == 2 and not function.stats.num_converted_runs


def test_what_takes_too_many_steps_is_not_tried_again():
  function = RecursiveFunction(total, verify=False, limits=Limits(num_steps=10, seconds=1e9))
  for _ in range(5):
    assert function(root()) == 6
    function.stats.total_seconds += 1e10
  assert function.stats.num_conversions == 1 and function.stats.fallbacks == {Reason.TOO_LARGE: 5}


def scaled(node, scale):
  return scale * node.v + sum(scaled_of(kid, scale) for kid in node.kids)


def scaled_of(node, scale):
  return scaled(node, scale)


def test_what_takes_too_long_has_half_the_time_for_arguments_of_another_kind(clock):
  seconds = cost_of_a_conversion(clock) / 2
  function = RecursiveFunction(scaled, verify=False, limits=Limits(seconds=seconds))
  took = []
  for scale in (1, 1.0, True):
    begin = next(clock)
    function(root(), scale)
    took.append(next(clock) - begin)
  assert function.stats.fallbacks == {Reason.TOO_LARGE: 3}
  assert took[0] > took[1] > took[2], took
