"""Lists that are passed in and filled with objects: what is in there twice is one object."""

import pytest

from recursive_tf.convert import Reason
from tests.convert.agreement import CONVERTED, agrees, bushy, lopsided, root
from tests.convert.found.collected import Box, collector

SHARED = Reason.SHARED_CONTAINER
PROGRAMS, program = collector()


def calls():
  return [(tree, []) for tree in (root(), lopsided(), bushy())]


@pytest.mark.parametrize(("build", "expect", "calls"), PROGRAMS)
def test_objects_in_a_list_that_is_passed_in(build, expect, calls):
  agrees(build, calls, expect=expect)


@program(CONVERTED, calls)
def appended_twice(recursive):
  @recursive
  def visit(n, acc):
    for k in n.kids:
      box = Box(k.v)
      acc.append(box)
      acc.append(box)
      visit(k, acc)
    return len(acc)

  return visit


@program(CONVERTED, calls)
def taken_from_itself(recursive):
  @recursive
  def visit(n, acc):
    for k in n.kids:
      visit(k, acc)
      acc.append({"a": k.v})
    if acc:
      acc += acc[:2]
    return sum((x["a"] for x in acc), n.v)

  return visit


@program(CONVERTED, calls)
def an_item_again(recursive):
  @recursive
  def visit(n, acc):
    for k in n.kids:
      visit(k, acc)
      acc.append([k.v])
    if acc:
      acc.append(acc[0])
    return len(acc)

  return visit


@program(CONVERTED, calls)
def extended_twice(recursive):
  @recursive
  def visit(n, acc):
    found = []
    for k in n.kids:
      visit(k, acc)
      found.append(Box(k.v))
    acc.extend(found)
    acc.extend(found)
    return len(acc)

  return visit


@program(CONVERTED, calls)
def one_of_before_the_loop(recursive):
  @recursive
  def visit(n, acc):
    box = Box(n.v)
    for k in n.kids:
      acc.append(box)
      visit(k, acc)
    return len(acc)

  return visit


@program(CONVERTED, calls)
def also_returned(recursive):
  @recursive
  def visit(n, acc):
    for k in n.kids:
      acc.append(Box(k.v))
      visit(k, acc)
    return [x for x in acc if x.x > 1]

  return visit


@program(CONVERTED, calls)
def read_by_a_loop(recursive):
  @recursive
  def visit(n, acc):
    found = n.v
    for k in n.kids:
      visit(k, acc)
      acc.append({"a": k.v})
    for x in acc:
      found += x["a"]
    return found

  return visit


@program(CONVERTED, calls)
def read_by_a_generator(recursive):
  @recursive
  def visit(n, acc):
    for k in n.kids:
      visit(k, acc)
      acc.append(Box(k.v))
    return sum([x.x for x in acc if x.x > 1]) + (1 if any(x.x == 3 for x in acc) else 0)

  return visit
