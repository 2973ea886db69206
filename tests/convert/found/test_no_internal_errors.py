"""What once ended a conversion by an error of the converter: Python's outcome, told as such."""

from fractions import Fraction

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids, self.c, self.o = v, list(kids), 0, None


def tree():
  return Node(1, Node(2), Node(3, Node(4)))


def call_all(n, g):
  return [g(n)] + [call_all(kid, g) for kid in n.kids]


ARRAY = np.array([1.0, 2.0])


def times(number):
  return lambda n: number * 2


CALLED = {
  "a_constant_made_anew": times(Fraction(2)),
  "a_key_without_a_hash": lambda n, c=[0, 1]: {c: n.v},  # noqa: B006
  "an_array_in_a_tuple": lambda n: ARRAY in (1, 2.0, "ab"),
  "an_array_in_a_list": lambda n: ARRAY in [1, n.v],
  "a_set_without_a_hash": lambda n: {(1, []): n.v},
}


@pytest.mark.parametrize("called", CALLED)
def test_functions(called):
  function = rtf.recursive(verify=False)(call_all)
  for _ in range(3):
    try:
      want = call_all(tree(), CALLED[called])
    except (TypeError, ValueError) as error:
      with pytest.raises(type(error)):
        function(tree(), CALLED[called])
    else:
      assert function(tree(), CALLED[called]) == want
  assert Reason.INTERNAL_ERROR not in function.stats.fallbacks


class Counter:
  def __init__(self):
    self.c, self.o = 0, None

  @rtf.recursive(verify=False)
  def go(self, n):
    self.c += 1
    for kid in n.kids:
      self.go(kid)
    self.o = self
    return 0


def test_a_build_that_asks_for_more_than_its_trial():
  trees = [Node(1), tree(), Node(1, Node(2, Node(3))), Node(1, tree())]
  for one in trees * 8:
    counter = Counter()
    counter.go(one)
    counter.go(one)
    assert counter.o is counter
  assert Reason.INTERNAL_ERROR not in Counter.go.stats.fallbacks


def test_lists_of_tensors_of_several_ranks():
  @rtf.recursive(verify=False)
  def weights(n):
    out = [n.v]
    for kid in n.kids:
      out += weights(kid)
    return out

  for one in [
    Node(tf.ones([1]), Node(tf.constant(2.0))),
    Node(tf.ones([2, 2]), Node(tf.ones([1]))),
  ]:
    assert [w.shape.rank for w in weights(one)] == [one.v.shape.rank, one.kids[0].v.shape.rank]
  assert {Reason.INTERNAL_ERROR, Reason.GRAPH_ERROR}.isdisjoint(weights.stats.fallbacks)
