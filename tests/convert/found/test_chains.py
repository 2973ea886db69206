"""Chained comparisons of any length: each part is evaluated once, and only if those before hold."""

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees


def tree():
  return Node(5, True, "r", Node(2, True, "a", Node(1, False, "x")), Node(3, False, "b"))


def in_a_test(n, note):
  if 0 < note(n.v) < 4 != 3:
    return 1
  return 0


def in_a_test_with_or(n, note):
  return 1 if note(0) < note(n.v) < note(4) < note(n.v + 3) or n.v == 5 else 0


def as_a_value(n, note):
  return 0 < note(n.v) < len(n.kids) + 2 < note(5)


def in_a_filter(n, note):
  return sum([kid.v for kid in n.kids if 0 < kid.v < n.v < 9])


def in_a_loop(n, note):
  i = 0
  while 0 <= i < n.v < 7 < 8:
    i += 1
  return i


def negated(n, note):
  return 2 if not note(1) < n.v <= note(3) <= 3 else 5


def in_an_assertion(n, note):
  assert 0 < n.v < 10 < 11
  return n.v


def of_what_it_sets(n, note):
  found = 0
  if 0 < (x := note(n.v)) < 4 and (y := note(x + 1)) > 2:
    found = y
  if n.kids and (first := n.kids[0]).v > 1 and (w := first.v * 2) > 2:
    found += w + first.v
  return found


@pytest.mark.parametrize(
  "compare",
  [
    in_a_test,
    in_a_test_with_or,
    as_a_value,
    in_a_filter,
    in_a_loop,
    negated,
    in_an_assertion,
    of_what_it_sets,
  ],
)
def test_a_chain(compare):
  def build(recursive):
    log = []

    def note(x):
      log.append(x)
      return x

    @recursive
    def visit(n):
      return compare(n, note) + sum(visit(kid) for kid in n.kids)

    return visit, [log]

  agrees(build, lambda: [(tree(),), (tree(),)], CONVERTED)
