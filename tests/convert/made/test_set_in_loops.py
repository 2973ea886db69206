"""Objects that the run makes, whose attributes loops set, over what other attributes name."""

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_one


class Node:
  """A node of which its class says what it has."""

  fields = ()

  def __init__(self, *values):
    for name, value in zip(self.fields, values):  # noqa: B905
      setattr(self, name, value)


class Number(Node):
  """A leaf."""

  fields = ("value",)


class Sum(Node):
  """A sum of two nodes."""

  fields = ("left", "right")


class Named:
  """A node whose attributes are given by name."""

  names = ("left", "right")

  def __init__(self, **values):
    for name in self.names:
      setattr(self, name, None)
    for name, value in values.items():
      setattr(self, name, value)


class Kids:
  """A node whose lists are bound anew, or changed, while a loop goes over them."""

  def __init__(self, how, *kids):
    self.kids, self.seen = list(kids), []
    for number, kid in enumerate(self.kids):
      if how == "bound":
        self.kids = []
      elif how == "changed" and number == 0:
        self.kids.append(kid)
      self.seen.append(kid)


def _tree(depth):
  return Sum(_tree(depth - 1), Number(depth)) if depth else Number(7)


def folded(f, n):
  if isinstance(n, Number):
    return Number(n.value + 1)
  return Sum(f(n.right), f(n.left))


def named(f, n):
  if isinstance(n, Number):
    return Named(left=n)
  return Named(left=f(n.left), right=f(n.right))


def kept(how):
  def kept(f, n):
    if isinstance(n, Number):
      return 1
    made = Kids(how, f(n.left), f(n.right), 5)
    return len(made.kids) + 10 * len(made.seen) + sum(made.seen)

  return kept


def _trees():
  return [(_tree(depth),) for depth in (0, 1, 3, 2)]


@pytest.mark.one_in(1)
@pytest.mark.parametrize("program", [folded, named])
def test_attributes_are_set_in_loops(program):
  agrees(of_one(program), _trees, expect=CONVERTED)


@pytest.mark.one_in(1)
@pytest.mark.parametrize("how", ["bound", "changed", "left"])
def test_lists_that_attributes_hold_are_pythons(how):
  agrees(of_one(kept(how)), _trees)
