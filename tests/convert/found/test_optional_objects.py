"""What Python tells of None, of an object that may be None and that no other object leads to."""

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, root


def trees():
  return [(root(),), (Node(7, False, "z"),), (Node(1, True, "a", Node(2, True, "b")),)]


def truth_of_choices(recursive):
  @recursive
  def chosen(node):
    flag = None if node.flag else False
    first = node.kids[0] if node.kids else None
    found = first or node.v and node
    return 1 if flag else 2, flag is None, flag, found.v

  return chosen


def comparisons_of_choices(recursive):
  @recursive
  def chosen(node):
    name = node.name if node.flag else None
    return name == "a", name != "r", name in ("a", "r"), name in (None, "a"), name == None  # noqa: E711

  return chosen


def types_of_choices(recursive):
  @recursive
  def chosen(node):
    one = node if node.flag else (None if node.v > 6 else node.name)
    return isinstance(one, Node), isinstance(one, str), isinstance(one, (str, type(None)))

  return chosen


@pytest.mark.parametrize("build", [truth_of_choices, comparisons_of_choices, types_of_choices])
def test_none_among_the_choices_is_pythons_none(build):
  agrees(build, trees, CONVERTED)
