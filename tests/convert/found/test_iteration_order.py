"""Comprehensions and iterators make their elements in Python's order, between other effects."""

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, bushy, root


def trees():
  return [(root(),), (Node(7, False, "z"),), (bushy(),)]


def note(value):
  print("note", value)
  return value


# --- Comprehensions


def filters_in_turn(recursive):
  @recursive
  def listed(node):
    found = [note(kid.v) for kid in node.kids if kid.v > 0 if note(-kid.v) < -2]
    return found, [note(kid.v) for kid in node.kids if note(kid.flag) and kid.v > 1]

  return listed


def filter_with_a_state(recursive):
  @recursive
  def listed(node):
    last = 0

    def is_more(kid):
      nonlocal last
      last += kid.v
      return last > 2

    return [kid.v + last for kid in node.kids if is_more(kid)], last

  return listed


def walrus_that_stays(recursive):
  @recursive
  def listed(node):
    last, total = -1, 0
    found = [last := kid.v for kid in node.kids]
    sums = [total := total + kid.v for kid in node.kids if kid.v > 1]
    known = [other := x + 1 for x in (1, node.v)]
    return found, last, sums, total, known, other

  return listed


def walrus_within(recursive):
  @recursive
  def listed(node):
    return [y for kid in node.kids if (y := kid.v * 2) > 4]

  return listed


def walrus_in_any(recursive):
  @recursive
  def first(node):
    found = node
    if any((found := kid).flag for kid in node.kids):
      return found.v
    return -found.v

  return first


COMPREHENSIONS = (filters_in_turn, filter_with_a_state, walrus_that_stays, walrus_within,
                  walrus_in_any)  # fmt: skip


@pytest.mark.parametrize("build", COMPREHENSIONS)
def test_comprehensions_keep_pythons_order_and_scopes(build):
  agrees(build, trees, CONVERTED)


def counted_arguments(recursive):
  class Counter:
    count = 0

  counter = Counter()

  @recursive
  def total(node, i):
    counter.count += 1
    return i + sum([total(kid, counter.count) for kid in node.kids]) * 2

  return total, [counter]


def ticking_arguments(recursive):
  class Counter:
    count = 0

    @property
    def tick(self):
      self.count += 1
      return self.count

  counter = Counter()

  @recursive
  def total(node, i):
    return i + sum([total(kid, counter.tick) for kid in node.kids]) * 2

  return total, [counter]


@pytest.mark.parametrize("build", [counted_arguments, ticking_arguments])
def test_arguments_of_mapped_calls_are_evaluated_for_each(build):
  agrees(build, lambda: [(root(), 1), (bushy(), 2)], CONVERTED)


# --- Iterators


def loop_over_a_generator(recursive):
  @recursive
  def total(node):
    found = 0
    for x in (kid.v * 2 for kid in node.kids if kid.v > 2):
      print(x)
      found += x
    for x in map(total, node.kids):
      found += x
    return found + node.v

  return total


def run_to_the_end(recursive):
  @recursive
  def listed(node):
    values = list(note(kid.v) for kid in node.kids)
    return values, sum(note(v) for v in values), sorted(map(note, values)), tuple(map(note, values))

  return listed


@pytest.mark.parametrize("build", [loop_over_a_generator, run_to_the_end])
def test_iterators_run_to_their_end_are_converted(build):
  agrees(build, trees, CONVERTED)


def generator_that_prints(recursive):
  @recursive
  def total(node):
    found = 0
    for x in (note(kid.v) for kid in node.kids):
      print("body", x)
      found += x
    return found

  return total


def generator_that_prints_left_early(recursive):
  @recursive
  def total(node):
    for x in (note(v) for v in (1, node.v)):
      if x > 1:
        return x
    return 0

  return total


def map_that_prints(recursive):
  @recursive
  def total(node):
    found = 0
    for x in map(note, (1, node.v)):
      print("body", x)
      found += x
    return found

  return total


def generator_of_what_the_loop_binds(recursive):
  @recursive
  def total(node):
    found = 0
    for x in (kid.v + found for kid in node.kids):
      found += x
    return found

  return total


def generator_of_what_the_loop_writes(recursive):
  @recursive
  def total(node):
    for x in (kid.v + node.v for kid in node.kids):
      node.v += x
    return node.v

  return total


def generator_of_what_the_loop_appends_to(recursive):
  @recursive
  def listed(node):
    out = []
    for x in (kid.v + len(out) for kid in node.kids):
      out.append(x)
    return out

  return listed


def generator_in_extend(recursive):
  @recursive
  def listed(node):
    out = [0]
    out.extend(kid.v + len(out) for kid in node.kids)
    return out

  return listed


def generators_in_step(recursive):
  @recursive
  def listed(node):
    kids = node.kids
    return [a + b for a, b in zip((note(k.v) for k in kids), (k.v for k in kids), strict=True)]

  return listed


def generator_before_another_argument(recursive):
  @recursive
  def total(node):
    return sum((note(kid.v) for kid in node.kids), note(0))

  return total


def any_of_a_map(recursive):
  @recursive
  def answered(node):
    return any(map(note, (0, node.v, 2)))

  return answered


LAZY = (
  generator_that_prints, generator_that_prints_left_early, map_that_prints,
  generator_of_what_the_loop_binds, generator_of_what_the_loop_writes,
  generator_of_what_the_loop_appends_to, generator_in_extend, generator_before_another_argument,
  generators_in_step, any_of_a_map,
)  # fmt: skip


@pytest.mark.parametrize("build", LAZY)
def test_iterators_whose_elements_are_made_between_effects_are_refused(build):
  is_of_a_list = build is generator_of_what_the_loop_appends_to
  agrees(build, trees, Reason.SHARED_CONTAINER if is_of_a_list else Reason.EFFECT_ORDER)
