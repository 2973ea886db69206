"""`getattr`, `hasattr` and `setattr` by a name that the program chooses among constants."""

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, of_one


class Tree:
  def __init__(self, key, left=None, right=None):
    self.key, self.left, self.right = key, left, right
    self.size = 1


def trees():
  small = Tree(4, Tree(1), Tree(6, None, Tree(9)))
  return [(small,), (Tree(7),), (Tree(2, None, Tree(5, Tree(3))),)]


def _found(f, n):
  side = "left" if n.key > 5 else "right"
  kid = getattr(n, side)
  return [n.key] if kid is None else [n.key, side, *f(kid)]


def _inserted(f, n):
  if n.key < 3:
    side = "left"
  else:
    side = "right"
  if getattr(n, side) is None:
    setattr(n, side, Tree(n.key + 100))
  elif getattr(n, side).key < 50:
    f(getattr(n, side))
  n.size = n.size + 1


def _directly(f, n):
  kid = getattr(n, "left" if n.key > 5 else "right" if n.key > 3 else "missing", None)
  return n.key if kid is None else n.key + f(kid)


def _both_sides(f, n):
  total = n.key
  for heavy in (True, False):
    side, other = ("left", "right") if heavy else ("right", "left")
    kid = getattr(n, side)
    total += 0 if kid is None else f(kid)
  return total


def _of_an_attribute(f, n):
  side = "left" if n.key > 5 else "right"
  total = n.key
  if n.right is not None:
    total += getattr(n.right, side).key if getattr(n.right, side) is not None else 0
    total += getattr(n.right, side, None) is None
    total += f(n.right)
  return total


def _asked_for(f, n):
  name = "key" if n.key > 3 else "colour"
  kids = [kid for kid in (n.left, n.right) if kid is not None]
  return hasattr(n, name) + 10 * hasattr(n.right, name) + sum(f(kid) for kid in kids)


@pytest.mark.parametrize(
  "program", [_found, _inserted, _directly, _both_sides, _of_an_attribute, _asked_for]
)
def test_it_is_what_python_does(program):
  agrees(of_one(program), trees, expect=CONVERTED)


def _in_a_comprehension(f, n):
  side = "key" if n.key > 3 else "size"
  return [getattr(n, side) for side in ("size", "key")] + [side]


def _unbound(f, n):
  if n.key > 5:
    side = "key"
  return getattr(n, side)


def _another_object(f, n):
  m = n

  def other():
    nonlocal m
    m = Tree(0)
    return m.size

  side = "key" if n.key > 3 else "size"
  setattr(m, side, other())
  return m.key


def _moved(n):
  n.left, n.right = n.right, n.left
  return n.key > 3


def _another_attribute(f, n):
  if n.left is None or n.right is None:
    return n.key
  return getattr(n.left, "key" if _moved(n) else "size") + 100 * n.left.key


@pytest.mark.parametrize(
  "program", [_in_a_comprehension, _unbound, _another_object, _another_attribute]
)
def test_it_is_left_as_it_is_where_it_would_be_another(program):
  agrees(of_one(program), trees)


def test_a_name_that_nobody_knows_is_refused():
  def build(recursive):
    @recursive
    def f(n, side):
      side = side + "t"
      kid = getattr(n, side)
      return n.key if kid is None else n.key + f(kid, "righ" if n.key > 3 else "lef")

    return f

  calls = [(tree, "lef") for (tree,) in trees()]
  agrees(build, lambda: calls, expect={Reason.OPAQUE_READ})
