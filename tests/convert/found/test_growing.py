"""Tuples and lists that are passed in and grow with each call, and what is in them."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root


def deep(depth, v=1):
  kids = [deep(depth - 1, 2 * v + i) for i in range(depth % 3)] if depth else []
  return Node(v, v % 3 == 0, f"n{v % 4}", *kids)


def trees():
  return [Node(7, True, "l"), root(), lopsided(), bushy(), deep(5)]


def sums(n, path, visit):
  path = path + (n.v,)
  return sum(path) * len(path) + sum([visit(k, path) for k in n.kids])


def names(n, path, visit):
  path += (n.name,)
  if not n.kids:
    return path[-1] + path[0]
  return "".join([visit(k, path) for k in n.kids])


def nodes(n, path, visit):
  found = path[-1].v if path else 0
  return found + n.v * 10 + sum([visit(k, (*path, n)) for k in n.kids])


def pairs(n, path, visit):
  found = sum([i * v for i, v in path])
  return found + sum([visit(k, path + ((i, k.v),)) for i, k in enumerate(n.kids)])


def in_front(n, path, visit):
  path = (n.v,) + path
  return path[0] - path[-1] + 2 * sum([visit(k, path) for k in n.kids])


def twice(n, path, visit):
  both = path + path + (n.v,)
  return len(both) + sum([visit(k, path + (n.v, n.v)) for k in n.kids])


def is_on_path(n, path, visit):
  found = 1 if n.name in path else 0
  return found + 2 * sum([visit(k, path + (n.name,)) for k in n.kids])


def number_on_path(n, path, visit):
  found = 1 if n.v % 3 in path else 0
  return found + 2 * sum([visit(k, path + (n.v % 3,)) for k in n.kids])


def node_on_path(n, path, visit):
  found = 1 if n in path else 0
  return found + 2 * sum([visit(k, path + (n,) + tuple(n.kids[:1])) for k in n.kids])


def returned(n, path, visit):
  path = path + (n.v,)
  return [path] + [p for k in n.kids for p in visit(k, path)]


WAYS = [
  *(sums, names, nodes, pairs, in_front, twice, is_on_path, number_on_path, node_on_path),
  returned,
]


@pytest.mark.parametrize("is_default", [True, False], ids=["default", "passed"])
@pytest.mark.parametrize("way", WAYS, ids=lambda f: f.__name__)
def test_tuples_that_grow(way, is_default):
  def build(recursive):
    @recursive
    def visit(n, path=()):
      return way(n, path, visit)

    return visit

  def calls():
    return [(tree,) if is_default else (tree, ()) for tree in trees()]

  agrees(build, calls)


@pytest.mark.parametrize("way", [sums, in_front, is_on_path], ids=lambda f: f.__name__)
def test_they_convert(way):
  def build(recursive):
    @recursive
    def visit(n, path):
      return way(n, path, visit)

    return visit

  agrees(build, lambda: [(tree, ()) for tree in trees()[1:]], expect=CONVERTED)


def test_tuples_that_hold_something_before():
  def build(recursive):
    @recursive
    def visit(n, path):
      return sums(n, path, visit)

    return visit

  agrees(build, lambda: [(root(), (5,)), (bushy(), (1, 2)), (root(), ()), (root(), (0.5,))])


@pytest.mark.parametrize("how", ["new", "in_place", "extended"])
def test_lists_that_grow(how):
  def build(recursive):
    @recursive
    def visit(n, path):
      if how == "new":
        path = path + [n.v]
      elif how == "in_place":
        path += [n.v]
      else:
        path = [*path, n.v]
      return sum(path) + 3 * sum([visit(k, path) for k in n.kids])

    return visit

  def calls():
    kept = [4]
    return [*((tree, []) for tree in trees()), (root(), kept), (root(), kept)]

  agrees(build, calls)


def test_a_list_that_is_handed_on_is_the_same_list():
  """A sum is a new list; what it is made of stays, and stays as it is."""

  def build(recursive):
    @recursive
    def visit(n, path):
      longer = path + [n.v]
      longer.append(0)
      return [len(path), len(longer), *[x for k in n.kids for x in visit(k, longer)]]

    return visit

  agrees(build, lambda: [(root(), []), (bushy(), [1, 2])])


def test_gradients_through_a_path():
  def build(recursive):
    weight = tf.Variable(0.5)

    @recursive
    def visit(n, states=()):
      states = states + (weight * float(n.v),)
      if not n.kids:
        return tf.reduce_mean(tf.stack(states))
      return tf.add_n([visit(k, states) for k in n.kids])

    return visit, [weight]

  agrees(build, lambda: [(t,) for t in trees()], variables=lambda function, state: state)


def test_other_sums_raise():
  def build(recursive):
    @recursive
    def visit(n, path):
      if n.flag:
        return len(path) + sum([visit(k, path) for k in n.kids])
      return len(path + [n.v])

    return visit

  agrees(build, lambda: [(Node(1, True, "l"), ()), (root(), ()), (root(), [])])


@pytest.mark.parametrize("value", [float("nan"), 0.5, True, 2, "a", None])
def test_what_is_in_a_list(value):
  def build(recursive):
    @recursive
    def visit(n, found):
      here = [k.v * 0.25 for k in n.kids]
      ints = [k.v for k in n.kids]
      return (value in here) + 2 * (value in ints) + sum([visit(k, found) for k in n.kids])

    return visit

  agrees(build, lambda: [(root(), []), (bushy(), [])])
