"""Tables looked up by numbers of the run, and the extreme of nodes, or a default."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, visiting

NAMES = {0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 7: "seven"}
SIZES = {0: 10, 1: 20, 2: 30, 3: 40, 4: 50, 5: 60, 6: 70, 7: 80}
ROWS = {k: tf.constant([float(k), 1.0]) for k in range(10)}
FLAGS = {True: 5, False: 6}
HALVES = {0.0: 1, 0.5: 2, 1.0: 3, 1.5: 4, 2.0: 5, 3.5: 6}
MIXED = {1: 1, "a": 2, None: 3, 2.0: 4}


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids, self.flag, self.half, self.best = v, list(kids), v > 2, v / 2, None


def trees():
  root = Node(2, Node(1), Node(7), Node(3, Node(0), Node(4)))
  return [(root,), (Node(1),), (Node(9),), (root,)]


LOOKUPS = {
  "int": lambda n: SIZES[n.v],
  "computed": lambda n: SIZES[n.v % 3 + 1],
  "length": lambda n: SIZES[len(n.kids)],
  "get": lambda n: SIZES.get(n.v, -1),
  "get computed": lambda n: SIZES.get(n.v * 2, -1),
  "get none": lambda n: 1 if SIZES.get(n.v * 2) is None else 2,
  "text": lambda n: 1 if NAMES.get(n.v, "") == "two" else 2,
  "tensor": lambda n: float(tf.reduce_sum(ROWS[n.v])),
  "tensor computed": lambda n: float(tf.reduce_sum(ROWS[n.v + 0])),
  "bool": lambda n: FLAGS[n.flag],
  "test": lambda n: FLAGS[n.v > 2],
  "bool of ints": lambda n: SIZES[n.flag],
  "float": lambda n: HALVES[n.half],
  "float computed": lambda n: HALVES.get(n.v / 2, 9),
  "float of ints": lambda n: SIZES.get(n.half, 9),
  "mixed": lambda n: MIXED.get(n.v, 8),
  "mixed computed": lambda n: MIXED.get(n.v + 0, 8),
  "in": lambda n: 1 if n.v in SIZES else 2,
}


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_a_table_by_a_number(lookup):
  agrees(visiting(lambda n, visit: LOOKUPS[lookup](n)), trees)


@pytest.mark.parametrize("lookup", ["get", "get computed"])
def test_a_table_by_a_number_converts_and_may_change(lookup):
  def build(recursive):
    table = dict(SIZES)

    @recursive
    def visit(n):
      key = n.v if lookup == "get" else n.v + 1
      return table.get(key, -1) + sum([visit(kid) for kid in n.kids])

    return visit, [table]

  def change(table):
    table[3] = table.get(3, 0) + 5
    table[len(table) + 1] = 1

  agrees(build, trees, CONVERTED, before=change)


EXTREMES = {
  "node": lambda n: max(n.kids, key=lambda k: k.v, default=n).v,
  "none": lambda n: 0 if min(n.kids, key=lambda k: k.v, default=None) is None else 1,
  "number": lambda n: max([k.v for k in n.kids], key=lambda v: -v, default=-5),
  "generator": lambda n: min((k.v for k in n.kids), key=lambda v: -v, default=n.v),
  "two": lambda n: max(n, n.kids[0], key=lambda k: k.v % 3).v if n.kids else 0,
  "three": lambda n: min(n.v, 3, len(n.kids), key=lambda v: (v - 2) * (v - 2)),
  "equal": lambda n: max(n.kids, key=lambda k: 0, default=n).v,
  "known": lambda n: max((), key=lambda k: k, default=n.v),
  "no default": lambda n: max(n.kids, key=lambda k: k.v).v,
  "default of two": lambda n: max(n.v, 2, key=lambda v: v, default=3),
}


@pytest.mark.parametrize("extreme", EXTREMES)
def test_the_extreme_by_a_key(extreme):
  def build(recursive):
    @recursive
    def visit(n):
      return EXTREMES[extreme](n) + sum([visit(kid) for kid in n.kids])

    return visit

  converts = extreme in ("node", "none", "number", "generator", "two", "equal")
  agrees(build, trees, CONVERTED if converts else None)


def test_the_best_child_is_kept():
  def build(recursive):
    @recursive
    def visit(n):
      for kid in n.kids:
        visit(kid)
      n.best = max(n.kids, key=lambda k: k.v, default=None)
      return n.v

    return visit

  agrees(build, trees, CONVERTED)
