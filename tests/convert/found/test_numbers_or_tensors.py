"""Operators of what is a tensor on some paths and a Python number on others, on both sides."""

import numpy as np
import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, of_text


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


NUMBERS = ["0.0", "0", "1", "2.5", "0.1", "-0.0", "True", "2 ** 40", "-3", "n['number']"]
COMBINED = {
  "sum": "h + sum(f(k) for k in n['kids'])",
  "sum_from_float": "h + sum([f(k) for k in n['kids']], 0.0)",
  "sum_alone": "sum(f(k) for k in n['kids'])",
  "sums_twice": "sum(f(k) for k in n['kids']) * 2 + sum([f(k) for k in n['kids'][:1]])",
  "left": "[1 + f(k) for k in n['kids']] and 1 + f(n['kids'][0])",
  "right": "f(n['kids'][0]) - 0.5 if n['kids'] else h",
  "other_way": "2 - f(n['kids'][-1]) if n['kids'] else h",
  "two": "f(n['kids'][0]) * f(n['kids'][-1]) + f(n['kids'][0]) if n['kids'] else h",
  "int_and_float": "(f(n['kids'][0]) + 1) + (f(n['kids'][-1]) - 1.5) if n['kids'] else h",
  "of_the_run": "f(n['kids'][0]) + n['number'] if n['kids'] else h",
  "loop": "added([f(k) for k in n['kids']])",
}


@pytest.mark.parametrize(
  "tensor", ["tf.constant(0.25)", "tf.fill([2], 1.5)", "tf.constant([3, 4])"]
)
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("how", COMBINED)
def test_leaves_that_are_numbers(how, number, tensor):
  """`return 0.0` at the leaves, tensors above: what comes out is one or the other."""
  text = f"""
def added(values):
  out = 0
  for value in values:
    out = out + value
  return out

def f(n):
  if n["is_number"]:
    return {number}
  h = {tensor} * n["number"]
  return {COMBINED[how]}
"""

  def leaf(value):
    return {"is_number": True, "number": value, "kids": []}

  def inner(value, *kids):
    return {"is_number": False, "number": value, "kids": list(kids)}

  def calls():
    two = inner(2, leaf(1), leaf(3))
    trees = [
      two,
      leaf(2),
      inner(1, two, leaf(4)),
      inner(3),
      inner(2, inner(1), two),
      inner(1, leaf(0)),
    ]
    return [(tree,) for tree in trees]

  agrees(of_text(text, tf=tf), calls)


def test_a_sum_over_leaves_that_are_floats_is_converted():
  text = """
def f(n, weight=1.0):
  if not n["kids"]:
    return 0.0
  h = tf.reduce_sum(tf.constant([0.5, 0.25]))
  return weight * h + sum(f(k, weight / 2) for k in n["kids"])
"""
  leaf = node(None)
  trees = [node(None, leaf, leaf), leaf, node(None, node(None, leaf), leaf)]
  agrees(of_text(text, tf=tf), lambda: [(tree,) for tree in trees], CONVERTED)


SHAPES = {"scalar": "tf.constant(1.5)", "vector": "tf.constant([1.0, 2.0])", "one": "tf.ones([1])"}
STACKED = [
  "tf.stack(xs)",
  "tf.stack(xs, 0) * 2.0",
  "tf.reduce_max(tf.stack(xs), 0)",
  "tf.stack(xs)[0]",
]


@pytest.mark.parametrize("stacked", STACKED)
@pytest.mark.parametrize("shape", [*SHAPES, "of the tree"])
def test_stacks_of_numbers_and_tensors(shape, stacked):
  """Python stacks numbers with scalars only; a number has no place among vectors."""
  text = f"""
def f(n):
  if not n["kids"]:
    if n["value"] is None:
      return 0.0
    return {SHAPES.get(shape, 'n["tensor"]')} * n["value"]
  xs = [f(k) for k in n["kids"]]
  return {stacked}
"""

  def calls():
    def leaf(value):
      return {"value": value, "tensor": tf.ones([2]), "kids": []}

    some = [(1.0, 2.0), (None, 2.0), (None, None), (3.0,), (None,), (2.0, None, 1.0), (1.0, 2.0)]
    return [({"value": None, "tensor": None, "kids": list(map(leaf, values))},) for values in some]

  agrees(of_text(text, tf=tf), calls)


CHOSEN = {
  "number or tensor": "0.5 if n['value'] is None else n['tensor']",
  "int or tensor": "2 if n['value'] is None else tf.reduce_sum(n['tensor'])",
  "none or tensor": "None if n['value'] is None else n['tensor']",
  "tensor or variable": "n['tensor'] if n['value'] is None else n['variable']",
  "variable": "n['variable']",
  "array": "n['array']",
  "array or tensor": "n['array'] if n['value'] is None else n['tensor']",
  "number": "n['value'] or 1.5",
}
CONSTANTS = [
  "tf.constant([a, b])",
  "tf.constant([a])",
  "tf.constant([[a, b]])",
  "tf.constant((a, b))",
  "tf.constant([a, b], tf.float32)",
  "tf.constant([a, 1.0])",
  "tf.constant([g(k) for k in n['kids']])",
  "tf.constant([[g(k), 1.0] for k in n['kids']])",
]


@pytest.mark.parametrize("constant", CONSTANTS)
@pytest.mark.parametrize("chosen", CHOSEN)
def test_constants_of_what_may_be_tensors(chosen, constant):
  """`tf.constant` takes no list with tensors in it; a graph could put them together."""
  text = f"""
def g(n):
  if n["kids"]:
    return g(n["kids"][0])
  return {CHOSEN[chosen]}

def f(n):
  a, b = g(n["kids"][0]), g(n["kids"][-1])
  return {constant}
"""

  def calls():
    def leaf(value):
      tensors = {"tensor": tf.ones([2]), "variable": tf.Variable([1.0, 2.0])}
      return {"value": value, "array": np.ones(2, np.float32), "kids": [], **tensors}

    some = [(1.0, 2.0), (None, 2.0), (None, None), (3.0,), (None,), (2.0, None, 1.0), (1.0, 2.0)]
    return [({**leaf(None), "kids": list(map(leaf, values))},) for values in some]

  agrees(of_text(text, tf=tf), calls)
