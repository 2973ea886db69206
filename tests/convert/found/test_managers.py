"""Context managers that are generators, around the calls of a recursion."""

import contextlib

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees

WEIGHT = tf.Variable([2.0, 1.0])


class Node:
  def __init__(self, v, kids=()):
    self.v, self.kids, self.seen = v, list(kids), False

  @contextlib.contextmanager
  def marked(self):
    self.seen = True
    try:
      yield self
    finally:
      self.seen = False


class Path:
  """Where a walk is."""

  def __init__(self):
    self.depth, self.most = 0, 0

  @contextlib.contextmanager
  def inside(self, node):
    self.depth += 1
    self.most = max(self.most, self.depth)
    try:
      yield self.depth
    finally:
      self.depth -= 1


@contextlib.contextmanager
def scaled(x):
  y = x * 2.0
  yield y


def built(n):
  return Node(float(n), [built(k) for k in range(n)])


def around_a_loop(recursive):
  @recursive
  def f(n, path):
    with path.inside(n) as depth:
      total = WEIGHT * n.v
      for kid in n.kids:
        total = total + f(kid, path) * float(depth)
    return total

  return f


def of_a_node(recursive):
  @recursive
  def f(n, path):
    with n.marked() as node:
      return sum((f(k, path) for k in n.kids), 0) + (1 if node.seen else 100)

  return f


def with_the_base_case(recursive):
  @recursive
  def f(n, path):
    with scaled(WEIGHT * n.v) as y:
      if not n.kids:
        return y
      below = tf.add_n([f(k, path) for k in n.kids])
    return y + below

  return f


def left_early(recursive):
  @recursive
  def f(n, path):
    found = []
    with path.inside(n) as depth:
      found.append(depth)
      for kid in n.kids:
        with path.inside(kid) as deeper:
          found.append(deeper)
          if deeper > 3:
            continue
          if kid.v > 2.0:
            break
        found += f(kid, path)
    return found

  return f


def in_a_helper(recursive):
  def measured(n, path):
    with path.inside(n):
      return f(n.kids[0], path) if n.kids else path.depth

  @recursive
  def f(n, path):
    return measured(n, path) + len(n.kids)

  return f


@pytest.mark.parametrize(
  "build", [around_a_loop, of_a_node, with_the_base_case, left_early, in_a_helper]
)
def test_is_what_it_is_in_python(build):
  agrees(build, lambda: [(built(n), Path()) for n in (0, 3, 2, 4, 1)], CONVERTED)
