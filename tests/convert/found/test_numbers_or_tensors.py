"""Operators of what is a tensor on some paths and a Python number on others, on both sides."""

import pytest
import tensorflow as tf

from tests.convert.agreement import agrees, of_text


def node(value, *kids):
  return {"value": value, "kids": list(kids)}


def trees():
  return [
    node(2.0),
    node(None),
    node(None, node(2.0), node(3.0)),
    node(None, node(None), node(3.0)),
    node(None, node(None), node(None, node(None))),
    node(None, node(2.0), node(None, node(0.5), node(1.5)), node(None)),
  ]


LEAVES = {
  "vector": "tf.fill([2], 1.5) * n['value']",
  "scalar": "tf.constant(0.25) + n['value']",
  "rows": "tf.fill([3, 2], 1.5) * n['value']",
  "rows_of_the_run": "tf.ones([tf.cast(n['value'] + 1, tf.int32), 2])[:SIZE]",
  "double": "tf.ones([2], tf.float64) * n['value']",
  "ints": "tf.cast(tf.fill([2], n['value']), tf.int32)",
}
STEPS = {
  "product": ("1.0", "result * f(k)"),
  "sum": ("0.0", "result + f(k)"),
  "difference": ("2.0", "result - f(k)"),
  "other_way": ("1.5", "f(k) - result"),
  "twice": ("1.0", "result * f(k) + result"),
  "square": ("3.0", "result * result + f(k)"),
  "quotient": ("1.0", "result / f(k)"),
  "power": ("2.0", "f(k) ** result"),
  "scaled": ("1.0", "result * 0.5 * f(k)"),
  "of_a_constant": ("1.0", "result * tf.constant([1.0, 2.0])"),
  "int": ("1", "result * f(k)"),
  "two": ("1.0", "(f(k) + result) * (result - f(k))"),
  "not_exact": ("0.1", "result * f(k) * f(k)"),
  "larger": ("1.0", "result * tf.ones([4, 1, 2]) * f(k)"),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("leaf", LEAVES)
def test_results_are_pythons(leaf, step):
  begin, then = STEPS[step]
  text = f"""
def f(n):
  if n["value"] is not None:
    return {LEAVES[leaf]}
  result = {begin}
  for k in n["kids"]:
    result = {then}
  return result
"""
  agrees(of_text(text, tf=tf, SIZE=1), lambda: [(tree,) for tree in [*trees(), *trees()]])


SIZES = {"none": 0, "one": 1, "more": 3}


@pytest.mark.parametrize(
  "how", ["sum(rows)", "1.0 * sum(rows)", "sum(rows) * sum(rows) + sum(rows)"]
)
@pytest.mark.parametrize("sizes", SIZES)
def test_sums_of_no_tensors(sizes, how):
  text = f"""
def f(n, other):
  rows = [f(k, other) for k in n["kids"]]
  return {how} + other[: n["size"]] * sum(rows)
"""

  def calls():
    trees = [
      {"size": SIZES[sizes], "kids": []},
      {"size": 1, "kids": [{"size": SIZES[sizes], "kids": []}, {"size": 1, "kids": []}]},
    ]
    return [(tree, tf.ones([size, 2])) for tree in trees * 2 for size in (3, 1)]

  agrees(of_text(text, tf=tf), calls)
