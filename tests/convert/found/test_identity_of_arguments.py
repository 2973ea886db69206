"""Which of the containers that a program makes are one and the same: on both sides of calls."""

import time

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert import Reason
from tests.convert.agreement import CONVERTED, agrees, root
from tests.convert.found.collected import Box, collector

SHARED = Reason.SHARED_CONTAINER
PROGRAMS, program = collector()


@pytest.mark.parametrize(("build", "expect", "calls"), PROGRAMS)
def test_what_is_shared_is_as_in_python(build, expect, calls):
  agrees(build, calls, expect=expect)


@program(SHARED)
def one_list_is_passed_as_two_arguments(recursive):
  def visit(n, a, b):
    a.append(n.v)
    found = len(b)
    for k in n.kids:
      found += visit(k, a, b)
    return found

  @recursive
  def f(n):
    seen = [n.v]
    return visit(n, seen, seen)

  return f


@program(CONVERTED)
def two_lists_are_passed_and_changed(recursive):
  def visit(n, a, b):
    a.append(n.v)
    if n.flag:
      b.append(n.v)
    found = len(b)
    for k in n.kids:
      found += visit(k, a, b)
    return found

  @recursive
  def f(n):
    a, b = [k.v for k in n.kids], [k.v for k in n.kids]
    return visit(n, a, b) + 10 * len(a) + 100 * len(b)

  return f


@program(SHARED)
def lists_are_swapped_in_the_call(recursive):
  def visit(n, a, b):
    a.append(n.v)
    for k in n.kids:
      visit(k, b, a)
    return len(a) + 10 * len(b)

  @recursive
  def f(n):
    a = []
    return visit(n, a, a if n.flag else [1])

  return f


@program(CONVERTED)
def an_argument_is_returned_and_kept_in_its_place(recursive):
  def visit(n, acc):
    acc.append(n.v)
    for k in n.kids:
      acc = visit(k, acc)
    return acc

  @recursive
  def f(n):
    return sum(visit(n, [k.v for k in n.kids]))

  return f


@program(CONVERTED)
def an_argument_is_returned_and_changed(recursive):
  def visit(n, acc):
    acc.append(n.v)
    for k in n.kids:
      visit(k, acc)
    return acc

  @recursive
  def f(n):
    mine = [k.v for k in n.kids]
    got = visit(n, mine)
    got.append(100)
    return sum(mine) + 1000 * sum(got)

  return f


@program(SHARED)
def an_argument_is_returned_on_one_path(recursive):
  def visit(n, acc):
    if n.flag:
      return acc
    for k in n.kids:
      visit(k, acc)
    return [n.v]

  @recursive
  def f(n):
    mine = [5]
    got = visit(n, mine)
    got.append(100)
    return sum(mine) + 1000 * sum(got)

  return f


@program(CONVERTED)
def a_list_in_an_object_is_changed_by_a_call(recursive):
  def visit(n, box):
    box.items.append(n.v)
    for k in n.kids:
      visit(k, box)
    return len(box.items)

  @recursive
  def f(n):
    box = Box(0)
    box.items = items = [k.v for k in n.kids]
    return visit(n, box) + 10 * len(box.items) + 100 * len(items)

  return f


@program(CONVERTED)
def an_object_in_a_list_is_changed_by_a_call(recursive):
  def visit(n, boxes):
    boxes[0].x += n.v
    for k in n.kids:
      visit(k, boxes)
    return len(boxes)

  @recursive
  def f(n):
    box = Box(0)
    visit(n, [box])
    return box.x

  return f


@program(CONVERTED)
def an_object_in_a_tuple_is_changed_by_a_call(recursive):
  def visit(n, state):
    state[0].x += n.v
    for k in n.kids:
      visit(k, state)
    return 1

  @recursive
  def f(n):
    box = Box(0)
    visit(n, (box, 3))
    return box.x

  return f


@program(CONVERTED)
def an_argument_is_put_into_another(recursive):
  def visit(n, a, b):
    a.x = b
    for k in n.kids:
      visit(k, a, b)
    return 1

  @recursive
  def f(n):
    a, b = Box(0), [n.v]
    a.x = [7]
    visit(n, a, b)
    a.x.append(100)
    return sum(b)

  return f


