"""Parts that are a number in some nodes and an object in others, compared with constants."""

import dataclasses

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_one


@dataclasses.dataclass
class Box:
  """Holds anything."""

  x: object


class Thing:
  """Is compared by which one it is."""

  def __init__(self, x):
    self.x = x


class Node:
  """A node with anything."""

  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


PAIR, BOX = ("a", 2), Box(("a", 2))
ASKED = {
  "equal": lambda v: (v == PAIR, v == ("a", 2), PAIR == v),
  "unequal": lambda v: (v != PAIR, PAIR != v),
  "among": lambda v: (v in [PAIR], v in (("b", 3), PAIR)),
  "in turn": lambda v: [(a == b, b == a, a != b) for a, b in zip(v, PAIR, strict=False)],
  "members": lambda v: [b in v for b in PAIR],
  "made": lambda v: v == ("a", len(v)),
  "of several": lambda v: v == ("a", 2.0) or v == ("b", True),
}
IN_BOXES = {
  "equal": lambda v: (Box(v) == BOX, BOX == Box(v)),
  "unequal": lambda v: Box(v) != BOX,
  "among": lambda v: Box(v) in [BOX],
}


def _trees(kind=Box):
  box = lambda: Node(("b", kind(1)))  # noqa: E731
  mixed = Node(("a", 2), box(), Node(("a", 2), Node((kind(2), "a"))), Node(("b", 1)))
  return [(mixed,), (Node(("a", 2), box()),), (Node(("a", 3), box(), Node(("a", 2))),)]


def _visit(ask):
  def visited(f, n):
    return [ask(n.v), *[f(kid) for kid in n.kids]]

  return visited


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", [Box, Thing])
@pytest.mark.parametrize("asked", ASKED)
def test_parts_are_compared_as_what_they_are(asked, kind):
  agrees(of_one(_visit(ASKED[asked])), lambda: _trees(kind), expect=CONVERTED)


@pytest.mark.one_in(1)
@pytest.mark.parametrize("asked", IN_BOXES)
def test_what_objects_hold_is_compared_as_what_it_is(asked):
  agrees(of_one(_visit(IN_BOXES[asked])), _trees)
