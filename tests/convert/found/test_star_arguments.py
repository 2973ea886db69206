"""`f(*rows)`, where only the run knows how many arguments that are."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import CONVERTED, Node, agrees, root
from tests.convert.found.collected import collector

programs, program = collector()


def deep_calls():
  deep = Node(1, True, "r", Node(2, True, "a", Node(4, False, "c")), Node(3, False, "b"))
  return [(root(),), (deep,), (Node(7, True, "x"),)]


@program(CONVERTED, deep_calls)
def children_as_the_nodes(recursive):
  @recursive
  def total(*nodes, scale=1):
    out = 0
    for node in nodes:
      out += node.v * scale + total(*node.kids, scale=scale + 1)
    return out

  return total


@program(CONVERTED, deep_calls)
def children_as_the_nodes_of_a_comprehension(recursive):
  @recursive
  def total(*nodes):
    return sum(node.v + total(*node.kids) for node in nodes) + len(nodes)

  return total


@program(CONVERTED, deep_calls)
def children_after_a_name(recursive):
  @recursive
  def total(node, *kids):
    return node.v + len(kids) + sum(total(kid, *kid.kids) for kid in node.kids)

  return total


@program(CONVERTED, deep_calls)
def children_after_the_first(recursive):
  def weigh(*nodes):
    return sum((i + 1) * node.v for i, node in enumerate(nodes))

  @recursive
  def total(node):
    return weigh(node, *node.kids) + sum(total(kid) for kid in node.kids)

  return total


@program(CONVERTED, deep_calls)
def states_of_children(recursive):
  def merge(*states):
    return tf.add_n(states) if states else tf.zeros([2])

  @recursive
  def encode(node):
    return merge(*[encode(kid) for kid in node.kids]) + tf.cast(node.v, tf.float32)

  return encode


@program(CONVERTED, deep_calls)
def of_a_method(recursive):
  class Model:
    scale = 2

    def merge(self, *states):
      return self.scale * sum(states)

    @recursive
    def encode(self, node):
      return node.v + self.merge(*[self.encode(kid) for kid in node.kids])

  return Model().encode


@program(CONVERTED, deep_calls)
def children_as_named_parameters(recursive):
  def merge(first=0, second=0):
    return first - second

  @recursive
  def encode(node):
    return node.v + merge(*[encode(kid) for kid in node.kids])

  return encode


@program(CONVERTED, deep_calls)
def the_first_of_them_has_a_name(recursive):
  def merge(first=0, *others):
    return first - sum(others)

  @recursive
  def encode(node):
    return node.v + merge(*[encode(kid) for kid in node.kids])

  return encode


@program(CONVERTED, deep_calls)
def changed_list(recursive):
  def add(out, *values):
    for value in values:
      out.append(value)

  @recursive
  def walk(node):
    out = [node.v]
    add(out, *[walk(kid) for kid in node.kids])
    return sum(out)

  return walk


@pytest.mark.parametrize(("build", "expect", "calls"), programs)
def test_as_many_arguments_as_the_run_finds(build, expect, calls):
  agrees(build, calls, expect)


@pytest.mark.parametrize("decorate", [rtf.recursive, rtf.function])
@pytest.mark.parametrize(
  "use",
  [
    lambda n: max(*n.numbers),
    lambda n: max(*n.numbers, key=lambda x: -x),
    lambda n: min(*n.numbers, key=lambda x: -x),
    lambda n: max(*n.numbers, default=0),
    lambda n: max(*[x + 1 for x in n.numbers], key=abs),
    lambda n: list(zip(*[n.numbers, n.numbers], strict=True)),
  ],
)
def test_extremes_of_a_starred_list_go_by_the_key(use, decorate):
  class Node:
    def __init__(self, numbers):
      self.numbers = numbers

  def outcome(function, node):
    try:
      return function(node)
    except TypeError:
      return TypeError

  converted = decorate(lambda node: use(node), verify=False)
  for numbers in ([3, 1, 2], [1, 2], [7], [], [5, 9, -10, 3], [7]):
    assert outcome(converted, Node(numbers)) == outcome(use, Node(numbers))
