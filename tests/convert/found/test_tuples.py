"""Tuples: of a length that only the run knows, and with parts that only the run knows."""

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, bushy, root


def trees():
  return [(root(),), (Node(7, False, "z"),), (bushy(),)]


# --- Tuples whose length the run finds are tuples


def tuple_of_each(recursive):
  @recursive
  def listed(node):
    values = tuple(kid.v for kid in node.kids)
    more = (node.v, *values[:1])[:1] + values + (node.v,)
    is_one = isinstance(values, tuple), isinstance(values, list), type(values) is tuple
    return values, more, values + values, values[1:], {"all": [values]}, is_one, list(values)

  return listed


def tuples_of_zip(recursive):
  @recursive
  def listed(node):
    if not node.kids:
      return (), ()
    values, names = zip(*[(kid.v, kid.name) for kid in node.kids])  # noqa: B905
    return values, names

  return listed


def range_used(recursive):
  @recursive
  def total(node):
    numbers = range(node.v)
    found = sum(numbers) if node.flag else len(tuple(numbers))
    for kid in node.kids:
      found += len(numbers) + total(kid)
    return found

  return total


@pytest.mark.parametrize("build", [tuples_of_zip, range_used])
def test_tuples_of_unknown_length_stay_tuples(build):
  agrees(build, trees, CONVERTED)


def test_operations_on_tuples_of_unknown_length():
  agrees(tuple_of_each, trees, None)


def test_a_range_of_the_run_is_not_returned_as_a_list():
  def build(recursive):
    @recursive
    def numbers(node):
      return range(node.v)

    return numbers

  agrees(build, trees, Reason.UNSUPPORTED_OPERATION)


def test_a_list_is_no_tuple_in_its_place():
  def build(recursive):
    @recursive
    def values(node):
      return tuple(k.v for k in node.kids) if node.flag else [k.v for k in node.kids]

    return values

  agrees(build, trees, CONVERTED)


# --- Tuples with parts that only the run knows are no constants


class Equal:
  __hash__ = None

  def __init__(self, v):
    self.v = v

  def __eq__(self, other):
    print("eq", self.v, other.v)
    return self.v == other.v


def tuples_in_lists(recursive):
  @recursive
  def found(node):
    pair = node.v, node.v
    return pair in [(1, 1), (7, 2)], pair in ((2, 1), (7, 7)), (node.name, 1) not in [("r", 1)]

  return found


def objects_in_lists(recursive):
  @recursive
  def found(node):
    return Equal(node.v) in [Equal(1), Equal(7), Equal(2)], 2 in [node.v, 3], 7 in (node.v, 3)

  return found


@pytest.mark.parametrize("build", [tuples_in_lists, objects_in_lists])
def test_membership_compares_elements_until_one_is_equal(build):
  agrees(build, trees, CONVERTED)


def tuple_as_key(recursive):
  @recursive
  def found(node):
    table = {(node.v, 1): "x", (1, 1): "y"}
    return table.get((7, 1), "no"), len(table)

  return found


def tuple_for_a_table(recursive):
  table = {(1, 2): "a", (7, 2): "b"}

  @recursive
  def found(node):
    return table.get((node.v, 2), "no")

  return found


def tuple_as_index_of_a_table(recursive):
  table = {(1, 2): "a", (7, 2): "b"}

  @recursive
  def found(node):
    return table[node.v, 2] if node.v in (1, 7) else "no"

  return found


@pytest.mark.parametrize("build", [tuple_as_key, tuple_for_a_table, tuple_as_index_of_a_table])
def test_keys_with_parts_of_the_run_are_looked_up(build):
  agrees(build, trees, CONVERTED)
