"""Where Python takes nothing but an int, whatever the value; and ranges that are empty."""

import numpy as np
import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, visiting

XS = [10, 20, 30, 40, 50, 60, 70, 80]
TABLE = {0: 1, 1: 2, 2: 3, 3: 4, 7: 8}


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids, self.flag, self.half, self.text = v, list(kids), v > 2, v / 2, "abcdefgh"
    self.whole, self.own = float(v), [1, 2, 3, 4, 5, 6, 7, 8]


def tree():
  return Node(2, Node(1), Node(7), Node(3, Node(0), Node(5)))


INDICES = {
  "int": lambda n: n.v,
  "bool": lambda n: n.flag,
  "test": lambda n: n.v > 2,
  "float": lambda n: n.v / 2,
  "whole float": lambda n: n.whole,
  "product": lambda n: n.v * 1.0,
  "known float": lambda n: 1.0,
  "known int": lambda n: 1,
  "numpy int": lambda n: np.int64(1),
  "numpy float": lambda n: np.float64(1.0),
  "negative": lambda n: -n.v,
  "either": lambda n: n.v if n.flag else 1.0,
}
USES = {
  "list outside": lambda n, i, f: XS[i],
  "table": lambda n, i, f: TABLE[i],
  "children": lambda n, i, f: n.kids[i].v if n.kids else 0,
  "own list": lambda n, i, f: n.own[i],
  "text": lambda n, i, f: len(n.text[i]),
  "known text": lambda n, i, f: len("abcdefgh"[i]),
  "tuple": lambda n, i, f: (n.v, 1, 2, 3, 4, 5, 6, 7)[i],
  "list": lambda n, i, f: [n.v, 1, 2, 3, 4, 5, 6, 7][i],
  "results": lambda n, i, f: [f(kid) for kid in n.kids][i] if n.kids else 0,
  "tensor": lambda n, i, f: int(tf.constant(XS)[i]),
  "lower": lambda n, i, f: sum(XS[i:]),
  "upper": lambda n, i, f: sum([kid.v for kid in n.kids[:i]]),
  "step": lambda n, i, f: sum([n.v, 1, 2, 3][::i]),
  "of results": lambda n, i, f: sum([f(kid) for kid in n.kids][i:]),
  "stop": lambda n, i, f: sum([j for j in range(i)]),
  "range": lambda n, i, f: sum([j for j in range(i, 3)]),
  "range back": lambda n, i, f: sum([j for j in range(0, 5, i)]),
  "range down": lambda n, i, f: sum([j for j in range(5, i, -2)]),
  "enumerate": lambda n, i, f: sum([j for j, _ in enumerate(n.kids, i)]),
  "enumerate known": lambda n, i, f: sum([j for j, _ in enumerate((n.v, 1), start=i)]),
  "times": lambda n, i, f: len([n.v] * i),
  "text times": lambda n, i, f: len("ab" * i),
  "digits": lambda n, i, f: round(n.half, i),
  "shift": lambda n, i, f: n.v << i if i > 0 else 0,
  "and": lambda n, i, f: n.v & i,
  "xor": lambda n, i, f: i ^ 3,
  "not": lambda n, i, f: ~i,
}


CONVERTING = {"list outside", "own list", "tuple", "list", "lower", "stop", "range", "enumerate"}


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("use", USES)
@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")
def test_an_index_is_an_int(index, use):
  def ask(n, visit):
    return USES[use](n, INDICES[index](n), visit)

  converts = index == "known int" and use in CONVERTING
  expect = CONVERTED if converts else None
  agrees(visiting(ask), lambda: [(tree(),), (Node(1),), (tree(),)], expect)


def test_what_is_not_written_behind_a_wrong_index():
  def build(recursive):
    @recursive
    def mark(n):
      if n.kids:
        n.kids[len(n.kids) / 2].v = 5
      return n.v

    return mark

  agrees(build, lambda: [(tree(),), (Node(1),)])


def counted(recursive):
  @recursive
  def count(n):
    return sum([i for i in range(n.v, 4)]) + sum([count(kid) for kid in n.kids])

  return count


def stepped(recursive):
  @recursive
  def count(n):
    total = 0
    for i in range(0, 5, n.v - 4):
      total += i
    return total + sum([count(kid) for kid in n.kids])

  return count


@pytest.mark.parametrize("build", [counted, stepped])
def test_an_empty_range(build):
  agrees(build, lambda: [(tree(),), (tree(),)], CONVERTED)
