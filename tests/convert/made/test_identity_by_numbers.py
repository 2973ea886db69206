"""`is` of old and new objects: which of them something is says its number."""

import dataclasses

import pytest

from tests.convert.agreement import agrees, of_text


class Node:
  def __init__(self, v, left=None, right=None):
    self.v, self.left, self.right = v, left, right


@dataclasses.dataclass(frozen=True)
class Frozen:
  v: int
  left: object = None
  right: object = None


# Rebuilds what is below nodes with a negative number, and keeps all else as it is.
MAPPED = """
def f(n, *others):
  if n is None:
    return None
  l, r = f(n.left), f(n.right)
  {kept}
  return {cls}(abs(n.v), l, r)
"""
KEPT = {
  "both": "if l is n.left and r is n.right and n.v >= 0:\n    return n",
  "swapped": "if n.left is l and n.right is r and n.v >= 0:\n    return n",
  "is_not": "if not (l is not n.left or r is not n.right or n.v < 0):\n    return n",
  "a_value": "same = l is n.left\n  if same and r is n.right and n.v >= 0:\n    return n",
  "returned": "if l is n.left and n.v >= 0:\n    return (n, l is r, r is n.right, l is None)",
  "each_other": "if l is r:\n    return n",
}
# What a call gives, beside an object that is read, made or passed in.
ASKED = {
  "itself": "a is a, a is not a",
  "old": "a is n, n is a",
  "old_part": "a is n.left, n.right is not a",
  "two": "a is b, b is not a",
  "of_lists": "[x is n for x in [a, b]], [n is x for x in (a, n)]",
  "first": "next((i for i, x in enumerate([a, b]) if x is n.left), -1)",
  "none": "a is None, None is b",
  "counted": "sum(1 for x in [a, b, n.left, n.right] if x is a)",
}
PROGRAM = """
def least(n):
  if n.left is None:
    return n
  if n.v == 0:
    return {cls}(7, n.left, n.right)
  return least(n.left)

def f(n):
  a = least(n)
  b = least(n.right) if n.right is not None else n
  return {asked}
"""


def _trees(cls):
  def make():
    shared = cls(3)
    return [
      (cls(1),),
      (cls(-1),),
      (cls(1, cls(2), cls(-3)),),
      (cls(1, cls(2, shared, shared), cls(5, cls(-4), shared)),),
      (cls(1, cls(0, cls(4)), cls(0, cls(4), shared)),),
      (cls(0, shared, shared),),
    ]

  return make


@pytest.mark.parametrize("cls", [Node, Frozen])
@pytest.mark.parametrize("kept", KEPT)
def test_what_has_not_changed_is_kept(kept, cls):
  text = MAPPED.format(kept=KEPT[kept], cls=cls.__name__)
  other = agrees(of_text(text, **{cls.__name__: cls}), _trees(cls))
  assert other.stats.num_converted_runs or kept == "returned"


@pytest.mark.parametrize("cls", [Node, Frozen])
@pytest.mark.parametrize("asked", ASKED)
def test_which_one_it_is_is_pythons(asked, cls):
  text = PROGRAM.format(asked=ASKED[asked], cls=cls.__name__)
  other = agrees(of_text(text, **{cls.__name__: cls}), _trees(cls))
  assert other.stats.num_converted_runs


@pytest.mark.parametrize("value", ["n.name", "n.v", "(n.v, 1)", "n.v + 1.5"])
def test_what_has_no_identity_is_left_to_python(value):
  class Named(Node):
    name = "a name"

  text = f"""
def some(n):
  return {value} if n.left is None else (n if n.v else some(n.left))

def f(n):
  return some(n) is {value}, some(n) is n
"""
  agrees(of_text(text, Named=Named), _trees(Named))
