"""What is a word in some places and a list in others, sliced and asked of."""

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import agrees, of_one


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


def nodes():
  """Returns nodes that have a word, a list, a tuple, and what nothing here can be done with."""
  yield (Node("ab", Node("c"), Node(["x", "y"])),)
  yield (Node([Node("ab"), Node("c")]),)
  yield (Node(""),)
  yield (Node(("a", Node("b")), Node("q")),)
  yield (Node(None, Node("a")),)
  yield (Node("zz", Node(3)),)


def trees():
  for tree in ("ab", ["ab", "c"], [["x", ["yz"]], "w"], ("a",), "", [], ["a", ("b", "cd")]):
    yield (tree,)
  yield (["a", None],)


def without_the_first(f, n):
  return [n.v[1:], n.v[::-1], n.v[-1:], *(y for k in n.kids for y in f(k))]


def joined(f, tree):
  return tree.upper() if isinstance(tree, str) else "".join(f(x) for x in tree)


def by_the_first(f, tree):
  first = tree[0]
  return first + str(len(tree)) if isinstance(first, str) else f(first) + f(tree[-1])


def shorter(f, tree):
  if len(tree) < 2:
    return tree[0] if isinstance(tree, str) and tree else "-"
  return f(tree[1:]) + "."


LETTERS = "abcdef"


def place_of_letter(f, n):
  return [LETTERS.find(n.v), LETTERS.count(n.v), *(y for k in n.kids for y in f(k))]


OF_NODES = [without_the_first, place_of_letter]
PROGRAMS = [(program, nodes) for program in OF_NODES]
PROGRAMS += [(program, trees) for program in (joined, by_the_first, shorter)]


@pytest.mark.parametrize("program, calls", PROGRAMS)
def test_is_what_it_is_in_python(program, calls):
  function = agrees(of_one(program), lambda: list(calls()))
  assert function.stats.num_converted_runs >= 2, function.explain()
  assert Reason.MIXED_ATTRIBUTE not in function.stats.fallbacks
