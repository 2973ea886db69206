"""`itertools.product` of as many lists as the run finds, or of a list as many times."""

# ruff: noqa: B905

import itertools

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, of_one, trees


def _choices(visit, n):
  found = [[n.v]]
  for combination in itertools.product(*[visit(k) for k in n.kids]):
    found.append([w for part in combination for w in part])
  return found


def _names(visit, n):
  parts = [visit(k) for k in n.kids]
  return [n.name + "".join(taken) for taken in itertools.product(*parts)]


def _some_empty(visit, n):
  if n.flag and not n.kids:
    return []
  return [n.v + sum(taken) for taken in itertools.product(*(visit(k)[:3] for k in n.kids))]


def _as_list(visit, n):
  found = list(itertools.product(*[visit(k)[:2] for k in n.kids]))
  return [n.v + len(found), *(sum(taken) for taken in found)]


def _beside_others(visit, n):
  parts = [visit(k)[:2] for k in n.kids]
  return [n.v + sum(taken) for taken in itertools.product([0, 10], *parts, [n.v])]


def _each_twice(visit, n):
  parts = [visit(k)[:2] for k in n.kids[:2]]
  found = [n.v]
  for taken in itertools.product(*parts, repeat=2):
    found.append(n.v + sum(taken))
  return found


def _bits_of_each_kid(visit, n):
  found = [n.v]
  for bits in itertools.product([0, 1], repeat=len(n.kids)):
    found.append(sum(bit * k.v for bit, k in zip(bits, n.kids)))
  return found + [value for k in n.kids for value in visit(k)]


def _of_kids_many_times(visit, n):
  found = [n.v]
  for kids in itertools.product(n.kids, repeat=n.v % 3):
    found.append(sum(k.v for k in kids))
  return found + [value for k in n.kids for value in visit(k)]


def _four(visit, n):
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


@pytest.mark.parametrize("program", _ALL, ids=lambda program: program.__name__.strip("_"))
def test_as_many_as_the_run_finds(program):
  agrees(of_one(program), trees, expect=CONVERTED)


def test_an_empty_list_among_many_long_ones():
  def sums(f, n):
    if not n.kids:
      return [*range(60)] if n.flag else []
    return [sum(taken) for taken in itertools.product(*[f(k) for k in n.kids])]

  leaves = [Node(i, True, "l") for i in range(9)]
  calls = [(Node(0, True, "r", *leaves, Node(9, False, "e")),), (Node(0, True, "r", *leaves[:2]),)]
  agrees(of_one(sums), lambda: calls, expect=CONVERTED)


def test_a_negative_number_of_times_raises():
  def count(f, n):
    found = [taken for taken in itertools.product([1, 2], repeat=n.v)]
    return len(found) + sum(f(k) for k in n.kids)

  calls = [(Node(2, True, "r", Node(times, True, "a")),) for times in (0, -1)]
  agrees(of_one(count), lambda: calls)


def test_what_is_no_list_raises_after_an_empty_one():
  def count(f, n):
    found = [1 for _ in itertools.product(*[k.v for k in n.kids])]
    return len(found) + sum(f(k) for k in n.kids)

  def of(*values):
    return Node([], True, "r", *(Node(value, True, "k") for value in values))

  agrees(of_one(count), lambda: [(of([1, 2], []),), (of([], 5),), (of([3], [4]),)])


def test_a_list_that_changes_afterwards():
  def sums(f, n):
    parts = [f(k) for k in n.kids]
    taken = itertools.product(*parts)
    parts.append([100, 200])
    return [n.v + sum(one) for one in taken]

  agrees(of_one(sums), trees)
