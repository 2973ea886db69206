"""Which of the containers that a program makes are one and the same: where branches meet."""

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
def object_of_either_branch_is_changed(recursive):
  @recursive
  def f(n):
    a, b = Box(1), Box(2)
    d = a if n.flag else b
    d.x += 10
    return a.x + 100 * b.x + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def list_of_either_branch_is_appended_to(recursive):
  @recursive
  def f(n):
    evens, odds = [], []
    for k in n.kids:
      target = evens if k.v % 2 == 0 else odds
      target.append(k.v)
    return len(evens) + 10 * len(odds) + 100 * sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def list_chosen_by_a_statement_is_appended_to(recursive):
  @recursive
  def f(n):
    a, b = [1], [2]
    if n.flag:
      d = a
    else:
      d = b
    d.append(n.v)
    return len(a) + 10 * len(b) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def dict_of_either_branch_is_written(recursive):
  @recursive
  def f(n):
    a, b = {"x": 1}, {"x": 2}
    d = a if n.flag else b
    d["x"] = n.v
    return a["x"] + 10 * b["x"] + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def method_of_either_object_is_called(recursive):
  @recursive
  def f(n):
    odd, even = Box(0), Box(0)
    (odd if n.v % 2 else even).add()
    return odd.x + 10 * even.x + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def longer_list_is_appended_to(recursive):
  @recursive
  def f(n):
    a, b = [k.v for k in n.kids], [n.v]
    longer = a if len(a) >= len(b) else b
    longer.append(n.v)
    return len(a) + 10 * len(b) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def list_in_one_branch_new_in_the_other(recursive):
  @recursive
  def f(n):
    a = [n.v]
    b = a if n.flag else [5]
    b.append(7)
    return len(a) + 10 * len(b) + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def the_original_is_changed_and_the_choice_read(recursive):
  @recursive
  def f(n):
    a = [n.v]
    b = a if n.flag else [5]
    a.append(7)
    return len(a) + 10 * len(b) + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def identity_of_a_choice_is_tested(recursive):
  @recursive
  def f(n):
    a, b = Box(1), Box(2)
    d = a if n.flag else b
    return (1 if d is a else 2) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def identity_without_a_choice_is_known(recursive):
  @recursive
  def f(n):
    a, b = Box(1), Box(2)
    c = a
    return (1 if c is a else 2) + (10 if a is b else 20) + sum(f(k) for k in n.kids)

  return f


