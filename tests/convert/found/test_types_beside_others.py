"""Where a value may be of several types of which Python takes some: the run fails of the others.

A list of lists has numbers and lists in one place; a tree may have other leaves in another call.
"""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


def members(grid, r):
  """Puts together a set of elements of lists in a list."""
  used = set(grid[r]) | {row[0] for row in grid}
  return [v for v in range(5) if v not in used] + ([] if r == 0 else members(grid, r - 1))


def product(grid, r):
  return 1 if r < 0 else 2 * grid[r][0] * product(grid, r - 1)


GRIDS = [[[1, 2], [3, 4]], [[0, 0], [4, 1]], [[1, 2], [[3], 4]], [[(1,), 2], [3, 4]], [[1], []]]


@pytest.mark.parametrize("program", [members, product])
def test_elements_of_lists_in_lists(program):
  agrees(lambda recursive: recursive(program), lambda: [(g, 1) for g in GRIDS[:2]], CONVERTED)
  agrees(lambda recursive: recursive(program), lambda: [(grid, 1) for grid in GRIDS])


NAMES = {
  "item": lambda n, table: table[n.v],
  "get": lambda n, table: table.get(n.v, 0),
  "in": lambda n, table: int(n.v in table),
  "set": lambda n, table: len({n.v, "a"}),
  "made": lambda n, table: {k.v: 1 for k in n.kids}.get(n.v, 0),
}


@pytest.mark.parametrize("asked", NAMES)
@pytest.mark.parametrize("others", [("b", "c"), ("b", None), ("b", ("a", 1)), (None, ["a"])])
def test_keys_beside_what_is_no_key(asked, others):
  ask = NAMES[asked]

  def build(recursive):
    @recursive
    def f(n, table):
      found = ask(n, table) if n.kids else 0
      return [found, [f(k, table) for k in n.kids]]

    return f

  def tree(inner):
    first, second = others
    return Node("a", Node(inner, Node(second)), Node(first))

  def calls():
    tables = [{"a": 1, "b": 2}, {"b": 3, None: 4}, {("a", 1): 5, "a": 6}]
    return [(tree(inner), dict(t)) for t in tables for inner in ("b", "b", others[1])]

  agrees(build, calls)


def test_dict_of_what_may_be_a_leaf():
  def build(recursive):
    @recursive
    def g(value, key):
      copied = dict(value)
      return copied["a"] if key == "a" else g(value["d"], "a")

    return g

  agrees(build, lambda: [({"a": 1, "d": {"a": 2}}, key) for key in "ad"], expect=CONVERTED)
  values = [{"a": 1, "d": {"a": 2}}, {"a": "x", "d": [("a", 3)]}, {"a": 1, "d": 3}, {"d": {}}, {}]
  agrees(build, lambda: [(value, key) for value in values for key in "ad"])


class Scale:
  def __init__(self, by):
    self.by = by

  def __call__(self, *xs):
    return (xs[0] + xs[-1] * len(xs)) * self.by


class Module(tf.Module):
  def __init__(self, by):
    super().__init__()
    self.w = tf.Variable(by)

  def __call__(self, first, *xs):
    return (first + len(xs)) * self.w


def test_as_many_arguments_as_the_run_finds_for_objects_that_are_called():
  def build(recursive):
    table = {"s": Scale(2.0), "m": Module(0.5)}

    @recursive
    def f(n):
      return table[n.v](*[f(k) for k in n.kids]) if n.kids else tf.constant(1.0)

    @recursive
    def g(n):
      return Scale(3)(*[g(k) for k in n.kids], 1) % 1000

    return f, g

  tree = Node("s", Node("m", Node(""), Node("")), Node("s"), Node("m", Node("")))
  for number in range(2):
    agrees(lambda recursive, i=number: build(recursive)[i], lambda: [(tree,)] * 2, CONVERTED)


def test_leaves_of_another_type_in_another_call():
  """Both at once are refused; each call has leaves of one type."""

  class Weighted:
    def __init__(self, weight, kids=()):
      self.weight, self.kids = weight, list(kids)

  def build(recursive):
    @recursive
    def normalize(n, z):
      return Weighted(n.weight / z, [normalize(k, z) for k in n.kids])

    return normalize

  def calls():
    floats = Weighted(2.0, [Weighted(6.0)])
    tensors = Weighted(tf.constant(2.0), [Weighted(tf.constant(6.0))])
    both = Weighted(2.0, [Weighted(tf.constant(6.0))])
    return [(tensors, tf.constant(4.0)), (floats, 4.0), (tensors, 2.0), (both, 2.0), (floats, 8.0)]

  agrees(build, lambda: calls()[:2], expect=CONVERTED)
  agrees(build, calls)
