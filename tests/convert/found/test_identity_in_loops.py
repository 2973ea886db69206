"""Which of the containers that a program makes are one and the same: from turn to turn."""

import pytest

from recursive_tf.convert import Reason
from tests.convert.agreement import CONVERTED, agrees
from tests.convert.found.collected import Box, collector

SHARED = Reason.SHARED_CONTAINER
PROGRAMS, program = collector()


@pytest.mark.parametrize(("build", "expect", "calls"), PROGRAMS)
def test_what_is_shared_is_as_in_python(build, expect, calls):
  agrees(build, calls, expect=expect)


@program(CONVERTED)
def one_list_is_appended_in_each_turn_and_changed(recursive):
  @recursive
  def f(n):
    rows, row = [], [n.v]
    for _ in n.kids:
      rows.append(row)
    row.append(5)
    return sum(len(r) for r in rows) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def one_list_is_appended_twice_and_changed(recursive):
  @recursive
  def f(n):
    row = [n.v]
    rows = [row, row]
    row.append(5)
    rows[0].append(1)
    return sum(len(r) for r in rows) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def one_dict_is_appended_in_each_turn_and_changed(recursive):
  @recursive
  def f(n):
    rows, row = [], {"x": n.v}
    for _ in n.kids:
      rows.append(row)
    row["x"] = 7
    return sum(r["x"] for r in rows) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def element_of_a_list_is_changed_by_its_index(recursive):
  @recursive
  def f(n):
    rows = [Box(k.v) for k in n.kids]
    if len(rows) > 0:
      rows[0].x = 50
    return sum(r.x for r in rows) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def elements_of_a_list_are_changed_in_a_loop(recursive):
  @recursive
  def f(n):
    rows = [Box(k.v) for k in n.kids]
    for r in rows:
      r.x += 10
    return sum(r.x for r in rows) + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def a_loop_rebinds_to_the_list_of_another_name(recursive):
  @recursive
  def f(n):
    a, b = [1], [2]
    for k in n.kids:
      if k.flag:
        b = a
    b.append(n.v)
    return len(a) + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def a_list_rebound_in_no_turn_is_the_first_one(recursive):
  @recursive
  def f(n):
    base = [1]
    acc = base
    for k in n.kids:
      acc = acc + [k.v]
    acc.append(n.v)
    return len(base) + 10 * len(acc) + sum(f(k) for k in n.kids)

  return f


@program({SHARED, Reason.NOT_SETTLED})
def last_turns_list_is_changed_in_the_next(recursive):
  @recursive
  def f(n):
    last, total, seen = [0], 0, [0]
    for k in n.kids:
      seen = last
      last.append(k.v)
      total += len(seen)
      last = [k.v]
    last.append(1)
    return total + len(seen) + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def the_best_object_is_changed_after_the_loop(recursive):
  @recursive
  def f(n):
    first = Box(n.v)
    best = first
    for k in n.kids:
      x = Box(k.v)
      best = x if x.x > best.x else best
    best.x += 100
    return first.x + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def the_best_object_is_read(recursive):
  @recursive
  def f(n):
    best = Box(n.v)
    for k in n.kids:
      x = Box(f(k))
      best = x if x.x > best.x else best
    return best.x

  return f


@program({SHARED, Reason.DYNAMIC_LIST})
def list_grows_while_it_is_iterated(recursive):
  @recursive
  def f(n):
    todo, total = [n.v, 2], 0
    for x in todo:
      total += x
      if len(todo) < 6:
        todo.append(3)
    return total + sum(f(k) for k in n.kids)

  return f


@program({SHARED, Reason.DYNAMIC_LIST})
def list_of_the_run_grows_while_it_is_iterated(recursive):
  @recursive
  def f(n):
    todo, total = [k.v for k in n.kids], 0
    for x in todo:
      total += x
      if x == 2 and len(todo) < 6:
        todo.append(3)
    return total + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def reversed_list_is_changed_while_it_is_iterated(recursive):
  @recursive
  def f(n):
    todo, total = [n.v, 2, 3], 0
    for i, x in enumerate(todo):
      total += x
      if i < 2:
        todo[i + 1] = 10
    return total + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def items_are_replaced_by_index(recursive):
  @recursive
  def f(n):
    found = [n.v, 2, 3]
    for i in range(len(found)):
      found[i] = found[i] * 2
    for x in list(found):
      found.append(x)
    return sum(found) + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def values_of_a_dict_are_seen_live(recursive):
  @recursive
  def f(n):
    d = {"a": n.v}
    values = d.values()
    d["b"] = 5
    return sum(values) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def accumulators_of_a_loop(recursive):
  @recursive
  def f(n):
    found, names = [], {"x": 0}
    for k in n.kids:
      found.append(f(k))
      names["x"] += k.v
    found += [n.v]
    return sum(found) + names["x"]

  return f


@program({SHARED, Reason.DYNAMIC_LIST})
def the_stack_of_lists(recursive):
  @recursive
  def f(n):
    stack = [[n.v]]
    for k in n.kids:
      if k.flag:
        stack.append([k.v])
      else:
        stack[-1].append(k.v)
    return len(stack[0]) + 10 * len(stack) + sum(f(k) for k in n.kids)

  return f
