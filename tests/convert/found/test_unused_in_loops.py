"""What a loop computes and nothing uses raises as in Python, whatever else the loop gives."""

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees


def of_element(kid, t, n):
  return 5 // (kid.v - 2)


def of_all(kid, t, n):
  return 5 // (n.v - 2)


def of_turn_before(kid, t, n):
  return t // (kid.v - 2)


def raising():
  return Node(2, True, "r", Node(2, True, "a"), Node(3, False, "b"))


def fine():
  return Node(1, True, "r", Node(4, True, "a"), Node(3, False, "b"))


@pytest.mark.parametrize("compute", [of_element, of_all, of_turn_before])
def test_an_unused_result_of_a_loop_raises(compute):
  def build(recursive):
    @recursive
    def f(n):
      t = 1
      for kid in n.kids:
        t = compute(kid, t, n)
      return t is False

    return f

  agrees(build, lambda: [(fine(),)], expect=CONVERTED)
  found = agrees(build, lambda: [(fine(),), (raising(),), (fine(),)])
  assert found.stats.num_converted_runs  # What raises is plain Python's.
