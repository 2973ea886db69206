"""Dicts with keys of the run whose values are tensors, variables and arrays of several sizes."""

import numpy as np
import pytest
import tensorflow as tf

from tests.convert.agreement import agrees, of_text

WRAPS = {
  "tensors": lambda number, value: tf.constant(value),
  "variables": lambda number, value: tf.Variable(value),
  "arrays": lambda number, value: value,
  "tensors and variables": lambda number, value: (tf.constant, tf.Variable)[number % 2](value),
}
SHAPES = {
  "rows": [[1, 2], [2, 2]],
  "no rows": [[0, 2], [2, 2], [1, 2]],
  "vectors": [[2], [3], [2]],
  "one size": [[2, 2]],
  "ranks": [[2], [2, 2], []],
  "sizes and ranks": [[1], [2, 1], [2], [1]],
}


class Node:
  def __init__(self, number, value, left=None):
    self.u, self.w, self.left = number, value, left


def chain(wrap, shapes, length, first=0):
  found = None
  for i in reversed(range(first, first + length)):
    value = np.full(shapes[i % len(shapes)], i + 1.0, np.float32)
    found = Node(i % 5, WRAPS[wrap](i, value), found)
  return found


BUILT = {
  "union": "{n.u: n.w} | f(n.left)",
  "union, last": "f(n.left) | {n.u: n.w}",
  "display": "{n.u: n.w, **f(n.left)}",
  "computed": "{n.u: n.w * 2.0} | f(n.left)",
  "tuples as keys": "{(n.u, 'w'): n.w, (n.u, 'b'): n.w + 1.0} | f(n.left)",
  "comprehension": "{k: v for k, v in f(n.left).items()} | {n.u: n.w}",
  "in lists": "{n.u: [n.w]} | f(n.left)",
  "in tuples": "{n.u: (n.u, n.w)} | f(n.left)",
  "beside numbers": "{n.u: n.w, -1.0: 1.0} | f(n.left)",
  "by name": "{f'w{n.u}': n.w} | f(n.left)",
}


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("how", BUILT)
def test_built(how, shapes, wrap):
  text = f"def f(n):\n  return {{}} if n is None else {BUILT[how]}"
  lengths = 3, 1, 0, 7, 2
  agrees(of_text(text), lambda: [(chain(wrap, SHAPES[shapes], n),) for n in lengths])


CHANGED = {
  "item": "d[n.u] = n.w",
  "update": "d.update({n.u: n.w})",
  "set where missing": "d.setdefault(n.u, n.w)",
  "in place": "d |= {n.u: n.w}",
}
USED = {
  "returned": "d",
  "values": "[v for v in d.values()]",
  "sums": "[tf.reduce_sum(v) for v in d.values()]",
  "items": "[(k, v) for k, v in d.items()]",
  "found": "d.get(n.u)",
  "length": "len(d)",
}


@pytest.mark.parametrize("used", USED)
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("how", CHANGED)
def test_changed_and_used(how, shapes, used):
  text = f"""
def collect(n):
  if n is None:
    return {{}}
  d = collect(n.left)
  {CHANGED[how]}
  return d

def f(n):
  d = collect(n)
  return None if n is None else {USED[used]}
"""
  lengths = 3, 1, 0, 6, 2
  calls = lambda: [(chain("tensors", SHAPES[shapes], n),) for n in lengths]  # noqa: E731
  agrees(of_text(text, tf=tf), calls)


@pytest.mark.parametrize("shapes", SHAPES)
def test_gradients(shapes):
  text = """
def collect(n):
  return {} if n is None else {n.u: n.w} | collect(n.left)

def f(n):
  return sum(tf.reduce_sum(v * v) for v in collect(n).values())
"""
  trees = [chain("variables", SHAPES[shapes], length) for length in (3, 1, 5, 2)]

  def weights(n):
    return [] if n is None else [n.w, *weights(n.left)]

  everything = [w for n in trees for w in weights(n)]
  agrees(
    of_text(text, tf=tf),
    lambda: [(n,) for n in trees],
    variables=lambda function, state: everything,
  )


BASES = {
  "variable": "[W]",
  "computed": "[W + 1.0]",
  "both": "[W, B]",
  "number": "[1.0]",
  "scalar": "[tf.zeros([])]",
  "no elements": "[tf.zeros([0])]",
  "none": "[]",
}
COLLECTED = {
  "pairs": "[n.w, B] + f(n.left)",
  "triples": "[n.w, W, B] + f(n.left)",
  "spread": "[n.w, *f(n.left), B]",
  "chosen": "[n.w if n.u % 2 else W, B] + f(n.left)",
  "one of some": "[(n.w, W, B)[n.u % 3]] + f(n.left)",
}


@pytest.mark.parametrize("shapes", ["ranks", "sizes and ranks", "one size"])
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("how", COLLECTED)
def test_collected_with_parameters_of_the_program(how, base, shapes):
  """Some are of any rank, the others of several."""
  text = f"def f(n):\n  return {BASES[base]} if n is None else {COLLECTED[how]}"

  def build(recursive):
    names = {"W": tf.Variable([[1.0, 2.0], [3.0, 4.0]]), "B": tf.Variable([1.0, 2.0])}
    return of_text(text, tf=tf, **names)(recursive)

  lengths = 2, 1, 4, 0
  agrees(build, lambda: [(chain("variables", SHAPES[shapes], n),) for n in lengths])
