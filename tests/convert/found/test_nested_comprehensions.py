"""Comprehensions with several `for`, over lists of lengths that only the run knows."""

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, root


def trees():
  return [(root(),), (Node(1, True, "x", root(), Node(4, False, "y", Node(6, True, "z"))),)]


def numbers(recursive):
  @recursive
  def flat(node):
    return [node.v] + [x for kid in node.kids for x in flat(kid)]

  return flat


def objects_in_a_tuple(recursive):
  @recursive
  def flat(node):
    return (node,) + tuple(x for kid in node.kids for x in flat(kid))

  return flat


def tuples_and_filters(recursive):
  @recursive
  def flat(node):
    return [(node.v, node.name)] + [(a + 1, b) for k in node.kids for a, b in flat(k) if a > 1]

  return flat


def three_levels(recursive):
  @recursive
  def flat(node):
    found = [x for kid in node.kids for inner in kid.kids for x in flat(inner)]
    return [node.v] + found + [-x for kid in node.kids for x in flat(kid)]

  return flat


def outer_name_of_the_element(recursive):
  @recursive
  def flat(node):
    x = 100 * node.v
    return [x] + [x + 1 for kid in node.kids for x in flat(kid)]

  return flat


def searched(recursive):
  @recursive
  def has_flag(node):
    x = False
    found = any(x for kid in node.kids for x in [inner.flag for inner in kid.kids])
    return x or found or any(has_flag(kid) for kid in node.kids)

  return has_flag


def summed(recursive):
  @recursive
  def add(node):
    return node.v + sum(x for kid in node.kids for x in [kid.v, add(kid)])

  return add


def extended(recursive):
  @recursive
  def flat(node):
    found = [node.v]
    found.extend(x + 1 for kid in node.kids for x in flat(kid))
    return found

  return flat


@pytest.mark.parametrize(
  "build",
  [
    numbers,
    objects_in_a_tuple,
    tuples_and_filters,
    three_levels,
    outer_name_of_the_element,
    searched,
    summed,
    extended,
  ],
)
def test_inner_elements_are_those_of_the_inner_list(build):
  agrees(build, trees, expect=CONVERTED)


def sum_of_lists(recursive):
  @recursive
  def flat(node):
    return [node.v] + sum([flat(kid) for kid in node.kids], [])

  return flat


def list_of_lists(recursive):
  @recursive
  def flat(node):
    return [node.v] + [x for found in [flat(kid) for kid in node.kids] for x in found]

  return flat


def test_lists_of_lists_of_unknown_lengths_are_converted():
  agrees(list_of_lists, trees, expect=CONVERTED)


def test_lists_of_unknown_lengths_are_put_together():
  agrees(sum_of_lists, trees, expect=CONVERTED)
