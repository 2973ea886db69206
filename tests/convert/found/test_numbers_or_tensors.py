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


WITHOUT_ELEMENTS = {"no_rows": [0, 2], "no_columns": [2, 0], "vector": [0]}
BEGINS = {
  "sum": "r = sum([k['value'] for k in n['kids']])",
  "of_results": "r = sum(f(k) for k in n['kids'])",
  "from_a_number": "r = sum([f(k) for k in n['kids']], 0.5)",
  "loop": "r = 2.0\n  for k in n['kids']:\n    r = r * f(k)",
  "loop_of_sums": "r = 0\n  for k in n['kids']:\n    r += f(k) * 1.5",
  "chosen": "r = f(n['kids'][0]) if n['kids'] else 3.0",
}
ENDS = ["return r", "return 1.0 * r", "return r + r", "return [r, 1.0]", "return (r * 2.0, r)[0]"]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("begin", BEGINS)
@pytest.mark.parametrize("shape", WITHOUT_ELEMENTS)
def test_a_number_is_kept_beside_tensors_without_elements(shape, begin, end):
  """There is no element that could hold it."""
  text = f"""
def f(n):
  if not n["kids"]:
    return 1.0 if n["value"] is None else n["value"]
  {BEGINS[begin]}
  {end}
"""

  def calls():
    for value in (tf.zeros(WITHOUT_ELEMENTS[shape]), tf.constant(1.5), None):
      leaf, none = node(value), node(None)
      yield from [(leaf,), (node(value, leaf, leaf),), (node(value, none, leaf),)]
      yield from [(none,), (node(value, node(value, leaf)),), (node(None, none, none),)]

  agrees(of_text(text), calls)