@program(CONVERTED)
def a_list_that_may_be_none_is_changed(recursive):
  def visit(n, acc):
    if acc is not None:
      acc.append(n.v)
    for k in n.kids:
      visit(k, acc if n.flag else None)
    return 1

  @recursive
  def f(n):
    mine = [0]
    visit(n, mine)
    return len(mine)

  return f


@program(CONVERTED)
def a_nonlocal_list_is_replaced(recursive):
  @recursive
  def f(n):
    acc = [k.v for k in n.kids]
    first = acc

    def visit(m):
      nonlocal acc
      acc = acc + [m.v]
      for k in m.kids:
        visit(k)
      return len(acc)

    return visit(n) + 10 * len(first) + 100 * len(acc)

  return f


@program({SHARED, Reason.EFFECT_ORDER})
def a_nonlocal_list_is_changed_and_replaced(recursive):
  @recursive
  def f(n):
    acc = []
    first = acc

    def visit(m):
      nonlocal acc
      acc.append(m.v)
      acc = [m.v]
      for k in m.kids:
        visit(k)
      return 1

    return visit(n) + 10 * len(first) + 100 * len(acc)

  return f


@program(SHARED)
def two_captured_names_of_one_list(recursive):
  @recursive
  def f(n):
    a = []
    b = a

    def visit(m):
      a.append(m.v)
      found = len(b)
      for k in m.kids:
        found += visit(k)
      return found

    return visit(n)

  return f


@program(CONVERTED)
def a_captured_list_is_appended_to(recursive):
  @recursive
  def f(n):
    found = [k.v for k in n.kids]

    def visit(m):
      found.append(m.v)
      for k in m.kids:
        visit(k)

    visit(n)
    return sum(found)

  return f


@program(SHARED)
def a_default_of_an_inner_function_is_kept(recursive):
  @recursive
  def f(n):
    def visit(m, seen=[]):  # noqa: B006
      seen.append(m.v)
      for k in m.kids:
        visit(k)
      return len(seen)

    return visit(n)

  return f


@program(CONVERTED)
def a_method_changes_its_object(recursive):
  class Walker:
    def __init__(self, names):
      self.count, self.names = 0, names

    def visit(self, n):
      self.count += n.v
      self.names.append(n.v)
      for k in n.kids:
        self.visit(k)
      return self

  @recursive
  def f(n):
    walker = Walker([k.v for k in n.kids])
    again = walker.visit(n)
    return walker.count + 10 * len(walker.names) + 1000 * again.count

  return f


@program(CONVERTED)
def partial_keeps_the_list(recursive):
  import functools

  def push(items, x):
    items.append(x)
    return len(items)

  @recursive
  def f(n):
    items = []
    add = functools.partial(push, items)
    add(n.v)
    add(2)
    return len(items) + sum(f(k) for k in n.kids)

  return f


@program(SHARED, lambda: [(root(), []), (root(), []), (root(), [1])])
def a_list_is_kept_and_would_be_changed_in_a_branch_that_no_run_takes(recursive):
  @recursive
  def f(n, acc):
    def visit(m):
      return m.v + sum(visit(k) for k in m.kids)

    found = visit(n)
    n.kept = acc
    if acc:
      acc.pop()
    return found

  return f


@program(SHARED, lambda: [(root(), []), (root(), []), (root(), [1])])
def a_list_is_kept_and_would_be_changed_by_a_call_in_a_branch_that_no_run_takes(recursive):
  def visit(n, acc):
    if acc:
      acc.pop()
    return n.v + sum(visit(k, acc) for k in n.kids)

  @recursive
  def f(n, acc):
    n.kept = acc
    return visit(n, acc)

  return f


class _Doubling(list):
  """A list that appends what it is given twice."""

  def append(self, x):
    list.append(self, x)
    list.append(self, x)


def test_a_list_of_another_class_is_changed():
  @rtf.function(verify=0)
  def push(items, x):
    items.append(x)
    y = items[0] + items[-1]
    items[0] = y
    return y, len(items), items

  x = tf.ones([2])
  items = [x]
  for turn in range(6):
    push(items, x * turn)
  for given, y in ((items, x), ([1.0], 2.0), ([2.0], x), ([], x)):
    push(given, y)
  items = _Doubling([x])
  begin = time.perf_counter()
  _, count, found = push(items, x)
  assert (count, found is items) == (3, True)
  assert time.perf_counter() - begin < 10  # Each conversion asked for another one, for minutes.