@program({SHARED, Reason.UNSUPPORTED_OPERATION})
def identity_of_what_may_be_none_is_tested(recursive):
  @recursive
  def f(n):
    a = Box(1)
    d = a if n.flag else None
    return (1 if d is a else 2) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def both_branches_leave_the_same_list(recursive):
  @recursive
  def f(n):
    a, d = [], None
    if n.flag:
      a.append(1)
      d = a
    else:
      a.append(2)
      d = a
    d.append(n.v)
    return len(a) + sum(a) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def content_changes_in_the_branch_that_chooses(recursive):
  @recursive
  def f(n):
    a, d = [1], [3]
    if n.flag:
      a.append(5)
      d = a
    return sum(d) + 10 * sum(a) + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def two_names_under_a_condition_are_one(recursive):
  @recursive
  def f(n):
    a, b = [1], [2]
    if n.flag:
      a = [9]
      b = a
    a.append(n.v)
    return len(b) + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def swap_under_a_condition(recursive):
  @recursive
  def f(n):
    a, b = [1], [2]
    first = a
    if n.flag:
      a, b = b, a
    a.append(n.v)
    return len(first) + 10 * len(b) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def a_choice_that_is_only_read(recursive):
  @recursive
  def f(n):
    a, b = [1, 2], [3]
    d = a if n.flag else b
    best = Box(1) if n.v > 1 else Box(2)
    return sum(d) + best.x + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def a_choice_of_new_ones_is_changed(recursive):
  @recursive
  def f(n):
    d = [1, 2] if n.flag else [3]
    d.append(n.v)
    box = Box(1) if n.flag else Box(2)
    box.add(n.v)
    return sum(d) + box.x + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def nested_list_of_a_chosen_object(recursive):
  @recursive
  def f(n):
    a, b = Pair([1]), Pair([2])
    d = a if n.flag else b
    d.a.append(n.v)
    return len(a.a) + 10 * len(b.a) + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def list_inside_a_chosen_tuple(recursive):
  @recursive
  def f(n):
    a, b = [1], [2]
    pair = (a, b) if n.flag else (b, a)
    pair[0].append(n.v)
    return len(a) + 10 * len(b) + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def choice_by_or(recursive):
  @recursive
  def f(n):
    a, b = [k.v for k in n.kids], [0]
    d = a or b
    d.append(n.v)
    return len(a) + 10 * len(b) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def class_that_adds_in_place(recursive):
  class Sum:
    def __init__(self):
      self.x = 0

    def __add__(self, other):
      found = Sum()
      found.x = self.x + other
      return found

    def __iadd__(self, other):
      self.x += 10 * other
      return self

  @recursive
  def f(n):
    a = Sum()
    b = a
    a += n.v
    return b.x + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def list_is_multiplied_in_place(recursive):
  @recursive
  def f(n):
    a = [n.v]
    b = a
    a *= 2
    return len(b) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def list_is_extended_in_place_under_two_names(recursive):
  @recursive
  def f(n):
    a = [n.v]
    b = a
    a += [1, 2]
    return len(b) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def slices_are_new_lists(recursive):
  @recursive
  def f(n):
    a = [n.v, 2, 3]
    b, c, d = a[:], list(a), a + []
    b.append(1)
    c.append(2)
    a.append(7)
    return len(a) + 10 * len(b) + 100 * len(c) + 1000 * len(d) + sum(f(k) for k in n.kids)

  return f


@program({SHARED, Reason.UNSUPPORTED_OPERATION})
def one_of_two_lists_by_its_index(recursive):
  @recursive
  def f(n):
    buckets = [[], []]
    for k in n.kids:
      buckets[k.v % 2].append(k.v)
    return len(buckets[0]) + 10 * len(buckets[1]) + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def attribute_of_one_of_two_objects_by_its_index(recursive):
  @recursive
  def f(n):
    boxes = (Box(1), Box(2))
    boxes[n.v % 2].x += 10
    return boxes[0].x + 100 * boxes[1].x + sum(f(k) for k in n.kids)

  return f


@program(SHARED)
def closure_changes_a_chosen_list(recursive):
  @recursive
  def f(n):
    a, b = [1], [2]
    d = a if n.flag else b

    def push(x):
      d.append(x)

    push(n.v)
    return len(a) + 10 * len(b) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def a_set_has_two_names(recursive):
  @recursive
  def f(n):
    a = set()
    b = a
    a.add(n.v)
    return len(b) + sum(f(k) for k in n.kids)

  return f


@program({SHARED, Reason.UNSUPPORTED_OPERATION})
def an_object_is_a_key(recursive):
  @recursive
  def f(n):
    a, b = Box(1), Box(1)
    d = {a: 1}
    return d.get(b, 5) + d.get(a, 7) + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def a_tuple_with_a_number_of_the_run_is_a_key(recursive):
  @recursive
  def f(n):
    d = {(n.v, 1): 5}
    return d.get((n.v + 0, 1), 7) + sum(f(k) for k in n.kids)

  return f


@program({SHARED, Reason.UNSUPPORTED_OPERATION})
def a_tensor_of_either_branch_is_compared_by_is(recursive):
  import tensorflow as tf

  @recursive
  def f(n):
    a, b = tf.constant(1.0) * n.v, tf.constant(2.0) * n.v
    d = a if n.flag else b
    return (1 if d is a else 2) + sum(f(k) for k in n.kids)

  return f
