"""`in` of lists and tuples of numbers that nodes have."""

import pytest

from tests.convert.agreement import CONVERTED, agrees


class Holder:
  """A node with a list of numbers."""

  def __init__(self, v, xs, *kids):
    self.v, self.xs, self.kids = v, xs, list(kids)


ASKS = {
  "value": lambda n: n.v in n.xs,
  "known": lambda n: 2 in n.xs,
  "not in": lambda n: 3 not in n.xs,
  "sum": lambda n: n.v + 1 in n.xs,
  "of a child": lambda n: [n.v in k.xs for k in n.kids],
  "filter": lambda n: [k.v for k in n.kids if k.v in n.xs],
  "and": lambda n: 1 if n.v in n.xs and n.kids else 0,
  "any": lambda n: any(k.v in n.xs for k in n.kids),
  "or": lambda n: (n.v in n.xs) or len(n.xs),
  "bool": lambda n: True in n.xs,
}


def of_lists(ask):
  def build(recursive):
    @recursive
    def f(n):
      return ask(n), [f(k) for k in n.kids]

    return f

  return build


def trees(make):
  leaf = Holder(2, make([]))
  tree = Holder(1, make([1, 2]), Holder(3, make([2])), leaf, Holder(0, make([3, 0, 5]), leaf))
  return [(leaf,), (tree,), (Holder(2, make([7, 8, 2])),), (tree,)]


@pytest.mark.parametrize("make", [list, tuple])
@pytest.mark.parametrize("ask", ASKS)
def test_a_number_in_a_list_of_ints(ask, make):
  agrees(of_lists(ASKS[ask]), lambda: trees(make))


@pytest.mark.parametrize("ask", ["value", "known", "of a child", "filter", "and"])
def test_a_number_in_a_list_of_ints_is_converted(ask):
  agrees(of_lists(ASKS[ask]), lambda: trees(list), CONVERTED)


@pytest.mark.parametrize("ask", ["value", "known", "not in", "filter"])
@pytest.mark.parametrize("some", [[1.5, 2.0], ["a", "2"], [True, 0], [None, 2], [2, 2.5], [[2], 2]])
def test_a_number_in_a_list_of_others(ask, some):
  agrees(of_lists(ASKS[ask]), lambda: [*trees(list), (Holder(2, some, Holder(1, [1])),)])


def test_a_number_in_a_list_that_grows():
  def build(recursive):
    @recursive
    def f(n):
      if n.v not in n.xs:
        n.xs.append(n.v)
      return [f(k) for k in n.kids] + [n.v in n.xs, len(n.xs)]

    return f

  agrees(build, lambda: trees(list))


def test_nodes_that_were_seen():
  def build(recursive):
    @recursive
    def f(n, seen):
      if n.v in seen:
        return 0
      seen.append(n.v)
      return 1 + sum(f(k, seen) for k in n.kids)

    return f

  agrees(build, lambda: [(call[0], [7]) for call in trees(list)])
