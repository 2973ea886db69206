"""Constants that are equal and not the same: tuples are known by which one they are."""

import collections

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees

ONE, OTHER = tuple(["a", 1]), tuple(["a", 1])
Pair = collections.namedtuple("Pair", "name number")
FIRST, SECOND = Pair("a", 1), Pair("a", 1)
TEXT, SAME_TEXT = "ab", "".join(["a", "b"])
LARGE, SAME_LARGE = 1000, int("1000")
SMALL, SAME_SMALL = 7, int("7")


class Node:
  """A node with a tuple."""

  def __init__(self, t, *kids):
    self.t, self.kids = t, list(kids)


def _trees(one, other):
  leaves = [Node(one), Node(other), Node(("a", 2)), Node(tuple(["a", 1]))]
  return [(leaf,) for leaf in leaves] + [(Node(other, *leaves),), (Node(one, leaves[1]),)]


def _told(one, other):
  def told(f, n):
    return [(n.t is one, n.t is other, n.t == one), *[f(kid) for kid in n.kids]]

  return told


def _counted(one, other):
  def counted(f, n):
    return (1 if n.t is other else 10 if n.t is one else 0) + sum(f(kid) for kid in n.kids)

  return counted


def _chosen(one, other):
  def chosen(f, n):
    return other if n.t is one else one if n.t is other else n.t

  return chosen


def _kept(one, other):
  def kept(f, n):
    found = n.t if n.kids else other
    for kid in n.kids:
      if kid.t is other:
        found = one
    return found, found is one, found is other

  return kept


@pytest.mark.one_in(2)
@pytest.mark.parametrize("pair", [(ONE, OTHER), (FIRST, SECOND)], ids=["tuples", "named"])
@pytest.mark.parametrize("program", [_told, _counted, _chosen, _kept], ids=lambda p: p.__name__[1:])
def test_equal_constants_are_two_objects(program, pair):
  def build(recursive):
    asked = program(*pair)

    @recursive
    def f(n):
      return asked(f, n)

    return f, list(pair)

  agrees(build, lambda: _trees(*pair), expect=CONVERTED)


def _in_a_variable(one, other):
  def in_a_variable(f, n):
    t = one if n.t is one else other
    n.found = t
    return [t is one, t is other, n.t is t, t == one, *[f(kid) for kid in n.kids]]

  return in_a_variable


def _handed_down(one, other):
  def of(t, n):
    return 1 if t is one else 2 if t is other else 3 if n.t is t else 4

  def handed_down(f, n):
    return [of(one, n), of(other if n.kids else one, n), *[f(kid) for kid in n.kids]]

  return handed_down


def _part(one, other):
  outer, inner = (one, 1), (other, 1)

  def part(f, n):
    t = outer if n.kids else inner
    return [t[0] is one, t[0] is other, t is outer, *[f(kid) for kid in n.kids]]

  return part


@pytest.mark.one_in(2)
@pytest.mark.parametrize("pair", [(ONE, OTHER), (FIRST, SECOND)], ids=["tuples", "named"])
@pytest.mark.parametrize(
  "program", [_in_a_variable, _handed_down, _part], ids=lambda p: p.__name__[1:]
)
def test_which_one_a_variable_is_is_left_to_python(program, pair):
  def build(recursive):
    asked = program(*pair)

    @recursive
    def f(n):
      return asked(f, n)

    return f

  agrees(build, lambda: _trees(*pair), expect=Reason.UNSUPPORTED_OPERATION)


@pytest.mark.one_in(1)
@pytest.mark.parametrize(
  ("pair", "expect"),
  [
    ((TEXT, SAME_TEXT), Reason.UNSUPPORTED_OPERATION),
    ((LARGE, SAME_LARGE), Reason.UNSUPPORTED_OPERATION),
    ((0.5, float("0.5")), Reason.UNSUPPORTED_OPERATION),
    ((SMALL, SAME_SMALL), CONVERTED),  # One object.
    ((TEXT, "other"), Reason.UNSUPPORTED_OPERATION),
    ((True, False), CONVERTED),
  ],
  ids=["strings", "large", "floats", "small", "different", "truths"],
)
def test_which_string_or_number_a_variable_is_is_left_to_python(pair, expect):
  one, other = pair

  def build(recursive):
    @recursive
    def f(n):
      t = one if n.kids else other
      return [t is one, t is other, t == one, *[f(kid) for kid in n.kids]]

    return f

  agrees(build, lambda: _trees(ONE, OTHER), expect=expect)
