"""A list that is changed in the turn that ends the loop over it: no other element is asked for."""

import pytest

from tests.convert.agreement import CONVERTED, agrees


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


def drop_first(n, again):
  for k in n.kids:
    if k.v == 2:
      n.kids.remove(k)
      return k
    r = again(k)
    if r is not None:
      return r
  return None


def drop_and_break(n, again):
  found = 0
  for k in n.kids:
    found += 1
    if k.v == 2:
      n.kids.remove(k)
      break
  else:
    found = -found
  return [found, [again(k) for k in n.kids]]


def add_and_return(n, again):
  for i, k in enumerate(n.kids):
    if k.v == 2:
      n.kids.insert(0, Node(9))
      return i
    again(k)
  return -1


def drop_by_number(n, again):
  for i, k in enumerate(n.kids):
    if k.v == 2:
      return n.kids.pop(i)
    found = again(k)
    if found is not None:
      return found
  return None


def number_and_break(n, again):
  for i, k in enumerate(n.kids, 1):
    if k.v == 2:
      del n.kids[i - 1]
      n.kids.append(Node(i))
      break
    again(k)
  return [k.v for k in n.kids]


def drop_later(n, again):
  """Changes the list that is numbered, and goes on."""
  found = []
  for i, k in enumerate(n.kids):
    found.append(i)
    if k.v == 2:
      n.kids.pop(i)
    elif k.v == 6:
      break
  return [found, [again(k) for k in n.kids]]


def drop_of_kids(n, again):
  """Changes other lists than the one that is numbered."""
  for i, k in enumerate(n.kids):
    if k.kids and i < 5:
      k.kids.pop()
    again(k)
  return len(n.kids)


def drop_in_both(n, again):
  for k in n.kids:
    for j in k.kids:
      if j.v == 2:
        k.kids.remove(j)
        n.kids.pop()
        break
    else:
      again(k)
      continue
    break
  return len(n.kids)


def drop_then_break(n, again):
  """Changes the list in one turn and leaves in a later one, which Python may never come to."""
  seen = []
  for k in n.kids:
    seen.append(k.v)
    if k.v == 2:
      n.kids.remove(k)
    if k.v == 3:
      break
  return [seen, [again(k) for k in n.kids]]


def add_then_break(n, again):
  seen = []
  for k in n.kids:
    seen.append(k.v)
    if k.v == 2:
      n.kids.append(Node(3))
    if k.v == 3:
      break
  return [seen, len(n.kids)]


ENDING = [drop_first, drop_and_break, drop_in_both, drop_by_number]
LATER = [add_and_return, drop_then_break, add_then_break]
LATER += [number_and_break, drop_later, drop_of_kids]


def trees():
  inner = Node(5, Node(4), Node(2, Node(2)), Node(6))
  yield Node(1, Node(2), Node(3))
  yield Node(1, Node(3), Node(4, Node(2), Node(2)), Node(2))
  yield Node(1, inner, Node(2), inner)
  yield Node(1, Node(4), Node(2))
  yield Node(2)


@pytest.mark.parametrize("program", ENDING + LATER)
def test_what_is_left_is_pythons(program):
  def build(recursive):
    @recursive
    def f(n):
      return program(n, f)

    return f

  expect = CONVERTED if program in ENDING else None
  agrees(build, lambda: [(tree,) for tree in trees()], expect=expect)
