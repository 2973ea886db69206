"""`target += ...` in a loop over calls, where the target may be a list or object of before."""

import numpy as np
import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees


class Node:
  def __init__(self, v, flag, *kids):
    self.v, self.flag, self.kids = v, flag, list(kids)
    self.log = [0]


class Total:
  def __init__(self):
    self.values = []

  def __iadd__(self, other):
    self.values.append(len(other))
    return self


STORE = []


class Holder:
  def __init__(self):
    self.items = []


def tree():
  inner = Node(4, True, Node(1, True), Node(6, False, Node(2, False)))
  return Node(5, False, inner, Node(3, True), Node(7, True, Node(0, False)))


def chosen(store, holder, given, node):
  return store if node.flag else given


def chosen_the_other_way(store, holder, given, node):
  return given if node.flag else store


def outside(store, holder, given, node):
  return store


def of_an_object(store, holder, given, node):
  return holder.items


def of_a_node(store, holder, given, node):
  return node.log


def of_a_module(store, holder, given, node):
  return STORE if node.flag else given


@pytest.mark.parametrize("start", [lambda: [], Total], ids=["list", "object"])
@pytest.mark.parametrize(
  "choose", [chosen, chosen_the_other_way, outside, of_an_object, of_a_node, of_a_module]
)
def test_what_is_changed_in_place(choose, start):
  def build(recursive):
    store, holder = start(), Holder()
    STORE.clear()

    @recursive
    def visit(node):
      other = []
      target = choose(store, holder, other, node)
      for kid in node.kids:
        found = visit(kid)  # noqa: F841 - with it the loop is a map
        target += [kid.v]
      return node.v

    return visit, [store, holder]

  agrees(build, lambda: [(Node(1, False),), (tree(),), (tree(),)])


def test_a_list_outside_is_changed_in_a_graph():
  def build(recursive):
    store = []

    @recursive
    def visit(node):
      other = []
      target = store if node.flag else other
      for kid in node.kids:
        found = visit(kid)  # noqa: F841 - with it the loop is a map
        target += [kid.v]
      return len(store)

    return visit, [store]

  agrees(build, lambda: [(Node(1, False),), (tree(),), (tree(),)], expect=CONVERTED)


@pytest.mark.parametrize(
  "begin",
  [
    lambda: 0,
    lambda: 0.5,
    lambda: np.float32(1),
    lambda: np.zeros(2, np.float32),
    lambda: tf.ones([2]),
    lambda: tf.Variable([1.0, 2.0]),
  ],
)
def test_sums_that_begin_with_something(begin):
  def build(recursive):
    start = begin()

    @recursive
    def visit(node):
      total = start
      for kid in node.kids:
        found = visit(kid)
        total += found
      return total + tf.constant([1.0, 2.0])

    return visit, [start]

  agrees(build, lambda: [(tree(),), (Node(1, False),), (tree(),)])
