"""What Python does not evaluate has no effect, and what it does has one, in Python's order."""

import time

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, root


def trees():
  return [(root(),), (Node(7, False, "z"),), (bushy(),)]


def note(value):
  print("note", value)
  return value


# --- and, or, not


def and_that_appends(recursive):
  seen = []

  def noted(v):
    seen.append(v)
    return v

  @recursive
  def count(node):
    found = 0
    if node.flag and noted(node.v) > 1:
      found = 1
    if node.flag or noted(node.v * 10) > 30:
      found += 10
    for kid in node.kids:
      found += count(kid)
    return found

  return count, [seen]


def and_of_three_that_print(recursive):
  @recursive
  def count(node):
    found = 0
    if node.v > 0 and note(node.v) > 1 and note(node.v + 100) > 102:
      found = 1
    return found + sum([count(kid) for kid in node.kids])

  return count


def not_of_both(recursive):
  @recursive
  def chosen(node):
    if not (node.flag and note(node.v)):
      return 1
    if not (node.flag or note(node.v)) and note(node.v):
      return 2
    return 3

  return chosen


def nonlocal_written(recursive):
  @recursive
  def counted(node):
    count = 0

    def bump():
      nonlocal count
      count += 1
      return count

    a = node.flag and bump() > 0
    if (node.v > 1 or bump() > 1) and bump() > 0:
      a = not a
    return count, a

  return counted


def attribute_written(recursive):
  def mark(node):
    node.mark = node.v
    return node.v

  @recursive
  def count(node):
    found = 1 if node.flag and mark(node) > 1 else 0
    for kid in node.kids:
      found += count(kid)
    return found

  return count


def local_list_appended(recursive):
  @recursive
  def listed(node):
    out = []
    if node.flag and out.append(node.v) is None:
      out.append(100)
    node.flag and out.append(7)
    node.flag or out.append(8)
    out.append(9) if node.v > 2 else note(node.v)
    return out

  return listed


class Truth:
  def __init__(self, v):
    self.v = v

  def __bool__(self):
    print("bool", self.v)
    return self.v > 1


def truths_of_its_own(recursive):
  @recursive
  def chosen(node):
    truth = Truth(node.v)
    a = 1 if truth and Truth(5) else 2
    b = 1 if truth or Truth(6) else 2
    return a, b, not truth

  return chosen


def recursion_on_the_right(recursive):
  seen = []

  @recursive
  def count(node):
    seen.append(node.v)
    found = 0
    for kid in node.kids:
      if kid.flag and count(kid) > 0 or count(kid) > 1:
        found += 1
    return found + node.v

  return count, [seen]


def exceptions_not_reached(recursive):
  @recursive
  def chosen(node):
    ok = node.v != 3 and 10 // (node.v - 3) != 0
    if node.name == "none" and node.nothing > 3:
      ok = False
    more = 1 if not node.kids or node.kids[0].v > 100 else 0
    if node.flag and node.kids and node.kids[0].v > 1:
      more += 10
    if node.flag and hasattr(node, "extra") and node.extra > 1:
      more += 100
    return ok, more

  return chosen


def chained_comparisons(recursive):
  @recursive
  def compared(node):
    found = note(0) < note(node.v) < note(2) < note(3), 0 < note(node.v) <= note(node.v)
    if note(0) < note(node.v) < note(2):
      return 1, found
    note(node.v) < note(2) < note(3)  # noqa: B015
    while 0 < note(node.v) < 0:
      pass
    return 2, found

  return compared


def conditional_expressions(recursive):
  @recursive
  def chosen(node):
    found = note(1) if note(node.v) > 1 else note(node.v + 5)
    more = [note(kid.v) if kid.flag else 0 for kid in node.kids]
    return found, (note(2) if node.flag else note(3)) + note(4), more

  return chosen


AND_OR = (
  and_that_appends, and_of_three_that_print, not_of_both, nonlocal_written, attribute_written,
  local_list_appended, truths_of_its_own, recursion_on_the_right, exceptions_not_reached,
  chained_comparisons, conditional_expressions,
)  # fmt: skip


