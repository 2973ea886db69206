"""Nodes that can be called are nodes; cells that can be called are functions."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import CONVERTED, agrees


class Called:
  """A node that can be called."""

  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)

  def __call__(self):
    return self.v + 1


class Slotted:
  """A node that can be called, without a dict."""

  __slots__ = ("kids", "v")

  def __init__(self, v, *kids):
    self.v, self.kids = v, kids

  def __call__(self):
    return self.v + 1


class Cell:
  """A function with weights."""

  def __init__(self, weight):
    self.weight = tf.Variable(weight)

  def __call__(self, value):
    return self.weight * value


class Scale:
  """A function with a number."""

  def __init__(self, factor):
    self.factor = factor

  def __call__(self, value):
    return self.factor * value


def tree(kind, value=1):
  return kind(value, kind(value + 1), kind(value + 2, kind(value + 3)))


def added(recursive):
  @recursive
  def add(node):
    return node.v + sum(add(kid) for kid in node.kids)

  return add


def called(recursive):
  @recursive
  def add(node, depth=0):
    return node() * depth + sum(add(kid, depth + 1) for kid in node.kids)

  return add


class Own:
  """A node that can be called, with methods that are recursive."""

  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)

  def __call__(self, factor=1):
    return self.v * factor


def own_method(recursive):
  @recursive
  def add(self):
    return self.v + sum(add(kid) for kid in self.kids)

  return add


def own_method_that_calls_itself(recursive):
  @recursive
  def add(self, depth=0):
    return self(depth) + sum(add(kid, depth + 1) for kid in self.kids)

  return add


@pytest.mark.parametrize(
  "build, kind",
  [
    (own_method, Called),
    (own_method, Slotted),
    (own_method, Own),
    (own_method_that_calls_itself, Own),
  ],
)
def test_callable_nodes_may_be_self(build, kind):
  trees = [tree(kind, v) for v in range(6)] + [kind(v) for v in range(6)]
  function = agrees(build, lambda: [(one,) for one in trees], expect=CONVERTED)
  assert function.stats.num_conversions == 1


def test_methods_of_callable_nodes_are_bound_and_mapped():
  class Bound(Own):
    @rtf.recursive(verify=False)
    def add(self, depth=1):
      return self.v * depth + sum(kid.add(depth + 1) for kid in self.kids)

  stats = Bound.add.stats

  def plain(node, depth=1):
    return node.v * depth + sum(plain(kid, depth + 1) for kid in node.kids)

  trees = [tree(Bound, v) for v in range(6)]
  expected = [plain(one) for one in trees]
  assert [one.add() for one in trees] == expected
  assert list(Bound.add.map(trees)) == expected
  assert stats.num_conversions == 1 and not stats.fallbacks


def test_models_that_can_be_called_are_constants():
  class Model:
    def __init__(self, factor):
      self.factor = factor

    def __call__(self, value):
      return self.factor * value

    @rtf.recursive(verify=False)
    def power(self, value, count):
      return value if count <= 0 else self.power(self(value), count - 1)

  assert Model(2).power(tf.constant(3), 2) == 12 and Model(3).power(tf.constant(1), 2) == 9
  assert not Model.power.stats.fallbacks
  report = str(Model.power.explain())
  assert "object.factor" not in report


@pytest.mark.parametrize("kind", [Called, Slotted])
@pytest.mark.parametrize("build", [added, called])
def test_callable_nodes_share_one_conversion(build, kind):
  function = agrees(build, lambda: [(tree(kind, v),) for v in range(6)], expect=CONVERTED)
  assert function.stats.num_conversions == 1


def test_callable_nodes_may_be_mapped():
  function = rtf.recursive(added(lambda f: f), verify=False)
  python = function.python
  trees = [tree(Called, v) for v in range(4)]
  for some in (trees[:3], trees[1:], trees[:1]):
    assert list(function.map(some)) == [python(one) for one in some]
  assert function.stats.num_conversions == 1 and not function.stats.fallbacks


def test_callable_first_arguments_beside_a_tree_are_constants():
  def build(recursive):
    @recursive
    def fold(cell, node):
      return cell(node.v) + sum(fold(cell, kid) for kid in node.kids)

    return fold

  scale = Scale(3)
  agrees(build, lambda: [(scale, tree(Called, v)) for v in range(3)])


def test_cells_with_weights_are_constants():
  def build(recursive):
    @recursive
    def power(cell, value, count):
      return value if count <= 0 else power(cell, cell(value), count - 1)

    return power

  cell = Cell(2.0)
  calls = [(cell, tf.constant(1.0), 3), (cell, tf.constant(2.0), 4)]
  function = agrees(build, lambda: calls, expect=CONVERTED)
  assert function.stats.num_conversions == 1


def test_functions_with_numbers_may_be_the_first_argument():
  def build(recursive):
    @recursive
    def power(scale, value, count):
      return value if count <= 0 else power(scale, scale(value), count - 1)

    return power

  agrees(build, lambda: [(Scale(2), 1, 3), (Scale(3), 2, 4)], expect=CONVERTED)
