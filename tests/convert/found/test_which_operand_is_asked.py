"""Operators of objects that the run makes: Python asks the left one first, or a derived class."""

import pytest

from tests.convert.agreement import CONVERTED, agrees, summing


class Tree:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


class Adding(Tree):
  """A node with operators."""

  def __add__(self, other):
    return 11

  def __sub__(self, other):
    return self.v

  def __lt__(self, other):
    return True


class Plain:
  def __init__(self, x):
    self.x = x

  def __add__(self, other):
    return self.x + other.x

  def __sub__(self, other):
    if not isinstance(other, Plain):
      return NotImplemented
    return self.x - other.x

  def __eq__(self, other):
    if not isinstance(other, Plain):
      return NotImplemented
    return self.x == other.x

  def __lt__(self, other):
    return self.x < other.x

  __hash__ = None


class Derived(Plain):
  """Says the opposite of what the class says that it is derived from."""

  def __radd__(self, other):
    return 1000

  def __rsub__(self, other):
    return 2000

  def __eq__(self, other):
    return self.x == other.x + 1

  def __gt__(self, other):
    return False

  __hash__ = None


class Other:
  """Takes part in whatever it is on the right of."""

  def __init__(self, x):
    self.x = x

  def __radd__(self, other):
    return 13 + self.x

  def __rsub__(self, other):
    return 17 + self.x

  def __eq__(self, other):
    return True

  def __gt__(self, other):
    return False

  __hash__ = None


def chosen(v):
  return Plain(v) if v == 1 else Derived(v)


class Unequal(Tree):
  def __ne__(self, other):
    return self.v > 1


class Reflected:
  def __init__(self, x):
    self.x = x

  def __rmul__(self, other):
    return self.x

  def __ne__(self, other):
    return self.x > 100


CONSTANT = Adding(5)
# Whether the run converts what the right one might have been asked for is left open.
ASKED = {
  "two of one class": lambda n: Reflected(n.v) * Reflected(2),
  "differs, made": lambda n: 1 if n.v != Reflected(n.v) else 2,
  "differs, nodes": lambda n: 1 if n != Unequal(n.v) else 2,
  "differs, nodes of the tree": lambda n: 1 if n.kids and n != n.kids[0] else 2,
  "same": lambda n: Plain(n.v) + Plain(2),
  "derived adds": lambda n: Plain(n.v) + Derived(3),
  "derived subtracts": lambda n: Plain(n.v) - Derived(3),
  "derived is asked itself": lambda n: Derived(n.v) + Plain(3),
  "derived is greater": lambda n: 1 if Plain(n.v) < Derived(3) else 2,
  "derived is equal": lambda n: 1 if Plain(n.v) == Derived(n.v + 1) else 2,
  "derived is not": lambda n: 1 if Derived(n.v + 1) == Plain(n.v) else 2,
  "chosen": lambda n: Plain(n.v) + chosen(n.v),
  "chosen, less": lambda n: 1 if Plain(n.v) < chosen(n.v) else 2,
  "node first": lambda n: n + Other(1),
  "node first, less": lambda n: n - Other(1),
  "node, less than": lambda n: 1 if n < Other(1) else 2,
  "constant first": lambda n: CONSTANT + Other(n.v),
  "number": lambda n: n.v + Other(1),
  "number of the program": lambda n: 3 - Other(n.v),
  "two of the run": lambda n: Plain(n.v) + Other(3),
  "not implemented": lambda n: 1 if Plain(n.v) == Other(3) else 2,
  "not implemented, less": lambda n: Plain(n.v) - Other(3),
  "in a list": lambda n: 1 if Plain(n.v) in [Derived(2), Plain(n.v)] else 2,
}


def _trees():
  for kind in (Tree, Adding, Unequal):
    yield (kind(1, kind(2), kind(3, Adding(4))),)
    yield (kind(3, Tree(1)),)


@pytest.mark.parametrize("how", ASKED)
def test_the_operand_is_asked_that_python_asks(how):
  agrees(summing(ASKED[how]), lambda: list(_trees()))


@pytest.mark.parametrize(
  "how", ["same", "derived is asked itself", "number", "number of the program"]
)
def test_what_is_clear_is_converted(how):
  agrees(summing(ASKED[how]), lambda: [(Tree(1, Tree(2), Tree(3)),)], CONVERTED)
