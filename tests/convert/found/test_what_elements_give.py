"""What a function of TensorFlow gives of elements, which may be of several kinds in one program."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, of_text

ASKED = {
  "size": "tf.size(x)",
  "length": "len(x)",
  "sum": "tf.reduce_sum(x)",
  "twice": "x * 2",
  "as_float": "tf.cast(x, tf.float32) + 0.5",
  "squares": "tf.square(x)",
}
LOOP = """
  found = []
  for x in {}:
    found.append({{asked}})
  return found"""
USED = {
  "floats": "return [{asked} for x in floats(n)]",
  "ints": "return [{asked} for x in ints(n)]",
  "both": "return [{asked} for x in ints(n)], [tf.size(y) for y in floats(n)]",
  "floats_by_a_loop": LOOP.format("floats(n)"),
  "ints_by_a_loop": LOOP.format("ints(n)"),
}
PROGRAM = """
def floats(n):
  found = [tf.ones([len(n.kids) + 1]) * n.v]
  for kid in n.kids:
    found = found + floats(kid)
  return found

def ints(n):
  found = [tf.range(len(n.kids) + 1)]
  for kid in n.kids:
    found = found + ints(kid)
  return found

def f(n):
  {used}
"""


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


def trees():
  first = Node(1.0)
  others = [
    Node(2.0, Node(3.0), Node(4.0, Node(5.0))),
    Node(1.0, Node(2.0), Node(3.0), Node(4.0, Node(0.0), Node(1.0))),
  ]
  return [(tree,) for tree in (first, *others, first, *others)]


@pytest.mark.parametrize("used", USED)
@pytest.mark.parametrize("asked", ASKED)
def test_they_are_pythons(asked, used):
  text = USED[used].format(asked=ASKED[asked])
  other = agrees(of_text(PROGRAM.format(used=text), tf=tf), trees)
  assert other.stats.num_converted_runs


def test_what_a_run_finds_is_known_from_then_on():
  text = """
  a, b = floats(n), ints(n)
  first = [x + 1.5 for x in a]
  second = [x * 2 for x in b]
  return first, second"""
  agrees(of_text(PROGRAM.format(used=text), tf=tf), trees, CONVERTED)


def test_what_is_one_here_and_another_there():
  text = """
  return [tf.square(x) for x in (floats(n) if n.v > 1.5 else ints(n))]"""
  agrees(of_text(PROGRAM.format(used=text), tf=tf), trees, CONVERTED)
