"""`is` of what is made on some paths and a constant of the program on others."""

import pytest

from tests.convert.agreement import Node, agrees, lopsided, root


class Held:
  def __init__(self, v):
    self.v = v


NOTHING, NO_LIST, NO_PAIR = Held(0), [0], ("none", 0)
CONSTANTS = {"object": NOTHING, "list": NO_LIST, "pair": NO_PAIR}


def an_object(n):
  return NOTHING if n.v == 2 else Held(n.v)


def a_list(n):
  return NO_LIST if n.v == 2 else [n.v]


def an_object_or_a_tuple(n):
  return NOTHING if n.v == 2 else (n.v, n.name)


def one_of_many(n):
  return NO_PAIR if n.v == 2 else n if n.v == 3 else Held(n.v)


def calls():
  return [(Node(1, True, "r", root(), lopsided()),), (root(),)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("made", [an_object, a_list, an_object_or_a_tuple, one_of_many])
@pytest.mark.parametrize("constant", CONSTANTS)
def test_a_constant_is_told_from_what_is_made(made, constant):
  wanted = CONSTANTS[constant]

  def build(recursive):
    @recursive
    def f(n):
      one = made(n)
      found = [f(k) for k in n.kids]
      num_others = sum(other is not wanted for _, other, _ in found)
      return num_others, one, [one is wanted, *(other is wanted for _, other, _ in found)]

    return f

  agrees(build, calls)


@pytest.mark.parametrize("made", [an_object, a_list, an_object_or_a_tuple])
def test_a_constant_that_is_returned_is_left_out(made):
  def build(recursive):
    @recursive
    def f(n):
      if not n.kids:
        return made(n)
      first = f(n.kids[0])
      if first is NOTHING or first is NO_LIST:
        return n.v
      return [first, *(f(k) for k in n.kids[1:])]

    return f

  agrees(build, calls)
