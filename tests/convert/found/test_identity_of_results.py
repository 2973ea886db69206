"""Which of the containers that a program makes are one and the same: results and writes."""

import pytest

from recursive_tf.convert import Reason
from tests.convert.agreement import CONVERTED, agrees
from tests.convert.found.collected import Box, Pair, collector

SHARED = Reason.SHARED_CONTAINER
PROGRAMS, program = collector()


@pytest.mark.parametrize(("build", "expect", "calls"), PROGRAMS)
def test_what_is_shared_is_as_in_python(build, expect, calls):
  agrees(build, calls, expect=expect)


@program(CONVERTED)
def a_list_is_returned_twice_in_a_dict(recursive):
  @recursive
  def f(n):
    found = [n.v, sum(f(k)["a"][0] for k in n.kids)]
    return {"a": found, "b": found}

  return f


@program(CONVERTED)
def a_list_is_returned_twice_in_a_tuple(recursive):
  def visit(n):
    return n.v + sum(visit(k) for k in n.kids)

  @recursive
  def f(n):
    found = [visit(n)]
    return found, found

  return f


@program(CONVERTED)
def an_object_is_returned_with_a_list_of_it(recursive):
  def visit(n):
    return n.v + sum(visit(k) for k in n.kids)

  @recursive
  def f(n):
    box = Pair(visit(n), 1)
    return box, [box, Pair(2, 3)]

  return f


@program(CONVERTED)
def new_lists_are_returned_together(recursive):
  def visit(n):
    return n.v + sum(visit(k) for k in n.kids)

  @recursive
  def f(n):
    found = [visit(n)]
    return found, list(found), Pair(found[0], [1])

  return f


@program(CONVERTED)
def best_is_returned_with_all(recursive):
  def visit(n):
    return n.v + sum(visit(k) for k in n.kids)

  @recursive
  def f(n):
    a, b = [visit(n)], [2]
    best = a if n.flag else b
    return a, b, best

  return f


@program(CONVERTED)
def lists_of_one_list_are_returned(recursive):
  def visit(n):
    return n.v + sum(visit(k) for k in n.kids)

  @recursive
  def f(n):
    row, rows = [visit(n)], []
    for _ in n.kids:
      rows.append(row)
    return rows

  return f


# --- Writes


@program(CONVERTED)
def one_new_list_in_two_attributes(recursive):
  @recursive
  def f(n):
    found = [n.v, 1]
    n.a = found
    n.b = found
    return sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def a_list_is_changed_after_it_is_written(recursive):
  @recursive
  def f(n):
    vals = [n.v]
    n.vals = vals
    vals.append(5)
    return sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def a_written_object_is_changed_by_the_parent(recursive):
  @recursive
  def f(n):
    n.box = Box(n.v)
    for k in n.kids:
      f(k)
      n.box.x += k.box.x
    return n.box.x

  return f


@program(CONVERTED)
def a_written_pair_is_read_by_the_parent(recursive):
  @recursive
  def f(n):
    n.box = Pair(n.v, 1)
    total = n.box.a
    for k in n.kids:
      f(k)
      total += k.box.a
    return total

  return f


@program(CONVERTED)
def a_list_is_written_and_returned(recursive):
  @recursive
  def f(n):
    vals = [n.v, sum(sum(f(k)) for k in n.kids)]
    n.vals = vals
    return vals

  return f


@program(CONVERTED)
def one_list_is_written_to_all_children(recursive):
  def visit(n, vals):
    n.vals = vals
    for k in n.kids:
      visit(k, vals)
    return 1

  @recursive
  def f(n):
    return visit(n, [n.v, 2])

  return f


@program(CONVERTED)
def new_lists_are_written(recursive):
  @recursive
  def f(n):
    n.vals = [n.v, 2]
    n.pair = Pair(n.v, 5)
    return n.v + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def a_list_is_printed_and_changed(recursive):
  @recursive
  def f(n):
    vals = [n.v]
    print(vals)
    vals.append(3)
    print(vals)
    return len(vals) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def a_new_list_is_appended_to_a_list_of_the_user_and_changed(recursive):
  rows = []

  @recursive
  def f(n):
    row = [n.v, 1]
    rows.append(row)
    row[0] = 77
    return sum(f(k) for k in n.kids)

  return f, [rows]


@program(CONVERTED)
def a_new_list_is_appended_twice_to_a_list_of_the_user(recursive):
  rows = []

  @recursive
  def f(n):
    row = [n.v, 1]
    rows.append(row)
    rows.append(row)
    return sum(f(k) for k in n.kids)

  return f, [rows]
