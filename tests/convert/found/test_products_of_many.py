"""`itertools.product` of as many lists as the run finds, or of a list as many times."""

# ruff: noqa: B905

import itertools

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root


def _deep(depth, v=1):
  kids = [_deep(depth - 1, 2 * v + i) for i in range(depth % 3)] if depth else []
  return Node(v, v % 3 == 0, f"n{v}", *kids)


def _trees():
  return [(Node(7, True, "l"),), (root(),), (lopsided(),), (bushy(),), (_deep(5),)]


def _choices(n, visit):
  found = [[n.v]]
  for combination in itertools.product(*[visit(k) for k in n.kids]):
    found.append([w for part in combination for w in part])
  return found


def _names(n, visit):
  parts = [visit(k) for k in n.kids]
  return [n.name + "".join(taken) for taken in itertools.product(*parts)]


def _some_empty(n, visit):
  if n.flag and not n.kids:
    return []
  return [n.v + sum(taken) for taken in itertools.product(*(visit(k)[:3] for k in n.kids))]


def _as_list(n, visit):
  found = list(itertools.product(*[visit(k)[:2] for k in n.kids]))
  return [n.v + len(found), *(sum(taken) for taken in found)]


def _beside_others(n, visit):
  parts = [visit(k)[:2] for k in n.kids]
  return [n.v + sum(taken) for taken in itertools.product([0, 10], *parts, [n.v])]


def _each_twice(n, visit):
  parts = [visit(k)[:2] for k in n.kids[:2]]
  found = [n.v]
  for taken in itertools.product(*parts, repeat=2):
    found.append(n.v + sum(taken))
  return found


def _bits_of_each_kid(n, visit):
  found = [n.v]
  for bits in itertools.product([0, 1], repeat=len(n.kids)):
    found.append(sum(bit * k.v for bit, k in zip(bits, n.kids)))
  return found + [value for k in n.kids for value in visit(k)]


def _of_kids_many_times(n, visit):
  found = [n.v]
  for kids in itertools.product(n.kids, repeat=n.v % 3):
    found.append(sum(k.v for k in kids))
  return found + [value for k in n.kids for value in visit(k)]


def _four(n, visit):
  sums = [sum(visit(k)) for k in n.kids]
  all_of_them = itertools.product
  return [n.v, *(a - 2 * k.v + b * c for a, k, b, c in all_of_them(sums, n.kids, sums, [1, 2]))]


_ALL = [
  _choices,
  _names,
  _some_empty,
  _as_list,
  _beside_others,
  _each_twice,
  _bits_of_each_kid,
  _of_kids_many_times,
  _four,
]


def _of(program):
  def build(recursive):
    @recursive
    def visit(n):
      return program(n, visit)

    return visit

  return build


@pytest.mark.parametrize("program", _ALL, ids=lambda program: program.__name__.strip("_"))
def test_as_many_as_the_run_finds(program):
  agrees(_of(program), _trees, expect=CONVERTED)


def test_an_empty_list_among_many_long_ones():
  def build(recursive):
    @recursive
    def count(n):
      if not n.kids:
        return [*range(60)] if n.flag else []
      return [sum(taken) for taken in itertools.product(*[count(k) for k in n.kids])]

    return count

  leaves = [Node(i, True, "l") for i in range(9)]
  trees = [Node(0, True, "r", *leaves, Node(9, False, "e")), Node(0, True, "r", *leaves[:2])]
  agrees(build, lambda: [(tree,) for tree in trees], expect=CONVERTED)


def test_a_negative_number_of_times_raises():
  def build(recursive):
    @recursive
    def count(n):
      found = [taken for taken in itertools.product([1, 2], repeat=n.v)]
      return len(found) + sum(count(k) for k in n.kids)

    return count

  trees = [Node(2, True, "r", Node(0, True, "a")), Node(2, True, "r", Node(-1, True, "a"))]
  agrees(build, lambda: [(tree,) for tree in trees])


def test_what_is_no_list_raises_after_an_empty_one():
  def build(recursive):
    @recursive
    def count(n):
      found = [1 for _ in itertools.product(*[k.v for k in n.kids])]
      return len(found) + sum(count(k) for k in n.kids)

    return count

  def of(*values):
    return Node([], True, "r", *(Node(value, True, "k") for value in values))

  agrees(build, lambda: [(of([1, 2], []),), (of([], 5),), (of([3], [4]),)])


def test_a_list_that_changes_afterwards():
  def build(recursive):
    @recursive
    def count(n):
      parts = [count(k) for k in n.kids]
      taken = itertools.product(*parts)
      parts.append([100, 200])
      return [n.v + sum(one) for one in taken]

    return count

  agrees(build, _trees)
