"""How often a program is made before it is known: each attempt costs as much as the last."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert.program import _entry
from recursive_tf.convert.program._conversion import Conversion


@pytest.fixture
def attempts(monkeypatch):
  """The attempts made so far: whether each was only a trial."""
  found, attempt = [], Conversion._attempt

  def noted(self, graph, fed, entry):
    found.append(fed is None)
    return attempt(self, graph, fed, entry)

  monkeypatch.setattr(Conversion, "_attempt", noted)
  return found


class Node:
  def __init__(self, value, kids=()):
    self.value, self.kids = value, list(kids)


class Leaf:
  def __init__(self, value):
    self.value = value


class Inner:
  def __init__(self, left, right):
    self.left, self.right = left, right


def test_what_calls_need_not_check_takes_no_trial_where_none_would_check(attempts):
  @rtf.recursive(strict=True)
  def total(node):
    found = node.value
    for kid in node.kids:
      found += total(kid)
    return found

  assert total(Node(1, [Node(2), Node(3, [Node(4)])])) == 10
  # The call, without its loop the result of a leaf, the result of a sum; and the program.
  assert attempts == [True, True, True, True, False]


def test_what_calls_need_not_check_takes_a_trial_more_where_one_would(attempts):
  weight = tf.Variable(2.0)

  @rtf.recursive(strict=True)
  def total(node):
    if isinstance(node, Leaf):
      return weight * node.value
    return total(node.left) + total(node.right)

  assert total(Inner(Inner(Leaf(1.0), Leaf(2.0)), Leaf(4.0))).numpy() == 14
  assert attempts.count(False) == 1


class Table:
  def __init__(self, *kids):
    self.items, self.kids = {"a": 1}, list(kids)


@pytest.mark.parametrize(("seconds", "conversions"), [(1e9, 3), (0.0, 1)])
def test_what_takes_long_to_be_refused_is_refused_once(monkeypatch, seconds, conversions):
  monkeypatch.setattr(_entry, "MAX_SECONDS_REFUSED", seconds)

  @rtf.recursive
  def emptied(n):
    n.items.popitem()
    return 1 + sum([emptied(kid) for kid in n.kids])

  for _ in range(5):
    assert emptied(Table(Table())) == 2
  assert emptied.stats.num_conversions == conversions
  assert emptied.stats.num_fallback_runs == 5
