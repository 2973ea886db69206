"""`xs += x`, where `x` has an operator of its own: Python asks that before it changes the list."""

import numpy as np
import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, of_one, root

T = tf.constant([1.0, 2.0])
V = tf.Variable([0.5, 2.0])
A = np.array([1.0, 2.0])


class Taking:
  """Takes lists, and can be gone over."""

  def __init__(self, *parts):
    self.parts = parts

  def __radd__(self, other):
    return (len(other), self.parts)

  def __rmul__(self, other):
    return [*other, "taken"]

  def __iter__(self):
    return iter(self.parts)


def pair(v):
  found = root()
  found.pair = [v, 2.0]
  found.kids = []
  return found


def trees():
  return [(pair(1.0),), (pair(2.5),), (pair(-1.0),)]


def of_the_tree(f, n):
  found = n.pair
  found += T
  return found


def an_attribute(f, n):
  n.pair += T
  return n.v


def made(f, n):
  found = [n.v, 1]
  found += T
  return found


def by_a_variable(f, n):
  found = n.pair
  found += V
  return found


def by_an_array(f, n):
  found = n.pair
  found += A
  return found


def by_an_object(f, n):
  found = [n.v]
  found += Taking(1, 2)
  return found


def multiplied(f, n):
  found = n.pair
  found *= T
  return found


def multiplied_by_an_object(f, n):
  found = [n.v]
  found *= Taking(1, 2)
  return found


_OTHERS = (of_the_tree, an_attribute, made, by_a_variable, by_an_array, by_an_object, multiplied)
_OTHERS += (multiplied_by_an_object,)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("program", _OTHERS, ids=lambda f: f.__name__)
def test_such_an_operator_is_asked_first(program):
  agrees(of_one(program), trees)


def by_lists(f, n):
  found = [n.v]
  found += [n.name, n.flag]
  found += (n.v, n.v + 1)
  found += (k.v for k in n.kids)
  found += {"a": 1, "b": 2}
  found += n.name
  found *= 2
  return found, [f(k) for k in n.kids]


def test_what_has_none_is_added_in_place():
  agrees(of_one(by_lists), lambda: [(root(),), (bushy(),), (Node(1, True, "xyz"),)])


def counted(f, n):
  found = [n.v]
  same = found
  found += [k.v for k in n.kids]
  return len(same) + sum(f(k) for k in n.kids)


def test_the_list_stays_the_one_it_is():
  agrees(of_one(counted), lambda: [(root(),), (bushy(),)], expect=CONVERTED)
