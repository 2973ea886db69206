"""None beside what a run makes or finds: what a call returned is None or not, by each test."""

import pytest

from tests.convert.agreement import CONVERTED, agrees
from tests.convert.found.kept import by_append, by_comprehension, by_continue, by_truth


class Node:
  def __init__(self, value, *kids, name=None, number=None, other=None):
    self.value, self.kids = value, list(kids)
    self.name, self.number, self.other = name, number, other


class Made:
  def __init__(self, *parts):
    self.parts = parts


def trees():
  inner = Node(2.0, Node(1.6, number=3), Node(0.5, other=Node(1.0)), name="q", number=4)
  first = Node(3.0, Node(1.0, name="u"), inner, Node(2.5), name="z", other=Node(9.0))
  second = Node(1.0, Node(3.0, Node(1.7), Node(1.8, name="k")), Node(1.9, number=2), number=5)
  return [(first,), (second,), (Node(3.0),), (Node(1.0, Node(1.0)),), (first,)]


@pytest.mark.parametrize("keep", [by_append, by_continue, by_comprehension, by_truth])
@pytest.mark.parametrize("make", [Made, lambda *parts: [*parts]], ids=["object", "list"])
def test_pruning(keep, make):
  def build(recursive):
    @recursive
    def prune(node):
      kept = keep(prune, node)
      if node.value < 1.8 and not kept:
        return None
      return make(node.value, kept)

    return prune

  agrees(build, trees, expect=CONVERTED)


# What may be None, each in its own way.
SOURCES = {
  "string": lambda f, n: n.name,
  "number": lambda f, n: n.number,
  "node": lambda f, n: n.other,
  "child": lambda f, n: n.kids[0] if n.kids else None,
  "call": lambda f, n: f(n.kids[0])[0] if n.kids else None,
  "object": lambda f, n: Made(n.value) if n.value > 2 else None,
  "nested": lambda f, n: Made([Made(n.number)]) if n.value > 2 else None,
  "list": lambda f, n: [n.value] if n.value > 2 else None,
  "lists": lambda f, n: [[n.value]] if n.value > 2 else None,
  "float": lambda f, n: n.value if n.value > 2 else None,
  "text": lambda f, n: n.name + "x" if n.name else None,
  "pair": lambda f, n: (n.value, n.name) if n.value > 2 else None,
  "none": lambda f, n: None,
}
NAMES = [*SOURCES]
PAIRS = [
  (first, NAMES[(place + step) % len(NAMES)])
  for place, first in enumerate(NAMES)
  for step in (1, 5)
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_none_is_told_from_all_else(first, second):
  def build(recursive):
    one, other = SOURCES[first], SOURCES[second]

    @recursive
    def visit(node):
      result = one(visit, node) if node.value > 1.5 else other(visit, node)
      values, count = [], 0
      for kid in node.kids:
        found = visit(kid)[0]
        if found is not None:
          values.append(kid.value)
          count += 1
        if found is None:
          count += 100
        if found == None:  # noqa: E711 - it is asked, too
          count += 10000
      return result, (count, result is None, len(values))

    return visit

  agrees(build, trees)
