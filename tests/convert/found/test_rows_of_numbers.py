"""Tensors of lists of as many numbers each, of which the run finds how many there are."""

import numpy as np
import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, of_text


class Node:
  def __init__(self, points, *kids):
    self.points, self.kids = points, list(kids)
    self.total = sum(map(float, sum(([*p] for p in points), [])))


POINTS = {
  "ints": [(0, 0), (1, 0), (1, 1), (0, 1)],
  "floats": [(0.5, 1.25), (2.0, -1.0), (0.1, 0.2)],
  "ints and floats": [(1, 0.5), (2, 1.5)],
  "mixed": [(1, 0.5), (0.5, 1)],
  "lists": [[1.0, 2.0], [3.0, 4.0]],
  "bools": [(True, False), (False, True)],
  "large": [(2**40, 1.0), (3, 2.0)],
  "too large for int32": [(2**31, 1), (3, 4)],
  "not of float32": [(0.1, 1e39), (1e-46, 1.0)],
  "of NumPy": [(np.float32(0.5), np.float32(1.5))],
}
TABLES = {
  "pairs": "[[x, y] for x, y in n.points]",
  "with a constant": "[[x, y, 1.0] for x, y in n.points]",
  "with an int": "[[x, 2] for x, _ in n.points]",
  "tuples": "[(x, y) for x, y in n.points]",
  "as they are": "[p for p in n.points]",
  "from the tree": "n.points",
  "of one": "[[x + y] for x, y in n.points]",
  "computed": "[[x * 2, y - x, n.total] for x, y in n.points]",
  "filtered": "[[x, y] for x, y in n.points if x]",
}
MAKERS = {
  "constant": "tf.constant(TABLE)",
  "float32": "tf.constant(TABLE, tf.float32)",
  "by name": "tf.constant(TABLE, dtype=tf.float64)",
  "int32": "tf.constant(TABLE, tf.int32)",
  "shape": "tf.constant(TABLE, shape=[1, 2])",
  "convert": "tf.convert_to_tensor(TABLE)",
  "convert to": "tf.convert_to_tensor(TABLE, tf.float32)",
  "stack": "tf.stack(TABLE)",
  "mean": "tf.reduce_mean(TABLE, 0)",
  "cast": "tf.cast(TABLE, tf.float32)",
  "variable": "tf.concat(TABLE, 0)",
}


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("points", POINTS)
def test_tables(points, table, maker):
  text = f"""
def f(n):
  found = [f(kid) for kid in n.kids]
  return {MAKERS[maker].replace("TABLE", TABLES[table])}, found
"""
  some = POINTS[points]

  def calls():
    leaf = Node(some[:1])
    trees = [
      Node(some),
      leaf,
      Node(some[:2], leaf, Node(some)),
      Node([]),
      Node(some[1:], leaf),
      Node(some),
    ]
    return [(tree,) for tree in trees]

  agrees(of_text(text, tf=tf), calls)


@pytest.mark.parametrize("points", ["ints", "floats", "lists"])
def test_rows_with_a_constant_are_converted(points):
  text = """
def f(n, m):
  rows = tf.constant([[x, y, 1.0] for x, y in n.points]) @ tf.transpose(m)
  return rows[:, :2], [f(kid, m @ m) for kid in n.kids]
"""
  some = POINTS[points]
  trees = [Node(some, Node(some[:1])), Node(some[:2]), Node(some, Node(some, Node(some[1:])))]
  agrees(of_text(text, tf=tf), lambda: [(tree, tf.eye(3) * 0.5) for tree in trees], CONVERTED)


BESIDE = {
  "float": "1.0",
  "int": "2",
  "float of the run": "n.total",
  "int of the run": "len(n.kids)",
  "bool": "True",
  "tensor": "tf.constant(1.0)",
  "another": "sum(x for x, _ in n.points)",
}
LISTS = [
  "[SUM, BESIDE]",
  "[BESIDE, SUM]",
  "[[SUM, BESIDE], [BESIDE, 3]]",
  "(SUM, BESIDE)",
  "[[SUM], [BESIDE]]",
]


@pytest.mark.parametrize(
  "made", ["tf.constant(LIST)", "tf.constant(LIST, tf.float32)", "tf.stack(LIST)"]
)
@pytest.mark.parametrize("in_list", LISTS)
@pytest.mark.parametrize("beside", BESIDE)
def test_sums_that_are_ints_or_floats(beside, in_list, made):
  """Python's sum of no floats is an int."""
  items = in_list.replace("SUM", "sum(y for _, y in n.points)").replace("BESIDE", BESIDE[beside])
  text = f"def f(n):\n  return {made.replace('LIST', items)}, [f(kid) for kid in n.kids]"
  some = POINTS["floats"]

  def calls():
    trees = [
      Node(some),
      Node([]),
      Node(some, Node([]), Node(some[:1])),
      Node([], Node(some)),
      Node([]),
    ]
    return [(tree,) for tree in trees]

  agrees(of_text(text, tf=tf), calls)
