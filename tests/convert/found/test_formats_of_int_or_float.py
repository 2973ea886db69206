"""`%` of a number that is an int in some runs, and a float in others."""

import pytest

from tests.convert.agreement import agrees, of_text

FORMATS = [
  "%.2f",
  "%f",
  "%8.3f",
  "%-9.1f|",
  "%+.3e",
  "%g",
  "%08.2f",
  "%s",
  "%r",
  "%d",
  "%5s|",
  "%i",
]
CALLED = {
  "alone": "{!r} % area(n)",
  "in_a_tuple": "{!r} % (area(n),)",
  "joined": "n.name + {!r} % area(n)",
  "of_each": "[{!r} % area(k) for k in n.kids]",
}
PROGRAM = """
def area(n):
  if not n.kids:
    return n.v
  return sum(area(k) for k in n.kids)

def f(n):
  return {called}
"""


class Node:
  def __init__(self, v, *kids):
    self.v, self.name, self.kids = v, f"n{v} ", list(kids)


def _trees():
  values = [3, 2.5, -7, 1e20, -0.0, 0, 2**40, 1e-7]
  return [(Node(0, *map(Node, values[:i])),) for i in range(4)] + [
    (Node(0, Node(a), Node(b)),) for a in values for b in values[:4]
  ]


@pytest.mark.parametrize("called", CALLED)
@pytest.mark.parametrize("layout", FORMATS)
def test_they_are_pythons(layout, called):
  other = agrees(of_text(PROGRAM.format(called=CALLED[called].format(layout))), _trees)
  assert other.stats.num_converted_runs or layout in ("%d", "%i")