@pytest.mark.parametrize("build", AND_OR)
def test_the_right_side_has_its_effects_where_python_evaluates_it(build):
  agrees(build, trees, CONVERTED)


def test_one_side_that_always_raises_is_not_reached():
  def build(recursive):
    @recursive
    def chosen(node):
      return 1 if node.flag and node.kids[0].v > 1 else 2

    return chosen

  agrees(build, lambda: [(root(),), (Node(1, False, "q"),)], CONVERTED)


def nested_to_the_right(recursive):
  @recursive
  def chosen(node):
    if len(node.kids) > 1 and (
      node.kids[0].v > 1 and (node.kids[1].v > 9 or (node.kids[0].flag and (
        node.kids[1].flag or (node.kids[0].v > 0 and (node.kids[1].v > 8 or (
          node.kids[0].v < 9 and (node.kids[1].v > 7 or (node.kids[0].v < 8 and (
            node.kids[1].v > 6 or node.kids[0].v < 7)))))))))
    ):  # fmt: skip
      return 1
    return 2 + sum([chosen(kid) for kid in node.kids])

  return chosen


def test_sides_nested_to_the_right_are_traced_in_linear_time():
  start = time.process_time()
  agrees(nested_to_the_right, trees, CONVERTED)
  assert time.process_time() - start < 20  # A doubling at each of 11 levels takes minutes.


# --- while


def while_that_appends(recursive):
  @recursive
  def listed(node):
    out = []
    i = 0

    def following():
      nonlocal i
      i += 1
      out.append(i)
      return i

    while following() < node.v:
      out.append(-1)
    return out, i

  return listed


def while_that_prints(recursive):
  def is_small(i, node):
    print("test", i)
    return i < node.v

  @recursive
  def counted(node):
    i = 0
    while is_small(i, node) and is_small(i + 1, node):
      if i == 2:
        break
      if i == 1:
        i += 2
        continue
      i += 1
    return i

  return counted


def while_that_binds(recursive):
  @recursive
  def summed(node):
    total, i, x = 0, node.v, -5
    while (x := i - 1) > 0:
      total += x * 10
      i -= 1
    return total, x

  return summed


@pytest.mark.parametrize("build", [while_that_appends, while_that_prints, while_that_binds])
def test_the_test_of_a_while_has_its_effects(build):
  agrees(build, trees, CONVERTED)


# --- any, all


def answers_known_early(recursive):
  seen = []

  def is_fine(kid):
    seen.append(kid.v)
    return kid.flag

  @recursive
  def answered(node):
    found = any(is_fine(kid) for kid in node.kids), all(is_fine(kid) for kid in node.kids)
    return found, any([is_fine(kid) for kid in node.kids])

  return answered, [seen]


def answers_by_recursion(recursive):
  seen = []

  @recursive
  def has_one(node):
    seen.append(node.v)
    return (node.v > 2 and node.flag) or any(has_one(kid) for kid in node.kids)

  return has_one, [seen]


def answers_with_filters(recursive):
  @recursive
  def answered(node):
    return (
      any(note(kid.v) > 1 for kid in node.kids if kid.flag or note(-kid.v) < -3),
      all(kid.v > c.v for kid in node.kids for c in kid.kids if note(c.v) > 4),
    )

  return answered


def answers_of_known_elements(recursive):
  @recursive
  def answered(node):
    return any(note(x) > 1 for x in (0, node.v, 2)), all(note(x) for x in (node.v, 0, 2))

  return answered


def answers_of_what_is_true(recursive):
  @recursive
  def answered(node):
    return all(kid.v < 3 and 1 for kid in node.kids), any(kid.kids for kid in node.kids)

  return answered


ANSWERS = (
  answers_known_early, answers_by_recursion, answers_with_filters, answers_of_known_elements,
  answers_of_what_is_true,
)  # fmt: skip


@pytest.mark.parametrize("build", ANSWERS)
def test_any_and_all_end_with_the_answer(build):
  agrees(build, trees, CONVERTED)
