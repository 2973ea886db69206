"""A number that is Python's on some paths, and a scalar of NumPy's on others."""

import random

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.arrays.values import is_same, outcome
from tests.convert.compiled import compiled

# What makes such a number: `x`, of a node with an array, a scalar of it and numbers.
MADE = {
  "branch": "x = {python} if n.k > 1 else {numpy}",
  "loop": "x = {python}\n  for v in n.a[n.a > 1]:\n    x = x {op} v",
  "while": "x = {python}\n  i = 0\n  while i < n.k:\n    x = x {op} n.a[i]\n    i += 1",
  "sum": "x = sum(n.a[n.a > 1])",
  "greatest": "x = max({python}, {numpy})",
  "or None": "x = None if n.k < 0 else ({python} if n.k > 1 else {numpy})",
}
PYTHON = ["0.0", "0", "1.5", "n.k", "n.f"]
NUMPY = ["n.a[0]", "n.a.sum()", "n.a.max()", "np.log(n.k + 5)"]
ASKED = """x|x + 1|x * n.f|1 / (x + 20)|x // 2|x % 3|-x|abs(x)|x > 1|x == 2|isinstance(x, float)
int(x)|isinstance(x, int)|isinstance(x, np.generic)|float(x)|bool(x)|str(x)|f"{x:.3f}"
n.a + x|n.a > x|n.b + x|np.sqrt(x + 100)|[x, 1]|(x, x)|x or 7|not x|max(x, 3)
min(x, n.a[0])|round(x)|x - n.a[1]|x is None|x + x|[1, 2, 3][x % 3]|{"a": x}
tf.constant(x, tf.float32)|tf.constant(2.0) * x|n.k - x|x / 2""".replace("\n", "|").split("|")


class Node:
  """A node with arrays and numbers."""

  def __init__(self, draw, kind):
    pool = [0, 1, 2, 3, -1, 5] if kind is np.int64 else [0.0, 1.0, 2.5, -1.0, 3.0, 0.5]
    self.a = np.array([draw.choice(pool) for _ in range(3)]).astype(kind)
    self.b = np.float32([1, 2, 3])
    self.k, self.f = draw.choice([0, 1, 2, 3]), draw.choice([0.5, 2.0, -1.5, 0.0])


@pytest.mark.parametrize("kind", [np.float64, np.int64])
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("made", MADE)
def test_the_class_is_pythons(made, asked, kind):
  draw = random.Random(f"{made}{asked}{kind}")
  numpy, python = draw.choice(NUMPY), draw.choice(PYTHON)
  begins = MADE[made].format(python=python, numpy=numpy, op=draw.choice("+-*"))
  plain = compiled(f"def f(n):\n  {begins}\n  return {asked}\n", "f", np=np, tf=tf)
  function = rtf.recursive(plain, verify=False)
  for call in range(4):
    ours, theirs = (Node(random.Random(f"{made}{asked}{call}"), kind) for _ in range(2))
    expected, got = outcome(plain, theirs), outcome(function, ours)
    assert is_same(expected, got), (begins, asked, ours.a, ours.k, ours.f, expected, got)


def test_a_total_of_calls_and_the_greatest_of_some():
  def total(n):
    return 0 if not n.kids else n.a.sum() + sum(total(kid) for kid in n.kids)

  def greatest(n):
    best = 0.0
    for value in n.a[n.a > 1]:
      best = max(best, value)
    return best, best > 1, f"{best:.2f}"

  for plain in (total, greatest):
    function = rtf.recursive(plain, verify=False)
    for seed in range(4):
      node = Node(random.Random(seed), np.float64)
      node.kids = [Node(random.Random(seed + 9), np.float64)] if seed % 2 else []
      for kid in node.kids:
        kid.kids = []
      expected, got = plain(node), function(node)
      assert is_same(expected, got), (expected, got)
    assert not function.stats.fallbacks, function.explain()
