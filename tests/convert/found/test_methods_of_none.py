"""What may be None has no methods, even where the method of the object asks nothing of it."""

import functools

import pytest

import recursive_tf as rtf
from tests.convert.agreement import agrees


class Fixed:
  """Answers without a look at itself."""

  z = 5

  def __init__(self, v):
    self.v = v

  def __len__(self):
    return 3

  def __call__(self):
    return 1

  def __getitem__(self, key):
    return 4

  def __add__(self, other):
    return 6

  def __radd__(self, other):
    return 6

  def __iter__(self):
    return iter((1, 2))

  def __lt__(self, other):
    return True

  def method(self):
    return 7

  @property
  def read(self):
    return 8

  @staticmethod
  def static():
    return 9

  @classmethod
  def of_class(cls):
    return 10


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)
    self.one, self.some = Fixed(v), Fixed(v) if v % 2 else None


GIVEN = {
  "chosen": lambda n: n.one if n.kids else None,
  "attribute": lambda n: n.some,
  "made": lambda n: Fixed(n.v) if n.kids else None,
  "looked_up": lambda n: {1: n.one}.get(n.v),
  "first": lambda n: next((kid.one for kid in n.kids), None),
}
ASKED = {
  "len": len,
  "call": lambda x: x(),
  "item": lambda x: x[0],
  "add": lambda x: x + 1,
  "added": lambda x: 1 + x,
  "less": lambda x: x < 1,
  "elements": lambda x: list(x),
  "method": lambda x: x.method(),
  "own_method": lambda x: x.__len__(),
  "property": lambda x: x.read,
  "static": lambda x: x.static(),
  "class_method": lambda x: x.of_class(),
  "class_attribute": lambda x: x.z,
  "unused": lambda x: [x.method, 1][1],
}


def trees():
  return [(Node(1, Node(2)),), (Node(2),), (Node(3, Node(4), Node(1)),), (Node(2, Node(1)),)]


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("is_called", [True, False])
def test_none_has_no_such_method(given, asked, is_called):
  def build(recursive):
    @recursive
    def inner(n):
      return GIVEN[given](n)

    @recursive
    def f(n):
      return ASKED[asked](inner(n) if is_called else GIVEN[given](n))

    return f

  agrees(build, trees)


def test_a_partial_function_leaves_as_one():
  @rtf.recursive(verify=False)
  def f(n):
    return functools.partial(max, n.v) if n.kids else functools.partial(max, 2, 3)

  for (tree,) in trees():
    found = f(tree)
    assert type(found) is functools.partial
    assert (found.func, found.args) == (max, (tree.v,) if tree.kids else (2, 3))
