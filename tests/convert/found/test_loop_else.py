"""Loops with `else`, which runs where no `break` did."""

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, root


def found_or_not(recursive):
  @recursive
  def f(n):
    found = 0
    for k in n.kids:
      if not k.flag:
        found = k.v
        break
    else:
      found = -n.v
    return found + sum(f(k) for k in n.kids)

  return f


def a_while_that_ends(recursive):
  @recursive
  def f(n):
    x = n.v
    while x < 4:
      x += 1
      if not n.flag:
        break
    else:
      x = -x
    return x + sum(f(k) for k in n.kids)

  return f


def writes_in_both(recursive):
  @recursive
  def f(n):
    for k in n.kids:
      if k.v > 2:
        n.v = k.v
        break
    else:
      n.v = 100
    for k in n.kids:
      f(k)
    return n.v

  return f


@pytest.mark.parametrize("build", [found_or_not, a_while_that_ends, writes_in_both])
def test_else_runs_where_no_break_did(build):
  def calls():
    return [(root(),), (Node(5, False, "x", root(), Node(4, True, "y")),), (Node(7, True, "z"),)]

  agrees(build, calls, expect=CONVERTED)
