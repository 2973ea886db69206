"""Lists of tensors of several sizes: put together, handed on, read and given back."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, of_text

PUT_TOGETHER = {
  "sum": "a + [own] + b",
  "sum_first": "[own] + a + b",
  "spread": "[*a, own, *b]",
  "extended": "extended(a, own, b)",
  "added_to": "added_to(a, own, b)",
  "copied": "[x for x in a] + list(b) + [own]",
  "reversed": "(a + [own] + b)[::-1]",
}
ENDS = {"given_back": "found", "count": "len(found)", "total": "total(found)"}
HELPERS = """
def extended(a, own, b):
  found = []
  found.extend(a)
  found.append(own)
  found.extend(b)
  return found

def added_to(a, own, b):
  found = [own]
  found += a
  for x in b:
    found.append(x)
  return found

def total(found):
  total = 0.0
  for x in found:
    total += tf.reduce_sum(x) * float(len(found))
  return total
"""
HALVES = """
def g(x):
  own = x * 2.0
  if len(x) < 2:
    return [own]
  if tf.reduce_sum(x) < 0.0:
    return []
  a, b = g(x[: (len(x) + 1) // 3]), g(x[(len(x) + 1) // 3 :])
  return {together}

def f(x):
  found = g(x)
  return {end}
"""
NODES = """
def g(n):
  own = n.x * 2.0
  if not n.kids:
    return [own]
  a = g(n.kids[0])
  b = g(n.kids[1]) if len(n.kids) > 1 else []
  return {together}

def f(n):
  found = g(n)
  return {end}
"""


BEST_BASIS = """
def f(x, levels):
  own = tf.reduce_sum(tf.abs(x))
  if levels == 0 or x.shape[0] < 2:
    return own, [x]
  low, low_basis = f((x[0::2] + x[1::2]) * 0.5, levels - 1)
  high, high_basis = f((x[0::2] - x[1::2]) * 0.5, levels - 1)
  if low + high < own:
    return low + high, low_basis + high_basis
  return own, [x]
"""


class Node:
  """A node with a tensor of some size."""

  def __init__(self, size, *kids):
    self.x, self.kids = tf.range(1.0, size + 1.0), list(kids)


def numbers():
  """Returns arguments of five calls: tensors of 1 to 9 numbers, of which some sums are negative."""
  made = [[1.0], [1.0, 2.0], [3.0, -1.0, 2.0, 4.0, -9.0], [-1.0, 0.5], [*map(float, range(9))]]
  return [(tf.constant(x),) for x in made]


def trees():
  """Returns arguments of four calls: trees whose nodes have tensors of 1 to 5 numbers."""
  inner = Node(2, Node(4), Node(1, Node(5)))
  return [(Node(3),), (Node(3, Node(3), Node(3)),), (Node(1, inner, Node(3)),), (inner,)]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("together", PUT_TOGETHER)
@pytest.mark.parametrize(
  ("text", "calls"), [(HALVES, numbers), (NODES, trees)], ids=["halves", "nodes"]
)
def test_lists_are_pythons(text, calls, together, end):
  text = HELPERS + text.format(together=PUT_TOGETHER[together], end=ENDS[end])
  agrees(of_text(text, tf=tf), calls, CONVERTED)


def test_the_best_basis_of_a_wavelet_packet():
  """That of Coifman and Wickerhauser: the one that costs least."""

  def calls():
    numbers = [float(i % 5 - 2 * (i % 3)) for i in range(32)]
    return [(tf.constant(numbers[:n]), levels) for n, levels in ((8, 3), (32, 5), (16, 0), (2, 1))]

  agrees(of_text(BEST_BASIS, tf=tf), calls, CONVERTED)
