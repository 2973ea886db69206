"""How often a program is made before it is known: each attempt costs as much as the last."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
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
  # The call, the result of a leaf, the result of a sum; and the program.
  assert attempts == [True, True, True, False]


def test_what_calls_need_not_check_takes_a_trial_more_where_one_would(attempts):
  weight = tf.Variable(2.0)

  @rtf.recursive(strict=True)
  def total(node):
    if isinstance(node, Leaf):
      return weight * node.value
    return total(node.left) + total(node.right)

  assert total(Inner(Inner(Leaf(1.0), Leaf(2.0)), Leaf(4.0))).numpy() == 14
  assert attempts.count(False) == 1
