"""`in`, `index`, `count`, `remove` and comparisons of lists and tuples, whatever is in them."""

import pytest

from tests.convert.agreement import CONVERTED, agrees, summing
from tests.convert.compared.nodes import Careful, DeepRecord


class Shelf:
  def __init__(self, v, items, *kids):
    self.v, self.items, self.kids = v, items, list(kids)


ITEMS = {
  "of all kinds": lambda v: [1, "a", None, 2.5, v],
  "ints and floats": lambda v: [v, 2.5, 1],
  "floats": lambda v: [v / 2, 1.0],
  "None or ints": lambda v: [None, v] if v % 2 else [v],
  "tuples": lambda v: [(v, 1), (2, v)],
  "lists": lambda v: [[v], [1, 2], []],
  "nodes": lambda v: [Careful(v), None, Careful(1)],
  "nodes and others": lambda v: [Careful(v), 1, "x", DeepRecord(v, [])],
  "a tuple": lambda v: (v, "a", 1.5),
  "none or one": lambda v: [] if v % 2 else [1],
  "with NaN": lambda v: [float("nan"), v / 2],
}


def where(n):
  return n.items.index(n.v) if n.v in n.items else -1


def removed(n):
  left = list(n.items)
  if n.v in left:
    left.remove(n.v)
  return len(left)


ASKS = {
  "a number": lambda n: 1 if n.v in n.items else 0,
  "a float": lambda n: 1 if n.v / 2 in n.items else 0,
  "a string": lambda n: 1 if "a" in n.items else 0,
  "None": lambda n: 1 if None in n.items else 0,
  "a truth": lambda n: 1 if True in n.items else 0,
  "a tuple": lambda n: 1 if (n.v, 1) in n.items else 0,
  "a list": lambda n: 1 if [n.v] in n.items else 0,
  "a node": lambda n: 1 if Careful(n.v) in n.items else 0,
  "its first": lambda n: 1 if n.items and n.items[0] in n.items[1:] else 0,
  "where": where,
  "how often": lambda n: n.items.count(1),
  "removed": removed,
  "two of it": lambda n: 1 if n.items and n.items[0] == n.items[-1] else 0,
  "lists": lambda n: sum(1 for kid in n.kids if kid.items == n.items),
  "order of lists": lambda n: sum(1 for kid in n.kids if kid.items[:1] <= n.items[:1]),
}


def _calls(items):
  def tree():
    inner = Shelf(3, items(3), Shelf(4, items(4)), Shelf(0, items(0)))
    return Shelf(1, items(1), Shelf(2, items(2)), inner)

  return [(tree(),), (Shelf(5, items(5)),), (tree(),)]


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("items", ITEMS)
def test_elements_are_found_as_python_finds_them(items, ask):
  agrees(summing(ASKS[ask]), lambda: _calls(ITEMS[items]))


@pytest.mark.parametrize("ask", ["a number", "a string", "None", "a node", "where", "how often"])
@pytest.mark.parametrize("items", ["of all kinds", "ints and floats", "tuples", "nodes and others"])
def test_elements_are_found_in_the_run(items, ask):
  agrees(summing(ASKS[ask]), lambda: _calls(ITEMS[items]), CONVERTED)
